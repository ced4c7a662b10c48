#include "integration/initial_position.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/instantiate.hpp"
#include "integration/dependent_constraints.hpp"

namespace kurbel {

namespace {

/// Corrections in lengths of the mechanism and radians: the longest step, the last one, whose
/// successor would be its square, those that rounding errors decide about, and those of which nothing is
/// left.
constexpr double longest = 0.5, converged = 1e-9, decided_by_rounding = 1e-6, nothing = 1e-15;
constexpr double shortest_fraction = 1e-3, shortest_fraction_along = 0.1;
constexpr int max_iterations = 100;

/// "joint pin (tx) by 0.2 m or rad": the constraint that a position misses most.
/// @param scale  (n_c)  of the rows, so that units do not matter
template <class Model, class Vec>
std::string most_violated(const Model& model, const VectorXd& scale, const Vec& c) {
  Eigen::Index row = 0;
  scale.cwiseProduct(c.real()).cwiseAbs().maxCoeff(&row);
  return fmt::format("{} by {:.2g} m or rad", model.constraint_name(row), std::abs(std::real(c[row])));
}

}  // namespace

template <class S>
InitialPosition<S>::InitialPosition(const Model& model, Workspace& ws)
    : model_(model), ws_(ws), rest_(Vec::Zero(model.n_v())), no_lambda_(Vec::Zero(model.n_c())) {
  constraints_.resize(model.n_v(), model.n_c());
}

/// The length of the mechanism is its largest radius of gyration or lever of a joint; elastic coordinates are
/// measured by the displacement of their bodies' mass. Smaller blocks are rotations.
template <class S>
void InitialPosition<S>::find_scales(const Directions& at) {
  const MatrixXd M = real_matrix<S>(at.M()), C = real_matrix<S>(at.C());
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(Vec::Zero(model_.n_v()), blocks);
  double square = 0.0;
  for (const auto& block : blocks) {
    if (block.size() != 6) continue;
    const auto mass = M.diagonal().template segment<6>(block.offset);
    square = std::max(square, mass.template tail<3>().sum() / mass.template head<3>().sum());
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      const auto row = C.row(i).template segment<6>(block.offset);
      const double translation = row.template head<3>().squaredNorm();
      if (translation > 0.0) square = std::max(square, row.template tail<3>().squaredNorm() / translation);
    }
  }
  const double length = square > 0.0 ? std::sqrt(square) : 1.0;
  scale_ = M.diagonal().cwiseSqrt() / length;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Eigen::Index o = blocks[b].offset;
    if (blocks[b].size() != 6) {
      scale_.segment(o, blocks[b].size()).setOnes();
      continue;
    }
    const Eigen::Index end = b + 1 < blocks.size() ? blocks[b + 1].offset : model_.n_v();
    scale_.segment(o, end - o) /= std::sqrt(M.diagonal().template segment<3>(o).mean());
    scale_.template segment<3>(o).setConstant(1.0 / length);
    scale_.template segment<3>(o + 3).setOnes();
  }
}

template <class S>
double InitialPosition<S>::measure(const Vec& xi) const {
  return xi.size() > 0 ? scale_.cwiseProduct(xi.cwiseAbs()).maxCoeff() : 0.0;
}

/// @throws InputError if rows of C depend on each other
template <class S>
void InitialPosition<S>::check_constraints(const Directions& at, const Vec& c) const {
  const MatrixXd C = real_matrix<S>(at.C());
  const MatrixXd scaled = at.row_scale().asDiagonal() * C * at.column_scale().asDiagonal();
  const VectorXd violation = at.row_scale().cwiseProduct(real_matrix<S>(Matrix(c)).col(0));
  // What displacements of the mechanism's length do to a constraint.
  const VectorXd size = at.row_scale().cwiseProduct(
      VectorXd((C * scale_.cwiseInverse().asDiagonal()).cwiseAbs().rowwise().maxCoeff()));
  const auto found = find_dependent_rows(scaled, violation, size);
  if (!found) return;
  const std::string what = describe(*found, [&](Eigen::Index row) { return model_.constraint_name(row); });
  constexpr double rounding = 1e-6;
  const bool is_far = (violation.cwiseAbs().array() > rounding * size.array()).any();
  if (is_far || found->contradictory)
    throw DependentConstraints(
        fmt::format("the positions given miss {}. Correct its markers, or position and rotation in "
                    "[bodies.*.initial]; if these are right, {}",
                    most_violated(model_, at.row_scale(), c), what),
        *found);
  throw DependentConstraints(what + ", or begin at another position", *found);
}

/// Derivatives of the retraction times m.
template <class S>
typename InitialPosition<S>::Matrix InitialPosition<S>::retracted(Derivative derivative, Matrix m) const {
  for (const auto& block : blocks_) {
    with_size(block.*derivative, [&](const auto& d, auto n) {
      auto rows = m.middleRows(block.offset, n);
      rows = (d * rows).eval();
    });
  }
  return m;
}

template <class S>
typename InitialPosition<S>::Vec InitialPosition<S>::pulled_back(Derivative derivative, Vec bar) const {
  for (const auto& block : blocks_) {
    with_size(block.*derivative, [&](const auto& d, auto n) {
      auto part = bar.segment(block.offset, n);
      part = (d.transpose() * part).eval();
    });
  }
  return bar;
}

template <class S>
void InitialPosition<S>::move_to(const Vec& xi) {
  xi_ = xi;
  x_.resize(model_.n_x());
  model_.retract(x_given_, xi_, x_);
  model_.constraint_derivatives(at(x_), ws_, constraints_);
  model_.retraction_derivative(xi_, blocks_);
}

/// @return whether the constraints can be satisfied from x
template <class S>
bool InitialPosition<S>::linearize() {
  const Eigen::Index n_v = model_.n_v();
  change_.emplace(model_, t0_, x_, ranks_, ws_);
  if (!change_->complete()) return false;
  const Matrix& D = change_->D();
  const auto C = change_->row_scale().asDiagonal() * constraints_.C;
  left_ = xi_ - shift_;
  directions_ = retracted(&RetractionBlock<S>::T, D);
  V_.setZero(n_v, n_v);
  if (model_.n_c() == 0) return true;
  Vec y = Matrix(C * D).partialPivLu().solve(C * left_);
  if (std::is_same_v<S, double> && measure(D * y) < nothing) y.setZero();
  left_ -= D * y;
  change_->set(y);
  if (change_->moves()) {
    V_ = change_->push_forward(nullptr, Matrix::Identity(n_v, n_v), ws_);
    moving_.compute(Matrix::Identity(n_v, n_v) - retracted(&RetractionBlock<S>::T, V_));
    directions_ = moving_.solve(directions_);
  }
  closing_.compute(C * directions_);
  return true;
}

/// One step of least change of the coordinates together, or rank by rank, towards c = 0, shortened until the
/// violation shrinks.
/// @return its size in lengths of the mechanism and radians; nothing if there is no such step
template <class S>
std::optional<double> InitialPosition<S>::step_to_constraints(const Ranks& ranks) {
  const Directions change(model_, t0_, x_, ranks, ws_);
  if (!change.complete()) return {};
  const auto C = row_scale_.asDiagonal() * constraints_.C;
  const Vec violation = this->violation(), xi = xi_;
  const Vec step = -(
      change.D() * Matrix(C * retracted(&RetractionBlock<S>::T, change.D())).partialPivLu().solve(violation));
  const double size = measure(step);
  if (!std::isfinite(size)) return {};
  for (double fraction = size > longest ? longest / size : 1.0;; fraction *= 0.5) {
    move_to(xi + fraction * step);
    const double left = this->violation().norm();
    if (size < decided_by_rounding || left < violation.norm()) return size;
    if (fraction < shortest_fraction) return {};
  }
}

/// Steps until one is smaller than a size.
template <class S>
bool InitialPosition<S>::walk(const Ranks& ranks, double size) {
  for (int iteration = 0; iteration < max_iterations && model_.n_c() > 0; ++iteration) {
    const std::optional<double> step = step_to_constraints(ranks);
    if (!step) return false;
    if (*step < size) return true;
  }
  return model_.n_c() == 0;
}

/// c = 0 up to rounding.
template <class S>
bool InitialPosition<S>::satisfy_constraints() {
  if (model_.n_c() == 0 || (std::is_same_v<S, double> && is_satisfied())) return true;
  // Complex step: the imaginary part converges one iteration behind the real one.
  return walk(together_, converged) && (std::is_same_v<S, double> || step_to_constraints(together_));
}

/// Whether what is left of c would be undone by rounding.
template <class S>
bool InitialPosition<S>::is_satisfied() const {
  return violation().cwiseAbs().maxCoeff() <
         nothing * column_scale_.cwiseInverse().cwiseQuotient(scale_).maxCoeff();
}

/// Newton's iteration along the constraints, from where it stands, until a step is smaller than `enough`.
template <class S>
bool InitialPosition<S>::close(double enough) {
  if (!satisfy_constraints() || !linearize()) return false;
  bool was_small = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    Vec dx = -retracted(&RetractionBlock<S>::T, left_), step = -left_;
    if (model_.n_c() > 0) {
      if (change_->moves()) dx = moving_.solve(dx);
      const Vec dy = -closing_.solve(change_->row_scale().asDiagonal() * (constraints_.C * dx));
      dx += directions_ * dy;
      step += change_->D() * dy + V_ * dx;
    }
    const double size = measure(step), before = distance();
    if (!std::isfinite(size)) return false;
    if (std::is_same_v<S, double> && size < nothing) return true;
    const Vec xi = xi_;
    for (double fraction = size > longest ? longest / size : 1.0;; fraction *= 0.5) {
      move_to(xi + fraction * step);
      if (satisfy_constraints() && linearize() && (size < decided_by_rounding || distance() < before)) break;
      if (fraction < shortest_fraction_along) return false;
    }
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || ((std::is_same_v<S, double> || enough > converged) && size < enough)) return true;
    was_small = size < enough;
  }
  return false;
}

/// Takes the violation down, from the given position, which is the nearest one with all of it, by steps that
/// are halved where the iteration fails.
template <class S>
bool InitialPosition<S>::follow(const Vec& given_violation) {
  constexpr double loosely = 1e-3, shortest_step = 1.0 / 256.0;
  move_to(shift_);
  double left = 1.0, step = 0.25;
  while (left > 0.0) {
    const Vec xi = xi_;
    const double next = std::max(0.0, left - step);
    target_ = next * given_violation;
    if (close(next > 0.0 ? loosely : converged)) {
      left = next;
      continue;
    }
    if ((step *= 0.5) < shortest_step) return false;
    move_to(xi);
  }
  return true;
}

template <class S>
Status InitialPosition<S>::assemble(double t0, const Vec& x_given, const Ranks& ranks) {
  t0_ = t0, x_given_ = x_given, ranks_ = ranks;
  together_.assign(1, {});
  for (const auto& of_rank : ranks) together_[0].insert(together_[0].end(), of_rank.begin(), of_rank.end());
  shift_.setZero(model_.n_v());
  depends_on_given_ = true;
  move_to(shift_);
  const Directions given(model_, t0_, x_given_, ranks_, ws_);
  find_scales(given);
  row_scale_ = given.row_scale(), column_scale_ = given.column_scale();
  check_constraints(given, constraints_.c0);
  const Vec given_violation = constraints_.c0;
  constexpr double near = 1e-2;
  target_.setZero(model_.n_c());
  if (walk(ranks_, near) && close(converged)) return {};
  if (follow(given_violation)) return {};
  target_.setZero();
  move_to(shift_);
  if (walk(together_, near) && close(converged)) return {};
  return Failure{
      .what = fmt::format("the initial positions cannot be brought to satisfy the joints: those given "
                          "miss {}, more than any other constraint",
                          most_violated(model_, row_scale_, given_violation)),
      .where = "assembly",
      .advice = "correct the markers of this joint, or position and rotation in [bodies.*.initial]",
      .time = t0_};
}

template <class S>
bool InitialPosition<S>::begin_at(const Vec& x) {
  x_given_ = x;
  shift_.setZero();
  depends_on_given_ = false;
  move_to(shift_);
  return linearize();
}

template <class S>
bool InitialPosition<S>::displace(const Vec& xi, const Vec& shift) {
  shift_ = shift;
  move_to(xi);
  return close(converged);
}

template <class S>
typename InitialPosition<S>::Matrix InitialPosition<S>::push_forward(const Matrix* p_dot,
                                                                     const Matrix* shift_dot) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = p_dot ? p_dot->cols() : shift_dot->cols();
  Matrix xi_dot = Matrix::Zero(n_v, m), given_dot = Matrix::Zero(n_v, m);
  ConstraintDirections<S> c_p;
  c_p.resize(n_c, m);
  if (p_dot) {
    xi_dot = change_->push_forward(p_dot, given_dot, ws_);
    model_.push_forward_constraints(at(x_), *p_dot, ws_, c_p);
    if (depends_on_given_) model_.push_forward_given_position(*p_dot, given_dot);
  }
  if (shift_dot) xi_dot += *shift_dot;
  Matrix x_dot = retracted(&RetractionBlock<S>::T, xi_dot) + retracted(&RetractionBlock<S>::Ad, given_dot);
  if (n_c == 0) return x_dot;
  if (change_->moves()) x_dot = moving_.solve(x_dot);
  x_dot -=
      directions_ * closing_.solve(change_->row_scale().asDiagonal() * (c_p.c0 + constraints_.C * x_dot));
  return x_dot;
}

template <class S>
typename InitialPosition<S>::Vec InitialPosition<S>::pullback(const Vec& x_bar, Eigen::Ref<Vec> p_bar) {
  Vec bar = x_bar;
  if (model_.n_c() > 0) {
    const Vec zeta =
        change_->row_scale().asDiagonal() * Vec(closing_.transpose().solve(directions_.transpose() * x_bar));
    model_.pullback_constraints(at(x_), -zeta, no_lambda_, no_lambda_, ws_, p_bar);
    bar -= constraints_.C.transpose() * zeta;
    if (change_->moves()) bar = moving_.transpose().solve(bar).eval();
  }
  const Vec xi_bar = pulled_back(&RetractionBlock<S>::T, bar);
  Vec fixed = Vec::Zero(model_.n_v());
  change_->pullback(xi_bar, fixed, p_bar, ws_);
  if (depends_on_given_) {
    model_.pullback_given_position(pulled_back(&RetractionBlock<S>::Ad, bar), p_bar);
  }
  return xi_bar;
}

template class InitialPosition<InstantiatedScalar>;

}  // namespace kurbel
