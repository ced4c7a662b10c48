/// @file
/// Rows of the table of keys in words.
#pragma once

#include <string>

#include "keys/keys.hpp"

namespace kurbel {

std::string type_text(const Forms& forms);         ///< "number or list of 2 numbers"
std::string allowed_text(const Forms& forms);      ///< "> 0", "[0, 1]", "a, b, c"; empty: anything
std::string value_text(const Presence& presence);  ///< of a constant default, as TOML: "0.5", "\"mma\""
std::string condition_text(const Key& key);        ///< "type = flexible or sid, frame.type = tangent"

}  // namespace kurbel
