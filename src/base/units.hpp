/// @file
/// Units of measure in words: "rpm", "N m/rad", "kg m^2", "(m/s)^2".
///
///     unit   = factor { (" " | "*" | "/") factor }        a "/" concerns the next factor alone
///     factor = (name | "1" | "(" unit ")") [ "^" integer ]
///
/// Names are m, g, s, rad, N, J, W, Pa, Hz and bar, alone or with a prefix n, u, m, c, d, k, M, G; and t, min, h, deg, turn,
/// rev, rpm, in, ft, lb, lbf, psi. Angles have a dimension of their own: N m/rad and N m are units of different kinds.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kurbel {

/// One of a unit is up/down of SI. The two are apart so that 5 mm are 5/1000 m, to the last bit.
struct Unit {
  double up = 1.0, down = 1.0;
  std::array<int, 4> powers{};  ///< of m, kg, s, rad

  /// Converts a number of the other unit into this one. Both have the same powers.
  double from(const Unit& other, double number) const {
    return number * (other.up * down) / (other.down * up);
  }
};

/// @return nothing if the text is no unit, is ambiguous ("J/kg m"), or has powers beyond 9
std::optional<Unit> parse_unit(std::string_view text);

/// Splits "3000 rpm" into "3000" and "rpm". A number ends where a unit can begin; an e is an exponent if digits follow.
/// @return  parts of the text; either may be empty
std::pair<std::string_view, std::string_view> split_quantity(std::string_view text);

/// Names and products in common use.
const std::vector<std::string>& common_units();

/// The unit as a factor of a product: "m", "(N m)".
std::string as_factor(const std::string& unit);

/// The unit itself, and those in common use that have its dimension.
std::vector<std::string> units_like(const std::string& unit);

}  // namespace kurbel
