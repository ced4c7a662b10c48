#include "output/density_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "output/plot_canvas.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

using Eigen::Index;

constexpr Color frame_color = {90, 90, 90};
constexpr Color label_color = {20, 20, 20};
constexpr Color material = {25, 30, 38};
constexpr Color negative = {33, 102, 172};
constexpr Color positive = {178, 24, 43};

/// Room around a view, pixels.
constexpr int left_room = 150, below_room = 120, above_room = 30, title_room = 60, right_room = 40;
constexpr int bar_gap = 40, bar_width = 36, bar_room = 190, least_bar = 100, bottom_room = 50;

void check(const fs::path& path, const MeshField& field) {
  const Index n = field.grid.n_cells();
  if (field.values.size() != n)
    throw InputError(
        fmt::format("cannot draw {}: {} values for {} elements", path.string(), field.values.size(), n));
  if (!field.values.allFinite())
    throw InputError(fmt::format("cannot draw {}: a value is not finite", path.string()));
}

/// The values that colours stand for; without `color_of` there is no such bar.
struct ColorBar {
  double low = 0.0, high = 1.0;
  ColorOf color_of{};
};

/// A length of one digit, 1, 2 or 5, of at most a quarter of the extent.
double scale_bar_length(double extent) {
  const double decade = std::pow(10.0, std::floor(std::log10(extent / 4.0)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * decade <= extent / 4.0) return digit * decade;
  }
  return decade;
}

std::string length_text(double metres) {
  if (metres < 1e-3) return fmt::format("{:g} um", metres * 1e6);
  return metres < 1.0 ? fmt::format("{:g} mm", metres * 1e3) : fmt::format("{:g} m", metres);
}

class Picture {
 public:
  Picture(const MeshBox& box, bool is_flat, std::vector<MeshView> views, ColorBar bar, std::string title)
      : box_(box),
        is_flat_(is_flat),
        views_(std::move(views)),
        bar_(std::move(bar)),
        title_(std::move(title)) {
    arrange();
  }

  FieldPicture write(const fs::path& path) const {
    RgbImage image = PlotCanvas::is_available() ? frame() : blank();
    for (std::size_t i = 0; i < views_.size(); ++i) paste(views_[i].image, place_.views[i], image);
    write_png(path, image);
    return place_;
  }

 private:
  /// From below: the first view of three is above the second, and the third beside that.
  void arrange() {
    const auto size = [&](std::size_t i) { return views_[i].image; };
    const bool three = views_.size() == 3;
    const std::size_t low = three ? 1 : 0;
    const int bottom = bottom_room + below_room;
    place_.views.resize(views_.size());
    place_.views[low] = {left_room, bottom, size(low).width, size(low).height};
    place_.width = left_room + size(low).width + right_room;
    place_.height = bottom + size(low).height + above_room;
    if (three) {
      place_.views[2] = {place_.width + left_room, bottom, size(2).width, size(2).height};
      place_.width += left_room + size(2).width + right_room;
      place_.views[0] = {left_room, place_.height + below_room, size(0).width, size(0).height};
      place_.height += below_room + size(0).height + above_room;
    }
    if (bar_.color_of) place_.width += bar_gap + bar_width + bar_room - right_room;
    if (!title_.empty()) place_.height += title_room;
  }

  RgbImage blank() const {
    return {place_.width, place_.height,
            std::vector<Color>(
                static_cast<std::size_t>(place_.width) * static_cast<std::size_t>(place_.height), paper)};
  }

  static void paste(const RgbImage& from, const ViewPlace& at, RgbImage& to) {
    for (int y = 0; y < from.height; ++y) {
      const auto row = from.pixels.begin() + std::ptrdiff_t{y} * from.width;
      std::copy_n(row, from.width, to.pixels.begin() + std::ptrdiff_t{at.bottom + y} * to.width + at.left);
    }
  }

  /// Everything but the views.
  RgbImage frame() const {
    PlotCanvas canvas(place_.width, place_.height);
    for (std::size_t i = 0; i < views_.size(); ++i) draw_axes(canvas, views_[i], place_.views[i]);
    canvas.pen(label_color, 2.0);
    if (!title_.empty()) canvas.text(left_room, place_.height - 0.65 * title_room, 0.0, title_);
    draw_scale_bar(canvas);
    if (bar_.color_of) draw_color_bar(canvas);
    RgbImage image = canvas.image();
    if (bar_.color_of) paint_color_bar(image);
    return image;
  }

  /// Unit of all axes, m, that gives numbers without powers of ten.
  double unit() const { return box_.size.head(is_flat_ ? 2 : 3).maxCoeff() < 2.0 ? 1e-3 : 1.0; }

  /// @param room  that a number needs along it, pixels
  PlotAxis axis(int of, int first, int extent, double room) const {
    const double low = box_.origin[of] / unit(), high = low + box_.size[of] / unit();
    PlotSpan span;
    span.include(low), span.include(high);
    PlotAxis axis = span.axis(0.0);
    axis.step *= axis.unit;
    axis.low = low, axis.high = high;
    axis.first_pixel = first, axis.last_pixel = first + extent;
    while (axis.step < high - low && extent * axis.step / (high - low) < room) axis.step *= 2.0;
    return axis;
  }

  void draw_axes(const PlotCanvas& canvas, const MeshView& view, const ViewPlace& at) const {
    canvas.axes(axis(view.first, at.left, at.width, 110.0), axis(view.second, at.bottom, at.height, 45.0),
                true, paper, frame_color);
    canvas.pen(label_color, 2.0);
    const auto label = [&](int of) { return fmt::format("{} in {}", "xyz"[of], unit() < 1.0 ? "mm" : "m"); };
    canvas.text(at.left + 0.5 * at.width, at.bottom - 0.75 * below_room, 0.5, label(view.first));
    canvas.text_upwards(at.left - 0.8 * left_room, at.bottom + 0.5 * at.height, label(view.second));
  }

  void draw_scale_bar(const PlotCanvas& canvas) const {
    const std::size_t low = views_.size() == 3 ? 1 : 0;
    const ViewPlace& at = place_.views[low];
    const double extent = box_.size[views_[low].first], length = scale_bar_length(extent);
    const double y = 0.8 * bottom_room, right = at.left + at.width, left = right - length / extent * at.width;
    canvas.pen(label_color, 4.0);
    canvas.line({left, right}, {y, y});
    for (const double end : {left, right}) canvas.line({end, end}, {y - 8.0, y + 8.0});
    canvas.text(left - 15.0, y, 1.0, length_text(length));
  }

  /// Beside the first view, down from its top; of slender parts longer than that, so that its numbers are apart.
  ViewPlace bar_place() const {
    const ViewPlace& at = place_.views.front();
    const int height = std::max(at.height, least_bar);
    return {at.left + at.width + bar_gap, at.bottom + at.height - height, bar_width, height};
  }
  void draw_color_bar(const PlotCanvas& canvas) const {
    const ViewPlace at = bar_place();
    const double right = at.left + at.width, top = at.bottom + at.height;
    canvas.pen(frame_color, 1.0);
    canvas.line({double(at.left), right, right, double(at.left), double(at.left)},
                {double(at.bottom), double(at.bottom), top, top, double(at.bottom)});
    canvas.pen(label_color, 2.0);
    const int n = at.height > 200 ? 4 : 2;
    for (int i = 0; i <= n; ++i) {
      const double part = double(i) / n;
      canvas.text(right + 12.0, at.bottom + part * at.height, 0.0,
                  fmt::format("{:.3g}", bar_.low + part * (bar_.high - bar_.low)));
    }
  }
  void paint_color_bar(RgbImage& image) const {
    const ViewPlace at = bar_place();
    RgbImage bar{at.width - 2, at.height - 2, {}};
    for (int y = 0; y < bar.height; ++y) {
      const double value = bar_.low + (bar_.high - bar_.low) * (y + 0.5) / bar.height;
      bar.pixels.insert(bar.pixels.end(), static_cast<std::size_t>(bar.width), bar_.color_of(value));
    }
    paste(bar, {at.left + 1, at.bottom + 1, bar.width, bar.height}, image);
  }

  MeshBox box_;
  bool is_flat_;
  std::vector<MeshView> views_;
  ColorBar bar_;
  std::string title_;
  FieldPicture place_;
};

/// A value that 98 % of the absolute values do not exceed, NaN aside; 1 if that is 0.
double saturation(const MatrixXd& values) {
  std::vector<double> magnitude;
  for (const double value : values.reshaped()) {
    if (!std::isnan(value)) magnitude.push_back(std::abs(value));
  }
  if (magnitude.empty()) return 1.0;
  const auto at =
      magnitude.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(magnitude.size() - 1));
  std::nth_element(magnitude.begin(), at, magnitude.end());
  if (*at > 0.0) return *at;
  const double largest = *std::max_element(at, magnitude.end());
  return largest > 0.0 ? largest : 1.0;
}

FieldPicture write_coloured(const fs::path& path, const MeshField& field, const ValueView& seen, ColorBar bar,
                            const ImageOptions& options) {
  std::vector<MeshView> views = {coloured(seen, bar.color_of)};
  return Picture(box_around(field.grid), field.is_flat(), std::move(views), std::move(bar), options.title)
      .write(path);
}

ValueView seen_values(const MeshField& field, const ImageOptions& options) {
  const std::vector<int> all = {0, 1, 2}, plane = {0, 1};
  return seen_values(field, pixels_per_metre(field.grid, field.is_flat() ? plane : all, options.length));
}

Color grey(double density) {
  return blend(paper, material, std::clamp(density, 0.0, 1.0));
}

}  // namespace

FieldPicture write_density_png(const fs::path& path, const MeshField& density, const ImageOptions& options) {
  check(path, density);
  return write_coloured(path, density, seen_values(density, options), {0.0, 1.0, grey}, options);
}

FieldPicture write_solid_png(const fs::path& path, const Surface& surface, const MeshBox& space,
                             const ImageOptions& options) {
  const double scale = options.length / space.size.maxCoeff();
  const ShownSurface shown = with_normals(surface);
  std::vector<MeshView> views;
  for (const int along : {2, 1, 0}) views.push_back(shaded_view(shown, space, along, scale));
  return Picture(space, false, std::move(views), ColorBar{}, options.title).write(path);
}

FieldPicture write_signed_png(const fs::path& path, const MeshField& field, const ImageOptions& options) {
  check(path, field);
  const ValueView seen = seen_values(field, options);
  const double full = saturation(seen.values);
  const auto color_of = [full](double value) {
    return blend(paper, value < 0.0 ? negative : positive, std::min(1.0, std::abs(value) / full));
  };
  return write_coloured(path, field, seen, {-full, full, color_of}, options);
}

}  // namespace kurbel
