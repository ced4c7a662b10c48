#include "integration/first_order_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/instantiate.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

namespace {

/// out += factor A B. What large products prepare is not worth it where A is small.
template <class A, class B, class Out>
void add_product(double factor, const A& a, const B& b, Out&& out) {
  constexpr Eigen::Index few = 12;
  if (a.rows() <= few && a.cols() <= few) {
    out.noalias() += factor * a.lazyProduct(b);
  } else {
    out.noalias() += factor * (a * b);
  }
}

}  // namespace

template <class S>
class FirstOrderForm<S>::Work final : public Workspace {
 public:
  explicit Work(const FirstOrderForm& form)
      : of_model(form.model_.make_workspace()),
        jacobians(form.model_.make_jacobians()),
        lu(form.n_),
        columns_a(form.n_, 0),
        columns_b(form.n_, 0) {
    jacobians.store_full();
    for (Vec* one : {&F, &a, &x, &v}) one->setZero(form.n_);
  }

  /// Room for m columns of n entries.
  void reserve(Eigen::Index m) {
    if (m <= columns_a.cols()) return;
    const Eigen::Index capacity = std::max(m, 2 * columns_a.cols());
    columns_a.resize(columns_a.rows(), capacity);
    columns_b.resize(columns_b.rows(), capacity);
  }
  /// -dF/dx and -dF/dv.
  auto f_x() const { return jacobians.f_x.full(); }
  auto f_v() const { return jacobians.f_v.full(); }

  std::unique_ptr<typename SecondOrderDae<S>::Workspace> of_model;
  DaeJacobians<S> jacobians;
  OneSidedTime at;  ///< where it is linearized, with x, v and a
  Vec F, a, x, v;
  Matrix shifted;  ///< M - gamma F_v - gamma^2 F_x
  Eigen::PartialPivLU<Matrix> lu;
  double gamma = 0.0;
  Matrix columns_a, columns_b;
};

template <class S>
FirstOrderForm<S>::FirstOrderForm(Shared<const ConstantMassDae<S>> model)
    : shared_(std::move(model)), model_(*shared_), n_(model_.n_x()) {
  assert(model_.n_c() == 0);
  update();
}

template <class S>
void FirstOrderForm<S>::update() {
  M_ = model_.mass().to_dense();
  is_diagonal_ = M_.isDiagonal(0.0);
  if (!is_diagonal_) M_lu_.compute(M_);
}

template <class S>
auto FirstOrderForm<S>::make_workspace() const -> std::unique_ptr<Workspace> {
  return std::make_unique<Work>(*this);
}

template <class S>
void FirstOrderForm<S>::initial_state(Eigen::Ref<Vec> y0) const {
  model_.given_initial_state(y0.head(n_), y0.tail(n_));
}

template <class S>
void FirstOrderForm<S>::pullback_initial(const ConstColumns& y_bar, Columns p_bar) const {
  Vec y0(2 * n_);
  initial_state(y0);
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
    model_.pullback_given_position(y_bar.col(j).head(n_), p_bar.col(j));
    model_.pullback_given_velocity(y0.head(n_), y_bar.col(j).tail(n_), p_bar.col(j));
  }
}

template <class S>
void FirstOrderForm<S>::push_forward_initial(const ConstColumns& p_dot, Columns y_dot) const {
  Vec y0(2 * n_);
  initial_state(y0);
  model_.push_forward_given_position(p_dot, y_dot.topRows(n_));
  model_.push_forward_given_velocity(y0.head(n_), p_dot, y_dot.bottomRows(n_));
}

template <class S>
void FirstOrderForm<S>::right_hand_side(const OneSidedTime& at, const Segment& y, Workspace& ws,
                                        Eigen::Ref<Vec> f) const {
  Work& w = static_cast<Work&>(ws);
  model_.force(at, y.head(n_), y.tail(n_), *w.of_model, w.F);
  f.head(n_) = y.tail(n_);
  solve_mass(w.F, f.tail(n_));
}

template <class S>
void FirstOrderForm<S>::linearize(const OneSidedTime& at, const Segment& y, Workspace& ws) const {
  Work& w = static_cast<Work&>(ws);
  w.at = at, w.x = y.head(n_), w.v = y.tail(n_);
  model_.force(at, w.x, w.v, *w.of_model, w.F);
  solve_mass(w.F, w.a);
  model_.force_jacobians(at, w.x, w.v, *w.of_model, w.jacobians);
}

/// With mu = -M^-1 f_v_bar:   x_bar = f_x^T mu,   v_bar = f_x_bar + f_v^T mu,   p_bar += d(mu . (M a - F))/dp
template <class S>
void FirstOrderForm<S>::pullback(Workspace& ws, const ConstColumns& f_bar, Columns y_bar,
                                 Columns p_bar) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = f_bar.cols();
  w.reserve(m);
  auto mu = w.columns_a.leftCols(m);
  solve_mass(f_bar.bottomRows(n_), mu);  // symmetric
  mu *= -1.0;
  y_bar.topRows(n_).setZero();
  y_bar.bottomRows(n_) = f_bar.topRows(n_);
  add_product(1.0, w.f_x().transpose(), mu, y_bar.topRows(n_));
  add_product(1.0, w.f_v().transpose(), mu, y_bar.bottomRows(n_));
  model_.pullback_motions(w.at, w.x, w.v, w.a, mu, *w.of_model, p_bar);
}

template <class S>
void FirstOrderForm<S>::push_forward(Workspace& ws, const ConstColumns& y_dot, const ConstColumns& p_dot,
                                     Columns f_dot) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = y_dot.cols();
  w.reserve(m);
  auto F_dot = w.columns_a.leftCols(m);
  model_.push_forward_motion(w.at, w.x, w.v, w.a, p_dot, *w.of_model, F_dot);
  F_dot *= -1.0;
  add_product(-1.0, w.f_x(), y_dot.topRows(n_), F_dot);
  add_product(-1.0, w.f_v(), y_dot.bottomRows(n_), F_dot);
  f_dot.topRows(n_) = y_dot.bottomRows(n_);
  solve_mass(F_dot, f_dot.bottomRows(n_));
}

template <class S>
bool FirstOrderForm<S>::factorize(double gamma, Workspace& ws) const {
  Work& w = static_cast<Work&>(ws);
  w.gamma = gamma;
  w.shifted = M_ + gamma * w.f_v() + (gamma * gamma) * w.f_x();
  w.lu.compute(w.shifted);
  return is_regular(w.lu);
}

template <class S>
void FirstOrderForm<S>::solve(Workspace& ws, Columns b) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = b.cols();
  w.reserve(m);
  auto rhs = w.columns_a.leftCols(m);
  rhs.noalias() = M_ * b.bottomRows(n_);
  rhs.noalias() -= w.gamma * (w.f_x() * b.topRows(n_));
  b.bottomRows(n_) = w.lu.solve(rhs);
  b.topRows(n_) += w.gamma * b.bottomRows(n_);
}

/// Transposed, with mu = M^-1 y_v:
///     (M - gamma F_v - gamma^2 F_x)^T mu = b_v + gamma b_x,    y_v = M mu,    y_x = b_x + gamma F_x^T mu
template <class S>
void FirstOrderForm<S>::solve_transposed(Workspace& ws, Columns b) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = b.cols();
  w.reserve(m);
  auto rhs = w.columns_a.leftCols(m);
  auto mu = w.columns_b.leftCols(m);
  rhs = b.bottomRows(n_) + w.gamma * b.topRows(n_);
  mu = w.lu.transpose().solve(rhs);
  b.bottomRows(n_).noalias() = M_ * mu;
  b.topRows(n_).noalias() -= w.gamma * (w.f_x().transpose() * mu);
}

template <class S>
std::string FirstOrderForm<S>::state_name(Eigen::Index i) const {
  const std::string name = model_.coordinate_label(i % n_);
  return i < n_ ? name : fmt::format("d({})/dt", name);
}

template class FirstOrderForm<InstantiatedScalar>;

}  // namespace kurbel
