#include "output/surface_picture.hpp"

#include <vtkQuadraticQuad.h>
#include <vtkQuadraticTriangle.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

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

/// Calls act(corners, number) for every cell.
template <class Act>
void for_each_cell(const NumberedSurfaces& surfaces, const Act& act) {
  std::size_t number = 0;
  for (const CellBlock& block : surfaces.grid.cells) {
    for (Index c = 0; c < block.corners.cols(); ++c) act(block, c, surfaces.numbers[number++]);
  }
}

constexpr int n_parts = 4;  // into which an edge of a quadratic face is divided

/// The point of a quadratic face with the nodes `x` (3 x n) at natural coordinates in [0, 1].
template <class Cell>
Vector3d point_of(const MatrixXd& x, double r, double s) {
  const std::array<double, 3> at = {r, s, 0.0};
  VectorXd weights(x.cols());
  Cell::InterpolationFunctions(at.data(), weights.data());
  return x * weights;
}

/// The points along a line through its nodes, in order; three are those of a parabola, which is divided.
MatrixXd points_of_line(const MatrixXd& nodes) {
  if (nodes.cols() != 3) return nodes;
  MatrixXd points(nodes.rows(), n_parts + 1);
  for (int i = 0; i <= n_parts; ++i) {
    const double t = static_cast<double>(i) / n_parts;
    points.col(i) = nodes * Vector3d((1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1));
  }
  return points;
}

/// Calls act(a, b, c) for the flat triangles that draw a face with the nodes `x` (3 x n): a curved one is divided.
template <class Act>
void for_each_triangle(CellBlock::Kind kind, const MatrixXd& x, const Act& act) {
  using Kind = CellBlock::Kind;
  const auto part = [](int i) { return static_cast<double>(i) / n_parts; };
  if (kind == Kind::quadratic_triangle) {
    const auto at = [&](int i, int j) { return point_of<vtkQuadraticTriangle>(x, part(i), part(j)); };
    for (int i = 0; i < n_parts; ++i) {
      for (int j = 0; i + j < n_parts; ++j) {
        act(at(i, j), at(i + 1, j), at(i, j + 1));
        if (i + j + 1 < n_parts) act(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
    }
  } else if (kind == Kind::quadratic_quadrilateral) {
    const auto at = [&](int i, int j) { return point_of<vtkQuadraticQuad>(x, part(i), part(j)); };
    for (int i = 0; i < n_parts; ++i) {
      for (int j = 0; j < n_parts; ++j) {
        act(at(i, j), at(i + 1, j), at(i + 1, j + 1));
        act(at(i, j), at(i + 1, j + 1), at(i, j + 1));
      }
    }
  } else {
    for (Index k = 2; k < x.cols(); ++k) act(x.col(0), x.col(k - 1), x.col(k));
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
    Eigen::AlignedBox3d box;  // curved faces may extend beyond their nodes
    for (Index i = 0; i < points_.cols(); ++i) box.extend(Vector3d(points_.col(i)));
    for_each_cell(surfaces_, [&](const CellBlock& block, Index cell, int) {
      for_each_triangle(block.kind, points_(Eigen::all, block.corners.col(cell)),
                        [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
                          box.extend(a).extend(b).extend(c);
                        });
    });
    const Vector3d low = box.min(), size = box.sizes();
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
    for_each_cell(surfaces_, [&](const CellBlock& block, Index cell, int number) {
      const MatrixXd nodes = points_(Eigen::all, block.corners.col(cell));
      for_each_triangle(block.kind, nodes, [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
        fill(a, b, c, number);
      });
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

/// Distance of each pixel from the next one that shows something else: 3 along rows and columns, 4 along diagonals.
std::vector<int> depths_of(const View& view) {
  const int width = view.image.width, height = view.image.height;
  const auto index = [&](int x, int y) {
    return static_cast<std::size_t>(x) + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  };
  std::vector<int> depths(view.numbers.size(), std::numeric_limits<int>::max());
  const auto pass = [&](int x, int y, int sign) {
    const std::size_t own = index(x, y);
    for (const auto& [dx, dy, step] : {std::array{-1, 0, 3}, {-1, -1, 4}, {0, -1, 3}, {1, -1, 4}}) {
      const int at_x = x + sign * dx, at_y = y + sign * dy;
      const bool is_inside = at_x >= 0 && at_x < width && at_y >= 0 && at_y < height &&
                             view.numbers[index(at_x, at_y)] == view.numbers[own];
      depths[own] = std::min(depths[own], step + (is_inside ? depths[index(at_x, at_y)] : 0));
    }
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) pass(x, y, 1);
  }
  for (int y = height - 1; y >= 0; --y) {
    for (int x = width - 1; x >= 0; --x) pass(x, y, -1);
  }
  return depths;
}

/// Labels at the places where each surface is seen best: in the view with most of its pixels, the one farthest from all
/// that shows something else.
std::vector<SurfaceLabel> labels_of(const std::vector<View>& views, const std::vector<int>& left) {
  struct Seen {
    std::size_t n = 0, deepest = 0;
    int depth = 0;
  };
  std::map<int, std::pair<std::size_t, SurfaceLabel>> best;  // by surface: pixels, label
  for (std::size_t v = 0; v < views.size(); ++v) {
    const int width = views[v].image.width;
    const std::vector<int> depths = depths_of(views[v]);
    std::map<int, Seen> seen;
    for (std::size_t i = 0; i < depths.size(); ++i) {
      if (views[v].numbers[i] == 0) continue;
      Seen& one = seen[views[v].numbers[i]];
      ++one.n;
      if (depths[i] > one.depth) one.depth = depths[i], one.deepest = i;
    }
    for (const auto& [number, one] : seen) {
      if (one.n <= best[number].first) continue;
      const int pixel = static_cast<int>(one.deepest);
      best[number] = {one.n, {number, left[v] + 0.5 + pixel % width, margin + 0.5 + pixel / width}};
    }
  }
  std::vector<SurfaceLabel> labels;
  for (const auto& [number, one] : best) labels.push_back(one.second);
  return labels;
}

void draw_numbers(const PlotCanvas& canvas, const std::vector<SurfaceLabel>& labels) {
  for (const SurfaceLabel& label : labels) {
    canvas.circle(label.x, label.y, 22.0, ink);
    canvas.pen(ink, 2.0);
    canvas.text(label.x, label.y, 0.5, std::to_string(label.number));
  }
}

constexpr double line_height = 1.6 * PlotCanvas::font;

/// Texts side by side in lines that fit a picture of a width; a text that alone is longer is divided at blanks.
std::vector<std::string> lines_of(const std::vector<std::string>& texts, int width) {
  const auto most = static_cast<std::size_t>(std::max(1.0, (width - 2 * margin) / PlotCanvas::glyph));
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    std::istringstream words(text);
    bool is_first = true;
    for (std::string word; words >> word; is_first = false) {
      const std::string gap = is_first ? "    " : " ";
      if (lines.empty() || lines.back().size() + gap.size() + word.size() > most)
        lines.push_back(word);
      else
        lines.back() += gap + word;
    }
  }
  return lines;
}

/// What the lines of a legend add to the height of a picture.
int height_of(const std::vector<std::string>& lines) {
  return static_cast<int>(std::ceil(line_height * static_cast<double>(lines.size())));
}

/// Writes a legend at the upper edge of a picture.
void draw_legend(const PlotCanvas& canvas, const std::vector<std::string>& lines, int height) {
  canvas.pen(ink, 2.0);
  for (std::size_t i = 0; i < lines.size(); ++i)
    canvas.text(margin, height - line_height * (static_cast<double>(i) + 0.8), 0.0, lines[i]);
}

std::vector<SurfaceLabel> draw_plane(const std::filesystem::path& path, const NumberedSurfaces& surfaces,
                                     int length) {
  const Painter painter(surfaces, Matrix3d::Identity(), length);
  const int width = painter.width() + 2 * margin;
  const std::vector<std::string> legend = lines_of(surfaces.legend, width);
  const int height = painter.height() + 2 * margin + height_of(legend);
  std::map<int, std::vector<Eigen::Vector2d>> middles;
  std::map<int, std::vector<std::array<Eigen::Vector2d, 2>>> lines;
  for_each_cell(surfaces, [&](const CellBlock& block, Index cell, int number) {
    const Eigen::Vector2d shift(margin, margin);
    const MatrixXd x = points_of_line(painter.points()(Eigen::all, block.corners.col(cell)));
    for (Index k = 1; k < x.cols(); ++k) {
      lines[number].push_back({x.col(k - 1).head<2>() + shift, x.col(k).head<2>() + shift});
      middles[number].emplace_back(0.5 * (x.col(k - 1) + x.col(k)).head<2>() + shift);
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
    draw_legend(canvas, legend, height);
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
  const std::vector<std::string> legend = lines_of(surfaces.legend, width);
  height += height_of(legend);
  RgbImage image{
      width, height,
      std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper)};
  const bool has_numbers = PlotCanvas::is_available();
  if (has_numbers) {
    PlotCanvas canvas(width, height);
    draw_numbers(canvas, labels);
    draw_legend(canvas, legend, height);
    image = canvas.image();
  }
  for (std::size_t v = 0; v < views.size(); ++v)
    paste_below(views[v], left[v], has_numbers ? labels : std::vector<SurfaceLabel>{}, image);
  write_png(path, image);
  return labels;
}

}  // namespace kurbel
