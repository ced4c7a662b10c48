#include "problem/element_quantities.hpp"

#include <fmt/format.h>

#include "fem/faces.hpp"
#include "problem/readers.hpp"
#include "problem/variable_path.hpp"
#include "problem/varied_keys.hpp"

namespace kurbel {

using Kind = ElementQuantity::Kind;

namespace {

fem::SurfaceSpec read_surface(const TomlTable& variable, const fem::FlexibleBodySpec& spec) {
  if (variable.has("each_element"))
    variable.refuse("each_element", "has no meaning for a surface, whose nodes move one by one");
  fem::SurfaceSpec surface;
  constexpr double edges = 3.0;
  surface.radius = variable.number_or("radius", edges * fem::mean_edge(*spec.mesh.given), Range::positive());
  const auto read_places = [&](const char* key, std::vector<fem::Place>& places) {
    if (!variable.has(key)) return;
    for (const TomlTable& place : variable.one_or_more(key)) places.push_back(read_place(place, spec.mesh));
  };
  read_places("fixed", surface.fixed);
  read_places("inward", surface.inward);
  return surface;
}

}  // namespace

ElementQuantity read_element_quantity(const TomlTable& variable, const fem::FlexibleBodySpec& spec,
                                      std::size_t body, const std::string& path) {
  const auto& key = varied_keys::find_key(variable, varied_keys::flexible_keys, path, {"initial..."});
  const bool is_size = key.kind == Kind::mesh_size, is_surface = key.kind == Kind::mesh_surface;
  if (key.kind == Kind::thickness && spec.mesh.dim == 3)
    variable.refuse("quantity", "belongs to a rectangle; a box has mesh.size alone");
  if (is_surface && !spec.mesh.given)
    variable.refuse("quantity", "is for a mesh from a file; a box has mesh.size alone");
  if ((is_size || is_surface) && spec.geometric_stiffening)
    variable.refuse("quantity", "cannot vary with bodies.{}.geometric_stiffening", spec.name);
  ElementQuantity quantity{.kind = key.kind, .body = body};
  if (is_size)
    quantity.axis = read_component(variable, key.components.first(static_cast<std::size_t>(spec.mesh.dim)));
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

}  // namespace kurbel
