#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "integration/pivots.hpp"
#include "natural_coordinates/absolute_system_detail.hpp"

namespace kurbel {

template <class S>
AbsoluteSystem<S>::AbsoluteSystem(std::vector<Coordinate> coordinates, Controls controls, const Vec& xi)
    : coordinates_(std::move(coordinates)),
      controls_(std::move(controls)),
      n_xi_(xi.size()),
      p_(Vec::Zero(n_xi_ + controls_.n_nodes())),
      xi_start_(xi) {
  p_.head(n_xi_) = xi;
  for (const Coordinate& c : coordinates_) {
    assert(c.free || c.q0_xi.empty());
    free_index_.push_back(c.free ? static_cast<int>(n_q_++) : -1);
  }
}

template <class S>
void AbsoluteSystem<S>::add(std::shared_ptr<const Element<S>> element, Binding binding) {
  assert(static_cast<Eigen::Index>(binding.coordinates.size()) == element->n_q());
  assert(static_cast<Eigen::Index>(binding.controls.size()) == element->n_u());
  assert(static_cast<Eigen::Index>(binding.parameters.size()) == element->n_xi());
  Part part{std::move(element), std::move(binding), {}, {}};
  for (const int c : part.binding.coordinates) part.free.push_back(state_index(c));
  part.xi.resize(part.element->n_xi());
  parts_.push_back(std::move(part));
}

template <class S>
void AbsoluteSystem<S>::complete() {
  assemble_mass();
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const int i = free_index_[c];
    if (i >= 0 && std::abs(M_(i, i)) == 0.0) {
      throw InputError(fmt::format("{} has no mass; give it some, or hold it", coordinates_[c].name));
    }
  }
  if (!is_regular(M_lu_)) throw InputError("the mass matrix is singular; check masses and dimensions");
}

template <class S>
void AbsoluteSystem<S>::assemble_mass() {
  M_.setZero(n_q_, n_q_);
  Matrix local;
  for (Part& part : parts_) {
    gather_parameters(part.binding, part.xi);
    local.setZero(part.element->n_q(), part.element->n_q());
    part.element->add_mass(part.xi, local);
    for (std::size_t i = 0; i < part.free.size(); ++i) {
      if (part.free[i] < 0) continue;
      for (std::size_t j = 0; j < part.free.size(); ++j) {
        if (part.free[j] >= 0) {
          M_(part.free[i], part.free[j]) += local(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        }
      }
    }
  }
  M_lu_.compute(M_);
  is_diagonal_ = M_.isDiagonal(0.0);
}

template <class S>
void AbsoluteSystem<S>::set_parameters(const Segment& p) {
  p_ = p;
  assemble_mass();
}

template <class S>
std::unique_ptr<typename FirstOrderOde<S>::Workspace> AbsoluteSystem<S>::make_workspace() const {
  return std::make_unique<Work>(*this);
}

template <class S>
void AbsoluteSystem<S>::initial_state(Eigen::Ref<Vec> x0) const {
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const int i = free_index_[c];
    if (i < 0) continue;
    x0[i] = coordinates_[c].q0;
    x0[n_q_ + i] = coordinates_[c].v0;
    for (const auto& [k, derivative] : coordinates_[c].q0_xi) x0[i] += derivative * (p_[k] - xi_start_[k]);
  }
}

template <class S>
void AbsoluteSystem<S>::pullback_initial(const ConstColumns& x_bar, Columns p_bar) const {
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    for (const auto& [k, derivative] : coordinates_[c].q0_xi) {
      p_bar.row(k) += derivative * x_bar.row(free_index_[c]);
    }
  }
}

template <class S>
void AbsoluteSystem<S>::push_forward_initial(const ConstColumns& p_dot, Columns x_dot) const {
  x_dot.setZero();
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    for (const auto& [k, derivative] : coordinates_[c].q0_xi) {
      x_dot.row(free_index_[c]) += derivative * p_dot.row(k);
    }
  }
}

template <class S>
void AbsoluteSystem<S>::gather(const Binding& binding, const Segment& q, const Segment& v,
                               Eigen::Ref<Vec> own_q, Eigen::Ref<Vec> own_v) const {
  for (std::size_t k = 0; k < binding.coordinates.size(); ++k) {
    const auto c = static_cast<std::size_t>(binding.coordinates[k]);
    const int i = free_index_[c];
    const auto at = static_cast<Eigen::Index>(k);
    own_q[at] = i < 0 ? S(coordinates_[c].q0) : q[i];
    own_v[at] = i < 0 ? S(0) : v[i];
  }
}

template <class S>
void AbsoluteSystem<S>::gather_parameters(const Binding& binding, Eigen::Ref<Vec> xi) const {
  for (std::size_t k = 0; k < binding.parameters.size(); ++k) {
    xi[static_cast<Eigen::Index>(k)] = binding.parameters[k].template value<S>(p_);
  }
}

template <class S>
ElementState<S> AbsoluteSystem<S>::state_of(const Part& part, Scratch& scratch, const Segment& q,
                                            const Segment& v, const Vec& u) const {
  gather(part.binding, q, v, scratch.q, scratch.v);
  for (std::size_t k = 0; k < part.binding.controls.size(); ++k) {
    scratch.u[static_cast<Eigen::Index>(k)] = u[part.binding.controls[k]];
  }
  return {scratch.q, scratch.v, scratch.u, part.xi};
}

template <class S>
typename AbsoluteSystem<S>::Vec AbsoluteSystem<S>::control(const OneSidedTime& at) const {
  Vec u(controls_.size());
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const ControlGrid& grid = controls_.grid(i);
    u[i] = grid.weights(at).template cast<S>() * p_.segment(control_offset(i), grid.n_nodes());
  }
  return u;
}

template <class S>
void AbsoluteSystem<S>::set_controls(const OneSidedTime& at, Work& w) const {
  for (Eigen::Index i = 0; i < w.u.size(); ++i) {
    Eigen::RowVectorXd& weights = w.weights[static_cast<std::size_t>(i)];
    controls_.grid(i).weights(at, weights);
    S u(0);
    for (Eigen::Index j = 0; j < weights.size(); ++j) u += weights[j] * p_[control_offset(i) + j];
    w.u[i] = u;
  }
}

/// Q = sum_e T_1^T Q^(e)    [P2, eq. 32]
template <class S>
void AbsoluteSystem<S>::assemble_force(const Segment& q, const Segment& v, Work& w) const {
  w.Q.setZero();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Scratch& scratch = w.scratch[p];
    scratch.Q.setZero();
    parts_[p].element->add_force(state_of(parts_[p], scratch, q, v, w.u), scratch.Q);
    for (std::size_t i = 0; i < parts_[p].free.size(); ++i) {
      if (parts_[p].free[i] >= 0) w.Q[parts_[p].free[i]] += scratch.Q[static_cast<Eigen::Index>(i)];
    }
  }
}

template <class S>
void AbsoluteSystem<S>::right_hand_side(const OneSidedTime& at, const Segment& x, Workspace& ws,
                                        Eigen::Ref<Vec> f) const {
  Work& w = static_cast<Work&>(ws);
  set_controls(at, w);
  assemble_force(x.head(n_q_), x.tail(n_q_), w);
  f.head(n_q_) = x.tail(n_q_);
  solve_mass(w.Q, f.tail(n_q_));
}

/// With y = (y_q, y_v) and b likewise, (I - gamma f_x) y = b is
///     (M - gamma Q_v - gamma^2 Q_q) y_v = M b_v + gamma Q_q b_q,    y_q = b_q + gamma y_v
template <class S>
bool AbsoluteSystem<S>::factorize(double gamma, Workspace& ws) const {
  Work& w = static_cast<Work&>(ws);
  w.gamma = gamma;
  w.shifted = M_ - gamma * w.Q_v - (gamma * gamma) * w.Q_q;
  w.lu.compute(w.shifted);
  return is_regular(w.lu);
}

template <class S>
void AbsoluteSystem<S>::solve(Workspace& ws, Columns b) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = b.cols();
  w.reserve(m);
  auto rhs = w.columns_a.leftCols(m);
  rhs.noalias() = M_ * b.bottomRows(n_q_);
  rhs.noalias() += w.gamma * w.Q_q * b.topRows(n_q_);
  b.bottomRows(n_q_) = w.lu.solve(rhs);
  b.topRows(n_q_) += w.gamma * b.bottomRows(n_q_);
}

/// Transposed, with mu = M^-1 y_v:
///     (M - gamma Q_v - gamma^2 Q_q)^T mu = b_v + gamma b_q,    y_v = M mu,    y_q = b_q + gamma Q_q^T mu
template <class S>
void AbsoluteSystem<S>::solve_transposed(Workspace& ws, Columns b) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = b.cols();
  w.reserve(m);
  auto rhs = w.columns_a.leftCols(m);
  auto mu = w.columns_b.leftCols(m);
  rhs = b.bottomRows(n_q_) + w.gamma * b.topRows(n_q_);
  mu = w.lu.transpose().solve(rhs);
  b.bottomRows(n_q_).noalias() = M_ * mu;
  b.topRows(n_q_).noalias() += w.gamma * (w.Q_q.transpose() * mu);
}

template <class S>
void AbsoluteSystem<S>::force(const OneSidedTime& at, const Segment& q, const Segment& v, Workspace& ws,
                              Eigen::Ref<Vec> Q) const {
  Work& w = static_cast<Work&>(ws);
  set_controls(at, w);
  assemble_force(q, v, w);
  Q = w.Q;
}

template <class S>
std::string AbsoluteSystem<S>::state_name(Eigen::Index i) const {
  const auto at = std::find(free_index_.begin(), free_index_.end(), static_cast<int>(i % n_q_));
  const std::string& name = coordinates_[static_cast<std::size_t>(at - free_index_.begin())].name;
  return i < n_q_ ? name : fmt::format("d({})/dt", name);
}

template <class S>
std::string AbsoluteSystem<S>::state_unit(Eigen::Index i) const {
  const auto at = std::find(free_index_.begin(), free_index_.end(), static_cast<int>(i % n_q_));
  const bool is_slope = coordinates_[static_cast<std::size_t>(at - free_index_.begin())].is_slope;
  if (i < n_q_) return is_slope ? "" : "m";
  return is_slope ? "1/s" : "m/s";
}

template class AbsoluteSystem<InstantiatedScalar>;

}  // namespace kurbel
