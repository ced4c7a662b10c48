/// @file
/// A report as one HTML file that needs nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kurbel {

/// @throws InputError if kurbel was built without the libraries that draw on the page
void require_page_libraries();

/// Makes the page of one run or of two that are compared. What does not move can be read without JavaScript.
/// @param runs  as report_of_run() describes them
/// @throws InputError as require_page_libraries()
std::string html_of(const std::vector<nlohmann::json>& runs);

/// Makes the page of a study: points of its variants over any key or function, a matrix of such plots, a table, and pictures
/// of their shapes.
/// @param study  as study_points.hpp describes it
/// @return       empty if kurbel was built without the library that draws the points
std::string html_of_study(const nlohmann::json& study);

}  // namespace kurbel
