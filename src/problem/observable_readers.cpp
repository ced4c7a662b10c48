/// Which observables the analyses and formulations have.
#include "problem/criteria_reader.hpp"

namespace kurbel {

namespace {

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

}  // namespace kurbel
