/// @file
/// Shares of parts in the kinetic energy of a mode. Without damping the mean kinetic energy of the motion Re(x exp(s t)) over a
/// period is, but for a factor that all coordinates have, x^H M x; modes with damping take the same formula. It is the sum over coordinates i of Re(conj(x_i) (M x)_i). The share of a part is
///
///     sum_{i of the part} Re(conj(x_i) (M x)_i) / x^H M x
///
/// Shares have the sum 1. Where M does not couple parts, a share is the energy of the part itself and lies in [0, 1]. In joint
/// coordinates it is what the joint's coordinate adds, which may be negative.
#pragma once

#include <string>
#include <vector>

#include "analysis/linearized_mechanism.hpp"

namespace kurbel {

struct KineticShare {
  std::string part;  ///< "body crank", "joint shoulder"; in natural coordinates the name alone
  double share;
};

/// Shares of all parts, in the order of their coordinates; all zero for a shape that moves no mass.
std::vector<KineticShare> kinetic_shares(const LinearizedMechanism& mechanism, const VectorXcd& shape);

/// The largest ones in words, those of a tenth and more: "body crank 80 %, body rod 20 %".
std::string text_of_shares(std::vector<KineticShare> shares);

}  // namespace kurbel
