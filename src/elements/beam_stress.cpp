#include "elements/beam_stress.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
std::vector<std::shared_ptr<const StateFunction<S>>> director_stresses(const BeamSpec& beam,
                                                                       const CriterionTerm& term) {
  const bool is_round = beam.shape == BeamSpec::Shape::circle || beam.shape == BeamSpec::Shape::tube;
  std::vector<std::pair<double, double>> points;
  if (term.across || term.up) {
    points.emplace_back(term.across.value_or(0.0), term.up.value_or(0.0));
  } else {
    const double diagonal = is_round ? std::sqrt(0.5) : 1.0;
    points = {{1, 0},  {diagonal, diagonal},   {0, 1},  {-diagonal, diagonal},
              {-1, 0}, {-diagonal, -diagonal}, {0, -1}, {diagonal, -diagonal}};
  }
  std::vector<std::shared_ptr<const StateFunction<S>>> functions;
  for (const auto& [across, up] : points)
    functions.push_back(
        std::make_shared<DirectorStress<S>>(across, up, static_cast<SectionShape>(beam.shape)));
  return functions;
}

template std::vector<std::shared_ptr<const StateFunction<InstantiatedScalar>>> director_stresses(
    const BeamSpec&, const CriterionTerm&);

}  // namespace kurbel
