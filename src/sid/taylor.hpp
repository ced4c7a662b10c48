/// @file
/// Class `taylor` of the standard input data (Wallrapp 1994; [P0, Table 5]).
#pragma once

#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Coefficients of M(q) = M0 + sum_k M1[k] q_k + sum_kl Mn[k n_q + l] q_k q_l.
///
/// Every coefficient is nrow x ncol. M1 is empty or holds n_q matrices, Mn is empty or holds n_q^2, symmetric
/// in (k, l). The design derivatives of the augmented form are kept apart, in the export that writes them.
struct Taylor {
  enum class Structure { zero = 0, diagonal = 1, symmetric = 2, full = 3, unit = 4 };

  Structure structure = Structure::full;
  MatrixXd M0;
  std::vector<MatrixXd> M1;
  std::vector<MatrixXd> Mn;

  Eigen::Index nrow() const { return M0.rows(); }
  Eigen::Index ncol() const { return M0.cols(); }

  /// 0, 1 or 2: the highest power of q that is stored.
  int order() const { return !Mn.empty() ? 2 : !M1.empty() ? 1 : 0; }

  /// A Taylor object of zeros with the shapes given: `order` as above.
  static Taylor zero(Eigen::Index nrow, Eigen::Index ncol, Eigen::Index n_q = 0, int order = 0);
};

/// True if a coefficient is as its structure says, within rounding: 1e-9 of its largest entry.
bool agrees_with_structure(Taylor::Structure structure, const MatrixXd& coefficient);

/// Takes the first-order terms away where they are all zero.
void drop_vanishing_terms(Taylor& t);

/// Exchanges the last two columns of Oe: programs differ in the order of w2 w3 and w1 w3.
void exchange_last_columns(Taylor& Oe);

}  // namespace kurbel
