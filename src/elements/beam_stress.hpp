/// @file
/// The points of a spatial beam's section at which its stress is evaluated, and the elements in which it is.
#pragma once

#include <algorithm>
#include <memory>

#include "elements/director_beam.hpp"
#include "mechanism/criterion_spec.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The stress at the point of the section that a term names, or at the most stressed one of its outline. The strains are the same
/// all along an element.
template <class Scalar>
std::shared_ptr<const StateFunction<Scalar>> director_stress(const BeamSpec& beam, const CriterionTerm& term);

/// The element at a share of a beam's length, in [0, 1].
template <class Beam>
int element_at(const Beam& beam, double along) {
  const auto n = static_cast<int>(beam.n_elements);
  return std::min(static_cast<int>(along * n), n - 1);
}

}  // namespace kurbel
