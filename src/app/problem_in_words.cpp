#include "app/problem_in_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/criteria_report.hpp"
#include "evaluation/constraint_rows.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "problem/formulation.hpp"

namespace kurbel {

namespace {

std::string bodies_in_words(const Problem& problem) {
  std::vector<std::string> bodies;
  for (const ProblemBody& body : problem.bodies) {
    const char* type = body.type == ProblemBody::Type::flexible ? "flexible"
                       : body.type == ProblemBody::Type::sid    ? "from standard input data"
                                                                : "rigid";
    bodies.push_back(fmt::format("{} ({})", body.name, type));
  }
  return fmt::format("Bodies: {}.", fmt::join(bodies, ", "));
}

std::string type_of(const JointSpec& joint) {
  if (joint.length) return rod_type;
  const auto type = std::ranges::find(joint_types(), joint.locked, &JointType::locked);
  if (type != joint_types().end()) return type->name;
  std::vector<std::string> free;
  for (std::size_t d = 0; d < joint.locked.size(); ++d) {
    if (!joint.locked[d]) free.emplace_back(relative_dof_names[d]);
  }
  return fmt::format("leaves {} free", fmt::join(free, ", "));
}

std::string joint_in_words(const JointSpec& joint) {
  std::string text = fmt::format("Joint {}: {}, from {} to {}", joint.name, type_of(joint),
                                 text_of(joint.from), text_of(joint.to));
  for (const DriveSpec& drive : joint.drives)
    text += fmt::format("; {} is driven", relative_dof_names[static_cast<std::size_t>(drive.dof)]);
  return text + ".";
}

std::string question_in_words(const Problem& problem) {
  switch (problem.analysis) {
    case Analysis::statics:
      return "Bodies at rest under their loads.";
    case Analysis::eigenfrequency:
      return "Eigenfrequencies of bodies.";
    case Analysis::modes:
      return fmt::format("Modes about a state of rest, formulation {}.", word_of(problem.formulation));
    case Analysis::frequency_response:
      return fmt::format(
          "Response to harmonic loads and drives from {:g} Hz to {:g} Hz about a state of rest, formulation "
          "{}.",
          problem.frequency_response.from, problem.frequency_response.to, word_of(problem.formulation));
    case Analysis::motion:
      break;
  }
  return fmt::format("Motion: from {:g} s to {:g} s in steps of {:g} s, formulation {}.",
                     problem.integrator.t0, problem.integrator.t1, problem.integrator.step,
                     word_of(problem.formulation));
}

void add_criteria(const Problem& problem, std::vector<std::string>& words) {
  const auto add = [&](const std::string& what, const std::vector<CriterionTerm>& terms) {
    words.push_back(fmt::format("{}: {}.", what, fmt::join(lines_of(problem, terms), " ")));
  };
  if (!problem.objective.empty()) add("As small as possible", problem.objective);
  if (problem.constraints.volume_fraction)
    words.push_back(
        fmt::format("Volume: at most {:g} of what may be filled.", *problem.constraints.volume_fraction));
  if (problem.constraints.mass)
    words.push_back(fmt::format("Mass: at most {:g} kg.", *problem.constraints.mass));
  for (const ProblemBody& body : problem.bodies) {
    if (const auto& width = body.flexible.manufacturing.maximum_member)
      words.push_back(fmt::format("Members of {}: at most {:g} m wide.", body.name, *width));
  }
  for (const auto& [body, name, bound] : distortion_bounds(problem))
    words.push_back(fmt::format("Elements of {}: each keeps at least {:.3g} of its size.",
                                problem.bodies[body].name, 1.0 / (1.0 + bound)));
  std::string last;
  for (const CriterionConstraint& constraint : problem.constraints.criteria) {
    if (constraint.time_history_name() == last) continue;
    last = constraint.time_history_name();
    const CriterionBounds bounds{constraint.lower, constraint.upper, constraint.equals};
    add(fmt::format("Bound on {}, {}", last, bounds.in_words(unit_of(problem, constraint.terms))),
        constraint.terms);
  }
}

}  // namespace

std::vector<std::string> problem_in_words(const Problem& problem) {
  std::vector<std::string> words;
  const SystemSpec& system = problem.system;
  if (!problem.bodies.empty()) words.push_back(bodies_in_words(problem));
  for (const JointSpec& joint : system.joints) words.push_back(joint_in_words(joint));
  const auto add_names = [&](const char* what, const auto& parts) {
    std::vector<std::string> names;
    for (const auto& part : parts) names.push_back(part.name);
    if (!names.empty()) words.push_back(fmt::format("{}: {}.", what, fmt::join(names, ", ")));
  };
  add_names("Points with mass", system.point_masses), add_names("Springs", system.springs),
      add_names("Loads", system.loads), add_names("Controls", system.controls);
  add_names("Tyres", system.tyres), add_names("Beams", system.beams), add_names("Bushings", system.bushings);
  if (system.gravity.norm() > 0.0)
    words.push_back(fmt::format("Gravity: ({:g}, {:g}, {:g}) m/s^2.", system.gravity.x(), system.gravity.y(),
                                system.gravity.z()));
  words.push_back(question_in_words(problem));
  if (!problem.cases.empty()) {
    std::vector<std::string> names;
    for (const ProblemCase& own : problem.cases) names.push_back(own.name);
    words.push_back(fmt::format("Cases: {}.", fmt::join(names, ", ")));
  }
  add_criteria(problem, words);
  return words;
}

}  // namespace kurbel
