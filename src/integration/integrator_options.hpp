/// @file
/// A user's choices for the time integration.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace kurbel {

enum class IntegratorMethod {
  generalized_alpha,
  explicit_euler,
  implicit_euler,
  trapezoidal,
  runge_kutta_4,
  dormand_prince,  ///< of order 5, with steps as an estimate of order 4 asks for, within those of the output
  variational_midpoint
};

/// True for the methods of Hamilton's equations, which are explicit.
constexpr bool takes_momenta(IntegratorMethod method) {
  return method == IntegratorMethod::runge_kutta_4 || method == IntegratorMethod::dormand_prince;
}

/// Solver of the linear systems of implicit steps; small or full systems are faster dense.
enum class LinearSolver { automatic, dense, sparse };

struct IntegratorOptions {
  IntegratorMethod method = IntegratorMethod::generalized_alpha;
  double t0 = 0.0;                 ///< s
  double t1 = 0.0;                 ///< s; to be given, > t0
  double step = 0.0;               ///< h, s; to be given, divides t1 - t0
  double rho_inf = 0.8;            ///< spectral radius at infinite frequency, in [0, 1]; 1 means no damping
  double alpha = 0.5;              ///< of variational_midpoint: where in a step forces are taken, in [0, 1]
  double newton_tolerance = 1e-8;  ///< relative size of the last correction of the highest derivatives
  double tolerance =
      1e-8;  ///< of dormand_prince: error of a step, in rad and m, and relative to the largest momentum
  bool dense_output =
      false;  ///< of dormand_prince: steps pass instants of the output, where it is interpolated
  int max_newton_iterations = 20;  ///< from each of the first guesses of a step
  LinearSolver linear_solver = LinearSolver::automatic;
  /// Independent velocities of Matrix R by SecondOrderDae::coordinate_label(); empty: they are chosen.
  std::vector<std::string> independent{};

  /// Number of steps, (t1 - t0) / h rounded.
  int n_steps() const { return static_cast<int>(std::lround((t1 - t0) / step)); }
};

}  // namespace kurbel
