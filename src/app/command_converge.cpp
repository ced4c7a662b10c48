/// @file
/// `kurbel converge`: which digits of the objective and of the constraints hold.
#include <fmt/format.h>

#include <cmath>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/convergence_study.hpp"
#include "base/files.hpp"
#include "output/line_plot.hpp"
#include "output/log.hpp"

namespace kurbel {

using Eigen::Index;

namespace {

const char* name_of(Trend trend) {
  switch (trend) {
    case Trend::independent:
      return "independent";
    case Trend::monotone:
      return "monotone";
    case Trend::settled:
      return "settled";
    case Trend::not_monotone:
      return "not monotone";
    case Trend::not_settling:
      return "does not settle";
    case Trend::unseen:
      return "one step";
  }
  return "";
}

nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

/// "1.2e-05, order 1.9"
std::string in_short(const ConvergenceEstimate& estimate) {
  switch (estimate.trend) {
    case Trend::independent:
      return "none";
    case Trend::not_settling:
      return "does not settle";
    case Trend::not_monotone:
      return fmt::format("{:.1e}, not monotone", estimate.error);
    case Trend::monotone:
      if (estimate.order) return fmt::format("{:.1e}, order {:.1f}", estimate.error, *estimate.order);
      break;
    case Trend::settled:
    case Trend::unseen:
      break;
  }
  return fmt::format("{:.1e}", estimate.error);
}

/// Values of the levels of an axis, a row each.
ReportTable table_of_levels(const ConvergenceStudy& study, const ConvergenceAxis& axis) {
  ReportTable table{{{axis.name, "{}", "", "", 0, true}, {"", "{}", "", "", 0, true}}, {}};
  for (const ConvergingQuantity& quantity : study.quantities)
    table.columns.push_back(
        {quantity.unit.empty() ? quantity.name : quantity.name + " in " + quantity.unit, "{:.9g}"});
  for (const ConvergenceAxis::Level& level : axis.levels) {
    std::vector<nlohmann::json>& cells = table.rows.emplace_back(
        std::vector<nlohmann::json>{fmt::format("x{:g}", level.factor), level.description});
    for (const double value : level.values) cells.emplace_back(value);
  }
  return table;
}

/// By quantity the error that each axis leaves, and the digits within all of them.
ReportTable table_of_errors(const ConvergenceStudy& study) {
  ReportTable table{{{"", "{}", "quantity", "quantity", 0, true}, {"value", "{:.9g}", "value", "value"}}, {}};
  for (const ConvergenceAxis& axis : study.axes)
    table.columns.push_back({"error by " + axis.name, "{}", "", "error by " + axis.name});
  table.columns.push_back({"holds", "{}", "holds", "holds", 0, true});
  table.columns.push_back({"unit", "{}", "unit", "unit", 0, true});
  const VectorXd errors = study.errors();
  for (std::size_t q = 0; q < study.quantities.size(); ++q) {
    const auto i = static_cast<Index>(q);
    std::vector<nlohmann::json>& cells =
        table.rows.emplace_back(std::vector<nlohmann::json>{study.quantities[q].name, study.values[i]});
    for (const ConvergenceAxis& axis : study.axes)
      cells.emplace_back(!axis.estimates.empty() ? in_short(axis.estimates[q])
                         : axis.is_unknown       ? "unknown"
                                                 : "left out");
    cells.emplace_back(text_within(study.values[i], errors[i])), cells.emplace_back(study.quantities[q].unit);
  }
  return table;
}

nlohmann::json numbers_of(const ConvergenceStudy& study, const ConvergenceAxis& axis) {
  if (!axis.left_out.empty()) return {{"left_out", axis.left_out}};
  nlohmann::json numbers = {{"levels", nlohmann::json::array()}};
  if (axis.best_order > 0.0) numbers["best_order"] = axis.best_order;
  for (const ConvergenceAxis::Level& level : axis.levels) {
    nlohmann::json values;
    for (std::size_t q = 0; q < study.quantities.size(); ++q)
      values[study.quantities[q].name] = level.values[static_cast<Index>(q)];
    numbers["levels"].push_back({{"factor", level.factor}, {"size", level.size}, {"values", values}});
  }
  for (std::size_t q = 0; q < study.quantities.size(); ++q) {
    const ConvergenceEstimate& estimate = axis.estimates[q];
    numbers["quantities"][study.quantities[q].name] = {
        {"trend", name_of(estimate.trend)},
        {"order", estimate.order ? nlohmann::json(*estimate.order) : nlohmann::json()},
        {"limit", finite(estimate.limit)},
        {"error", finite(estimate.error)}};
  }
  return numbers;
}

nlohmann::json numbers_of(const ConvergenceStudy& study) {
  nlohmann::json numbers;
  const VectorXd errors = study.errors();
  for (std::size_t q = 0; q < study.quantities.size(); ++q) {
    const double value = study.values[static_cast<Index>(q)], error = errors[static_cast<Index>(q)];
    numbers[study.quantities[q].name] = {{"value", value},
                                         {"unit", study.quantities[q].unit},
                                         {"error", finite(error)},
                                         {"digits", digits_within(value, error)}};
  }
  return numbers;
}

/// Relative deviations from the estimated limit over the refinement, a panel for each axis.
void draw(const std::filesystem::path& path, const ConvergenceStudy& study) {
  LinePlot plot;
  plot.time_axis = "times as fine as in the file";
  for (const ConvergenceAxis& axis : study.axes) {
    if (axis.estimates.empty()) continue;
    PlotPanel panel{"", "relative deviation by " + axis.name, {}, {{"", 0.0}}};
    const auto n = std::ssize(axis.levels);
    VectorXd factors(n);
    for (Index i = 0; i < n; ++i) factors[i] = axis.levels[static_cast<std::size_t>(i)].factor;
    for (std::size_t q = 0; q < study.quantities.size(); ++q) {
      const ConvergenceEstimate& estimate = axis.estimates[q];
      if (estimate.trend == Trend::independent || estimate.limit == 0.0) continue;
      VectorXd deviation(n);
      for (Index i = 0; i < n; ++i)
        deviation[i] =
            axis.levels[static_cast<std::size_t>(i)].values[static_cast<Index>(q)] / estimate.limit - 1.0;
      panel.curves.push_back({study.quantities[q].name, factors, deviation, factors, deviation});
    }
    if (!panel.curves.empty()) plot.panels.push_back(std::move(panel));
  }
  if (!plot.panels.empty()) write_line_plot(path, plot);
}

void report_axis(const ConvergenceStudy& study, const ConvergenceAxis& axis, Report& report) {
  report["axes"][axis.name] = numbers_of(study, axis);
  if (!axis.left_out.empty()) {
    report.say("{}: left out; {}", axis.name, axis.left_out);
    return;
  }
  for (const std::string& note : axis.notes) report.say("{}: {}", axis.name, note);
  report.show(table_of_levels(study, axis));
  for (std::size_t q = 0; q < study.quantities.size(); ++q) {
    const std::string& name = study.quantities[q].name;
    if (axis.estimates[q].trend == Trend::not_monotone)
      report.say("{} does not converge monotonically by {}: its error is taken as the spread of the values",
                 name, axis.name);
    if (axis.estimates[q].trend == Trend::not_settling)
      report.say("{} does not settle by {}: its changes do not become smaller, and no digit is certain", name,
                 axis.name);
  }
}

}  // namespace

int run_converge(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  require_simulation_problem(read);
  RunDirectory folder = run_directory(args, input_files(args, read));
  // Files of a former run go when the input has proven usable.
  bool has_begun = false;
  const auto tell = [&](const std::string& text) {
    if (!std::exchange(has_begun, true)) folder.begin(), open_log_file(folder / "run.log");
    log_info(text);
  };
  ConvergenceStudy study;
  if (Status s = study_convergence(args, tell, study); s.failed()) {
    folder.finish("failed");
    return fail(s.failure());
  }
  Report report = log_report();
  for (const ConvergenceAxis& axis : study.axes) report_axis(study, axis, report);
  const ReportTable errors = table_of_errors(study);
  report.show(errors);
  report["quantities"] = numbers_of(study);
  write_text_file(folder / "convergence.csv", errors.csv());
  draw(folder / "convergence.png", study);
  write_json(args, report);
  folder.finish("finished");
  report.say("results are in {}", folder.path().string());
  return 0;
}

}  // namespace kurbel
