/// @file
/// Statics of a row of equal-typed beam elements, clamped at its first node and loaded at its last.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "elements/element.hpp"

namespace kurbel::test {

template <class Beam>
class BeamChain {
 public:
  /// What holds a row of elements together.
  struct Model {
    int per_node;                         ///< coordinates; elements share nodes
    bool directors;                       ///< three directors after r, orthonormal in all nodes but the first
    std::vector<Eigen::Index> held = {};  ///< places in q
  };

  BeamChain(const Beam& beam, std::vector<VectorXd> xi, VectorXd q, const Model& model)
      : beam_(beam), xi_(std::move(xi)), q_(std::move(q)), held_at_(q_), model_(model) {}

  Vector3d tip() const { return q_.segment<3>(last()); }
  const VectorXd& q() const { return q_; }
  VectorXd element(int i) const { return q_.segment(i * model_.per_node, 2 * model_.per_node); }
  const VectorXd& parameters(int i) const { return xi_[static_cast<std::size_t>(i)]; }

  /// Newton's iteration for a dead force and a moment (on directors) at the tip, in equal steps of both.
  /// @return whether it converged
  bool load(const Vector3d& force, const Vector3d& moment, int steps) {
    const Vector3d from_force = force_, from_moment = moment_;
    for (int i = 1; i <= steps; ++i) {
      force_ = from_force + (force - from_force) * i / steps;
      moment_ = from_moment + (moment - from_moment) * i / steps;
      if (!equilibrium()) return false;
    }
    return true;
  }

  /// Displacement of the tip by small loads at the present state.
  VectorXd flexibility(const Vector3d& force, const Vector3d& moment) {
    force_ = force, moment_ = moment;
    return solve().segment(last(), model_.per_node);
  }

 private:
  Eigen::Index last() const { return q_.size() - model_.per_node; }
  Eigen::Index n_nodes() const { return q_.size() / model_.per_node; }
  Eigen::Index n_constraints() const {
    return static_cast<Eigen::Index>(model_.held.size()) + (model_.directors ? 6 * (n_nodes() - 1) : 0);
  }

  bool equilibrium() {
    constexpr int max_iterations = 40;
    const double size = q_.cwiseAbs().maxCoeff();
    for (int i = 0; i < max_iterations; ++i) {
      const VectorXd step = solve();
      q_ += step;
      if (step.cwiseAbs().maxCoeff() < 1e-9 * size) return true;
    }
    return false;
  }

  /// A step of Newton's iteration; multipliers are scaled by the largest stiffness.
  VectorXd solve() {
    const Eigen::Index n = q_.size(), m = n_constraints();
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    VectorXd residual = VectorXd::Zero(n + m);
    lambda_.conservativeResizeLike(VectorXd::Zero(m));
    add_elements(K, residual);
    add_loads(K, residual);
    scale_ = K.cwiseAbs().maxCoeff();
    for (std::size_t i = 0; i < model_.held.size(); ++i) {
      const Eigen::Index row = n + static_cast<Eigen::Index>(i), place = model_.held[i];
      add_constraint(row, q_[place] - held_at_[place], {{place, 1.0}}, K, residual);
    }
    if (model_.directors) add_orthonormality(K, residual);
    const VectorXd step = K.partialPivLu().solve(residual);
    lambda_ += scale_ * step.tail(m);
    return step.head(n);
  }

  struct Entry {
    Eigen::Index place;
    double value;
  };

  void add_constraint(Eigen::Index row, double g, const std::vector<Entry>& gradient, MatrixXd& K,
                      VectorXd& residual) const {
    residual[row] = -scale_ * g;
    for (const auto& [place, value] : gradient) {
      K(row, place) += scale_ * value, K(place, row) += scale_ * value;
      residual[place] -= value * lambda_[row - q_.size()];
    }
  }

  /// d_i . d_j = delta_ij, halved for i = j.
  void add_orthonormality(MatrixXd& K, VectorXd& residual) const {
    Eigen::Index row = q_.size() + static_cast<Eigen::Index>(model_.held.size());
    for (Eigen::Index node = 1; node < n_nodes(); ++node) {
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j, ++row) {
          const Eigen::Index at_i = node * model_.per_node + 3 + 3 * i, at_j = at_i + 3 * (j - i);
          const double weight = i == j ? 0.5 : 1.0;
          const double g = weight * (q_.segment<3>(at_i).dot(q_.segment<3>(at_j)) - (i == j ? 1.0 : 0.0));
          std::vector<Entry> gradient;
          for (int c = 0; c < 3; ++c) {
            gradient.push_back({at_i + c, weight * q_[at_j + c]});
            gradient.push_back({at_j + c, weight * q_[at_i + c]});
            K(at_i + c, at_j + c) += weight * lambda_[row - q_.size()];
            K(at_j + c, at_i + c) += weight * lambda_[row - q_.size()];
          }
          add_constraint(row, g, gradient, K, residual);
        }
      }
    }
  }

  void add_elements(MatrixXd& K, VectorXd& residual) const {
    const Eigen::Index size = 2 * model_.per_node;
    const VectorXd v = VectorXd::Zero(size), u;
    for (std::size_t i = 0; i < xi_.size(); ++i) {
      const Eigen::Index at = static_cast<Eigen::Index>(i) * model_.per_node;
      const VectorXd q = q_.segment(at, size);
      VectorXd Q = VectorXd::Zero(size);
      ForceDerivatives<double> d;
      d.resize(size, 0, xi_[i].size());
      beam_.add_force({q, v, u, xi_[i]}, Q);
      beam_.add_derivatives({q, v, u, xi_[i]}, d);
      K.block(at, at, size, size) -= d.Q_q;
      residual.segment(at, size) += Q;
    }
  }

  /// A moment acts on directors by M x d_i / 2.
  void add_loads(MatrixXd& K, VectorXd& residual) const {
    residual.segment<3>(last()) += force_;
    if (!model_.directors) return;
    Matrix3<double> M;
    M << 0.0, -moment_[2], moment_[1], moment_[2], 0.0, -moment_[0], -moment_[1], moment_[0], 0.0;
    for (int i = 1; i <= 3; ++i) {
      const Eigen::Index at = last() + 3 * i;
      residual.segment<3>(at) += 0.5 * M * q_.segment<3>(at);
      K.block<3, 3>(at, at) -= 0.5 * M;
    }
  }

  Beam beam_;
  std::vector<VectorXd> xi_;
  VectorXd q_, held_at_, lambda_;
  Model model_;
  double scale_ = 1.0;
  Vector3d force_ = Vector3d::Zero(), moment_ = Vector3d::Zero();
};

/// The limit of a sequence that converges with the square of the element length.
inline double limit(double coarse, double fine) {
  return fine + (fine - coarse) / 3.0;
}

/// Rate at which errors fall when elements are halved.
inline double order(double coarse, double fine) {
  return std::log2(std::abs(coarse / fine));
}

/// Tip of an inextensible cantilever of length 1 under a transverse dead load P.
struct Elastica {
  double load;               ///< P L^2 / (E I)
  double across, shortened;  ///< w / L, u / L
};
inline constexpr Elastica elasticas[] = {{1.0, 0.301721, 0.056433}, {10.0, 0.810609, 0.554996}};

}  // namespace kurbel::test
