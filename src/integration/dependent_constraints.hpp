/// @file
/// Constraints that say what others say already.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

/// Rows of a Jacobian that are linear combinations of others.
struct DependentRows {
  std::vector<Eigen::Index> rows;    ///< as many as must go for full rank
  std::vector<Eigen::Index> others;  ///< those that they are combinations of
  bool contradictory = false;        ///< not all can be met at once, to first order
};

/// True if rows of about unit length clearly do not depend on each other: the Cholesky factor of their
/// products shows it at a fraction of what a factorization that reveals ranks costs.
bool are_independent(const MatrixXd& rows);

/// @param C     (n_c x n_v)  Jacobian of the constraints, rows and columns scaled so that units do not matter
/// @param c     (n_c)        their values, scaled as the rows
/// @param size  (n_c)        values that count as large, alike
/// @return      nothing if C has full rank, relative to its largest pivot
std::optional<DependentRows> find_dependent_rows(const MatrixXd& C, const VectorXd& c, const VectorXd& size);

/// "redundant constraint: A is already determined by B, C; lock fewer degrees of freedom there"
/// @param name_of  of a row
std::string describe(const DependentRows& found, const std::function<std::string(Eigen::Index)>& name_of);

/// An InputError that knows the constraints which it is about.
class DependentConstraints : public InputError {
 public:
  DependentConstraints(const std::string& message, DependentRows rows)
      : InputError(message), rows_(std::move(rows)) {}
  const DependentRows& rows() const { return rows_; }

 private:
  DependentRows rows_;
};

}  // namespace kurbel
