/// The coarsest grid of a multigrid cycle: its stiffness in double precision.
#include "fem/grid_interpolation.hpp"
#include "fem/multigrid.hpp"

namespace kurbel::fem {

using Eigen::Index;

/// How an element of the finest grid lies in one of the coarsest.
template <int dim>
struct Multigrid<dim>::Coarsest {
  Index element;
  Eigen::Matrix<double, corners, corners> weights = Eigen::Matrix<double, corners, corners>::Identity();
};

/// The element of the next coarser grid that has an element, and its place there.
template <int dim>
auto Multigrid<dim>::parent(std::size_t level, Index e) const -> std::pair<Index, std::array<int, 3>> {
  const std::array<int, 3>&n = levels_[level]->grid.divisions(), &f = levels_[level]->factor;
  const std::array<int, 3>& m = levels_[level + 1]->grid.divisions();
  const Index i = e % n[0], j = e / n[0] % n[1], k = e / n[0] / n[1];
  return {i / f[0] + m[0] * (j / f[1] + m[1] * (k / f[2])),
          {static_cast<int>(i % f[0]), static_cast<int>(j % f[1]), static_cast<int>(k % f[2])}};
}

/// The product of the interpolations from grid to grid.
template <int dim>
auto Multigrid<dim>::coarsest_above(Index element) const -> Coarsest {
  Coarsest found{element};
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const auto [above, place] = parent(l, found.element);
    found.weights *= child_weights(*levels_[l], found.element, place).template cast<double>();
    found.element = above;
  }
  return found;
}

/// True if all nodes of an element are free, and those of the elements that it lies in.
template <int dim>
bool Multigrid<dim>::is_free_on_all_grids(Index element) const {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    if (!levels_[l]->grid.has_free_nodes_only(element)) return false;
    element = parent(l, element).first;
  }
  return true;
}

/// Matrices of the coarsest grid's elements, a column each: sums of P^T K P over what lies within.
template <int dim>
MatrixXd Multigrid<dim>::coarsest_matrices(const std::vector<double>& E, const MatrixXd& k) const {
  using ElementMatrix = Eigen::Matrix<double, dofs, dofs>;
  const Level &finest = levels_.front()->grid, &coarsest = levels_.back()->grid;
  const std::array<int, 3>&n = finest.divisions(), &m = coarsest.divisions();
  const std::array<int, 3> f{n[0] / m[0], n[1] / m[1], n[2] / m[2]};
  const auto n_children = static_cast<std::size_t>(f[0]) * f[1] * f[2];
  const ElementMatrix k_unit = k;
  // Children with free nodes alone, at the same place of their coarse elements, differ by their modulus alone.
  std::vector<ElementMatrix> of_free(n_children);
  parallel_for(static_cast<Index>(n_children), 16, [&](Index begin, Index end) {
    for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c)
      of_free[c] = interpolated<dim, ElementMatrix>(k_unit, fem::child_weights<dim, double>(f, within(f, c)));
  });
  MatrixXd matrices = MatrixXd::Zero(dofs * dofs, coarsest.n_elements());
  parallel_for(coarsest.n_elements(), 1, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) {
      const std::array<Index, 3> place{e % m[0], e / m[0] % m[1], e / m[0] / m[1]};
      Eigen::Map<ElementMatrix> sum(matrices.col(e).data());
      for (std::size_t c = 0; c < n_children; ++c) {
        const std::array<int, 3> at = within(f, c);
        const Index child =
            place[0] * f[0] + at[0] + n[0] * (place[1] * f[1] + at[1] + n[1] * (place[2] * f[2] + at[2]));
        const double modulus = E[static_cast<std::size_t>(child)];
        if (modulus == 0.0) continue;
        if (is_free_on_all_grids(child))
          sum += modulus * of_free[c];
        else
          sum += modulus * interpolated<dim, ElementMatrix>(k_unit, coarsest_above(child).weights);
      }
    }
  });
  for (const GridSpring& spring : springs_) add_spring(spring, matrices);
  return matrices;
}

/// Adds a spring to one element of the coarsest grid that has its node.
template <int dim>
void Multigrid<dim>::add_spring(const GridSpring& spring, MatrixXd& matrices) const {
  const Level& finest = levels_.front()->grid;
  const std::array<int, 3>& n = finest.divisions();
  std::array<int, 3> place = finest.place(spring.node);
  for (std::size_t d = 0; d < 3; ++d) place[d] = std::min(place[d], n[d] - 1);
  const Index element =
      place[0] + static_cast<Index>(n[0]) * (place[1] + static_cast<Index>(n[1]) * place[2]);
  int corner = 0;
  while (finest.first_node(element) + finest.offset(corner) != spring.node) ++corner;
  const Coarsest above = coarsest_above(element);
  Eigen::Map<Eigen::Matrix<double, dofs, dofs>> sum(matrices.col(above.element).data());
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b)
      sum(dim * a + spring.direction, dim * b + spring.direction) +=
          spring.stiffness * above.weights(corner, a) * above.weights(corner, b);
  }
}

#define KURBEL_MULTIGRID_COARSEST(dim)                                                                    \
  template std::pair<Index, std::array<int, 3>> Multigrid<dim>::parent(std::size_t, Index) const;         \
  template Multigrid<dim>::Coarsest Multigrid<dim>::coarsest_above(Index) const;                          \
  template bool Multigrid<dim>::is_free_on_all_grids(Index) const;                                        \
  template MatrixXd Multigrid<dim>::coarsest_matrices(const std::vector<double>&, const MatrixXd&) const; \
  template void Multigrid<dim>::add_spring(const GridSpring&, MatrixXd&) const;
KURBEL_MULTIGRID_COARSEST(2)
KURBEL_MULTIGRID_COARSEST(3)
#undef KURBEL_MULTIGRID_COARSEST

}  // namespace kurbel::fem
