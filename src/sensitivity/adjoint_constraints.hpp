/// @file
/// Errors of costates in the constraints of the adjoint equations, at three levels.      [P3, eqs 21, 28, Fig. 7]
///
/// The costates xi of continuous_adjoint.hpp, with C xi = F_lambda, are a virtual displacement of the motion. In
/// frames that move along it varies velocities and accelerations by
///
///     delta x = xi,    delta v = xi_dot + [v, xi],    delta v_dot = xi_ddot + [v_dot, xi] + [v, xi_dot]
///
/// so that the constraints of the adjoint and their rates are variations of those of the motion,
///
///     C xi = delta c,    (C xi)_dot = delta c_dot,    (C xi)_ddot = delta c_ddot
#pragma once

#include <array>
#include <functional>

#include "sensitivity/continuous_adjoint.hpp"

namespace kurbel {

/// Costates of one functional, at all instants of a trajectory.
struct Costates {
  MatrixXd xi;        ///< n_v x instants
  MatrixXd F_lambda;  ///< n_c x instants
};

/// xi of explicit_continuous_adjoint().
Costates costates(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                  const Trajectory<double>& trajectory, const Integrand<double>& integrand,
                  const Integrand<double>& final_terms);

struct VirtualMotion {
  VectorXd x, v, v_dot;  ///< delta x, delta v, delta v_dot; n_v
};

/// The virtual motion of costates and their rates.
VirtualMotion virtual_motion(const SecondOrderDae<double>& model, const DaeInstant<double>& at,
                             const VectorXd& xi, const VectorXd& xi_dot, const VectorXd& xi_ddot);

/// delta c, delta c_dot, delta c_ddot.
using ConstraintVariations = std::array<VectorXd, 3>;
ConstraintVariations vary_constraints(const SecondOrderDae<double>& model,
                                      SecondOrderDae<double>::Workspace& ws, const DaeInstant<double>& at,
                                      const VirtualMotion& motion);

/// Largest violations, relative to the largest of xi, xi_dot and xi_ddot; a row per level.
struct AdjointConstraints {
  VectorXd t;
  MatrixXd imposed;         ///< of costates(), xi_dot and xi_ddot by differences of order 4
  MatrixXd differentiated;  ///< of twice_differentiated_adjoint(); empty where there is none
};

/// The evaluated instants: every second one at most, with the last one, and no more than 500.
std::vector<Eigen::Index> instants_looked_at(Eigen::Index n_instants);

/// AdjointConstraints::imposed, at instants_looked_at().
/// @param trajectory  of five instants at least
/// @param vary        vary_constraints(), of what xi has to meet
/// @param place       where the constraints of the model stand in what it returns
MatrixXd imposed_constraints(
    const SecondOrderDae<double>& model, const DaeStateLayout& layout, const Trajectory<double>& trajectory,
    const Costates& costates,
    const std::function<ConstraintVariations(const DaeInstant<double>&, const VirtualMotion&)>& vary,
    const std::vector<Eigen::Index>& place);

/// Costates and the largest violations of their constraints, at instants_looked_at().
struct TwiceDifferentiatedAdjoint {
  MatrixXd xi;          ///< a row per velocity
  MatrixXd violations;  ///< a row per level
};

/// The same of the global adjoint with its constraints differentiated twice: with M constant, g = gamma_dot and
/// nu = mu - c_dot_x^T gamma,                                                             [P3, eqs 20-22]
///
///     M xi_dot + C^T g = -nu + f_v^T xi - F_v,       nu_dot = ad_v^T nu + f_x^T xi - F_x - c_dot_x^T g
///     M xi_ddot + C^T g_dot = d/dt(-nu + f_v^T xi - F_v) - C_dot^T g
///     C xi_ddot = -2 C_dot xi_dot - C_ddot xi
///
/// backwards from where all levels are met by the Runge-Kutta method of order 4, over two steps of the trajectory at
/// a time, the rates of f_v and F_v by differences of order 4. So C xi and its rate drift.
/// @return  empty for integrands of accelerations or reactions
TwiceDifferentiatedAdjoint twice_differentiated_adjoint(const SecondOrderDae<double>& model,
                                                        const DaeStateLayout& layout,
                                                        const Trajectory<double>& trajectory,
                                                        const Integrand<double>& integrand,
                                                        const Integrand<double>& final_terms);

/// Rates of the columns of a time history with equal steps, by differences of order 4.
/// @param time_history  of five columns at least
MatrixXd rates_by_differences(const MatrixXd& time_history, double h);

/// The weights of the five columns around column k, of which the first is `first`.
struct DifferenceStencil {
  DifferenceStencil(Eigen::Index k, Eigen::Index n);
  Eigen::Index first;
  std::array<double, 5> weights;  ///< divided by h, those of a rate
};

}  // namespace kurbel
