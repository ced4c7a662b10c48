/// @file
/// Recognizes files that users give as problem files although they belong inside of one, or to another command.
#pragma once

#include <string>
#include <string_view>

namespace kurbel {

/// Names the format of a text that is not TOML, and says what kurbel does with such a file.
/// @param text  the whole file; its first bytes decide before the ending of its name
/// @return "" if neither the text nor the name shows a known format
std::string other_format(std::string_view text, const std::string& file);

}  // namespace kurbel
