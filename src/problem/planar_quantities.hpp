/// @file
/// Quantities of planar beams and of joint dampers by their paths in [variables].
#pragma once

#include <string>
#include <vector>

#include "floating_frame/system_quantity.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

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

}  // namespace kurbel
