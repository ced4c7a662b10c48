#include "output/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "output/plot_axis.hpp"
#include "output/plot_canvas.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

using Eigen::Index;

constexpr std::array<Color, 8> curve_colors = {{{0, 90, 165},
                                                {213, 80, 0},
                                                {0, 140, 100},
                                                {165, 65, 145},
                                                {225, 150, 0},
                                                {75, 165, 220},
                                                {45, 45, 45},
                                                {135, 90, 55}}};
constexpr Color grid_color = {222, 222, 222}, limit_color = {105, 105, 105}, text_color = {30, 30, 30};

constexpr double font = PlotCanvas::font, glyph = PlotCanvas::glyph;
constexpr double normal = 2.0, thick = 3.2;  // lines, pixels
constexpr double value_margin = 0.06;        // above and below the curves, of their extent
constexpr double marker_radius = 6.5;
constexpr double legend_line = 46.0, legend_row = 1.45 * font;
constexpr double narrowest_panel = 0.3 * plot_width;
constexpr double above_panel = 54.0, below_panel = 14.0, right_margin = 40.0;
static_assert(plot_legend_rows ==
              static_cast<std::size_t>((plot_panel_height - above_panel - below_panel) / legend_row));

double n_characters(const std::string& text) {
  return static_cast<double>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Spans all numbers from the least one on.
PlotSpan span_of(const PlotPanel& panel, double least) {
  PlotSpan span;
  const auto include = [&](double y) {
    if (y >= least) span.include(y);
  };
  for (const PlotCurve& curve : panel.curves) {
    for (const double y : curve.y) include(y);
    for (const double y : curve.marker_y) include(y);
  }
  for (const PlotLimit& limit : panel.limits) include(limit.value);
  return span;
}

PlotAxis value_axis(const PlotPanel& panel) {
  const PlotSpan all = span_of(panel, -std::numeric_limits<double>::infinity());
  switch (panel.scale) {
    case PlotPanel::Scale::linear:
      return all.axis(value_margin);
    case PlotPanel::Scale::degrees:
      return all.axis_of_degrees();
    case PlotPanel::Scale::logarithmic:
      break;
  }
  if (all.high <= 0.0) return PlotSpan().logarithmic_axis();
  return span_of(panel, plot_least_share * all.high).logarithmic_axis();
}

PlotAxis time_axis(const LinePlot& plot) {
  PlotSpan span;
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotCurve& curve : panel.curves) {
      for (const double t : curve.t) span.include(t);
      for (const double t : curve.marker_t) span.include(t);
    }
  }
  if (!plot.logarithmic_time) return span.axis(0.0);
  const PlotAxis axis = span.exact_logarithmic_axis();
  const auto is_labelled = [](const PlotTick& tick) { return !tick.label.empty(); };
  return std::ranges::count_if(axis.logarithmic_ticks(), is_labelled) > 1 ? axis : span.axis(0.0);
}

/// A line of which no more than the first, lowest, highest and last point of each column of pixels are kept.
class ThinnedLine {
 public:
  void add(double x, double y) {
    const double column = std::floor(x);
    if (n_in_column_ == 0 || column != column_) {
      close_column();
      column_ = column;
      lowest_ = highest_ = {x, y};
    }
    if (n_in_column_++ == 0) push({x, y});
    if (y < lowest_[1]) lowest_ = {x, y}, low_is_later_ = true;
    if (y > highest_[1]) highest_ = {x, y}, low_is_later_ = false;
    last_ = {x, y};
  }

  void draw_and_clear(const PlotCanvas& canvas) {
    close_column();
    if (xs_.size() == 1) {  // a point alone is a dot
      xs_ = {xs_[0] - 0.5 * thick, xs_[0] + 0.5 * thick};
      ys_.push_back(ys_[0]);
    }
    if (!xs_.empty()) canvas.line(xs_, ys_);
    xs_.clear();
    ys_.clear();
  }

 private:
  using Point = std::array<double, 2>;

  void push(const Point& point) {
    if (!xs_.empty() && xs_.back() == point[0] && ys_.back() == point[1]) return;
    xs_.push_back(point[0]);
    ys_.push_back(point[1]);
  }
  void close_column() {
    if (n_in_column_ > 1) {
      push(low_is_later_ ? highest_ : lowest_);
      push(low_is_later_ ? lowest_ : highest_);
      push(last_);
    }
    n_in_column_ = 0;
    low_is_later_ = false;
  }

  std::vector<double> xs_, ys_;
  double column_ = 0.0;
  Index n_in_column_ = 0;
  Point lowest_ = {}, highest_ = {}, last_ = {};
  bool low_is_later_ = false;
};

void draw_line(const PlotCanvas& canvas, const PlotCurve& curve, const PlotAxis& time,
               const PlotAxis& value) {
  ThinnedLine line;
  for (Index i = 0; i < curve.t.size(); ++i) {
    if (std::isfinite(curve.t[i]) && value.has(curve.y[i])) {
      line.add(time.at(curve.t[i]), value.at(curve.y[i]));
    } else {
      line.draw_and_clear(canvas);
    }
  }
  line.draw_and_clear(canvas);
}

/// Number of the colour of a curve of a panel.
std::size_t color_number(const PlotPanel& panel, std::size_t curve) {
  return panel.curves[curve].color.value_or(curve);
}

const Color& color_of(std::size_t number) {
  return curve_colors[number % curve_colors.size()];
}

/// Curves whose colours are used a second time are dashed.
void curve_pen(const PlotCanvas& canvas, std::size_t number) {
  canvas.pen(color_of(number), thick);
  if (number >= curve_colors.size()) canvas.dashes(9.0, 6.0);
}

void limit_pen(const PlotCanvas& canvas) {
  canvas.pen(limit_color, normal);
  canvas.dashes(14.0, 9.0);
}

void draw_curves(const PlotCanvas& canvas, const PlotPanel& panel, const PlotAxis& time,
                 const PlotAxis& value) {
  limit_pen(canvas);
  for (const PlotLimit& limit : panel.limits) {
    if (!value.has(limit.value)) continue;
    canvas.line({time.first_pixel, time.last_pixel}, {value.at(limit.value), value.at(limit.value)});
  }
  canvas.solid();
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const std::size_t number = color_number(panel, c);
    curve_pen(canvas, number);
    draw_line(canvas, panel.curves[c], time, value);
    canvas.solid();
    const PlotCurve& curve = panel.curves[c];
    for (Index i = 0; i < curve.marker_t.size(); ++i) {
      if (!std::isfinite(curve.marker_t[i]) || !value.has(curve.marker_y[i])) continue;
      canvas.circle(time.at(curve.marker_t[i]), value.at(curve.marker_y[i]), marker_radius, color_of(number));
    }
  }
}

/// The names of a panel, to the right of it, in as many columns as its height asks for.
struct Legend {
  struct Entry {
    std::string name;
    std::size_t color;  ///< number of the curve's colour, or `limit`
    bool marked;
  };
  static constexpr std::size_t limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t rows = plot_legend_rows;

  explicit Legend(const PlotPanel& panel) {
    for (std::size_t c = 0; c < panel.curves.size(); ++c)
      add({panel.curves[c].name, color_number(panel, c), panel.curves[c].marker_t.size() > 0});
    for (const PlotLimit& line : panel.limits) {
      if (std::isfinite(line.value)) add({line.name, limit, false});
    }
  }

  double column_width() const { return legend_line + 2.0 * font + longest_ * glyph; }
  double width() const { return static_cast<double>((entries_.size() + rows - 1) / rows) * column_width(); }

  void draw(const PlotCanvas& canvas, double left, double top) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const double x = left + static_cast<double>(i / rows) * column_width();
      const double y = top - (static_cast<double>(i % rows) + 0.5) * legend_row;
      if (entry.color == limit) {
        limit_pen(canvas);
      } else {
        curve_pen(canvas, entry.color);
      }
      canvas.line({x, x + legend_line}, {y, y});
      canvas.solid();
      if (entry.marked) canvas.circle(x + 0.5 * legend_line, y, marker_radius, color_of(entry.color));
      canvas.pen(text_color, normal);
      canvas.text(x + legend_line + 0.5 * font, y, 0.0, entry.name);
    }
  }

 private:
  void add(Entry entry) {
    if (entry.name.empty()) return;
    longest_ = std::max(longest_, n_characters(typeset(entry.name)));
    entries_.push_back(std::move(entry));
  }
  std::vector<Entry> entries_;
  double longest_ = 0.0;
};

void check(const fs::path& path, const LinePlot& plot) {
  const auto cannot = [&](const std::string& why) {
    return InputError(fmt::format("cannot draw {}: {}", path.string(), why));
  };
  if (plot.panels.empty()) throw cannot("there is no panel");
  if (plot.panels.size() > plot_most_panels)
    throw cannot(fmt::format("{} panels; at most {} fit", plot.panels.size(), plot_most_panels));
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotCurve& curve : panel.curves) {
      if (curve.t.size() != curve.y.size()) {
        throw cannot(
            fmt::format("curve '{}' has {} values at {} times", curve.name, curve.y.size(), curve.t.size()));
      }
      if (curve.marker_t.size() != curve.marker_y.size()) {
        throw cannot(fmt::format("curve '{}' has markers with {} values at {} times", curve.name,
                                 curve.marker_y.size(), curve.marker_t.size()));
      }
    }
  }
  if (!PlotCanvas::is_available())
    throw cannot("PLplot's cairo driver (plplot-driver-cairo) is not installed");
}

RgbImage draw(const LinePlot& plot) {
  std::vector<PlotAxis> values;
  std::vector<Legend> legends;
  double label_length = 0.0, legend_width = 0.0;
  for (const PlotPanel& panel : plot.panels) {
    values.push_back(value_axis(panel));
    legends.emplace_back(panel);
    label_length = std::max(label_length, values.back().label_length());
    legend_width = std::max(legend_width, legends.back().width());
  }
  const double left = 3.2 * font + label_length * glyph;
  PlotAxis time = time_axis(plot);
  time.first_pixel = left;
  time.last_pixel = std::max(left + narrowest_panel, plot_width - right_margin - legend_width);

  const std::size_t n = plot.panels.size();
  const int height = static_cast<int>(n) * plot_panel_height + plot_time_axis_height;
  PlotCanvas canvas(plot_width, height);
  for (std::size_t p = 0; p < n; ++p) {
    const PlotPanel& panel = plot.panels[p];
    PlotAxis& value = values[p];
    const double top = height - static_cast<double>(p) * plot_panel_height - above_panel;
    value.first_pixel = top + above_panel - plot_panel_height + below_panel;
    value.last_pixel = top;
    canvas.axes(time, value, p + 1 == n, grid_color, text_color);
    draw_curves(canvas, panel, time, value);
    legends[p].draw(canvas, time.last_pixel + font, top);
    canvas.pen(text_color, normal);
    canvas.text(0.5 * (time.first_pixel + time.last_pixel), top + font, 0.5, panel.title);
    canvas.text(left, top + font, 0.0, value.factor());
    canvas.text_upwards(1.1 * font, 0.5 * (value.first_pixel + value.last_pixel), panel.axis);
  }
  canvas.text(0.5 * (time.first_pixel + time.last_pixel), font, 0.5, plot.time_axis);
  canvas.text(time.last_pixel, font, 1.0, time.factor());
  return canvas.image();
}

}  // namespace

void write_line_plot(const fs::path& path, const LinePlot& plot) {
  check(path, plot);
  write_png(path, draw(plot));
}

}  // namespace kurbel
