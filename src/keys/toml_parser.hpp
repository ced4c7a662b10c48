/// @file
/// TOML text to TomlValue: what stands between the tree and the library that reads TOML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keys/toml_document.hpp"

namespace kurbel {

/// The root table of the text, without following includes.
/// @throws InputError "file:line:column: reason" if the text is not TOML, holds a date or time, or is nested
/// too deep
TomlValue parse_toml(std::string_view text, const std::string& file);

/// The parts of a key such as bodies."my body".mass.
/// @param source  of messages
/// @throws InputError  if it is no key
std::vector<std::string> key_path(std::string_view text, const std::string& source);

/// A value and where it goes.
struct Override {
  std::vector<std::string> path;
  TomlValue value;
};

/// Reads "key.path=value"; a value that is not TOML is taken as text unless it opens a bracket, brace or
/// quote.
/// @throws InputError naming the override, also if it holds more than one key (behind a line end)
Override parse_override(const std::string& text);

/// The override that gives a key this text, whatever characters it has.
std::string text_override(const std::string& key_path, std::string_view text);

/// The text as a TOML string between double quotes.
std::string toml_string(std::string_view text);

}  // namespace kurbel
