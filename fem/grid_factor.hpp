/// @file
/// The Cholesky factor of the stiffness of a grid of elements, by nested dissection of its nodes, for the coarsest grid of a
/// multigrid cycle.
///
/// Planes of nodes divide the box again and again. A front has the nodes that it eliminates, 1, and the border of the part
/// of the grid below it, 2. From its matrix A, the sum of its elements and of what its children leave,
///
///     A_11 = L L^T,    F_1 = L^-1,    F_2 = A_21 A_11^-1,    A_22 - F_2 A_12: what it leaves to its parent.
///
/// A solution multiplies by F on the way up and by its transpose on the way down, y_1 = F_1 b_1, b_2 - F_2 b_1;
/// x_1 = F_1^T y_1 - F_2^T x_2: products alone, of one matrix with all fields. Fronts are computed in double precision and
/// F is kept in single: since both ways take the same F, the solution is by a symmetric positive definite operator. Its
/// relative error for a field u is about eps sqrt(trace(K) u^T u / u^T K u). A factor of K rounded to single precision would
/// have eps trace(K) u^T u / u^T K u.
#pragma once

#include <array>
#include <vector>

#include "fem/grid_level.hpp"

namespace kurbel::fem {

template <int dim>
class GridFactor {
 public:
  static constexpr int W = 8;
  using Level = GridLevel<dim>;
  using Lane = typename Level::template Lanes<float, W>;
  using Fields = typename Level::template Fields<float, W>;

  /// @param grid  must outlive the factor
  explicit GridFactor(const Level& grid);

  /// @param matrices  of the elements, a column of dofs x dofs each: symmetric, both triangles
  /// @return false if a pivot is not positive or has lost all its digits against the diagonal entry that it started from
  bool factorize(const MatrixXd& matrices);

  /// x = K^-1 b at free nodes; what x has at others is left.
  void solve(const Fields& b, Fields& x);

  /// Memory of the factor, bytes.
  double memory() const;

 private:
  using Index = Eigen::Index;
  using Box = std::array<std::array<int, 2>, 3>;  // first and last node along every axis
  static constexpr int corners = Level::corners, dofs = Level::dofs;
  static constexpr Index tile = 12;  // rows of F side by side: their sums have a register each

  struct Front {
    std::vector<Index> nodes{};        ///< eliminated ones, then the border
    Index n_pivots = 0;                ///< of them
    std::vector<Index> in_parent{};    ///< place of each node of the border among the nodes of the parent
    std::vector<std::size_t> below{};  ///< children
    /// Elements with the places of their nodes, or -1.
    std::vector<std::pair<Index, std::array<Index, corners>>> elements{};
    std::vector<float> F{};    ///< tiles of rows, column by column; no columns above the diagonal
    std::vector<Lane> left{};  ///< of a solution, for the parent: by degree of freedom of the border
  };

  static void place_in_parent(const Front& parent, std::vector<Index>& border, Front& front);
  std::size_t add_front(const Box& box, int depth, const Front* parent, std::vector<std::size_t>& order);
  std::vector<Index> free_nodes(const Box& box, const Box& without) const;
  void distribute_elements();
  template <class Act>
  void upwards(const Act& act) const;
  template <class Act>
  void downwards(const Act& act) const;
  MatrixXd assembled(const Front& front, const MatrixXd& matrices, std::vector<MatrixXd>& left) const;
  bool eliminate(Front& front, MatrixXd& A, const VectorXd& diagonal) const;
  void go_up(Front& front, const Fields& b, Fields& x) const;
  void go_down(const Front& front, Fields& x) const;
  void keep(Front& front, const MatrixXd& F_1, const MatrixXd& F_2) const;

  const Level& grid_;
  std::vector<Front> fronts_;
  /// Steps upwards; the lists of a step, of fronts one after the other, are independent of each other.
  std::vector<std::vector<std::vector<std::size_t>>> steps_;
};

extern template class GridFactor<2>;
extern template class GridFactor<3>;

}  // namespace kurbel::fem
