#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "base/orthogonal.hpp"
#include "base/unsymmetric_eigen.hpp"
#include "integration/indices.hpp"
#include "integration/initial_conditions.hpp"

namespace kurbel {

namespace {

/// Directions below, of a period of 200 s and more, count as without stiffness, 1/s^2.
constexpr double least_stiffness = 1e-3;

/// Longest step, in lengths of the mechanism and radians.
constexpr double longest_step = 0.2;

}  // namespace

template <class S>
void InitialConditions<S>::choose_balanced_coordinates() {
  balanced_.clear(), fixed_.clear();
  for (Eigen::Index i = 0; i < model_.n_v(); ++i)
    (model_.starts_in_equilibrium(i) ? balanced_ : fixed_).push_back(i);
}

/// Free displacements Z of E: those which need none along the constraint directions that H leaves to E,
/// orthonormal in lengths and radians. Accelerations weighed by (Z^T M_E Z)^-1 Z^T M_E are coordinates of the
/// free ones.
template <class S>
void InitialConditions<S>::prepare_balance(const State& state) {
  balance_.emplace(model_, t0_, state.x, typename Directions::Ranks{fixed_, balanced_}, *ws_);
  if (!balance_->complete()) return;
  const Matrix& U = balance_->last_directions();
  const auto n_e = static_cast<Eigen::Index>(balanced_.size()), s = U.cols();
  const Matrix C_E = columns_of(balance_->C(), balanced_);
  const VectorXd unscale = rows_of(position_.scale(), balanced_).cwiseInverse();
  MatrixXd Z = MatrixXd::Identity(n_e, n_e);
  if (s > 0) {
    const Matrix CT_U = C_E.transpose() * U;
    Z = orthonormal_factor(real_matrix<S>(unscale.asDiagonal() * CT_U));
  }
  Z = (unscale.asDiagonal() * Z.rightCols(n_e - s)).eval();
  Matrix M_at;
  gather(balance_->M(), balanced_, balanced_, M_at);
  const MatrixXd Z_M = Z.transpose() * real_matrix<S>(M_at), Z_M_Z = Z_M * Z;
  const MatrixXd weights = Z_M_Z.partialPivLu().solve(Z_M).transpose();
  free_.setZero(model_.n_v(), n_e - s), weights_.setZero(model_.n_v(), n_e - s);
  add_to_rows(1.0, Z, balanced_, free_);
  add_to_rows(1.0, weights, balanced_, weights_);
  least_.setZero(model_.n_v());
  if (s == 0) return;
  // The least acceleration that the constraints ask for.
  const Matrix CU = U.transpose() * C_E;
  const Matrix D_E = rows_of(balance_->D(), balanced_).middleCols(balance_->last_column(), s);
  const Matrix CU_D = CU * D_E;
  const Vec requested = CU * rows_of(state.v_dot, balanced_), last = CU_D.partialPivLu().solve(requested);
  Vec y = Vec::Zero(balance_->D().cols());
  y.segment(balance_->last_column(), s) = last;
  balance_->set(y);
  add_to_rows(1.0, Vec(D_E * last), balanced_, least_);
}

/// d free acceleration / d free displacement, with all that follows from it.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::differentiate_acceleration(const State& state) {
  StateDirections out;
  propagate(state, nullptr, &free_, out);
  return weights_.transpose() * (out.v_dot - balance_->push_forward(nullptr, out.x, *ws_));
}

/// The state that follows from another shift.
template <class S>
Status InitialConditions<S>::settle(const Vec& xi, const Vec& shift, State& state) {
  if (!position_.displace(xi, shift)) {
    return Failure{.what = "the joints cannot be satisfied near the equilibrium",
                   .where = "assembly",
                   .advice = "start nearer to it",
                   .time = t0_};
  }
  state.x = position_.x();
  if (Status s = assemble_velocity(state); s.failed()) return s;
  return solve_acceleration(state);
}

/// shift += Z step, shortened until it does not end in accelerations that push back harder than they drew.
template <class S>
Status InitialConditions<S>::advance_balanced(const Vec& step, State& state) {
  constexpr double shortest_fraction = 1e-3, decided_by_rounding = 1e-6;
  const Vec shift = position_.shift(), xi = position_.xi(), move = free_ * step;
  Matrix M_at;
  gather(balance_->M(), balanced_, balanced_, M_at);
  const Vec impulse = M_at.transpose() * rows_of(move, balanced_);
  const auto pull = [&] {
    return real_part<S>((impulse.transpose() * rows_of(state.v_dot, balanced_)).value());
  };
  const double drawn = std::abs(pull());
  for (double fraction = 1.0;; fraction *= 0.5) {
    const Status status = settle(xi + fraction * move, shift + fraction * move, state);
    if (fraction < shortest_fraction) return status;
    if (!status.failed() && (pull() > -drawn || position_.measure(move) < decided_by_rounding)) return {};
  }
}

template <class S>
Failure InitialConditions<S>::no_equilibrium(const std::string& what, Eigen::Index coordinate) const {
  return {
      .what = what,
      .where = model_.coordinate_name(coordinate),
      .advice = fixed_.empty()
                    ? "give it a spring or a joint that holds it, start nearer to a stable position, or use "
                      "initial.state = \"quasi-static\" or \"given\""
                    : "raise the stiffness of what deforms (a design with little material has hardly any), "
                      "reduce its loads, or use initial.state = \"given\"",
      .time = t0_};
}

/// Begins where the last step ended, if no position is tied to the given one, and finds the free displacements.
/// @return whether there is a least acceleration
template <class S>
bool InitialConditions<S>::begin_step(const State& state) {
  if (fixed_.empty() && !position_.begin_at(state.x)) return false;
  prepare_balance(state);
  return balance_->complete();
}

/// The state, and the position's shift, of before.
template <class S>
bool InitialConditions<S>::return_to(const Displaced& before, State& state) {
  state = before.state;
  if (!fixed_.empty()) return !settle(before.xi, before.shift, state).failed();
  const Vec none = Vec::Zero(model_.n_v());
  return position_.begin_at(state.x) && !settle(none, none, state).failed();
}

/// Newton's iteration for free accelerations equal to the unbalanced ones. Slender beams need whole steps: each
/// stretches them by the square of its rotations, and the next one takes that back. It is not accepted where it does
/// not converge, leaves the neighbourhood of its start, or ends in an unstable state.
template <class S>
LoadStep InitialConditions<S>::follow_accelerations(const Vec& unbalanced, State& state) {
  constexpr int max_iterations = 12;
  constexpr double converged = 1e-6;
  double first = 0.0;
  for (int iteration = 1; iteration <= max_iterations; ++iteration) {
    const LoadStep failed{iteration, false};
    if (!begin_step(state) || free_.cols() == 0) return failed;
    const Matrix A = differentiate_acceleration(state);
    if (!A.allFinite()) return failed;
    const Vec step = -A.partialPivLu().solve(weights_.transpose() * (state.v_dot - least_ - unbalanced));
    const double size = step.size() > 0 ? step.cwiseAbs().maxCoeff() : 0.0;
    if (iteration == 1) first = size;
    if (!std::isfinite(size) || size > first) return failed;
    const Vec move = free_ * step, xi = position_.xi() + move, shift = position_.shift() + move;
    if (settle(xi, shift, state).failed()) return failed;
    if (size < converged) return {iteration, least_mode(-real_matrix<S>(A)).value > -least_stiffness};
  }
  return {max_iterations, false};
}

/// Lets the loads go little by little: holds the state with the accelerations that it has, and takes away what
/// holds it in steps that adapt. Each of them stays stable, so that the curve of equilibria is not left for another
/// one; from an unstable start there is no such curve.
/// @return the part of the loads that acts in the end, 1 in a stable equilibrium
template <class S>
double InitialConditions<S>::step_loads(State& state) {
  if (!begin_step(state) || free_.cols() == 0) return 0.0;
  const Matrix A = differentiate_acceleration(state);
  if (!A.allFinite() || least_mode(-real_matrix<S>(A)).value < -least_stiffness) return 0.0;
  const Vec unbalanced = state.v_dot - least_;
  Displaced before;
  return take_load_steps(
      [&](double left) {
        before = {state, position_.xi(), position_.shift()};
        return follow_accelerations(left * unbalanced, state);
      },
      [&] { return return_to(before, state); });
}

/// Newton's iteration for free accelerations a of zero, (s - da/dz) step = a. The shift s is zero near a
/// stable equilibrium; elsewhere it makes the step follow the accelerations and bounds its length. What it does
/// not reach soon, as slender beams, is looked for by load steps from the start.
template <class S>
Status InitialConditions<S>::find_equilibrium(State& state) {
  constexpr int max_iterations = 200, patience = 16;
  constexpr double converged = 1e-9;
  double loads = 0.0;
  const Displaced start{state, position_.xi(), position_.shift()};
  bool was_small = false;
  Eigen::Index worst = 0;
  const auto largest = [&](const Vec& amplitudes) {
    const Vec displacement = free_ * amplitudes;
    Eigen::Index i = 0;
    position_.scale().cwiseProduct(displacement.cwiseAbs()).maxCoeff(&i);
    return i;
  };
  int iteration = 0;
  for (; iteration < max_iterations; ++iteration) {
    if (iteration == patience) {
      const Displaced reached{state, position_.xi(), position_.shift()};
      if (return_to(start, state)) loads = step_loads(state);
      if (loads < 1.0 && !return_to(reached, state)) break;
      was_small = false;
    }
    if (!begin_step(state)) break;
    if (free_.cols() == 0) {
      balanced_.clear();
      return {};
    }
    Matrix A = differentiate_acceleration(state);
    const Vec a = weights_.transpose() * (state.v_dot - least_);
    if (!A.allFinite()) break;
    // The displacement that is answered with the least stiffness per mass, 1/s^2: the square of a frequency,
    // negative where the mechanism runs away.
    const LeastMode softest = least_mode(-real_matrix<S>(A));
    worst = largest(a);
    const double drawn = a.cwiseAbs().maxCoeff();
    const double shift = std::max(drawn / longest_step, least_stiffness) - softest.value;
    if (shift > 0.0) A.diagonal().array() -= shift;
    const Vec step = -A.partialPivLu().solve(a);
    const bool small = step.cwiseAbs().maxCoeff() < converged;
    const Vec soft = softest.vector.template cast<S>();
    if (small && softest.value < -least_stiffness)
      return no_equilibrium("the static equilibrium reached is unstable", largest(soft));
    if (small && softest.value < least_stiffness)
      return no_equilibrium(
          "the static equilibrium is undetermined: there is no stiffness in a free direction", largest(soft));
    if (Status s = advance_balanced(step, state); s.failed()) return s;
    // Quadratic convergence; under complex step the imaginary part is one iteration behind.
    if (small && was_small) {
      prepare_balance(state);
      if (!balance_->complete()) break;
      balance_lu_.compute(differentiate_acceleration(state));
      return {};
    }
    was_small = small;
  }
  const std::string after =
      fmt::format("accelerations of {:.2g} after {} steps", state.v_dot.cwiseAbs().maxCoeff(), iteration);
  if (loads == 0.0 || loads == 1.0)
    return no_equilibrium(fmt::format("no static equilibrium is found ({})", after), worst);
  Failure failure = no_equilibrium(
      fmt::format("no static equilibrium is found ({}; load steps end at {:.4g} % of the loads)", after,
                  100.0 * loads),
      worst);
  failure.advice =
      "the mechanism may buckle at these loads: reduce them or raise the stiffness; " + failure.advice;
  return failure;
}

#define KURBEL_INSTANTIATE(S)                                              \
  template void InitialConditions<S>::choose_balanced_coordinates();       \
  template void InitialConditions<S>::prepare_balance(const State& state); \
  template Status InitialConditions<S>::find_equilibrium(State& state);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
