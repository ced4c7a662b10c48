/// @file
/// A check that a tensor is the inertia of some body.
#pragma once

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <string>

#include "base/types.hpp"

namespace kurbel {

/// Says which condition an inertia tensor about the centre of mass, kg m^2, violates: its principal moments are positive, and
/// none exceeds the sum of the other two. Empty if it violates none.
inline std::string inertia_fault(const Matrix3d& J) {
  constexpr double rounding = 1e-9;
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > rounding * J.cwiseAbs().maxCoeff())
    return "must be symmetric";
  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(J, Eigen::EigenvaluesOnly);
  const Vector3d moments = principal.eigenvalues();
  if (!(moments[0] > 0.0))
    return fmt::format("must be positive definite; its smallest principal moment is {:.6g} kg m^2",
                       moments[0]);
  if (moments[0] + moments[1] < moments[2] * (1.0 - rounding))
    return fmt::format(
        "is that of no body: the principal moment {:.6g} exceeds the sum of the other two, {:.6g} kg m^2",
        moments[2], moments[0] + moments[1]);
  return "";
}

}  // namespace kurbel
