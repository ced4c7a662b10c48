#include "problem/varied_quantities.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/spelling.hpp"
#include "fem/faces.hpp"
#include "integration/lie_group.hpp"
#include "mechanism/joint_damper.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

namespace {

using Kind = ElementQuantity::Kind;
using System = SystemQuantity::Kind;

const std::vector<VariedKey<Kind>> flexible_keys = {{"material.youngs_modulus", Kind::youngs_modulus},
                                                    {"material.density", Kind::solid_density},
                                                    {"mesh.thickness", Kind::thickness},
                                                    {"mesh.size", Kind::mesh_size, axis_words},
                                                    {"mesh.surface", Kind::mesh_surface}};

/// In the order of PlanarBeamSpec::Quantity.
const std::vector<std::string> planar_beam_keys = {"section.width",  "section.height", "length",
                                                   "youngs_modulus", "poisson_ratio",  "density"};

fem::SurfaceSpec read_surface(const TomlTable& variable, const fem::FlexibleBodySpec& spec) {
  if (variable.has("each_element"))
    variable.refuse("each_element", "has no meaning for a surface, whose nodes move one by one");
  fem::SurfaceSpec surface;
  constexpr double edges = 3.0;
  surface.radius = variable.number_or("radius", edges * fem::mean_edge(*spec.mesh.given), Range::positive());
  if (variable.has("distortion")) surface.distortion = variable.number("distortion", Range::at_least(0.2));
  for (const auto& [key, places] : {std::pair("fixed", &surface.fixed), std::pair("inward", &surface.inward)})
    for (const TomlTable& place : variable.one_or_more(key)) places->push_back(read_place(place, spec.mesh));
  return surface;
}

VariedQuantity quantity_of_all(const TomlTable& variable, std::size_t beam, const std::string& path) {
  const auto key = std::ranges::find(planar_beam_keys, path);
  if (key == planar_beam_keys.end()) refuse_quantity(variable, planar_beam_keys);
  const auto index = static_cast<int>(key - planar_beam_keys.begin());
  return {{System::planar_beam_number, beam, 0, index}, range_of(keys::beam().group(), path)};
}

bool moves(const PointUse& use, const MarkerRef& marker, const SystemSpec& system) {
  const auto is_on_beam = [&] { return system.beams[use.owner].name == marker.body; };
  using Use = PointUse::Kind;
  switch (use.kind) {
    case Use::marker:
      return system.bodies[use.owner].name == marker.body &&
             system.bodies[use.owner].sid.frame[use.part].name == marker.marker;
    case Use::ground_marker:
      return marker.body == "ground" && system.ground[use.owner].name == marker.marker;
    case Use::beam_start:
      return is_on_beam() && marker.marker != "end";
    case Use::beam_end:
      return is_on_beam() && marker.marker != "start";
    case Use::beam_through:
      break;
  }
  return is_on_beam() && marker.marker != "start" && marker.marker != "end";
}

/// The number of the axis of the body along which a marker moves with the point: x_k = sign (P_c - r0_c).
TiedQuantity number_of_marker(const TomlTable& variable, const PointUse& use, int component,
                              const SystemSpec& system) {
  constexpr double rounding = 1e-12;
  const BodySpec& body = system.bodies[use.owner];
  const Matrix3d R = rotation_matrix(exp_quaternion<double>(body.initial.rotation));
  int axis = 0;
  const double share = R.row(component).cwiseAbs().maxCoeff(&axis);
  if (std::abs(share - 1.0) > rounding) {
    variable.refuse("quantity",
                    "moves a marker of {}, which is turned at the start so that {} is along none of "
                    "its axes; give its initial.rotation by quarter turns, with its inertia and "
                    "markers turned instead",
                    body.name, "xyz"[component]);
  }
  const double sign = R(component, axis) > 0.0 ? 1.0 : -1.0;
  return {{System::marker, use.owner, use.part, axis}, sign, -sign * body.initial.position[component]};
}

TiedQuantity number_of(const TomlTable& variable, const PointUse& use, int component,
                       const SystemSpec& system) {
  using Use = PointUse::Kind;
  switch (use.kind) {
    case Use::marker:
      return number_of_marker(variable, use, component, system);
    case Use::ground_marker:
      return {{System::ground_marker, use.owner, 0, component}};
    case Use::beam_start:
      return {SystemQuantity::of<&BeamSpec::start>(use.owner, component)};
    case Use::beam_end:
      return {SystemQuantity::of<&BeamSpec::end>(use.owner, component)};
    case Use::beam_through:
      break;
  }
  return {SystemQuantity::of<&BeamSpec::through>(use.owner, component)};
}

}  // namespace

std::string take_word(std::string& text) {
  const std::size_t dot = text.find('.');
  const std::string word = text.substr(0, dot);
  text = dot == std::string::npos ? "" : text.substr(dot + 1);
  return word;
}

double take_sign(std::string& path) {
  if (!path.starts_with("-")) return 1.0;
  path.erase(0, 1);
  return -1.0;
}

void refuse_quantity(const TomlTable& variable, const std::vector<std::string>& allowed) {
  variable.refuse("quantity", "is nothing that can be varied; allowed here: {}", fmt::join(allowed, ", "));
}

std::size_t find_name(const TomlTable& variable, const std::string& name,
                      const std::vector<std::string>& names) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end())
    variable.refuse("quantity", "names \"{}\", which does not exist{}", name,
                    spelling_advice(name, names, "\""));
  return static_cast<std::size_t>(at - names.begin());
}

int read_component(const TomlTable& variable, Components components) {
  if (components.empty()) return 0;
  const std::vector<std::string> words(components.begin(), components.end());
  return static_cast<int>(std::ranges::find(words, variable.choice_among("component", words)) -
                          words.begin());
}

std::vector<std::string> dimensions_of(BeamSpec::Shape shape) {
  switch (shape) {
    case BeamSpec::Shape::square:
      return {"section.side"};
    case BeamSpec::Shape::rectangle:
      return {"section.width", "section.height"};
    case BeamSpec::Shape::circle:
      return {"section.diameter"};
    case BeamSpec::Shape::tube:
      break;
  }
  return {"section.outer_diameter", "section.inner_diameter"};
}

ElementQuantity read_element_quantity(const TomlTable& variable, const fem::FlexibleBodySpec& spec,
                                      std::size_t body, const std::string& path) {
  const auto& key = find_key<Kind>(variable, flexible_keys, path, {"initial..."});
  const bool is_size = key.kind == Kind::mesh_size, is_surface = key.kind == Kind::mesh_surface;
  if (key.kind == Kind::thickness && spec.mesh.dim == 3)
    variable.refuse("quantity", "belongs to a body in the plane; a solid has mesh.size");
  if (is_surface && !spec.mesh.given)
    variable.refuse("quantity", "is for a mesh from a file; a box has mesh.size alone");
  if ((is_size || is_surface) && spec.geometric_stiffening)
    variable.refuse("quantity", "cannot vary with bodies.{}.geometric_stiffening", spec.name);
  ElementQuantity quantity{.kind = key.kind, .body = body};
  if (is_size)
    quantity.axis = read_component(variable, key.components.first(static_cast<std::size_t>(spec.mesh.dim)));
  if ((is_size || is_surface) && !fem::shape_may_vary(spec) && !spec.is_reduced)
    variable.refuse("quantity", "cannot vary with rigid ties of markers; take tie = \"distributing\"");
  if ((is_size || is_surface) && !fem::shape_may_vary(spec))
    variable.refuse(
        "quantity",
        "needs a tangent frame and the normal basis, whose pull-back knows the shape, and neither rigid "
        "ties nor supports");
  if (is_surface) {
    quantity.each_element = true;
    quantity.surface = read_surface(variable, spec);
  } else if (!is_size) {
    quantity.each_element = variable.boolean_or("each_element", false);
    if (variable.has("elements")) quantity.elements = read_place(variable.table("elements"), spec.mesh);
  }
  return quantity;
}

double value_of(const ElementQuantity& quantity, const fem::FlexibleBodySpec& spec) {
  switch (quantity.kind) {
    case Kind::youngs_modulus:
      return spec.material.youngs_modulus;
    case Kind::solid_density:
      return spec.material.density;
    case Kind::thickness:
      return spec.mesh.thickness;
    case Kind::mesh_surface:
      return 0.0;
    case Kind::mesh_size:
      break;
  }
  return spec.mesh.size[quantity.axis];
}

VariedQuantity quantity_of_planar_beam(const TomlTable& variable, std::size_t beam, const std::string& path,
                                       const SystemSpec& system) {
  const VariedQuantity found = quantity_of_all(variable, beam, path);
  const auto& values = system.planar_beams[beam].elements[static_cast<std::size_t>(found.quantity.component)];
  if (std::ranges::any_of(values, [&](double value) { return value != values.front(); }))
    variable.refuse("quantity", "differs from element to element; set each_element = true");
  return found;
}

std::vector<VariedQuantity> quantities_of_elements(const TomlTable& variable, std::size_t beam,
                                                   const std::string& path, const SystemSpec& system) {
  std::vector<VariedQuantity> all(system.planar_beams[beam].n_elements,
                                  quantity_of_all(variable, beam, path));
  for (std::size_t e = 0; e < all.size(); ++e) all[e].quantity.part = e + 1;
  return all;
}

VariedQuantity damping_of(const TomlTable& variable, const JointSpec& joint, const SystemSpec& system) {
  if (!is_hinge(joint)) variable.refuse("quantity", "belongs to a joint that does not turn about one axis");
  const TorsionSpringSpec* own = find_damper(joint, system);
  if (!own) {
    variable.refuse("quantity", "is not in the file; give joints.{}.damping, from which it varies",
                    joint.name);
  }
  return {SystemQuantity::of<&TorsionSpringSpec::damping>(
              static_cast<std::size_t>(own - system.torsion_springs.data())),
          range_of(keys::joint().group(), "damping")};
}

bool is_of_drive(std::string path) {
  take_sign(path);
  if (take_word(path) != "joints") return false;
  take_word(path);
  return take_word(path) == "drive";
}

VariedTable find_table(const TomlTable& variable, std::string path, const SystemSpec& system) {
  if (!is_of_drive(path)) variable.refuse("quantity", "ties values of a drive with what is no drive");
  VariedTable found{.sign = take_sign(path)};
  take_word(path);
  found.joint = find_name(variable, take_word(path), names_of(system.joints));
  take_word(path);
  const JointSpec& joint = system.joints[found.joint];
  const std::size_t n = joint.drives.size();
  if (n == 0) variable.refuse("quantity", "belongs to a joint without a drive");
  if (path == "values" && n > 1) {
    variable.refuse("quantity", "names one of {} drives; say which: joints.{}.drive.0.values", n, joint.name);
  }
  if (path != "values") {
    const std::string number = take_word(path);
    while (found.drive < n && std::to_string(found.drive) != number) ++found.drive;
    if (found.drive == n || path != "values")
      refuse_quantity(variable, {"joints.NAME.drive.values", "joints.NAME.drive.NUMBER.values"});
  }
  const std::optional<TableSpec>& table = joint.drives[found.drive].table;
  if (!table)
    variable.refuse("quantity", "belongs to a drive that has no values; one of type = \"table\" has");
  if (table->beyond == Beyond::repeat)
    variable.refuse("quantity",
                    "belongs to a table that repeats, whose last value must remain equal to its first");
  found.table = &*table;
  return found;
}

std::vector<std::size_t> varied_indices(const TomlTable& variable, const std::vector<double>& times) {
  std::vector<std::size_t> indices;
  if (!variable.has("times")) {
    indices.resize(times.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  for (const double t : variable.numbers("times")) {
    const auto at = std::ranges::find(times, t);
    if (at == times.end()) {
      variable.refuse("times", "holds {}, which is none of those of the table: {}", t,
                      fmt::join(times, ", "));
    }
    indices.push_back(static_cast<std::size_t>(at - times.begin()));
    if (std::ranges::count(indices, indices.back()) > 1) variable.refuse("times", "holds {} twice", t);
  }
  return indices;
}

const NamedPoint* point_of(const PointUse& use, const SystemSpec& system) {
  for (const NamedPoint& point : system.points) {
    if (std::ranges::find(point.uses, use) != point.uses.end()) return &point;
  }
  return nullptr;
}

bool moves_with_point(const MarkerRef& marker, const SystemSpec& system) {
  return std::ranges::any_of(system.points, [&](const NamedPoint& point) {
    return std::ranges::any_of(point.uses, [&](const PointUse& use) { return moves(use, marker, system); });
  });
}

std::vector<TiedQuantity> numbers_at(const TomlTable& variable, const NamedPoint& point, int component,
                                     const SystemSpec& system) {
  if (point.uses.empty()) {
    variable.refuse("quantity", "moves nothing: no marker and no beam names the point \"{}\"", point.name);
  }
  std::vector<TiedQuantity> numbers;
  for (const PointUse& use : point.uses) numbers.push_back(number_of(variable, use, component, system));
  return numbers;
}

}  // namespace kurbel
