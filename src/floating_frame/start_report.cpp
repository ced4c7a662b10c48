#include "floating_frame/start_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/start_continuity.hpp"

namespace kurbel {

namespace {

constexpr double rounding = 1e-9, cut_off = 1e-3;
constexpr double at_rest = 1e-5;  // rad/s; slower mechanisms have velocities of rounding errors

/// The rotation vector's length that leads from one orientation to another.
double angle_between(const Quaternion<double>& a, const Quaternion<double>& b) {
  const Quaternion<double> back(a[0], -a[1], -a[2], -a[3]);
  const Quaternion<double> turn = multiply(back, b);
  return 2.0 * std::atan2(turn.tail<3>().norm(), std::abs(turn[0]));
}

/// The largest radius of gyration about a body's frame, or extent of a beam.
double size_of(const SystemSpec& spec) {
  double square = 0.0;
  for (const BodySpec& body : spec.bodies) {
    if (body.sid.refmod.mass > 0.0)
      square = std::max(square, 0.5 * body.sid.J.M0.trace() / body.sid.refmod.mass);
  }
  for (const BeamSpec& beam : spec.beams) {
    for (const Vector3d& place : {beam.end, beam.through.value_or(beam.end)})
      square = std::max(square, (place - beam.start).squaredNorm());
  }
  return std::sqrt(square);
}

class Writer {
 public:
  explicit Writer(StartReport& report) : report_(report) {}
  /// @param size  to which a change is compared
  void add(const std::string& body, const char* what, const char* unit, double change, double size,
           bool given) {
    if (!(change > rounding * size)) return;
    const bool is_large = change > cut_off * size, is_lost = given && is_large;
    if (is_large && !given) {
      report_.corrections.push_back(
          fmt::format("body {}: the joints determine the initial {}, which is not stated", body, what));
      return;
    }
    (is_lost ? report_.lost : report_.corrections)
        .push_back(fmt::format(
            "body {}: the joints change the initial {} by {:.3g}{}{}", body, what, change, unit,
            is_lost ? fmt::format(", though it is given. Correct it in [bodies.{}.initial]", body) : ""));
  }

 private:
  StartReport& report_;
};

}  // namespace

StartReport report_redundant(const SystemSpec& spec) {
  const std::vector<std::string> names = redundant_names(spec);
  if (names.empty()) return {};
  StartReport report;
  report.redundant = {fmt::format(
      "redundant constraints are removed: {}. Their reactions are given as zero, and those around "
      "them are not unique",
      fmt::join(names, ", "))};
  report.n_redundant = names.size();
  return report;
}

StartReport report_start(const MultibodySystem<double>& system, const DaeInstant<double>& start) {
  const SystemSpec& spec = system.spec();
  StartReport report = report_redundant(spec);
  VectorXd x(system.n_x()), v(system.n_v()), v_given(system.n_v());
  system.given_initial_state(x, v);
  MatrixXd unused(system.n_v(), system.n_v());
  system.given_velocity(start.x, v_given, unused);

  const double size = size_of(spec);
  double fastest = 0.0, fastest_turn = at_rest;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const Eigen::Index o = system.v_offset(i);
    fastest = std::max(fastest, start.v.segment<3>(o).norm());
    fastest_turn = std::max(fastest_turn, start.v.segment<3>(o + 3).norm());
  }
  fastest = std::max(fastest, size * fastest_turn);
  const bool holds_rigid = spec.initial_equilibrium != InitialEquilibrium::all;
  const bool holds_elastic = spec.initial_equilibrium == InitialEquilibrium::none;
  Writer writer(report);
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const BodySpec& body = system.spec().bodies[i];
    const InitialState::Parts& given = body.initial.given;
    const Pose<double> before = system.pose(x, i), after = system.pose(start.x, i);
    const Eigen::Index o = system.v_offset(i), xo = system.x_offset(i) + 7, n = system.n_q(i);
    const VectorXd change = start.v - v_given;
    if (holds_rigid) {
      writer.add(body.name, "position", " m", (after.r - before.r).norm(), size, given.position);
      writer.add(body.name, "rotation", " rad", angle_between(before.e, after.e), 1.0, given.rotation);
    }
    if (holds_elastic && n > 0) {
      const double moved = (start.x.segment(xo, n) - x.segment(xo, n)).norm();
      writer.add(body.name, "elastic coordinates", "", moved, start.x.segment(xo, n).norm(),
                 body.initial.gives_deformation());
    }
    writer.add(body.name, "velocity", " m/s", change.segment<3>(o).norm(), fastest, given.velocity);
    writer.add(body.name, "angular velocity", " rad/s", change.segment<3>(o + 3).norm(), fastest_turn,
               given.angular_velocity);
    if (n > 0) {
      writer.add(body.name, "elastic velocities", "", change.segment(o + 6, n).norm(),
                 start.v.segment(o + 6, n).norm(), body.initial.q_dot.size() > 0);
    }
  }
  if (const auto jump = jump_of_velocities(system, start)) report.lost.push_back(*jump);
  return report;
}

}  // namespace kurbel
