/// @file
/// Curves over time as a picture, as in [P2, Figs. 3, 5, 6, 8, 9]: one or several panels above one time axis,
/// drawn without a display.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Texts are UTF-8; `_` and `^` before digits set these below and above the line, as in "u_1" and "m/s^2".
struct PlotCurve {
  std::string name;             ///< in the legend; without a name, the curve is not listed there
  VectorXd t, y;                ///< of equal length; the line has a gap where one of them is not finite
  VectorXd marker_t, marker_y;  ///< points drawn as circles in the colour of the curve, as control nodes
  /// Number of its colour, equal for curves of several panels that belong together; none: its number in the panel.
  std::optional<std::size_t> color = std::nullopt;
};

/// A horizontal dashed line.
struct PlotLimit {
  std::string name;    ///< in the legend; without a name, the line is not listed there
  double value = 0.0;  ///< not drawn if not finite
};

struct PlotPanel {
  /// linear: from end to end of curves, markers and limits, with 6 % to spare on either side.
  /// logarithmic: from and to 1, 2 or 5 times a power of ten. Gaps are at numbers that are not positive or less than
  /// 1e-10 of the largest one, beside which they are rounding errors.
  /// degrees: from and to multiples of 45.
  enum class Scale { linear, logarithmic, degrees };

  std::string title;  ///< may be empty
  std::string axis;   ///< quantity and unit at the vertical axis, as "u in N m"
  std::vector<PlotCurve> curves;
  std::vector<PlotLimit> limits;
  Scale scale = Scale::linear;
};

/// The time axis spans all panels. A power of 1000 that is common to the numbers of an axis stands at its end.
/// The legend stands to the right of the panels and leaves them at least 30 % of the width; names that do not
/// fit then are cut off.
struct LinePlot {
  std::vector<PlotPanel> panels;  ///< from above
  std::string time_axis = "t in s";
  bool logarithmic_time = false;  ///< all instants then are positive
};

/// Size of the picture: (plot_width, panels * plot_panel_height + plot_time_axis_height), pixels.
constexpr int plot_width = 1600, plot_panel_height = 480, plot_time_axis_height = 110;
constexpr int plot_most_panels = 50;

/// Least number on a logarithmic axis, relative to the largest one.
constexpr double plot_least_share = 1e-10;

/// Number of names that fit in a column of the legend beside a panel.
constexpr std::size_t plot_legend_rows = 11;

/// Draws with PLplot and writes a .png, atomically. Of many points in a column of pixels only those are
/// drawn that can be seen, so that long histories cost little. Equal plots give equal bytes.
/// @throws InputError if there is no panel or more than plot_most_panels, t and y differ in length, PLplot's
/// cairo driver is not installed, or the file cannot be written
void write_line_plot(const std::filesystem::path& path, const LinePlot& plot);

}  // namespace kurbel
