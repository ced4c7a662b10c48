#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

const char* const integral_compliance = "integral-compliance";
const char* const rigid_twin_word = "rigid-twin";

const TomlTable::Words<Quantity> quantities = {{integral_compliance, Quantity::compliance},
                                               {"compliance", Quantity::compliance},
                                               {"kinetic-energy", Quantity::kinetic_energy},
                                               {"total-energy", Quantity::total_energy},
                                               {"displacement", Quantity::displacement},
                                               {"position", Quantity::position},
                                               {"velocity", Quantity::velocity},
                                               {"acceleration", Quantity::acceleration},
                                               {"reaction-force", Quantity::reaction_force},
                                               {"reaction-moment", Quantity::reaction_moment},
                                               {"drive-torque", Quantity::drive_torque},
                                               {"mass", Quantity::mass},
                                               {"centre-of-mass", Quantity::centre_of_mass},
                                               {"control-energy", Quantity::control_energy},
                                               {"von-mises", Quantity::von_mises}};

const TomlTable::Words<TimeFunctional> functionals = {{"integral", TimeFunctional::integral},
                                                      {"mean", TimeFunctional::mean},
                                                      {"final", TimeFunctional::final_value},
                                                      {"p-norm", TimeFunctional::p_norm},
                                                      {"ks", TimeFunctional::kreisselmeier_steinhauser},
                                                      {"instants", TimeFunctional::instants}};

/// The step that ends at a time.
int step_at(const TomlTable& table, double t, const IntegratorOptions& integrator) {
  constexpr double same = 1e-6;  // of a step: times are written with few digits
  const double steps = (t - integrator.t0) / integrator.step;
  const int k = static_cast<int>(std::lround(std::clamp(steps, 0.0, double(integrator.n_steps()))));
  if (std::abs(steps - k) > same) {
    table.refuse("at", fmt::format("has {:g}, which is no instant of [integrator]; the nearest is {:.9g}", t,
                                   integrator.t0 + k * integrator.step));
  }
  return k;
}

void read_instants(const TomlTable& table, const IntegratorOptions& integrator, CriterionTerm& term) {
  if (integrator.step == 0.0) table.refuse("time", "needs [integrator], among whose steps they are");
  const int n = integrator.n_steps();
  if (table.has("every")) {
    const int every = table.integer("every", Range::closed(1, n));
    for (int k = every; k <= n; k += every) term.steps.push_back(k);
    if (table.has("at")) table.refuse("at", "stands beside every; give one of the two");
    return;
  }
  if (!table.has("at"))
    table.refuse("time", "needs at, a list of times in s, or every, so many steps from one to the next");
  for (const double t : table.numbers("at", 1, static_cast<std::size_t>(n) + 1))
    term.steps.push_back(step_at(table, t, integrator));
  if (std::adjacent_find(term.steps.begin(), term.steps.end(), std::greater_equal<>()) != term.steps.end())
    table.refuse("at", "must ascend");
}

void read_time(const TomlTable& table, const IntegratorOptions& integrator, CriterionTerm& term) {
  if (term.quantity == Quantity::mass) {
    term.time = TimeFunctional::mean;  // of a constant
    return;
  }
  if (table.text("type") == integral_compliance) return;
  term.time = table.choice("time", functionals);
  if (term.time == TimeFunctional::instants) {
    read_instants(table, integrator, term);
  } else {
    for (const char* key : {"at", "every"}) {
      if (table.has(key)) table.refuse(key, "needs time = \"instants\"");
    }
  }
  if (term.time == TimeFunctional::p_norm) {
    term.exponent = table.number("exponent", Range::at_least(1.0));
  } else if (term.time == TimeFunctional::kreisselmeier_steinhauser) {
    term.exponent = table.number("exponent");
    if (term.exponent == 0.0)
      table.refuse("exponent", "must be positive for a smooth maximum, negative for a smooth minimum");
  } else if (table.has("exponent")) {
    table.refuse("exponent", "needs time = \"p-norm\" or \"ks\"");
  }
}

void read_place(const TomlTable& table, CriterionTerm& term) {
  switch (term.quantity) {
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
      term.body = table.text_or("body", "");
      return;
    case Quantity::compliance:
    case Quantity::mass:
    case Quantity::centre_of_mass:
    case Quantity::von_mises:
      term.body = table.text("body");
      return;
    case Quantity::displacement:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
      term.marker = read_marker_ref(table, "marker");
      return;
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::drive_torque:
      term.joint = table.text("joint");
      return;
    case Quantity::control_energy:
      term.control = table.text_or("control", "");
      return;
  }
}

void read_stress(const TomlTable& table, CriterionTerm& term) {
  if (term.quantity != Quantity::von_mises) return;
  term.element_exponent = table.number_or("element_exponent", term.element_exponent, Range::at_least(2.0));
  term.relaxation = table.number_or("relaxation", term.relaxation, Range::at_least(0.0));
  if (table.has("leave_out")) term.left_out = table.texts("leave_out");
}

void read_vector(const TomlTable& table, CriterionTerm& term) {
  if (!is_vector(term.quantity)) {
    for (const char* key : {"component", "target"}) {
      if (table.has(key)) table.refuse(key, "needs a type with three components, such as \"position\"");
    }
    return;
  }
  if (table.is_text("target")) {
    table.choice("target", {rigid_twin_word});
    if (term.quantity != Quantity::position && term.quantity != Quantity::velocity &&
        term.quantity != Quantity::acceleration) {
      table.refuse("target", "needs type = \"position\", \"velocity\" or \"acceleration\"");
    }
    term.relative_to_rigid_twin = true;
  }
  if (table.has("component")) term.component = table.choice<int>("component", {{"x", 0}, {"y", 1}, {"z", 2}});
  if (term.relative_to_rigid_twin) return;
  if (!term.component) {
    read_components(table, "target", term.target);
  } else if (table.has("target")) {
    TimeFunctionPtr& target = term.target[static_cast<std::size_t>(*term.component)];
    target = table.is_table("target") ? read_time_function(table.table("target"))
                                      : constant_rate(table.number("target"), 0.0);
  }
}

CriterionTerm read_unweighted(const TomlTable& table, const IntegratorOptions& integrator) {
  CriterionTerm term;
  term.quantity = table.choice("type", quantities);
  read_time(table, integrator, term);
  read_place(table, term);
  read_vector(table, term);
  read_stress(table, term);
  return term;
}

void read_bounds(const TomlTable& table, CriterionConstraint& constraint) {
  if (table.has("lower")) constraint.lower = table.number("lower");
  if (table.has("upper")) constraint.upper = table.number("upper");
  if (table.has("equals")) {
    constraint.equals = table.number("equals");
    for (const char* bound : {"lower", "upper"}) {
      if (table.has(bound)) table.refuse(bound, "stands beside equals; give one of the two");
    }
  } else if (!constraint.lower && !constraint.upper) {
    table.fail("", "has no bound; give lower, upper or both, or equals");
  }
  if (table.has("scale")) constraint.scale = table.number("scale", Range::positive());
  if (constraint.lower && constraint.upper && *constraint.lower >= *constraint.upper)
    table.refuse("upper", "must be larger than lower");
}

/// Adaptive where there is an aggregate that is bounded.
void read_scaling(const TomlTable& table, CriterionConstraint& constraint) {
  const bool has_aggregate = std::any_of(constraint.terms.begin(), constraint.terms.end(), is_aggregate);
  constraint.adaptive = has_aggregate && !constraint.equals;
  if (!table.has("scaling")) return;
  const bool asked = table.choice<bool>("scaling", {{"adaptive", true}, {"none", false}});
  if (asked && !has_aggregate)
    table.refuse("scaling", "needs a maximum: time = \"p-norm\" or \"ks\", or type = \"von-mises\"");
  if (asked && constraint.equals) table.refuse("scaling", "needs lower or upper, not equals");
  constraint.adaptive = asked;
}

/// One constraint for each of its instants.
std::vector<CriterionConstraint> by_instants(const TomlTable& table, const CriterionConstraint& constraint,
                                             const IntegratorOptions& integrator) {
  if (table.has("scaling"))
    table.refuse("scaling", "does not go with time = \"instants\", which bounds values as they are");
  std::vector<CriterionConstraint> all;
  for (const int step : constraint.terms.front().steps) {
    all.push_back(constraint);
    all.back().terms.front().steps = {step};
    all.back().instant = integrator.t0 + step * integrator.step;
  }
  return all;
}

}  // namespace

CriterionTerm read_criterion_term(const TomlTable& table, const IntegratorOptions& integrator) {
  CriterionTerm term = read_unweighted(table, integrator);
  term.weight = table.number_or("weight", term.weight);
  return term;
}

std::vector<CriterionConstraint> read_criterion_constraint(const TomlTable& table,
                                                           const IntegratorOptions& integrator) {
  CriterionConstraint constraint{.name = read_name(table)};
  if (table.has("terms")) {
    for (const TomlTable& term : table.one_or_more("terms"))
      constraint.terms.push_back(read_criterion_term(term, integrator));
    if (constraint.terms.empty()) table.refuse("terms", "is empty; give at least one term");
  } else {
    constraint.terms = {read_unweighted(table, integrator)};
  }
  read_bounds(table, constraint);
  if (!table.has("terms") && constraint.terms.front().time == TimeFunctional::instants)
    return by_instants(table, constraint, integrator);
  read_scaling(table, constraint);
  return {constraint};
}

}  // namespace kurbel
