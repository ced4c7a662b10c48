/// @file
/// Paths of quantities in [variables]: words with dots between them.
#pragma once

#include <string>
#include <vector>

#include "mechanism/part_numbers.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

/// The part of the text up to the next dot; the text is left with what follows.
std::string take_word(std::string& text);

[[noreturn]] void refuse_quantity(const TomlTable& variable, const std::vector<std::string>& allowed);

/// Place of a name.
std::size_t find_name(const TomlTable& variable, const std::string& name,
                      const std::vector<std::string>& names);

/// Place of the one of that name.
template <class Named>
std::size_t find_named(const TomlTable& variable, const std::string& name, const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return find_name(variable, name, names);
}

/// Index of the `component` among these words; 0 if there are none.
int read_component(const TomlTable& variable, Components components);

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
