/// @file
/// Text as HTML and SVG have it.
#pragma once

#include <string>
#include <string_view>

namespace kurbel {

/// Replaces the characters that begin or end an element or an attribute.
std::string escaped(std::string_view text);

}  // namespace kurbel
