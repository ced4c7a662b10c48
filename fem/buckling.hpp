/// @file
/// Linear buckling of a body that is held, under displacements u of a load that grows by the factor mu:
///
///     (K + mu K_G(u)) phi = 0,     phi^T K phi = 1,
///     phi^T K_G phi = sum_e E_G,e int sigma_e(u) : (grad phi)^T grad phi dV,   sigma_e(u) the stress for E = 1
///
/// (docs/theory_static.md). It is solved for kappa = 1 / mu, the greatest of which belong to the lowest loads:
/// -K_G phi = kappa K phi. K is definite, K_G need not be.
#pragma once

#include <Eigen/SparseCore>

#include "base/errors.hpp"
#include "fem/modes.hpp"
#include "fem/stress.hpp"

namespace kurbel::fem {

/// K_G, whose entries between two nodes are the same number along all axes.
class GeometricStiffness {
 public:
  /// @param E_G  n_elements, Pa, by which the stresses of elements count
  /// @param u    n_free_dofs, m
  GeometricStiffness(const StressedBody& body, const VectorXd& E_G, const VectorXd& u);
  /// y = K_G x on the free degrees of freedom. x, y: n_free_dofs x any.
  void multiply(const Eigen::Ref<const MatrixXd>& x, Eigen::Ref<MatrixXd> y) const;

 private:
  int dim_;
  Eigen::SparseMatrix<double> of_nodes_;  ///< n_free x n_free, N/m
};

struct BucklingModes {
  VectorXd kappa;           ///< 1 / mu, descending
  MatrixXd Phi;             ///< n_free_dofs x n, Phi^T K Phi = E
  double kappa_next = 0.0;  ///< the greatest one below
};

/// Finds the modes of the n greatest kappa: of a small body by full matrices, of others by Lanczos in the inner product of K,
/// copies of multiple ones by further sequences in the complement.
/// Fails when the iteration does not converge, or when there are no n positive kappa: pure tension does not buckle.
Status find_buckling_modes(const HeldPencil& body, const GeometricStiffness& K_G, int n, BucklingModes& out);

/// Derivatives of sum_i weights_i phi_i^T K_G phi_i at fixed phi.
struct GeometricStiffnessBar {
  VectorXd E_G;  ///< n_elements
  VectorXd u;    ///< n_free_dofs
};
GeometricStiffnessBar pull_back_geometric_stiffness(const StressedBody& body, const VectorXd& E_G,
                                                    const VectorXd& u, const MatrixXd& Phi,
                                                    const VectorXd& weights);

}  // namespace kurbel::fem
