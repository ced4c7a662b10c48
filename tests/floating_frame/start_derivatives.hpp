/// @file
/// The derivatives of a start, judged by complex step.
#pragma once

#include <gtest/gtest.h>

#include "integration/initial_conditions.hpp"
#include "test_models.hpp"

namespace kurbel::test {

/// Backwards and forwards, of every part of the state by every parameter, or every so many of them.
inline void expect_derivatives_of_start(const SystemSpec& given, double t0 = 0.0, Eigen::Index every = 1,
                                        double of_accelerations = 1.0, double rounding = 1e-11) {
  const SystemSpec spec = with_every_parameter(given);
  // Reactions and accelerations at the start besides, which a criterion of compliance does not see.
  const MultibodySystem<double> system(spec);
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  ASSERT_FALSE(initial.solve(t0, state).failed());
  const Eigen::Index n_v = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  Random random(31);
  const VectorXd x_bar = random.vector(n_v), v_bar = random.vector(n_v),
                 v_dot_bar = of_accelerations * random.vector(n_v), lambda_bar = random.vector(n_c);
  VectorXd gradient = VectorXd::Zero(n_p);
  initial.pullback(state, x_bar, v_bar, v_dot_bar, lambda_bar, gradient);

  MultibodySystem<Complex> judge(spec);
  const VectorX<Complex> p = judge.parameters();
  const double step = 1e-40, scale = gradient.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < n_p; i += every) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, step);
    judge.set_parameters(moved);
    InitialConditions<Complex> complex_initial(judge);
    InitialConditions<Complex>::State s;
    ASSERT_FALSE(complex_initial.solve(t0, s).failed());
    double expected = v_bar.dot(s.v.imag()) + v_dot_bar.dot(s.v_dot.imag()) + lambda_bar.dot(s.lambda.imag());
    for (std::size_t b = 0; b < judge.n_bodies(); ++b) {
      // Tangent coordinates of the pose: S^T dr, and the vector of 2 e^-1 de.
      const Eigen::Index xo = judge.x_offset(b), vo = judge.v_offset(b);
      const Pose<double> pose = system.pose(state.x, b);
      const Vector3d dr = rotation_matrix(pose.e).transpose() * s.x.segment<3>(xo).imag();
      const Quaternion<double> inverse(pose.e[0], -pose.e[1], -pose.e[2], -pose.e[3]);
      const Quaternion<double> de = s.x.segment<4>(xo + 3).imag();
      expected +=
          x_bar.segment<3>(vo).dot(dr) + 2.0 * x_bar.segment<3>(vo + 3).dot(multiply(inverse, de).tail<3>());
      expected += x_bar.segment(vo + 6, judge.n_q(b)).dot(s.x.segment(xo + 7, judge.n_q(b)).imag());
    }
    EXPECT_NEAR(gradient[i], expected / step, rounding * scale + 1e-9 * std::abs(expected / step)) << i;
  }

  const MatrixXd directions = random.matrix(n_p, 2);
  InitialConditions<double>::StateDirections forward;
  initial.push_forward(state, directions, forward);
  const VectorXd along = forward.x.transpose() * x_bar + forward.v.transpose() * v_bar +
                         forward.v_dot.transpose() * v_dot_bar + forward.lambda.transpose() * lambda_bar;
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(along[j], directions.col(j).dot(gradient),
                1e-11 * gradient.norm() * directions.col(j).norm());
}

}  // namespace kurbel::test
