#include "integration/constant_mass_dae.hpp"

#include "base/instantiate.hpp"
#include "integration/constant_mass_start.hpp"

namespace kurbel {

template <class S>
void ConstantMassDae<S>::copy_mass(BlockMatrix<S>& M) const {
  const BlockMatrix<S>& own = mass();
  if (!M.is_full() && !own.is_full()) {
    M.values() = own.values();
    return;
  }
  for (const auto& b : own.blocks()) M.block(b.row, b.col, b.rows, b.cols) = own.view(b);
}

template <class S>
void ConstantMassDae<S>::linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                                   DaeJacobians<S>& out) const {
  copy_mass(out.M);
  constraints(at.t, at.x, ws, c, out.C);
  force(at.t, at.x, at.v, ws, f);
  f *= -1.0;
  mass().add_product(1.0, at.v_dot, f);
  out.C.add_transposed_product(1.0, at.lambda, f);
  force_jacobians(at.t, at.x, at.v, ws, out);
  add_reaction_jacobian(at.x, at.lambda, 1.0, ws, out.f_x);
}

template <class S>
void ConstantMassDae<S>::residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f,
                                  Eigen::Ref<Vec> c) const {
  BlockMatrix<S>& C = static_cast<ConstantMassWorkspace<S>&>(ws).C;
  constraints(at.t, at.x, ws, c, C);
  force(at.t, at.x, at.v, ws, f);
  f *= -1.0;
  mass().add_product(1.0, at.v_dot, f);
  C.add_transposed_product(1.0, at.lambda, f);
}

template <class S>
void ConstantMassDae<S>::jacobians(const Instant& at, Workspace& ws, DaeJacobians<S>& out) const {
  Vec c(this->n_c());
  copy_mass(out.M);
  constraints(at.t, at.x, ws, c, out.C);
  force_jacobians(at.t, at.x, at.v, ws, out);
  add_reaction_jacobian(at.x, at.lambda, 1.0, ws, out.f_x);
}

template <class S>
void ConstantMassDae<S>::pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                                  Eigen::Ref<Vec> p_bar) const {
  pullback_motion(at.t, at.x, at.v, at.v_dot, mu_f, ws, p_bar);
  pullback_positions(at.t, at.x, mu_c, mu_f, at.lambda, ws, p_bar);
}

template <class S>
void ConstantMassDae<S>::push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                      Columns f_p, Columns c_p) const {
  Matrix r_p(n_v(), p_dot.cols());
  push_forward_motion(at.t, at.x, at.v, at.v_dot, p_dot, ws, f_p);
  push_forward_positions(at.t, at.x, at.lambda, p_dot, ws, c_p, r_p);
  f_p += r_p;
}

template <class S>
void ConstantMassDae<S>::pullback_motions(const OneSidedTime& t, const Segment& x, const Segment& v,
                                          const Segment& a, const ConstColumns& w, Workspace& ws,
                                          Columns p_bar) const {
  for (Eigen::Index j = 0; j < w.cols(); ++j) pullback_motion(t, x, v, a, w.col(j), ws, p_bar.col(j));
}

template <class S>
void ConstantMassDae<S>::push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                             const Segment& a, const ConstColumns& p_dot, Workspace& ws,
                                             Columns out) const {
  Vec w = Vec::Zero(n_v()), p_bar(p_dot.rows());
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    w[i] = 1.0;
    p_bar.setZero();
    pullback_motion(t, x, v, a, w, ws, p_bar);
    out.row(i) = p_bar.transpose() * p_dot;
    w[i] = 0.0;
  }
}

template <class S>
void ConstantMassDae<S>::push_forward_positions(double t, const Segment& x, const Segment& a,
                                                const ConstColumns& p_dot, Workspace& ws, Columns c_p,
                                                Columns r_p) const {
  const Eigen::Index n_c = this->n_c();
  Vec w = Vec::Zero(n_c + n_v()), p_bar(p_dot.rows());
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    w[i] = 1.0;
    p_bar.setZero();
    pullback_positions(t, x, w.head(n_c), w.tail(n_v()), a, ws, p_bar);
    (i < n_c ? c_p.row(i) : r_p.row(i - n_c)) = p_bar.transpose() * p_dot;
    w[i] = 0.0;
  }
}

template <class S>
void ConstantMassDae<S>::constraint_derivatives(const Instant& at, Workspace& ws,
                                                ConstraintDerivatives<S>& out) const {
  BlockMatrix<S> C = this->make_jacobians().C;
  ConstraintCurvature<S> curvature(*this, C);
  constraints(at.t, at.x, ws, out.c0, C);
  constraint_rate(at.t, ws, out.c1);
  constraint_acceleration(at.t, ws, out.c2);
  out.C = C.to_dense();
  out.c1_x = curvature.of(at.v, ws).to_dense();
  out.c2_x = curvature.of(at.v_dot, ws).to_dense();
  out.c2_v = 2.0 * out.c1_x;
  out.c1.noalias() += out.C * at.v;
  out.c2.noalias() += out.C * at.v_dot + out.c1_x * at.v;
}

template <class S>
void ConstantMassDae<S>::given_velocity(const Segment&, Eigen::Ref<Vec> v, Columns v_x) const {
  Vec x(this->n_x());
  this->given_initial_state(x, v);
  v_x.setZero();
}

template <class S>
std::unique_ptr<Start<S>> ConstantMassDae<S>::make_start() const {
  return std::make_unique<ConstantMassStart<S>>(*this);
}

template <class S>
ConstraintCurvature<S>::ConstraintCurvature(const ConstantMassDae<S>& model, const BlockMatrix<S>& C)
    : model_(model), H_(C), C0_(C), zero_(VectorX<S>::Zero(C.cols())), c_(C.rows()) {}

template <class S>
const BlockMatrix<S>& ConstraintCurvature<S>::of(const Segment& v, Workspace& ws) {
  model_.constraints(0.0, zero_, ws, c_, C0_);
  model_.constraints(0.0, v, ws, c_, H_);
  H_.values() -= C0_.values();
  return H_;
}

template class ConstantMassDae<InstantiatedScalar>;
template class ConstraintCurvature<InstantiatedScalar>;

}  // namespace kurbel
