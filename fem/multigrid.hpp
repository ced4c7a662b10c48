/// @file
/// A multigrid cycle for the stiffness of a box of equal elements, without any assembled matrix.
///
/// Grids are coarsened by two along every axis that has more than one element. Coarse stiffnesses are Galerkin's,
/// element by element,
///
///     K_c = sum over the children of P^T K P,    P: (multi-)linear interpolation, zero at clamped nodes,
///
/// so that they follow any distribution of the moduli. One cycle smooths by Chebyshev polynomials of D^-1 K, D the
/// blocks of the nodes, before and after, and solves the coarsest grid by a factor (grid_factor.hpp): a symmetric positive
/// definite operator. It works in single precision. Only the stiffness of the coarsest grid and the computation of its
/// factor are in double precision. That stiffness is summed over the elements of the finest grid: rounded to single
/// precision, elements resist rigid motions by more than a slender body resists bending.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fem/grid_factor.hpp"
#include "fem/grid_level.hpp"

namespace kurbel::fem {

/// A spring from a displacement to the ground.
struct GridSpring {
  Eigen::Index node;
  int direction;
  double stiffness;
};

template <int dim>
class Multigrid {
 public:
  static constexpr int W = 8;  ///< fields of one cycle
  using Level = GridLevel<dim>;
  using Fields = typename Level::template Fields<float, W>;

  /// @param divisions  of the box
  /// @param clamped    by node of the box
  /// @param coarsest   elements of the coarsest grid, at most
  Multigrid(const std::array<int, 3>& divisions, const std::vector<bool>& clamped, Eigen::Index coarsest);

  /// The box, widened so that it can be halved; elements and nodes added have no stiffness.
  const Level& finest() const { return levels_.front()->grid; }

  /// Takes the stiffness of a design.
  /// @param E        by element of finest(), relative to a modulus of about the largest
  /// @param k        stiffness of an element with E = 1, dofs x dofs
  /// @param springs  on free nodes
  /// @return false if it is singular
  bool update(const std::vector<double>& E, const MatrixXd& k, std::vector<GridSpring> springs);

  /// answer() = T load(): fields of finest(), zero at nodes that are not free. The load is overwritten.
  void cycle() { cycle(0, load(), levels_.front()->z); }
  Fields& load() { return levels_.front()->r; }
  const Fields& answer() const { return levels_.front()->z; }

  /// Memory of all levels, bytes.
  double memory() const;

 private:
  static constexpr int dofs = Level::dofs, corners = Level::corners;
  using Weights = Eigen::Matrix<float, corners, corners>;
  using Block = Eigen::Matrix<float, dim, dim>;
  using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  struct Grid {
    Level grid;
    std::array<int, 3> factor{1, 1, 1};  ///< its divisions by those of the next coarser one
    std::vector<float> E{};              ///< by element; empty on coarse grids
    /// dofs x dofs of every element. On the finest grid that of one, with E = 1; on a coarsest grid below it none.
    std::vector<float> matrices{};
    std::vector<Block> inverse_diagonal{};  ///< by node
    float largest_eigenvalue = 0.0F;        ///< of D^-1 K
    Fields r{}, z{}, d{};
  };

  static std::pair<float, const float*> matrix(const Grid& level, Eigen::Index e) {
    return level.E.empty() ? std::pair(1.0F, level.matrices.data() + e * dofs * dofs)
                           : std::pair(level.E[static_cast<std::size_t>(e)], level.matrices.data());
  }
  static std::vector<GridNode> coarse_nodes(const Level& fine, const std::array<int, 3>& factor,
                                            const std::array<int, 3>& divisions);
  static Weights child_weights(const Grid& fine, Eigen::Index child, const std::array<int, 3>& within);
  void make_coarse(const Grid& fine, Grid& coarse) const;
  void add_springs(const Grid& fine, Grid& coarse) const;
  bool find_diagonal(Grid& level) const;
  void estimate_eigenvalue(Grid& level) const;
  struct Coarsest;
  std::pair<Eigen::Index, std::array<int, 3>> parent(std::size_t level, Eigen::Index e) const;
  Coarsest coarsest_above(Eigen::Index element) const;
  bool is_free_on_all_grids(Eigen::Index element) const;
  MatrixXd coarsest_matrices(const std::vector<double>& E, const MatrixXd& k) const;
  void add_spring(const GridSpring& spring, MatrixXd& matrices) const;

  void add_product(const Grid& level, float sign, const Fields& x, Fields& y) const;
  void apply_inverse_diagonal(const Grid& level, const Fields& r, Fields& z) const;
  void smooth(Grid& level, Fields& r, Fields& z, bool is_first) const;
  void cycle(std::size_t l, Fields& r, Fields& z);
  void restrict_to(const Grid& fine, const Fields& r, Grid& coarse) const;
  void prolongate(const Grid& coarse, Grid& fine, Fields& z) const;

  std::vector<std::unique_ptr<Grid>> levels_;
  BoxStiffness<dim, float> k_;  // of an element of the finest grid with E = 1
  std::vector<GridSpring> springs_;
  std::unique_ptr<GridFactor<dim>> factor_;
};

extern template class Multigrid<2>;
extern template class Multigrid<3>;

}  // namespace kurbel::fem
