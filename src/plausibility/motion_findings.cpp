#include "plausibility/motion_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

bool is_stiffened(const ProblemBody& body) {
  return body.type == ProblemBody::Type::flexible && body.flexible.geometric_stiffening;
}

/// @param causes  what may be in another unit
void examine_deflection(std::size_t body, double deflection, const char* causes, Findings& findings) {
  constexpr double largest = 0.1;
  const double length = length_of_body(findings.problem(), body);
  if (length == 0.0 || deflection <= largest * length) return;
  findings.add("bodies." + findings.problem().bodies[body].name,
               ": bends by {:.3g} m, more than a tenth of its length of {:.3g} m, beyond linear "
               "elasticity. Are {} in SI units?",
               deflection, length, causes);
}

/// A rotation beside the first frequency softens a body that is not stiffened by it, and excites it by all that follows
/// the turns.
void examine_resonance(const BodyTrial& trial, const std::string& key, const std::vector<DriveMotion>& drives,
                       Findings& findings) {
  constexpr double near = 1.5;
  const ProblemBody& body = findings.problem().bodies[trial.body];
  for (const DriveMotion& drive : drives) {
    if (drive.frequency == 0.0 || trial.first_frequency > near * drive.frequency) continue;
    if (drive.turns > 0.0 && is_stiffened(body)) continue;
    findings.add(key,
                 ": its first frequency, {:.3g} Hz, is {} the {:.3g} Hz of {}. Are modulus, density and "
                 "drive in SI units?",
                 trial.first_frequency, trial.first_frequency < drive.frequency ? "below" : "beside",
                 drive.frequency, drive.key);
  }
}

void examine_vibration(const BodyTrial& trial, const std::string& key, Findings& findings) {
  const double h = findings.problem().integrator.step;
  if (trial.unresolved > 0.0)
    findings.add(key,
                 ": a mode of {:.3g} Hz vibrates, with {:.2g} steps in its period, and {} are needed. "
                 "Choose integrator.step = {:.1g}, fewer modes or rho_inf below 1",
                 trial.unresolved, 1.0 / (trial.unresolved * h), enough_steps,
                 1.0 / (trial.unresolved * enough_steps));
  if (trial.first_damping >= 1.0)
    findings.add(key + ".damping",
                 ": no mode vibrates, for the damping ratio of the first is {:.3g}. Is "
                 "beta in s, and alpha in 1/s?",
                 trial.first_damping);
}

/// A body that starts undeformed in a motion which bends it vibrates about its quasi-static deformation, with that as amplitude. It
/// matters beside the largest deflection, until damping has removed it, and where steps resolve it: others damp it by themselves.
void examine_start(const BodyTrial& trial, const std::string& key, Findings& findings) {
  constexpr double noticeable = 0.2, rounding = 1e-9, soon = 0.1, decayed = 3.0, fewest_steps = 5.0;
  const Problem& problem = findings.problem();
  const bool has_functions = !problem.objective.empty() || !problem.constraints.criteria.empty();
  if (!has_functions || problem.system.initial_equilibrium != InitialEquilibrium::none) return;
  if (trial.missing <= noticeable * trial.deflection ||
      trial.missing <= rounding * length_of_body(problem, trial.body))
    return;
  const IntegratorOptions& integrator = problem.integrator;
  const double decay = trial.first_damping * turn * trial.first_frequency;  // 1/s, of the amplitude
  if (decay * soon * (integrator.t1 - integrator.t0) > decayed) return;
  if (fewest_steps * integrator.step * trial.first_frequency > 1.0) return;
  findings.add(
      key,
      ": starts undeformed in a motion that bends it by {:.2g} m, and vibrates about this state at {:.3g} "
      "Hz, "
      "{:.2g} of its largest deflection. Choose initial.state = \"quasi-static\", or drives that start from "
      "rest",
      trial.missing, trial.first_frequency, trial.missing / trial.deflection);
}

/// The stiffness of solid material beside that of the start of a design, by p^3.
double gain_of_stiffness(const DesignOptions& design) {
  constexpr double usual_start = 0.4;
  if (design.bodies.empty()) return 1.0;
  return std::pow(design.start_meets_bounds || !design.start_file.empty() ? usual_start : design.start, -3.0);
}

/// How many times a bound may be below the value of the start. Stresses of a start are nearly those of a part, unless it resonates.
/// Frequencies go with the root of stiffness.
double far_of(const Problem& problem, Quantity quantity) {
  constexpr double far = 1e3, far_stress = 200.0, far_frequency = 15.0;
  const double gain = gain_of_stiffness(problem.design);
  if (quantity == Quantity::frequency) return std::sqrt(gain) * far_frequency;
  const bool is_stress = quantity == Quantity::von_mises || quantity == Quantity::stress;
  if (is_stress) return problem.analysis == Analysis::frequency_response ? far : far_stress;
  return problem.analysis == Analysis::motion ? far : gain * far;
}

/// Bounds that the start exceeds by orders of magnitude.
void examine_bounds(const VectorXd& criteria, Findings& findings) {
  const std::vector<CriterionConstraint>& all = findings.problem().constraints.criteria;
  std::string last;
  for (std::size_t j = 0; j < all.size() && static_cast<Eigen::Index>(j) < criteria.size(); ++j) {
    const double value = criteria[static_cast<Eigen::Index>(j)],
                 far = far_of(findings.problem(), all[j].terms.front().quantity);
    if (!all[j].upper || *all[j].upper <= 0.0 || value <= far * *all[j].upper || all[j].name == last)
      continue;
    const std::string unit = unit_of(findings.problem(), all[j].terms);
    findings.add(fmt::format("constraints.criteria.{}.upper", all[j].name),
                 "= {:g} {} is far below the {:.3g} {} of the start. Is it in SI units?", *all[j].upper, unit,
                 value, unit);
    last = all[j].name;
  }
}

/// Bounds of parts at rest that the start is orders of magnitude within, or frequencies that it is as far below.
void examine_bounds_at_rest(const VectorXd& criteria, Findings& findings) {
  constexpr double far = 500.0, rounding = 1e10;
  const std::vector<CriterionConstraint>& all = findings.problem().constraints.criteria;
  for (std::size_t j = 0; j < all.size() && static_cast<Eigen::Index>(j) < criteria.size(); ++j) {
    const CriterionTerm& term = all[j].terms.front();
    const double value = criteria[static_cast<Eigen::Index>(j)];
    const std::string key = fmt::format("constraints.criteria.{}.", all[j].name),
                      unit = unit_of(findings.problem(), all[j].terms);
    const bool is_frequency = term.quantity == Quantity::frequency;
    if (is_frequency && all[j].lower && value > 0.0 &&
        *all[j].lower > far_of(findings.problem(), Quantity::frequency) * value)
      findings.add(
          key + "lower",
          "= {:g} Hz is far above the {:.3g} Hz of the start. Are stiffnesses and masses in SI units?",
          *all[j].lower, value);
    if (is_frequency && all[j].lower && *all[j].lower > 0.0 && far * *all[j].lower < value)
      findings.add(key + "lower",
                   "= {:g} Hz bounds nothing, for the start has {:.3g} Hz. In kHz it would be {:g} Hz",
                   *all[j].lower, value, 1e3 * *all[j].lower);
    if (term.quantity != Quantity::displacement && term.quantity != Quantity::von_mises) continue;
    // Values that vanish by symmetry are rounding.
    const auto is_far_within = [&](double distance) {
      return distance > far * std::abs(value) && distance < rounding * std::abs(value);
    };
    for (const auto& [side, bound, sign] :
         {std::tuple("lower", all[j].lower, -1.0), std::tuple("upper", all[j].upper, 1.0)}) {
      if (!bound || !is_far_within(sign * *bound)) continue;
      findings.add(key + side,
                   "= {:g} {} bounds nothing, for the start has {:.3g} {}. Are loads and bound in SI units?",
                   *bound, unit, value, unit);
    }
  }
}

}  // namespace

std::vector<std::string> frequencies_of(const Problem& problem, const std::vector<BodyTrial>& bodies) {
  std::vector<std::string> lines;
  for (const BodyTrial& body : bodies)
    lines.push_back(fmt::format("body {}: first frequency {:.4g} Hz, last kept {:.4g} Hz",
                                problem.bodies[body.body].name, body.first_frequency, body.last_frequency));
  if (lines.empty()) return lines;
  for (const DriveMotion& drive : drive_motions(problem)) {
    if (drive.frequency > 0.0)
      lines.push_back(fmt::format("{}: {} with up to {:.3g} Hz", drive.key,
                                  drive.turns > 0.0 ? "turns" : "moves", drive.frequency));
  }
  return lines;
}

std::vector<std::string> implausible_motion_of(const Problem& problem, const std::vector<BodyTrial>& bodies,
                                               const VectorXd& criteria) {
  Findings findings(problem);
  const std::vector<DriveMotion> drives = drive_motions(problem);
  for (const BodyTrial& body : bodies) {
    const std::string key = "bodies." + problem.bodies[body.body].name;
    examine_resonance(body, key, drives, findings);
    examine_deflection(body.body, body.deflection, "modulus, density and drives", findings);
    examine_vibration(body, key, findings);
    examine_start(body, key, findings);
  }
  examine_bounds(criteria, findings);
  return findings.texts();
}

std::vector<std::string> implausible_bounds_at_rest(const Problem& problem, const VectorXd& criteria) {
  Findings findings(problem);
  examine_bounds(criteria, findings);
  examine_bounds_at_rest(criteria, findings);
  return findings.texts();
}

std::vector<std::string> implausible_displacements(const Problem& problem, const BodyAnswer& answer) {
  Findings findings(problem);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    // Displacements under a modulus of one, as in many papers, are in no unit.
    if (body.type != ProblemBody::Type::flexible || body.flexible.material.youngs_modulus < softest_solid)
      continue;
    double deflection = 0.0;
    for (const NodalField& field : answer.fields(i)) {
      if (field.unit == "m" && field.values.cols() > 0)
        deflection = std::max(deflection, field.values.colwise().norm().maxCoeff());
    }
    // The start of a design is softer than the solid part, by about the cube of its densities.
    const bool is_designed =
        std::ranges::find(problem.design.bodies, body.name) != problem.design.bodies.end();
    if (is_designed) deflection *= std::pow(problem.design.start, 3);
    examine_deflection(i, deflection, "modulus and loads", findings);
  }
  return findings.texts();
}

}  // namespace kurbel
