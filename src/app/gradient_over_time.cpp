#include "app/gradient_over_time.hpp"

#include <fmt/format.h>

#include "output/line_plot.hpp"
#include "output/time_table_csv.hpp"
#include "problem/criterion_units.hpp"
#include "sensitivity/direct_differentiation.hpp"

namespace kurbel {

Status write_gradient_over_time(const RunDirectory& folder, EvaluationChain& chain, const DesignSpace& space,
                                const ChainResult& result) {
  const auto& scalars = space.variables().scalars();
  if (scalars.empty())
    throw InputError("--over-time shows gradients by [variables] that are one number each; there are none");
  StepResidual<double>& steps = result.motion->steps();
  const SparseMatrix numbers = result.motion->directions({}).p_dot;
  MatrixXd directions(numbers.rows(), std::ssize(scalars));
  for (std::size_t i = 0; i < scalars.size(); ++i)
    directions.col(static_cast<Eigen::Index>(i)) = numbers.col(scalars[i].second);
  const auto objectives = result.motion->objectives(result.trajectory, chain.requested());
  const MatrixXd time_history =
      gradient_over_time<double>(steps, result.trajectory, *objectives.front(), directions);

  for (Eigen::Index k = 0; k < time_history.cols(); ++k) {
    if (time_history.col(k).allFinite()) continue;
    return Failure{.what = "the gradient over time is not a finite number",
                   .where = "psi",
                   .advice = "check the numbers of the input for extreme values, or reduce integrator.step",
                   .time = result.trajectory.t[k]};
  }

  const std::string psi = unit_of(chain.problem(), chain.problem().objective);
  const std::vector<std::string>& units = space.variables().table().units;
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const VectorXd own = time_history.row(static_cast<Eigen::Index>(i)).transpose();
    columns.push_back({{"d psi / d " + scalars[i].first,
                        unit_of_derivative(psi, units[static_cast<std::size_t>(scalars[i].second)])},
                       own});
    if (plot.panels.size() < plot_most_panels)
      plot.panels.push_back(
          {"", "d psi / d " + scalars[i].first, {{"", result.trajectory.t, own, {}, {}}}, {}});
  }
  write_time_table_csv(folder.gradient_over_time_csv(), result.trajectory.t, columns);
  if (chain.problem().output.picture) write_line_plot(folder.gradient_over_time_png(), plot);
  return {};
}

}  // namespace kurbel
