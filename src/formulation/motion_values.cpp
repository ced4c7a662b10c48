/// Values of a motion's functions, and which of them is not finite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/motion_model.hpp"
#include "problem/criterion_text.hpp"

namespace kurbel {

namespace {

/// The steps of the first and of the last instant at which a criterion is bounded; before and after them it is free.
std::pair<int, int> steps_of_instants(const std::vector<CriterionConstraint>& functions,
                                      const std::string& time_history) {
  std::pair steps{std::numeric_limits<int>::max(), 0};
  for (const CriterionConstraint& function : functions) {
    if (!function.instant || function.time_history_name() != time_history) continue;
    const int step = function.terms.front().steps.front();
    steps = {std::min(steps.first, step), std::max(steps.second, step)};
  }
  return steps;
}

}  // namespace

Failure Motion::function_not_finite(const Trajectory<double>& trajectory,
                                    const RequestedFunctions& requested) const {
  const auto terms = model_.terms(requested);
  Failure failure{.what = "the objective or a criterion is not a finite number",
                  .advice = "check the numbers of the input for extreme values, or reduce integrator.step",
                  .time = trajectory.t[trajectory.n_stored - 1]};
  for (std::size_t j = 0; j < terms.size(); ++j) {
    for (CriterionTerm term : *terms[j]) {
      if (std::isfinite(criterion({term}).value(trajectory))) continue;
      const std::string name = j == 0 ? "psi" : model_.functions()[requested.functions[j - 1]].label();
      failure.what = fmt::format("{} is not a finite number", name);
      failure.where = text_of(term);
      term.time = TimeFunctional::final_value;  // of a time history, not of an integral
      const VectorXd time_history = criterion({term}).time_history(trajectory);
      for (Eigen::Index k = 0; k < time_history.size(); ++k) {
        if (std::isfinite(time_history[k])) continue;
        failure.time = trajectory.t[k];
        break;
      }
      return failure;
    }
  }
  return failure;
}

std::vector<CriterionValues> Motion::values(const Trajectory<double>& trajectory,
                                            const RequestedFunctions& requested) const {
  const std::vector<CriterionConstraint>& functions = model_.functions();
  const auto terms = model_.terms(requested);
  std::vector<CriterionValues> all;
  std::string ranged;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const bool is_of_model = terms[j] != requested.objective;  // and stays where it is
    const Criterion<double> own = is_of_model ? kept(*terms[j]) : criterion(*terms[j]);
    const CriterionValue<double> value = own.evaluate(trajectory);
    CriterionValues values{value.psi, value.peak, value.peak};
    if (j > 0 && functions[requested.functions[j - 1]].instant) {
      // The range is the same for all instants of a time history.
      const std::string name = functions[requested.functions[j - 1]].time_history_name();
      if (name == ranged) {
        values.low = all.back().low, values.high = all.back().high;
      } else {
        const auto [first, last] = steps_of_instants(functions, name);
        const ValueRange range = own.range(trajectory, first, last);
        values.low = range.low, values.high = range.high;
        ranged = name;
      }
    }
    all.push_back(values);
  }
  return all;
}

}  // namespace kurbel
