/// @file
/// Choice of the derivatives that augment standard input data    [P0, section 3].
#pragma once

#include <string>
#include <vector>

#include "sid/sid_coefficients.hpp"

namespace kurbel {

/// The derivatives that are kept of a body.
struct Augmentation {
  Eigen::Index n_variables = 0;
  std::vector<std::string>
      variables;                     ///< a name for each, or empty: the densities of all elements, by number
  std::vector<SidCoefficient> kept;  ///< those whose derivatives are written
};

}  // namespace kurbel
