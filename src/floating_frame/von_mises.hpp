/// @file
/// The largest von Mises stress of a body, smoothly: a p-norm over its points.
#pragma once

#include <memory>

#include "floating_frame/multibody_system.hpp"
#include "sensitivity/integrand.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel {

/// F(q) = (sum_i sigma_vm,i^P)^(1/P), between the largest sigma_vm and n_points^(1/P) times that, with
/// sigma_vm,i^2 = q^T S_i^T V S_i q. Where all stresses vanish F has a kink; the derivative there is taken as
/// 0.
///
///     dF/dsigma_i = (sigma_vm,i / F)^(P-2) / F  V sigma_i
template <class Scalar>
class VonMisesNorm {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;

  /// @param S  as StressModes     @param exponent  P, at least 2
  VonMisesNorm(Matrix S, Eigen::Index n_components, double exponent)
      : S_(std::move(S)), n_components_(n_components), exponent_(exponent) {}

  /// F of every column of q, (n_q x m) -> (m), and, if they are requested, dF/dq of each, (n_q x m), and the
  /// largest sigma_vm of each, (m).
  Vec values(const Matrix& q, Matrix* F_q = nullptr, VectorXd* largest = nullptr) const;
  /// sum_k weights_k dF(q_k)/dS, in the shape of S.
  Matrix pull_back(const Matrix& q, const Vec& weights) const;

 private:
  Eigen::Index n_points() const { return S_.rows() / n_components_; }
  void stresses(Eigen::Index point, Eigen::Index n, const Matrix& q, Matrix& sigma) const;
  /// F and the largest sigma_vm of some instants, and (sigma_vm / F)^(P-2) / F of every point (n_points x
  /// instants).
  void evaluate(const Matrix& q, Vec& F, VectorXd& largest, Matrix& slopes) const;
  /// Calls use(row of S, number of points, dF/dsigma) for one component of some points at a time.
  template <class Use>
  void for_each_derivative(const Matrix& q, const Matrix& slopes, const Use& use) const;

  Matrix S_;
  Eigen::Index n_components_;
  double exponent_;
};

/// The same of a body as a criterion's integrand, Pa; its own parameters are the stress modes.
template <class Scalar>
class VonMisesIntegrand final : public TimeHistoryIntegrand<Scalar> {
 public:
  /// @throws InputError if there is no such body, or the stress modes have another number of coordinates
  VonMisesIntegrand(const MultibodySystem<Scalar>& system, const std::string& body, const StressModes& modes,
                    double exponent);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

  MatrixX<Scalar> coordinates(const Trajectory<Scalar>& trajectory,
                              const std::vector<Eigen::Index>& steps) const override;
  Eigen::Index tangent_offset() const override { return v_; }
  VectorX<Scalar> time_history(const MatrixX<Scalar>& q, MatrixX<Scalar>* F_q,
                               VectorXd* largest) const override {
    return norm_.values(q, F_q, largest);
  }
  MatrixX<Scalar> pull_back(const MatrixX<Scalar>& q, const VectorX<Scalar>& weights) const override {
    return norm_.pull_back(q, weights);
  }

 private:
  Eigen::Index x_, v_, n_q_;
  VonMisesNorm<Scalar> norm_;
};

}  // namespace kurbel
