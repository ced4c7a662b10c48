#include "problem/criterion_units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kurbel {

namespace {

/// N^2 or (N m)^2; those of all controls may be both.
std::string unit_of_control_energy(const Problem& problem, const std::string& control) {
  const auto counts = [&](const ControlCurve& curve) { return control.empty() || curve.name == control; };
  const auto is = [&](bool torque) {
    return std::ranges::any_of(problem.controls,
                               [&](const ControlCurve& c) { return counts(c) && c.is_torque == torque; });
  };
  if (is(true) && is(false)) return "N^2 + (N m)^2";
  return is(true) ? "(N m)^2" : "N^2";
}

std::string in_parentheses(const std::string& unit) {
  const bool is_compound = unit.find_first_of(" /") != std::string::npos;
  return is_compound ? fmt::format("({})", unit) : unit;
}

std::string squared(const std::string& unit) {
  return in_parentheses(unit) + "^2";
}

}  // namespace

std::string unit_of(const Problem& problem, const CriterionTerm& term) {
  std::string unit = term.quantity == Quantity::control_energy ? unit_of_control_energy(problem, term.control)
                                                               : unit_of(term.quantity);
  if (form_of(term) == CriterionForm::half_square) unit = squared(unit);
  return term.time == TimeFunctional::integral ? unit + " s" : unit;
}

std::string unit_of(const Problem& problem, const std::vector<CriterionTerm>& terms) {
  std::string common;
  for (const CriterionTerm& term : terms) {
    const std::string unit = unit_of(problem, term);
    if (!common.empty() && unit != common) return "";
    common = unit;
  }
  return common;
}

std::string unit_of_derivative(const std::string& of, const std::string& by) {
  return by.empty() ? of : fmt::format("{}/{}", of.empty() ? "1" : of, in_parentheses(by));
}

}  // namespace kurbel
