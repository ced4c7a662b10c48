/// @file
/// Restrictions of the densities of a body by the way in which it is made (fem/manufacturing.hpp), and of the width of its members.
#pragma once

#include <numbers>
#include <optional>

namespace kurbel::fem {

/// An axis of the body's frame, 0 to 2, with a sign.
struct AxisDirection {
  int axis = 0;
  double sign = 1.0;
  bool operator==(const AxisDirection&) const = default;
};

struct ManufacturingSpec {
  /// A mould that opens along a direction, or along it and against it.
  struct Casting {
    AxisDirection draw;
    bool two_sided = false;
    std::optional<double>
        parting{};  ///< where on the axis both halves meet, m; none: where it suits every line
  };
  /// Layers that are built along a direction, each of them on the one below.
  struct Overhang {
    AxisDirection build;
    double angle = 0.25 * std::numbers::pi;  ///< least one of a downward face to the layers, rad
  };
  std::optional<int> extrusion{};  ///< axis along which densities are constant
  std::optional<Casting> casting{};
  std::optional<Overhang> overhang{};
  std::optional<double> maximum_member{};  ///< no member is wider, m (fem/largest_members.hpp)

  /// True if densities follow from it through a map; the width of members is bounded by a constraint.
  bool has_map() const { return extrusion || casting || overhang; }
};

}  // namespace kurbel::fem
