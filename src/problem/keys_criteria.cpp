/// [outputs.*], [objective] and [constraints]
#include "mechanism/criterion_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

using Names = std::vector<std::string>;

/// Names of the observables of which something holds.
template <class Holds>
Names words_where(const Holds& holds) {
  Names words;
  for (const ObservableTraits& traits : observable_table()) {
    if (holds(traits)) words.push_back(traits.word);
  }
  return words;
}

template <class... Places>
Names of_places(Places... places) {
  return words_where([=](const ObservableTraits& traits) { return ((traits.place == places) || ...); });
}

Names with(const char* word, const Names& words) {
  Names all = {word};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const Names all_quantities = with(integral_compliance, words_where([](const auto&) { return true; }));
const char* const quantity_text = "the quantity; docs/theory.md#criteria has their definitions";

const Names vectors = words_where([](const auto& traits) { return is_vector(traits.quantity); });
const Names with_time_history = words_where([](const auto& traits) { return !is_constant(traits.quantity); });
/// Numbers that can have a target.
const Names measured_numbers =
    words_where([](const auto& traits) { return traits.value == ObservedValue::measured_number; });
const Names of_modes = words_where([](const auto& traits) { return counts_modes(traits.quantity); });
const Names with_form = words_where([](const auto& traits) { return traits.value != ObservedValue::number; });

Names with_output(Names words) {
  words.emplace_back("output");
  return words;
}

const KeyGroup& bounds() {
  static const KeyGroup group{
      "bounds",
      "a constraint on a criterion, or on a sum of them",
      {
          Key{"type", word(with_output(all_quantities)), "", required_without("terms"), quantity_text},
          Key{"terms", one_or_more(term), "", optional, "terms of a sum, in place of one criterion"}
              .in_place_of({"type"}),
          {"lower", number() | list(1, 3, number()), "unit", optional,
           "lower bound; a list bounds row by row"},
          {"upper", number() | list(1, 3, number()), "unit", optional, "upper bound"},
          Key{"equals", number() | list(1, 3, number()), "unit", optional,
              "required value, in place of bounds; not for oc, nlopt-mma, ccsa, bfgs and lbfgs"}
              .in_place_of({"lower", "upper"}),
          {"scale", number(positive) | list(1, 3, number(positive)), "unit",
           otherwise("the size of the bound, or 1 where that is 0"), "divisor of deviations"},
          {"scaling", word({"adaptive", "none"}), "", otherwise("adaptive where a smooth maximum is bounded"),
           "adaptive: bounds hold for true peaks"},
          {"cases", word({"each", "sum"}) | list_of(text()), "", defaults("each"),
           "cases that it applies to: each, the sum over all, or some by name"},
      },
      &group_of<criterion>};
  return group;
}

}  // namespace

const TomlTable::Words<TimeFunctional> functionals = {{"integral", TimeFunctional::integral},
                                                      {"mean", TimeFunctional::mean},
                                                      {"final", TimeFunctional::final_value},
                                                      {"p-norm", TimeFunctional::p_norm},
                                                      {"ks", TimeFunctional::kreisselmeier_steinhauser},
                                                      {"instants", TimeFunctional::instants},
                                                      {"change", TimeFunctional::change}};

const KeyTable<CriterionTerm>& observed_place() {
  using Spec = CriterionTerm;
  static const KeyTable<Spec> rows{
      "place",
      "the place of a quantity",
      {
          key("body", &Spec::body, text(), "", required,
              "the body; for a mass also a beam or one of [masses.*]")
              .when("type", with(integral_compliance, of_places(ObservedPlace::body))),
          key("body", &Spec::body, text(), "", otherwise("the whole mechanism"), "the body")
              .when("type", of_places(ObservedPlace::body_or_all)),
          marker("marker", &Spec::marker,
                 "marker as \"body.marker\" or \"beam.end\", or \"body\" for the reference frame or a point")
              .when("type", of_places(ObservedPlace::marker, ObservedPlace::two_markers)),
          key("body", &Spec::body, text(), "", otherwise("that of `marker`"),
              "the body with this reference frame")
              .when("type", of_places(ObservedPlace::body_or_marker)),
          key("marker", &Spec::marker, text(), "", otherwise("the reference frame of `body`"),
              "the marker, in place of `body`; its axes turn as the body deforms there")
              .when("type", of_places(ObservedPlace::body_or_marker)),
          key("body", &Spec::body, text(), "", required_if("analysis = \"eigenfrequency\""), "the body")
              .when("type", {"frequency"}),
          text("joint", &Spec::joint, "the joint; the reaction acts on its `to` body")
              .when("type", of_places(ObservedPlace::joint, ObservedPlace::rod)),
          text("joint", &Spec::joint, "the hinge; its `to` turns against its `from` about z")
              .when("type", of_places(ObservedPlace::hinge)),
          key("from", &Spec::from, text(), "", defaults("ground"),
              "marker from which it is measured; a relative position has its axes")
              .when("type", of_places(ObservedPlace::two_markers)),
          text("spring", &Spec::spring, "the spring; its force acts on its `to` end")
              .when("type", of_places(ObservedPlace::spring)),
          text("beam", &Spec::beam, "the beam").when("type", of_places(ObservedPlace::beam)),
          number("along", &Spec::along, closed(0.0, 1.0), "",
                 otherwise("a p-norm over the ends and middles of its elements"),
                 "place along the beam, as a share of its length")
              .when("type", of_places(ObservedPlace::beam)),
          number("across", &Spec::across, closed(-1.0, 1.0), "",
                 otherwise("the most stressed point of the outline, or 0 beside `up`"),
                 "place along the section's y axis, as a share of its half width; of spatial beams")
              .when("type", of_places(ObservedPlace::beam)),
          number(
              "up", &Spec::up, closed(-1.0, 1.0), "", otherwise("as `across`, or 0 beside it"),
              "place along the section's z axis, as a share of its half height; of spatial and planar beams")
              .when("type", of_places(ObservedPlace::beam)),
          text("tyre", &Spec::tyre, "the tyre; its force on the wheel has x forwards, y to the left, z up")
              .when("type", of_places(ObservedPlace::tyre)),
          number("element_exponent", &Spec::element_exponent, at_least(2.0), "",
                 "exponent of the p-norm over the elements")
              .when("type", {"von-mises", "stress"}),
          number("relaxation", &Spec::relaxation, not_negative, "", "exponent of the density in the stress")
              .when("type", {"von-mises"}),
          key("leave_out", &Spec::left_out, list_of(text()), "", optional,
              "regions, markers and supports, or \"clamp\", whose elements do not count")
              .when("type", {"von-mises"}),

          key("control", &Spec::control, text(), "", otherwise("all controls"), "the control")
              .when("type", of_places(ObservedPlace::control)),
          Key{"axes", list_of(word({"x", "y", "z"}), 1), "", otherwise("all; beside planar beams x and y"),
              "components of a vector that count"}
              .when("type", vectors),
      }};
  return rows;
}

/// A quantity, or an output, and what is made of its time history.
const KeyTable<CriterionTerm>& criterion() {
  using Spec = CriterionTerm;
  static const KeyTable<Spec> rows{
      "criterion",
      "a criterion",
      {
          Key{"output", text(), "", required, "one of [outputs.*], in place of a quantity and its place"}
              .when("type", {"output"}),
          Key{"time", word(TomlTable::names_of(functionals)), "", required_if("the analysis is a motion"),
              "function of the time history"}
              .when("type", with_time_history),
          Key{"time", word(TomlTable::names_of(functionals)), "",
              required_if("the output is neither a mass nor a duration"), "function of the time history"}
              .when("type", {"output"}),
          number("exponent", &Spec::exponent, at_least(1.0), "", "exponent of the p-norm")
              .when("time", {"p-norm"}),
          number("exponent", &Spec::exponent, any, "1/unit", required,
                 "exponent of the Kreisselmeier-Steinhauser function: positive for a smooth maximum, "
                 "negative for a smooth minimum")
              .when("time", {"ks"}),
          Key{"amplitude", word({"p-norm", "ks", "at-frequency"}), "", otherwise("its value at rest"),
              "in a frequency response, function of the amplitude over the frequencies: a smooth maximum, or "
              "the value at one frequency"}
              .when("type", with_output(with_time_history)),
          number("exponent", &Spec::exponent, at_least(1.0), "", "exponent of the p-norm")
              .when("amplitude", {"p-norm"}),
          number("exponent", &Spec::exponent, positive, "1/unit", required,
                 "exponent of the Kreisselmeier-Steinhauser function, a smooth maximum")
              .when("amplitude", {"ks"}),
          number("frequency", &Spec::frequency, positive, "Hz", required, "the frequency")
              .when("amplitude", {"at-frequency"}),
          Key{"modes", integer(closed(1.0, 200.0)) | list(2, integer(closed(1.0, 200.0))), "", defaults(1),
              "modes by increasing frequency or buckling load: the n-th, or all of [first, last]"}
              .when("type", of_modes),
          word("aggregate", &Spec::over_modes,
               {{"sum", ModesFunctional::sum}, {"ks", ModesFunctional::kreisselmeier_steinhauser}},
               "function of several modes: their sum, or a smooth extreme")
              .when("type", of_modes),
          number("exponent", &Spec::exponent, any, "1/unit", required,
                 "exponent of the Kreisselmeier-Steinhauser function: positive for a smooth maximum, "
                 "negative for a smooth minimum")
              .when("aggregate", {"ks"}),
          Key{"at", list_of(number(), 1), "s", optional, "instants at ends of steps, ascending"}
              .when("time", {"instants"})
              .in_place_of({"intervals", "every"}),
          Key{"every", integer(at_least(1)), "steps", optional, "steps from one instant to the next"}
              .when("time", {"instants"})
              .in_place_of({"intervals"}),
          Key{"intervals", integer(at_least(1)), "", optional,
              "number of equal intervals; the instants are their ends"}
              .when("time", {"instants"}),
          Key{"component", word({"x", "y", "z"}), "", otherwise("the vector, as `form` says"),
              "component of a vector that enters with its sign"}
              .when("type", with_output(vectors)),
          word("form", &Spec::form,
               {{"magnitude", CriterionForm::magnitude},
                {"signed", CriterionForm::signed_value},
                {"half-square", CriterionForm::half_square}},
               otherwise("magnitude of a vector, signed of a component, of the only axis and of a number"),
               "what enters after the target is subtracted: the magnitude of a vector, the value with its "
               "sign, or half of the square")
              .when("type", with_output(with_form)),
          Key{"target",
              number() | table(time_function) | list(1, 3, number() | table(time_function)) |
                  word({"rigid-twin"}),
              "unit", otherwise("0"),
              "value that is subtracted: for a component a number or function of time, for a vector a list "
              "of these, or the motion of the mechanism with rigid bodies (rigid-twin)"}
              .when("type", with_output(vectors)),
          Key{"target", number() | table(time_function), "unit", otherwise("0"), "value that is subtracted"}
              .when("type", measured_numbers),
      },
      &group_of<observed_place>};
  return rows;
}

const KeyTable<CriterionTerm>& sum_term() {
  static const KeyTable<CriterionTerm> rows{
      "sum_term",
      "a term of a sum",
      {number("weight", &CriterionTerm::weight, any, "", "factor of the term in the sum")},
      &group_of<criterion>};
  return rows;
}

const KeyGroup& output_quantity() {
  static const KeyGroup group{"output_quantity",
                              "an output",
                              {Key{"type", word(all_quantities), "", required, quantity_text}},
                              &group_of<observed_place>};
  return group;
}

const KeyGroup& term() {
  static const KeyGroup group{"term",
                              "a term",
                              {Key{"type", word(with_output(all_quantities)), "", required, quantity_text}},
                              &group_of<sum_term>};
  return group;
}

const KeyTable<ConstraintOptions>& constraints() {
  using Spec = ConstraintOptions;
  static const KeyTable<Spec> rows{
      "constraints",
      "the constraints",
      {
          number(
              "volume_fraction", &Spec::volume_fraction, positive, "", optional,
              "largest share of the volume of all designed bodies; above 1 only where variables change the "
              "volume of a mesh"),
          number("mass", &Spec::mass, positive, "kg", optional, "largest mass of all designed bodies"),
          Key{"criteria", names(bounds), "", optional, "bounds on criteria, by name"},
      }};
  return rows;
}

}  // namespace kurbel::keys
