#include "app/convergence_plot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

namespace kurbel {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();  ///< a gap in the line

template <class What>
VectorXd column(const std::vector<ConvergencePlot::Iteration>& iterations, const What& what) {
  VectorXd values(std::ssize(iterations));
  for (std::size_t i = 0; i < iterations.size(); ++i)
    values[static_cast<Eigen::Index>(i)] = what(iterations[i]);
  return values;
}

}  // namespace

/// Each constraint has a line, or where they are too many for a legend, the largest one of each iteration.
PlotPanel ConvergencePlot::constraints_panel(const VectorXd& numbers) const {
  std::map<std::string, VectorXd> lines;
  VectorXd largest = VectorXd::Constant(numbers.size(), none);
  for (std::size_t i = 0; i < iterations_.size(); ++i) {
    const auto index = static_cast<Eigen::Index>(i);
    for (const auto& [name, value] : iterations_[i].constraints) {
      lines.try_emplace(name, VectorXd::Constant(numbers.size(), none)).first->second[index] = value;
      largest[index] = std::fmax(largest[index], value);
    }
  }
  PlotPanel panel{"", "constraints, relative", {}, {{"limit", 0.0}}};
  if (lines.size() >= plot_legend_rows) {
    panel.curves.push_back({fmt::format("largest of {}", lines.size()), numbers, largest, {}, {}});
  } else {
    for (const auto& [name, line] : lines) panel.curves.push_back({name, numbers, line, {}, {}});
  }
  return panel;
}

void ConvergencePlot::write(const std::filesystem::path& path) const {
  if (iterations_.size() < 2) return;
  const VectorXd numbers =
      column(iterations_, [](const Iteration& at) { return static_cast<double>(at.number); });
  LinePlot plot;
  plot.time_axis = "iteration";
  const VectorXd objective = column(iterations_, [](const Iteration& at) { return at.objective; });
  plot.panels.push_back(
      {"", unit_.empty() ? "objective" : "objective in " + unit_, {{"", numbers, objective, {}, {}}}, {}});
  if (PlotPanel panel = constraints_panel(numbers); !panel.curves.empty())
    plot.panels.push_back(std::move(panel));
  if (has_densities_) {
    const VectorXd grey = column(iterations_, [](const Iteration& at) { return at.grey_level; });
    plot.panels.push_back({"", "grey level", {{"", numbers, grey, {}, {}}}, {}});
    const VectorXd beta = column(iterations_, [](const Iteration& at) { return at.steepness; });
    if (beta.maxCoeff() > 0.0) plot.panels.push_back({"", "beta", {{"", numbers, beta, {}, {}}}, {}});
  }
  write_line_plot(path, plot);
}

}  // namespace kurbel
