/// @file
/// Linearizes a step of Matrix R, forwards and backwards (the adjoint).                           [P4, eqs 30-61]
///
/// Letters besides those of matrix_r.hpp and matrix_r.cpp:
///
///     phi                     adjoint variables of f, n_v, such that nothing is left at w_1,I: p_bar -= phi . df/dp
///     alpha, gamma, epsilon   adjoint variables of c, c_dot and c_ddot, n_c, likewise
///     b.x, b.v, b.w           seeds of x_1, v_1 and w_1, less what the adjoint variables take of them
///     b.xi_free, b.v_free, b.w_free   seeds of xi_I, v_1,I and w_1,I
///     b.reduced               what is left at w_1,I
///     T, Ad                   derivatives of the retraction x o exp(xi) by xi and by x; b.turned: T^T or Ad^T of b.x
///     S                       right inverse [C_D^-1; 0] of the kept rows of C, in comments (in code the scalar)
///     k, d, m                 step, number of independent velocities, number of columns
///     f_p, c_p                derivatives of f and c along directions of parameter space
#include "base/instantiate.hpp"
#include "integration/indices.hpp"
#include "integration/matrix_r.hpp"

namespace kurbel {

namespace {

/// Contraction rate of the corrections beyond which the factors of another step are not used.
constexpr double too_slow = 0.05;

}  // namespace

/// Evaluates the model and its derivatives at the end of step k.
template <class S>
void MatrixR<S>::linearize(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  current_ = choice_of_step_[static_cast<std::size_t>(k)];
  model_.increment(layout_.x(y_prev), layout_.x(y), xi_);
  evaluate(layout_.template instant<S>(this->time(k), y));
}

/// Pulls back a step without constraints. The state at its start acts only through x_1 = x_0 o exp(xi) with
/// xi = h v_0 + h^2/4 (w_0 + w_1), and through v_1 = v_0 + h/2 (w_0 + w_1).
template <class S>
void MatrixR<S>::pull_back_without_constraints(const DaeInstant<S>& at, const Segment& y_prev, Columns y_bar,
                                               Columns p_bar) {
  const Eigen::Index n = layout_.n_v, m = y_bar.cols();
  Bars& b = bars_;
  b.x = y_bar.topRows(n), b.v = y_bar.middleRows(n, n), b.w = y_bar.middleRows(2 * n, n);
  turn(blocks_, b.x, &RetractionBlock<S>::T, true, b.turned);
  b.w += by_x() * b.turned + by_v() * b.v;
  phi_.resize(n);
  for (Eigen::Index j = 0; j < m; ++j) {
    Vec& rhs = xi_;
    rhs = b.w.col(j);
    unconstrained_->solve_transposed(rhs, phi_);
    unconstrained_->subtract_transposed_product(phi_, no_multipliers_, b.x.col(j), b.v.col(j));
    phi_ *= -1.0;
    model_.pullback(at, phi_, no_multipliers_, *ws_, p_bar.col(j));
  }
  turn(blocks_, b.x, &RetractionBlock<S>::T, true, b.turned);
  if (this->varies_length()) pull_back_length(y_prev, at.v_dot, b.turned, b.v, p_bar);
  y_bar.middleRows(n, n) = h_ * b.turned + b.v;
  y_bar.middleRows(2 * n, n) = by_x() * b.turned + by_v() * b.v;
  turn(blocks_, b.x, &RetractionBlock<S>::Ad, true, b.turned);
  y_bar.topRows(n) = b.turned;
}

/// Pulls back the length of the step in xi = h v_0 + h^2/4 (w_0 + w_1) and v_1 = v_0 + h/2 (w_0 + w_1).
/// @param xi_bar, v_bar  seeds of all velocities, zero of those that are dependent
template <class S>
void MatrixR<S>::pull_back_length(const Segment& y_prev, const Segment& w, const Matrix& xi_bar,
                                  const Matrix& v_bar, Columns p_bar) {
  const Vec v_change = by_v() * (layout_.w(y_prev) + w);
  const Vec xi_change = h_ * (layout_.v(y_prev) + v_change);
  for (Eigen::Index j = 0; j < p_bar.cols(); ++j)
    this->add_length_bar(
        (xi_bar.col(j).transpose() * xi_change + v_bar.col(j).transpose() * v_change).value(), p_bar.col(j));
}

/// Subtracts from the seeds of x, v and w what the residuals take of them: f by phi, and the constraints by those
/// epsilon, gamma and alpha that leave nothing at dependent velocities. b.reduced is what remains at w_1,I.
template <class S>
void MatrixR<S>::eliminate(const Columns& y_bar) {
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v;
  Bars& b = bars_;
  b.x = y_bar.topRows(n), b.v = y_bar.middleRows(n, n), b.w = y_bar.middleRows(2 * n, n);
  jacobians_.f_x.add_transposed_product(-1.0, b.phi, b.x);
  jacobians_.f_v.add_transposed_product(-1.0, b.phi, b.v);
  jacobians_.M.add_transposed_product(-1.0, b.phi, b.w);
  const auto take = [&](const Matrix& bar, const Lu& lu, const Matrix& C_free, Matrix& rows, Matrix& free) {
    rows.setZero(layout_.n_c, bar.cols());
    gather_rows(bar, own.free, free);
    if (own.rows.empty()) return;
    gather_rows(bar, own.dependent, b.dependent);
    solve_transposed(lu, b.dependent, b.kept);
    add_to_rows(1.0, b.dependent, own.rows, rows);
    free.noalias() -= C_free.transpose() * b.dependent;
  };
  take(b.w, velocity_lu_, C_free_, b.epsilon, b.w_free);
  b.v.noalias() -= constraints_.c2_v.transpose() * b.epsilon;
  take(b.v, velocity_lu_, C_free_, b.gamma, b.v_free);
  b.x.noalias() -= constraints_.c2_x.transpose() * b.epsilon;
  b.x.noalias() -= constraints_.c1_x.transpose() * b.gamma;
  turn(blocks_, b.x, &RetractionBlock<S>::T, true, b.turned);
  take(b.turned, position_lu_, CT_free_, b.alpha, b.xi_free);
  b.reduced = b.w_free + by_v() * b.v_free + by_x() * b.xi_free;
}

/// Adds R d_phi + S b.kept to phi, where b.kept has the rows of C that are kept.
template <class S>
void MatrixR<S>::add_to_phi(const Matrix& d_phi) {
  const Choice& own = choice();
  Bars& b = bars_;
  add_to_rows(1.0, d_phi, own.free, b.phi);
  if (own.rows.empty()) return;
  b.kept.noalias() -= C_free_ * d_phi;
  solve_in_place(velocity_lu_, b.kept, b.dependent);
  add_to_rows(1.0, b.kept, own.dependent, b.phi);
}

/// Corrects phi by R A^-T b.reduced.
template <class S>
void MatrixR<S>::correct_phi() {
  Bars& b = bars_;
  solve_transposed(reduced_lu_, b.reduced, b.scratch);
  b.kept.setZero(std::ssize(choice().rows), b.reduced.cols());
  add_to_phi(b.reduced);
}

/// Iterates phi with the factors of A of a nearby step.
/// @return contraction rate of the corrections; above too_slow, phi has not converged
template <class S>
double MatrixR<S>::contract_phi(const Columns& y_bar) {
  constexpr double rounding = 1e-15;
  double rate = 0.0, former = 0.0;
  for (bool is_first = true;; is_first = false) {
    eliminate(y_bar);
    correct_phi();
    const double size = bars_.reduced.template lpNorm<Eigen::Infinity>();
    if (!is_first) rate = size / former;
    if ((is_first ? 1.0 : rate) * size <= rounding * bars_.phi.template lpNorm<Eigen::Infinity>()) break;
    if (!(rate <= too_slow)) return rate;
    former = size;
  }
  eliminate(y_bar);
  return rate;
}

/// Finds the phi that leaves nothing at w_1,I. The factors of A of one step serve the steps before it as long as the
/// corrections contract fast enough. There phi begins with a linear extrapolation from the last two steps.
template <class S>
void MatrixR<S>::solve_adjoint(Eigen::Index k, const Columns& y_bar) {
  constexpr double slow = 0.01;
  constexpr Eigen::Index dearer = 8;  // cost of correcting a column of phi, in columns of A
  const Choice& own = choice();
  Bars& b = bars_;
  Sweep& last = sweep_;
  const Eigen::Index d = std::ssize(own.free), m = y_bar.cols();
  const bool follows = last.step == k + 1 && last.phi.cols() == m &&
                       choice_of_step_[static_cast<std::size_t>(last.step)] == current_;
  const bool serves = follows && last.serves && dearer * m <= d && std::is_same_v<S, double>;
  b.phi.setZero(layout_.n_v, m);
  gather_rows(y_bar.bottomRows(layout_.n_c), own.rows, b.kept);
  b.reduced.setZero(d, m);
  if (serves) b.reduced = 2.0 * last.phi - last.phi_of_former;
  add_to_phi(b.reduced);
  const double rate = serves ? contract_phi(y_bar) : 1.0;
  if (!(rate <= too_slow)) {
    relate();
    reduce();
    eliminate(y_bar);
    if (d > 0) correct_phi(), eliminate(y_bar);
  }
  last.step = k, last.serves = !serves || rate < slow;
  last.phi_of_former.swap(last.phi);
  gather_rows(b.phi, own.free, last.phi);
  if (!follows) last.phi_of_former = last.phi;
}

template <class S>
void MatrixR<S>::pull_back_advance(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                                   Columns p_bar) {
  linearized_ = 0;
  linearize(k, y_prev, y);
  const DaeInstant<S> at = layout_.template instant<S>(this->time(k), y);
  if (unconstrained_) {
    factorize(xi_);
    reduce();
    return pull_back_without_constraints(at, y_prev, y_bar, p_bar);
  }
  factorize_constraints(xi_);
  solve_adjoint(k, y_bar);
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v;
  Bars& b = bars_;
  for (Matrix* part : {&b.phi, &b.alpha, &b.gamma, &b.epsilon}) *part *= -1.0;
  b.x.noalias() += constraints_.C.transpose() * b.alpha;
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
    model_.pullback_levels(at, b.phi.col(j), b.alpha.col(j), b.gamma.col(j), b.epsilon.col(j), *ws_,
                           p_bar.col(j));
  }
  if (this->varies_length()) {
    Matrix xi_bar = Matrix::Zero(n, y_bar.cols()), v_bar = xi_bar;
    add_to_rows(1.0, b.xi_free, own.free, xi_bar);
    add_to_rows(1.0, b.v_free, own.free, v_bar);
    pull_back_length(y_prev, at.v_dot, xi_bar, v_bar, p_bar);
  }
  turn(blocks_, b.x, &RetractionBlock<S>::Ad, true, b.turned);
  y_bar.setZero();
  y_bar.topRows(n) = b.turned;
  add_to_rows(h_, b.xi_free, own.free, y_bar.middleRows(n, n));
  add_to_rows(1.0, b.v_free, own.free, y_bar.middleRows(n, n));
  add_to_rows(by_x(), b.xi_free, own.free, y_bar.middleRows(2 * n, n));
  add_to_rows(by_v(), b.v_free, own.free, y_bar.middleRows(2 * n, n));
}

template <class S>
void MatrixR<S>::push_forward_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                      const ConstColumns& p_dot, Columns y_dot) {
  linearize(k, y_prev, y);
  linearized_ = factorize(xi_) && reduce() ? k : 0;
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c, m = p_dot.cols();
  const DaeInstant<S> at = layout_.template instant<S>(this->time(k), y);
  Matrix f_p(n, m), c_p(n_c, m);
  model_.push_forward(at, p_dot, *ws_, f_p, c_p);
  ConstraintDirections<S> c;
  c.resize(n_c, m);
  if (n_c > 0) model_.push_forward_constraints(at, p_dot, *ws_, c);

  const Matrix v0 = y_dot.middleRows(n, n), w0 = y_dot.middleRows(2 * n, n);
  Directions d;
  d.set_zero(n, m);
  d.v(own.free, Eigen::all) = v0(own.free, Eigen::all) + (0.5 * h_) * w0(own.free, Eigen::all);
  const Vec length_v = by_v() * (layout_.w(y_prev) + layout_.w(y)),
            length_xi = by_v() * (layout_.v(y_prev) + layout_.v(y));
  if (this->varies_length()) d.v(own.free, Eigen::all) += length_v(own.free) * this->length_directions(p_dot);
  d.xi(own.free, Eigen::all) = (0.5 * h_) * (v0(own.free, Eigen::all) + d.v(own.free, Eigen::all));
  if (this->varies_length())
    d.xi(own.free, Eigen::all) += length_xi(own.free) * this->length_directions(p_dot);
  turn<S>(blocks_, y_dot.topRows(n), &RetractionBlock<S>::Ad, false, d.x);
  complete(c.c0, c.c1, c.c2, d);
  if (unconstrained_) {
    unconstrained_->add_product(d.x, d.v, f_p, c_p);
    unconstrained_->solve(f_p, w_free_);
    y_dot.middleRows(n, n) = d.v - by_v() * w_free_;
    y_dot.middleRows(2 * n, n) = -w_free_;
    turn(blocks_, w_free_, &RetractionBlock<S>::T, false, d.turned);
    y_dot.topRows(n) = d.x - by_x() * d.turned;
    return;
  }
  jacobians_.f_x.add_product(1.0, d.x, f_p);
  jacobians_.f_v.add_product(1.0, d.v, f_p);
  jacobians_.M.add_product(1.0, d.w, f_p);
  Matrix w_free(0, m);
  if (!own.free.empty()) {
    project(f_p, reduced_);
    w_free = reduced_lu_.solve(reduced_);
    w_free *= -1.0;
  }
  f_p += G_ * w_free;
  y_dot.topRows(n) = d.x + moved_.x * w_free;
  y_dot.middleRows(n, n) = d.v + moved_.v * w_free;
  y_dot.middleRows(2 * n, n) = d.w + moved_.w * w_free;
  if (own.rows.empty()) return;
  y_dot.bottomRows(n_c).setZero();
  gather_rows(f_p, own.dependent, d.dependent);
  solve_transposed(velocity_lu_, d.dependent, d.kept);
  add_to_rows(-1.0, d.dependent, own.rows, y_dot.bottomRows(n_c));
}

#define KURBEL_INSTANTIATE(S)                                                                        \
  template void MatrixR<S>::pull_back_advance(Eigen::Index, const Segment&, const Segment&, Columns, \
                                              Columns);                                              \
  template void MatrixR<S>::push_forward_advance(Eigen::Index, const Segment&, const Segment&,       \
                                                 const ConstColumns&, Columns);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
