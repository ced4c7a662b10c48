#include <algorithm>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "elements/beam_stress.hpp"
#include "natural_coordinates/ancf_beam.hpp"
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

/// The point along and up the beam that a term names; or the ends and middles of all elements, on the axis and
/// at both edges.
template <class S>
std::vector<ElementFunction<S>> planar_stresses(const NaturalSystem<S>& system, std::size_t i,
                                                const CriterionTerm& term) {
  const PlanarBeamSpec& beam = system.spec().planar_beams[i];
  std::vector<ElementFunction<S>> all;
  const auto add = [&](std::size_t element, double along, double up) {
    all.emplace_back(system, system.planar_element(i, element),
                     std::make_shared<AncfStress<S>>(along, up, beam.coupling), true);
  };
  if (term.along) {
    const int element = element_at(beam, *term.along);
    add(static_cast<std::size_t>(element), *term.along * static_cast<double>(beam.n_elements) - element,
        0.5 * *term.up);
    return all;
  }
  for (std::size_t element = 0; element < beam.n_elements; ++element) {
    for (const double along : {0.0, 0.5, 1.0}) {
      for (const double up : {-0.5, 0.0, 0.5}) add(element, along, up);
    }
  }
  return all;
}

}  // namespace

template <class S>
std::vector<ElementFunction<S>> beam_stresses(const NaturalSystem<S>& system, const CriterionTerm& term) {
  const std::vector<PlanarBeamSpec>& planar = system.spec().planar_beams;
  const auto in_plane = std::ranges::find(planar, term.beam, &PlanarBeamSpec::name);
  if (in_plane != planar.end())
    return planar_stresses(system, static_cast<std::size_t>(in_plane - planar.begin()), term);
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
