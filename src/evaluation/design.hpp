/// @file
/// The point of the design space at which the chain is evaluated.
#pragma once

#include <vector>

#include "fem/body_design.hpp"

namespace kurbel {

/// One array per body, in the order of Problem::bodies, with a value per element; empty for a body without a
/// mesh.
using BodyFields = std::vector<VectorXd>;

/// All quantities by which gradients are computed; and, in the same shape, the sensitivities.
struct Design {
  std::vector<fem::BodyDesign> bodies;  ///< in the order of Problem::bodies; empty where a body has no mesh
  VectorXd system;                      ///< value of each SystemQuantity among [variables], in their order

  BodyFields densities() const {
    BodyFields fields;
    for (const fem::BodyDesign& body : bodies) fields.push_back(body.density);
    return fields;
  }
};

}  // namespace kurbel
