/// @file
/// A check that the tyres of a mechanism stand on the road at the start.
#pragma once

#include <optional>
#include <string>

#include "mechanism/system_spec.hpp"

namespace kurbel {

struct TyreFault {
  std::string tyre;
  std::string what;  ///< "is ..."
};

/// A wheel that lies on its side, is beyond the table of the road, or is deeper in the road than half of its radius, at
/// an assembled position near the given one, or at the given one if it cannot be assembled.
std::optional<TyreFault> tyre_fault_at_start(const SystemSpec& spec, double t0);

}  // namespace kurbel
