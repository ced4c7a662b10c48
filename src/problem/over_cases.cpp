#include "problem/over_cases.hpp"

#include <cmath>

namespace kurbel {

double OverCases::value(const VectorXd& weights, const VectorXd& psi, VectorXd* slopes) const {
  const Eigen::ArrayXd w = weights.array(), f = psi.array();
  switch (functional) {
    case Functional::p_norm: {
      const double largest = f.abs().maxCoeff();
      if (largest == 0.0) {
        if (slopes) slopes->setZero(f.size());
        return 0.0;
      }
      const double norm = largest * std::pow((w * (f.abs() / largest).pow(exponent)).sum(), 1.0 / exponent);
      if (slopes) *slopes = w * f.sign() * (f.abs() / norm).pow(exponent - 1.0);
      return norm;
    }
    case Functional::kreisselmeier_steinhauser: {
      const double top = f.maxCoeff();
      const double ks = top + std::log((w * (exponent * (f - top)).exp()).sum()) / exponent;
      if (slopes) *slopes = w * (exponent * (f - ks)).exp();
      return ks;
    }
    case Functional::sum:
      break;
  }
  if (slopes) *slopes = weights;
  return weights.dot(psi);
}

}  // namespace kurbel
