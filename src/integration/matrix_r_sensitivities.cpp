/// The linearized step of Matrix R and its adjoint.                                       [P4, eqs 30-61]
#include "base/instantiate.hpp"
#include "integration/matrix_r.hpp"
#include "integration/places.hpp"

namespace kurbel {

template <class S>
void MatrixR<S>::linearize(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  current_ = choice_of_step_[static_cast<std::size_t>(k)];
  model_.increment(layout_.x(y_prev), layout_.x(y), xi_);
  evaluate(layout_.template instant<S>(this->time(k), y));
  factorize(xi_);
  reduce();
}

/// rows <- C_D^-T of the dependent rows of rhs, at the constraints kept; else zero.
template <class S>
void MatrixR<S>::solve_dependent(const Lu& lu, const Matrix& rhs, Matrix& rows) {
  rows.setZero(layout_.n_c, rhs.cols());
  if (choice().rows.empty()) return;
  gather_rows(rhs, choice().dependent, bars_.dependent);
  solve_transposed(lu, bars_.dependent, bars_.kept);
  add_to_rows(1.0, bars_.dependent, choice().rows, rows);
}

/// x, v and w at the start of a step are felt by xi = h v_0 + h^2/4 (w_0 + w_1) and v_1 = v_0 + h/2 (w_0 + w_1) alone.
template <class S>
void MatrixR<S>::pull_back_without_constraints(const DaeInstant<S>& at, Columns y_bar, Columns p_bar) {
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
  y_bar.middleRows(n, n) = h_ * b.turned + b.v;
  y_bar.middleRows(2 * n, n) = by_x() * b.turned + by_v() * b.v;
  turn(blocks_, b.x, &RetractionBlock<S>::Ad, true, b.turned);
  y_bar.topRows(n) = b.turned;
}

template <class S>
void MatrixR<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                               Columns p_bar) {
  linearize(k, y_prev, y);
  const DaeInstant<S> at = layout_.template instant<S>(this->time(k), y);
  if (unconstrained_) return pull_back_without_constraints(at, y_bar, p_bar);
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c, m = y_bar.cols();
  Bars& b = bars_;
  b.x = y_bar.topRows(n), b.v = y_bar.middleRows(n, n), b.w = y_bar.middleRows(2 * n, n);
  b.phi.setZero(n, m);
  if (!own.rows.empty()) {
    gather_rows(y_bar.bottomRows(n_c), own.rows, b.kept);
    b.dependent = velocity_lu_.solve(b.kept);
    add_to_rows(1.0, b.dependent, own.dependent, b.phi);
  }
  if (!own.free.empty()) {
    b.reduced.noalias() = moved_.x.transpose() * b.x;
    b.reduced.noalias() += moved_.v.transpose() * b.v;
    b.reduced.noalias() += moved_.w.transpose() * b.w;
    b.reduced.noalias() -= G_.transpose() * b.phi;
    solve_transposed(reduced_lu_, b.reduced, b.delta);
    add_to_rows(1.0, b.reduced, own.free, b.phi);
    b.dependent.noalias() = R_ * b.reduced;
    add_to_rows(1.0, b.dependent, own.dependent, b.phi);
  }

  jacobians_.M.add_transposed_product(-1.0, b.phi, b.w);
  solve_dependent(velocity_lu_, b.w, b.epsilon);
  b.w.noalias() -= constraints_.C.transpose() * b.epsilon;
  gather_rows(b.w, own.free, b.delta);
  b.delta *= -2.0 / h_;
  jacobians_.f_v.add_transposed_product(-1.0, b.phi, b.v);
  b.v.noalias() -= constraints_.c2_v.transpose() * b.epsilon;
  solve_dependent(velocity_lu_, b.v, b.gamma);
  b.v.noalias() -= constraints_.C.transpose() * b.gamma;
  gather_rows(b.v, own.free, b.beta);
  b.beta = (2.0 / h_) * (b.delta - b.beta);
  jacobians_.f_x.add_transposed_product(-1.0, b.phi, b.x);
  b.x.noalias() -= constraints_.c2_x.transpose() * b.epsilon;
  b.x.noalias() -= constraints_.c1_x.transpose() * b.gamma;
  turn(blocks_, b.x, &RetractionBlock<S>::T, true, b.turned);
  solve_dependent(position_lu_, b.turned, b.alpha);
  b.x.noalias() -= constraints_.C.transpose() * b.alpha;

  for (Matrix* part : {&b.phi, &b.alpha, &b.gamma, &b.epsilon}) *part *= -1.0;
  for (Eigen::Index j = 0; j < m; ++j) {
    model_.pullback_levels(at, b.phi.col(j), b.alpha.col(j), b.gamma.col(j), b.epsilon.col(j), *ws_,
                           p_bar.col(j));
  }
  turn(blocks_, b.x, &RetractionBlock<S>::Ad, true, b.turned);
  y_bar.setZero();
  y_bar.topRows(n) = b.turned;
  b.beta = (0.5 * h_) * b.beta + b.delta;
  add_to_rows(1.0, b.beta, own.free, y_bar.middleRows(n, n));
  add_to_rows(0.5 * h_, b.delta, own.free, y_bar.middleRows(2 * n, n));
}

template <class S>
void MatrixR<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                   const ConstColumns& p_dot, Columns y_dot) {
  linearize(k, y_prev, y);
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
  d.xi(own.free, Eigen::all) = (0.5 * h_) * (v0(own.free, Eigen::all) + d.v(own.free, Eigen::all));
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

#define KURBEL_INSTANTIATE(S)                                                                              \
  template void MatrixR<S>::pullback_step(Eigen::Index, const Segment&, const Segment&, Columns, Columns); \
  template void MatrixR<S>::push_forward_step(Eigen::Index, const Segment&, const Segment&,                \
                                              const ConstColumns&, Columns);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
