#include "formulation/momentum_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kurbel {

void MomentumLine::add(const Vector3d& linear, const Vector3d& angular) {
  for (const auto& [kind, now] : {std::pair{&linear_, &linear}, {&angular_, &angular}}) {
    kind->last = *now;
    kind->largest = std::max(kind->largest, now->norm());
  }
}

Vector3d MomentumLine::Kind::shown() const {
  constexpr double rounding = 1e-12;
  return (last.array().abs() > rounding * largest).select(last, Vector3d::Zero());
}

std::string MomentumLine::text() const {
  return fmt::format(
      "momentum at the end: linear ({:.6g}) N s, angular about the inertial origin ({:.6g}) N m s",
      fmt::join(linear_.shown(), ", "), fmt::join(angular_.shown(), ", "));
}

}  // namespace kurbel
