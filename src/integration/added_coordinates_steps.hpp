/// @file
/// Matrix R on independent coordinates that are functions of the position.  [P4, eqs 5-23]
///
/// y holds what the mechanism has without them: s, s_dot and s_ddot follow from x, v and w at the start of each
/// step, and their sensitivities go back to these.
#pragma once

#include "integration/added_coordinates.hpp"
#include "integration/matrix_r.hpp"

namespace kurbel {

template <class Scalar>
class AddedCoordinatesSteps final : public DaeSteps<Scalar> {
 public:
  using Base = DaeSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  /// @param functions, labels  of AddedCoordinates
  AddedCoordinatesSteps(Shared<const SecondOrderDae<Scalar>> model,
                        std::shared_ptr<const SecondOrderDae<Scalar>> functions,
                        std::vector<std::string> labels, const IntegratorOptions& options);

  std::vector<std::string> choices() const override { return steps_.choices(); }
  std::vector<std::string> warnings() const override { return steps_.warnings(); }
  Status initial_state(Eigen::Ref<Vec> y0) override;
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override;
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override;

 private:
  using Base::layout_;

  DaeInstant<Scalar> instant(Eigen::Index k, const Segment& y) const;
  /// y with s, s_dot, s_ddot and zeros for their multipliers.
  void complete(Eigen::Index k, const Segment& y, Vec& all);

  AddedCoordinates<Scalar> system_;
  MatrixR<Scalar> steps_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> functions_ws_;
  ConstraintDerivatives<Scalar> h_;
  ConstraintDirections<Scalar> h_p_;
  Vec before_, after_, none_;
  Matrix bars_, dots_;
};

/// make_dae_steps(), or steps of Matrix R on the coordinates of these names.
/// @param make_functions  () -> the functions of AddedCoordinates; what does not exist is an InputError
/// @throws IndependentCoordinates in place of that
template <class Scalar, class MakeFunctions>
std::unique_ptr<DaeSteps<Scalar>> make_steps_on(Shared<const SecondOrderDae<Scalar>> model,
                                                const std::vector<std::string>& labels,
                                                const IntegratorOptions& options,
                                                const MakeFunctions& make_functions) {
  if (options.method != IntegratorMethod::trapezoidal || labels.empty())
    return make_dae_steps<Scalar>(model, options);
  std::shared_ptr<const SecondOrderDae<Scalar>> functions;
  try {
    functions = make_functions();
  } catch (const InputError& error) {
    throw IndependentCoordinates(std::string(error.what()) + ", of a place \"body.marker.x\"");
  }
  return std::make_unique<AddedCoordinatesSteps<Scalar>>(model, std::move(functions), labels, options);
}

}  // namespace kurbel
