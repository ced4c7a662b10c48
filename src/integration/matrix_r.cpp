#include "integration/matrix_r.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/instantiate.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

template <class S>
MatrixR<S>::MatrixR(const SecondOrderDae<S>& model, const IntegratorOptions& options, Places independent)
    : Base(model, options, 1),
      given_(std::move(independent)),
      jacobians_(model.make_jacobians()),
      f_(model.n_v()),
      c_(model.n_c()),
      xi_(model.n_v()) {
  constraints_.resize(layout_.n_v, layout_.n_c);
  choice_of_step_.assign(static_cast<std::size_t>(n_steps_) + 1, 0);
}

template <class S>
Status MatrixR<S>::initial_state(Eigen::Ref<Vec> y0) {
  if (Status s = Base::initial_state(y0)) return s;
  evaluate(layout_.template instant<S>(options_.t0, y0));
  choices_.clear();
  adopt(choose());
  const auto is_free = [&](Eigen::Index i) { return std::ranges::binary_search(choice().free, i); };
  if (choice().dependent.size() < choice().rows.size() || !std::ranges::all_of(given_, is_free)) {
    throw IndependentCoordinates("these coordinates do not determine others by the constraints at the start");
  }
  return {};
}

/// M_jj^1/2; of coordinates without mass, the least of the others.
template <class S>
VectorXd MatrixR<S>::mass_roots() const {
  VectorXd roots = VectorXd::Zero(layout_.n_v);
  for (const auto& b : jacobians_.M.blocks()) {
    if (b.row != b.col) continue;
    const auto block = jacobians_.M.view(b);
    for (Eigen::Index i = 0; i < b.rows; ++i)
      roots[b.row + i] = std::sqrt(std::max(real_part(block(i, i)), 0.0));
  }
  double least = std::numeric_limits<double>::max();
  for (const double root : roots) {
    if (root > 0.0) least = std::min(least, root);
  }
  return (roots.array() > 0.0).select(roots, least);
}

/// Rows and columns by rank-revealing QR factorizations of C D, D = M_jj^-1/2, whatever the units.
template <class S>
auto MatrixR<S>::choose() const -> Choice {
  const Eigen::Index n_v = layout_.n_v;
  MatrixXd C = real_matrix<S>(constraints_.C) * mass_roots().cwiseInverse().asDiagonal();
  for (Eigen::Index i = 0; i < C.rows(); ++i) C.row(i) /= std::max(C.row(i).norm(), 1e-300);
  constexpr double rounding = 1e-9;
  const auto first = [](const auto& qr) {
    const auto& order = qr.colsPermutation().indices();
    Places places(order.data(), order.data() + qr.rank());
    std::ranges::sort(places);
    return places;
  };
  Choice choice;
  if (C.rows() > 0) {
    Eigen::ColPivHouseholderQR<MatrixXd> of_rows;
    of_rows.setThreshold(rounding);
    of_rows.compute(C.transpose());
    choice.rows = first(of_rows);
    MatrixXd kept = C(choice.rows, Eigen::all);
    for (const Eigen::Index j : given_) kept.col(j).setZero();
    Eigen::ColPivHouseholderQR<MatrixXd> of_columns;
    of_columns.setThreshold(rounding);
    of_columns.compute(kept);
    choice.dependent = first(of_columns);
  }
  for (Eigen::Index j = 0; j < n_v; ++j) {
    if (!std::ranges::binary_search(choice.dependent, j)) choice.free.push_back(j);
  }
  return choice;
}

/// x <- T x, or Ad x, or their transposes times x; coordinates without a block stay.
template <class S>
void MatrixR<S>::turn(Matrix& x, typename RetractionBlock<S>::Derivative RetractionBlock<S>::*derivative,
                      bool transposed) const {
  for (const RetractionBlock<S>& block : blocks_) {
    auto rows = x.middleRows(block.offset, block.size());
    rows = transposed ? ((block.*derivative).transpose() * rows).eval() : ((block.*derivative) * rows).eval();
  }
}

template <class S>
void MatrixR<S>::evaluate(const DaeInstant<S>& at) {
  model_.constraint_derivatives(at, *ws_, constraints_);
  model_.linearize(at, *ws_, f_, c_, jacobians_);
}

/// C T, the factors of its columns of dependent velocities, and R.
template <class S>
bool MatrixR<S>::factorize(const Segment& xi) {
  model_.retraction_derivative(xi, blocks_);
  CT_ = constraints_.C;
  for (const RetractionBlock<S>& block : blocks_) {
    auto columns = CT_.middleCols(block.offset, block.size());
    columns = (columns * block.T).eval();
  }
  const Choice& own = choice();
  const Eigen::Index d = std::ssize(own.free);
  R_.setZero(layout_.n_v, d);
  for (Eigen::Index j = 0; j < d; ++j) R_(own.free[static_cast<std::size_t>(j)], j) = S(1.0);
  if (own.rows.empty()) return true;
  velocity_lu_.compute(constraints_.C(own.rows, own.dependent));
  position_lu_.compute(CT_(own.rows, own.dependent));
  if (!is_regular(velocity_lu_) || !is_regular(position_lu_)) return false;
  R_(own.dependent, Eigen::all) = -Matrix(velocity_lu_.solve(Matrix(constraints_.C(own.rows, own.free))));
  return true;
}

/// What a unit of an independent velocity brings with it at most, both in the metric of the mass.
template <class S>
double MatrixR<S>::leverage() const {
  const Choice& own = choice();
  const MatrixXd R = real_matrix<S>(R_);
  const VectorXd roots = mass_roots();
  double largest = 0.0;
  for (std::size_t j = 0; j < own.free.size(); ++j) {
    for (const Eigen::Index i : own.dependent) {
      const double brought = std::abs(R(i, static_cast<Eigen::Index>(j))) * roots[i] / roots[own.free[j]];
      largest = std::max(largest, brought);
    }
  }
  return largest;
}

/// A choice for the position last evaluated.
template <class S>
void MatrixR<S>::adopt(Choice chosen) {
  constexpr double least = 30.0, growth = 3.0;
  choices_.push_back(std::move(chosen));
  current_ = choices_.size() - 1;
  if (factorize(Vec::Zero(layout_.n_v))) choices_.back().limit = std::max(least, growth * leverage());
}

/// The rest of directions of which xi_I, v_I and w_I are set, with residuals c0, c1, c2 of the constraints.
/// @param d  x holds what moves x_1 beside xi
template <class S>
void MatrixR<S>::complete(const ConstColumns& c0, const ConstColumns& c1, const ConstColumns& c2,
                          Directions& d) const {
  const Choice& own = choice();
  const auto dependent = [&](Matrix& z, const Matrix& residual, const Matrix& C,
                             const Eigen::PartialPivLU<Matrix>& lu) {
    if (own.rows.empty()) return;
    const Matrix rhs = residual + C(own.rows, own.free) * z(own.free, Eigen::all);
    z(own.dependent, Eigen::all) = -Matrix(lu.solve(rhs));
  };
  const Matrix shift = d.x;
  dependent(d.xi, kept(c0 + constraints_.C * shift), CT_, position_lu_);
  d.x = d.xi;
  turn(d.x, &RetractionBlock<S>::T, false);
  d.x += shift;
  dependent(d.v, kept(c1 + constraints_.c1_x * d.x), constraints_.C, velocity_lu_);
  dependent(d.w, kept(c2 + constraints_.c2_x * d.x + constraints_.c2_v * d.v), constraints_.C, velocity_lu_);
}

/// X, V, W, G and the factors of A = R^T G.
template <class S>
void MatrixR<S>::reduce() {
  const Places& free = choice().free;
  const Eigen::Index n = layout_.n_v, d = std::ssize(free);
  for (Matrix* m : {&moved_.xi, &moved_.x, &moved_.v, &moved_.w}) m->setZero(n, d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const Eigen::Index i = free[static_cast<std::size_t>(j)];
    moved_.xi(i, j) = 0.25 * h_ * h_;
    moved_.v(i, j) = 0.5 * h_;
    moved_.w(i, j) = S(1.0);
  }
  const Matrix none = Matrix::Zero(layout_.n_c, d);
  complete(none, none, none, moved_);
  G_.setZero(n, d);
  jacobians_.f_x.add_product(1.0, moved_.x, G_);
  jacobians_.f_v.add_product(1.0, moved_.v, G_);
  jacobians_.M.add_product(1.0, moved_.w, G_);
  if (d > 0) reduced_lu_.compute(R_.transpose() * G_);
}

/// A^-1 rhs; nothing where drives determine the motion.
template <class S>
auto MatrixR<S>::solve_reduced(const Matrix& rhs) const -> Matrix {
  return choice().free.empty() ? rhs : Matrix(reduced_lu_.solve(rhs));
}

template <class S>
auto MatrixR<S>::iterate(double t, const Segment& y_prev, Eigen::Ref<Vec> y, bool may_leave) -> Outcome {
  const DaeStateLayout& l = layout_;
  const auto x0 = l.x(y_prev), v0 = l.v(y_prev), w0 = l.w(y_prev);
  auto x = l.x(y), v = l.v(y), w = l.w(y), lambda = l.lambda(y);
  w = w0;
  v = v0 + h_ * w0;
  xi_ = (0.5 * h_) * (v0 + v);
  lambda = l.lambda(y_prev);
  const double floor = 1e-13 / (h_ * h_) * std::max(1.0, x0.cwiseAbs().maxCoeff());
  // Factors of one iteration serve the next ones as long as these contract as they should.
  constexpr double contraction = 0.02;
  double former = std::numeric_limits<double>::infinity();
  bool was_small = false, serves = false;
  Directions& d = correction_;
  for (int iteration = 0; iteration < options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    model_.retract(x0, xi_, x);
    const DaeInstant<S> at{t, x, v, w, lambda};
    if (serves) {
      model_.residual(at, *ws_, f_, c_);
      model_.constraint_values(at, *ws_, constraints_);
    } else {
      evaluate(at);
      if (!factorize(xi_)) return Outcome::singular;
      if (may_leave && leverage() > choice().limit) return Outcome::ill_conditioned;
      reduce();
      if (!choice().free.empty() && !is_regular(reduced_lu_)) break;
    }
    for (Matrix* m : {&d.xi, &d.x, &d.v, &d.w}) m->setZero(l.n_v, 1);
    complete(constraints_.c0, constraints_.c1, constraints_.c2, d);
    Matrix f = f_;
    jacobians_.f_x.add_product(1.0, d.x, f);
    jacobians_.f_v.add_product(1.0, d.v, f);
    jacobians_.M.add_product(1.0, d.w, f);
    const Matrix w_free = -solve_reduced(R_.transpose() * f);
    f += G_ * w_free;
    xi_ += d.xi + moved_.xi * w_free;
    v += d.v + moved_.v * w_free;
    const Vec w_change = d.w + moved_.w * w_free;
    w += w_change;
    const Choice& own = choice();
    if (!own.rows.empty()) {
      const Vec lambda_change = -Matrix(velocity_lu_.transpose().solve(Matrix(f(own.dependent, Eigen::all))));
      for (std::size_t i = 0; i < own.rows.size(); ++i)
        lambda[own.rows[i]] += lambda_change[static_cast<Eigen::Index>(i)];
    }
    model_.retract(x0, xi_, x);
    const double size = w_change.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) break;
    const bool small = size <= options_.newton_tolerance * w.cwiseAbs().maxCoeff() + floor;
    if (was_small || (small && std::is_same_v<S, double>)) return Outcome::converged;
    if (iteration > 2 && !small && size > 2.0 * former) break;
    // Complex step: the imaginary part wants derivatives of its own.
    serves = std::is_same_v<S, double> && (!serves || size < contraction * former);
    was_small = small;
    former = size;
  }
  return Outcome::astray;
}

template <class S>
Status MatrixR<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const double t = this->time(k);
  Outcome outcome = iterate(t, y_prev, y, true);
  if (outcome == Outcome::ill_conditioned || outcome == Outcome::singular) {
    // Anew, at the start of the step, where all constraints are met.
    evaluate(layout_.template instant<S>(this->time(k - 1), y_prev));
    Choice chosen = choose();
    if (chosen.rows.size() < choice().rows.size()) {
      outcome = Outcome::singular;
    } else {
      if (chosen.free != choice().free || chosen.rows != choice().rows) adopt(std::move(chosen));
      outcome = iterate(t, y_prev, y, false);
    }
  }
  choice_of_step_[static_cast<std::size_t>(k)] = current_;
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
  if (const auto near = this->failure_near_dead_centre(k, y_prev)) return near;
  return this->failure(t, "Newton's iteration does not converge", f_,
                       "reduce integrator.step, or check loads and stiffness for extreme values");
}

template <class S>
void MatrixR<S>::linearize(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  current_ = choice_of_step_[static_cast<std::size_t>(k)];
  model_.increment(layout_.x(y_prev), layout_.x(y), xi_);
  evaluate(layout_.template instant<S>(this->time(k), y));
  factorize(xi_);
  reduce();
}

template <class S>
void MatrixR<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                               Columns p_bar) {
  linearize(k, y_prev, y);
  const Choice& own = choice();
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c, m = y_bar.cols();
  const DaeInstant<S> at = layout_.template instant<S>(this->time(k), y);
  const Matrix x_bar = y_bar.topRows(n), v_bar = y_bar.middleRows(n, n), w_bar = y_bar.middleRows(2 * n, n);
  const auto of_rows = [&](const Matrix& kept_rows) {
    Matrix all = Matrix::Zero(n_c, m);
    all(own.rows, Eigen::all) = kept_rows;
    return all;
  };
  const auto solve_dependent = [&](const Matrix& rhs, const Eigen::PartialPivLU<Matrix>& lu) {
    return own.rows.empty() ? Matrix(Matrix::Zero(n_c, m))
                            : of_rows(Matrix(lu.transpose().solve(Matrix(rhs(own.dependent, Eigen::all)))));
  };
  // phi, of f
  Matrix phi = Matrix::Zero(n, m);
  if (!own.rows.empty()) {
    const Matrix lambda_bar = y_bar.bottomRows(n_c)(own.rows, Eigen::all);
    phi(own.dependent, Eigen::all) = Matrix(velocity_lu_.solve(lambda_bar));
  }
  const Matrix rhs = moved_.x.transpose() * x_bar + moved_.v.transpose() * v_bar +
                     moved_.w.transpose() * w_bar - G_.transpose() * phi;
  phi += R_ * (own.free.empty() ? rhs : Matrix(reduced_lu_.transpose().solve(rhs)));

  // epsilon, gamma, alpha, of c_ddot, c_dot, c; delta and beta of the rules for v_I and xi_I.
  Matrix w_left = w_bar, v_left = v_bar, x_left = x_bar;
  jacobians_.M.add_transposed_product(-1.0, phi, w_left);
  const Matrix epsilon = solve_dependent(w_left, velocity_lu_);
  w_left -= constraints_.C.transpose() * epsilon;
  const Matrix delta = (-2.0 / h_) * w_left(own.free, Eigen::all);
  jacobians_.f_v.add_transposed_product(-1.0, phi, v_left);
  v_left -= constraints_.c2_v.transpose() * epsilon;
  const Matrix gamma = solve_dependent(v_left, velocity_lu_);
  v_left -= constraints_.C.transpose() * gamma;
  const Matrix beta = (2.0 / h_) * (delta - v_left(own.free, Eigen::all));
  jacobians_.f_x.add_transposed_product(-1.0, phi, x_left);
  x_left -= constraints_.c2_x.transpose() * epsilon + constraints_.c1_x.transpose() * gamma;
  Matrix turned = x_left;
  turn(turned, &RetractionBlock<S>::T, true);
  const Matrix alpha = solve_dependent(turned, position_lu_);
  x_left -= constraints_.C.transpose() * alpha;

  for (Eigen::Index j = 0; j < m; ++j) {
    model_.pullback(at, -phi.col(j), Vec::Zero(n_c), *ws_, p_bar.col(j));
    if (n_c > 0)
      model_.pullback_constraints(at, -alpha.col(j), -gamma.col(j), -epsilon.col(j), *ws_, p_bar.col(j));
  }
  turn(x_left, &RetractionBlock<S>::Ad, true);
  y_bar.setZero();
  y_bar.topRows(n) = x_left;
  y_bar.middleRows(n, n)(own.free, Eigen::all) = (0.5 * h_) * beta + delta;
  y_bar.middleRows(2 * n, n)(own.free, Eigen::all) = (0.5 * h_) * delta;
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
  for (Matrix* part : {&d.xi, &d.v, &d.w}) part->setZero(n, m);
  d.v(own.free, Eigen::all) = v0(own.free, Eigen::all) + (0.5 * h_) * w0(own.free, Eigen::all);
  d.xi(own.free, Eigen::all) = (0.5 * h_) * (v0(own.free, Eigen::all) + d.v(own.free, Eigen::all));
  d.x = y_dot.topRows(n);
  turn(d.x, &RetractionBlock<S>::Ad, false);
  complete(c.c0, c.c1, c.c2, d);
  jacobians_.f_x.add_product(1.0, d.x, f_p);
  jacobians_.f_v.add_product(1.0, d.v, f_p);
  jacobians_.M.add_product(1.0, d.w, f_p);
  const Matrix w_free = -solve_reduced(R_.transpose() * f_p);
  f_p += G_ * w_free;
  y_dot.topRows(n) = d.x + moved_.x * w_free;
  y_dot.middleRows(n, n) = d.v + moved_.v * w_free;
  y_dot.middleRows(2 * n, n) = d.w + moved_.w * w_free;
  if (own.rows.empty()) return;
  y_dot.bottomRows(n_c).setZero();
  y_dot.bottomRows(n_c)(own.rows, Eigen::all) =
      -Matrix(velocity_lu_.transpose().solve(Matrix(f_p(own.dependent, Eigen::all))));
}

template class MatrixR<InstantiatedScalar>;

}  // namespace kurbel
