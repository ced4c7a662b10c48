/// @file
/// The moving mechanism on the page of a report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Chooses at most so many of n columns, the first and the last among them.
std::vector<Eigen::Index> chosen_of(Eigen::Index n, Eigen::Index most);

/// The motion of each case, or one swing of each mode:
///
///     title, up   "z" or "y"
///     list        [{name, times, blocks: [{name, n_points, triangles, lines, frames}]}]
///
/// At most 12 motions of 8 to 80 frames each are taken, and fewer where the points of all would take more than 1.3 megabytes.
/// @param warnings  receives what is omitted
nlohmann::json motions_of(EvaluationChain& chain, const ChainResult& result,
                          std::vector<std::string>& warnings);

}  // namespace kurbel
