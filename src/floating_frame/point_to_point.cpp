#include "floating_frame/point_to_point.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

#include "floating_frame/joint_angle.hpp"
#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "floating_frame/vector_quantities.hpp"
#include "integration/dae_steps.hpp"
#include "mechanism/motion_end.hpp"

namespace kurbel {

namespace {

constexpr int n_steps = 100;  // at whose instants the drives' forces are known

const JointSpec& joint_named(const SystemSpec& spec, const std::string& name) {
  return *std::ranges::find(spec.joints, name, &JointSpec::name);
}

IntegratorOptions options_of(const MotionTime& time) {
  return {
      .method = IntegratorMethod::trapezoidal, .t0 = time.t0, .t1 = time.t1, .step = time.span() / n_steps};
}

/// Finds where the joints are at the start, after assembly.
Status start_of(SystemSpec twin, const std::vector<JointEnd>& ends, std::vector<double>& q0) {
  set_redundant_aside(twin, twin.time.t0);
  const MultibodySystem<double> system(twin);
  const auto steps = make_dae_steps<double>(system, options_of(twin.time));
  VectorXd y0(steps->n_state());
  if (Status s = steps->initial_state(y0); s.failed()) return s;
  const auto at = steps->layout().template instant<double>(twin.time.t0, y0);
  q0.clear();
  for (const JointEnd& end : ends) {
    const JointSpec& joint = joint_named(twin, end.joint);
    if (moving_dof(joint) == RelativeDof::rz) {
      q0.push_back(JointAngle<double>(system, joint.name, JointAngleKind::angle, nullptr).value(at)[0]);
    } else {
      // Along z of "to", to which that of "from" is parallel.
      q0.push_back(RelativePosition<double>(system, joint.to, joint.from).value(at)[2]);
    }
  }
  return {};
}

/// The twin with joints that are driven from q0 to their ends.
SystemSpec driven(const SystemSpec& twin, const std::vector<JointEnd>& ends, const std::vector<double>& q0) {
  SystemSpec spec = twin;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    JointSpec& joint = *std::ranges::find(spec.joints, ends[i].joint, &JointSpec::name);
    joint.drives.push_back(
        {.dof = *moving_dof(joint),
         .motion = polynomial({spec.time.t0, {q0[i], 0.0, 0.0}}, {spec.time.t1, {ends[i].value, 0.0, 0.0}})});
  }
  set_redundant_aside(spec, spec.time.t0);
  for (const JointEnd& end : ends) {
    const JointSpec& joint = joint_named(spec, end.joint);
    if (joint.redundant[static_cast<std::size_t>(joint.drives.back().dof)]) {
      throw InputError(fmt::format(
          "names the end of joint {}, which the other joints determine; leave it out", end.joint));
    }
  }
  if (const int n = n_free_dofs(spec); n != 0) {
    throw InputError(
        fmt::format("names the ends of {} joint{}, which leave {} degree{} of freedom; name as many "
                    "joints as the rigid mechanism has",
                    ends.size(), ends.size() > 1 ? "s" : "", n, n > 1 ? "s" : ""));
  }
  return spec;
}

/// Forces of the drives at all instants (joints x instants) while controls are constant.
/// @param control  that which is 1; the others are 0; -1: all are
Status forces_of_drives(SystemSpec spec, const std::vector<JointEnd>& ends, int control, MatrixXd& Q) {
  for (std::size_t i = 0; i < spec.controls.size(); ++i)
    spec.controls[i].nodes.setConstant(static_cast<int>(i) == control ? 1.0 : 0.0);
  const MultibodySystem<double> system(spec);
  const auto steps = make_dae_steps<double>(system, options_of(spec.time));
  Trajectory<double> trajectory;
  if (Status s = simulate<double>(*steps, trajectory); s.failed()) return s;
  Q.resize(std::ssize(ends), trajectory.y.cols());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const RelativeDof dof = joint_named(spec, ends[i].joint).drives.back().dof;
    const ReactionKind kind = is_rotation(dof) ? ReactionKind::moment : ReactionKind::force;
    const JointReaction<double> reaction(system, ends[i].joint, kind);
    for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k)
      Q(static_cast<Eigen::Index>(i), k) =
          reaction.value(steps->layout().template instant<double>(trajectory.t[k], trajectory.y.col(k)))[2];
  }
  return {};
}

/// The controls at all instants (controls x instants).
Status controls_of(const SystemSpec& spec, const std::vector<JointEnd>& ends, MatrixXd& u) {
  MatrixXd Q;
  if (Status s = forces_of_drives(spec, ends, -1, Q); s.failed()) return s;
  std::vector<MatrixXd> spared(spec.controls.size());
  for (std::size_t j = 0; j < spared.size(); ++j) {
    if (Status s = forces_of_drives(spec, ends, static_cast<int>(j), spared[j]); s.failed()) return s;
    spared[j] = Q - spared[j];
  }
  u.resize(std::ssize(spared), Q.cols());
  MatrixXd B(Q.rows(), u.rows());
  for (Eigen::Index k = 0; k < Q.cols(); ++k) {
    for (std::size_t j = 0; j < spared.size(); ++j) B.col(static_cast<Eigen::Index>(j)) = spared[j].col(k);
    // Rounding of reactions is no effect of a control.
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors(B.rows(), B.cols());
    factors.setThreshold(1e-9);
    u.col(k) = factors.compute(B).solve(Q.col(k));
  }
  return {};
}

/// The cubic through the four instants about a place, which counts in steps.
double interpolate(const Eigen::RowVectorXd& u, double place) {
  const auto first = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(place) - 1, 0, u.size() - 4);
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    double weight = 1.0;
    for (int j = 0; j < 4; ++j) {
      if (j != i) weight *= (place - static_cast<double>(first + j)) / (i - j);
    }
    sum += weight * u[first + i];
  }
  return sum;
}

/// The values of a control at its nodes; of one that is constant between them, those in the middle.
VectorXd at_nodes(const ControlGrid& grid, const MotionTime& time, const Eigen::RowVectorXd& u) {
  VectorXd nodes(grid.n_nodes());
  const bool is_constant = nodes.size() == 1 || !grid.jumps().empty();
  const double to_middle = is_constant ? 0.5 * (time.t1 - grid.node_time(nodes.size() - 1)) : 0.0;
  for (Eigen::Index i = 0; i < nodes.size(); ++i) {
    const double place = std::clamp((grid.node_time(i) + to_middle - time.t0) / time.span(), 0.0, 1.0);
    nodes[i] = interpolate(u, n_steps * place);
  }
  return nodes;
}

/// Relative to the bound on its side.
double load_of(double u, const ControlBounds& bounds) {
  if (u == 0.0) return 0.0;
  const double load = u / (u > 0.0 ? bounds.upper : bounds.lower);
  return load >= 0.0 ? load : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<RelativeDof> moving_dof(const JointSpec& joint) {
  const auto is_free = [&](RelativeDof dof) {
    return !joint.locked[static_cast<std::size_t>(dof)] &&
           std::ranges::none_of(joint.drives, [&](const DriveSpec& drive) { return drive.dof == dof; });
  };
  const bool slides = !joint.length && joint.locked[3] && joint.locked[4] && joint.locked[5] &&
                      joint.locked[0] && joint.locked[1] && is_free(RelativeDof::tz);
  const bool turns = is_hinge(joint) && joint.locked[2] && is_free(RelativeDof::rz);
  if (turns) return RelativeDof::rz;
  return slides ? std::optional(RelativeDof::tz) : std::nullopt;
}

Status guess_point_to_point(const SystemSpec& spec, const std::vector<JointEnd>& ends,
                            const std::vector<ControlBounds>& bounds, double latest_t1,
                            PointToPointGuess& out) {
  constexpr double longer = 1.1;
  SystemSpec twin = rigid_twin(spec);
  twin.time.varies = false;
  std::vector<double> q0;
  if (Status s = start_of(twin, ends, q0); s.failed()) return s;
  for (double t1 = spec.time.t1;; t1 = std::min(latest_t1, spec.time.t0 + longer * (t1 - spec.time.t0))) {
    set_end_of_motion(t1, twin);
    MatrixXd u;
    if (Status s = controls_of(driven(twin, ends, q0), ends, u); s.failed()) return s;
    out = {.nodes = {}, .t1 = t1, .load = 0.0};
    for (std::size_t j = 0; j < bounds.size(); ++j) {
      const VectorXd nodes = at_nodes(twin.controls[j].grid, twin.time, u.row(static_cast<Eigen::Index>(j)));
      for (const double node : nodes) out.load = std::max(out.load, load_of(node, bounds[j]));
      out.nodes.push_back(nodes.cwiseMax(bounds[j].lower).cwiseMin(bounds[j].upper));
    }
    if (out.load <= 1.0 || !spec.time.varies || t1 >= latest_t1) return {};
  }
}

}  // namespace kurbel
