/// @file
/// The kinds of parts that are tables of their keys.
#pragma once

#include <string>
#include <vector>

#include "keys/toml_reader.hpp"
#include "mechanism/system_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

/// A kind of part as the input has it: `[springs.*]`.
struct PartSection {
  Key key;  ///< in the input: its name, and what it is
  const KeyGroup& (*group)();
  void (*read_all)(const TomlTable& root, SystemSpec& system);
  std::vector<std::string> (*names)(const SystemSpec& system);
};

/// Springs, torsion springs and other forces between markers; tyres and masses.
const std::vector<PartSection>& part_sections();

/// Nothing if there is none of that name.
const PartSection* find_part_section(const std::string& name);

}  // namespace kurbel
