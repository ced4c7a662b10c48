/// Gravity, starts, drives and forces, and the steps in which they move the mechanism.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problem/findings.hpp"
#include "problem/implausible_values.hpp"

namespace kurbel {

namespace {

constexpr double turn = 2.0 * std::numbers::pi;  // rad
constexpr double beyond_mechanisms = 1000.0;     // m/s
constexpr int enough_steps = 20;                 // in a period

void examine_gravity(Findings& findings) {
  constexpr double least = 0.1, most = 100.0;  // m/s^2: of the moon and of a centrifuge, and beyond
  const double g = findings.problem().system.gravity.norm();
  if (g == 0.0 || (g >= least && g <= most)) return;
  findings.add("gravity", "is {:g} m/s^2, and 9.81 m/s^2 on earth{}", g,
               g > most ? ". Is it in mm/s^2?" : "");
}

void examine_start(std::size_t i, Findings& findings) {
  const Problem& problem = findings.problem();
  const InitialState& initial = problem.system.bodies[i].initial;
  const std::string key = fmt::format("bodies.{}.initial.", problem.bodies[i].name);
  if (initial.rotation.norm() > 1.001 * turn)
    findings.add(key + "rotation",
                 "turns the body by {:g} rad, more than once. In degrees it would be "
                 "{:.4g} rad",
                 initial.rotation.norm(), initial.rotation.norm() * turn / 360.0);
  if (initial.velocity.norm() > beyond_mechanisms)
    findings.add(key + "velocity", "is {:g} m/s. In mm/s it would be {:.4g} m/s", initial.velocity.norm(),
                 1e-3 * initial.velocity.norm());
  const double omega = initial.angular_velocity.norm(), rim = omega * length_of_body(problem, i);
  if (rim > beyond_mechanisms)
    findings.add(key + "angular_velocity",
                 "= {:g} rad/s moves the body's end with {:.3g} m/s. In rpm it would be {:.4g} rad/s", omega,
                 rim, omega * turn / 60.0);
}

void examine_ends_of_joints(Findings& findings) {
  const Problem& problem = findings.problem();
  for (const JointEnd& end : problem.design.joint_ends) {
    const auto joint = std::ranges::find(problem.system.joints, end.joint, &JointSpec::name);
    if (moving_dof(*joint) != RelativeDof::rz || std::abs(end.value) <= turn) continue;
    findings.add(fmt::format("design.initial_guess.joints.{}.end", end.joint),
                 "= {:g} rad is more than a turn. In degrees it would be {:.4g} rad", end.value,
                 end.value * turn / 360.0);
  }
}

/// Warns of a mechanism that stays at rest, whatever the optimizer finds. With [cases], each case is examined by itself.
void examine_rest(Findings& findings) {
  const Problem& problem = findings.problem();
  if (!problem.cases.empty()) return;
  const SystemSpec& system = problem.system;
  const bool has_forces = system.gravity.norm() > 0.0 || !system.loads.empty() || !system.controls.empty() ||
                          !system.springs.empty() || !system.torsion_springs.empty() ||
                          !system.tyres.empty() || !system.bushings.empty() || !system.stops.empty() ||
                          !system.beams.empty() || !system.planar_beams.empty() ||
                          !system.point_masses.empty();
  const auto moves = [](const BodySpec& body) {
    const InitialState& initial = body.initial;
    return initial.velocity.norm() > 0.0 || initial.angular_velocity.norm() > 0.0 ||
           initial.gives_deformation() || initial.q_dot.size() > 0;
  };
  const auto is_driven = [](const JointSpec& joint) { return !joint.drives.empty(); };
  if (has_forces || !problem.design.variables.empty() || std::ranges::any_of(system.bodies, moves) ||
      std::ranges::any_of(system.joints, is_driven))
    return;
  findings.add("joints",
               "drive nothing, and no force acts: the mechanism stays at rest. State [joints.*.drive], "
               "[loads.*], [controls.*] or gravity");
}

/// The key of a drive alone, or of one of several, under a joint.
std::string key_of_drive(const Problem& problem, const JointSpec& joint, std::size_t drive) {
  const std::string key = fmt::format("joints.{}.drive", joint.name);
  const TomlValue* at = problem.document->find(key);
  return at && at->array() ? fmt::format("{}.{}", key, drive) : key;
}

DriveMotion motion_of(const DriveSpec& drive, const IntegratorOptions& steps) {
  // Steps that are far too long may meet every zero of a drive.
  constexpr int least_samples = 1009, most_samples = 20000;
  DriveMotion motion;
  motion.is_rotation = is_rotation(drive.dof);
  const int n = std::clamp(steps.n_steps(), least_samples, most_samples);
  double lowest = INFINITY, highest = -INFINITY;
  for (int k = 0; k <= n; ++k) {
    const TimeValue at = drive.motion->at(steps.t0 + (steps.t1 - steps.t0) * k / n);
    lowest = std::min(lowest, at.value), highest = std::max(highest, at.value);
    motion.speed = std::max(motion.speed, std::abs(at.rate));
  }
  motion.travel = highest - lowest;
  // Of A sin(omega t) the speed is omega A, and the travel 2 A.
  if (motion.travel > 0.0) motion.frequency = 2.0 * motion.speed / motion.travel / turn;
  if (motion.is_rotation && motion.travel >= turn) motion.turns = motion.frequency = motion.speed / turn;
  return motion;
}

void examine_steps(const DriveMotion& drive, Findings& findings) {
  const double h = findings.problem().integrator.step, steps = 1.0 / (drive.frequency * h);
  if (drive.travel == 0.0 || steps >= enough_steps) return;
  const char* what = drive.turns > 0.0 ? "turn" : "period";
  findings.add(drive.key,
               "makes {:.3g} steps per {} at {:.3g} {}, and {} are needed. Is the drive in its unit, or "
               "choose integrator.step = {:.2g}",
               steps, what, drive.turns > 0.0 ? drive.speed : drive.frequency,
               drive.turns > 0.0 ? "rad/s" : "Hz", enough_steps, 1.0 / (drive.frequency * enough_steps));
}

void examine_drive(const DriveMotion& drive, double length, Findings& findings) {
  constexpr double far = 10.0, nearly_nothing_rad = 1e-4, nearly_nothing = 1e-6;
  examine_steps(drive, findings);
  const double speed = drive.is_rotation ? drive.speed * length : drive.speed;
  if (speed > beyond_mechanisms)
    findings.add(drive.key, "moves the mechanism with {:.3g} m/s. Is the drive in its unit?", speed);
  if (!drive.is_rotation && length > 0.0 && drive.travel > far * length)
    findings.add(drive.key, "travels {:g} m in a mechanism of {:.3g} m. In mm it would be {:g} m",
                 drive.travel, length, 1e-3 * drive.travel);
  const double least = drive.is_rotation ? nearly_nothing_rad : nearly_nothing * length;
  if (drive.travel > 0.0 && drive.travel < least)
    findings.add(drive.key, "travels only {:.3g} {} until integrator.t1 = {:g} s. Are its times in s?",
                 drive.travel, drive.is_rotation ? "rad" : "m", findings.problem().integrator.t1);
}

void examine_step(double length, Findings& findings) {
  constexpr double noticeable = 0.02;
  const Problem& problem = findings.problem();
  const double h = problem.integrator.step, fall = 0.5 * problem.system.gravity.norm() * h * h;
  if (length > 0.0 && fall > noticeable * length)
    findings.add("integrator.step",
                 "= {:g} s lets bodies of {:.3g} m fall by {:.3g} m in a step. In ms it "
                 "would be {:g} s",
                 h, length, fall, 1e-3 * h);
  if (problem.integrator.n_steps() < enough_steps)
    findings.add("integrator.step", "= {:g} s makes {} steps until integrator.t1 = {:g} s. Are both in s?", h,
                 problem.integrator.n_steps(), problem.integrator.t1);
}

/// Weight of the mechanism, N.
double weight_of(const SystemSpec& system) {
  double mass = 0.0;
  for (const BodySpec& body : system.bodies) mass += body.sid.refmod.mass;
  for (const PointMassSpec& point : system.point_masses) mass += point.mass;
  return mass * system.gravity.norm();
}

void examine_springs(double length, Findings& findings) {
  constexpr double far = 20.0, least_share = 0.01;
  const SystemSpec& system = findings.problem().system;
  const double weight = weight_of(system);
  for (const SpringSpec& spring : system.springs) {
    // A spring that matters pulls at least 1 % of the weight when it is stretched by the size of the mechanism. A mere
    // damper has no stiffness.
    if (spring.stiffness > 0.0 && spring.stiffness * length < least_share * weight)
      findings.add(fmt::format("springs.{}.stiffness", spring.name),
                   "= {:g} N/m is too soft to matter: stretched by {:.3g} m, the size of the mechanism, it "
                   "pulls with {:.2g} N beside a weight of {:.3g} N. In N/mm it would be {:g} N/m",
                   spring.stiffness, length, spring.stiffness * length, weight, 1e3 * spring.stiffness);
    if (length > 0.0 && spring.free_length > far * length)
      findings.add(fmt::format("springs.{}.free_length", spring.name),
                   "= {:g} m is far from the size of the mechanism, {:.3g} m. In mm it would be {:g} m",
                   spring.free_length, length, 1e-3 * spring.free_length);
  }
  for (const TorsionSpringSpec& spring : system.torsion_springs) {
    if (std::abs(spring.free_angle) > turn)
      findings.add(fmt::format("torsion_springs.{}.free_angle", spring.name),
                   "= {:g} rad is more than a turn. In degrees it would be {:.4g} rad", spring.free_angle,
                   spring.free_angle * turn / 360.0);
  }
}

/// Each tyre carries its share of all bodies.
void examine_tyres(Findings& findings) {
  const SystemSpec& system = findings.problem().system;
  const double share = weight_of(system) / static_cast<double>(system.tyres.size());
  for (const TyreSpec& tyre : system.tyres) {
    if (share <= tyre.stiffness * tyre.radius) continue;
    findings.add(
        fmt::format("tyres.{}.stiffness", tyre.name),
        "= {:g} N/m lets the tyre sink by {:.3g} m, more than its radius. In kN/m it would be {:g} N/m",
        tyre.stiffness, share / tyre.stiffness, 1e3 * tyre.stiffness);
  }
}

}  // namespace

std::vector<DriveMotion> drive_motions(const Problem& problem) {
  std::vector<DriveMotion> motions;
  if (problem.integrator.step == 0.0) return motions;
  for (const JointSpec& joint : problem.system.joints) {
    for (std::size_t i = 0; i < joint.drives.size(); ++i) {
      motions.push_back(motion_of(joint.drives[i], problem.integrator));
      motions.back().key = key_of_drive(problem, joint, i);
    }
  }
  return motions;
}

std::vector<std::string> implausible_motion(const Problem& problem) {
  Findings findings(problem);
  const double length = length_of_mechanism(problem);
  examine_gravity(findings);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) examine_start(i, findings);
  examine_springs(length, findings);
  examine_tyres(findings);
  if (problem.integrator.step == 0.0 || problem.analysis != Analysis::motion) return findings.texts();
  examine_ends_of_joints(findings);
  examine_rest(findings);
  for (const DriveMotion& drive : drive_motions(problem)) examine_drive(drive, length, findings);
  examine_step(length, findings);
  return findings.texts();
}

}  // namespace kurbel
