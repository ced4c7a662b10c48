/// @file
/// The density filter of a box of equal elements: every element has the same neighbours, whose weights are stored once.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fem/design_map.hpp"

namespace kurbel::fem {

/// Elements along the axes of a mesh that is a box of equal rectangles or hexahedra along the axes, numbered x fastest, then
/// y, then z; in 2D the third is 1. None for other meshes.
std::optional<std::array<int, 3>> box_divisions(const Mesh& mesh);

/// The DensityFilter of such a mesh, with weights w that are the same for all elements:
///
///     out_e = (1 / s_e) sum over neighbours f of w_(f - e) in_f,    s_e = sum over neighbours of w_(f - e).
class BoxDensityFilter : public DesignMap {
 public:
  /// @param divisions  of the mesh, by box_divisions
  /// @param radius     m, positive
  BoxDensityFilter(const Mesh& mesh, const std::array<int, 3>& divisions, double radius);
  VectorXd value(const VectorXd& in) const override { return weighted_sums(in).cwiseQuotient(sums_); }
  VectorXd pullback(const VectorXd&, const VectorXd& out_bar) const override {
    return weighted_sums(out_bar.cwiseQuotient(sums_));
  }

 private:
  struct Neighbour {
    std::array<int, 3> offset;
    double weight;
  };

  VectorXd weighted_sums(const VectorXd& in) const;

  std::array<int, 3> n_;
  std::vector<Neighbour> neighbours_;
  VectorXd sums_;
};

/// Makes the density filter that suits the mesh.
/// @throws InputError if the radius is negative or not finite
std::unique_ptr<DesignMap> make_density_filter(const Mesh& mesh, double radius);

}  // namespace kurbel::fem
