/// @file
/// Titles of columns in text files of tables (.csv).
#pragma once

#include <string>

#include "results/table_column.hpp"

namespace kurbel {

/// "mass [kg]"; quoted if it has a comma, quote or line break (RFC 4180).
std::string csv_title(const TableColumn& column);

}  // namespace kurbel
