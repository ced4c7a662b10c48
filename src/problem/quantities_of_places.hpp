/// @file
/// What `quantity` of a table of [variables] names in absolute coordinates; and dampings of joints, in all of them.
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

/// Of points, masses at places, beams (of all elements alike) and joints.
/// @throws InputError with the key `quantity` of the table if there is no such number
VariedQuantity quantity_of_places(const TomlTable& variable, std::string path, const SystemSpec& system);

/// A number of a beam, of one element after the other.
std::vector<VariedQuantity> quantities_of_elements(const TomlTable& variable, std::string path,
                                                   const SystemSpec& system);

/// `damping` of a joint, of the torsion spring that stands for it.
VariedQuantity damping_of(const TomlTable& variable, const JointSpec& joint, const SystemSpec& system);

}  // namespace kurbel
