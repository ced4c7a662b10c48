/// @file
/// The commands on problems in absolute coordinates. Each returns the exit code of the program.
#pragma once

#include "app/command_line.hpp"
#include "problem/control_problem.hpp"

namespace kurbel {

int optimize_controls(TomlDocument document, const CommandLine& args);
int simulate_controls(TomlDocument document, const CommandLine& args);
int gradient_controls(TomlDocument document, const CommandLine& args);

}  // namespace kurbel
