/// @file
/// Quantities of a flexible body by their paths in [variables].
#pragma once

#include <string>

#include "problem/design_variable.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

/// The number of the elements, or the edge length of the mesh, at a path behind the name of the body.
/// @param body  its index in Problem::bodies
/// @throws InputError with the key `quantity` of the table if there is no such number, or it cannot vary in this body
ElementQuantity read_element_quantity(const TomlTable& variable, const fem::FlexibleBodySpec& spec,
                                      std::size_t body, const std::string& path);

/// Its value in the file, in the unit of its key.
double value_of(const ElementQuantity& quantity, const fem::FlexibleBodySpec& spec);

}  // namespace kurbel
