/// @file
/// `kurbel gradient --check`: every function of an optimization.
#pragma once

#include "app/command_line.hpp"
#include "app/report.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Compares the gradients of psi and of whatever [constraints] bounds with differences, prints the table, and
/// returns the exit code.
/// @param bars     d psi / d design and those of the criteria, as EvaluationChain::gradients() gives them
/// @param report   of the run; gains the rows
int check_design_gradients(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                           const std::vector<Design>& bars, const CommandLine& args, Report& report);

}  // namespace kurbel
