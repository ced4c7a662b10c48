/// @file
/// A system in absolute coordinates as equations of second order without constraints,
///
///     M(xi) v_dot = Q(q, v, u(t), xi),    x = q,    p = (xi, u_bar)
///
/// for the integrators of mechanisms.
#pragma once

#include "integration/constant_mass_dae.hpp"
#include "natural_coordinates/absolute_system.hpp"

namespace kurbel {

template <class Scalar>
class AbsoluteDae final : public ConstantMassDae<Scalar> {
 public:
  using Base = ConstantMassDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// The system must outlive this.
  explicit AbsoluteDae(AbsoluteSystem<Scalar>& system);
  /// Of the system.
  void set_parameters(const Segment& p);

  Eigen::Index n_x() const override { return system_.n_q(); }
  Eigen::Index n_c() const override { return 0; }
  const Vec& parameters() const override { return system_.parameters(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  std::vector<double> jumps(double from, double to) const override;

  const BlockMatrix<Scalar>& mass() const override { return mass_; }
  void force(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
             Eigen::Ref<Vec> F) const override;
  void force_jacobians(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                       DaeJacobians<Scalar>& out) const override;
  void pullback_motion(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                       const Segment& w, Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                           const ConstColumns& p_dot, Workspace& ws, Columns out) const override;

  void constraints(double, const Segment&, Workspace&, Eigen::Ref<Vec>, BlockMatrix<Scalar>&) const override {
  }
  void constraint_rate(double, Workspace&, Eigen::Ref<Vec>) const override {}
  void constraint_acceleration(double, Workspace&, Eigen::Ref<Vec>) const override {}
  void add_reaction_jacobian(const Segment&, const Segment&, double, Workspace&,
                             BlockMatrix<Scalar>&) const override {}
  void pullback_positions(double, const Segment&, const Segment&, const Segment&, const Segment&, Workspace&,
                          Eigen::Ref<Vec>) const override {}
  void push_forward_positions(double, const Segment&, const Segment&, const ConstColumns&, Workspace&,
                              Columns, Columns r_p) const override {
    r_p.setZero();
  }
  void pullback_constraints(const DaeInstant<Scalar>&, const Segment&, const Segment&, const Segment&,
                            Workspace&, Eigen::Ref<Vec>) const override {}

  void given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const override;
  void push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const override;
  void pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const override;

  std::string coordinate_name(Eigen::Index i) const override { return system_.state_name(i); }
  std::string coordinate_label(Eigen::Index i) const override { return system_.state_name(i); }
  std::string constraint_name(Eigen::Index) const override { return {}; }

 private:
  class Work;

  AbsoluteSystem<Scalar>& system_;
  BlockMatrix<Scalar> mass_;
};

}  // namespace kurbel
