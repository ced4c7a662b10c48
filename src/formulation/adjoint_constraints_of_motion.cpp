/// Costates of a motion, and the constraints that they meet.                                  [P3, eqs 27, 28]
#include <numeric>

#include "formulation/joint_coordinates_motion.hpp"
#include "sensitivity/adjoint_constraints.hpp"

namespace kurbel {

namespace {

std::vector<Eigen::Index> all(Eigen::Index n) {
  std::vector<Eigen::Index> indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

VectorXd times_looked_at(const Trajectory<double>& trajectory) {
  return trajectory.t(instants_looked_at(trajectory.t.size()));
}

/// Whether there are costates with constraints, and rates of them.
bool can_be_told(const IntegratorOptions& options, const MultibodySystem<double>& system,
                 const Trajectory<double>& trajectory) {
  return takes_momenta(options.method) && system.n_c() > 0 && trajectory.n_stored >= 5;
}

/// Variations of the constraints of all bodies along a virtual motion of joint coordinates, row by row.
ConstraintVariations vary_bodies(const JointCoordinateSystem<double>& system, BodiesOfJoints<double>& bodies,
                                 SecondOrderDae<double>::Workspace& ws, const DaeInstant<double>& at,
                                 const VirtualMotion& motion) {
  const DaeInstant<double> of_bodies = bodies.at(at, false);
  ConstraintDerivatives<double> c;
  bodies.system_of_bodies().constraint_derivatives(of_bodies, ws, c);
  const Eigen::Index n_c = c.C.rows(), n = c.C.cols();
  const DaeStateLayout layout{system.n_x(), system.n_v(), system.n_c(), 1};
  const VectorXd at_rest = VectorXd::Zero(n), no_multipliers = VectorXd::Zero(n_c);
  VectorXd y_bar(layout.n_tangent()), p_bar = VectorXd::Zero(system.parameters().size());
  const auto along = [&](VectorXd x_bar, VectorXd v_bar, VectorXd v_dot_bar) {
    y_bar.setZero();
    DaeInstantBar<double> bar(layout, y_bar);
    bodies.pull_back(at, x_bar, v_bar, v_dot_bar, no_multipliers, bar, p_bar);
    return bar.x.dot(motion.x) + bar.v.dot(motion.v) + bar.v_dot.dot(motion.v_dot);
  };
  ConstraintVariations out = {VectorXd(n_c), VectorXd(n_c), VectorXd(n_c)};
  for (Eigen::Index i = 0; i < n_c; ++i) {
    out[0][i] = along(c.C.row(i), at_rest, at_rest);
    out[1][i] = along(c.c1_x.row(i), c.C.row(i), at_rest);
    out[2][i] = along(c.c2_x.row(i), c.c2_v.row(i), c.C.row(i));
  }
  return out;
}

}  // namespace

std::optional<AdjointConstraints> FloatingFrameMotion::adjoint_constraints(
    const Trajectory<double>& trajectory, const RequestedFunctions& requested) const {
  if (!can_be_told(model_.problem().integrator, system_, trajectory)) return {};
  const auto objective = linearize(trajectory, {requested.stage, {}}).front();
  const DaeStateLayout& layout = integrator_->layout();
  const Costates time_history =
      costates(system_, layout, trajectory, objective->integrand(), objective->final_terms());
  const auto ws = system_.make_workspace();
  const auto vary = [&](const DaeInstant<double>& at, const VirtualMotion& motion) {
    return vary_constraints(system_, *ws, at, motion);
  };
  return AdjointConstraints{
      times_looked_at(trajectory),
      imposed_constraints(system_, layout, trajectory, time_history, vary, all(system_.n_c())),
      twice_differentiated_adjoint(system_, layout, trajectory, objective->integrand(),
                                   objective->final_terms())
          .violations};
}

std::optional<AdjointConstraints> JointCoordinatesMotion::adjoint_constraints(
    const Trajectory<double>& trajectory, const RequestedFunctions& requested) const {
  if (!can_be_told(model_.problem().integrator, bodies_.system(), trajectory)) return {};
  const auto objective = linearize(trajectory, {requested.stage, {}}).front();
  const DaeStateLayout& layout = steps_->layout();
  const Costates time_history =
      costates(system_, layout, trajectory, objective->integrand(), objective->final_terms());
  const auto ws = bodies_.system().make_workspace();
  BodiesOfJoints<double> bodies(system_);
  const auto vary = [&](const DaeInstant<double>& at, const VirtualMotion& motion) {
    return vary_bodies(system_, bodies, *ws, at, motion);
  };
  return AdjointConstraints{
      times_looked_at(trajectory),
      imposed_constraints(system_, layout, trajectory, time_history, vary, system_.indices_of_multipliers()),
      {}};
}

}  // namespace kurbel
