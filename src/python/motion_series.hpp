/// @file
/// What a simulation found, as curves with names.
#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel::python {

struct Series {
  std::string name, unit;
  VectorXd values;
};

/// Finds the curves over time, "t" the first, or of a mechanism at rest the columns of its tables: of the response by their
/// own names, "frequency" the first, of others by that of the table, too, "modes.frequency".
/// @return  a failure where a curve is not finite
Status find_series(ChainResult& result, std::vector<Series>& out);

}  // namespace kurbel::python
