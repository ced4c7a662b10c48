/// @file
/// Points of a mechanism as variables, and the gradients by them.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>

#include "design_functions.hpp"

namespace kurbel::test {

inline const std::atomic<bool> interrupted{false};

/// Variables for all coordinates of some points.
inline std::string variables(std::initializer_list<const char*> points) {
  std::string text;
  for (const char* point : points) {
    for (const char* axis : {"x", "y", "z"})
      text += fmt::format(
          "[variables.{0}{1}]\nquantity = \"points.{0}.position\"\ncomponent = \"{1}\"\nlower = -1.0\nupper "
          "= "
          "1.0\n",
          point, axis);
  }
  return text;
}

/// Expects that gradients by all coordinates of some points equal differences.
inline void expect_gradients_of_differences(const std::string& text,
                                            std::initializer_list<const char*> points,
                                            const std::string& formulation, const std::string& method) {
  const Problem problem = read_problem(
      TomlDocument::parse(text + variables(points), "points.toml", ".",
                          {"formulation=\"" + formulation + "\"", "integrator.method=\"" + method + "\""}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = space.start();
  const Functions at = functions_at(nlp, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd expected = differences(nlp, x, VectorXd::Unit(x.size(), i), 1e-3);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, i), expected[j], 1e-6 * at.gradients.row(j).cwiseAbs().maxCoeff())
          << "function " << j << " by " << space.name_of(i);
  }
}

}  // namespace kurbel::test
