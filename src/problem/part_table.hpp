/// @file
/// A kind of named parts of a mechanism as a table of its keys (key_table.hpp). A key that is a number of part_numbers()
/// may vary in the range of its row.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/part_numbers.hpp"
#include "problem/key_table.hpp"

namespace kurbel {

template <class Part>
class PartTable : public KeyTable<Part> {
 public:
  /// A check of several keys together, after all are read.
  using Check = std::function<void(const TomlTable& table, const SystemSpec& system, Part& part)>;

  /// @param name   of its definition in the schema
  /// @param title  in sentences: "a spring with a damper"
  PartTable(std::string name, std::string title, std::vector<BoundKey<Part>> keys, Check check = {})
      : KeyTable<Part>(std::move(name), std::move(title), std::move(keys)), check_(std::move(check)) {}

  /// Appends all parts of the input.
  /// @param system  with what has been read of the mechanism
  void read_all(const TomlTable& root, SystemSpec& system) const {
    for (const TomlTable& table : root.table_or_empty(Section<Part>::name).children()) {
      Part part;
      part.name = read_name(table);
      this->read(table, part);
      if (check_) check_(table, system, part);
      (system.*Section<Part>::parts).push_back(std::move(part));
    }
  }

 private:
  Check check_;
};

}  // namespace kurbel
