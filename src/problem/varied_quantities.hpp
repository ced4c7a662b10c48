/// @file
/// Quantities of [variables] by their paths, "springs.left.stiffness": words with dots between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "keys/toml_reader.hpp"
#include "mechanism/part_numbers.hpp"
#include "problem/design_variable.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

/// The part of the text up to the next dot; the text is left with what follows.
std::string take_word(std::string& text);

/// Takes the minus in front of a path away. @return -1 if there was one, else 1
double take_sign(std::string& path);

[[noreturn]] void refuse_quantity(const TomlTable& variable, const std::vector<std::string>& allowed);

/// Place of a name.
std::size_t find_name(const TomlTable& variable, const std::string& name,
                      const std::vector<std::string>& names);

/// Index of the `component` among these words; 0 if there are none.
int read_component(const TomlTable& variable, Components components);

/// A key of the input that may be varied, besides part_numbers(), and the words of its components if it has several. It
/// varies in the range that its row has.
template <class Kind>
struct VariedKey {
  const char* path;  ///< behind the name of the owner
  Kind kind;
  Components components{};
};

/// The key at a path.
/// @param others  what else may be varied there, for the message
/// @throws InputError with the key `quantity` of the table if there is no such key
template <class Kind>
const VariedKey<Kind>& find_key(const TomlTable& variable, std::span<const VariedKey<Kind>> keys,
                                const std::string& path, const std::vector<std::string>& others = {}) {
  std::vector<std::string> allowed;
  for (const VariedKey<Kind>& key : keys) {
    if (key.path == path) return key;
    allowed.emplace_back(key.path);
  }
  allowed.insert(allowed.end(), others.begin(), others.end());
  refuse_quantity(variable, allowed);
}

/// Paths of the dimensions of a section, in the order of BeamSpec::dimensions.
std::vector<std::string> dimensions_of(BeamSpec::Shape shape);

/// The number of the elements, or the edge length of the mesh, at a path behind the name of a flexible body.
/// @param body  its index in Problem::bodies
/// @throws InputError with the key `quantity` of the table if there is no such number, or it cannot vary in this body
ElementQuantity read_element_quantity(const TomlTable& variable, const fem::FlexibleBodySpec& spec,
                                      std::size_t body, const std::string& path);

/// Its value in the file, in the unit of its key.
double value_of(const ElementQuantity& quantity, const fem::FlexibleBodySpec& spec);

/// A number of a mechanism and the range of its key.
struct VariedQuantity {
  SystemQuantity quantity;
  Range range;
};

/// A number of a planar beam, of all its elements alike.
/// @param path  behind the name of the beam
/// @throws InputError with the key `quantity` of the table if there is no such number
VariedQuantity quantity_of_planar_beam(const TomlTable& variable, std::size_t beam, const std::string& path,
                                       const SystemSpec& system);

/// The same number of one element after the other.
std::vector<VariedQuantity> quantities_of_elements(const TomlTable& variable, std::size_t beam,
                                                   const std::string& path, const SystemSpec& system);

/// `damping` of a joint, of the torsion spring that stands for it.
VariedQuantity damping_of(const TomlTable& variable, const JointSpec& joint, const SystemSpec& system);

/// The point at which something stands; nullptr if its place is given by numbers.
const NamedPoint* point_of(const PointUse& use, const SystemSpec& system);

/// True if a marker of a body or of the ground, or a node of a beam, moves with a point.
bool moves_with_point(const MarkerRef& marker, const SystemSpec& system);

/// The numbers that follow a coordinate of a point: of places of beams P itself, of markers x = R0^T (P - r0) in the frame
/// of their body at the start.
/// @param variable  what is refused by its `quantity`
/// @throws InputError if nothing is at the point, or a body is turned such that its markers move along more than one
/// of its axes
std::vector<TiedQuantity> numbers_at(const TomlTable& variable, const NamedPoint& point, int component,
                                     const SystemSpec& system);

/// "joints.NAME.drive...", perhaps with a minus in front of it.
bool is_of_drive(std::string path);

/// The table of a drive whose values vary, or their negatives.
struct VariedTable {
  std::size_t joint = 0, drive = 0;
  double sign = 1.0;
  const TableSpec* table = nullptr;
};

/// Finds the table of "joints.NAME.drive.values" or "joints.NAME.drive.NUMBER.values".
/// @throws InputError if there is no such drive, or it is no table
VariedTable find_table(const TomlTable& variable, std::string path, const SystemSpec& system);

/// Indices of the values that vary among those at these times: of all, unless `times` says which.
std::vector<std::size_t> varied_indices(const TomlTable& variable, const std::vector<double>& times);

}  // namespace kurbel
