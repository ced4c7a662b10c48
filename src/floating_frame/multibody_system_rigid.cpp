/// The parts of rigid bodies whose motion is given in inertial axes.
#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "floating_frame/rigid_rows.hpp"

namespace kurbel {

namespace {

/// Twist of the frame of a body, in its axes.
template <class S>
Vector6<S> twist_in_body(const RigidMotion<S>& body) {
  const auto omega = body.V.template tail<3>();
  Vector6<S> out;
  out << body.A.transpose() * (body.V.template head<3>() + cross(omega, Vector3<S>(body.r - body.rho))),
      body.A.transpose() * omega;
  return out;
}

}  // namespace

template <class S>
void MultibodySystem<S>::add_rigid_parts(const OneSidedTime& t, const Segment& lambda,
                                         const std::vector<RigidBody>& bodies, Workspace& workspace_in,
                                         ConstraintDerivatives<S>& c) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_controls(t, ws);
  const RigidMotion<S> ground;
  const auto body_of = [&](const MarkerPlace& place) {
    return place.body < 0 ? RigidBody{&ground, nullptr} : bodies[static_cast<std::size_t>(place.body)];
  };
  for (Vec* values : {&c.c0, &c.c1, &c.c2}) values->resize(n_c_);
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    const RigidBody to = body_of(joint.rows.to()), from = body_of(joint.rows.from());
    TimeValueOf<S> angle;
    for (TimeValueOf<S>& s : ws.shift) s = {};
    for (const Drive<S>& drive : joint.drives)
      (drive.is_rotation() ? angle : ws.shift[drive.axis()]) = drive.at(t, p_.data(), ws.drive_weights);
    const typename RelativeRows<S>::RigidPair pair(joint.rows, p_.data(), *to.motion, *from.motion, angle);
    const Eigen::Index r = joint.first_row;
    pair.rates(joint.drives.empty() ? nullptr : ws.shift, c.c0.data() + r, c.c1.data() + r, c.c2.data() + r);
    pair.add_reaction(lambda.data() + r, to.wrench, from.wrench);
  }
  for (const ForceElement& force : forces_) {
    const RigidBody to = body_of(force.rows.to()), from = body_of(force.rows.from());
    auto& rows = ws.force_derivatives[static_cast<std::size_t>(&force - forces_.data())];
    for (Vec* values : {&rows.c, &rows.c_dot, &rows.c_ddot}) values->resize(force.rows.n_rows());
    const typename RelativeRows<S>::RigidPair pair(force.rows, p_.data(), *to.motion, *from.motion, {});
    pair.rates(nullptr, rows.c.data(), rows.c_dot.data(), rows.c_ddot.data());
    const RowForces<S> on = forces_on_rows(force, rows.c, rows.c_dot, ws.u);
    pair.add_reaction(on.W.data(), to.wrench, from.wrench);
  }
  const auto subtract = [](const Vector6<S>& in_body, const RigidBody& body) {
    const RigidMotion<S>& m = *body.motion;
    const Vector3<S> F = m.A * in_body.template head<3>();
    body.wrench->template head<3>() -= F;
    body.wrench->template tail<3>() -= m.A * in_body.template tail<3>() + cross(Vector3<S>(m.r - m.rho), F);
  };
  for (const TyrePair& own : tyres_) {
    const RigidBody wheel = body_of(own.pair.to()), carrier = body_of(own.pair.from());
    const Vector6<S> v_wheel = twist_in_body(*wheel.motion), v_carrier = twist_in_body(*carrier.motion);
    BodyKinematics<S> to{wheel.motion->r, wheel.motion->A}, from{carrier.motion->r, carrier.motion->A};
    to.v = v_wheel.data(), from.v = v_carrier.data();
    subtract(own.tyre.wrench(p_.data(), to, from), wheel);
  }
  for (const Load& load : loads_) {
    if (load.place.body < 0) continue;
    subtract(load_on_rigid_body(load, t, bodies, ws), body_of(load.place));
  }
}

#define KURBEL_INSTANTIATE(S)                                                                  \
  template void MultibodySystem<S>::add_rigid_parts(const OneSidedTime&, const Segment&,       \
                                                    const std::vector<RigidBody>&, Workspace&, \
                                                    ConstraintDerivatives<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
