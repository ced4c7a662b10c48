/// @file
/// Error of the gradients by the continuous adjoint, against those of the discrete psi.
///
/// The continuous adjoint has an error that is not known beforehand in what its steps do not resolve, such as high
/// elastic modes. The discrete adjoint is exact and costs about as much: one
/// comparison, at the first design of a run, measures the error instead of estimating it. Motions with dense
/// output have no discrete adjoint: there, a difference along one direction takes its place.
#pragma once

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Relative error above which the user is warned: the largest that a gradient check approves by
/// default. It turns the direction of descent by half a degree.
inline constexpr double tolerable_adjoint_error = 1e-2;

/// |g - g_discrete| / |g_discrete| over all design variables, each relative to its range, of the objective
/// and of every criterion of [constraints]; kept as ChainResult::adjoint_errors. A gradient that changes its
/// function by less than 1e-9 of its value counts as none. With dense output the same of |(g - g_discrete) . d| for a
/// d of all variables that have room on both sides. Nothing with another method.
/// @param bars  what EvaluationChain::gradient() or gradients() gave: of psi, or of all
Status measure_adjoint_errors(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                              ChainResult& at, const std::vector<Design>& bars);

/// The same for a gradient alone.
double adjoint_error(const VectorXd& gradient, const VectorXd& discrete, double value);

/// A sentence on the error of a function's gradient, and the judgement on it.
struct AdjointErrorText {
  std::string text;
  bool is_tolerable;
};
AdjointErrorText describe_adjoint_error(const std::string& function, double error,
                                        const IntegratorOptions& integrator);

}  // namespace kurbel
