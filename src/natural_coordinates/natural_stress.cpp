#include <algorithm>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "elements/beam_stress.hpp"
#include "natural_coordinates/cable_beam.hpp"
#include "natural_coordinates/natural_criteria.hpp"

namespace kurbel {

namespace {

/// The more stressed fibre of a cable at x in [0, 1] of an element.
template <class S>
std::shared_ptr<const StateFunction<S>> cable_stress(const BeamSpec& beam, double x) {
  return std::make_shared<CableStress<S>>(x, 0, static_cast<SectionShape>(beam.shape),
                                          static_cast<CableEnergy>(beam.energy));
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
    all.emplace_back(system, system.beam_element(i, element),
                     cable ? cable_stress<S>(beam, x) : director_stress<S>(beam, term), true);
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
