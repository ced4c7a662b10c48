/// @file
/// The keys of input files: a row for every key, with what it may hold, its unit, what it is where
/// it is absent, where it belongs and what it means. The reader takes types and ranges from these rows
/// (TomlTable), and `kurbel schema` makes the JSON Schema and docs/input_reference.md of them.
///
/// Keys stand in groups, one for each kind of table; a row whose value is a table names the group of its keys:
///
///     {"divisions", list(2, integer(at_least(1))), "", required, "elements along x and y"}
///
/// This folder is the language of such rows; those of kurbel's inputs are in src/problem/keys_*.cpp, by topic. A key is
/// added there by a row, and read under its name.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "keys/range.hpp"

namespace kurbel {

struct KeyGroup;

/// One of the forms in which the value of a key may be written.
struct Form {
  enum class Kind {
    number,
    integer,
    boolean,
    text,
    word,   ///< text among `words`
    list,   ///< of `least` to `most` values, each in one of the forms `elements`
    table,  ///< with the keys of `group`
    names,  ///< a table whose keys are names of the user's; under each a table with the keys of `group`
  };
  Kind kind = Kind::number;
  Range range{};
  std::vector<std::string> words{};
  std::size_t least = 0, most = std::numeric_limits<std::size_t>::max();
  std::vector<Form> elements{};
  const KeyGroup& (*group)() = nullptr;
};
using Forms = std::vector<Form>;

/// The value of an absent key.
struct Presence {
  enum class Kind {
    required,
    required_if,  ///< `text` says when
    optional,     ///< nothing then
    constant,     ///< `value`, which the reader must state alike
    otherwise,    ///< `text` says what
  };
  Kind kind = Kind::required;
  std::variant<bool, double, std::string, std::vector<double>> value{};
  std::string text{};
  std::string unless{};  ///< of required_if: the key whose absence requires it; empty: as `text` says
};

/// A key applies where another one beside it has one of these words; "frame.type" is one in the table `frame`.
struct KeyCondition {
  std::string key;
  std::vector<std::string> words;
  bool operator==(const KeyCondition&) const = default;
};

/// A row of the table. Several rows may have one name, for different conditions.
struct Key {
  std::string name;
  Forms forms;
  std::string unit;
  Presence presence;
  std::string meaning;
  std::vector<KeyCondition> conditions{};  ///< all have to hold
  std::vector<std::string> replaces{};     ///< keys none of which may stand beside it
  bool in_cases = false;                   ///< whether a case may state it in place of what all share
  std::string why_not{};  ///< reason, told behind the excluded word: "which has no free length"

  Key when(std::string other, std::vector<std::string> words, std::string reason = {}) && {
    conditions.push_back({std::move(other), std::move(words)}), why_not = std::move(reason);
    return std::move(*this);
  }
  Key in_place_of(std::vector<std::string> keys) && { return replaces = std::move(keys), std::move(*this); }
  Key by_case() && { return in_cases = true, std::move(*this); }
};

/// The keys of one kind of table.
struct KeyGroup {
  std::string name;                     ///< "mesh": of its definition in the schema
  std::string title;                    ///< "a mesh": in sentences
  std::vector<Key> keys{};              ///< its own
  const KeyGroup& (*base)() = nullptr;  ///< whose keys it has besides
  /// Words of other programs, which are no keys, with what to write instead: {"axis", "a hinge turns about ..."}.
  using Hints = std::vector<std::pair<std::string, std::string>>;
  Hints hints{};
};

/// Its own keys and those of its base, in the order in which they stand.
std::vector<const Key*> keys_of(const KeyGroup& group);

/// Range of the numbers that a key of a group may hold; "material.density" is one in the table `material`.
Range range_of(const KeyGroup& group, const std::string& path);

/// Unit of the key at a path from a group on, with the names of the user's, as in "springs.left.stiffness": "N/m". Empty
/// if there is no such key.
std::string unit_of_key(const KeyGroup& root, const std::string& path);

/// Words in which rows are written.
namespace keys {

inline const Range any = Range::any(), positive = Range::positive(), not_negative = Range::at_least(0.0),
                   any_or_infinite = Range::any_or_infinite();
inline Range at_least(double lower) {
  return Range::at_least(lower);
}
inline Range closed(double lower, double upper) {
  return Range::closed(lower, upper);
}
inline Range open(double lower, double upper) {
  return Range::open(lower, upper);
}
inline Range above(double lower, double upper) {
  return Range::above(lower, upper);
}

inline Forms number(const Range& range = {}) {
  return {{.kind = Form::Kind::number, .range = range}};
}
inline Forms integer(const Range& range = {}) {
  return {{.kind = Form::Kind::integer, .range = range}};
}
inline Forms boolean() {
  return {{.kind = Form::Kind::boolean}};
}
inline Forms text() {
  return {{.kind = Form::Kind::text}};
}
inline Forms word(std::vector<std::string> words) {
  return {{.kind = Form::Kind::word, .words = std::move(words)}};
}
inline Forms list(std::size_t least, std::size_t most, Forms elements) {
  return {{.kind = Form::Kind::list, .least = least, .most = most, .elements = std::move(elements)}};
}
inline Forms list(std::size_t count, Forms elements) {
  return list(count, count, std::move(elements));
}
inline Forms list_of(Forms elements, std::size_t least = 0) {
  return list(least, std::numeric_limits<std::size_t>::max(), std::move(elements));
}
inline Forms vector3() {
  return list(3, number());
}
inline Forms table(const KeyGroup& (*group)()) {
  return {{.kind = Form::Kind::table, .group = group}};
}
inline Forms names(const KeyGroup& (*group)()) {
  return {{.kind = Form::Kind::names, .group = group}};
}
/// One table, or a list of them.
Forms one_or_more(const KeyGroup& (*group)());
/// Either of both.
Forms operator|(Forms one, const Forms& other);

inline const Presence required{Presence::Kind::required, {}, {}}, optional{Presence::Kind::optional, {}, {}};
inline Presence required_if(std::string when) {
  return {Presence::Kind::required_if, {}, std::move(when)};
}
inline Presence required_without(std::string key) {
  return {Presence::Kind::required_if, {}, "there is no `" + key + "`", std::move(key)};
}
inline Presence otherwise(std::string what) {
  return {Presence::Kind::otherwise, {}, std::move(what)};
}
inline Presence defaults(bool value) {
  return {Presence::Kind::constant, value, {}};
}
inline Presence defaults(int value) {
  return {Presence::Kind::constant, static_cast<double>(value), {}};
}
inline Presence defaults(double value) {
  return {Presence::Kind::constant, value, {}};
}
inline Presence defaults(const char* value) {
  return {Presence::Kind::constant, std::string(value), {}};
}
inline Presence defaults(std::vector<double> value) {
  return {Presence::Kind::constant, std::move(value), {}};
}
/// For vectors.
inline const std::vector<double> zero = {0.0, 0.0, 0.0};

}  // namespace keys

}  // namespace kurbel
