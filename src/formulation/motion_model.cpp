#include "formulation/motion_model.hpp"

#include <algorithm>

#include "formulation/absolute_motion.hpp"
#include "formulation/floating_frame_motion.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

namespace {

std::vector<const Objective<double>*> pointers(
    const std::vector<std::shared_ptr<const Objective<double>>>& objectives) {
  std::vector<const Objective<double>*> all;
  for (const auto& objective : objectives) all.push_back(objective.get());
  return all;
}

}  // namespace

ParameterBars Motion::gradients(const Trajectory<double>& trajectory, const AskedFunctions& asked,
                                SensitivityOptions::Method method) {
  const auto functions = objectives(trajectory, asked);
  if (resolve(method, trajectory, asked) == SensitivityOptions::Method::direct)
    return {direct_differentiation<double>(steps(), trajectory, pointers(functions)), {}};
  return {discrete_adjoint<double>(steps(), trajectory, pointers(functions)), {}};
}

SensitivityOptions::Method Motion::resolve(SensitivityOptions::Method method,
                                           const Trajectory<double>& trajectory,
                                           const AskedFunctions& asked) {
  using Method = SensitivityOptions::Method;
  if (method != Method::automatic) return method;
  const double n_steps = static_cast<double>(steps().n_steps());
  double columns = 0.0;
  for (const auto& function : objectives(trajectory, asked))
    columns += std::min(1.0, static_cast<double>(function->last_step()) / n_steps);
  return columns < static_cast<double>(steps().n_parameters()) ? Method::discrete_adjoint : Method::direct;
}

std::unique_ptr<MotionModel> make_motion_model(const Problem& problem, const StressSets& stress_sets) {
  switch (problem.formulation) {
    case Formulation::floating_frame:
      return std::make_unique<FloatingFrameModel>(problem, stress_sets);
    case Formulation::absolute_coordinates:
      break;
  }
  return std::make_unique<AbsoluteMotionModel>(problem);
}

}  // namespace kurbel
