/// @file
/// The table of keys as a page to read, docs/input_reference.md.
#pragma once

#include <string>

namespace kurbel {

/// The reference in Markdown: a section for every table of an input file, with a row for every key.
std::string key_reference();

}  // namespace kurbel
