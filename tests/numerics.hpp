/// @file
/// Judges and arguments of numerical tests.
#pragma once

#include <algorithm>
#include <functional>
#include <random>

#include "base/types.hpp"

namespace kurbel::test {

/// df/dx of an analytic f, exact to rounding.
inline MatrixXd complex_step(const std::function<VectorX<Complex>(const VectorX<Complex>&)>& f,
                             const VectorXd& x) {
  constexpr double step = 1e-40;
  MatrixXd J;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    VectorX<Complex> z = x.cast<Complex>();
    z[k] += Complex(0.0, step);
    const VectorXd column = f(z).imag() / step;
    J.conservativeResize(column.size(), x.size());
    J.col(k) = column;
  }
  return J;
}

/// Largest difference of a column, relative to the column's largest entry.
inline double column_error(const MatrixXd& value, const MatrixXd& expected) {
  double error = 0.0;
  for (Eigen::Index k = 0; k < expected.cols(); ++k) {
    const double size = expected.col(k).cwiseAbs().maxCoeff();
    const double difference = (value.col(k) - expected.col(k)).cwiseAbs().maxCoeff();
    error = std::max(error, size > 0.0 ? difference / size : difference);
  }
  return error;
}

/// Entries in [-size, size].
inline VectorXd random_vector(Eigen::Index n, double size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  return VectorXd::NullaryExpr(n, [&](Eigen::Index) { return uniform(generator); });
}

}  // namespace kurbel::test
