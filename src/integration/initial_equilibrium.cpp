#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "integration/initial_conditions.hpp"

namespace kurbel {

namespace {

/// How the coordinates answer to a displacement: that of least stiffness per mass.
struct Softest {
  double stiffness = 0.0;       ///< 1/s^2: the square of a frequency; negative where the mechanism runs away
  Eigen::Index coordinate = 0;  ///< that moves most
};

/// @param A  accelerations by displacements, in the coordinates E
Softest find_softest(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> modes(-A);
  Softest softest;
  Eigen::Index mode = 0;
  softest.stiffness = modes.eigenvalues().real().minCoeff(&mode);
  modes.eigenvectors().col(mode).cwiseAbs().maxCoeff(&softest.coordinate);
  return softest;
}

/// Directions below, of a period of 200 s and more, count as without stiffness, 1/s^2.
constexpr double least_stiffness = 1e-3;

}  // namespace

template <class S>
void InitialConditions<S>::choose_balanced_coordinates() {
  balanced_.clear();
  positions_are_held_ = false;
  for (Eigen::Index i = 0; i < model_.n_v(); ++i) {
    if (std::find(dependent_.begin(), dependent_.end(), i) != dependent_.end()) continue;
    if (model_.starts_in_equilibrium(i)) {
      balanced_.push_back(i);
    } else {
      positions_are_held_ = true;
    }
  }
}

template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::balanced_rows(const Matrix& A) const {
  Matrix rows(static_cast<Eigen::Index>(balanced_.size()), A.cols());
  for (std::size_t j = 0; j < balanced_.size(); ++j)
    rows.row(static_cast<Eigen::Index>(j)) = A.row(balanced_[j]);
  return rows;
}

template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::spread_balanced(const Matrix& rows) const {
  Matrix A = Matrix::Zero(model_.n_v(), rows.cols());
  for (std::size_t j = 0; j < balanced_.size(); ++j)
    A.row(balanced_[j]) = rows.row(static_cast<Eigen::Index>(j));
  return A;
}

/// d v_dot_E / d xi_E with all that follows from xi_E.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::differentiate_acceleration(const State& state) {
  const auto n = static_cast<Eigen::Index>(balanced_.size());
  linearize(state);
  directions_.resize(model_.n_c(), n);
  StateDirections out;
  propagate(directions_, Matrix::Zero(model_.n_v(), n), spread_balanced(Matrix::Identity(n, n)), out);
  return balanced_rows(out.v_dot);
}

/// The state that follows from xi_E.
template <class S>
Status InitialConditions<S>::settle(const Vec& x_base, const Vec& v_given, State& state) {
  model_.retract(x_base, xi_, state.x);
  if (model_.n_c() > 0) {
    if (Status s = correct_position(x_base, state)) return s;
    state.v = v_given;
    if (Status s = assemble_velocity(state)) return s;
  }
  return solve_acceleration(state);
}

/// xi_E += step, shortened until it does not end in accelerations that push back harder than they drew.
template <class S>
Status InitialConditions<S>::advance_balanced(const Vec& x_base, const Vec& v_given, const Vec& step,
                                              State& state) {
  constexpr double shortest_fraction = 1e-3, decided_by_rounding = 1e-6;
  const Vec xi = xi_;
  const auto pull = [&] { return std::real((balanced_rows(state.v_dot).transpose() * step).value()); };
  const double drawn = std::abs(pull());
  for (double fraction = 1.0;; fraction *= 0.5) {
    xi_ = xi + spread_balanced(fraction * step);
    const Status status = settle(x_base, v_given, state);
    if (fraction < shortest_fraction) return status;
    if (!status && (pull() > -drawn || step.cwiseAbs().maxCoeff() < decided_by_rounding)) return {};
  }
}

template <class S>
Failure InitialConditions<S>::no_equilibrium(const std::string& what, Eigen::Index balanced) const {
  return {.what = what,
          .where = model_.coordinate_name(balanced_[static_cast<std::size_t>(balanced)]),
          .advice =
              "give it a spring or a joint that holds it, start nearer to a stable position, or use "
              "initial.state = \"quasi-static\" or \"given\"",
          .time = t0_};
}

/// Newton's iteration for v_dot_E = 0, (s - dv_dot_E/dxi_E) step = v_dot_E. The shift s is zero near a stable
/// equilibrium; elsewhere it makes the step follow the accelerations and bounds its length.
template <class S>
Status InitialConditions<S>::find_equilibrium(Vec x_base, const Vec& v_given, State& state) {
  constexpr int max_iterations = 500;
  constexpr double longest = 0.2, converged = 1e-9;
  bool was_small = false;
  Eigen::Index worst = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!positions_are_held_) {  // no position is tied to the base: begin again from here
      x_base = state.x;
      xi_.setZero();
      model_.constraint_derivatives(instant(state), *ws_, constraints_);
      choose_dependent_coordinates(constraints_.C);
      choose_balanced_coordinates();
    }
    Matrix A = differentiate_acceleration(state);
    const Vec a = balanced_rows(state.v_dot);
    if (!A.allFinite()) break;
    const Softest softest = find_softest(A.real());
    const double drawn = a.cwiseAbs().maxCoeff(&worst);
    const double shift = std::max(drawn / longest, least_stiffness) - softest.stiffness;
    if (shift > 0.0) A.diagonal().array() -= shift;
    const Vec step = -A.partialPivLu().solve(a);
    const bool small = step.cwiseAbs().maxCoeff() < converged;
    if (small && softest.stiffness < -least_stiffness)
      return no_equilibrium("the static equilibrium reached is unstable", softest.coordinate);
    if (small && softest.stiffness < least_stiffness)
      return no_equilibrium(
          "the static equilibrium is undetermined: there is no stiffness in a free direction",
          softest.coordinate);
    if (Status s = advance_balanced(x_base, v_given, step, state)) return s;
    // Quadratic convergence; under complex step the imaginary part is one iteration behind.
    if (small && was_small) {
      balance_lu_.compute(differentiate_acceleration(state));
      return {};
    }
    was_small = small;
  }
  return no_equilibrium(fmt::format("no static equilibrium is found (accelerations of {:.2g} after {} steps)",
                                    balanced_rows(state.v_dot).cwiseAbs().maxCoeff(), max_iterations),
                        worst);
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void InitialConditions<S>::choose_balanced_coordinates();                                         \
  template typename InitialConditions<S>::Matrix InitialConditions<S>::balanced_rows(const Matrix& A) const; \
  template typename InitialConditions<S>::Matrix InitialConditions<S>::spread_balanced(const Matrix& rows)   \
      const;                                                                                                 \
  template Status InitialConditions<S>::find_equilibrium(Vec x_base, const Vec& v_given, State& state);
KURBEL_INSTANTIATE(double)
KURBEL_INSTANTIATE(Complex)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
