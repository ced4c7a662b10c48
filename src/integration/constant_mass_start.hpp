/// @file
/// Start of a ConstantMassDae from positions that are given complete: x as given, which satisfies c, then
///
///     [M C^T; C 0] (v - v_given, kappa) = (0, -C v_given - c_t)          the velocity next to the given one
///
/// and what balances then (constant_mass_balance.hpp).
#pragma once

#include "integration/constant_mass_balance.hpp"

namespace kurbel {

template <class Scalar>
class ConstantMassStart final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  explicit ConstantMassStart(const ConstantMassDae<Scalar>& model);

  /// @throws FaultyConstraint if the given positions miss one, or constraints are redundant
  Status solve(double t0, State& state) override;
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

 private:
  void check_positions(const Vec& x, const Vec& c) const;

  const ConstantMassDae<Scalar>& model_;
  ConstantMassBalance<Scalar> balance_;
  Vec change_, kappa_;  ///< v - v_given
};

}  // namespace kurbel
