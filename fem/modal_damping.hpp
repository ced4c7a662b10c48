/// @file
/// Damping ratios of the reduced model's eigenmodes, as a function of the pencil (Me, Ke) of its span.
///
/// With y_k the eigenvectors of the pencil, Y^T Me Y = E,
///
///     De = sum_k 2 zeta_k omega_k (Me y_k) (Me y_k)^T,
///
/// for one ratio De = 2 zeta Me^1/2 (Me^-1/2 Ke Me^-1/2)^1/2 Me^1/2. For any S it turns into S^T De S when Me
/// and Ke do: the choice of coordinates in the span does not matter, so that Phi^T Phi_bar = 0 stays true. At
/// Me = E, Ke = diag(lambda), with f_k = 2 zeta_k omega_k, its derivative (Daleckii and Krein) is
///
///     dDe_ij = (f_j - f_i) / (lambda_j - lambda_i) dKe_ij
///            + (f_i lambda_j - f_j lambda_i) / (lambda_j - lambda_i) dMe_ij,
///
/// where equal ratios give 2 zeta (dKe_ij + omega_i omega_j dMe_ij) / (omega_i + omega_j), also for equal
/// eigenvalues. With different ratios there is no derivative at equal eigenvalues.
#pragma once

#include <vector>

#include "base/errors.hpp"
#include "sid/sid.hpp"

namespace kurbel::fem {

/// One ratio per coordinate.
/// @param given  none, one for all, or n_q
VectorXd damping_ratios(const std::vector<double>& given, Eigen::Index n_q);

/// De += diag(2 zeta_k sqrt(lambda_k)) of a body with Me = E, Ke = diag(lambda).
/// Fails where coordinates of different ratios have the same eigenvalue (relative 1e-6).
/// @param ratios  n_q, or none
Status add_modal_damping(const VectorXd& ratios, const VectorXd& lambda, Sid& sid);

/// Adds to the bars of Me and Ke what that of De contributes through the ratios.
void pull_back_modal_damping(const VectorXd& ratios, const VectorXd& lambda, Sid& sid_bar);

}  // namespace kurbel::fem
