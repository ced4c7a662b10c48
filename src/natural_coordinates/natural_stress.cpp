#include <algorithm>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "elements/beam_stress.hpp"
#include "natural_coordinates/cable_beam.hpp"
#include "natural_coordinates/natural_criteria.hpp"

namespace kurbel {

namespace {

template <class S>
using StressFunction = std::shared_ptr<const StateFunction<S>>;

/// Both fibres of a cable at x in [0, 1] of an element.
template <class S>
std::vector<StressFunction<S>> cable_stresses(const BeamSpec& beam, double x) {
  std::vector<StressFunction<S>> functions;
  for (const int side : {1, -1})
    functions.push_back(std::make_shared<CableStress<S>>(x, side, static_cast<SectionShape>(beam.shape),
                                                         static_cast<CableEnergy>(beam.energy)));
  return functions;
}

}  // namespace

template <class S>
std::vector<ElementFunction<S>> beam_stresses(const NaturalSystem<S>& system, const CriterionTerm& term) {
  const std::vector<BeamSpec>& beams = system.spec().beams;
  const auto found = std::ranges::find(beams, term.beam, &BeamSpec::name);
  if (found == beams.end()) throw InputError("there is no beam " + term.beam);
  const BeamSpec& beam = *found;
  const auto i = static_cast<std::size_t>(found - beams.begin());
  std::vector<ElementFunction<S>> all;
  const auto add = [&](int element, double x) {
    const bool cable = beam.kind == BeamSpec::Kind::cable;
    for (StressFunction<S>& function : cable ? cable_stresses<S>(beam, x) : director_stresses<S>(beam, term))
      all.emplace_back(system, system.beam_element(i, element), std::move(function), true);
  };
  if (term.along) {
    const int element = element_at(beam, *term.along);
    add(element, *term.along * beam.n_elements - element);
    return all;
  }
  for (int element = 0; element < beam.n_elements; ++element) {
    if (beam.kind == BeamSpec::Kind::spatial) {
      add(element, 0.5);
    } else {
      for (const double x : {0.0, 0.5, 1.0}) add(element, x);
    }
  }
  return all;
}

template std::vector<ElementFunction<InstantiatedScalar>> beam_stresses(
    const NaturalSystem<InstantiatedScalar>&, const CriterionTerm&);

}  // namespace kurbel
