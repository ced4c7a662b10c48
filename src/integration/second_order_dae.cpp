#include "integration/second_order_dae.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
void SecondOrderDae<S>::linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                                  DaeJacobians<S>& out) const {
  residual(at, ws, f, c);
  jacobians(at, ws, out);
}

template <class S>
DaeJacobians<S> SecondOrderDae<S>::make_jacobians() const {
  const auto square = BlockMatrix<S>::dense(n_v(), n_v());
  return {square, square, square, BlockMatrix<S>::dense(n_c(), n_v())};
}

template <class S>
void SecondOrderDae<S>::push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                                     Columns c_p) const {
  Vec mu = Vec::Zero(n_v() + n_c()), p_bar(p_dot.rows());
  for (Eigen::Index i = 0; i < mu.size(); ++i) {
    mu[i] = 1.0;
    p_bar.setZero();
    pullback(at, mu.head(n_v()), mu.tail(n_c()), ws, p_bar);
    (i < n_v() ? f_p.row(i) : c_p.row(i - n_v())) = p_bar.transpose() * p_dot;
    mu[i] = 0.0;
  }
}

template <class S>
void SecondOrderDae<S>::pullback_levels(const Instant& at, const Segment& mu_f, const Segment& w0,
                                        const Segment& w1, const Segment& w2, Workspace& ws,
                                        Eigen::Ref<Vec> p_bar) const {
  thread_local Vec none;  // zeros that no step allocates anew
  if (none.size() < n_c()) none.setZero(n_c());
  pullback(at, mu_f, none.head(n_c()), ws, p_bar);
  pullback_constraints(at, w0, w1, w2, ws, p_bar);
}

template <class S>
void SecondOrderDae<S>::push_forward_constraints(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                                 ConstraintDirections<S>& out) const {
  out.resize(n_c(), p_dot.cols());
  Vec w = Vec::Zero(3 * n_c()), p_bar(p_dot.rows());
  const auto level = [&](Eigen::Index k) { return w.segment(k * n_c(), n_c()); };
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    w[i] = 1.0;
    p_bar.setZero();
    pullback_constraints(at, level(0), level(1), level(2), ws, p_bar);
    Matrix& rows = i < n_c() ? out.c0 : i < 2 * n_c() ? out.c1 : out.c2;
    rows.row(i % n_c()) = p_bar.transpose() * p_dot;
    w[i] = 0.0;
  }
}

template class SecondOrderDae<InstantiatedScalar>;

}  // namespace kurbel
