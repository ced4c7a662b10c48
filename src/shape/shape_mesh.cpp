#include "shape/shape_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "parts/gmsh_reader.hpp"
#include "shape/outline_loops.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using Loop = std::vector<int>;  ///< points of a closed line, the last one before the first

/// A flat shape as a geometry of Gmsh: one surface for each piece.
class FlatGeometry {
 public:
  FlatGeometry(const Boundary& outline, double size)
      : outline_(outline), size_(size), loops_(find_outline_loops(outline, size)) {}

  std::string text() {
    std::string surfaces;
    for (const auto& [piece, loops] : loops_.of_piece) surfaces += surface(piece, loops);
    return "// The outline of a shape, m.\n" + points_ + lines_ + surfaces;
  }

 private:
  using OfPoint = std::size_t;

  double length(int a, int b) const { return (outline_.points.col(a) - outline_.points.col(b)).norm(); }

  /// A node so close to the outline would make elements without a shape.
  bool is_close_to_any(int point, const std::vector<OutlineLoop>& loops) const {
    return std::ranges::any_of(loops, [&](const OutlineLoop& loop) {
      return std::ranges::any_of(loop.points,
                                 [&](int other) { return length(point, other) < close_to(size_); });
    });
  }

  void add_point(int point) {
    if (!is_there_.insert(point).second) return;
    const Vector3d x = outline_.points.col(point);
    points_ += fmt::format("Point({}) = {{{}, {}, 0}};\n", point + 1, x.x(), x.y());
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

  std::string surface(int piece, const std::vector<OutlineLoop>& loops) {
    std::vector<int> numbers;
    for (const OutlineLoop& loop : loops) numbers.push_back(curve_loop(loop.points));
    const int number = ++n_surfaces_;
    std::string text = fmt::format("Plane Surface({}) = {{{}}};\n", number, fmt::join(numbers, ", "));
    const std::set<int> on_lines = is_there_;
    std::vector<int> within;
    for (Index i = 0; i < outline_.points.cols(); ++i) {
      const int point = static_cast<int>(i);
      if (!outline_.is_held[static_cast<OfPoint>(i)] || loops_.piece[static_cast<OfPoint>(i)] != piece ||
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
  OutlineLoops loops_;
  std::set<int> is_there_;  ///< points of the geometry
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

MeshFile mesh_within(const Shape& shape, double size, const std::filesystem::path& scratch,
                     const SizeAt& size_at) {
  const bool is_flat = shape.outline.faces.cols() > 0;
  PartFile part{.path = scratch / (is_flat ? "shape.geo" : "shape.stl"),
                .size = size,
                .order = 2,
                .edges_may_change = true};
  if (shape.crossing) throw ShapeFailure(crossing_message(shape));  // Gmsh may search it without end
  require_gmsh();
  try {
    write_text_file(part.path, is_flat ? FlatGeometry(shape.outline, size).text() : stl_text(shape.surface));
    return read_with_gmsh(part, is_flat ? SizeAt() : size_at);
  } catch (const InputError& error) {
    throw ShapeFailure(fmt::format("\"{}\". Most such shapes have members thinner than two elements. {}",
                                   error.what(), remedy_of(shape)));
  }
}

}  // namespace kurbel
