/// @file
/// A user's choices for the time integration.
#pragma once

#include <array>
#include <cmath>
#include <stdexcept>
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

/// A method of integration: a row of the table from which its word, the keys that it has, and checks follow.
struct IntegratorTraits {
  IntegratorMethod method;
  const char* word;  ///< of input files, "trapezoidal"
  int order;         ///< of the error by the step; 0: the method chooses its steps by itself
  bool is_implicit;
  bool takes_momenta;        ///< integrates Hamilton's equations
  bool is_of_first_order;    ///< integrates x_dot = f(t, x), of mechanisms without constraints
  bool keeps_accelerations;  ///< of a mechanism without constraints
};
inline constexpr std::array integrator_table = [] {
  using M = IntegratorMethod;
  // clang-format off
  return std::array<IntegratorTraits, 7>{{
      // method                  word                  order implicit momenta first order accelerations
      {M::generalized_alpha,    "generalized-alpha",    2, true,  false, false, true},
      {M::trapezoidal,          "trapezoidal",          2, true,  false, false, false},
      {M::runge_kutta_4,        "runge-kutta-4",        4, false, true,  true,  false},
      {M::dormand_prince,       "dormand-prince",       0, false, true,  true,  false},
      {M::variational_midpoint, "variational-midpoint", 2, true,  false, false, true},  // of order 2 with alpha = 0.5 alone
      {M::explicit_euler,       "explicit-euler",       1, false, false, true,  false},
      {M::implicit_euler,       "implicit-euler",       1, true,  false, true,  false},
  }};
  // clang-format on
}();

constexpr const IntegratorTraits& traits_of(IntegratorMethod method) {
  for (const IntegratorTraits& traits : integrator_table) {
    if (traits.method == method) return traits;
  }
  throw std::logic_error("a method of integration has no row in integrator_table");
}
constexpr bool takes_momenta(IntegratorMethod method) {
  return traits_of(method).takes_momenta;
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
