#include "natural_coordinates/pair_element.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

/// First coordinates of the vectors.
constexpr int place_of_to = 0, place_of_from = 3;
constexpr int axis_of_to(int k) {
  return 6 + 3 * k;
}
constexpr int axis_of_from(int k) {
  return 15 + 3 * k;
}

/// B += factor (d2/dq2 of a product of two vectors)
template <class Matrix>
void add_product(int a, int b, double factor, Matrix& B) {
  B.template block<3, 3>(a, b).diagonal().array() += factor;
  B.template block<3, 3>(b, a).diagonal().array() += factor;
}

template <class Matrix>
Matrix row_matrix(const PairRow& row) {
  Matrix B = Matrix::Zero();
  const int i = (row.i + 1) % 3, j = (row.i + 2) % 3;
  switch (row.kind) {
    case PairRow::Kind::translation:
      add_product(axis_of_to(row.i), place_of_to, 1.0, B);
      add_product(axis_of_to(row.i), place_of_from, -1.0, B);
      break;
    case PairRow::Kind::rotation:
      add_product(axis_of_from(j), axis_of_to(i), 0.5, B);
      add_product(axis_of_from(i), axis_of_to(j), -0.5, B);
      break;
    case PairRow::Kind::direction_cosine:
      add_product(axis_of_from(row.i), axis_of_to(row.j), 1.0, B);
      break;
  }
  return B;
}

}  // namespace

template <class S>
PairElement<S>::PairElement(std::shared_ptr<const PairLaw<S>> law) : law_(std::move(law)) {
  for (const PairRow& row : law_->rows()) B_.push_back(row_matrix<Square>(row));
}

template <class S>
typename PairElement<S>::Gradients PairElement<S>::gradients(const Segment& q) const {
  Gradients C(static_cast<Eigen::Index>(B_.size()), 24);
  for (std::size_t i = 0; i < B_.size(); ++i)
    C.row(static_cast<Eigen::Index>(i)) = (B_[i].template cast<S>() * q).transpose();
  return C;
}

template <class S>
void PairElement<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Gradients C = gradients(state.q);
  Q -= C.transpose() * law_->forces(rows(C, state.q), C * state.v, state.xi).W;
}

template <class S>
void PairElement<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Gradients C = gradients(state.q), C_dot = gradients(state.v);
  const PairForces<S> on = law_->forces(rows(C, state.q), C * state.v, state.xi);
  out.Q_q -= C.transpose() * (on.W_c * C + on.W_cdot * C_dot);
  for (std::size_t i = 0; i < B_.size(); ++i)
    out.Q_q -= on.W[static_cast<Eigen::Index>(i)] * B_[i].template cast<S>();
  out.Q_v -= C.transpose() * on.W_cdot * C;
  out.Q_xi -= C.transpose() * on.W_xi;
}

template <class S>
S PairElement<S>::potential(const ElementState<S>& state) const {
  const Gradients C = gradients(state.q);
  return law_->energy(rows(C, state.q), state.xi);
}

template class PairElement<InstantiatedScalar>;

}  // namespace kurbel
