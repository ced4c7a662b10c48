/// @file
/// Inputs with rigid bodies as functions of their variables, in any formulation.
#pragma once

#include <gtest/gtest.h>

#include <numeric>

#include "formulation/motion_model.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel::test {

using Method = SensitivityOptions::Method;

inline Problem read(const std::string& input, const std::vector<std::string>& overrides = {}) {
  return read_problem(test::input(input), overrides);
}

/// The motion of an input with rigid bodies: objective, then all functions.
struct Simulated {
  explicit Simulated(Problem of)
      : problem(std::move(of)), stress(problem), model(make_motion_model(problem, stress)) {
    requested.functions.resize(model->functions().size());
    std::iota(requested.functions.begin(), requested.functions.end(), 0);
    z = model->numbers();
    values = simulate(z);
  }
  VectorXd simulate(const VectorXd& at) {
    const std::vector<const Sid*> sids(problem.system.bodies.size(), nullptr);
    const Status made = model->make({at, sids, {}}, motion);
    EXPECT_FALSE(made.failed()) << made.message();
    const Status status = motion->simulate(trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    const std::vector<CriterionValues> of_functions = motion->values(trajectory, requested);
    VectorXd all(std::ssize(of_functions));
    for (Eigen::Index i = 0; i < all.size(); ++i) all[i] = of_functions[static_cast<std::size_t>(i)].value;
    return all;
  }
  /// By numbers, a column per function.
  MatrixXd gradients(Method method) {
    return motion->gradients(trajectory, requested, method, motion->directions({}).p_dot).along;
  }

  Problem problem;
  StressSets stress;
  std::shared_ptr<MotionModel> model;
  RequestedFunctions requested;
  VectorXd z, values;
  std::unique_ptr<Motion> motion;
  Trajectory<double> trajectory;
};

}  // namespace kurbel::test
