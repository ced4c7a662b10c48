/// @file
/// The filters by distance and by a differential equation, and mirrored means: on boxes and on meshes without rows and columns.
#include <gtest/gtest.h>

#include <cmath>

#include "fem/box_filter.hpp"
#include "fem/box_helmholtz_filter.hpp"
#include "fem/density_filter.hpp"
#include "fem/helmholtz_filter.hpp"
#include "fem/symmetry.hpp"
#include "quadratic_meshes.hpp"
#include "tests/input_error.hpp"
#include "threaded_values.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

std::vector<std::shared_ptr<const Mesh>> meshes() {
  const auto curved = [](const Vector3d& x) { return Vector3d(x + 0.05 * x[0] * x[0] * Vector3d::UnitY()); };
  std::vector<std::shared_ptr<const Mesh>> all = {make_mesh(crank(12, 5, 1, false).mesh),
                                                  make_mesh(bar({5, 4, 3}, {0.2, 0.1, 0.09}, 1, false).mesh)};
  for (const int dim : {2, 3}) {
    const auto free = free_mesh(unit_box(dim, dim == 2 ? 7 : 4), Split::all, 0.25);
    all.push_back(free);
    all.push_back(quadratic_mesh(*free, curved));                                           // tri6, tet10
    all.push_back(quadratic_mesh(*free_mesh(unit_box(dim, 4), Split::none, 0.2), curved));  // quad8, hex20
  }
  all.push_back(mesh_of_all_linear_solids());
  return all;
}

double extent(const Mesh& mesh) {
  return (mesh.positions().rowwise().maxCoeff() - mesh.positions().rowwise().minCoeff()).maxCoeff();
}

TEST(DensityFilter, IsTheMatrixOfWeightsByDistanceAndVolumeAndItsTranspose) {
  for (const auto& mesh : meshes()) {
    const VectorXd in = random_densities(mesh->n_elements(), 0.01, 1),
                   out_bar = random_matrix(mesh->n_elements(), 1, 2);
    for (const double share : {1e-9, 0.1, 0.2, 0.5, 1.0, 20.0}) {  // itself alone, some neighbours, all
      const double radius = share * extent(*mesh);
      const DensityFilter filter(*mesh, radius);
      const MatrixXd H = filter_matrix(*mesh, radius);
      EXPECT_LT((filter.value(in) - H * in).cwiseAbs().maxCoeff(), 1e-14) << radius;
      EXPECT_LT((filter.pullback(in, out_bar) - H.transpose() * out_bar).cwiseAbs().maxCoeff(), 2e-14)
          << radius;
    }
  }
}

TEST(DensityFilter, HasTheSameBitsForAnyNumberOfThreads) {
  const auto mesh = free_mesh(unit_box(3, 9), Split::all, 0.25);
  const DensityFilter filter(*mesh, 0.3);
  const VectorXd in = random_matrix(mesh->n_elements(), 1, 3);
  EXPECT_EQ(value_by(1, filter, in), value_by(2, filter, in));
}

TEST(HelmholtzFilter, KeepsConstantsAndTheVolume) {
  for (const auto& mesh : meshes()) {
    const Index n = mesh->n_elements();
    for (const double radius : {0.0, 0.05, 0.3, 3.0}) {
      const HelmholtzFilter filter(*mesh, radius * extent(*mesh));
      const VectorXd ones = VectorXd::Ones(n), rho = random_densities(n, 0.01, 3);
      EXPECT_LT((filter.value(ones) - ones).cwiseAbs().maxCoeff(), 1e-11) << n << " elements, " << radius;
      EXPECT_NEAR(mesh->volumes().dot(filter.value(rho)), mesh->volumes().dot(rho),
                  1e-11 * mesh->volumes().sum());
    }
  }
}

TEST(HelmholtzFilter, PullbackIsTheTranspose) {
  for (const auto& mesh : meshes()) {
    const Index n = mesh->n_elements();
    const HelmholtzFilter filter(*mesh, 0.3 * extent(*mesh));
    const VectorXd x = random_densities(n, 0.01, 1), y = random_matrix(n, 1, 2);
    EXPECT_NEAR(filter.value(x).dot(y), x.dot(filter.pullback(x, y)), 1e-12 * x.norm() * y.norm());
  }
}

/// Along a strip, the answer to a spike has the second moment 2 r^2 = R^2 / 6, as the cone of radius R has; the way from
/// elements to nodes and back adds h^2 / 4 each time.
TEST(HelmholtzFilter, IsAsWideAsTheFilterByDistance) {
  constexpr int n = 401;
  constexpr double h = 0.01, R = 0.3;
  MeshSpec strip;
  strip.dim = 2, strip.size = {n * h, h, 0.0}, strip.divisions = {n, 1, 1};
  const Mesh mesh(strip);
  const VectorXd spike = VectorXd::Unit(n, n / 2);
  const VectorXd along = mesh.centres().row(0).transpose().array() - mesh.centres()(0, n / 2);
  const auto moment = [&](const VectorXd& answer) { return answer.dot(along.cwiseAbs2()) / answer.sum(); };
  EXPECT_NEAR(moment(HelmholtzFilter(mesh, R).value(spike)), R * R / 6.0 + 0.5 * h * h, 1e-6 * R * R);
  EXPECT_NEAR(moment(DensityFilter(mesh, R).value(spike)), R * R / 6.0, 2e-3 * R * R) << "on this mesh";
}

/// On boxes of squares and cubes no density leaves the range of the others.
TEST(HelmholtzFilter, MakesNoNewExtremes) {
  for (const int dim : {2, 3}) {
    for (const double height : {1.0, 0.1, 0.01}) {
      MeshSpec spec = unit_box(dim, 6);
      spec.size[1] = height;
      const auto mesh = make_mesh(spec);
      for (const double radius : {0.01, 0.2, 1.0}) {
        const VectorXd answer = HelmholtzFilter(*mesh, radius).value(VectorXd::Unit(mesh->n_elements(), 8));
        EXPECT_GE(answer.minCoeff(), -1e-15) << "elements 1 to " << height;
        EXPECT_LE(answer.maxCoeff(), 1.0);
      }
    }
  }
}

TEST(HelmholtzFilter, MakesNoNewExtremesOnAnyMesh) {
  for (const auto& mesh : meshes()) {
    for (const double radius : {0.05, 0.5}) {
      const HelmholtzFilter filter(*mesh, radius * extent(*mesh));
      for (const Index e : {Index{0}, mesh->n_elements() / 2})
        EXPECT_GE(filter.value(VectorXd::Unit(mesh->n_elements(), e)).minCoeff(), -1e-15);
    }
  }
}

/// Large solids are filtered by iteration: the same map, to rounding.
TEST(HelmholtzFilter, IsTheSameByIteration) {
  using Solver = HelmholtzFilter::Solver;
  for (const auto& mesh : meshes()) {
    const Index n = mesh->n_elements();
    for (const double radius : {0.0, 0.05, 0.3, 3.0}) {
      const HelmholtzFilter direct(*mesh, radius * extent(*mesh), Solver::factor),
          iterated(*mesh, radius * extent(*mesh), Solver::iteration);
      const VectorXd x = random_densities(n, 0.01, 1), y = random_matrix(n, 1, 2), out = iterated.value(x);
      EXPECT_LT((out - direct.value(x)).norm(), 1e-12 * x.norm()) << n << " elements, " << radius;
      EXPECT_LT((iterated.pullback(x, y) - direct.pullback(x, y)).norm(), 1e-12 * y.norm());
      EXPECT_NEAR(out.dot(y), x.dot(iterated.pullback(x, y)), 1e-12 * x.norm() * y.norm());
      EXPECT_GE(out.minCoeff(), x.minCoeff());
      EXPECT_LE(out.maxCoeff(), x.maxCoeff());
    }
  }
}

TEST(HelmholtzFilter, RefusesRadiiThatAreNone) {
  const auto mesh = make_mesh(unit_box(2, 3));
  EXPECT_THROW(HelmholtzFilter(*mesh, -0.1), InputError);
  EXPECT_THROW(HelmholtzFilter(*mesh, std::nan("")), InputError);
  EXPECT_THROW(make_helmholtz_filter(*mesh, -0.1), InputError);
  EXPECT_THROW(make_helmholtz_filter(*mesh, std::nan("")), InputError);
}

/// Boxes with their most elements along each axis, in one layer, and of one element.
std::vector<std::shared_ptr<const Mesh>> boxes() {
  std::vector<std::shared_ptr<const Mesh>> all;
  for (const auto& [x, y] : {std::pair(11, 4), std::pair(5, 8), std::pair(1, 7), std::pair(1, 1)})
    all.push_back(make_mesh(crank(x, y, 1, false).mesh));
  for (const auto& n : {std::array{9, 4, 3}, std::array{3, 8, 5}, std::array{4, 6, 7}, std::array{5, 5, 1}})
    all.push_back(make_mesh(bar(n, {0.2, 0.1, 0.09}, 1, false).mesh));
  return all;
}

TEST(BoxHelmholtzFilter, IsTheSameAsByTheFactorOfTheMatrix) {
  for (const auto& mesh : boxes()) {
    const Index n = mesh->n_elements();
    for (const double radius : {0.0, 0.05, 0.3, 3.0}) {
      const HelmholtzFilter factored(*mesh, radius * extent(*mesh), HelmholtzFilter::Solver::factor);
      const BoxHelmholtzFilter box(*mesh, box_divisions(*mesh).value(), radius * extent(*mesh));
      const VectorXd x = random_densities(n, 0.01, 1), y = random_matrix(n, 1, 2), out = box.value(x);
      EXPECT_LT((out - factored.value(x)).norm(), 1e-12 * x.norm()) << n << " elements, " << radius;
      EXPECT_LT((box.pullback(x, y) - factored.pullback(x, y)).norm(), 1e-12 * y.norm());
      EXPECT_NEAR(out.dot(y), x.dot(box.pullback(x, y)), 1e-14 * x.norm() * y.norm());
      EXPECT_GE(out.minCoeff(), x.minCoeff());
      EXPECT_LE(out.maxCoeff(), x.maxCoeff());
    }
  }
}

/// The factor of the matrix loses digits to large radii, and is singular in the end.
TEST(BoxHelmholtzFilter, TendsToTheMeanForLargeRadii) {
  for (const auto& mesh : boxes()) {
    const VectorXd x = random_densities(mesh->n_elements(), 0.01, 1);
    for (const double radius : {1e6, 1e12}) {
      const VectorXd out = make_helmholtz_filter(*mesh, radius)->value(x);
      EXPECT_LT((out.array() - x.mean()).abs().maxCoeff(), 1e-11) << mesh->n_elements() << " elements";
    }
  }
}

// Elements on either side of the slit have nodes of their own, and are no neighbours.
TEST(BoxHelmholtzFilter, IsNotForABoxWithASlit) {
  constexpr Index nx = 4;  // by two rows
  const auto whole = make_mesh(crank(nx, 2, 1, false).mesh);
  Mesh::Points points(3, 4 * (nx + 1));
  points << whole->positions().leftCols(2 * (nx + 1)), whole->positions().rightCols(2 * (nx + 1));
  ElementBlock block{ElementKind::quad4, Eigen::MatrixXi(4, 2 * nx), std::vector<int>(2 * nx, 0)};
  for (Index e = 0; e < 2 * nx; ++e) {
    for (Index k = 0; k < 4; ++k)
      block.nodes(k, e) = whole->nodes_of(e)[k] + (e < nx ? 0 : static_cast<int>(nx + 1));
  }
  const Mesh slit(2, points, {block}, 1.0);
  EXPECT_TRUE(divisions_of_joined_box(*whole));
  ASSERT_TRUE(box_divisions(slit)) << "by the centres of its elements";
  EXPECT_FALSE(divisions_of_joined_box(slit));
  VectorXd in = VectorXd::Zero(2 * nx);
  in.head(nx).setOnes();
  EXPECT_LT((make_helmholtz_filter(slit, 0.05)->value(in) - in).norm(), 1e-12);
}

TEST(BoxHelmholtzFilter, HasTheSameBitsForAnyNumberOfThreads) {
  const auto mesh = make_mesh(bar({70, 60, 50}, {0.2, 0.1, 0.09}, 1, false).mesh);
  const auto filter = make_helmholtz_filter(*mesh, 0.01);
  EXPECT_NE(dynamic_cast<const BoxHelmholtzFilter*>(filter.get()), nullptr);
  const VectorXd in = random_densities(mesh->n_elements(), 0.01, 3);
  EXPECT_EQ(value_by(1, *filter, in), value_by(2, *filter, in));
}

const SymmetryPlane across_x{{0.5, 0.0, 0.0}, {2.0, 0.0, 0.0}}, across_y{{0.0, 0.5, 0.0}, {0.0, 1.0, 0.0}};

TEST(SymmetricDensities, AreMeansOfPairsOnAMeshThatIsSymmetric) {
  const auto mesh = make_mesh(unit_box(2, 5));
  const SymmetricDensities map(*mesh, {across_x, across_y}, all_elements(*mesh));
  const VectorXd x = random_densities(25, 0.01, 1);
  const VectorXd out = map.value(x);
  for (Index j = 0; j < 5; ++j) {
    for (Index i = 0; i < 5; ++i) {
      const Index k = 4 - i, l = 4 - j;
      EXPECT_NEAR(out[i + 5 * j], 0.25 * (x[i + 5 * j] + x[k + 5 * j] + x[i + 5 * l] + x[k + 5 * l]), 1e-15);
    }
  }
  EXPECT_LT((map.value(out) - out).norm(), 1e-14) << "what is symmetric stays";
}

TEST(SymmetricDensities, PullbackIsTheTranspose) {
  for (const int dim : {2, 3}) {
    for (const Split split : {Split::none, Split::all}) {
      const auto mesh = free_mesh(unit_box(dim, 5), split, 0.2);
      const SymmetricDensities map(*mesh, {across_x}, all_elements(*mesh));
      const Index n = mesh->n_elements();
      const VectorXd x = random_densities(n, 0.01, 1), y = random_matrix(n, 1, 2);
      EXPECT_NEAR(map.value(x).dot(y), x.dot(map.pullback(x, y)), 1e-12 * x.norm() * y.norm());
      EXPECT_LT((map.value(VectorXd::Ones(n)) - VectorXd::Ones(n)).norm(), 1e-13);
    }
  }
}

/// The mean difference between a design at a place and at its image, there of the nearest element.
double asymmetry(const Mesh& mesh, const VectorXd& rho) {
  double sum = 0.0;
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    Vector3d image = mesh.centres().col(e);
    image[0] = 1.0 - image[0];
    Index nearest = 0;
    (mesh.centres().colwise() - image).colwise().squaredNorm().minCoeff(&nearest);
    sum += std::abs(rho[e] - rho[nearest]);
  }
  return sum / static_cast<double>(mesh.n_elements());
}

/// On triangles in no order, behind a filter: what remains is what comparing nearest centres makes of a slope, a share of an
/// element, and goes with its size.
TEST(SymmetricDensities, MakeDesignsSymmetricOnAMeshThatIsNot) {
  double before = 0.0;
  for (const int n : {24, 48}) {
    const auto mesh = free_mesh(unit_box(2, n), Split::all, 0.3);
    const VectorXd x = VectorXd::NullaryExpr(mesh->n_elements(), [&](Index e) {
      return 0.5 + 0.4 * std::sin(7.0 * mesh->centres()(0, e) + 3.0 * mesh->centres()(1, e));
    });
    const FilterSpec filter{FilterSpec::Kind::density, 0.125, FilterSpec::Kernel::helmholtz};
    DensityDesign plain(*mesh, {}, 0.01, filter, 0.0, 0.5, x),
        symmetric(*mesh, {}, 0.01, filter, 0.0, 0.5, x);
    symmetric.make_symmetric(*mesh, {across_x});
    const double left = asymmetry(*mesh, symmetric.value(x));
    EXPECT_LT(left, 0.05 * asymmetry(*mesh, plain.value(x)));
    if (n == 48) {
      EXPECT_LT(left, 0.6 * before);
    }
    before = left;
  }
}

/// Mirrored means, filter and projection as one map.
TEST(SymmetricDensities, GoTogetherWithFilterProjectionAndRegions) {
  const auto mesh = free_mesh(unit_box(2, 8), Split::all, 0.2);
  const Index n_all = mesh->n_elements();
  const std::vector<Region> regions = {{"rim", Region::Kind::solid, Box{{0.0, 0.9}, {1.0, 1.0}}}};
  for (const FilterSpec::Kernel kernel : {FilterSpec::Kernel::cone, FilterSpec::Kernel::helmholtz}) {
    DensityDesign map(*mesh, regions, 0.01, {FilterSpec::Kind::density, 0.3, kernel}, 4.0, 0.5,
                      VectorXd::Constant(n_all, 0.5));
    map.make_symmetric(*mesh, {across_x});
    const Index n = map.n_active();
    const VectorXd x = random_densities(n, 0.01, 1), along = random_matrix(n, 1, 2),
                   y = random_matrix(n_all, 1, 3);
    const double h = 1e-5;
    const double difference = (y.dot(map.value(x + h * along)) - y.dot(map.value(x - h * along))) / (2.0 * h);
    EXPECT_NEAR(along.dot(map.pullback(x, y)), difference, 1e-8 * y.norm() * along.norm());
  }
}

TEST(SymmetricDensities, RefuseShapesThatAreNot) {
  const auto mesh = free_mesh(unit_box(2, 8), Split::all, 0.2);
  const std::vector<Index> all = all_elements(*mesh);
  expect_input_error(
      [&] {
        SymmetricDensities(*mesh, {{{0.4, 0.0, 0.0}, {1.0, 0.0, 0.0}}}, all);
      },
      {"not symmetric about the plane through (0.4, 0, 0)", "lie outside"});
  expect_input_error(
      [&] {
        SymmetricDensities(*mesh, {across_x, {{0.5, 0.5, 0.0}, {1.0, 1.0, 0.0}}}, all);
      },
      {"planes 1 and 2 are not at right angles"});
  // A region on one side alone.
  std::vector<Index> without_corner;
  for (const Index e : all) {
    if (mesh->centres()(0, e) < 0.8 || mesh->centres()(1, e) < 0.8) without_corner.push_back(e);
  }
  expect_input_error([&] { SymmetricDensities(*mesh, {across_x}, without_corner); },
                     {"Regions have to be symmetric"});
}

}  // namespace
}  // namespace kurbel::fem::test
