/// @file
/// The optimizers behind the seam. Options are checked by make_optimizer.
#pragma once

#include "optimizers/optimizer.hpp"

namespace kurbel {

/// Optimality criteria for one inequality that grows with every variable (volume, mass) and bounds, with
/// objective sensitivities of either sign.
///
/// In each iteration the objective is replaced by f + nu g, which has the same optimum wherever g is active
/// and whose sensitivity is negative for a large enough shift nu, and approximated by reciprocals of x - L:
///
///     x_new = L + (x - L) ( (nu dg - df) / ((mu + nu) dg) )^eta
///
/// clipped to the move limit and the bounds. L = 0, or slightly below a lower bound that is zero or negative.
///
/// * mu >= 0 makes the linearised g vanish; mu = 0 if it stays negative. With t = (mu + nu)^-eta this is a
///   piecewise linear equation, solved to rounding by a safeguarded Newton iteration. If the move limit does
///   not allow g = 0, every variable goes down as far as it may: so an infeasible start becomes feasible.
/// * nu is the larger of max df/dg over the variables that can still go down, and the value with which the
///   approximation has the curvature that was measured along the last step; the latter makes the update
///   contract where df changes sign (constraint not active) or f falls faster than a reciprocal.
/// * df = 0 is no special case: such a variable costs volume for nothing and shrinks.
///
/// A failed evaluation halves the step, up to six times.
/// The curvature rule needs a secant pair, so the first step uses the bound on df/dg alone.
/// References: M. P. Bendsoe, O. Sigmund, Topology Optimization (2003), sec. 1.2; A. A. Groenwold, L. F. P.
/// Etman, Int. J. Numer. Meth. Eng. 73 (2008) 297, for the update as a sequence of reciprocal approximations.
std::unique_ptr<Optimizer> make_optimality_criteria(const OptimizerOptions& options);

/// MMA and GCMMA of K. Svanberg; mma_approximation.hpp and mma_subproblem.hpp have the equations.
std::unique_ptr<Optimizer> make_mma_optimizer(const OptimizerOptions& options);

/// NLopt 2.7: MMA, CCSA (quadratic), BFGS, L-BFGS and the augmented Lagrangian with L-BFGS inside.
///
/// BFGS is NLopt's L-BFGS with a memory of 1000 steps, 16 kB for each variable, so that none is forgotten; L-BFGS
/// keeps the last 20. Both search along the projection onto the bounds until Wolfe's conditions hold. The
/// shifted variable metric methods of NLopt (VAR1, VAR2), with which BFGS shares its formula, took four times the
/// evaluations on the swing-up of a cart with 601 nodes, with the same memory.
///
/// The objective is divided by |f(start)|. For MMA and CCSA objective and constraints are both multiplied by
/// the number of variables as well, which leaves the optimum unchanged: NLopt starts these methods with a
/// conservatism of one per variable, and with thousands of variables the first steps would be minute.
/// Inequalities are given 1e-2 of OptimizerOptions::feasibility as slack, so that a start on the constraint
/// does not count as infeasible by a rounding error. A failed evaluation shortens the step of BFGS and L-BFGS,
/// which see a value there that is too high; from others NLopt can not step back, and they end the run, with the
/// best design so far. NLopt's own stopping rules are off, except inside the augmented
/// Lagrangian, which needs them to update its multipliers. A run also ends after 40 evaluations without
/// improvement.
std::unique_ptr<Optimizer> make_nlopt_optimizer(const OptimizerOptions& options);

/// Ipopt 3.11 with exact first derivatives and a limited-memory quasi-Newton Hessian of 20 steps.
///
/// The objective is divided by |f(start)|, and objective and constraints are multiplied by the number of
/// variables, so that gradients are of order one per variable. Ipopt moves a start on its bounds inwards:
/// then iteration 1 is that point; with near_optimum it begins with a weak barrier and hardly moves it. A
/// failed evaluation shortens the step. An objective of one variable, as a duration, that would move it by more than
/// a tenth of its range begins with a larger Hessian beside equalities, and no step is accepted whose violations add
/// up to more than those of the start or 1.5. Bounds are never exceeded. A file ipopt.opt in the current directory is
/// not read. The design change counts as a stopping rule only after (nearly) full steps and once the
/// barrier has become weak: complementarity summed over bounds and constraints below 1e-3 of the scaled
/// objective. Before that a small step tells of a cut or of a central path, not of convergence.
std::unique_ptr<Optimizer> make_ipopt_optimizer(const OptimizerOptions& options);

}  // namespace kurbel
