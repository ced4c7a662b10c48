/// Gravity, starts, drives, loads that oscillate, roads, bounds of lengths, and the steps in which they move the mechanism.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

constexpr double beyond_mechanisms = 1000.0;  // m/s
constexpr int most_steps = 200'000;           // of a motion
constexpr double longest = 100.0;             // s

void examine_gravity(Findings& findings) {
  constexpr double least = 0.1, most = 100.0;  // m/s^2: of the moon and of a centrifuge, and beyond
  const double g = findings.problem().system.gravity.norm();
  const bool is_one = std::abs(g - 1.0) < 1e-3;
  if (g == 0.0 || (g >= least && g <= most && !is_one)) return;
  findings.add("gravity", "is {:g} m/s^2, and 9.81 m/s^2 on earth{}", g,
               is_one     ? ". Is it in g?"
               : g > most ? ". Is it in mm/s^2?"
                          : "");
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

bool is_driven(const Problem& problem) {
  return std::ranges::any_of(problem.system.joints,
                             [](const JointSpec& joint) { return !joint.drives.empty(); });
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
  if (has_forces || !problem.design.variables.empty() || std::ranges::any_of(system.bodies, moves) ||
      is_driven(problem))
    return;
  findings.add("joints",
               "drive nothing, and no force acts: the mechanism stays at rest. State [joints.*.drive], "
               "[loads.*], [controls.*] or gravity");
}

std::vector<TimeValue> sampled(const TimeFunction& function, double from, double to, int n_steps) {
  constexpr int least_samples = 1009, most_samples = 20000;
  const int n = std::clamp(n_steps, least_samples, most_samples);
  std::vector<TimeValue> samples;
  for (int k = 0; k <= n; ++k) samples.push_back(function.at(from + (to - from) * k / n));
  return samples;
}

DriveMotion motion_of(const DriveSpec& drive, const IntegratorOptions& steps) {
  DriveMotion motion;
  motion.is_rotation = is_rotation(drive.dof);
  double lowest = INFINITY, highest = -INFINITY;
  for (const TimeValue& at : sampled(*drive.motion, steps)) {
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
  constexpr double rounding = 1e-9;
  const double h = findings.problem().integrator.step, steps = 1.0 / (drive.frequency * h);
  if (drive.travel == 0.0 || steps >= (1.0 - rounding) * enough_steps) return;
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
  // A mechanism without gravity and drives is assumed to turn around as fast as it would swing on earth.
  constexpr double earth = 9.81;
  const bool is_free = problem.system.gravity.norm() == 0.0 && !is_driven(problem);
  const double swing = 2.0 * std::numbers::pi * std::sqrt(length / earth), most = swing / std::numbers::pi;
  if (is_free && length > 0.0 && h > most)
    findings.add(
        "integrator.step",
        "= {:g} s is long beside the {:.2g} s in which a mechanism of {:.3g} m would swing to and fro. "
        "In ms it would be {:g} s",
        h, swing, length, 1e-3 * h);
  if (problem.integrator.n_steps() < enough_steps)
    findings.add("integrator.step", "= {:g} s makes {} steps until integrator.t1 = {:g} s. Are both in s?", h,
                 problem.integrator.n_steps(), problem.integrator.t1);
  if (problem.integrator.n_steps() > most_steps && problem.integrator.t1 >= longest)
    findings.add("integrator.t1", "= {:g} s takes {} steps of {:g} s. In ms it would be {:g} s",
                 problem.integrator.t1, problem.integrator.n_steps(), h, 1e-3 * problem.integrator.t1);
}

/// Calls act(function) for what acts over time; loads over an angle do so in steps that are not known.
template <class Act>
void for_each_function(const MarkerLoadSpec& load, const Act& act) {
  const auto of = [&](const std::array<TimeFunctionPtr, 3>& components, const MarkerLoadSpec::Angles& over) {
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (components[i] && !over[i] && !components[i]->is_excitation()) act(*components[i]);
    }
  };
  of(load.force, load.force_over), of(load.torque, load.torque_over);
}

/// Frequency with which a function passes its middle to and fro, Hz; 0: it does so less than three times. A function that is too
/// fast for the samples has a lower frequency here than its own. Samples at equal distances may meet every zero of an oscillation,
/// so these are at unequal ones. A pass leads from one side of a band around the middle to the other: small noise makes none.
double frequency_of(const TimeFunction& function, const IntegratorOptions& steps) {
  constexpr int n = 20000;
  constexpr double golden = std::numbers::phi - 1.0;
  const double span = steps.t1 - steps.t0;
  std::vector<double> values;
  for (int k = 0; k < n; ++k)
    values.push_back(function.at(steps.t0 + span * (k + std::fmod(k * golden, 1.0)) / n).value);
  const auto [lowest, highest] = std::ranges::minmax(values);
  constexpr double rounding = 1e-9, part_of_range = 0.05;
  if (highest - lowest <= rounding * std::max(std::abs(lowest), std::abs(highest))) return 0.0;
  const double middle = 0.5 * (lowest + highest), band = part_of_range * (highest - lowest);
  int crossings = 0, side = 0;
  for (const double value : values) {
    if (std::abs(value - middle) <= band) continue;
    const int own = value > middle ? 1 : -1;
    crossings += static_cast<int>(side != 0 && own != side);
    side = own;
  }
  return crossings < 3 ? 0.0 : 0.5 * crossings / span;
}

/// Loads that oscillate faster than the steps resolve.
void examine_loads(Findings& findings) {
  const IntegratorOptions& steps = findings.problem().integrator;
  for (const MarkerLoadSpec& load : findings.problem().system.loads) {
    double fastest = 0.0;
    for_each_function(load, [&](const TimeFunction& function) {
      if (!function.is_constant()) fastest = std::max(fastest, frequency_of(function, steps));
    });
    if (fastest * enough_steps * steps.step <= 1.0) continue;
    findings.add("loads." + load.name,
                 "oscillates with {:.3g} Hz or more. A period has at most {:.3g} steps, and {} are needed. "
                 "Check the unit "
                 "of its frequency, or shorten integrator.step",
                 fastest, 1.0 / (fastest * steps.step), enough_steps);
  }
}

/// Tables of roads and steps whose heights are in another unit than their places.
void examine_road(double length, Findings& findings) {
  constexpr double steepest = 20.0;  // a kerb with a slanted face has up to some 5
  const Problem& problem = findings.problem();
  if (!problem.system.road.height || problem.system.tyres.empty()) return;
  double first = INFINITY, last = -INFINITY;  // of the places that tyres may come to
  for (const BodySpec& body : problem.system.bodies) {
    const InitialState& initial = body.initial;
    const double way = initial.velocity.norm() * (problem.integrator.t1 - problem.integrator.t0);
    first = std::min(first, initial.position.x() - way), last = std::max(last, initial.position.x() + way);
  }
  double slope = 0.0;
  for (const TimeValue& at :
       sampled(*problem.system.road.height, first - length, last + length, problem.integrator.n_steps()))
    slope = std::max(slope, std::abs(at.rate));
  if (slope > steepest)
    findings.add("road", "rises by {:.3g} m on a metre, which no tyre climbs. Are its heights in m?", slope);
}

/// Lengths that vary between bounds in another unit than the mechanism.
void examine_variables(double length, Findings& findings) {
  constexpr double far = 20.0;
  std::string before;
  for (const DesignVariable& variable : findings.problem().design.variables) {
    const double largest = std::max(std::abs(variable.lower), std::abs(variable.upper));
    if (length == 0.0 || variable.unit != "m" || !std::isfinite(largest) || largest <= far * length) continue;
    const std::string path = path_of(variable);
    if (path == before) continue;  // a table has a variable for each of its instants
    before = path;
    findings.add(
        path,
        ": its bounds, {:g} m and {:g} m, are far from the size of the mechanism, {:.3g} m. In mm they would "
        "be {:g} m and {:g} m",
        variable.lower, variable.upper, length, 1e-3 * variable.lower, 1e-3 * variable.upper);
  }
}

}  // namespace

std::vector<TimeValue> sampled(const TimeFunction& function, const IntegratorOptions& steps) {
  return sampled(function, steps.t0, steps.t1, steps.step > 0.0 ? steps.n_steps() : 0);
}

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
  examine_variables(length, findings);
  if (problem.integrator.step == 0.0 || problem.analysis != Analysis::motion) return findings.texts();
  examine_ends_of_joints(findings);
  examine_rest(findings);
  for (const DriveMotion& drive : drive_motions(problem)) examine_drive(drive, length, findings);
  examine_loads(findings);
  examine_road(length, findings);
  examine_step(length, findings);
  return findings.texts();
}

}  // namespace kurbel
