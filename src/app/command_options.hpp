/// @file
/// The commands of the program with their options, as CLI11 reads them.
#pragma once

#include <CLI/CLI.hpp>

#include "app/command_line.hpp"

namespace kurbel {

/// Adds every command, with options that set the members of `line`, which has to outlive the parsing.
void add_commands(CLI::App& app, CommandLine& line);

}  // namespace kurbel
