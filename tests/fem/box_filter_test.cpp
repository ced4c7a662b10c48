/// @file
/// The density filter of boxes against the matrix of their weights.
#include "fem/box_filter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "fixtures.hpp"
#include "threaded_values.hpp"

namespace kurbel::fem::test {
namespace {

Mesh box_of(int dim, const std::array<int, 3>& divisions) {
  MeshSpec spec;
  spec.dim = dim;
  spec.origin = {0.1, -0.2, 0.3};
  spec.size = {0.13, 0.07, 0.06};
  spec.divisions = divisions;
  spec.thickness = 0.004;
  return Mesh(spec);
}

TEST(BoxDensityFilter, IsTheMatrixOfWeightsAndItsTranspose) {
  using Divisions = std::array<int, 3>;
  for (const auto& [dim, divisions] : {std::pair(2, Divisions{11, 8, 1}), std::pair(3, Divisions{11, 8, 5}),
                                       std::pair(3, Divisions{11, 8, 1}), std::pair(3, Divisions{1, 8, 5}),
                                       std::pair(2, Divisions{1, 8, 1}), std::pair(3, Divisions{1, 1, 1})}) {
    const Mesh mesh = box_of(dim, divisions);
    const VectorXd in = random_matrix(mesh.n_elements(), 1, 3),
                   out_bar = random_matrix(mesh.n_elements(), 1, 4);
    for (const double radius : {1e-4, 0.018, 0.03, 0.5}) {  // itself alone, some neighbours, all
      const MatrixXd H = filter_matrix(mesh, radius);
      const auto filter = make_density_filter(mesh, radius);
      ASSERT_TRUE(dynamic_cast<const BoxDensityFilter*>(filter.get()));
      EXPECT_LT((filter->value(in) - H * in).cwiseAbs().maxCoeff(), 1e-14) << radius;
      EXPECT_LT((filter->pullback(in, out_bar) - H.transpose() * out_bar).cwiseAbs().maxCoeff(), 1e-14)
          << radius;
    }
  }
}

TEST(BoxDensityFilter, HasTheSameBitsForAnyNumberOfThreads) {
  MeshSpec spec;
  spec.dim = 3;
  spec.size = {0.3, 0.06, 0.05};
  spec.divisions = {60, 20, 20};
  const Mesh mesh(spec);
  const auto filter = make_density_filter(mesh, 0.0075);
  const VectorXd in = random_matrix(mesh.n_elements(), 1, 3);
  EXPECT_EQ(value_by(1, *filter, in), value_by(2, *filter, in));
}

/// Meshes that are no box, and the radius that filters nothing, take the filter of any mesh.
TEST(BoxDensityFilter, IsForBoxesAlone) {
  const Mesh mesh = box_of(3, {11, 8, 5});
  EXPECT_EQ(box_divisions(mesh).value(), (std::array{11, 8, 5}));
  EXPECT_EQ(box_divisions(box_of(2, {11, 8, 1})).value(), (std::array{11, 8, 1}));
  EXPECT_FALSE(dynamic_cast<const BoxDensityFilter*>(make_density_filter(mesh, 0.0).get()));
  EXPECT_THROW(make_density_filter(mesh, -0.1), InputError);
  Mesh::Points moved = mesh.positions();
  moved.row(0).array() += 0.1 * moved.row(1).array();  // oblique
  EXPECT_FALSE(box_divisions(mesh.moved(moved)));
  // So little that the elements between the ends are still as many, in every direction.
  for (const auto& [along, by] : {std::pair(0, 1), std::pair(1, 0), std::pair(2, 0)}) {
    moved = mesh.positions();
    moved.row(along).array() += 0.01 * moved.row(by).array();
    EXPECT_FALSE(box_divisions(mesh.moved(moved))) << along;
  }
}

}  // namespace
}  // namespace kurbel::fem::test
