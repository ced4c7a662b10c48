#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/motion_end.hpp"
#include "problem/criteria_reader.hpp"
#include "problem/criterion_text.hpp"
#include "problem/key_groups.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

const char* const rigid_twin_word = "rigid-twin";

/// The observables that the analyses have.
ObservableReader observables_of(Analysis analysis, bool natural) {
  switch (analysis) {
    case Analysis::statics:
      return {"in a static analysis", [](const ObservableTraits& traits) {
                return traits.quantity == Quantity::compliance || traits.quantity == Quantity::displacement ||
                       traits.quantity == Quantity::rotation || traits.quantity == Quantity::mass ||
                       traits.quantity == Quantity::von_mises || traits.quantity == Quantity::buckling_load;
              }};
    case Analysis::eigenfrequency:
      return {"in an analysis of eigenfrequencies", [](const ObservableTraits& traits) {
                return traits.quantity == Quantity::frequency || traits.quantity == Quantity::mass;
              }};
    case Analysis::modes:
      return {"in an analysis of modes",
              [](const ObservableTraits& traits) { return traits.at_rest == AtRest::value; }};
    case Analysis::frequency_response:
      return {"in a frequency response",
              [](const ObservableTraits& traits) { return traits.at_rest != AtRest::none; }};
    case Analysis::motion:
      break;
  }
  return {natural ? "" : "in a floating frame",
          [](const ObservableTraits& traits) { return !counts_modes(traits.quantity); }};
}

/// Words of the quantities, with one for an integral of the compliance.
TomlTable::Words<Quantity> words_of_quantities() {
  TomlTable::Words<Quantity> words = {{keys::integral_compliance, Quantity::compliance}};
  for (const ObservableTraits& traits : observable_table()) words.emplace_back(traits.word, traits.quantity);
  return words;
}

const char* const output_word = "output";

/// The step that ends at a time.
int step_at(const TomlTable& table, double t, const IntegratorOptions& integrator) {
  constexpr double same = 1e-6;  // of a step: times are written with few digits
  const double steps = (t - integrator.t0) / integrator.step;
  const int k = static_cast<int>(std::lround(std::clamp(steps, 0.0, double(integrator.n_steps()))));
  if (std::abs(steps - k) > same) {
    table.refuse("at", "has {:g}, which is no instant of [integrator]; the nearest is {:.9g}", t,
                 integrator.t0 + k * integrator.step);
  }
  return k;
}

std::vector<int> every_so_many(int first, int every, int last) {
  std::vector<int> steps;
  for (int k = first; k <= last; k += every) steps.push_back(k);
  return steps;
}

std::vector<int> read_times(const TomlTable& table, const IntegratorOptions& integrator) {
  std::vector<int> steps;
  for (const double t : table.numbers("at", 1, static_cast<std::size_t>(integrator.n_steps()) + 1))
    steps.push_back(step_at(table, t, integrator));
  if (std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>()) != steps.end())
    table.refuse("at", "must ascend");
  return steps;
}

/// `intervals` is a macro mesh t_j = t0 + j T / M: every e-th of the N steps.    [P2, section 2, Fig. 1]
std::vector<int> read_instants(const TomlTable& table, const IntegratorOptions& integrator) {
  if (integrator.step == 0.0) table.refuse("time", "needs [integrator], among whose steps they are");
  const int n = integrator.n_steps();
  std::string given;
  for (const char* key : {"intervals", "every", "at"}) {
    if (table.has(key)) given = key;
  }
  if (given == "every") {
    const int every = table.integer(given, Range::closed(1, n));
    return every_so_many(every, every, n);
  }
  if (given == "at") return read_times(table, integrator);
  if (given.empty()) {
    table.refuse(
        "time",
        "needs at, a list of times in s, every, so many steps from one to the next, or intervals, so "
        "many from start to end");
  }
  const int intervals = table.integer(given);
  if (n % intervals != 0) table.refuse(given, "must divide the number of integration steps, {}", n);
  return every_so_many(0, n / intervals, n);
}

/// Without a motion there is no time over which something could be taken.
void refuse_time(const TomlTable& table, CriterionTerm& term) {
  const char* const of_motions = "belongs to a motion, analysis = \"motion\"";
  refuse_keys(table, {"time"}, of_motions);
  if (!counts_modes(term.quantity) && !term.of_response) refuse_keys(table, {"exponent"}, of_motions);
  refuse_keys(table, {"at", "every", "intervals"}, of_motions);
  const char* const message = "belongs to a motion; without one it is a number, or a list of numbers";
  if (table.is_text("target")) table.refuse("target", message);
  refuse_functions_of_time(table, "target", message);
  if (!term.of_response) term.time = TimeFunctional::final_value;
}

void refuse_no_exponent(const TomlTable& table, bool is_ks, const CriterionTerm& term) {
  if (is_ks && term.exponent == 0.0)
    table.refuse("exponent", "must be positive for a smooth maximum, negative for a smooth minimum");
}

void read_time(const TomlTable& table, const IntegratorOptions& integrator, CriterionTerm& term) {
  if (is_constant(term.quantity)) {
    term.time = TimeFunctional::mean;  // of a constant
    return;
  }
  if (table.text("type") == keys::integral_compliance) return;
  term.time = table.choice("time", keys::functionals);
  if (term.time == TimeFunctional::instants) term.steps = read_instants(table, integrator);
  refuse_no_exponent(table, term.time == TimeFunctional::kreisselmeier_steinhauser, term);
}

/// The place of the quantity, and what several of its keys say together.
void read_place(const TomlTable& table, CriterionTerm& term) {
  keys::observed_place().read(table, term);
  if (traits_of(term.quantity).place == ObservedPlace::body_or_marker) {
    if (!table.has("marker")) {
      table.text("body");
    } else if (table.has("body")) {
      table.refuse("marker", "is of a body already; leave out body");
    }
  }
  if (term.up.has_value() == term.across.has_value()) return;
  if (!term.across) term.across = 0.0;
  if (!term.up) term.up = 0.0;
}

/// Which natural frequencies, damping ratios or buckling loads enter, the n-th or [first, last], and what is made of several.
void read_modes(const TomlTable& table, Analysis analysis, CriterionTerm& term) {
  if (!counts_modes(term.quantity)) return;
  if (analysis == Analysis::eigenfrequency) {
    table.text("body");
  } else if (is_about_rest(analysis) && table.has("body")) {
    table.refuse("body", "belongs to analysis = \"eigenfrequency\"; these modes are of the whole mechanism");
  }
  if (table.is_list("modes")) {
    const std::vector<double> range = table.numbers("modes");
    if (range[0] != std::round(range[0]) || range[1] != std::round(range[1]) || range[0] > range[1])
      table.refuse("modes", "must be the numbers of the first and of the last mode, counted from 1");
    term.first_mode = static_cast<int>(range[0]), term.last_mode = static_cast<int>(range[1]);
  } else if (table.has("modes")) {
    term.first_mode = term.last_mode = table.integer("modes");
  }
  refuse_no_exponent(table, term.over_modes == ModesFunctional::kreisselmeier_steinhauser, term);
}

/// What is made of an amplitude over the frequencies.
void read_amplitude(const TomlTable& table, Analysis analysis, CriterionTerm& term) {
  if (!table.has("amplitude")) return;
  if (analysis != Analysis::frequency_response)
    table.refuse("amplitude", "belongs to analysis = \"frequency-response\"");
  if (is_constant(term.quantity)) table.refuse("amplitude", "has no meaning for what does not vibrate");
  term.of_response = true;
  term.time = table.choice<TimeFunctional>("amplitude", {{"p-norm", TimeFunctional::p_norm},
                                                         {"ks", TimeFunctional::kreisselmeier_steinhauser},
                                                         {"at-frequency", TimeFunctional::final_value}});
  refuse_keys(table, {"form", "target"}, "has no meaning for an amplitude");
}

TimeFunctionPtr read_target(const TomlTable& table) {
  return table.is_table("target") ? read_time_function(table.table("target"))
                                  : constant_rate(table.number("target"), 0.0);
}

/// True if a term is the stress at a point of a planar beam, which has a sign; others are norms.
bool is_signed_stress(const CriterionTerm& term, const SystemSpec& system) {
  return term.quantity == Quantity::stress && term.along && find_named(system.planar_beams, term.beam);
}

/// Reads the target that a number is measured from, and its form.
void read_form_of_number(const TomlTable& table, const SystemSpec& system, CriterionTerm& term) {
  const ObservedValue value = traits_of(term.quantity).value;
  const bool may_have_target = value == ObservedValue::measured_number &&
                               (term.quantity != Quantity::stress || is_signed_stress(term, system));
  const bool may_have_form = may_have_target || value == ObservedValue::formed_number;
  const char* const of_vectors = "needs a type with three components, such as \"position\"";
  refuse_keys(table, {"component"}, of_vectors);
  if (!may_have_target) refuse_keys(table, {"target"}, of_vectors);
  if (!may_have_form && table.has("form"))
    table.refuse("form", "does not exist for {}, which enters as it is", word_of(term.quantity));
  if (table.has("target")) term.target[0] = read_target(table);
}

/// Reads the form of a vector: signed is what enters by a component.
void read_form_of_vector(const TomlTable& table, CriterionTerm& term) {
  if (term.form == CriterionForm::signed_value && !term.component)
    table.refuse("form", "needs component, the one that enters with its sign");
}

bool is_motion_of_marker(Quantity quantity) {
  return quantity == Quantity::position || quantity == Quantity::velocity ||
         quantity == Quantity::acceleration;
}

/// Which component of a vector enters, in which form, and what it is measured from. The only axis of a vector is its
/// component.
void read_form(const TomlTable& table, const SystemSpec& system, CriterionTerm& term) {
  const std::vector<int> axes = axes_of(term);
  if (axes.empty()) return read_form_of_number(table, system, term);
  if (table.is_text("target")) {
    table.choice("target", {rigid_twin_word});
    if (!is_motion_of_marker(term.quantity))
      table.refuse("target", "needs type = \"position\", \"velocity\" or \"acceleration\"");
    term.relative_to_rigid_twin = true;
  }
  if (table.has("component")) {
    term.component = table.choice("component", keys::axis_indices);
    if (std::ranges::find(axes, *term.component) == axes.end())
      table.refuse("component", "is none of the axes that are observed");
  } else if (axes.size() == 1) {
    term.component = axes.front();
  }
  read_form_of_vector(table, term);
  if (term.relative_to_rigid_twin || !table.has("target")) return;
  if (term.component && !(axes.size() == 1 && table.is_list("target"))) {
    term.target[static_cast<std::size_t>(*term.component)] = read_target(table);
  } else {
    read_components(table, "target", axes, term.target);
  }
}

}  // namespace

ObservableReader observables_of(const Problem& problem) {
  const bool natural = is_natural(problem.formulation) && is_of_mechanism(problem.analysis);
  ObservableReader reader = observables_of(problem.analysis, natural);
  if (!natural) return reader;
  reader.where += reader.where.empty() ? "in natural coordinates" : " in natural coordinates";
  reader.has = [has = reader.has](const ObservableTraits& traits) {
    return has(traits) && traits.in_natural_coordinates != InNaturalCoordinates::none;
  };
  if (!problem.system.planar_beams.empty()) reader.axes = {0, 1};
  return reader;
}

const std::string& word_of(TimeFunctional functional) {
  return TomlTable::word_of(functional, keys::functionals);
}

Output CriteriaReader::output(const TomlTable& table) const {
  Output output = {read_name(table), observable(table, false)};
  if (problem_.analysis == Analysis::frequency_response && is_constant(output.observable.quantity))
    table.refuse("type", "is one number of the mechanism and has no amplitude; criteria may bound it");
  return output;
}

CriterionTerm CriteriaReader::observable(const TomlTable& table, bool may_be_output) const {
  TomlTable::Words<std::optional<Quantity>> words;
  std::string allowed, foreign;
  for (const auto& [word, quantity] : words_of_quantities()) {
    const bool is_integral = word == keys::integral_compliance && problem_.analysis != Analysis::motion;
    if (observables_.has(traits_of(quantity)) && !is_integral) {
      words.emplace_back(word, quantity);
      allowed += fmt::format("{}\"{}\"", allowed.empty() ? "" : ", ", word);
    } else if (table.is_text("type") && table.text("type") == word) {
      foreign = word;
    }
  }
  if (!foreign.empty()) table.refuse("type", "does not exist {}; allowed: {}", observables_.where, allowed);
  if (may_be_output) words.emplace_back(output_word, std::nullopt);
  std::vector<std::string> some;
  for (const auto& [word, quantity] : words) some.push_back(word);
  const std::string type = table.choice_among("type", some);
  const std::optional<Quantity> quantity =
      std::ranges::find(words, type, [](const auto& w) { return w.first; })->second;
  if (!quantity)
    return find_by_name(table, output_word, problem_.outputs, "is none of [outputs.*]").observable;
  CriterionTerm term{.quantity = *quantity};
  if (is_vector(*quantity))
    term.axes = table.has("axes") ? table.choices("axes", keys::axis_indices) : observables_.axes;
  read_place(table, term);
  return term;
}

CriterionTerm CriteriaReader::unweighted(const TomlTable& table) const {
  CriterionTerm term = observable(table, true);
  keys::criterion().read(table, term);
  read_amplitude(table, problem_.analysis, term);
  if (problem_.analysis == Analysis::frequency_response && traits_of(term.quantity).at_rest == AtRest::zero &&
      !term.of_response)
    table.fail("amplitude", "is missing; at rest this is zero");
  if (problem_.analysis == Analysis::motion) {
    read_time(table, problem_.integrator, term);
  } else {
    refuse_time(table, term);
    read_modes(table, problem_.analysis, term);
  }
  read_form(table.in_unit(unit_of(term.quantity)), problem_.system, term);
  return in_motion(std::move(term), problem_.system.time);
}

CriterionTerm CriteriaReader::term(const TomlTable& table) const {
  CriterionTerm term = unweighted(table);
  keys::sum_term().read(table, term);
  return term;
}

std::vector<CriterionTerm> CriteriaReader::weighted(const std::vector<TomlTable>& tables) const {
  std::vector<CriterionTerm> terms;
  for (const TomlTable& of_term : tables) terms.push_back(term(of_term));
  const auto counts = [](const CriterionTerm& term) { return term.weight != 0.0; };
  if (!terms.empty() && std::ranges::none_of(terms, counts))
    tables.front().refuse("weight", "makes a sum that is always zero; give a term a weight other than 0");
  return terms;
}

std::vector<CriterionTerm> CriteriaReader::objective(const TomlTable& table) const {
  return weighted(table.one_or_more("objective"));
}

void read_criteria(const TomlTable& root, const CriteriaReader& reader, Problem& problem) {
  for (const TomlTable& output : root.table_or_empty("outputs").children())
    problem.outputs.push_back(reader.output(output));
  problem.objective = reader.objective(root);
  const TomlTable constraints = root.table_or_empty("constraints");
  for (const TomlTable& criterion : constraints.table_or_empty("criteria").children()) {
    for (CriterionConstraint& constraint : reader.constraint(criterion))
      problem.constraints.criteria.push_back(std::move(constraint));
  }
}

}  // namespace kurbel
