#include "fem/markers.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>

#include "fem/tilde.hpp"

namespace kurbel::fem {

namespace {

Matrix3d pseudo_inverse(const Matrix3d& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(symmetric);
  const Vector3d& values = eigen.eigenvalues();
  const double threshold = 1e-9 * values[2];
  Vector3d inverse = Vector3d::Zero();
  for (int i = 0; i < 3; ++i) {
    if (values[i] > threshold) inverse[i] = 1.0 / values[i];
  }
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

MarkerOperator::MarkerOperator(std::string name, const NodeSet& set, const Mesh::Points& positions, int dim,
                               const NodeOrder& order)
    : name_(std::move(name)), mean_(Vector3d::Zero()), I_c_(Matrix3d::Zero()), weights_(set.weights) {
  assert(!set.nodes.empty());
  for (const double weight : weights_) total_ += weight;
  for (std::size_t a = 0; a < weights_.size(); ++a)
    mean_ += weights_[a] * positions.col(set.nodes[a]) / total_;
  for (std::size_t a = 0; a < weights_.size(); ++a) {
    arms_.push_back(positions.col(set.nodes[a]) - mean_);
    const Matrix3d X = tilde(arms_.back());
    I_c_ -= weights_[a] * (X * X);
    positions_.push_back(order.position_of(set.nodes[a]));
  }
  I_c_inverse_ = weights_.size() > 1 ? pseudo_inverse(I_c_) : Matrix3d::Zero();
  for (std::size_t a = 0; a < weights_.size(); ++a) {
    rotation_.push_back(weights_[a] * (I_c_inverse_ * tilde(arms_[a])));
    if (dim == 2) rotation_.back().topRows<2>().setZero();
  }
}

void MarkerOperator::apply(const NodalFields& fields, Eigen::Index first, int dim, MatrixXd& Phi,
                           MatrixXd& Psi) const {
  const Eigen::Index n_q = (fields.cols() - first) / dim;
  Phi.setZero(3, n_q);
  Psi.setZero(3, n_q);
  for (std::size_t a = 0; a < positions_.size(); ++a) {
    for (int d = 0; d < dim; ++d) {
      const auto u_d = fields.row(positions_[a]).segment(first + d * n_q, n_q);
      Phi.row(d) += weights_[a] * u_d / total_;
      Psi += rotation_[a].col(d) * u_d;
    }
  }
}

void MarkerOperator::add_transpose(const MatrixXd& Phi_bar, const MatrixXd& Psi_bar, const NodeOrder& order,
                                   int dim, MatrixXd& U_bar) const {
  for (std::size_t a = 0; a < positions_.size(); ++a) {
    if (positions_[a] >= order.n_free()) continue;
    const double share = weights_[a] / total_;
    for (int d = 0; d < dim; ++d) {
      U_bar.row(static_cast<Eigen::Index>(positions_[a]) * dim + d) +=
          share * Phi_bar.row(d) + rotation_[a].col(d).transpose() * Psi_bar;
    }
  }
}

void MarkerOperator::add_mean_bar(const Vector3d& R_bar, int dim, Mesh::Points& x_bar) const {
  for (std::size_t a = 0; a < positions_.size(); ++a)
    x_bar.col(positions_[a]).head(dim) += weights_[a] / total_ * R_bar.head(dim);
}

void MarkerOperator::add_position_bar(const NodalFields& fields, Eigen::Index first, int dim,
                                      const MatrixXd& Psi_bar, Mesh::Points& x_bar) const {
  const Eigen::Index n_q = Psi_bar.cols();
  MatrixXd bar = Psi_bar, M = MatrixXd::Zero(3, n_q);
  if (dim == 2) bar.topRows<2>().setZero();
  const auto displacements = [&](std::size_t a) {
    MatrixXd u = MatrixXd::Zero(3, n_q);
    for (int d = 0; d < dim; ++d) u.row(d) = fields.row(positions_[a]).segment(first + d * n_q, n_q);
    return u;
  };
  for (std::size_t a = 0; a < arms_.size(); ++a) M += weights_[a] * (tilde(arms_[a]) * displacements(a));
  const MatrixXd M_bar = I_c_inverse_ * bar;
  const Matrix3d Q = bar * M.transpose(), N = Matrix3d::Identity() - I_c_ * I_c_inverse_;
  const Matrix3d squared = I_c_inverse_ * I_c_inverse_;
  const Matrix3d A_bar = -I_c_inverse_ * Q * I_c_inverse_ + squared * Q * N + N * Q * squared;
  const Matrix3d by_arm = 2.0 * A_bar.trace() * Matrix3d::Identity() - A_bar - A_bar.transpose();
  Mesh::Points arm_bar(3, static_cast<Eigen::Index>(arms_.size()));
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const Matrix3d work = displacements(a) * M_bar.transpose();  // sum_k u_k M_bar_k^T
    arm_bar.col(a) = by_arm * arms_[a] +
                     Vector3d(work(1, 2) - work(2, 1), work(2, 0) - work(0, 2), work(0, 1) - work(1, 0));
  }
  const Eigen::Map<const VectorXd> weights(weights_.data(), std::ssize(weights_));
  const Vector3d mean = arm_bar * weights / total_;
  for (std::size_t a = 0; a < arms_.size(); ++a)
    x_bar.col(positions_[a]).head(dim) += weights_[a] * (arm_bar.col(a) - mean).head(dim);
}

std::vector<UnitLoad> unit_loads(const FlexibleBodySpec& spec) {
  static constexpr const char* axis = "xyz";
  std::vector<UnitLoad> loads;
  const auto index_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(spec.markers, name, &MarkerSpec::name) -
                                    spec.markers.begin());
  };
  for (const AttachmentSpec& attachment : spec.attachments) {
    const std::size_t index = index_of(attachment.marker);
    if (index == spec.markers.size()) continue;
    for (int d = 0; d < 6; ++d) {
      const bool wanted = d < 3 ? attachment.force[d] : attachment.moment[d - 3];
      const bool in_plane = d == 0 || d == 1 || d == 5;
      if (!wanted || (spec.mesh.dim == 2 && !in_plane)) continue;
      const std::string kind = d < 3 ? "force " : "moment ";
      loads.push_back({index, d, kind + axis[d % 3] + " at " + attachment.marker, Vector3d::Unit(d % 3)});
    }
  }
  for (const CombinedLoadSpec& combined : spec.combined_loads) {
    UnitLoad load{.name = combined.name, .direction = combined.forces.front().force};
    load.marker = index_of(combined.forces.front().marker);
    for (std::size_t i = 1; i < combined.forces.size(); ++i)
      load.others.push_back({index_of(combined.forces[i].marker), combined.forces[i].force});
    loads.push_back(std::move(load));
  }
  return loads;
}

MatrixXd unit_forces(const std::vector<MarkerOperator>& markers, const NodeOrder& order, int dim) {
  const Eigen::Index n = static_cast<Eigen::Index>(markers.size()) * dim;
  MatrixXd forces = MatrixXd::Zero(order.n_free() * dim, n);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    MatrixXd force = MatrixXd::Zero(3, n);
    force.block(0, static_cast<Eigen::Index>(m) * dim, dim, dim).setIdentity();
    markers[m].add_transpose(force, MatrixXd::Zero(3, n), order, dim, forces);
  }
  return forces;
}

MatrixXd load_matrix(const std::vector<UnitLoad>& loads, const std::vector<MarkerOperator>& markers,
                     const NodeOrder& order, int dim) {
  const Eigen::Index n = static_cast<Eigen::Index>(loads.size());
  MatrixXd B_T = MatrixXd::Zero(order.n_free() * dim, n);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    MatrixXd force = MatrixXd::Zero(3, n), moment = MatrixXd::Zero(3, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const UnitLoad& load = loads[static_cast<std::size_t>(i)];
      if (load.marker == m) (load.component < 3 ? force : moment).col(i) = load.direction;
      for (const UnitLoad::Force& other : load.others) {
        if (other.marker == m) force.col(i) += other.force;
      }
    }
    markers[m].add_transpose(force, moment, order, dim, B_T);
  }
  return B_T;
}

}  // namespace kurbel::fem
