/// @file
/// Letters of ASCII.
#pragma once

#include <string>
#include <string_view>

namespace kurbel {

/// The text with small letters in the place of capital ones, in every locale.
std::string lower_case(std::string_view text);

}  // namespace kurbel
