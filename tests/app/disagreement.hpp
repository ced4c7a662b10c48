/// @file
/// How far two formulations of one mechanism are from each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "design_functions.hpp"

namespace kurbel::test {

/// How far two formulations are from each other at a step: of each function the value, and the gradient relative
/// to its own.
struct Disagreement {
  VectorXd values, gradients;
};
inline Disagreement disagreement(const Functions& a, const Functions& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(a.gradients.cols(), b.gradients.cols());
  Disagreement d{a.values - b.values, (a.gradients - b.gradients).rowwise().norm()};
  for (Eigen::Index i = 0; i < d.values.size(); ++i) {
    d.values[i] /= std::max(1.0, std::abs(b.values[i]));
    d.gradients[i] /= std::max(1e-3, b.gradients.row(i).norm());
  }
  return d;
}

inline void expect_order_2(const Disagreement& coarse, const Disagreement& fine) {
  EXPECT_LT(coarse.values.lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_LT(coarse.gradients.lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_NEAR(coarse.values.norm() / fine.values.norm(), 4.0, 0.3);
  EXPECT_NEAR(coarse.gradients.norm() / fine.gradients.norm(), 4.0, 0.3);
}

}  // namespace kurbel::test
