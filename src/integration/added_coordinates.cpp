#include "integration/added_coordinates.hpp"

#include <cassert>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
struct AddedCoordinates<S>::Memory : Workspace {
  explicit Memory(const AddedCoordinates& added)
      : of_model(added.model_.make_workspace()),
        of_functions(added.functions_->make_workspace()),
        jacobians(added.model_.make_jacobians()),
        none(Vec::Zero(added.m_)) {
    c.resize(added.model_.n_v(), added.model_.n_c());
    h.resize(added.model_.n_v(), added.m_);
  }
  std::unique_ptr<Workspace> of_model, of_functions;
  DaeJacobians<S> jacobians;  ///< of the model
  ConstraintDerivatives<S> c, h;
  ConstraintDirections<S> c_p, h_p;
  Vec none;  ///< multipliers of h: they do not matter to it
};

template <class S>
AddedCoordinates<S>::AddedCoordinates(Shared<const Base> model, std::shared_ptr<const Base> functions,
                                      std::vector<std::string> labels)
    : shared_(std::move(model)),
      model_(*shared_),
      functions_(std::move(functions)),
      labels_(std::move(labels)),
      m_(functions_->n_c()) {
  assert(functions_->n_x() == model_.n_x() && functions_->parameters().size() == model_.parameters().size());
  assert(m_ == std::ssize(labels_));
}

template <class S>
auto AddedCoordinates<S>::make_workspace() const -> std::unique_ptr<Workspace> {
  return std::make_unique<Memory>(*this);
}

template <class S>
auto AddedCoordinates<S>::memory(Workspace& ws) -> Memory& {
  return static_cast<Memory&>(ws);
}

template <class S>
auto AddedCoordinates<S>::of_model(const Instant& at) const -> Instant {
  const Eigen::Index n_v = model_.n_v();
  return {at.t, at.x.head(model_.n_x()), at.v.head(n_v), at.v_dot.head(n_v), at.lambda.head(model_.n_c())};
}

template <class S>
auto AddedCoordinates<S>::of_functions(const Instant& at, const Memory& memory) const -> Instant {
  const Eigen::Index n_v = model_.n_v();
  return {at.t, at.x.head(model_.n_x()), at.v.head(n_v), at.v_dot.head(n_v), memory.none};
}

template <class S>
void AddedCoordinates<S>::append_values(const Instant& at, const Memory& own,
                                        ConstraintDerivatives<S>& out) const {
  const auto append = [this](const Vec& c, const Vec& h, const Segment& s, Vec& all) {
    all.resize(n_c());
    all.head(c.size()) = c;
    all.tail(m_) = h - s.tail(m_);
  };
  append(own.c.c0, own.h.c0, at.x, out.c0);
  append(own.c.c1, own.h.c1, at.v, out.c1);
  append(own.c.c2, own.h.c2, at.v_dot, out.c2);
}

template <class S>
void AddedCoordinates<S>::append_rows(const Matrix& of_c, const Matrix& of_h, Matrix& out) const {
  out.setZero(n_c(), n_v());
  out.topLeftCorner(of_c.rows(), of_c.cols()) = of_c;
  out.bottomLeftCorner(m_, of_h.cols()) = of_h;
}

template <class S>
void AddedCoordinates<S>::residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f,
                                   Eigen::Ref<Vec> c) const {
  Memory& own = memory(ws);
  model_.residual(of_model(at), *own.of_model, f.head(model_.n_v()), c.head(model_.n_c()));
  functions_->constraint_values(of_functions(at, own), *own.of_functions, own.h);
  f.tail(m_).setZero();
  c.tail(m_) = own.h.c0 - at.x.tail(m_);
}

/// Blocks of the model in its order, then those of h and s.
template <class S>
DaeJacobians<S> AddedCoordinates<S>::make_jacobians() const {
  const DaeJacobians<S> of_model = model_.make_jacobians();
  const auto with_blocks = [](const BlockMatrix<S>& in, Eigen::Index rows, Eigen::Index cols) {
    BlockMatrix<S> out(rows, cols);
    for (const auto& b : in.blocks()) out.add_block(b.row, b.col, b.rows, b.cols);
    return out;
  };
  DaeJacobians<S> out{with_blocks(of_model.f_x, n_v(), n_v()), with_blocks(of_model.f_v, n_v(), n_v()),
                      with_blocks(of_model.M, n_v(), n_v()), with_blocks(of_model.C, n_c(), n_v())};
  out.C.add_block(model_.n_c(), 0, m_, model_.n_v());
  out.C.add_block(model_.n_c(), model_.n_v(), m_, m_);
  if (of_model.M.is_full()) out.store_full();
  return out;
}

/// From the Jacobians of the model.
template <class S>
void AddedCoordinates<S>::store(const Instant& at, Memory& own, DaeJacobians<S>& out) const {
  const auto copy = [](const BlockMatrix<S>& in, BlockMatrix<S>& to) {
    to.set_zero();
    for (std::size_t i = 0; i < in.blocks().size(); ++i) to.view(to.blocks()[i]) = in.view(in.blocks()[i]);
  };
  copy(own.jacobians.f_x, out.f_x), copy(own.jacobians.f_v, out.f_v);
  copy(own.jacobians.M, out.M), copy(own.jacobians.C, out.C);
  functions_->constraint_derivatives(of_functions(at, own), *own.of_functions, own.h);
  out.C.block(model_.n_c(), 0, m_, model_.n_v()) = own.h.C;
  out.C.block(model_.n_c(), model_.n_v(), m_, m_).diagonal().setConstant(S(-1.0));
}

template <class S>
void AddedCoordinates<S>::jacobians(const Instant& at, Workspace& ws, DaeJacobians<S>& out) const {
  Memory& own = memory(ws);
  model_.jacobians(of_model(at), *own.of_model, own.jacobians);
  store(at, own, out);
}

template <class S>
void AddedCoordinates<S>::linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                                    DaeJacobians<S>& out) const {
  Memory& own = memory(ws);
  model_.linearize(of_model(at), *own.of_model, f.head(model_.n_v()), c.head(model_.n_c()), own.jacobians);
  store(at, own, out);
  f.tail(m_).setZero();
  c.tail(m_) = own.h.c0 - at.x.tail(m_);
}

template <class S>
void AddedCoordinates<S>::pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                                   Eigen::Ref<Vec> p_bar) const {
  Memory& own = memory(ws);
  model_.pullback(of_model(at), mu_f.head(model_.n_v()), mu_c.head(model_.n_c()), *own.of_model, p_bar);
  if (mu_c.tail(m_).isZero(0.0)) return;
  functions_->pullback_constraints(of_functions(at, own), mu_c.tail(m_), own.none, own.none,
                                   *own.of_functions, p_bar);
}

template <class S>
void AddedCoordinates<S>::push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                       Columns f_p, Columns c_p) const {
  Memory& own = memory(ws);
  model_.push_forward(of_model(at), p_dot, *own.of_model, f_p.topRows(model_.n_v()),
                      c_p.topRows(model_.n_c()));
  functions_->push_forward_constraints(of_functions(at, own), p_dot, *own.of_functions, own.h_p);
  f_p.bottomRows(m_).setZero();
  c_p.bottomRows(m_) = own.h_p.c0;
}

template <class S>
void AddedCoordinates<S>::constraint_derivatives(const Instant& at, Workspace& ws,
                                                 ConstraintDerivatives<S>& out) const {
  Memory& own = memory(ws);
  model_.constraint_derivatives(of_model(at), *own.of_model, own.c);
  functions_->constraint_derivatives(of_functions(at, own), *own.of_functions, own.h);
  append_values(at, own, out);
  append_rows(own.c.C, own.h.C, out.C);
  out.C.bottomRightCorner(m_, m_).diagonal().setConstant(S(-1.0));
  append_rows(own.c.c1_x, own.h.c1_x, out.c1_x);
  append_rows(own.c.c2_x, own.h.c2_x, out.c2_x);
  append_rows(own.c.c2_v, own.h.c2_v, out.c2_v);
}

template <class S>
void AddedCoordinates<S>::constraint_values(const Instant& at, Workspace& ws,
                                            ConstraintDerivatives<S>& out) const {
  Memory& own = memory(ws);
  model_.constraint_values(of_model(at), *own.of_model, own.c);
  functions_->constraint_values(of_functions(at, own), *own.of_functions, own.h);
  append_values(at, own, out);
}

template <class S>
void AddedCoordinates<S>::pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                               const Segment& w2, Workspace& ws,
                                               Eigen::Ref<Vec> p_bar) const {
  Memory& own = memory(ws);
  const Eigen::Index n_c = model_.n_c();
  model_.pullback_constraints(of_model(at), w0.head(n_c), w1.head(n_c), w2.head(n_c), *own.of_model, p_bar);
  functions_->pullback_constraints(of_functions(at, own), w0.tail(m_), w1.tail(m_), w2.tail(m_),
                                   *own.of_functions, p_bar);
}

template <class S>
void AddedCoordinates<S>::push_forward_constraints(const Instant& at, const ConstColumns& p_dot,
                                                   Workspace& ws, ConstraintDirections<S>& out) const {
  Memory& own = memory(ws);
  model_.push_forward_constraints(of_model(at), p_dot, *own.of_model, own.c_p);
  functions_->push_forward_constraints(of_functions(at, own), p_dot, *own.of_functions, own.h_p);
  out.resize(n_c(), p_dot.cols());
  out.c0 << own.c_p.c0, own.h_p.c0;
  out.c1 << own.c_p.c1, own.h_p.c1;
  out.c2 << own.c_p.c2, own.h_p.c2;
}

template <class S>
void AddedCoordinates<S>::retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const {
  model_.retract(x.head(model_.n_x()), xi.head(model_.n_v()), x_new.head(model_.n_x()));
  x_new.tail(m_) = x.tail(m_) + xi.tail(m_);
}

template <class S>
void AddedCoordinates<S>::increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const {
  model_.increment(x.head(model_.n_x()), x_new.head(model_.n_x()), xi.head(model_.n_v()));
  xi.tail(m_) = x_new.tail(m_) - x.tail(m_);
}

template <class S>
std::string AddedCoordinates<S>::coordinate_name(Eigen::Index i) const {
  return i < model_.n_v() ? model_.coordinate_name(i) : coordinate_label(i);
}

template <class S>
std::string AddedCoordinates<S>::coordinate_label(Eigen::Index i) const {
  return i < model_.n_v() ? model_.coordinate_label(i) : labels_[static_cast<std::size_t>(i - model_.n_v())];
}

template <class S>
std::string AddedCoordinates<S>::constraint_name(Eigen::Index i) const {
  return i < model_.n_c() ? model_.constraint_name(i) : labels_[static_cast<std::size_t>(i - model_.n_c())];
}

template class AddedCoordinates<InstantiatedScalar>;

}  // namespace kurbel
