/// @file
/// Scratch memory of AbsoluteSystem. Internal to absolute_system*.cpp.
#pragma once

#include <algorithm>

#include "natural_coordinates/absolute_system.hpp"

namespace kurbel {

/// out += A B. What large products prepare is not worth it where A is small.
template <class A, class B, class Out>
void add_product(const A& a, const B& b, Out&& out) {
  constexpr Eigen::Index few = 12;
  if (a.rows() <= few && a.cols() <= few) {
    out.noalias() += a.lazyProduct(b);
  } else {
    out.noalias() += a * b;
  }
}

/// Local vectors of one element.
template <class S>
struct AbsoluteSystem<S>::Scratch {
  Vec q, v, u, Q, a;
  ForceDerivatives<S> derivatives;
  Matrix Ma_xi;

  explicit Scratch(const Element<S>& e)
      : q(e.n_q()), v(e.n_q()), u(e.n_u()), Q(e.n_q()), a(e.n_q()), Ma_xi(e.n_q(), e.n_xi()) {
    derivatives.resize(e.n_q(), e.n_u(), e.n_xi());
  }
};

template <class S>
class AbsoluteSystem<S>::Work final : public Workspace {
 public:
  Work(const AbsoluteSystem& system) : columns_a(system.n_q_, 0), columns_b(system.n_q_, 0) {
    const Eigen::Index n = system.n_q_;
    for (const Part& part : system.parts_) scratch.emplace_back(*part.element);
    for (Matrix* A : {&Q_q, &Q_v, &shifted}) A->setZero(n, n);
    const Controls& controls = system.controls_;
    u.setZero(controls.size());
    for (Eigen::Index i = 0; i < controls.size(); ++i) weights.emplace_back(controls.grid(i).n_nodes());
    Q_u.setZero(n, controls.size());
    for (Matrix* A : {&Q_xi, &a_xi}) A->setZero(n, system.n_xi_);
    for (Vec* v : {&Q, &a}) v->setZero(n);
    lu = Eigen::PartialPivLU<Matrix>(n);
  }

  /// Room for m columns of n_q entries.
  void reserve(Eigen::Index m) {
    if (m <= columns_a.cols()) return;
    const Eigen::Index capacity = std::max(m, 2 * columns_a.cols());
    columns_a.resize(columns_a.rows(), capacity);
    columns_b.resize(columns_b.rows(), capacity);
    columns_u.resize(u.size(), capacity);
  }

  std::vector<Scratch> scratch;
  Vec u;                                    ///< at the instant of the last call
  std::vector<Eigen::RowVectorXd> weights;  ///< of the nodes of each control, then
  Vec Q, a;
  Matrix Q_q, Q_v, Q_u, a_xi;
  Matrix Q_xi;     ///< dQ/dxi - d(M a)/dxi
  Matrix shifted;  ///< M - gamma Q_v - gamma^2 Q_q
  Eigen::PartialPivLU<Matrix> lu;
  double gamma = 0.0;
  Matrix columns_a, columns_b, columns_u;
};

}  // namespace kurbel
