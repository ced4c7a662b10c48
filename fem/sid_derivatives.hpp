/// @file
/// Derivatives of every SID coefficient by design variables: dM0, dM1, dMn of the augmented form
/// [P0, section 3]. They belong to the coefficients as written: mass-normalised modes with a fixed sign rule.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "sid/sid_coefficients.hpp"

namespace kurbel::fem {

class ReducedNumbers;

/// A design variable of an export: the common change of the densities of some elements.
struct DesignVariable {
  std::string name;
  std::vector<Eigen::Index> elements;
};

/// All coefficients are linear in a few numbers, those of ReducedNumbers; so are their derivatives. An array
/// is made when it is requested.
class SidDerivatives {
 public:
  SidDerivatives() = default;
  /// @param modal                damping ratios, n_q or none
  /// @param numbers_by_variable  derivatives of the numbers, n_variables x ReducedNumbers::size()
  SidDerivatives(const Sid& sid, const ReducedNumbers& numbers, double alpha, double beta,
                 const VectorXd& modal, MatrixXd numbers_by_variable);

  Eigen::Index n_variables() const { return by_variable_.rows(); }
  const std::vector<SidCoefficient>& coefficients() const { return coefficients_; }

  /// d (entries of a coefficient) / d (variables), (coefficient.size() x n_variables).
  /// @param coefficient  one of coefficients()
  RowMatrix derivative(const SidCoefficient& coefficient) const;

  /// Entries of the coefficient that depend on the design at all.
  Eigen::Index n_dependent(const SidCoefficient& coefficient) const;

  /// d psi / d variable = sum over all coefficients of sum(entry_bar * d entry)        [P0, eqs 6, 26-31, 65]
  VectorXd contract(const Sid& sid_bar) const;

  /// Bytes of all arrays together, were they kept at once.
  double bytes_of_arrays() const;

  /// The derivatives by other variables, each a sum over those of this one, taken by element.
  SidDerivatives by(const std::vector<DesignVariable>& variables) const;

 private:
  struct Term {
    double factor;
    Eigen::Index number;
  };
  class Collector;
  std::size_t place_of(const SidCoefficient& coefficient) const;

  std::vector<SidCoefficient> coefficients_;
  std::vector<std::vector<std::vector<Term>>> terms_;  // coefficient, entry
  MatrixXd by_variable_;
};

}  // namespace kurbel::fem
