#include "fem/markers.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>

namespace kurbel::fem {

namespace {

Matrix3d tilde(const Vector3d& x) {
  Matrix3d X;
  X << 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0;
  return X;
}

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

MarkerOperator::MarkerOperator(std::string name, const std::vector<int>& nodes, const Mesh& mesh,
                               const NodeOrder& order)
    : name_(std::move(name)), mean_(Vector3d::Zero()) {
  assert(!nodes.empty());
  for (const int node : nodes) mean_ += mesh.positions().col(node) / static_cast<double>(nodes.size());
  Matrix3d I_c = Matrix3d::Zero();
  for (const int node : nodes) {
    const Matrix3d X = tilde(mesh.positions().col(node) - mean_);
    I_c -= X * X;
  }
  const Matrix3d inverse = nodes.size() > 1 ? pseudo_inverse(I_c) : Matrix3d::Zero();
  for (const int node : nodes) {
    positions_.push_back(order.position_of(node));
    rotation_.push_back(inverse * tilde(mesh.positions().col(node) - mean_));
    if (mesh.dim() == 2) rotation_.back().topRows<2>().setZero();
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
      Phi.row(d) += u_d / static_cast<double>(positions_.size());
      Psi += rotation_[a].col(d) * u_d;
    }
  }
}

void MarkerOperator::add_transpose(const MatrixXd& Phi_bar, const MatrixXd& Psi_bar, const NodeOrder& order,
                                   int dim, MatrixXd& U_bar) const {
  const double mean_weight = 1.0 / static_cast<double>(positions_.size());
  for (std::size_t a = 0; a < positions_.size(); ++a) {
    if (positions_[a] >= order.n_free()) continue;
    for (int d = 0; d < dim; ++d) {
      U_bar.row(static_cast<Eigen::Index>(positions_[a]) * dim + d) +=
          mean_weight * Phi_bar.row(d) + rotation_[a].col(d).transpose() * Psi_bar;
    }
  }
}

std::vector<UnitLoad> unit_loads(const FlexibleBodySpec& spec) {
  static constexpr const char* axis = "xyz";
  std::vector<UnitLoad> loads;
  for (const AttachmentSpec& attachment : spec.attachments) {
    const auto marker = std::find_if(spec.markers.begin(), spec.markers.end(),
                                     [&](const MarkerSpec& m) { return m.name == attachment.marker; });
    if (marker == spec.markers.end()) continue;
    const std::size_t index = static_cast<std::size_t>(marker - spec.markers.begin());
    for (int d = 0; d < 6; ++d) {
      const bool wanted = d < 3 ? attachment.force[d] : attachment.moment[d - 3];
      const bool in_plane = d == 0 || d == 1 || d == 5;
      if (!wanted || (spec.mesh.dim == 2 && !in_plane)) continue;
      const std::string kind = d < 3 ? "force " : "moment ";
      loads.push_back({index, d, kind + axis[d % 3] + " at " + attachment.marker});
    }
  }
  return loads;
}

MatrixXd load_matrix(const std::vector<UnitLoad>& loads, const std::vector<MarkerOperator>& markers,
                     const NodeOrder& order, int dim) {
  const Eigen::Index n = static_cast<Eigen::Index>(loads.size());
  MatrixXd B_T = MatrixXd::Zero(order.n_free() * dim, n);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    MatrixXd force = MatrixXd::Zero(3, n), moment = MatrixXd::Zero(3, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (loads[i].marker != m) continue;
      (loads[i].component < 3 ? force : moment)(loads[i].component % 3, i) = 1.0;
    }
    markers[m].add_transpose(force, moment, order, dim, B_T);
  }
  return B_T;
}

}  // namespace kurbel::fem
