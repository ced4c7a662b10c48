/// @file
/// A smooth function whose gradient is known, with the box in which it is checked, and verdicts on others.
#pragma once

#include <cmath>
#include <functional>

#include "optimizers/gradient_check.hpp"

namespace kurbel::test {

using Eigen::Index;

inline constexpr Index n = 12;

/// Smooth, coupled, with gradient entries of very different size: f = exp(a.x) + sum w_i sin(x_i + i).
struct Smooth {
  VectorXd a = VectorXd::LinSpaced(n, -0.5, 0.5);
  VectorXd w = VectorXd::LinSpaced(n, 0.0, -10.0).array().exp();

  double value(const VectorXd& x) const {
    double f = std::exp(a.dot(x));
    for (Index i = 0; i < n; ++i) f += w[i] * std::sin(x[i] + double(i));
    return f;
  }
  VectorXd gradient(const VectorXd& x) const {
    VectorXd g = std::exp(a.dot(x)) * a;
    for (Index i = 0; i < n; ++i) g[i] += w[i] * std::cos(x[i] + double(i));
    return g;
  }
};

inline const Smooth smooth;
inline const VectorXd lower = VectorXd::Zero(n), upper = VectorXd::Ones(n);
inline const VectorXd middle = VectorXd::LinSpaced(n, 0.2, 0.8);

/// The steps of a program whose function is expensive and noisy.
inline GradientCheckOptions large_steps() {
  GradientCheckOptions options;
  options.largest_step = 0.1, options.step_ratio = 2.0, options.n_steps = 10, options.sufficient = 1e-7;
  return options;
}

/// The verdict on the derivative of a function of one variable.
inline Agreement verdict_on(const std::function<double(double)>& f, double x, double derivative,
                            const GradientCheckOptions& options) {
  const auto rows =
      check_gradient([&](const VectorXd& at) { return std::optional(f(at[0])); }, VectorXd::Constant(1, x),
                     VectorXd::Constant(1, derivative), VectorXd::Zero(1), VectorXd::Ones(1), options);
  return overall_verdict(rows);
}

}  // namespace kurbel::test
