/// @file
/// The momentum in which a motion ends, as a line of its summary.
#pragma once

#include <string>

#include "base/types.hpp"

namespace kurbel {

/// The largest momentum that a mechanism has during a motion, and that at its end.
class MomentumLine {
 public:
  /// The momentum at the next stored instant.
  /// @param linear   N s
  /// @param angular  about the inertial origin, N m s
  void add(const Vector3d& linear, const Vector3d& angular);

  /// "momentum at the end: linear (0.2, 0, 0) N s, angular about the inertial origin (0, 0, 1.5) N m s". Components that are rounding
  /// errors beside the largest momentum of the motion are 0.
  std::string text() const;

 private:
  struct Kind {
    Vector3d last = Vector3d::Zero();
    double largest = 0.0;
    Vector3d shown() const;
  };
  Kind linear_, angular_;
};

}  // namespace kurbel
