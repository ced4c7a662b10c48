/// @file
/// The factor of a grid against a dense one.
#include "fem/grid_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "base/parallel.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

/// A grid whose first layer is clamped and whose last node is absent, with a modulus of its own for every element.
template <int dim>
struct Body {
  GridLevel<dim> grid;
  MatrixXd matrices;

  Body(const FlexibleBodySpec& spec, bool is_clamped)
      : grid(spec.mesh.divisions, nodes(spec.mesh.divisions, is_clamped)) {
    const Mesh mesh(spec.mesh);
    const MatrixXd k = box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0)).stiffness;
    const VectorXd E = random_densities(mesh.n_elements(), 0.1, 3).array().pow(6.0);  // from 1e-6 to 1
    matrices = k.reshaped() * E.transpose();
  }

  static std::vector<GridNode> nodes(const std::array<int, 3>& n, bool is_clamped) {
    std::vector<GridNode> nodes(static_cast<std::size_t>((n[0] + 1) * (n[1] + 1) * (dim == 3 ? n[2] + 1 : 1)),
                                GridNode::free);
    for (std::size_t i = 0; is_clamped && i < nodes.size(); i += static_cast<std::size_t>(n[0] + 1))
      nodes[i] = GridNode::clamped;
    nodes.back() = GridNode::absent;
    return nodes;
  }

  MatrixXd assembled() const {
    constexpr int dofs = GridLevel<dim>::dofs;
    MatrixXd K = MatrixXd::Zero(dim * grid.n_nodes(), dim * grid.n_nodes());
    for (Index e = 0; e < grid.n_elements(); ++e) {
      for (int i = 0; i < dofs; ++i) {
        for (int j = 0; j < dofs; ++j)
          K(dim * (grid.first_node(e) + grid.offset(i / dim)) + i % dim,
            dim * (grid.first_node(e) + grid.offset(j / dim)) + j % dim) += matrices(i + dofs * j, e);
      }
    }
    for (Index i = 0; i < K.rows(); ++i) {
      if (grid.is_free(i / dim)) continue;
      K.row(i).setZero(), K.col(i).setZero();
      K(i, i) = 1.0;
    }
    return K;
  }
};

using Values = Eigen::Matrix<float, Eigen::Dynamic, 8, Eigen::RowMajor>;

template <int dim>
Values solution(const Body<dim>& body, const Values& b) {
  GridFactor<dim> factor(body.grid);
  EXPECT_TRUE(factor.factorize(body.matrices));
  typename GridFactor<dim>::Fields fields(static_cast<std::size_t>(b.rows())), x(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = b.row(static_cast<Index>(i)).transpose();
    x[i].setZero();
  }
  factor.solve(fields, x);
  Values result(b.rows(), 8);
  for (std::size_t i = 0; i < fields.size(); ++i) result.row(static_cast<Index>(i)) = x[i];
  return result;
}

/// Errors are measured in the energy of the solution, for soft parts move by much where loads are small.
template <int dim>
void expect_solutions(const FlexibleBodySpec& spec) {
  const Body<dim> body(spec, true);
  const Index n = dim * body.grid.n_nodes();
  Values b = random_matrix(n, 8, 5).cast<float>();
  for (Index i = 0; i < n; ++i)
    if (!body.grid.is_free(i / dim)) b.row(i).setZero();
  const MatrixXd K = body.assembled(), exact = K.llt().solve(b.cast<double>());
  const MatrixXd error = solution(body, b).template cast<double>() - exact;
  const VectorXd of_error = (error.transpose() * K * error).diagonal(),
                 energy = (exact.transpose() * K * exact).diagonal();
  for (Index c = 0; c < 8; ++c)
    EXPECT_LT(std::sqrt(of_error[c] / energy[c]), 1e-4);  // 1e-5 by rounding to float
}

TEST(GridFactor, SolvesAsADenseFactorDoes) {
  expect_solutions<3>(bar({13, 6, 4}, {0.2, 0.06, 0.05}, 1, false));
  expect_solutions<3>(bar({2, 3, 9}, {0.02, 0.03, 0.08}, 1, false));
  expect_solutions<2>(crank(23, 11, 1, false));
}

TEST(GridFactor, HasTheSameBitsForAnyNumberOfThreads) {
  const Body<3> body(bar({17, 6, 5}, {0.2, 0.06, 0.05}, 1, false), true);
  const Values b = random_matrix(3 * body.grid.n_nodes(), 8, 5).cast<float>();
  const int before = threads();
  set_threads(1);
  const Values one = solution(body, b);
  set_threads(3);
  const Values three = solution(body, b);
  set_threads(before);
  EXPECT_EQ(one, three);
}

TEST(GridFactor, TellsABodyThatMovesWithoutStrain) {
  const FlexibleBodySpec spec = bar({9, 4, 4}, {0.2, 0.06, 0.05}, 1, false);
  const Body<3> held(spec, true), free(spec, false);
  EXPECT_TRUE(GridFactor<3>(held.grid).factorize(held.matrices));
  EXPECT_FALSE(GridFactor<3>(free.grid).factorize(free.matrices));
  MatrixXd cut = held.matrices;
  for (Index e = 0; e < cut.cols(); ++e)
    if (e % 9 == 4) cut.col(e).setZero();  // a layer across the bar
  EXPECT_FALSE(GridFactor<3>(held.grid).factorize(cut));
}

// A pivot that rounding alone leaves may be positive: here that of the second degree of freedom, which the first one holds but
// for a share of its diagonal entry.
TEST(GridFactor, TellsPositivePivotsThatAreNoise) {
  using Grid = GridLevel<2>;
  const Grid grid({1, 1, 1}, std::vector<GridNode>(4, GridNode::free));
  const auto is_regular = [&](double share) {
    MatrixXd k = MatrixXd::Identity(Grid::dofs, Grid::dofs);
    k(0, 1) = k(1, 0) = -1.0, k(1, 1) = 1.0 + share;
    return GridFactor<2>(grid).factorize(k.reshaped());
  };
  EXPECT_FALSE(is_regular(4.0 * std::numeric_limits<double>::epsilon()));
  EXPECT_TRUE(is_regular(1e-12));
}

}  // namespace
}  // namespace kurbel::fem::test
