/// @file
/// A kind of table with the specification that it fills: its keys, each bound to the member that it sets.
///
///     number("eta", &ProjectionOptions::eta, open(0.0, 1.0), "", "density of the step")
///
/// From the rows follow the reader and the rows of schema and reference. What is absent keeps the value of the
/// specification: where a row does not say how that comes, it is the default of the member, which schema and reference
/// then state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "keys/keys.hpp"
#include "keys/toml_reader.hpp"

namespace kurbel {

/// A key with what it sets.
template <class Spec>
struct BoundKey {
  using Read = std::function<void(const TomlTable& table, Spec& spec)>;

  /// @param set  none: the reader of the section reads it, as several members or other tables decide together
  BoundKey(Key row, Read set = {}) : key(std::move(row)), read(std::move(set)) {}  // NOLINT: rows are keys

  Key key;
  Read read;

  BoundKey when(std::string other, std::vector<std::string> words, std::string reason = {}) && {
    key = std::move(key).when(std::move(other), std::move(words), std::move(reason));
    return std::move(*this);
  }
  BoundKey by_case() && { return key.in_cases = true, std::move(*this); }
  BoundKey in_place_of(std::vector<std::string> keys) && {
    return key.replaces = std::move(keys), std::move(*this);
  }
};

template <class Spec_>
class KeyTable {
 public:
  using Spec = Spec_;

  /// @param name   of its definition in the schema
  /// @param title  in sentences: "a spring with a damper"
  /// @param base   keys that it has besides, which are read by themselves
  /// @param hints  as of KeyGroup
  KeyTable(std::string name, std::string title, std::vector<BoundKey<Spec>> keys,
           const KeyGroup& (*base)() = nullptr, KeyGroup::Hints hints = {})
      : group_{std::move(name), std::move(title), {}, base, std::move(hints)}, keys_(std::move(keys)) {
    for (const BoundKey<Spec>& key : keys_) group_.keys.push_back(key.key);
  }

  const KeyGroup& group() const { return group_; }
  const std::vector<BoundKey<Spec>>& keys() const { return keys_; }

  /// Sets what the keys are bound to, in their order. Keys whose conditions do not hold are not looked at.
  void read(const TomlTable& table, Spec& spec) const {
    for (const BoundKey<Spec>& key : keys_) {
      if (key.read && table.applies(key.key)) key.read(table, spec);
    }
  }
  Spec read(const TomlTable& table) const {
    Spec spec;
    return read(table, spec), spec;
  }

 private:
  KeyGroup group_;
  std::vector<BoundKey<Spec>> keys_;
};

/// The functions that make rows with members; a row that is a Key alone is not bound.
namespace keys {

/// The value of a key, by the type of the member. A type of other folders has a specialization there.
template <class Value>
struct ValueOf {
  static Value read(const TomlTable& table, const std::string& key) {
    if constexpr (std::is_same_v<Value, double>) return table.number(key);
    if constexpr (std::is_same_v<Value, int>) return table.integer(key);
    if constexpr (std::is_same_v<Value, std::string>) return table.text(key);
    if constexpr (std::is_same_v<Value, Vector3d>) return table.vector3(key);
    if constexpr (std::is_same_v<Value, std::vector<double>>) return table.numbers(key);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) return table.texts(key);
    if constexpr (std::is_same_v<Value, VectorXd>) {
      const std::vector<double> values = table.numbers(key);
      return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
    }
  }
  static Value read_or(const TomlTable& table, const std::string& key, const Value& absent) {
    if constexpr (std::is_same_v<Value, double>) return table.number_or(key, absent);
    if constexpr (std::is_same_v<Value, int>) return table.integer_or(key, absent);
    if constexpr (std::is_same_v<Value, bool>) return table.boolean_or(key, absent);
    if constexpr (std::is_same_v<Value, std::string>) return table.text_or(key, absent);
    if constexpr (std::is_same_v<Value, Vector3d>) return table.vector3_or(key, absent);
  }
};
template <class Value>
struct ValueOf<std::optional<Value>> : ValueOf<Value> {};

inline Presence default_of(const std::string& value) {
  return defaults(value.c_str());
}
inline Presence default_of(const Vector3d& value) {
  return defaults(std::vector<double>(value.begin(), value.end()));
}
template <class Value>
Presence default_of(const Value& value) {
  return defaults(value);
}

/// Without the key the default of the member holds.
template <class Spec, class Value>
BoundKey<Spec> key(std::string name, Value Spec::*member, Forms forms, std::string unit,
                   std::string meaning) {
  return {{name, std::move(forms), std::move(unit), default_of(Spec{}.*member), std::move(meaning)},
          [=](const TomlTable& table, Spec& spec) {
            spec.*member = ValueOf<Value>::read_or(table, name, spec.*member);
          }};
}

/// @param absent  says what holds without the key; the member keeps its value
template <class Spec, class Value>
BoundKey<Spec> key(std::string name, Value Spec::*member, Forms forms, std::string unit, Presence absent,
                   std::string meaning) {
  const bool required = absent.kind == Presence::Kind::required;
  return {{name, std::move(forms), std::move(unit), std::move(absent), std::move(meaning)},
          [=](const TomlTable& table, Spec& spec) {
            if (required || table.has(name)) spec.*member = ValueOf<Value>::read(table, name);
          }};
}

template <class Spec, class Value, class... Absent>
BoundKey<Spec> number(std::string name, Value Spec::*member, const Range& range, std::string unit,
                      Absent... absent_and_meaning) {
  return key(std::move(name), member, number(range), std::move(unit), std::move(absent_and_meaning)...);
}

template <class Spec, class... Absent>
BoundKey<Spec> integer(std::string name, int Spec::*member, const Range& range, std::string unit,
                       Absent... absent_and_meaning) {
  return key(std::move(name), member, integer(range), std::move(unit), std::move(absent_and_meaning)...);
}

template <class Spec>
BoundKey<Spec> boolean(std::string name, bool Spec::*member, std::string meaning) {
  return key(std::move(name), member, boolean(), "", std::move(meaning));
}

/// Text; it is required.
template <class Spec>
BoundKey<Spec> text(std::string name, std::string Spec::*member, std::string meaning) {
  return key(std::move(name), member, text(), "", required, std::move(meaning));
}

template <class Value>
using Words = TomlTable::Words<std::type_identity_t<Value>>;

/// One of some words, each with its value. Without the key the default of the member holds.
template <class Spec, class Value>
BoundKey<Spec> word(std::string name, Value Spec::*member, const Words<Value>& words, std::string meaning) {
  std::string usual;
  for (const auto& [word, value] : words) {
    if (value == Spec{}.*member) usual = word;
  }
  return {
      {name, word(TomlTable::names_of(words)), "", default_of(usual), std::move(meaning)},
      [=](const TomlTable& table, Spec& spec) { spec.*member = table.choice_or(name, spec.*member, words); }};
}

/// The same of a member that is the word itself.
template <class Spec>
BoundKey<Spec> word(std::string name, std::string Spec::*member, const std::vector<std::string>& words,
                    std::string meaning) {
  return {
      {name, word(words), "", default_of(Spec{}.*member), std::move(meaning)},
      [=](const TomlTable& table, Spec& spec) { spec.*member = table.choice_or(name, spec.*member, words); }};
}

/// @param absent  says what holds without the key; the member keeps its value
template <class Spec, class Value>
BoundKey<Spec> word(std::string name, Value Spec::*member, const Words<Value>& words, Presence absent,
                    std::string meaning) {
  const bool required = absent.kind == Presence::Kind::required;
  return {{name, word(TomlTable::names_of(words)), "", std::move(absent), std::move(meaning)},
          [=](const TomlTable& table, Spec& spec) {
            if (required || table.has(name)) spec.*member = table.choice(name, words);
          }};
}

/// The keys of a table whose rows are bound.
template <auto make>
const KeyGroup& group_of() {
  return make().group();
}
template <auto make>
Forms table() {
  return table(&group_of<make>);
}
template <auto make>
Forms one_or_more() {
  return one_or_more(&group_of<make>);
}
template <auto make>
Forms names() {
  return names(&group_of<make>);
}

/// A table whose keys are bound to the same specification.
template <auto make>
auto table(std::string name, Presence absent, std::string meaning) {
  using Spec = typename std::remove_cvref_t<decltype(make())>::Spec;
  const bool required = absent.kind == Presence::Kind::required;
  return BoundKey<Spec>{{name, table<make>(), "", std::move(absent), std::move(meaning)},
                        [=](const TomlTable& outer, Spec& spec) {
                          make().read(required ? outer.table(name) : outer.table_or_empty(name), spec);
                        }};
}

/// A table whose keys are bound to a member.
template <auto make, class Outer>
BoundKey<Outer> table(std::string name, typename std::remove_cvref_t<decltype(make())>::Spec Outer::*member,
                      Presence absent, std::string meaning) {
  const bool required = absent.kind == Presence::Kind::required;
  return {{name, table<make>(), "", std::move(absent), std::move(meaning)},
          [=](const TomlTable& outer, Outer& spec) {
            make().read(required ? outer.table(name) : outer.table_or_empty(name), spec.*member);
          }};
}

}  // namespace keys

}  // namespace kurbel
