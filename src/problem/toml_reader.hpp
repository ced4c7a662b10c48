/// @file
/// Typed reading of an input file. Whatever does not fit throws an InputError that names file, line, key and
/// value, and says what is allowed:
///
///     inputs/crank.toml:31: material.poisson_ratio = 0.7 is outside (-1, 0.5)
///     inputs/crank.toml:12: unknown key mesh.division; did you mean mesh.divisions?
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "problem/toml_document.hpp"

namespace kurbel {

/// The numbers that a key accepts. Only finite ones, unless `infinite` is set.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;
  bool upper_open = false;
  bool infinite = false;

  static Range any() { return {}; }
  static Range positive() { return {.lower = 0.0, .lower_open = true}; }
  static Range at_least(double lower) { return {.lower = lower}; }
  static Range closed(double lower, double upper) { return {.lower = lower, .upper = upper}; }
  static Range open(double lower, double upper) {
    return {.lower = lower, .upper = upper, .lower_open = true, .upper_open = true};
  }

  bool contains(double x) const;
  std::string complaint(double x) const;  ///< "must be positive", "is outside (-1, 0.5)"
  std::string description() const;        ///< "a positive number", "a number in (-1, 0.5)"
};

/// A table (or a list, whose keys are then its element numbers) being read. Cheap to copy; the document must
/// outlive it. Every key that is asked for counts as known, whether the file has it or not.
class TomlTable {
 public:
  explicit TomlTable(const TomlDocument& document);

  const std::string& path() const { return path_; }  ///< full key path; empty for the root
  const std::string& name() const { return name_; }  ///< last key of the path

  bool has(std::string_view key) const;
  bool is_number(std::string_view key) const;
  bool is_text(std::string_view key) const;
  bool is_table(std::string_view key) const;
  bool is_list(std::string_view key) const;
  bool is_list_of_lists(std::string_view key) const;

  double number(std::string_view key, const Range& range = {}) const;
  double number_or(std::string_view key, double absent, const Range& range = {}) const;
  int integer(std::string_view key, const Range& range = {}) const;
  int integer_or(std::string_view key, int absent, const Range& range = {}) const;
  bool boolean_or(std::string_view key, bool absent) const;
  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, const std::string& absent) const;
  std::vector<std::string> texts(std::string_view key) const;

  /// A list of `least` to `most` numbers.
  std::vector<double> numbers(std::string_view key, std::size_t least, std::size_t most,
                              const Range& range = {}) const;
  Vector3d vector3(std::string_view key) const;
  Vector3d vector3_or(std::string_view key, const Vector3d& absent) const;

  /// A word among those listed, as the value that goes with it.
  template <class T>
  using Words = std::vector<std::pair<std::string, T>>;
  template <class T>
  T choice(std::string_view key, const Words<T>& words) const {
    return words[word_index(key, names_of(words))].second;
  }
  template <class T>
  T choice_or(std::string_view key, T absent, const Words<T>& words) const {
    return has(key) ? choice(key, words) : absent;
  }
  std::string choice(std::string_view key, const std::vector<std::string>& words) const {
    return words[word_index(key, words)];
  }

  TomlTable table(std::string_view key) const;
  /// The table, or an empty one in its place: all its keys are absent.
  TomlTable table_or_empty(std::string_view key) const;
  /// All entries of this table, each of them a table, in the order of the file.
  std::vector<TomlTable> children() const;
  /// A list with exactly `count` elements; its keys are "0", "1", ...
  TomlTable list(std::string_view key, std::size_t count) const;
  /// One table or a list of them; none if the key is absent.
  std::vector<TomlTable> one_or_more(std::string_view key) const;

  /// Throws "place: full.key message"; an empty key stands for the table itself.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  /// Throws "place: full.key = value message".
  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;

  /// To be called once, after all reading: throws if the file has a key that nothing asked for.
  void finish() const;

 private:
  struct Shared;
  TomlTable(std::shared_ptr<Shared> shared, const TomlValue* value, std::string path, std::string_view name);

  const TomlValue* find(std::string_view key) const;
  const TomlValue& get(std::string_view key, const std::string& expected) const;
  double checked_number(std::string_view key, const TomlValue& value, const Range& range) const;
  std::size_t word_index(std::string_view key, const std::vector<std::string>& words) const;
  std::string full_key(std::string_view key) const;
  TomlTable child(std::string_view key, const TomlValue& value) const;
  [[noreturn]] void fail_type(std::string_view key, const TomlValue& value,
                              const std::string& expected) const;

  template <class T>
  static std::vector<std::string> names_of(const Words<T>& words) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    return names;
  }

  std::shared_ptr<Shared> shared_;
  const TomlValue* value_;  ///< of the document, or nullptr for a table that is absent
  std::string path_, name_;
};

}  // namespace kurbel
