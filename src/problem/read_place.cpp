#include <algorithm>
#include <cmath>

#include "fem/selection.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

/// @param corners  of which the first two are not the same
bool lie_on_a_line(const std::vector<Eigen::Vector2d>& corners) {
  constexpr double rounding = 1e-12;
  const Eigen::Vector2d along = (corners[1] - corners[0]).normalized();
  double longest = 0.0, widest = 0.0;
  for (const Eigen::Vector2d& corner : corners) {
    const Eigen::Vector2d from_first = corner - corners[0];
    longest = std::max(longest, from_first.norm());
    widest = std::max(widest, std::abs(from_first[0] * along[1] - from_first[1] * along[0]));
  }
  return widest <= rounding * longest;
}

/// Reads the keys of places in a body.
class PlaceReader {
 public:
  explicit PlaceReader(const fem::MeshSpec& mesh) : mesh_(mesh), dim_(mesh.dim) {}

  fem::Place read(const TomlTable& table) const {
    std::vector<fem::Place> all;
    if (const auto box = read_box(table)) all.emplace_back(*box);
    if (table.has("cylinder")) all.emplace_back(read_cylinder(table.table("cylinder")));
    if (table.has("sphere")) all.emplace_back(read_sphere(table.table("sphere")));
    if (table.has("half_space")) all.emplace_back(read_half_space(table.table("half_space")));
    if (table.has("polygon")) all.emplace_back(read_polygon(table.table("polygon")));
    if (table.has("set")) all.push_back(existing(table, "set", fem::SetName{table.text("set")}));
    if (table.has("surface"))
      all.push_back(existing(table, "surface", fem::SurfaceNumber{table.integer("surface")}));
    if (table.has("all_of")) all.emplace_back(fem::AllOf{read_list(table, "all_of")});
    if (table.has("any_of")) all.emplace_back(fem::AnyOf{read_list(table, "any_of")});
    if (table.has("not")) all.emplace_back(fem::Not{{read(table.table("not"))}});
    if (all.empty()) {
      for (const Key* key : keys_of(keys::body_place())) {
        if (!table.has(key->name)) table.refuse_misspelling(key->name);
      }
      table.fail("", "has no bounds; give x, y{} as a number or [lower, upper], or a shape or set",
                 dim_ == 3 ? " or z" : "");
    }
    return all.size() == 1 ? all.front() : fem::Place(fem::AllOf{std::move(all)});
  }

 private:
  std::optional<fem::Box> read_box(const TomlTable& table) const {
    constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
    fem::Box box;
    bool is_bounded = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dim_); ++d) {
      if (!table.has(axes[d])) continue;
      is_bounded = true;
      if (!table.is_list(axes[d])) {
        box.lower[d] = box.upper[d] = table.number(axes[d]);
        continue;
      }
      const std::vector<double> ends = table.numbers(axes[d]);
      if (ends[0] > ends[1]) table.refuse(axes[d], "must be [lower, upper]");
      if (std::isfinite(ends[0])) box.lower[d] = ends[0];
      if (std::isfinite(ends[1])) box.upper[d] = ends[1];
    }
    return is_bounded ? std::optional(box) : std::nullopt;
  }

  Vector3d read_direction(const TomlTable& table, const char* key) const {
    const Vector3d direction = read_vector(table, key, dim_);
    if (!(direction.norm() > 0.0)) table.refuse(key, "has no direction");
    return direction;
  }

  void refuse_in_plane(const TomlTable& table, const char* key) const {
    if (dim_ == 2 && table.has(key)) table.refuse(key, "belongs to a solid; this body is plane");
  }

  template <class Shape>
  static void read_radii(const TomlTable& table, Shape& shape) {
    if (!table.is_list("radius")) {
      shape.outer = table.number("radius");
      return;
    }
    const std::vector<double> radii = table.numbers("radius");
    if (radii[0] > radii[1]) table.refuse("radius", "must be [inner, outer]");
    shape.inner = radii[0], shape.outer = radii[1];
  }

  fem::Cylinder read_cylinder(const TomlTable& table) const {
    fem::Cylinder cylinder{.point = read_vector(table, "centre", dim_)};
    read_radii(table, cylinder);
    refuse_in_plane(table, "axis");
    refuse_in_plane(table, "length");
    if (table.has("axis")) cylinder.axis = read_direction(table, "axis");
    if (table.has("length")) {
      const std::vector<double> ends = table.numbers("length");
      if (ends[0] > ends[1]) table.refuse("length", "must be [lower, upper]");
      cylinder.lower = ends[0], cylinder.upper = ends[1];
    }
    return cylinder;
  }

  fem::Sphere read_sphere(const TomlTable& table) const {
    fem::Sphere sphere{.centre = read_vector(table, "centre", dim_)};
    read_radii(table, sphere);
    return sphere;
  }

  fem::HalfSpace read_half_space(const TomlTable& table) const {
    return {read_vector(table, "point", dim_), read_direction(table, "normal")};
  }

  fem::Polygon read_polygon(const TomlTable& table) const {
    fem::Polygon polygon;
    refuse_in_plane(table, "axis");
    polygon.axis = table.choice_or("axis", 2, keys::axis_indices);
    const TomlTable corners = table.list("corners");
    for (std::size_t i = 0; corners.has(std::to_string(i)); ++i) {
      const std::vector<double> corner = corners.numbers(std::to_string(i));
      polygon.corners.emplace_back(corner[0], corner[1]);
      if (i > 0 && polygon.corners[i] == polygon.corners[i - 1])
        corners.refuse(std::to_string(i), "is the same corner as the one before");
    }
    if (polygon.corners.size() > 1 && polygon.corners.front() == polygon.corners.back())
      table.refuse("corners", "must not end with the first corner, to which it returns by itself");
    if (lie_on_a_line(polygon.corners)) table.refuse("corners", "lie on one line, so that nothing is inside");
    return polygon;
  }

  fem::Place existing(const TomlTable& table, const char* key, fem::Place place) const {
    if (!mesh_.given) table.refuse(key, "belongs to a part from a file; a box has bounds along its axes");
    const std::string missing = fem::missing_name(*mesh_.given, place);
    if (!missing.empty()) table.refuse(key, "cannot be used: " + missing);
    return place;
  }

  std::vector<fem::Place> read_list(const TomlTable& table, const char* key) const {
    std::vector<fem::Place> places;
    for (const TomlTable& one : table.one_or_more(key)) places.push_back(read(one));
    if (places.empty()) table.refuse(key, "has no place; give at least one");
    return places;
  }

  const fem::MeshSpec& mesh_;
  int dim_;
};

}  // namespace

Vector3d read_vector(const TomlTable& table, const std::string& key, int dim) {
  const auto n = static_cast<std::size_t>(dim);
  const std::vector<double> values = dim > 0 ? table.numbers(key, n, n) : table.numbers(key);
  Vector3d vector = Vector3d::Zero();
  std::ranges::copy(values, vector.begin());
  return vector;
}

fem::Place read_place(const TomlTable& table, const fem::MeshSpec& mesh) {
  return PlaceReader(mesh).read(table);
}

}  // namespace kurbel
