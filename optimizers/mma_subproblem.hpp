/// @file
/// The convex separable subproblem of MMA and GCMMA, and its solution by a primal-dual interior-point method.
///
///     minimize    sum_j [ p_0j / (U_j - x_j) + q_0j / (x_j - L_j) ] + g^T d + d^T B d / 2
///                 + sum_i [ c_i y_i + y_i^2 / 2 ],     d = x - x^k
///     subject to  sum_j [ p_ij / (U_j - x_j) + q_ij / (x_j - L_j) + a_ij x_j ] - y_i <= b_i,     i = 1 .. m
///                 alpha_j <= x_j <= beta_j,   y_i >= 0
///
/// The artificial variables y make every subproblem feasible. The paper's variable z serves min-max problems alone;
/// here its coefficients are zero, so it is zero and does not appear. The linear parts a_ij x_j and the quadratic part of
/// the objective are not in the paper: equalities need the former, steps with the curvature of the Lagrangian the latter.
/// Source: K. Svanberg, "MMA and GCMMA - two methods for nonlinear optimization", KTH Stockholm, 2007, section 5.
#pragma once

#include "optimizers/lagrangian_curvature.hpp"

namespace kurbel {

/// Data of the subproblem. All p and q are non-negative, L < alpha < beta < U.
struct MmaSubproblem {
  VectorXd L, U;         ///< n, asymptotes
  VectorXd alpha, beta;  ///< n, bounds on x
  VectorXd p0, q0;       ///< n, objective
  MatrixXd P, Q;         ///< m x n, constraints
  MatrixXd A{};          ///< m' x n, linear parts of the first m' constraints
  VectorXd b;            ///< m, right-hand sides
  VectorXd c;            ///< m, prices of the artificial variables, > 0
  VectorXd x{}, g{};     ///< n, x^k and the gradient of the quadratic part, where there is one
  const LagrangianCurvature* B = nullptr;

  Eigen::Index n() const { return L.size(); }
  Eigen::Index m() const { return b.size(); }
};

struct MmaSolution {
  VectorXd x;       ///< n
  VectorXd y;       ///< m, by how much the approximated constraints cannot be met
  VectorXd lambda;  ///< m, multipliers of the constraints
};

/// Solves the subproblem to a residual of 1e-7 in its optimality conditions. The barrier parameter falls from 1 by a
/// factor of ten. Every Newton step eliminates x and y and solves a system of m equations, so its cost is
/// proportional to n m^2, and to n (m + k) k with k columns of B.
MmaSolution solve(const MmaSubproblem& subproblem);

}  // namespace kurbel
