/// @file
/// A study as a table and as a picture, for those who open no browser.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kurbel {

/// A row per variant: its values, status, functions, and the Pareto fronts on which it is.
/// @param study  as study_points.hpp describes it
std::string csv_of_study(const nlohmann::json& study);

/// A matrix of plots as SVG: functions in rows over the keys that vary and over psi, with the Pareto fronts of psi.
/// Variants that violate a bound are hollow; failed ones have no points.
/// @return  empty if there is nothing to plot
std::string svg_of_study(const nlohmann::json& study);

}  // namespace kurbel
