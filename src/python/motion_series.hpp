/// @file
/// The curves of a simulation, by name.
#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel::python {

struct Series {
  std::string name, unit;
  VectorXd values;
};

/// Finds the curves over time, "t" the first. Of a mechanism at rest they are the columns of its tables: of the modes
/// with the table's name, "modes.frequency", then of the response by their own names, "frequency" the first.
/// @return  a failure where a curve is not finite
Status find_series(ChainResult& result, std::vector<Series>& out);

}  // namespace kurbel::python
