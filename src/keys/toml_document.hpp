/// @file
/// An input file as a tree of values that remember where they were written. The only place that knows the
/// TOML library.
///
/// * `include = "base.toml"` (or a list, relative to the file that includes) reads other files first; what
///   the including file says is laid over them. A table under a [header] is merged key by key; a table in
///   braces, an array or a value replaces what was there.
/// * An override `key.path=value` (`--set` on the command line) is laid over all of it. The value is read as
/// TOML;
///   what is not TOML is taken as text. An element of an array is named by its number, from 0, or, when it is
///   a table, by its `name`. Missing parents are made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/errors.hpp"

namespace kurbel {

/// The place at which a value was written.
struct TomlPlace {
  std::string source;  ///< file name, or "--set key=value"
  int line = 0;        ///< from 1; 0 when the source has no lines

  std::string text() const;  ///< "inputs/crank.toml:31"
};

struct TomlEntry;

/// A value, an array or a table. Entries of a table stand in the order in which they were written.
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlEntry>;

  std::variant<bool, std::int64_t, double, std::string, Array, Table> data;
  TomlPlace place;
  bool in_braces = false;  ///< a table written as { ... }

  const Table* table() const { return std::get_if<Table>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }

  /// The entry of a table or the element of an array (by number, or by its `name`); nullptr if there is none.
  const TomlValue* find(std::string_view key) const;
  TomlValue* find(std::string_view key);

  std::string type_name() const;  ///< "a number", "text", "a table", ...
  std::string to_toml() const;    ///< on one line; tables in braces
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// The merged content of an input file, with what is needed to read it again elsewhere.
struct TomlDocument {
  std::string file;                    ///< as the user named it
  std::filesystem::path directory;     ///< absolute; relative paths in the file start here
  std::string text;                    ///< complete text; includes are merged into it, overrides are not
  std::vector<std::string> overrides;  ///< "key.path=value"
  TomlValue root;

  /// @throws InputError if a file cannot be read or is not TOML (file:line:column), includes itself, or
  ///         an override cannot be applied
  static TomlDocument read(const std::string& file, const std::vector<std::string>& overrides = {});

  /// The same from text, e.g. that of a run file. `file` only names it in messages.
  static TomlDocument parse(const std::string& text, const std::string& file,
                            const std::filesystem::path& directory,
                            const std::vector<std::string>& overrides = {});

  /// The document with a tree laid over it, as that of a file over those that it includes.
  TomlDocument overlaid(TomlValue tree) const;

  /// The document whose text says what its tree does, and that has no overrides.
  TomlDocument of_its_tree() const;

  /// The value of a key; nullptr if there is none.
  const TomlValue* find(std::string_view key_path) const;

  /// The place of a key, or else of the innermost table around it.
  TomlPlace place_of(std::string_view key_path) const;

  /// "file:line: key.path message", without the gap before a message that begins with a colon, and without a place
  /// if there is none, as in a document without a file
  InputError error(std::string_view key_path, const std::string& message) const;
};

}  // namespace kurbel
