#include "shape/shape_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "parts/gmsh_reader.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using Loop = std::vector<int>;  ///< points of a closed line, the last one before the first

/// Points that the inner triangles of an outline join: for each the smallest number of a point that is joined to it.
std::vector<int> joined_points(const Boundary& outline) {
  std::vector<int> first(static_cast<std::size_t>(outline.points.cols()));
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int>(i);
  const auto root = [&](int i) {
    while (first[static_cast<std::size_t>(i)] != i) i = first[static_cast<std::size_t>(i)];
    return i;
  };
  for (const auto& triangle : outline.inner.colwise()) {
    for (const int corner : triangle) {
      const int a = root(triangle[0]), b = root(corner);
      first[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (int& i : first) i = root(i);
  return first;
}

/// A flat shape as a geometry of Gmsh: one surface for each piece.
class FlatGeometry {
 public:
  FlatGeometry(const Boundary& outline, double size)
      : outline_(outline), size_(size), piece_(joined_points(outline)) {
    find_next();
    while (!next_.empty()) add_loop();
  }

  std::string text() {
    std::string surfaces;
    for (const auto& [piece, loops] : loops_) surfaces += surface(piece, loops);
    return "// The outline of a shape, m.\n" + points_ + lines_ + surfaces;
  }

 private:
  using OfPoint = std::size_t;
  static constexpr double close = 0.4;  ///< of the size
  struct Next {
    int point;
    bool is_cut;
  };

  void find_next() {
    for (Index e = 0; e < outline_.faces.cols(); ++e) {
      const Next next{outline_.faces(1, e), outline_.is_cut[static_cast<std::size_t>(e)]};
      if (!next_.emplace(outline_.faces(0, e), next).second) {
        const Vector3d x = outline_.points.col(outline_.faces(0, e));
        throw InputError(fmt::format(
            "the shape touches itself in a point, ({:.4g}, {:.4g}) m, and cannot be meshed there. Raise "
            "filter.radius, and optimize again",
            x.x(), x.y()));
      }
    }
  }

  void add_loop() {
    Loop loop;
    std::vector<bool> may_go;  // both lines at the point are cuts
    auto next = next_.begin();
    bool is_cut = false;
    while (next != next_.end()) {
      loop.push_back(next->first);
      may_go.push_back(is_cut && next->second.is_cut && !outline_.is_held[static_cast<OfPoint>(next->first)]);
      is_cut = next->second.is_cut;
      const int point = next->second.point;
      next_.erase(next);
      next = next_.find(point);
    }
    loops_[piece_[static_cast<OfPoint>(loop.front())]].push_back(thinned(loop, may_go));
  }

  double length(int a, int b) const { return (outline_.points.col(a) - outline_.points.col(b)).norm(); }

  Loop thinned(const Loop& loop, const std::vector<bool>& may_go) const {
    Loop kept;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::size_t after = (i + 1) % loop.size();
      const bool is_close = (!kept.empty() && length(kept.back(), loop[i]) < close * size_) ||
                            (!may_go[after] && length(loop[i], loop[after]) < close * size_);
      if (!may_go[i] || !is_close) kept.push_back(loop[i]);
    }
    return kept.size() < 3 ? loop : kept;
  }

  /// A node so close to the outline would make elements without a shape.
  bool is_close_to_any(int point, const std::vector<Loop>& loops) const {
    return std::ranges::any_of(loops, [&](const Loop& loop) {
      return std::ranges::any_of(loop, [&](int other) { return length(point, other) < close * size_; });
    });
  }

  void add_point(int point) {
    if (!is_there_.insert(point).second) return;
    const Vector3d x = outline_.points.col(point);
    points_ += fmt::format("Point({}) = {{{}, {}, 0}};\n", point + 1, x.x(), x.y());
  }

  /// Twice the signed area within.
  double area(const Loop& loop) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vector3d a = outline_.points.col(loop[i]), b = outline_.points.col(loop[(i + 1) % loop.size()]);
      sum += a.x() * b.y() - a.y() * b.x();
    }
    return sum;
  }

  /// The lines of a loop, which Gmsh does not divide.
  int curve_loop(const Loop& loop) {
    std::vector<int> lines;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      add_point(loop[i]);
      lines.push_back(++n_lines_);
    }
    for (std::size_t i = 0; i < loop.size(); ++i)
      lines_ +=
          fmt::format("Line({}) = {{{}, {}}};\n", lines[i], loop[i] + 1, loop[(i + 1) % loop.size()] + 1);
    lines_ += fmt::format("Transfinite Curve {{{}:{}}} = 2;\n", lines.front(), lines.back());
    lines_ += fmt::format("Curve Loop({}) = {{{}:{}}};\n", ++n_loops_, lines.front(), lines.back());
    return n_loops_;
  }

  std::string surface(int piece, std::vector<Loop> loops) {
    std::ranges::sort(loops, [&](const Loop& a, const Loop& b) { return area(a) > area(b); });
    std::vector<int> numbers;
    for (const Loop& loop : loops) numbers.push_back(curve_loop(loop));
    const int number = ++n_surfaces_;
    std::string text = fmt::format("Plane Surface({}) = {{{}}};\n", number, fmt::join(numbers, ", "));
    const std::set<int> on_lines = is_there_;
    std::vector<int> within;
    for (Index i = 0; i < outline_.points.cols(); ++i) {
      const int point = static_cast<int>(i);
      if (!outline_.is_held[static_cast<OfPoint>(i)] || piece_[static_cast<OfPoint>(i)] != piece ||
          on_lines.contains(point) || is_close_to_any(point, loops))
        continue;
      add_point(point);
      within.push_back(point + 1);
    }
    if (!within.empty())
      text += fmt::format("Point {{{}}} In Surface {{{}}};\n", fmt::join(within, ", "), number);
    return text;
  }

  const Boundary& outline_;
  double size_;
  std::vector<int> piece_;
  std::map<int, Next> next_;
  std::map<int, std::vector<Loop>> loops_;  ///< by piece
  std::set<int> is_there_;                  ///< points of the geometry
  int n_lines_ = 0, n_loops_ = 0, n_surfaces_ = 0;
  std::string points_, lines_;
};

/// Triangles as text, with all digits, which an STL file of the workshop does not have.
std::string stl_text(const Surface& surface) {
  std::string text = "solid shape\n";
  for (const auto& triangle : surface.triangles.colwise()) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : triangle) {
      const Vector3d x = surface.points.col(corner);
      text += fmt::format("vertex {} {} {}\n", x.x(), x.y(), x.z());
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid shape\n";
}

}  // namespace

MeshFile mesh_within(const Shape& shape, double size, const std::filesystem::path& scratch) {
  const bool is_flat = shape.outline.faces.cols() > 0;
  PartFile part{.path = scratch / (is_flat ? "shape.geo" : "shape.stl"), .size = size, .order = 2};
  write_text_file(part.path, is_flat ? FlatGeometry(shape.outline, size).text() : stl_text(shape.surface));
  return read_with_gmsh(part);
}

}  // namespace kurbel
