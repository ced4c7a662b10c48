#include "app/histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "output/csv_tables.hpp"
#include "output/line_plot.hpp"
#include "output/log.hpp"
#include "problem/criterion_units.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

namespace {

constexpr std::size_t most_states_drawn = 16;
constexpr Eigen::Index most_nodes_marked = 100;
constexpr std::size_t most_adjoint_rows_drawn = 8;

VectorXd instants(const ChainResult& result) {
  return result.trajectory.t.head(result.trajectory.n_stored);
}

/// Values of the nodes of all controls, one after the other: every node is a variable.
VectorXd node_values(const Problem& problem, const VectorXd& numbers) {
  std::vector<double> nodes;
  Eigen::Index number = 0;
  for (const DesignVariable& variable : problem.design.variables) {
    if (std::holds_alternative<ElementQuantity>(variable.quantity)) continue;
    if (is_control_node(variable)) nodes.push_back(numbers[number]);
    ++number;
  }
  return Eigen::Map<const VectorXd>(nodes.data(), static_cast<Eigen::Index>(nodes.size()));
}

/// The bounds hold at the nodes: between them a spline may go beyond.
void warn_beyond_bounds(const ControlCurve& control, const VectorXd& values) {
  constexpr double noticeable = 0.01;
  const double bounds = control.upper - control.lower;
  const double range = std::isfinite(bounds) ? bounds : values.cwiseAbs().maxCoeff();
  const double beyond = std::max(values.maxCoeff() - control.upper, control.lower - values.minCoeff());
  if (beyond <= noticeable * range) return;
  log_warning(
      fmt::format("control {} goes {:.3g} {} beyond its bounds, which hold at its nodes. With "
                  "controls.{}.interpolation = \"linear\" they hold everywhere",
                  control.name, beyond, control.unit(), control.name));
}

void write_controls(const RunDirectory& folder, const Problem& problem, const ChainResult& result) {
  if (problem.controls.empty()) return;
  const VectorXd t = instants(result), nodes = node_values(problem, result.design.system);
  std::vector<TimeColumn> columns;
  PlotPanel forces{"", "u in N", {}, {}}, torques{"", "u in N m", {}, {}};
  Eigen::Index first = 0;
  for (const ControlCurve& control : problem.controls) {
    ControlGrid grid = control.grid(problem.integrator);
    if (std::ranges::any_of(problem.design.variables, is_end_of_motion))
      grid.stretch_to(result.trajectory.t[result.trajectory.t.size() - 1]);
    const VectorXd own = nodes.segment(first, grid.n_nodes());
    first += grid.n_nodes();
    PlotCurve line{control.name, t, VectorXd(t.size()), {}, {}};
    for (Eigen::Index k = 0; k < t.size(); ++k) line.y[k] = grid.weights(t[k]) * own;
    if (grid.n_nodes() <= most_nodes_marked) {
      line.marker_t.resize(grid.n_nodes()), line.marker_y = own;
      for (Eigen::Index j = 0; j < grid.n_nodes(); ++j) line.marker_t[j] = grid.node_time(j);
    }
    warn_beyond_bounds(control, line.y);
    columns.push_back({{control.name, control.unit()}, line.y});
    PlotPanel& panel = control.is_torque ? torques : forces;
    panel.curves.push_back(std::move(line));
    for (const double bound : {control.upper, control.lower}) panel.limits.push_back({"", bound});
  }
  write_time_table_csv(folder / "control.csv", t, columns);
  if (!problem.output.picture) return;
  LinePlot plot;
  for (PlotPanel* panel : {&forces, &torques}) {
    if (!panel->curves.empty()) plot.panels.push_back(std::move(*panel));
  }
  write_line_plot(folder / "control.png", plot);
}

void write_states(const RunDirectory& folder, const Problem& problem, const ChainResult& result) {
  const std::vector<std::string> names = result.motion->state_names(), units = result.motion->state_units();
  if (names.empty()) return;
  const VectorXd t = instants(result);
  std::vector<TimeColumn> columns;
  LinePlot plot;
  const auto panel_of_unit = [&](const char* symbol, const std::string& unit) -> PlotPanel& {
    const std::string axis = unit.empty() ? symbol : fmt::format("{} in {}", symbol, unit);
    const auto known = std::ranges::find(plot.panels, axis, &PlotPanel::axis);
    return known != plot.panels.end() ? *known : plot.panels.emplace_back(PlotPanel{"", axis, {}, {}});
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back(
        {{names[i], units[i]}, result.trajectory.y.row(static_cast<Eigen::Index>(i)).head(t.size())});
    panel_of_unit(2 * i < names.size() ? "q" : "v", units[i])
        .curves.push_back({names[i], t, columns.back().values, {}, {}});
  }
  write_time_table_csv(folder / "states.csv", t, columns);
  if (problem.output.picture && names.size() <= most_states_drawn)
    write_line_plot(folder / "states.png", plot);
}

/// Below this the change of a row is rounding: coordinates out of the plane of a mechanism, a hub that stays.
/// @param largest_of_unit  value of the panel's unit in all panels
double rounding_of(const HistoryPanel& history, double largest_of_unit) {
  constexpr double of_own = 1e-9, of_unit = 1e-13, at_all = 1e-20;
  const double own = history.values.size() > 0 ? history.values.cwiseAbs().maxCoeff() : 0.0;
  return std::max({of_own * own, of_unit * largest_of_unit, at_all});
}

/// Rounding of a mechanism at rest, where nothing else gives a scale: tiny, and turning back at more than a third of
/// its instants; noise does at two of three.
bool is_noise(const Eigen::RowVectorXd& row) {
  constexpr double tiny = 1e-9;
  if (row.cwiseAbs().maxCoeff() > tiny) return false;
  Eigen::Index turns = 0;
  for (Eigen::Index k = 1; k + 1 < row.size(); ++k)
    turns += (row[k + 1] - row[k]) * (row[k] - row[k - 1]) < 0.0;
  return 3 * turns > row.size();
}

std::map<std::string, double> largest_by_unit(const std::vector<HistoryPanel>& panels) {
  std::map<std::string, double> largest;
  for (const HistoryPanel& panel : panels) {
    double& own = largest[panel.unit];
    if (panel.values.size() > 0) own = std::max(own, panel.values.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// The rows of a panel that change; the first ones where they are too many to be told apart.
PlotPanel panel_of(const HistoryPanel& history, const VectorXd& t, double rounding) {
  PlotPanel panel{
      "", fmt::format("{}{}", history.name, history.unit.empty() ? "" : " in " + history.unit), {}, {}};
  std::ranges::replace(panel.axis, '_', ' ');
  std::size_t n_moving = 0;
  for (std::size_t i = 0; i < history.rows.size(); ++i) {
    const Eigen::RowVectorXd row = history.values.row(static_cast<Eigen::Index>(i));
    if (row.maxCoeff() - row.minCoeff() <= rounding || is_noise(row)) continue;
    if (++n_moving <= most_states_drawn) panel.curves.push_back({history.rows[i], t, row, {}, {}});
  }
  if (n_moving > most_states_drawn) {
    panel.curves.resize(plot_legend_rows);
    panel.title = fmt::format("the first {} of {}; all are in histories.csv", plot_legend_rows, n_moving);
  }
  return panel;
}

void write_motion_histories(const RunDirectory& folder, const Problem& problem, const MotionTables& tables) {
  if (tables.every > 1) log_info(fmt::format("histories.csv has one of every {} steps", tables.every));
  const std::map<std::string, double> largest = largest_by_unit(tables.histories);
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (const HistoryPanel& history : tables.histories) {
    for (std::size_t i = 0; i < history.rows.size(); ++i)
      columns.push_back(
          {{name_of_row(history, i), history.unit}, history.values.row(static_cast<Eigen::Index>(i))});
    PlotPanel panel = panel_of(history, tables.t, rounding_of(history, largest.at(history.unit)));
    if (!panel.curves.empty()) plot.panels.push_back(std::move(panel));
  }
  write_time_table_csv(folder / "histories.csv", tables.t, columns);
  if (!problem.output.picture || plot.panels.empty()) return;
  plot.panels.resize(std::min<std::size_t>(plot.panels.size(), plot_most_panels));
  write_line_plot(folder / "histories.png", plot);
}

void write_outputs(const RunDirectory& folder, const Problem& problem, const VectorXd& t,
                   const std::vector<OutputHistory>& outputs) {
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (const OutputHistory& output : outputs) {
    PlotPanel panel{"", fmt::format("{} in {}", output.name, output.unit), {}, {}};
    for (Eigen::Index row = 0; row < output.values.rows(); ++row) {
      const std::string axis = output.rows.empty() ? "" : output.rows[static_cast<std::size_t>(row)];
      columns.push_back(
          {{name_of_row(output, static_cast<std::size_t>(row)), output.unit}, output.values.row(row)});
      panel.curves.push_back({axis, t, output.values.row(row), {}, {}});
    }
    for (const double limit : output.limits) panel.limits.push_back({"", limit});
    plot.panels.push_back(std::move(panel));
  }
  if (columns.empty()) return;
  write_time_table_csv(folder / "outputs.csv", t, columns);
  if (!problem.output.picture) return;
  plot.panels.resize(std::min<std::size_t>(plot.panels.size(), plot_most_panels));
  write_line_plot(folder / "outputs.png", plot);
}

/// Phases as a line without jumps of a whole turn, and with gaps where the amplitude is a rounding error or not finite.
VectorXd continuous_phase(VectorXd phase, const Eigen::Ref<const VectorXd>& amplitude, double largest) {
  constexpr double turn = 360.0;
  double last = 0.0;
  for (Eigen::Index k = 0; k < phase.size(); ++k) {
    if (!std::isfinite(phase[k]) || amplitude[k] <= plot_least_share * largest) {
      phase[k] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    if (k > 0) phase[k] += turn * std::round((last - phase[k]) / turn);
    last = phase[k];
  }
  return phase;
}

/// Draws Bode's plots: a panel with the amplitudes of each unit, in the order in which they come, and one with all phases,
/// which have the colours of their amplitudes.
void draw_curves(const RunDirectory& folder, const ResultTable& table,
                 FrequencyResponseOptions::Spacing spacing) {
  const TableColumn& over = table.columns.front();
  const auto n_columns = static_cast<Eigen::Index>(table.columns.size());
  const auto column = [&](Eigen::Index j) -> const TableColumn& {
    return table.columns[static_cast<std::size_t>(j)];
  };
  LinePlot plot;
  plot.time_axis = fmt::format("{} in {}", over.name, over.unit);
  plot.logarithmic_time = spacing == FrequencyResponseOptions::Spacing::logarithmic;
  PlotPanel phases{"", "phase in degrees", {}, {}, PlotPanel::Scale::degrees};
  for (Eigen::Index j = 1; j < n_columns; j += 2) {
    double largest = 0.0;
    for (Eigen::Index other = 1; other < n_columns; other += 2)
      if (column(other).unit == column(j).unit)
        largest = std::max(largest, table.values.col(other).maxCoeff());
    const std::string axis = column(j).unit.empty() ? "amplitude" : "amplitude in " + column(j).unit;
    auto panel = std::ranges::find(plot.panels, axis, &PlotPanel::axis);
    if (panel == plot.panels.end())
      panel = plot.panels.insert(panel, {"", axis, {}, {}, PlotPanel::Scale::logarithmic});
    const VectorXd amplitude = table.values.col(j);
    const std::size_t color = phases.curves.size();
    panel->curves.push_back({column(j).name, table.values.col(0), amplitude, {}, {}, color});
    phases.curves.push_back({column(j).name,
                             table.values.col(0),
                             continuous_phase(table.values.col(j + 1), amplitude, largest),
                             {},
                             {}});
  }
  if (plot.panels.empty()) return;
  plot.panels.push_back(std::move(phases));
  write_line_plot(folder / (table.name + ".png"), plot);
}

/// Adjoint variables of the rows, steps x states each.
std::vector<MatrixXd> adjoint_variables(const ChainResult& result, const RequestedFunctions& requested,
                                        const std::vector<ConstraintRow>& rows) {
  StepResidual<double>& steps = result.motion->steps();
  const auto functions = result.motion->objectives(result.trajectory, requested);
  std::vector<const Objective<double>*> pointers;
  for (const auto& function : functions) pointers.push_back(function.get());
  std::vector<std::vector<std::size_t>> rows_of(functions.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows_of[static_cast<std::size_t>(rows[r].requested) + 1].push_back(r);
  std::vector<MatrixXd> R(rows.size(), MatrixXd::Zero(steps.n_steps() + 1, steps.n_tangent()));
  const auto keep = [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& y_bar,
                        const std::vector<Eigen::Index>& function_of_column) {
    for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
      for (const std::size_t r : rows_of[static_cast<std::size_t>(function_of_column[j])])
        R[r].row(k) = -rows[r].factor * y_bar.col(j).transpose();
    }
  };
  discrete_adjoint<double>(steps, result.trajectory, pointers, keep);
  return R;
}

}  // namespace

void write_histories(RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result,
                     const MotionTables& tables) {
  for (const ResultTable& table : result.motion->tables()) {
    const std::filesystem::path file = folder.path() / (table.name + ".csv");
    folder.claim(file);
    write_table_csv(file, table.columns, table.values);
    if (table.has_curves && chain.problem().output.picture)
      draw_curves(folder, table, chain.problem().frequency_response.spacing);
  }
  if (chain.problem().analysis != Analysis::motion) return;
  write_controls(folder, chain.problem(), result);
  write_motion_histories(folder, chain.problem(), tables);
  write_states(folder, chain.problem(), result);
  write_outputs(folder, chain.problem(), instants(result), tables.outputs);
}

void write_adjoint(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result,
                   const ConstraintRows& rows) {
  const OutputOptions& options = chain.problem().output;
  std::vector<ConstraintRow> requested;
  for (const ConstraintRow& row : rows) {
    if (row.of != ConstraintRow::Of::motion) continue;
    if (std::ranges::find(options.adjoint, row.function) != options.adjoint.end()) requested.push_back(row);
  }
  if (requested.empty()) return;
  const std::vector<std::string> states = result.motion->state_names(), units = result.motion->state_units();
  const std::vector<MatrixXd> R = adjoint_variables(result, chain.requested(), requested);
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (std::size_t r = 0; r < requested.size(); ++r) {
    PlotPanel panel{requested[r].name, "R", {}, {}};
    for (std::size_t i = 0; i < states.size(); ++i) {
      const VectorXd values = R[r].col(static_cast<Eigen::Index>(i));
      const std::string name = fmt::format("{} / {}", requested[r].name, states[i]);
      columns.push_back({{name, unit_of_derivative("", units[i])}, values});
      panel.curves.push_back({states[i], result.trajectory.t, values, {}, {}});
    }
    plot.panels.push_back(std::move(panel));
  }
  write_time_table_csv(folder / "adjoint.csv", result.trajectory.t, columns);
  const bool few = requested.size() <= most_adjoint_rows_drawn && states.size() <= most_states_drawn;
  if (options.picture && few) write_line_plot(folder / "adjoint.png", plot);
}

void write_adjoint_constraints(const RunDirectory& folder, const EvaluationChain& chain,
                               const ChainResult& result) {
  const Problem& problem = chain.problem();
  if (problem.sensitivity.method != SensitivityOptions::Method::continuous_adjoint) return;
  const auto found = result.motion->adjoint_constraints(result.trajectory, chain.requested());
  if (!found) return;
  std::vector<TimeColumn> columns;
  LinePlot plot;
  const auto add = [&](const std::string& what, const std::string& title, const MatrixXd& violations) {
    if (violations.size() == 0) return;
    PlotPanel panel{title, "log of relative violation", {}, {}};
    constexpr std::array names = {"C xi", "its rate", "its second rate"};
    for (Eigen::Index level = 0; level < violations.rows(); ++level) {
      const VectorXd own = violations.row(level).transpose();
      const char* name = names[static_cast<std::size_t>(level)];
      columns.push_back({{fmt::format("{}: {}", what, name), "relative"}, own});
      panel.curves.push_back({name, found->t, own.cwiseMax(1e-17).array().log10(), {}, {}});
    }
    plot.panels.push_back(std::move(panel));
  };
  add("imposed", "constraints of the adjoint, as integrated", found->imposed);
  add("differentiated", "the same, differentiated twice", found->differentiated);
  write_time_table_csv(folder / "adjoint_constraints.csv", found->t, columns);
  if (problem.output.picture) write_line_plot(folder / "adjoint_constraints.png", plot);
  log_info(fmt::format(
      "constraints of the adjoint are met to {:.2g}, their rates to {:.2g} and {:.2g} (relative)",
      found->imposed.row(0).maxCoeff(), found->imposed.row(1).maxCoeff(), found->imposed.row(2).maxCoeff()));
}

}  // namespace kurbel
