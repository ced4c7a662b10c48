/// @file
/// Sections of an input file in absolute coordinates.
#pragma once

#include "problem/control_problem.hpp"
#include "problem/readers.hpp"

namespace kurbel {

/// gravity, [points.*], [beams.*], [joints.*], [masses.*], [springs.*], [outputs.*]
absolute::SystemSpec read_absolute_system(const TomlTable& root);

/// A list among "x", "y", "z" as 0, 1, 2.
std::vector<int> read_axes(const TomlTable& table, const std::string& key);

}  // namespace kurbel
