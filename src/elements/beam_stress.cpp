#include "elements/beam_stress.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
std::shared_ptr<const StateFunction<S>> director_stress(const BeamSpec& beam, const CriterionTerm& term) {
  const auto shape = static_cast<SectionShape>(beam.shape);
  if (!term.across && !term.up) return std::make_shared<DirectorStress<S>>(shape);
  return std::make_shared<DirectorStress<S>>(term.across.value_or(0.0), term.up.value_or(0.0), shape);
}

template std::shared_ptr<const StateFunction<InstantiatedScalar>> director_stress(const BeamSpec&,
                                                                                  const CriterionTerm&);

}  // namespace kurbel
