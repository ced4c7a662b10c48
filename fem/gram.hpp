/// @file
/// Every body integral of the SID is an entry of one Gram matrix (docs/theory.md; [P0, Table 1]):
///
///     W = [1 | X Y Z | Phi_x | Phi_y | Phi_z],   G = W^T m W
///
/// with the scalar consistent mass m over the nodes and one column of W per field: Phi_d holds direction d of
/// the n_q mode shapes. G is (4 + 3 n_q) square. The map G -> SID is linear; it stands once in the source and
/// serves both directions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "fem/stress.hpp"
#include "sid/sid.hpp"

namespace kurbel::fem {

/// Column indices of the fields in W and G.
struct GramIndex {
  Eigen::Index n_q = 0;
  static constexpr Eigen::Index one() { return 0; }
  static constexpr Eigen::Index position(int d) { return 1 + d; }
  Eigen::Index shape(int d, Eigen::Index k) const { return 4 + d * n_q + k; }
  Eigen::Index size() const { return 4 + 3 * n_q; }
};

/// A marker as the reduction sees it; its displacement and rotation shapes are linear in the basis.
struct MarkerShapes {
  std::string name;
  Vector3d R = Vector3d::Zero();  ///< m
  MatrixXd Phi;                   ///< 3 x n_q
  MatrixXd Psi;                   ///< 3 x n_q
};

/// The SID of a body. With r = X + Phi q the coefficients satisfy
///
///     mdCM = int rho r,               J = int rho r~ r~^T,
///     Ct^T = int rho Phi,             Cr^T = int rho r~ Phi,            Me = int rho Phi^T Phi,
///     Gr_k = 2 int rho r~ Phi_k~^T,   Ge_l = 2 int rho Phi^T Phi_l~^T,
///     Oe [w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3]^T = int rho Phi^T w~ w~ r,
///
/// De = alpha Me + beta Ke, ksigma = 0. Oe is centrifugal and enters f_e with +. Second-order coefficients of
/// J are symmetric in (k, l).
/// @param G      (4 + 3 n_q) square, symmetric; kg, kg m, kg m^2 by entry
/// @param Ke     n_q x n_q, Phi^T K Phi
/// @param alpha  1/s, beta: s
/// @param names  n_q, of the elastic coordinates
Sid sid_from_gram(const MatrixXd& G, const MatrixXd& Ke, double alpha, double beta,
                  const std::vector<MarkerShapes>& markers, const std::vector<std::string>& names);

/// Moments of a displacement q^T Gamma q / 2, one matrix per l, 4 x 3 n_q: int rho x_c Gamma_kl,d dV in entry
/// (c, d n_q + k), x_c = 1, X, Y, Z; symmetric in (k, l). Empty: there is no such displacement.
using SecondOrderMoments = std::vector<MatrixXd>;

/// phi.M1 of one marker: matrix l, 3 x n_q, holds Gamma_kl at the marker in column k. Empty: there is none.
using SecondOrderShapes = std::vector<MatrixXd>;

/// Adds what a second-order displacement brings to Ct, Cr, Gr, Oe (M1) and J (Mn): these are the same entries
/// as of first-order shapes, with Gamma_kl in place of Phi_k.
void add_second_order_displacement(const SecondOrderMoments& moments, Sid& sid);

/// The map from G to the coefficients as sums, entry = sum factor * G(i, j): one call per term.
/// @param sid    shapes as of the body; the value that stands in an entry names the entry in the calls
/// @param visit  (value that stands in the entry, factor, i, j)
void for_each_gram_term(const Sid& sid,
                        const std::function<void(double, double, Eigen::Index, Eigen::Index)>& visit);

/// Sensitivities of the inputs of sid_from_gram, every entry taken as independent of every other: a symmetric
/// perturbation dG changes psi by sum(G .* dG).
struct GramBar {
  MatrixXd G;                                    ///< (4 + 3 n_q) square, not symmetric in general
  MatrixXd Ke;                                   ///< n_q x n_q, De included
  std::vector<MatrixXd> marker_Phi, marker_Psi;  ///< 3 x n_q each, in the order of Sid::frame
  std::vector<Vector3d> marker_R;
  SecondOrderMoments second_order;                     ///< empty if sid_bar has no Ct.M1
  std::vector<SecondOrderShapes> marker_second_order;  ///< in the order of Sid::frame
};

/// Transpose of sid_from_gram. Coefficients of higher order that sid_bar leaves out count as zero.
/// The bars of origin.M1 add to those of phi, the bars of AP.M1 to those of psi.
GramBar gram_from_sid_bar(const Sid& sid_bar, double alpha, double beta);

/// U^T U_bar: its largest entry relative to the terms that cancel in it, and these terms, in the unit of psi.
struct Invariance {
  double defect = 0.0, terms = 0.0;
};

/// The quantities whose sensitivity is a GramBar.
struct GramModel {
  const MatrixXd& G;
  MatrixXd Ke;
  const std::vector<MarkerShapes>& markers;
  const SecondOrderMoments& second_order;                     ///< empty where the bar has none
  const std::vector<SecondOrderShapes>& marker_second_order;  ///< the same
};

/// For a psi that depends on the span of the basis alone the defect is rounding error: an exact test of the
/// whole mechanics and of its adjoint.
/// @param stress  of a psi that sees stresses besides
Invariance invariance_of(const GramModel& model, const GramBar& bar,
                         const std::vector<StressBar>& stress = {});

}  // namespace kurbel::fem
