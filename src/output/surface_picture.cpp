#include "output/surface_picture.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "output/mesh_view.hpp"
#include "output/plot_canvas.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

constexpr int margin = 60;  // around a view, pixels
constexpr Color ink = {20, 20, 20};

/// Colours that neighbours by number tell apart.
Color color_of(int number) {
  static constexpr std::array<Color, 8> colors = {{{141, 180, 226},
                                                   {244, 177, 131},
                                                   {169, 209, 142},
                                                   {255, 217, 102},
                                                   {200, 160, 214},
                                                   {150, 216, 214},
                                                   {240, 150, 150},
                                                   {190, 190, 190}}};
  return colors[static_cast<std::size_t>(number - 1) % colors.size()];
}

/// The corners of a cell in order around it.
std::vector<int> corners_of(const CellBlock& block, Index cell) {
  using Kind = CellBlock::Kind;
  const bool is_line = block.kind == Kind::line || block.kind == Kind::polyline;
  const bool is_triangle = block.kind == Kind::triangle || block.kind == Kind::quadratic_triangle;
  const Index n = is_line ? block.corners.rows() : is_triangle ? 3 : 4;
  return {block.corners.col(cell).data(), block.corners.col(cell).data() + n};
}

/// Calls act(corners, number) for every cell.
template <class Act>
void for_each_cell(const NumberedSurfaces& surfaces, const Act& act) {
  std::size_t number = 0;
  for (const CellBlock& block : surfaces.grid.cells) {
    for (Index c = 0; c < block.corners.cols(); ++c) act(corners_of(block, c), surfaces.numbers[number++]);
  }
}

bool is_plane(const NumberedSurfaces& surfaces) {
  return std::ranges::all_of(surfaces.grid.cells, [](const CellBlock& b) {
    return b.kind == CellBlock::Kind::line || b.kind == CellBlock::Kind::polyline;
  });
}

/// A parallel projection: rows to the right, upwards, and towards the viewer.
Matrix3d looking_against(const Vector3d& towards) {
  Matrix3d view;
  view.row(2) = towards.normalized();
  view.row(0) = Vector3d::UnitZ().cross(towards).normalized();
  view.row(1) = view.row(2).cross(view.row(0));
  return view;
}

/// A view of a solid: pixels, and the surface that each of them shows (0: none).
struct View {
  RgbImage image;
  std::vector<int> numbers;
};

class Painter {
 public:
  Painter(const NumberedSurfaces& surfaces, const Matrix3d& projection, int length)
      : surfaces_(surfaces), points_(projection * surfaces.grid.points) {
    const Vector3d low = points_.rowwise().minCoeff(), size = points_.rowwise().maxCoeff() - low;
    scale_ = length / std::max(size.head<2>().maxCoeff(), std::numeric_limits<double>::min());
    points_ = scale_ * (points_.colwise() - low);
    width_ = std::max(1, static_cast<int>(std::ceil(scale_ * size[0])));
    height_ = std::max(1, static_cast<int>(std::ceil(scale_ * size[1])));
  }

  int width() const { return width_; }
  int height() const { return height_; }
  const MatrixXd& points() const { return points_; }  ///< pixels

  View paint() {
    const auto n = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    view_ = {{width_, height_, std::vector<Color>(n, paper)}, std::vector<int>(n, 0)};
    nearest_.assign(n, -std::numeric_limits<double>::infinity());
    for_each_cell(surfaces_, [&](const std::vector<int>& corners, int number) {
      for (std::size_t k = 2; k < corners.size(); ++k)
        fill(points_.col(corners[0]), points_.col(corners[k - 1]), points_.col(corners[k]), number);
    });
    return std::move(view_);
  }

 private:
  void fill(const Vector3d& a, const Vector3d& b, const Vector3d& c, int number) {
    constexpr double dark = 0.45;
    const Vector3d normal = (b - a).cross(c - a);
    if (normal[2] == 0.0) return;  // seen from its edge
    const Color color =
        blend({0, 0, 0}, color_of(number), dark + (1.0 - dark) * std::abs(normal.normalized()[2]));
    const auto [left, right] = std::minmax({a[0], b[0], c[0]});
    const auto [low, high] = std::minmax({a[1], b[1], c[1]});
    const int last_x = std::min(width_ - 1, static_cast<int>(right)),
              last_y = std::min(height_ - 1, static_cast<int>(high));
    for (int y = std::max(0, static_cast<int>(low)); y <= last_y; ++y) {
      for (int x = std::max(0, static_cast<int>(left)); x <= last_x; ++x) {
        const Vector3d at(x + 0.5, y + 0.5, 0.0);
        const auto weight = [&](const Vector3d& from, const Vector3d& to) {
          return ((to - from).cross(at - from))[2] / normal[2];
        };
        const double of_a = weight(b, c), of_b = weight(c, a), of_c = weight(a, b);
        if (of_a < 0.0 || of_b < 0.0 || of_c < 0.0) continue;
        const double depth = of_a * a[2] + of_b * b[2] + of_c * c[2];
        const auto pixel =
            static_cast<std::size_t>(x) + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
        if (depth <= nearest_[pixel]) continue;
        nearest_[pixel] = depth;
        view_.image.pixels[pixel] = color;
        view_.numbers[pixel] = number;
      }
    }
  }

  const NumberedSurfaces& surfaces_;
  MatrixXd points_;
  double scale_ = 1.0;
  int width_ = 1, height_ = 1;
  View view_;
  std::vector<double> nearest_;
};

/// Labels at the places where each surface is seen best: of the pixels that show it in the view with most of them,
/// the one next to their mean.
std::vector<SurfaceLabel> labels_of(const std::vector<View>& views, const std::vector<int>& left) {
  struct Seen {
    std::size_t n = 0;
    SurfaceLabel label;
  };
  std::map<int, Seen> best;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const int width = views[v].image.width;
    std::map<int, std::vector<Eigen::Vector2d>> pixels;
    for (std::size_t i = 0; i < views[v].numbers.size(); ++i) {
      if (views[v].numbers[i] == 0) continue;
      pixels[views[v].numbers[i]].emplace_back(static_cast<int>(i) % width, static_cast<int>(i) / width);
    }
    for (const auto& [number, places] : pixels) {
      if (places.size() <= best[number].n) continue;
      Eigen::Vector2d mean = Eigen::Vector2d::Zero();
      for (const auto& place : places) mean += place / static_cast<double>(places.size());
      const auto nearest = std::ranges::min_element(
          places, {}, [&](const Eigen::Vector2d& place) { return (place - mean).squaredNorm(); });
      best[number] = {places.size(), {number, left[v] + nearest->x(), margin + nearest->y()}};
    }
  }
  std::vector<SurfaceLabel> labels;
  for (const auto& [number, seen] : best) labels.push_back(seen.label);
  return labels;
}

void draw_numbers(const PlotCanvas& canvas, const std::vector<SurfaceLabel>& labels) {
  for (const SurfaceLabel& label : labels) {
    canvas.circle(label.x, label.y, 22.0, ink);
    canvas.pen(ink, 2.0);
    canvas.text(label.x, label.y, 0.5, std::to_string(label.number));
  }
}

std::vector<SurfaceLabel> draw_plane(const std::filesystem::path& path, const NumberedSurfaces& surfaces,
                                     int length) {
  const Painter painter(surfaces, Matrix3d::Identity(), length);
  const int width = painter.width() + 2 * margin, height = painter.height() + 2 * margin;
  std::map<int, std::vector<Eigen::Vector2d>> middles;
  std::map<int, std::vector<std::array<Eigen::Vector2d, 2>>> lines;
  for_each_cell(surfaces, [&](const std::vector<int>& corners, int number) {
    const Eigen::Vector2d shift(margin, margin);
    for (std::size_t k = 1; k < corners.size(); ++k) {
      const Eigen::Vector2d from = painter.points().col(corners[k - 1]).head<2>() + shift;
      const Eigen::Vector2d to = painter.points().col(corners[k]).head<2>() + shift;
      lines[number].push_back({from, to});
      middles[number].emplace_back(0.5 * (from + to));
    }
  });
  std::vector<SurfaceLabel> labels;
  for (const auto& [number, places] : middles) {
    const Eigen::Vector2d& middle = places[places.size() / 2];
    labels.push_back({number, middle.x(), middle.y()});
  }
  RgbImage image{
      width, height,
      std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper)};
  if (PlotCanvas::is_available()) {
    PlotCanvas canvas(width, height);
    for (const auto& [number, parts] : lines) {
      canvas.pen(blend({0, 0, 0}, color_of(number), 0.8), 5.0);
      for (const auto& [from, to] : parts) canvas.line({from.x(), to.x()}, {from.y(), to.y()});
    }
    draw_numbers(canvas, labels);
    image = canvas.image();
  }
  write_png(path, image);
  return labels;
}

/// Puts a view into the picture, under what is drawn there.
void paste_below(const View& view, int left, const std::vector<SurfaceLabel>& labels, RgbImage& to) {
  constexpr double radius = 24.0;
  for (int y = 0; y < view.image.height; ++y) {
    for (int x = 0; x < view.image.width; ++x) {
      const auto is_near = [&](const SurfaceLabel& label) {
        return std::hypot(label.x - left - x, label.y - margin - y) < radius;
      };
      if (std::ranges::any_of(labels, is_near)) continue;
      to.pixels[static_cast<std::size_t>(margin + y) * static_cast<std::size_t>(to.width) +
                static_cast<std::size_t>(left + x)] =
          view.image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.image.width) +
                            static_cast<std::size_t>(x)];
    }
  }
}

}  // namespace

std::vector<SurfaceLabel> write_surfaces_png(const std::filesystem::path& path,
                                             const NumberedSurfaces& surfaces, int length) {
  if (is_plane(surfaces)) return draw_plane(path, surfaces, length);
  const Vector3d towards(1.0, -1.6, 1.1);
  std::vector<View> views;
  std::vector<int> left;
  int width = margin, height = 0;
  for (const Vector3d& side : {towards, Vector3d(-towards)}) {
    views.push_back(Painter(surfaces, looking_against(side), length).paint());
    left.push_back(width);
    width += views.back().image.width + margin;
    height = std::max(height, views.back().image.height + 2 * margin);
  }
  const std::vector<SurfaceLabel> labels = labels_of(views, left);
  RgbImage image{
      width, height,
      std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper)};
  const bool has_numbers = PlotCanvas::is_available();
  if (has_numbers) {
    PlotCanvas canvas(width, height);
    draw_numbers(canvas, labels);
    image = canvas.image();
  }
  for (std::size_t v = 0; v < views.size(); ++v)
    paste_below(views[v], left[v], has_numbers ? labels : std::vector<SurfaceLabel>{}, image);
  write_png(path, image);
  return labels;
}

}  // namespace kurbel
