/// @file
/// A kind of part as a table: its keys, each bound to the member of the specification that it sets.
///
///     number("stiffness", &SpringSpec::stiffness, not_negative, "N/m", "force by length")
///
/// From the rows follow the reader and the rows of schema and reference; a default is what the specification has. A key
/// that is a number of part_numbers() may vary in the range of its row.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/part_numbers.hpp"
#include "problem/keys.hpp"
#include "problem/readers.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

/// A key with what it sets.
template <class Part>
struct PartKey {
  Key key;
  std::function<void(const TomlTable& table, Part& part)> read;
  std::string why_not{};  ///< behind "has no meaning for law = "linear", ", where its condition does not hold

  PartKey when(std::string other, std::vector<std::string> words, std::string reason = {}) && {
    why_not = std::move(reason);
    key.conditions.push_back({std::move(other), std::move(words)});
    return std::move(*this);
  }
  PartKey by_case() && { return key.in_cases = true, std::move(*this); }
  PartKey in_place_of(std::vector<std::string> keys) && {
    return key.replaces = std::move(keys), std::move(*this);
  }
};

template <class Part>
class PartTable {
 public:
  using Spec = Part;
  /// A check of several keys together, after all are read.
  using Check = std::function<void(const TomlTable& table, const SystemSpec& system, Part& part)>;

  /// @param name   of its definition in the schema
  /// @param title  in sentences: "a spring with a damper"
  PartTable(std::string name, std::string title, std::vector<PartKey<Part>> keys, Check check = {})
      : group_{std::move(name), std::move(title)}, keys_(std::move(keys)), check_(std::move(check)) {
    for (const PartKey<Part>& key : keys_) group_.keys.push_back(key.key);
  }

  const KeyGroup& group() const { return group_; }

  /// One part.
  /// @param system  what has been read of the mechanism
  Part read(const TomlTable& table, const SystemSpec& system) const {
    Part part;
    part.name = read_name(table);
    for (const PartKey<Part>& key : keys_) {
      if (table.applies(key.key)) key.read(table, part);
    }
    for (const PartKey<Part>& key : keys_) refuse_where_it_does_not_apply(table, key);
    if (check_) check_(table, system, part);
    return part;
  }

  /// Appends all parts of the input.
  void read_all(const TomlTable& root, SystemSpec& system) const {
    for (const TomlTable& table : root.table_or_empty(Section<Part>::name).children())
      (system.*Section<Part>::parts).push_back(read(table, system));
  }

 private:
  void refuse_where_it_does_not_apply(const TomlTable& table, const PartKey<Part>& key) const {
    const auto has_its_name = [&](const PartKey<Part>& other) {
      return other.key.name == key.key.name && table.applies(other.key);
    };
    if (!table.has(key.key.name) || std::ranges::any_of(keys_, has_its_name)) return;
    const std::string& word = key.key.conditions.front().key;
    table.refuse(key.key.name, fmt::format("has no meaning for {} = \"{}\"{}{}", word, table.text(word),
                                           key.why_not.empty() ? "" : ", ", key.why_not));
  }

  KeyGroup group_;
  std::vector<PartKey<Part>> keys_;
  Check check_;
};

/// The functions that make rows of parts.
namespace part_keys {

using keys::any, keys::at_least, keys::not_negative, keys::positive;

/// Its default is that of the member.
template <class Part>
PartKey<Part> number(const char* name, double Part::*member, const Range& range, const char* unit,
                     const char* meaning) {
  return {{name, keys::number(range), unit, keys::defaults(Part{}.*member), meaning},
          [=](const TomlTable& table, Part& part) { part.*member = table.number_or(name, part.*member); }};
}

template <class Part>
PartKey<Part> required_number(const char* name, double Part::*member, const Range& range, const char* unit,
                              const char* meaning) {
  return {{name, keys::number(range), unit, keys::required, meaning},
          [=](const TomlTable& table, Part& part) { part.*member = table.number(name); }};
}

/// A key without a default. `absent` says what holds without it.
template <class Part, class Number>
PartKey<Part> given_number(const char* name, Number Part::*member, const Range& range, const char* unit,
                           const Presence& absent, const char* meaning) {
  return {{name, keys::number(range), unit, absent, meaning}, [=](const TomlTable& table, Part& part) {
            if (table.has(name)) part.*member = table.number(name);
          }};
}

template <class Part>
PartKey<Part> marker(const char* name, MarkerRef Part::*member, const char* meaning) {
  return {{name, keys::text(), "", keys::required, meaning},
          [=](const TomlTable& table, Part& part) { part.*member = read_marker_ref(table, name); }};
}

template <class Part>
PartKey<Part> text(const char* name, std::string Part::*member, const char* meaning) {
  return {{name, keys::text(), "", keys::required, meaning},
          [=](const TomlTable& table, Part& part) { part.*member = table.text(name); }};
}

/// One of some words, each with its value. The default is that of the member.
template <class Part, class Value>
PartKey<Part> word(const char* name, Value Part::*member,
                   const std::vector<std::pair<std::string, Value>>& words, const char* meaning) {
  std::vector<std::string> all;
  std::string usual;
  for (const auto& [word, value] : words) {
    all.push_back(word);
    if (value == Part{}.*member) usual = word;
  }
  return {
      {name, keys::word(all), "", keys::defaults(usual.c_str()), meaning},
      [=](const TomlTable& table, Part& part) { part.*member = table.choice_or(name, part.*member, words); }};
}

}  // namespace part_keys

}  // namespace kurbel
