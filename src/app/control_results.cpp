#include "app/control_results.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "app/control_histories.hpp"
#include "base/files.hpp"
#include "evaluation/control_nlp.hpp"
#include "output/line_plot.hpp"
#include "output/time_table_csv.hpp"

namespace kurbel {

namespace {

constexpr Eigen::Index most_states_drawn = 16;
constexpr std::size_t most_adjoint_rows_drawn = 8;

/// Values of one output over time, a row per row of the output.
MatrixXd output_history(const SystemFunction<double>& function, const Trajectory<double>& trajectory) {
  MatrixXd h(function.n_rows(), trajectory.n_stored);
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) h.col(k) = function.value(trajectory.y.col(k));
  return h;
}

std::string with_axis(const std::string& name, const std::vector<std::string>& axes, Eigen::Index row) {
  return axes.empty() ? name : name + "." + axes[static_cast<std::size_t>(row)];
}

const char* unit_of(const absolute::FunctionSpec& function) {
  switch (function.type) {
    case absolute::FunctionSpec::Type::velocity:
      return "m/s";
    case absolute::FunctionSpec::Type::spring_force:
      return "N";
    case absolute::FunctionSpec::Type::stress:
      return "N/m^2";
    default:
      return "m";
  }
}

void write_controls(const RunDirectory& folder, const ControlProblem& problem,
                    const AbsoluteSystem<double>& system, const VectorXd& t) {
  std::vector<ControlHistory> controls;
  for (std::size_t i = 0; i < problem.controls.size(); ++i) {
    const ControlCurve& curve = problem.controls[i];
    const auto k = static_cast<Eigen::Index>(i);
    const ControlGrid& grid = system.controls().grid(k);
    controls.push_back({curve.name, !problem.system.controls[i].joint.empty(), grid,
                        system.parameters().segment(system.control_offset(k), grid.n_nodes()), curve.lower,
                        curve.upper});
  }
  write_control_histories(folder, controls, t, problem.output.pictures);
}

void write_states(const RunDirectory& folder, const ControlProblem& problem,
                  const AbsoluteSystem<double>& system, const Trajectory<double>& trajectory) {
  const VectorXd t = trajectory.t.head(trajectory.n_stored);
  std::vector<TimeColumn> columns;
  for (Eigen::Index i = 0; i < system.n_x(); ++i) {
    columns.push_back({system.state_name(i), trajectory.y.row(i).head(trajectory.n_stored)});
  }
  write_time_table_csv(folder.states_csv(), t, columns);
  if (!problem.output.pictures || system.n_x() > most_states_drawn) return;
  PlotPanel q{"", "q in m", {}, {}}, v{"", "v in m/s", {}, {}};
  for (Eigen::Index i = 0; i < system.n_x(); ++i) {
    const TimeColumn& column = columns[static_cast<std::size_t>(i)];
    (i < system.n_q() ? q : v).curves.push_back({column.name, t, column.values, {}, {}});
  }
  write_line_plot(folder.states_png(), {{q, v}});
}

void write_outputs(const RunDirectory& folder, const ControlProblem& problem,
                   const ControlModel<double>& model, const Trajectory<double>& trajectory) {
  const VectorXd t = trajectory.t.head(trajectory.n_stored);
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (std::size_t i = 0; i < problem.system.functions.size(); ++i) {
    const absolute::FunctionSpec& function = problem.system.functions[i];
    const std::vector<std::string> axes = absolute::row_names(function);
    const MatrixXd h = output_history(model.assembly().functions[i], trajectory);
    PlotPanel panel{"", fmt::format("{} in {}", function.name, unit_of(function)), {}, {}};
    for (Eigen::Index row = 0; row < h.rows(); ++row) {
      columns.push_back({with_axis(function.name, axes, row), h.row(row)});
      panel.curves.push_back(
          {axes.empty() ? "" : axes[static_cast<std::size_t>(row)], t, h.row(row), {}, {}});
    }
    for (const PathConstraint& c : problem.constraints) {
      if (c.output != i) continue;
      for (Eigen::Index row = 0; row < c.upper.size(); ++row) {
        panel.limits.push_back({"", c.upper[row]});
        if (!c.equality) panel.limits.push_back({"", c.lower[row]});
      }
    }
    plot.panels.push_back(std::move(panel));
  }
  if (columns.empty()) return;
  write_time_table_csv(folder.outputs_csv(), t, columns);
  if (!problem.output.pictures) return;
  plot.panels.resize(std::min<std::size_t>(plot.panels.size(), plot_most_panels));
  write_line_plot(folder.outputs_png(), plot);
}

}  // namespace

VariableTable variable_table(const ControlProblem& problem, const VectorXd& z) {
  const auto [lower, upper] = bounds_of(problem);
  return {variable_names(problem), z, lower, upper};
}

std::string row_name(const ControlProblem& problem, const ControlModel<double>& model, std::size_t row) {
  const ConstraintRow& r = model.rows()[row];
  const PathConstraint& c = problem.constraints[r.constraint];
  const absolute::FunctionSpec& function = problem.system.functions[c.output];
  return fmt::format("{}: {} at {:.6g} s", c.name,
                     with_axis(function.name, absolute::row_names(function), r.row),
                     model.integrator().time(r.step));
}

void write_histories(const RunDirectory& folder, const ControlProblem& problem, ControlModel<double>& model,
                     const Trajectory<double>& trajectory) {
  write_controls(folder, problem, *model.assembly().system, trajectory.t.head(trajectory.n_stored));
  write_states(folder, problem, *model.assembly().system, trajectory);
  write_outputs(folder, problem, model, trajectory);
  if (problem.output.motion) write_absolute_motion(folder.motion_pvd(), problem, model, trajectory);
}

void write_adjoint(const RunDirectory& folder, const ControlProblem& problem, ControlModel<double>& model,
                   const Trajectory<double>& trajectory) {
  // Objective 0 of the model is the cost.
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    const auto& asked = problem.output.adjoint;
    if (std::find(asked.begin(), asked.end(), model.rows()[r].constraint) != asked.end()) rows.push_back(r);
  }
  if (rows.empty()) return;
  const Eigen::Index n_x = model.integrator().n_state(), n = trajectory.t.size();
  std::vector<MatrixXd> R(rows.size(), MatrixXd::Zero(n, n_x));
  model.gradients(ControlSensitivity::adjoint, trajectory,
                  [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& x_bar,
                      const std::vector<Eigen::Index>& objective) {
                    for (Eigen::Index column = 0; column < x_bar.cols(); ++column) {
                      const auto row =
                          static_cast<std::size_t>(objective[static_cast<std::size_t>(column)]) - 1;
                      const auto at = std::lower_bound(rows.begin(), rows.end(), row);
                      if (at == rows.end() || *at != row) continue;
                      R[static_cast<std::size_t>(at - rows.begin())].row(k) = -x_bar.col(column).transpose();
                    }
                  });
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string name = row_name(problem, model, rows[r]);
    PlotPanel panel{name, "R", {}, {}};
    for (Eigen::Index i = 0; i < n_x; ++i) {
      const std::string state = model.assembly().system->state_name(i);
      columns.push_back({fmt::format("{} / {}", name, state), R[r].col(i)});
      panel.curves.push_back({state, trajectory.t, R[r].col(i), {}, {}});
    }
    plot.panels.push_back(std::move(panel));
  }
  write_time_table_csv(folder.adjoint_csv(), trajectory.t, columns);
  const bool few = rows.size() <= most_adjoint_rows_drawn && n_x <= most_states_drawn;
  if (problem.output.pictures && few) write_line_plot(folder.adjoint_png(), plot);
}

void write_gradients(const std::filesystem::path& path, const ControlProblem& problem,
                     const ControlModel<double>& model, const MatrixXd& gradients) {
  const std::vector<std::string> names = variable_names(problem);
  std::string text = "variable,cost";
  for (std::size_t r = 0; r < model.rows().size(); ++r) text += "," + row_name(problem, model, r);
  text += "\n";
  for (Eigen::Index i = 0; i < gradients.rows(); ++i) {
    text += names[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < gradients.cols(); ++j) text += fmt::format(",{}", gradients(i, j));
    text += "\n";
  }
  write_text_file(path, text);
}

}  // namespace kurbel
