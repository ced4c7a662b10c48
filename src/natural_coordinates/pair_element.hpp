/// @file
/// Laws of forces between two markers (pair_law.hpp) as elements in natural coordinates.
#pragma once

#include "elements/element.hpp"
#include "mechanism/pair_law.hpp"

namespace kurbel {

/// Q = -C^T W(c, c_dot; xi), with rows c that are sums of products of the vectors q = (p^t, p^f, a_1^t, a_2^t, a_3^t,
/// a_1^f, a_2^f, a_3^f): c_i = q^T B_i q / 2 with constant, symmetric B_i, so that C_i = q^T B_i.
template <class Scalar>
class PairElement final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  explicit PairElement(std::shared_ptr<const PairLaw<Scalar>> law);
  Eigen::Index n_q() const override { return 24; }
  Eigen::Index n_xi() const override { return law_->n_xi(); }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  using Square = Eigen::Matrix<double, 24, 24>;
  using Gradients = Eigen::Matrix<Scalar, Eigen::Dynamic, 24, 0, max_pair_rows, 24>;
  Gradients gradients(const Segment& q) const;
  Vec rows(const Gradients& C, const Segment& q) const { return 0.5 * (C * q); }

  std::shared_ptr<const PairLaw<Scalar>> law_;
  std::vector<Square> B_;
};

}  // namespace kurbel
