/// @file
/// Files that are part of the program.
#pragma once

#include <string_view>

namespace kurbel {

std::string_view page_css();
std::string_view page_js();
std::string_view study_js();
/// Libraries of others, as Debian has them; empty if they were not there when kurbel was built.
std::string_view three_js();
std::string_view chart_js();

}  // namespace kurbel
