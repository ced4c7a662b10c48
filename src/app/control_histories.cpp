#include "app/control_histories.hpp"

#include "output/line_plot.hpp"
#include "output/time_table_csv.hpp"

namespace kurbel {

void write_control_histories(const RunDirectory& folder, const std::vector<ControlHistory>& controls,
                             const VectorXd& t, bool picture) {
  std::vector<TimeColumn> columns;
  PlotPanel forces{"", "u in N", {}, {}}, torques{"", "u in N m", {}, {}};
  for (const ControlHistory& control : controls) {
    const ControlGrid& grid = control.grid;
    PlotCurve line{control.name, t, VectorXd(t.size()), VectorXd(grid.n_nodes()), control.nodes};
    for (Eigen::Index k = 0; k < t.size(); ++k) line.y[k] = grid.weights(t[k], k > 0) * control.nodes;
    for (Eigen::Index j = 0; j < grid.n_nodes(); ++j) line.marker_t[j] = grid.node_time(j);
    columns.push_back({control.name, line.y});
    PlotPanel& panel = control.is_torque ? torques : forces;
    panel.curves.push_back(std::move(line));
    for (const double bound : {control.upper, control.lower}) panel.limits.push_back({"", bound});
  }
  write_time_table_csv(folder.control_csv(), t, columns);
  if (!picture) return;
  LinePlot plot;
  for (PlotPanel* panel : {&forces, &torques}) {
    if (!panel->curves.empty()) plot.panels.push_back(std::move(*panel));
  }
  if (!plot.panels.empty()) write_line_plot(folder.control_png(), plot);
}

}  // namespace kurbel
