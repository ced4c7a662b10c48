/// @file
/// The table of keys as a JSON Schema, for editors that complete TOML and for programs that write inputs.
#pragma once

#include <string>

namespace kurbel {

/// A schema of draft 7. A file that includes others may leave out what is required; what depends on other values of
/// the file beyond the words that rows name (numbers of elements, names of bodies) is left to the reader.
std::string key_schema();

}  // namespace kurbel
