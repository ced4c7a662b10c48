/// @file
/// The commands of the program. Each returns the exit code: 0, 1 (a gradient check above its tolerance) or 3
/// (numerical failure); bad input is thrown as InputError.
#pragma once

#include "app/command_line.hpp"

namespace kurbel {

int run_optimize(const CommandLine& args);
int run_gradient(const CommandLine& args);
int run_simulate(const CommandLine& args);
int run_reduce(const CommandLine& args);
int run_check(const CommandLine& args);
int run_export(const CommandLine& args);
int run_verify(const CommandLine& args);
int run_report(const CommandLine& args);
int run_study(const CommandLine& args);
int run_converge(const CommandLine& args);
int run_import(const CommandLine& args);
int run_examples(const CommandLine& args);
int run_new(const CommandLine& args);
int run_info(const CommandLine& args);
int run_schema(const CommandLine& args);

}  // namespace kurbel
