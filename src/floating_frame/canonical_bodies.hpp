/// @file
/// Hamilton's equations of rigid bodies in their own frames, with all constraints.             [P3, eqs 1-6]
///
/// There M is constant and g = -f(t, x, v, 0, 0): the rate of a momentum in a frame that turns, ad_v^T p + Q.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/canonical_equations.hpp"

namespace kurbel {

template <class Scalar>
class CanonicalBodies final : public CanonicalEquations<Scalar> {
 public:
  using Base = CanonicalEquations<Scalar>;
  using typename Base::Columns;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @throws InputError if a body is flexible
  explicit CanonicalBodies(const MultibodySystem<Scalar>& system);

  const SecondOrderDae<Scalar>& dae() const override { return system_; }
  std::unique_ptr<Workspace> make_canonical_workspace() const override;
  Eigen::Index set_position(const OneSidedTime& t, const Segment& x, Workspace& ws) const override;
  void solve(Workspace& ws, Columns b) const override;
  void momenta(const Segment& v, Workspace& ws, Eigen::Ref<Vec> p, Eigen::Ref<Vec> g) const override;
  void force(Workspace& ws, Eigen::Ref<Vec> f) const override;
  void pull_back_rate(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                      Eigen::Ref<Vec> p_bar) const override;
  void pull_back_momentum(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                          Eigen::Ref<Vec> p_bar) const override;
  const Vec& constraint_rates(const Workspace& ws) const override;
  void pull_back_constraint_rates(const DaeInstant<Scalar>& at, const Segment& w1, const Segment& w2,
                                  Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                  Eigen::Ref<Vec> p_bar) const override;

 private:
  class BodiesWorkspace;
  static BodiesWorkspace& bodies(Workspace& ws);
  DaeInstant<Scalar> instant(const BodiesWorkspace& ws) const;

  const MultibodySystem<Scalar>& system_;
};

}  // namespace kurbel
