/// @file
/// One objective of several manoeuvres.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// Combination of the psi_c of cases with weights w_c.
struct OverCases {
  enum class Functional {
    sum,                        ///< sum_c w_c psi_c
    p_norm,                     ///< (sum_c w_c |psi_c|^p)^(1/p), towards max |psi_c| as p grows
    kreisselmeier_steinhauser,  ///< ln(sum_c w_c exp(k psi_c)) / k, towards max psi_c as k grows
  };
  Functional functional = Functional::sum;
  double exponent = 8.0;  ///< p, or k in one over the unit of psi

  /// @param slopes  d psi / d psi_c, if requested
  double value(const VectorXd& weights, const VectorXd& psi, VectorXd* slopes = nullptr) const;
};

}  // namespace kurbel
