/// @file
/// A mechanism in joint coordinates, for both scalars, and its momenta at one instant.
#pragma once

#include <gtest/gtest.h>

#include "integration/canonical_equations.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "tree_models.hpp"

namespace kurbel::test {

template <class S>
struct JointMechanism {
  MultibodySystem<S> absolute;
  JointCoordinateSystem<S> joints;

  JointMechanism(const SystemSpec& spec, ReferencePoint point, const VectorX<S>* p = nullptr)
      : absolute(with(spec, p)), joints(absolute, point) {}
  static MultibodySystem<S> with(const SystemSpec& spec, const VectorX<S>* p) {
    MultibodySystem<S> system(spec);
    if (p) system.set_parameters(*p);
    return system;
  }
};

/// M v, g, and f at v without acceleration.
template <class S>
struct CanonicalPoint {
  CanonicalPoint(const CanonicalEquations<S>& equations, double t, const VectorX<S>& x, const VectorX<S>& v)
      : equations(equations),
        ws(equations.make_canonical_workspace()),
        p(v.size()),
        g(v.size()),
        f(v.size()) {
    EXPECT_EQ(equations.set_position(t, x, *ws), -1);
    equations.momenta(v, *ws, p, g);
    equations.force(*ws, f);
  }
  const CanonicalEquations<S>& equations;
  std::unique_ptr<typename SecondOrderDae<S>::Workspace> ws;
  VectorX<S> p, g, f;
};

/// To a share of the largest number, as the theory's checks ask for it.
inline void expect_equal(const MatrixXd& found, const MatrixXd& expected, double accuracy, const char* what) {
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), accuracy * expected.cwiseAbs().maxCoeff()) << what;
}

}  // namespace kurbel::test
