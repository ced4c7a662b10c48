/// @file
/// A motion over time as tables.
#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Histories and outputs of a motion.
struct MotionTables {
  VectorXd t;              ///< instants of histories
  Eigen::Index every = 1;  ///< step between instants of histories; a table of all instants may be too large
  std::vector<HistoryPanel> histories;
  std::vector<OutputHistory> outputs;  ///< at all instants
};

/// Finds the tables of a motion, as far as they are finite.
/// @param result  its trajectory ends before the first instant at which something of `out` is not finite
/// @return        a failure that names this instant and what is not finite
Status find_tables(ChainResult& result, MotionTables& out);

/// The name of a row of a table, "shoulder.x".
std::string name_of_row(const OutputHistory& output, std::size_t row);
std::string name_of_row(const HistoryPanel& history, std::size_t row);

}  // namespace kurbel
