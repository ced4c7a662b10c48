/// @file
/// No member wider than a given width: no place within the body may be surrounded by solid alone [Guest 2009].
#pragma once

#include <memory>

#include "fem/design_map.hpp"

namespace kurbel::fem {

/// How much of the body is too far within a solid. With the cone weights w of radius R around the centre of element e
///
///     void_e = o_e + (1 - o_e) sum_f w_f (1 - rho_f)^2 / sum_f w_f,     v_e = max(0, 1 - void_e / 0.05),
///     excess = sqrt(sum_e V_e v_e^2 / sum_e V_e + delta^2) - delta,     delta = 0.01,
///
/// where o_e is what the weights have beyond the surface of the mesh, taken for a plane at the distance of its nearest place. A straight bar
/// of the given width has void_e = 0.05 along its axis, which determines R. Grey material counts as solid rather than as void, so that the bound
/// acts before the design is black and white. Along an axis along which the mesh is thinner than the width, as a plate is, its surface does
/// not count. Places at most R away from elements of regions that are not void do not count either: what is stated may be wide.
class LargestMembers {
 public:
  /// The largest excess that counts as none: 0.35 % of the volume surrounded by solid alone.
  static constexpr double most_excess = 0.05;

  /// @param width  m, positive
  LargestMembers(const Mesh& mesh, const std::vector<Region>& regions, double width);

  /// @param density  n_elements
  double excess(const VectorXd& density) const;
  /// d excess / d density.
  VectorXd gradient(const VectorXd& density) const;
  /// True if the place of an element counts.
  bool counts(Eigen::Index element) const { return share_[element] > 0.0; }

 private:
  /// v_e, n_elements.
  VectorXd too_solid(const VectorXd& density) const;
  double size_of(const VectorXd& v) const;

  std::unique_ptr<DesignMap> weights_;
  VectorXd outside_;  ///< o_e
  VectorXd share_;    ///< V_e / sum V, zero where a place does not count
};

}  // namespace kurbel::fem
