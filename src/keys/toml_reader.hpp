/// @file
/// Typed reading of an input file, by the table of keys (keys.hpp): from its rows come types and ranges. Whatever
/// does not fit throws an InputError that names file, line, key and value, and says what is allowed:
///
///     inputs/crank.toml:31: material.poisson_ratio = 0.7 is outside (-1, 0.5)
///     inputs/crank.toml:12: unknown key mesh.division; did you mean mesh.divisions?
///
/// A number whose row states a unit may be text with another one, "3000 rpm", and a list of numbers may be text with
/// one for all, "[0, 90, 180] deg". What is read is in the unit of the row. There the word "unit" stands for that of
/// what the table belongs to: of the row of a table around it, or what the reader says by in_unit().
///
/// A key that is read and has no row, one of another kind, or with another default than its row says, is an error
/// of ours: std::logic_error.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"
#include "keys/keys.hpp"
#include "keys/toml_document.hpp"

namespace kurbel {

/// A table (or a list, whose keys are then its element numbers) being read. It refers to the document and is
/// cheap to copy. Every key that is requested counts as known, whether the file has it or not.
class TomlTable {
 public:
  /// @param keys  those of the whole document
  TomlTable(const TomlDocument& document, const KeyGroup& keys);

  const std::string& path() const { return path_; }  ///< full key path; empty for the root
  const std::string& name() const { return name_; }  ///< last key of the path
  /// Absolute; relative names of files in the document start here.
  const std::filesystem::path& directory() const;

  /// The same, where the word "unit" in rows stands for this one; empty if it is not known.
  TomlTable in_unit(std::string unit) const;
  /// The unit of the table; if the table has a key `unit`, its word.
  std::string unit() const;

  bool has(std::string_view key) const;
  /// True if the conditions of a row of this table hold.
  bool applies(const Key& row) const;
  bool is_text(std::string_view key) const;  ///< and no number with a unit
  bool is_table(std::string_view key) const;
  bool is_list(std::string_view key) const;
  bool is_list_of_lists(std::string_view key) const;

  /// A number in the range of its row.
  /// @param within  what other values of the file leave of that range; it takes the place of it
  double number(std::string_view key, const std::optional<Range>& within = {}) const;
  double number_or(std::string_view key, double absent, const std::optional<Range>& within = {}) const;
  int integer(std::string_view key, const std::optional<Range>& within = {}) const;
  int integer_or(std::string_view key, int absent) const;
  bool boolean_or(std::string_view key, bool absent) const;
  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, const std::string& absent) const;
  std::vector<std::string> texts(std::string_view key) const;

  /// A list of as many numbers as its row says, or as other values of the file leave of that.
  std::vector<double> numbers(std::string_view key) const;
  std::vector<double> numbers(std::string_view key, std::size_t least, std::size_t most,
                              const std::optional<Range>& within = {}) const;
  Vector3d vector3(std::string_view key) const;
  Vector3d vector3_or(std::string_view key, const Vector3d& absent) const;

  /// A word among those of its row, as the value that goes with it.
  template <class T>
  using Words = std::vector<std::pair<std::string, T>>;
  template <class T>
  static std::vector<std::string> names_of(const Words<T>& words) {
    std::vector<std::string> names;
    for (const auto& word : words) names.push_back(word.first);
    return names;
  }
  /// The word of a value, one of those that have words.
  template <class T>
  static const std::string& word_of(const T& value, const Words<T>& words) {
    return std::ranges::find(words, value, &std::pair<std::string, T>::second)->first;
  }
  template <class T>
  T choice(std::string_view key, const Words<T>& words) const {
    return words[word_index(key, names_of(words))].second;
  }
  template <class T>
  T choice_or(std::string_view key, T absent, const Words<T>& words) const {
    for (const auto& [word, value] : words) {
      if (value == absent) check_default(key, word);
    }
    return has(key) ? choice(key, words) : absent;
  }
  std::string choice(std::string_view key, const std::vector<std::string>& words) const {
    return words[word_index(key, words)];
  }
  std::string choice_or(std::string_view key, const std::string& absent,
                        const std::vector<std::string>& words) const {
    check_default(key, absent);
    return has(key) ? choice(key, words) : absent;
  }
  /// A list of different words, as the values that go with them.
  template <class T>
  std::vector<T> choices(std::string_view key, const Words<T>& words) const {
    std::vector<T> values;
    for (const std::size_t index : word_indices(key, names_of(words))) values.push_back(words[index].second);
    return values;
  }
  /// A word among some of its row: those that fit other values of the file.
  std::string choice_among(std::string_view key, const std::vector<std::string>& some) const;

  TomlTable table(std::string_view key) const;
  /// The table, or an empty one in its place: all its keys are absent.
  TomlTable table_or_empty(std::string_view key) const;
  /// All entries of this table, each of them a table, in the order of the file.
  std::vector<TomlTable> children() const;
  /// A list with exactly `count` elements, or as many as its row says; its keys are "0", "1", ...
  TomlTable list(std::string_view key, std::size_t count) const;
  TomlTable list(std::string_view key) const;
  /// One table or a list of them; none if the key is absent.
  std::vector<TomlTable> one_or_more(std::string_view key) const;

  /// Throws "place: full.key message"; an empty key stands for the table itself.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  /// Throws "place: full.key = value message".
  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;
  /// The same with values in the message, "must divide {}".
  template <class... Args>
  requires(sizeof...(Args) > 0)
      [[noreturn]] void fail(std::string_view key, fmt::format_string<Args...> message,
                             Args&&... args) const {
    fail(key, fmt::format(message, std::forward<Args>(args)...));
  }
  template <class... Args>
  requires(sizeof...(Args) > 0)
      [[noreturn]] void refuse(std::string_view key, fmt::format_string<Args...> message,
                               Args&&... args) const {
    refuse(key, fmt::format(message, std::forward<Args>(args)...));
  }

  /// Refuses a key near to a missing one that nothing has read yet: it is most likely a misspelling.
  void refuse_misspelling(std::string_view key) const;

  /// To be called once, after all reading: throws if the file has a key that nothing requested.
  void finish() const;

 private:
  struct Shared;
  /// The keys that a table may have: those of a group, or any, with values in one of these forms.
  struct Scope {
    const KeyGroup* group = nullptr;
    Forms any{};
    std::string unit{};  ///< of elements of a list, and what "unit" stands for
  };
  /// The row of a key in the table of keys.
  struct Row {
    const Key* key = nullptr;  ///< none: an element of a list
    const Form* form = nullptr;
    std::string unit{};
  };
  using Fits = std::function<bool(const Form& form)>;

  TomlTable(std::shared_ptr<Shared> shared, const TomlValue* value, std::string path, std::string_view name,
            Scope scope);

  const TomlValue* find(std::string_view key) const;
  const TomlValue& get(std::string_view key, const std::string& expected) const;
  std::size_t word_index(std::string_view key, const std::vector<std::string>& words) const;
  std::vector<std::size_t> word_indices(std::string_view key, const std::vector<std::string>& words) const;
  std::size_t index_among(std::string_view key, const std::vector<std::string>& words) const;
  std::string full_key(std::string_view key) const;
  TomlTable child(std::string_view key, const TomlValue* value, Scope scope) const;
  TomlTable elements_of(std::string_view key, const TomlValue& value) const;
  TomlTable sized_list(std::string_view key, std::size_t least, std::size_t most,
                       const std::string& expected) const;
  [[noreturn]] void fail_type(std::string_view key, const TomlValue& value,
                              const std::string& expected) const;

  // toml_quantities.cpp
  /// True if the value is text that a row with a unit takes for a number, or a list of them, by how it begins.
  bool is_quantity(std::string_view key, const TomlValue& value, Form::Kind kind) const;
  double checked_number(std::string_view key, const TomlValue& value, const Range& range,
                        const std::string& unit) const;
  std::vector<double> numbers_of_text(std::string_view key, std::string_view text, const Range& range,
                                      const std::string& unit) const;
  double in_unit_of_row(std::string_view key, std::string_view number, std::string_view from,
                        const std::string& to) const;
  std::string unit_in(const Key& row) const;

  // toml_rows.cpp
  void require_row(std::string_view key) const;
  void refuse_replaced(std::string_view key) const;
  std::vector<const Key*> rows_of(std::string_view key) const;
  Row row(std::string_view key, const Fits& fits) const;
  Row row(std::string_view key, Form::Kind kind) const;
  Row row_of_number(std::string_view key) const;
  Row row_of_numbers(std::string_view key) const;
  Row row_of_text(std::string_view key) const;
  Scope scope_of_table(std::string_view key) const;
  void check_default(std::string_view key, const decltype(Presence::value)& absent) const;
  [[noreturn]] void fail_in_table_of_keys(std::string_view key, const std::string& what) const;

  std::shared_ptr<Shared> shared_;
  const TomlValue* value_;  ///< of the document, or nullptr for a table that is absent
  std::string path_, name_;
  Scope scope_;
};

/// The rows of the table of keys that this process has read something by.
std::set<const Key*> requested_rows();

}  // namespace kurbel
