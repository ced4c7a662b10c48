/// @file
/// One-step methods for a SecondOrderDae, and the choice among them.
#pragma once

#include <memory>

#include "base/shared.hpp"
#include "integration/integrator_options.hpp"
#include "integration/jump_instants.hpp"
#include "integration/second_order_dae.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// Coordinates that were given as independent, and cannot be.
class IndependentCoordinates : public InputError {
 public:
  using InputError::InputError;
};

/// The options with the end of the motion that a model has among its parameters: as many steps as they have, which
/// are longer or shorter.
template <class Model>
IntegratorOptions with_end_of(const Model& model, IntegratorOptions options) {
  if (model.end_parameter() < 0) return options;
  const double span = options.t1 - options.t0;
  options.t1 = real_part(model.parameters()[model.end_parameter()]);
  options.step *= (options.t1 - options.t0) / span;
  return options;
}

/// Steps of equal length of a method of second order; y holds x, v, v_dot = w and lambda. Integrals over time by
/// the trapezoidal rule.
template <class Scalar>
class DaeSteps : public StepResidual<Scalar> {
 public:
  using Base = StepResidual<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  const DaeStateLayout& layout() const { return layout_; }
  /// Newton iterations of all steps so far.
  long newton_iterations() const { return newton_iterations_; }

  Eigen::Index n_state() const override { return layout_.n_state(); }
  Eigen::Index n_tangent() const override { return layout_.n_tangent(); }
  Eigen::Index n_parameters() const override { return model_.parameters().size(); }
  Eigen::Index n_steps() const override { return n_steps_; }
  Eigen::Index end_parameter() const override { return model_.end_parameter(); }
  double time(Eigen::Index k) const override { return options_.t0 + static_cast<double>(k) * h_; }
  std::string place_not_finite(const Segment& y) const override;
  double quadrature_weight(Eigen::Index k) const override { return k == 0 || k == n_steps_ ? 0.5 * h_ : h_; }

  /// All vectors of accelerations begin as v_dot, middles as x and v.
  Status initial_state(Eigen::Ref<Vec> y0) override;
  void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) override;
  void push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot) override;

 protected:
  /// @param n_accelerations  DaeStateLayout::n_accelerations
  /// @param has_middle       DaeStateLayout::has_middle
  DaeSteps(Shared<const SecondOrderDae<Scalar>> model, const IntegratorOptions& options, int n_accelerations,
           bool has_middle = false);
  /// A failure at time t, in the body or joint of the largest of n_v numbers.
  Failure failure(double t, const char* what, const Segment& numbers, const char* advice) const;
  /// The failure of Newton's iteration in the step from y_prev to t_k, if constraints have come close to depend
  /// on others at y_prev, as in a dead centre: pivots of C, in units of its rows at the start, below a tenth of the
  /// smallest there.
  Status failure_near_dead_centre(Eigen::Index k, const Segment& y_prev);

  Shared<const SecondOrderDae<Scalar>> shared_;
  const SecondOrderDae<Scalar>& model_;  ///< *shared_
  IntegratorOptions options_;
  DaeStateLayout layout_;
  Eigen::Index n_steps_;
  double h_;
  JumpInstants jumps_;
  long newton_iterations_ = 0;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;

 private:
  StartState<Scalar> start_of(const Segment& y0) const;
  Eigen::Index velocity_of(Eigen::Index i) const;

  std::unique_ptr<Start<Scalar>> start_;
};

/// Indices of coordinates by SecondOrderDae::coordinate_label(), ascending.
/// @throws IndependentCoordinates for such that do not exist
template <class Scalar>
std::vector<Eigen::Index> indices_of(const std::vector<std::string>& labels,
                                     const SecondOrderDae<Scalar>& model);

/// Generalized-alpha, Matrix R with the trapezoidal rule, explicit methods on Hamilton's equations, the variational
/// step, or of a ConstantMassDae without constraints Euler and Runge-Kutta steps.
/// @throws InputError for methods of other equations, IndependentCoordinates for such that do not exist
template <class Scalar>
std::unique_ptr<DaeSteps<Scalar>> make_dae_steps(Shared<const SecondOrderDae<Scalar>> model,
                                                 const IntegratorOptions& options);

}  // namespace kurbel
