/// @file
/// Numbers that a user wrote as text: in tables, in text files, on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kurbel {

/// The number that the whole text is, in the form of C with a point: "0.5", "+1e-3", "inf", "nan".
/// @return nothing if the text is anything else ("", "1,5", "1 m") or beyond what a double can hold ("1e999")
std::optional<double> parse_number(std::string_view text);

/// The same, but only a finite number.
std::optional<double> parse_finite_number(std::string_view text);

/// The integer that the whole text is, in decimal digits.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace kurbel
