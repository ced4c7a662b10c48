/// @file
/// A SecondOrderDae whose start is given in its own coordinates, and assembled there.
#pragma once

#include "integration/second_order_dae.hpp"

namespace kurbel {

template <class Scalar>
class AssembledDae : public SecondOrderDae<Scalar> {
 public:
  using Base = SecondOrderDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;

  /// InitialConditions.
  std::unique_ptr<Start<Scalar>> make_start() const override;

  /// The initial state as given, not yet corrected to satisfy the constraints.
  virtual void given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const = 0;

  /// Initial velocities v (n_v) as given, for a corrected position x, and their derivative v_x (n_v x n_v).
  virtual void given_velocity(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const = 0;

  /// Derivative of the given initial position by the parameters, in tangent coordinates.
  /// @param p_dot  (n_p x m)      @param x_dot  (n_v x m)   overwritten
  virtual void push_forward_given_position(const ConstColumns& /*p_dot*/, Columns x_dot) const {
    x_dot.setZero();
  }
  /// p_bar += (d x / d p)^T x_bar
  virtual void pullback_given_position(const Segment& /*x_bar*/, Eigen::Ref<Vec> /*p_bar*/) const {}

  /// The same of the given initial velocity at a corrected position x.
  /// @param p_dot  (n_p x m)      @param v_dot  (n_v x m)   overwritten
  virtual void push_forward_given_velocity(const Segment& /*x*/, const ConstColumns& /*p_dot*/,
                                           Columns v_dot) const {
    v_dot.setZero();
  }
  /// p_bar += (d v / d p)^T v_bar
  virtual void pullback_given_velocity(const Segment& /*x*/, const Segment& /*v_bar*/,
                                       Eigen::Ref<Vec> /*p_bar*/) const {}

  /// True if the initial position, or velocity, of tangent coordinate i is given, and so to be kept if others
  /// can satisfy the constraints.
  virtual bool is_position_given(Eigen::Index i) const = 0;
  virtual bool is_velocity_given(Eigen::Index i) const = 0;

  /// True if tangent coordinate i begins without acceleration, where that takes it, rather than at its given
  /// position; coordinates that the constraints determine do neither.
  virtual bool starts_in_equilibrium(Eigen::Index) const { return false; }

  /// True if tangent coordinate i is corrected before the elastic ones are.
  virtual bool is_rigid_coordinate(Eigen::Index i) const = 0;
};

}  // namespace kurbel
