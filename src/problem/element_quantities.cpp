#include "problem/element_quantities.hpp"

#include <fmt/format.h>

#include "problem/readers.hpp"
#include "problem/variable_path.hpp"
#include "problem/varied_keys.hpp"

namespace kurbel {

using Kind = ElementQuantity::Kind;

ElementQuantity read_element_quantity(const TomlTable& variable, const fem::FlexibleBodySpec& spec,
                                      std::size_t body, const std::string& path) {
  const auto& key = varied_keys::find_key(variable, varied_keys::flexible_keys, path, {"initial..."});
  const bool is_size = key.kind == Kind::mesh_size;
  if (key.kind == Kind::thickness && spec.mesh.dim == 3)
    variable.refuse("quantity", "belongs to a rectangle; a box has mesh.size alone");
  if (is_size && spec.geometric_stiffening)
    variable.refuse("quantity", fmt::format("cannot vary with bodies.{}.geometric_stiffening", spec.name));
  ElementQuantity quantity{.kind = key.kind, .body = body};
  if (is_size)
    quantity.axis = read_component(variable, key.components.first(static_cast<std::size_t>(spec.mesh.dim)));
  if (is_size && (spec.frame.type != fem::FrameSpec::Type::tangent || spec.basis != fem::BasisType::normal))
    variable.refuse("quantity", "needs a tangent frame and the normal basis, whose pull-back knows the size");
  if (!is_size) {
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
    case Kind::mesh_size:
      break;
  }
  return spec.mesh.size[quantity.axis];
}

}  // namespace kurbel
