/// @file
/// Takes the steps of Matrix R by Newton's iteration on the independent velocities.              [P4, eqs 5-29]
///
/// matrix_r.hpp has the equations and the letters R, A, X, V, W and xi. The code adds:
///
///     x, v, w, lambda   state at the end of a step; x0, v0, w0: at its start
///     own               the choice of the step: rows of C that are kept; dependent (D) and free (I) velocities
///     T, CT             derivative of the retraction by xi, and C T
///     C_free, CT_free   columns I of C and of C T;  R_: the rows D of R
///     c0, c1, c2        residuals of c, c_dot and c_ddot;  c1_x, c2_v, ...: their derivatives by x, by v
///     d                 directions (xi, x, v, w) of the state, a column each
///     moved             the directions that w_1,I moves: X, V and W are its x, v and w
///     G                 f_x X + f_v V + M W, so that A = R^T G
///     by_x, by_v        h^2/4 and h/2, the derivatives of xi_I and v_1,I by w_1,I
///     z_D, z_I          dependent and independent entries of xi, v or w
#include "integration/matrix_r.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/instantiate.hpp"
#include "integration/indices.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

template <class S>
MatrixR<S>::MatrixR(Shared<const SecondOrderDae<S>> model, const IntegratorOptions& options,
                    Indices independent)
    : Base(std::move(model), options, 1),
      given_(std::move(independent)),
      mass_roots_(layout_.n_v),
      f_(layout_.n_v),
      c_(layout_.n_c),
      xi_(layout_.n_v),
      no_multipliers_(Vec::Zero(layout_.n_c)) {
  if (layout_.n_c == 0) {
    unconstrained_ = make_linearized_dae(model_, options.linear_solver);
  } else {
    jacobians_ = model_.make_jacobians();
  }
  constraints_.resize(layout_.n_v, layout_.n_c);
  find_poses();
  choice_of_step_.assign(static_cast<std::size_t>(n_steps_) + 1, 0);
}

template <class S>
Status MatrixR<S>::initial_state(Eigen::Ref<Vec> y0) {
  if (Status s = Base::initial_state(y0); s.failed()) return s;
  begin(y0);
  return {};
}

template <class S>
void MatrixR<S>::begin(const Segment& y0) {
  linearized_ = 0;
  if (unconstrained_) unconstrained_->forget();
  evaluate(layout_.template instant<S>(options_.t0, y0));
  choices_.clear();
  Choice chosen = choose(layout_.v(y0));
  const auto is_free = [&](Eigen::Index i) { return std::ranges::binary_search(chosen.free, i); };
  if (!determines(chosen) || !std::ranges::all_of(given_, is_free)) {
    throw IndependentCoordinates("these coordinates do not determine others by the constraints at the start");
  }
  adopt(std::move(chosen));
  watched_.assign(given_.size(), {});
  turned_back_.reset();
  orientation_ = 0.0;
  if (!given_.empty()) watch_given(0);
}

template <class S>
void MatrixR<S>::evaluate(const DaeInstant<S>& at) {
  if (unconstrained_) return unconstrained_->linearize(at, *ws_, f_, c_);
  model_.constraint_derivatives(at, *ws_, constraints_);
  model_.linearize(at, *ws_, f_, c_, jacobians_);
}

/// Computes C T, and factorizes the columns of dependent velocities of C and of C T.
template <class S>
bool MatrixR<S>::factorize_constraints(const Segment& xi) {
  model_.retraction_derivative(xi, blocks_);
  const Choice& own = choice();
  if (own.rows.empty()) return true;
  CT_ = constraints_.C;
  for (const RetractionBlock<S>& block : blocks_) {
    CT_.middleCols(block.offset, block.size()).noalias() =
        constraints_.C.middleCols(block.offset, block.size()) * block.T;
  }
  const auto compute = [&](const Matrix& C, Lu& lu, Matrix& free) {
    gather(C, own.rows, own.dependent, square_);
    lu.compute(square_);
    gather(C, own.rows, own.free, free);
    return is_regular(lu);
  };
  return compute(constraints_.C, velocity_lu_, C_free_) && compute(CT_, position_lu_, CT_free_);
}

/// Computes R from the factors of C_D.
template <class S>
void MatrixR<S>::relate() {
  const Choice& own = choice();
  R_.resize(std::ssize(own.dependent), std::ssize(own.free));
  if (own.rows.empty()) return;
  R_ = velocity_lu_.solve(C_free_);
  R_ *= -1.0;
}

template <class S>
bool MatrixR<S>::factorize(const Segment& xi) {
  if (!factorize_constraints(xi)) return false;
  relate();
  return true;
}

/// Adopts a choice, with the limit of its leverage at the position last evaluated.
template <class S>
void MatrixR<S>::adopt(Choice chosen) {
  constexpr double least = 30.0, growth = 3.0;
  choices_.push_back(std::move(chosen));
  current_ = choices_.size() - 1;
  if (factorize(Vec::Zero(layout_.n_v))) choices_.back().limit = std::max(least, growth * leverage());
}

/// Completes directions whose xi_I, v_I and w_I are set, so that the linearized constraints with the residuals c0, c1
/// and c2 hold.
/// @param d  its x holds, on entry, displacements of x_1 beside those by xi
template <class S>
void MatrixR<S>::complete(const ConstColumns& c0, const ConstColumns& c1, const ConstColumns& c2,
                          Directions& d) const {
  const Choice& own = choice();
  // z_D = -C_D^-1 (residual + C_I z_I)
  const auto set_dependent = [&](Matrix& z, const Matrix& C_free, const Lu& lu) {
    gather_rows(d.residual, own.rows, d.kept);
    gather_rows(z, own.free, d.free);
    d.kept.noalias() += C_free * d.free;
    solve_in_place(lu, d.kept, d.dependent);
    for (Eigen::Index j = 0; j < z.cols(); ++j) {
      for (std::size_t i = 0; i < own.dependent.size(); ++i)
        z(own.dependent[i], j) = -d.kept(Eigen::Index(i), j);
    }
  };
  const bool is_constrained = !own.rows.empty();
  if (is_constrained) {
    d.residual = c0;
    if (!d.x.isZero(0.0)) d.residual.noalias() += constraints_.C * d.x;
    set_dependent(d.xi, CT_free_, position_lu_);
  }
  turn(blocks_, d.xi, &RetractionBlock<S>::T, false, d.turned);
  d.x += d.turned;
  if (!is_constrained) return;
  d.residual = c1;
  d.residual.noalias() += constraints_.c1_x * d.x;
  set_dependent(d.v, C_free_, velocity_lu_);
  d.residual = c2;
  d.residual.noalias() += constraints_.c2_x * d.x;
  d.residual.noalias() += constraints_.c2_v * d.v;
  set_dependent(d.w, C_free_, velocity_lu_);
}

/// Computes reduced = R^T of_all.
template <class S>
void MatrixR<S>::project(const Matrix& of_all, Matrix& reduced) const {
  const Choice& own = choice();
  gather_rows(of_all, own.free, reduced);
  for (Eigen::Index j = 0; j < of_all.cols(); ++j) {
    for (Eigen::Index k = 0; k < reduced.rows(); ++k) {
      for (std::size_t i = 0; i < own.dependent.size(); ++i)
        reduced(k, j) += R_(Eigen::Index(i), k) * of_all(own.dependent[i], j);
    }
  }
}

/// Computes X, V, W and G, and factorizes A = R^T G.
/// @return whether A is regular
template <class S>
bool MatrixR<S>::reduce() {
  sweep_.serves = false;
  if (unconstrained_) return unconstrained_->factorize(blocks_, by_v(), by_x());
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v, d = std::ssize(own.free);
  moved_.set_zero(n, d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const Eigen::Index i = own.free[static_cast<std::size_t>(j)];
    moved_.xi(i, j) = by_x(), moved_.v(i, j) = by_v(), moved_.w(i, j) = S(1.0);
  }
  none_.setZero(layout_.n_c, d);
  complete(none_, none_, none_, moved_);
  G_.setZero(n, d);
  jacobians_.f_x.add_product(1.0, moved_.x, G_);
  jacobians_.f_v.add_product(1.0, moved_.v, G_);
  jacobians_.M.add_product(1.0, moved_.w, G_);
  if (d == 0) return true;
  gather_rows(G_, own.free, A_);
  gather_rows(G_, own.dependent, moved_.dependent);
  A_.noalias() += R_.transpose() * moved_.dependent;
  reduced_lu_.compute(A_);
  return is_regular(reduced_lu_);
}

/// Corrects directions by a change of w_1,I, so that R^T f vanishes to first order. On entry unbalanced_ holds f, on
/// return what is left for the multipliers to balance.
template <class S>
void MatrixR<S>::balance(Directions& d) {
  jacobians_.f_x.add_product(1.0, d.x, unbalanced_);
  jacobians_.f_v.add_product(1.0, d.v, unbalanced_);
  jacobians_.M.add_product(1.0, d.w, unbalanced_);
  if (choice().free.empty()) return;
  project(unbalanced_, w_free_);
  solve_in_place(reduced_lu_, w_free_, reduced_);
  unbalanced_.noalias() -= G_ * w_free_;
  d.xi.noalias() -= moved_.xi * w_free_;
  d.v.noalias() -= moved_.v * w_free_;
  d.w.noalias() -= moved_.w * w_free_;
}

template <class S>
double MatrixR<S>::kinetic_norm(const Segment& w) {
  return unconstrained_ ? unconstrained_->kinetic_norm(w) : kurbel::kinetic_norm<S>(jacobians_.M, w, M_w_);
}

/// Sets w and lambda to those of the start, or extrapolates them from the last two steps; sets v, xi_ and x that follow.
template <class S>
void MatrixR<S>::guess(const Segment& y_prev, Eigen::Ref<Vec> y, bool extrapolates) {
  const DaeStateLayout& l = layout_;
  const auto v0 = l.v(y_prev), w0 = l.w(y_prev);
  auto v = l.v(y), w = l.w(y);
  w = w0;
  l.lambda(y) = l.lambda(y_prev);
  if (extrapolates) this->extrapolate(y_prev, y);
  v = v0 + (0.5 * h_) * (w0 + w);
  xi_ = (0.5 * h_) * (v0 + v);
  model_.retract(l.x(y_prev), xi_, l.x(y));
}

template <class S>
auto MatrixR<S>::iterate(double t, const Segment& y_prev, Eigen::Ref<Vec> y, bool may_leave,
                         bool is_linearized) -> Outcome {
  const DaeStateLayout& l = layout_;
  const auto x0 = l.x(y_prev);
  auto x = l.x(y), v = l.v(y), w = l.w(y), lambda = l.lambda(y);
  const double floor = 1e-13 / (h_ * h_) * std::max(1.0, x0.template lpNorm<Eigen::Infinity>());
  const Choice& own = choice();
  // Factors of one iteration serve the next ones as long as the iteration contracts fast enough; those of a step before, if
  // they are there, until what is left is as small as after an iteration of Newton's. Multipliers have to converge as well:
  // accelerations of what turns at a constant rate are right at once, and do not show that C_D has turned. Contraction is that
  // of the kinetic norm, so that new factors do not depend on the unit of length; the end is judged by the largest number.
  constexpr double contraction = 0.02, contraction_of_multipliers = 0.5, rounding = 1e-12;
  double former = std::numeric_limits<double>::infinity(), former_moved = former, former_balanced = former;
  bool was_small = false, serves = is_linearized;
  Directions& d = correction_;
  for (int iteration = 0; iteration < options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    iterations_ = iteration + 1;
    const DaeInstant<S> at{t, x, v, w, lambda};
    if (serves) {
      model_.residual(at, *ws_, f_, c_);
      if (!unconstrained_) model_.constraint_values(at, *ws_, constraints_);
    } else {
      is_linearized = false;
      evaluate(at);
      if (!factorize(xi_)) return Outcome::singular;
      if (may_leave && leverage() > choice().limit) return Outcome::ill_conditioned;
      if (!reduce()) break;
    }
    d.set_zero(l.n_v, 1);
    complete(constraints_.c0, constraints_.c1, constraints_.c2, d);
    unbalanced_ = f_;
    if (unconstrained_) {
      unconstrained_->solve(unbalanced_, w_free_);
      d.xi -= by_x() * w_free_, d.v -= by_v() * w_free_, d.w -= w_free_;
    } else {
      balance(d);
    }
    xi_ += d.xi, v += d.v, w += d.w;
    double balanced = 0.0;  // by how much multipliers change
    if (!own.rows.empty()) {
      gather_rows(unbalanced_, own.dependent, d.dependent);
      solve_transposed(velocity_lu_, d.dependent, d.kept);
      add_to_rows(-1.0, d.dependent, own.rows, lambda);
      balanced = d.dependent.template lpNorm<Eigen::Infinity>();
    }
    model_.retract(x0, xi_, x);
    const double size = d.w.template lpNorm<Eigen::Infinity>();
    if (!std::isfinite(size) || !std::isfinite(balanced)) break;
    const double largest = w.template lpNorm<Eigen::Infinity>();
    const double of_multipliers = rounding * lambda.template lpNorm<Eigen::Infinity>();
    const bool is_left =
        is_linearized && (iteration == 0 || size * size > (rounding * largest + floor) * former ||
                          balanced * balanced > of_multipliers * former_balanced);
    const double tolerance = options_.newton_tolerance * largest + floor;
    // Close to a singular position rounding is larger than the tolerance: then Newton's iteration no longer contracts.
    const bool is_rounding = !serves && size < 10.0 * tolerance && size > 0.5 * former;
    const bool small = (size <= tolerance || is_rounding) && !is_left;
    if (was_small || (small && std::is_same_v<S, double>)) return Outcome::converged;
    const double moved = kinetic_norm(d.w.col(0));
    if (iteration > 2 && !small && moved > 2.0 * former_moved) break;
    // A complex step does not reuse factors: the imaginary part needs derivatives of its own.
    const bool contracts =
        moved < contraction * former_moved && (!is_linearized || balanced <= of_multipliers ||
                                               balanced < contraction_of_multipliers * former_balanced);
    serves = std::is_same_v<S, double> && (!serves || contracts);
    was_small = small;
    former = size, former_moved = moved, former_balanced = balanced;
  }
  return Outcome::astray;
}

/// Returns whether the factors are those that the step before step k has left, and serve its choice. A complex step needs
/// derivatives of its own.
template <class S>
bool MatrixR<S>::is_linearized(Eigen::Index k) {
  const bool is_new = std::exchange(linearized_, 0) == k - 1;
  return std::is_same_v<S, double> && k > 1 && is_new &&
         choice_of_step_[static_cast<std::size_t>(k) - 1] == current_ &&
         (unconstrained_ || leverage() <= choice().limit);
}

/// Iterates with factors of this step, on coordinates that are chosen anew if they have become poor ones. Whether they have,
/// the start of the step decides, where all constraints are met: iterates depend on which factors served, and guesses of
/// long steps go beyond the motion. Singular factors need other coordinates in any case.
template <class S>
auto MatrixR<S>::iterate_anew(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) -> Outcome {
  const double t = this->time(k);
  guess(y_prev, y, false);
  const Outcome outcome = iterate(t, y_prev, y, true, false);
  if (outcome != Outcome::ill_conditioned && outcome != Outcome::singular) return outcome;
  const auto start = layout_.template instant<S>(this->time(k - 1), y_prev);
  evaluate(start);
  xi_.setZero();
  bool is_tried = false;
  if (outcome == Outcome::ill_conditioned && factorize(xi_) && leverage() <= choice().limit) {
    is_tried = true;
    guess(y_prev, y, false);
    if (iterate(t, y_prev, y, false, false) == Outcome::converged) return Outcome::converged;
    evaluate(start);
  }
  Choice chosen = choose(layout_.v(y_prev));
  if (chosen.rows.size() < choice().rows.size() || !determines(chosen)) return Outcome::singular;
  const bool is_another = chosen.free != choice().free || chosen.rows != choice().rows;
  if (is_tried && !is_another) return Outcome::astray;
  if (is_another) adopt(std::move(chosen));
  guess(y_prev, y, false);
  return iterate(t, y_prev, y, false, false);
}

template <class S>
Status MatrixR<S>::advance(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  constexpr int most = 4;  // with more iterations, new factors are cheaper for the next step
  const double t = this->time(k);
  Outcome outcome = Outcome::astray;
  if (is_linearized(k)) {
    guess(y_prev, y, this->can_extrapolate(k));
    outcome = iterate(t, y_prev, y, true, true);
  }
  if (outcome != Outcome::converged) outcome = iterate_anew(k, y_prev, y);
  // The factors of each step show whether coordinates that are given turn back, so that none are kept.
  if (outcome == Outcome::converged && given_.empty() && iterations_ <= most) linearized_ = k;
  choice_of_step_[static_cast<std::size_t>(k)] = current_;
  if (outcome == Outcome::converged && !given_.empty()) watch_given(k);
  if (outcome != Outcome::converged && !given_.empty()) {
    return this->failure(
        t, "Newton's iteration does not converge on the coordinates of integrator.independent", f_,
        "leave that key out, or name coordinates that do not turn back along the motion; "
        "otherwise reduce integrator.step");
  }
  switch (outcome) {
    case Outcome::converged:
      return {};
    case Outcome::singular:
      return this->failure(
          t, "the mechanism is in a singular position (dead centre)", f_,
          "start elsewhere, reduce integrator.step, or change lengths so that its links do not align");
    case Outcome::astray:
    case Outcome::ill_conditioned:
      if (leverage() <= choice().limit) break;
      return this->failure(t,
                           "Newton's iteration does not converge, close to a singular position (dead centre)",
                           f_, "reduce integrator.step, or change lengths so that its links do not align");
  }
  if (Status s = this->failure_near_dead_centre(k, y_prev); s.failed()) return s;
  return this->failure(t, "Newton's iteration does not converge", f_,
                       "reduce integrator.step, or check loads and stiffness for extreme values");
}

template class MatrixR<InstantiatedScalar>;

}  // namespace kurbel
