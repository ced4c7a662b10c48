/// [outputs.*], [objective] and [constraints]
#include "mechanism/criterion_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

using Words = std::vector<std::string>;

/// Words of the observables of which something holds.
template <class Holds>
Words words_where(const Holds& holds) {
  Words words;
  for (const ObservableTraits& traits : observable_table()) {
    if (holds(traits)) words.push_back(traits.word);
  }
  return words;
}

template <class... Places>
Words of_places(Places... places) {
  return words_where([=](const ObservableTraits& traits) { return ((traits.place == places) || ...); });
}

Words with(const char* word, const Words& words) {
  Words all = {word};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const char* const integral_compliance = "integral-compliance";
const Words all_quantities = with(integral_compliance, words_where([](const auto&) { return true; }));
const char* const quantity_text = "the quantity; docs/theory.md#criteria has their definitions";

const Words vectors = words_where([](const auto& traits) { return is_vector(traits.quantity); });
const Words with_time_history =
    words_where([](const auto& traits) { return traits.quantity != Quantity::mass; });
/// Numbers that can have a target.
const Words measured_numbers =
    words_where([](const auto& traits) { return traits.value == ObservedValue::measured_number; });
const Words with_form = words_where([](const auto& traits) { return traits.value != ObservedValue::number; });
const char* const form_text =
    "what enters, less its target: the magnitude of a vector, the value with its sign, or half of the square";
const CriterionTerm term_defaults;

const Words functional_words = {"integral", "mean", "final", "p-norm", "ks", "instants"};

Words with_output(Words words) {
  words.emplace_back("output");
  return words;
}

/// The place of a quantity.
const KeyGroup& place() {
  static const KeyGroup group{
      "place",
      "the place of a quantity",
      {
          Key{"body", text(), "", required,
              "of which body; a mass may also be that of a beam or of one of [masses.*]"}
              .when("type", with(integral_compliance, of_places(ObservedPlace::body))),
          Key{"body", text(), "", otherwise("the whole mechanism"), "of which body"}.when(
              "type", of_places(ObservedPlace::body_or_all)),
          Key{"marker", text(), "", required,
              "marker as \"body.marker\" or \"beam.end\", or \"body\" for the reference frame or a point"}
              .when("type", of_places(ObservedPlace::marker, ObservedPlace::two_markers)),
          Key{"body", text(), "", otherwise("that of `marker`"),
              "of which body: the attitude of its reference frame"}
              .when("type", of_places(ObservedPlace::body_or_marker)),
          Key{"marker", text(), "", otherwise("the reference frame of `body`"),
              "of which marker, in place of `body`: its axes turn as the body deforms there"}
              .when("type", of_places(ObservedPlace::body_or_marker)),
          Key{"joint", text(), "", required, "of which joint, on its `to` body"}.when(
              "type", of_places(ObservedPlace::joint, ObservedPlace::rod)),
          Key{"joint", text(), "", required, "of which hinge, its `to` against its `from` about z"}.when(
              "type", of_places(ObservedPlace::hinge)),
          Key{"from", text(), "", defaults("ground"),
              "marker from which it is measured; a relative position is along its axes"}
              .when("type", of_places(ObservedPlace::two_markers)),
          Key{"spring", text(), "", required, "of which spring, a force on its `to` end"}.when(
              "type", of_places(ObservedPlace::spring)),
          Key{"beam", text(), "", required, "of which beam"}.when("type", of_places(ObservedPlace::beam)),
          Key{"along", number(closed(0.0, 1.0)), "",
              otherwise("a p-norm over the ends and middles of its elements"), "where, of its length"}
              .when("type", of_places(ObservedPlace::beam)),
          Key{"across", number(closed(-1.0, 1.0)), "",
              otherwise("the most stressed point of the outline, or 0 beside `up`"),
              "where along the section's y axis, of its half width; of spatial beams"}
              .when("type", of_places(ObservedPlace::beam)),
          Key{"up", number(closed(-1.0, 1.0)), "", otherwise("as `across`, or 0 beside it"),
              "where along the section's z axis, of its half height; of spatial and planar beams"}
              .when("type", of_places(ObservedPlace::beam)),
          Key{"tyre", text(), "", required, "of which tyre, on its wheel: x forwards, y to the left, z up"}
              .when("type", of_places(ObservedPlace::tyre)),
          Key{"element_exponent", number(at_least(2.0)), "", defaults(term_defaults.element_exponent),
              "exponent of the p-norm over the elements"}
              .when("type", {"von-mises", "stress"}),
          Key{"relaxation", number(not_negative), "", defaults(term_defaults.relaxation),
              "exponent of the density in the stress"}
              .when("type", {"von-mises"}),
          Key{"leave_out", list_of(text()), "", optional,
              "regions and markers, or \"clamp\", whose elements do not count"}
              .when("type", {"von-mises"}),

          Key{"control", text(), "", otherwise("all controls"), "of which control"}.when(
              "type", of_places(ObservedPlace::control)),
          Key{"axes", list_of(word({"x", "y", "z"}), 1), "", otherwise("all; beside planar beams x and y"),
              "of a vector, those that count"}
              .when("type", vectors),
      }};
  return group;
}

/// A quantity, or an output, and what is made of its time history.
const KeyGroup& criterion() {
  static const KeyGroup group{
      "criterion",
      "a criterion",
      {
          Key{"output", text(), "", required, "of which [outputs.*], in place of a quantity and its place"}
              .when("type", {"output"}),
          Key{"time", word(functional_words), "", required, "what is made of the time history"}.when(
              "type", with_time_history),
          Key{"time", word(functional_words), "", required_if("the output is no mass"),
              "what is made of the time history"}
              .when("type", {"output"}),
          Key{"exponent", number(at_least(1.0)), "", required, "of the p-norm"}.when("time", {"p-norm"}),
          Key{"exponent", number(), "1/unit", required,
              "of the Kreisselmeier-Steinhauser function: positive for a smooth maximum, negative for a "
              "smooth minimum"}
              .when("time", {"ks"}),
          Key{"at", list_of(number(), 1), "s", optional, "the instants, ends of steps, ascending"}
              .when("time", {"instants"})
              .in_place_of({"intervals", "every"}),
          Key{"every", integer(at_least(1)), "steps", optional, "an instant after so many steps each"}
              .when("time", {"instants"})
              .in_place_of({"intervals"}),
          Key{"intervals", integer(at_least(1)), "", optional,
              "instants at the ends of so many equal intervals"}
              .when("time", {"instants"}),
          Key{"component", word({"x", "y", "z"}), "", otherwise("the vector, as `form` says"),
              "of a vector, the one that enters with its sign"}
              .when("type", with_output(vectors)),
          Key{"form", word({"magnitude", "signed", "half-square"}), "",
              otherwise("magnitude of a vector, signed of a component, of the only axis and of a number"),
              form_text}
              .when("type", with_output(with_form)),
          Key{"target",
              number() | table(time_function) | list(1, 3, number() | table(time_function)) |
                  word({"rigid-twin"}),
              "unit", otherwise("0"),
              "what it is measured from: of a component a number or function of time, of a vector a list of "
              "such, or the motion of the mechanism with rigid bodies"}
              .when("type", with_output(vectors)),
          Key{"target", number() | table(time_function), "unit", otherwise("0"), "what it is measured from"}
              .when("type", measured_numbers),
      },
      &place};
  return group;
}

const KeyGroup& sum_term() {
  static const KeyGroup group{"sum_term",
                              "a term of a sum",
                              {
                                  {"weight", number(), "", defaults(1.0), "its factor in the sum"},
                              },
                              &criterion};
  return group;
}

const KeyGroup& bounds() {
  static const KeyGroup group{
      "bounds",
      "a constraint on a criterion, or on a sum of them",
      {
          Key{"type", word(with_output(all_quantities)), "", required_without("terms"), quantity_text},
          Key{"terms", one_or_more(term), "", optional, "the terms of a sum, in place of one criterion"}
              .in_place_of({"type"}),
          {"lower", number() | list(1, 3, number()), "unit", optional,
           "at least this; a list bounds row by row"},
          {"upper", number() | list(1, 3, number()), "unit", optional, "at most this"},
          Key{"equals", number() | list(1, 3, number()), "unit", optional,
              "exactly this, in place of bounds; needs ipopt or auglag"}
              .in_place_of({"lower", "upper"}),
          {"scale", number(positive) | list(1, 3, number(positive)), "unit",
           otherwise("the size of the bound, or 1 where that is 0"), "what deviations are divided by"},
          {"scaling", word({"adaptive", "none"}), "", otherwise("adaptive where a smooth maximum is bounded"),
           "whether bounds hold for true peaks"},
          {"cases", word({"each", "sum"}) | list_of(text()), "", defaults("each"),
           "for which cases: for each, for the sum over them, or for some by name"},
      },
      &criterion};
  return group;
}

}  // namespace

const KeyGroup& output_quantity() {
  static const KeyGroup group{"output_quantity",
                              "an output",
                              {
                                  Key{"type", word(all_quantities), "", required, quantity_text},
                              },
                              &place};
  return group;
}

const KeyGroup& term() {
  static const KeyGroup group{"term",
                              "a term",
                              {
                                  Key{"type", word(with_output(all_quantities)), "", required, quantity_text},
                              },
                              &sum_term};
  return group;
}

const KeyTable<ConstraintOptions>& constraints() {
  using Spec = ConstraintOptions;
  static const KeyTable<Spec> rows{
      "constraints",
      "the constraints",
      {
          number("volume_fraction", &Spec::volume_fraction, above(0.0, 1.0), "", optional,
                 "at most this share of the volume of all designed bodies"),
          number("mass", &Spec::mass, positive, "kg", optional, "at most this mass of all designed bodies"),
          Key{"criteria", names(bounds), "", optional, "bounds on criteria, by name"},
      }};
  return rows;
}

}  // namespace kurbel::keys
