/// @file
/// Designs that are symmetric about planes, on meshes of which the shape alone need be symmetric.
///
///     out_e = 1/m sum_g F(g x_e)
///
/// at the centres x_e of the elements, with the m reflections and rotations g that the planes generate and the densities F
/// between the centres (fem/density_field.hpp), so that out is a symmetric function of the place. On a mesh that is symmetric
/// itself, out is the mean of the elements that lie at each other's images.
#pragma once

#include "fem/body_spec.hpp"
#include "fem/design_map.hpp"

namespace kurbel::fem {

class SymmetricDensities final : public DesignMap {
 public:
  /// @param active  elements that vary, which are symmetric among themselves; the others keep their densities
  /// @throws InputError if planes are not at right angles, or if the active elements are not symmetric about one: if more than
  /// a hundredth of their volume has its image where none of them is
  SymmetricDensities(const Mesh& mesh, const std::vector<SymmetryPlane>& planes,
                     const std::vector<Eigen::Index>& active);

  VectorXd value(const VectorXd& in) const override { return S_ * in; }
  VectorXd pullback(const VectorXd&, const VectorXd& out_bar) const override {
    return S_.transpose() * out_bar;
  }

 private:
  Eigen::SparseMatrix<double, Eigen::RowMajor> S_;
};

}  // namespace kurbel::fem
