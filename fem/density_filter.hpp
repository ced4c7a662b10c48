/// @file
/// The density filter of any mesh.
#pragma once

#include <array>
#include <vector>

#include "fem/design_map.hpp"

namespace kurbel::fem {

/// Means over a neighbourhood, with weights of a cone over the centres of elements:
///
///     out_e = (1 / s_e) sum_f w_ef V_f in_f,    w_ef = max(0, radius - |x_e - x_f|),    s_e = sum_f w_ef V_f.
///
/// A radius below the distance of neighbours gives the identity. The weights are found anew at each call, from the
/// centres sorted into cells: a radius of many elements would make their matrix larger than anything else but the factor
/// of the stiffness.
class DensityFilter : public DesignMap {
 public:
  /// @param radius  m
  /// @throws InputError if the radius is negative or not finite
  DensityFilter(const Mesh& mesh, double radius);
  VectorXd value(const VectorXd& in) const override;
  VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  using Index = Eigen::Index;
  using Cell = std::array<Index, 3>;

  /// Cells along x, from one offset to the opposite one, that have neighbours of elements of a cell.
  struct Row {
    Index dy, dz, reach;
  };

  void choose_cells(const Mesh::Points& centres);
  void sort_into_cells(const Mesh::Points& centres);
  void find_rows();
  Index number_of(const Cell& cell) const { return cell[0] + cells_[0] * (cell[1] + cells_[1] * cell[2]); }
  /// sum_f w_ef in_f.
  VectorXd weighted_sums(const VectorXd& in) const;

  double radius_;
  bool is_identity_;
  VectorXd volumes_, sums_;         // relative to the first element's; s_e
  double cell_size_ = 0.0;          // m
  Cell cells_{};                    // along the axes
  std::vector<Index> cell_begin_;   // of each cell among the sorted elements
  std::vector<Index> elements_;     // sorted by cell
  Eigen::ArrayXXd sorted_centres_;  // n_elements x 3, in this order
  std::vector<Row> rows_;
};

}  // namespace kurbel::fem
