#include "problem/criterion_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problem/cases_in_common.hpp"
#include "problem/checks.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

std::string beam_text(const CriterionTerm& term) {
  return term.along ? fmt::format("{} at {:g} of its length", term.beam, *term.along) : term.beam;
}

/// The part that a term is of: a body, a marker, a joint; empty for the whole mechanism.
std::string place_of(const CriterionTerm& term) {
  switch (traits_of(term.quantity).place) {
    case ObservedPlace::body:
    case ObservedPlace::body_or_all:
      return term.body;
    case ObservedPlace::body_or_marker:
      return term.body.empty() ? text_of(term.marker) : term.body;
    case ObservedPlace::marker:
      return text_of(term.marker);
    case ObservedPlace::two_markers:
      return text_of(term.marker) + " from " + text_of(term.from);
    case ObservedPlace::joint:
    case ObservedPlace::hinge:
    case ObservedPlace::rod:
      return term.joint;
    case ObservedPlace::spring:
      return term.spring;
    case ObservedPlace::tyre:
      return term.tyre;
    case ObservedPlace::control:
      return term.control.empty() ? "all controls" : term.control;
    case ObservedPlace::beam:
      return beam_text(term);
    case ObservedPlace::motion:
      return "the motion";
    case ObservedPlace::modes:
      return term.body.empty() ? "the mechanism" : term.body;
  }
  return "";
}

std::string axes_text(const CriterionTerm& term) {
  if (term.component) return " along " + axis_name(*term.component);
  std::string axes;
  for (const int axis : term.axes) axes += (axes.empty() ? " along " : " and ") + axis_name(axis);
  return axes;
}

bool has_several_modes(const CriterionTerm& term) {
  return counts_modes(term.quantity) && term.last_mode > term.first_mode;
}

/// Which of the modes, behind their word.
std::string modes_text(const CriterionTerm& term) {
  if (!counts_modes(term.quantity)) return "";
  if (has_several_modes(term)) return fmt::format(" {} to {}", term.first_mode, term.last_mode);
  return fmt::format(" {}", term.last_mode);
}

/// Names the function of several modes.
std::string over_modes_text(const CriterionTerm& term) {
  if (!has_several_modes(term)) return "";
  switch (term.over_modes) {
    case ModesFunctional::kreisselmeier_steinhauser:
      return fmt::format("ks (exponent {:g}) of ", term.exponent);
    case ModesFunctional::sum:
      break;
  }
  return "sum of ";
}

std::string form_text(const CriterionTerm& term) {
  if (term.of_response) return "";
  switch (form_of(term)) {
    case CriterionForm::magnitude:
      return "magnitude of ";
    case CriterionForm::half_square:
      return "half of the square of ";
    case CriterionForm::signed_value:
      break;
  }
  return "";
}

std::string functional_text(const CriterionTerm& term, Analysis analysis) {
  const std::string& word = word_of(term.time);
  if (term.of_response && term.time == TimeFunctional::final_value)
    return fmt::format("amplitude at {:g} Hz of ", term.frequency);
  if (term.of_response) return fmt::format("{} (exponent {:g}) of the amplitude of ", word, term.exponent);
  switch (term.time) {
    case TimeFunctional::integral:
    case TimeFunctional::mean:
      return is_constant(term.quantity) ? "" : word + " of ";
    case TimeFunctional::final_value:
      return analysis == Analysis::motion ? word + " " : "";
    case TimeFunctional::p_norm:
    case TimeFunctional::kreisselmeier_steinhauser:
      return fmt::format("{} (exponent {:g}) of ", word, term.exponent);
    case TimeFunctional::change:
      return word + " from start to end of ";
    case TimeFunctional::instants:
      return term.steps.size() == 1 ? "" : fmt::format("sum over {} instants of ", term.steps.size());
  }
  return "";
}

}  // namespace

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{}, in {}", text, unit);
}

std::string text_of(const CriterionTerm& term, Analysis analysis) {
  std::string text = term.weight == 1.0 ? "" : fmt::format("{:g} times ", term.weight);
  text += functional_text(term, analysis);
  text += over_modes_text(term);
  text += form_text(term);
  text += word_of(term.quantity) + modes_text(term);
  const std::string place = place_of(term);
  if (!place.empty()) text += " of " + place;
  text += axes_text(term);
  if (term.relative_to_rigid_twin) {
    text += " less that of the rigid twin";
  } else if (has_target(term)) {
    text += " less its target";
  }
  return text;
}

std::string text_of_cases(const Problem& problem) {
  if (problem.cases.empty()) return "";
  const std::size_t n = problem.cases.size();
  const OverCases& over = problem.over_cases;
  switch (over.functional) {
    case OverCases::Functional::p_norm:
      return fmt::format("the p-norm (exponent {:g}) over {} cases, towards the worst of them", over.exponent,
                         n);
    case OverCases::Functional::kreisselmeier_steinhauser:
      return fmt::format("the ks (exponent {:g}) over {} cases, towards the worst of them", over.exponent, n);
    case OverCases::Functional::sum:
      break;
  }
  const bool has_common = std::ranges::any_of(
      problem.objective, [&](const CriterionTerm& term) { return is_in_common(problem, term); });
  return fmt::format("the sum over {} cases, each times its weight{}", n,
                     has_common ? "; a mass that no case changes counts once" : "");
}

std::vector<std::string> warnings_of_signed_targets(const Problem& problem) {
  std::vector<std::string> warnings;
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    const bool is_of_objective = path.starts_with("objective") || path.starts_with("stages.");
    const bool is_chosen = term.form || axes_of(term).size() > 1 || term.time == TimeFunctional::p_norm;
    if (!is_of_objective || is_chosen || !has_target(term)) return;
    warnings.push_back(
        fmt::format("{} is the {}, with its sign: psi is least below the target, not at it. Write form = "
                    "\"half-square\" to follow the target, or form = \"signed\" if the sign is meant.",
                    path, text_of(term, problem.analysis)));
  });
  return warnings;
}

std::vector<std::string> lines_of(const Problem& problem, const std::vector<CriterionTerm>& terms) {
  if (terms.size() == 1)
    return {with_unit(text_of(terms.front(), problem.analysis), unit_of(problem, terms.front()))};
  std::vector<std::string> lines = {
      with_unit(fmt::format("a sum of {} terms", terms.size()), unit_of(problem, terms))};
  for (const CriterionTerm& term : terms)
    lines.push_back("  " + with_unit(text_of(term, problem.analysis), unit_of(problem, term)));
  return lines;
}

}  // namespace kurbel
