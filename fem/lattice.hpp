/// @file
/// Rows and columns for the densities of any mesh.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fem/manufacturing_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Boxes of one size along the axes. In 2D there is one layer across the plane.
struct BoxGrid {
  Vector3d origin = Vector3d::Zero();  ///< lowest corner, m
  Vector3d cell = Vector3d::Ones();    ///< edge lengths of a box, m
  std::array<Eigen::Index, 3> counts = {1, 1, 1};

  Vector3d centre(const std::array<Eigen::Index, 3>& at) const {
    return origin +
           cell.cwiseProduct(Vector3d(static_cast<double>(at[0]) + 0.5, static_cast<double>(at[1]) + 0.5,
                                      static_cast<double>(at[2]) + 0.5));
  }
};

/// The grid whose boxes are the elements of a mesh, which may have gaps; none if its elements are no equal boxes in rows.
std::optional<BoxGrid> grid_of_elements(const Mesh& mesh);

/// The grid of the elements, or else one of boxes about as large as they are on average, which fills the box around the mesh.
BoxGrid grid_over(const Mesh& mesh);

/// A grid with steps of an angle: a box is tan(angle) times as high along the direction as it is wide across. That of the
/// elements, if they are such boxes.
/// @param angle  rad
BoxGrid stepped_grid_over(const Mesh& mesh, const AxisDirection& direction, double angle);

/// The boxes of a grid that lie in the elements of a mesh, its cells, with the densities that go from elements to cells and
/// back:
///
///     c_i = F(centre of cell i),   rho_e = sum_i w_i(x_e) c_i,
///
/// F as in fem/density_field.hpp, w linear along each axis between the centres of cells, of those that exist. Where the cells
/// are the elements both are the identity.
class Lattice {
 public:
  using Place = std::array<Eigen::Index, 3>;
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  /// @param elements  that have cells, ascending
  Lattice(const Mesh& mesh, const BoxGrid& grid, const std::vector<Eigen::Index>& elements);

  const BoxGrid& grid() const { return grid_; }
  Eigen::Index n_cells() const { return to_cells_.rows(); }
  /// Number of the cell at a place of the grid, -1 where none is, also outside of the grid.
  Eigen::Index cell_at(const Place& place) const;
  /// cells x all elements; rows sum to one
  const Sparse& to_cells() const { return to_cells_; }
  /// all elements x cells; rows of elements without cells are empty, others sum to one
  const Sparse& to_elements() const { return to_elements_; }

  /// Rows of cells along a direction, each with its first one first.
  std::vector<std::vector<Eigen::Index>> columns(const AxisDirection& direction) const;
  /// Layers of places across a direction, the first one first.
  std::vector<std::vector<Place>> layers(const AxisDirection& direction) const;
  /// Returns the centre of a cell, m.
  Vector3d centre(Eigen::Index cell) const { return grid_.centre(places_[static_cast<std::size_t>(cell)]); }

 private:
  Place place_of(const Vector3d& x) const;
  std::size_t index(const Place& place) const {
    return static_cast<std::size_t>(place[0] + grid_.counts[0] * (place[1] + grid_.counts[1] * place[2]));
  }
  std::vector<std::pair<Eigen::Index, double>> cells_around(const Vector3d& x) const;
  void find_cells(const Mesh& mesh, const std::vector<Eigen::Index>& elements);
  void interpolate(const Mesh& mesh, const std::vector<Eigen::Index>& elements);

  BoxGrid grid_;
  std::vector<Eigen::Index> cells_;  ///< of the boxes of the grid, -1 where none is
  std::vector<Place> places_;        ///< of the cells
  Sparse to_cells_, to_elements_;
};

}  // namespace kurbel::fem
