/// @file
/// Extruded, cast and printed densities: what holds of them, their pull-backs, and what is found of solids.
#include "fem/manufacturing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "fem/smooth_extremes.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using Spec = ManufacturingSpec;

constexpr double right_angle = 0.5 * std::numbers::pi;

Spec extruded(int axis) {
  Spec spec;
  return spec.extrusion = axis, spec;
}

Spec cast(AxisDirection draw, bool two_sided = false, std::optional<double> parting = {}) {
  Spec spec;
  return spec.casting = Spec::Casting{draw, two_sided, parting}, spec;
}

Spec printed(AxisDirection build, double angle = 0.5 * right_angle) {
  Spec spec;
  return spec.overhang = Spec::Overhang{build, angle}, spec;
}

/// What a mesh of equal boxes along the axes has at (i, j, k).
Index element_at(const MeshSpec& box, Index i, Index j, Index k) {
  return i + box.divisions[0] * (j + box.divisions[1] * (box.dim == 3 ? k : 0));
}

VectorXd random_solid(Index n, unsigned seed) {
  return random_densities(n, 0.0, seed).unaryExpr([](double p) { return p > 0.6 ? 1.0 : 0.0; });
}

TEST(SmoothExtremes, AreExactInBlackAndWhiteAndStayInRange) {
  for (const double a : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
    for (const double b : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
      const double max = smooth_max(a, b).value, min = smooth_min(a, b).value;
      EXPECT_GE(max, std::max(a, b) - 1e-15);
      EXPECT_LE(max, 1.0 + 1e-15);
      EXPECT_LE(min, std::min(a, b) + 1e-15);
      EXPECT_GE(min, 0.0);
      EXPECT_LE(max, std::pow(2.0, 1.0 / 12.0) * std::max(a, b) + 1e-15);
      for (const double c : {0.0, 0.2, 0.9, 1.0}) {
        EXPECT_NEAR(smooth_max(max, c).value, smooth_max(a, smooth_max(b, c).value).value, 1e-15);
        EXPECT_NEAR(smooth_min(min, c).value, smooth_min(a, smooth_min(b, c).value).value, 1e-15);
      }
      if (a == 0.0 || a == 1.0) {
        EXPECT_NEAR(max, std::max(a, b), 1e-15);
        EXPECT_NEAR(min, std::min(a, b), 1e-15);
      }
    }
  }
}

TEST(SmoothExtremes, HaveDerivativesWhereOneIsZero) {
  const Extreme<double> max = smooth_max(0.0, 0.3), min = smooth_min(0.0, 0.3);
  EXPECT_EQ(max.by_a, 0.0);
  EXPECT_NEAR(max.by_b, 1.0, 1e-14);
  EXPECT_NEAR(min.by_a, 1.0, 1e-14);
  EXPECT_EQ(min.by_b, 0.0);
}

TEST(SmoothExtremes, HaveTheDerivativesOfComplexStep) {
  using Complex = std::complex<double>;
  constexpr double h = 1e-30;
  for (const double a : {0.05, 0.4, 0.9, 1.0}) {
    for (const double b : {0.05, 0.38, 0.9}) {
      for (const auto function : {&smooth_max<Complex>, &smooth_min<Complex>}) {
        const Extreme<Complex> at = function(a, b);
        EXPECT_NEAR(at.by_a.real(), function({a, h}, b).value.imag() / h, 1e-12);
        EXPECT_NEAR(at.by_b.real(), function(a, {b, h}).value.imag() / h, 1e-12);
      }
    }
  }
}

TEST(Lattice, IsTheMeshOfBoxesItself) {
  for (const int dim : {2, 3}) {
    MeshSpec spec = unit_box(dim, 4);
    spec.divisions = {5, 4, 3}, spec.origin = {0.1, -0.2, 0.0};
    const Mesh mesh(spec);
    const Lattice lattice(mesh, grid_over(mesh), all_elements(mesh));
    const VectorXd x = random_densities(mesh.n_elements(), 0.01, 1);
    ASSERT_EQ(lattice.n_cells(), mesh.n_elements());
    EXPECT_EQ(lattice.to_cells() * x, x);
    EXPECT_EQ(lattice.to_elements() * x, x);
  }
}

TEST(Lattice, KeepsConstantsAndPlacesOnAnyMesh) {
  for (const int dim : {2, 3}) {
    for (const double angle : {0.4 * right_angle, 0.5 * right_angle}) {
      const auto mesh = free_mesh(unit_box(dim, 6), Split::all, 0.2);
      const Lattice lattice(*mesh, stepped_grid_over(*mesh, {1, -1.0}, angle), all_elements(*mesh));
      EXPECT_NEAR(lattice.grid().cell[1] / lattice.grid().cell[0], std::tan(angle), 1e-12);
      const VectorXd ones = VectorXd::Ones(mesh->n_elements());
      EXPECT_LT((lattice.to_elements() * (lattice.to_cells() * ones) - ones).norm(), 1e-13);
      const VectorXd height = mesh->centres().row(1).transpose();
      EXPECT_LT((lattice.to_elements() * (lattice.to_cells() * height) - height).cwiseAbs().maxCoeff(),
                lattice.grid().cell[1]);
    }
  }
}

TEST(Extrusion, MakesColumnsOfMeans) {
  MeshSpec spec = unit_box(3, 4);
  spec.divisions = {3, 4, 5};
  const Mesh mesh(spec);
  std::vector<Index> active = all_elements(mesh);
  std::erase(active, element_at(spec, 1, 1, 2));
  const Extrusion map(mesh, 2, active);
  const VectorXd x = random_densities(mesh.n_elements(), 0.01, 1), out = map.value(x);
  for (Index j = 0; j < 4; ++j) {
    for (Index i = 0; i < 3; ++i) {
      double sum = 0.0;
      int n = 0;
      for (Index k = 0; k < 5; ++k) {
        if (i == 1 && j == 1 && k == 2) continue;
        sum += x[element_at(spec, i, j, k)], ++n;
      }
      EXPECT_NEAR(out[element_at(spec, i, j, 4)], sum / n, 1e-15);
      EXPECT_EQ(out[element_at(spec, i, j, 0)], out[element_at(spec, i, j, 4)]);
    }
  }
}

/// Whether an element that is empty lies between material on a line, as the sides of a mould see it.
bool fills(const MeshSpec& box, const VectorXd& solid, std::array<Index, 3> at, const Spec::Casting& spec) {
  const auto d = static_cast<std::size_t>(spec.draw.axis);
  const auto has_material = [&](double sign) {
    std::array<Index, 3> p = at;
    for (; p[d] >= 0 && p[d] < box.divisions[d]; p[d] += static_cast<Index>(sign)) {
      if (solid[element_at(box, p[0], p[1], p[2])] == 1.0) return true;
    }
    return false;
  };
  if (!spec.two_sided) return has_material(spec.draw.sign);
  if (!spec.parting) return has_material(1.0) && has_material(-1.0);
  const double x = (static_cast<double>(at[d]) + 0.5) / box.divisions[d];
  return has_material(x >= *spec.parting ? 1.0 : -1.0);
}

TEST(Casting, FillsUndercutsOfSolids) {
  for (const int dim : {2, 3}) {
    MeshSpec box = unit_box(dim, 6);
    box.divisions = {6, 5, 4};
    const Mesh mesh(box);
    const VectorXd solid = random_solid(mesh.n_elements(), 3);
    for (const Spec& spec :
         {cast({0, 1.0}), cast({1, -1.0}), cast({dim - 1, 1.0}, true), cast({1, 1.0}, true, 0.41)}) {
      const VectorXd out = Casting(mesh, *spec.casting).value(solid);
      for (Index k = 0; k < (dim == 3 ? 4 : 1); ++k) {
        for (Index j = 0; j < 5; ++j) {
          for (Index i = 0; i < 6; ++i)
            EXPECT_EQ(out[element_at(box, i, j, k)], fills(box, solid, {i, j, k}, *spec.casting) ? 1.0 : 0.0);
        }
      }
    }
  }
}

TEST(Casting, MakesGreyDensitiesMonotoneWithoutLeavingTheirRange) {
  MeshSpec box = unit_box(2, 40);
  const Mesh mesh(box);
  const VectorXd x = random_densities(mesh.n_elements(), 0.01, 5);
  const VectorXd out = Casting(mesh, *cast({1, 1.0}).casting).value(x);
  EXPECT_LE(out.maxCoeff(), 1.0);
  EXPECT_TRUE((out.array() >= x.array() - 1e-15).all());
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 1; j < 40; ++j)
      EXPECT_LE(out[element_at(box, i, j, 0)], out[element_at(box, i, j - 1, 0)] + 1e-15);
  }
}

TEST(Casting, CountsDepthsFromTheOpeningOfTheMould) {
  MeshSpec box;
  box.dim = 2, box.divisions = {3, 4, 1}, box.size = {3.0, 4.0, 0.0};
  const Mesh mesh(box);
  const auto column = [&](const Spec& spec) {
    const VectorXd depths = depths_in_mould(mesh, *spec.casting);
    return VectorXd(depths(std::vector<Index>{1, 4, 7, 10}));
  };
  EXPECT_LT((column(cast({1, 1.0})) - Eigen::Vector4d(0.875, 0.625, 0.375, 0.125)).norm(), 1e-14);
  EXPECT_LT((column(cast({1, -1.0})) - Eigen::Vector4d(0.125, 0.375, 0.625, 0.875)).norm(), 1e-14);
  EXPECT_LT((column(cast({1, 1.0}, true)) - Eigen::Vector4d(0.25, 0.75, 0.75, 0.25)).norm(), 1e-14);
  const VectorXd parted = column(cast({1, 1.0}, true, 1.0));
  EXPECT_LT((parted - Eigen::Vector4d(0.5, 5.0 / 6.0, 0.5, 1.0 / 6.0)).norm(), 1e-14);
}

/// Solid on something: an element is built if one of the lower layer is that lies below it or below a neighbour.
TEST(Overhang, BuildsWhatStandsOnSomething) {
  for (const int dim : {2, 3}) {
    MeshSpec box = unit_box(dim, 6);
    const Mesh mesh(box);
    const VectorXd solid = random_solid(mesh.n_elements(), 7);
    const VectorXd out =
        Overhang(mesh, *printed({1, -1.0}).overhang, std::vector<bool>(solid.size(), true), 0.0).value(solid);
    VectorXd built = solid;
    for (Index j = 4; j >= 0; --j) {
      for (Index k = 0; k < (dim == 3 ? 6 : 1); ++k) {
        for (Index i = 0; i < 6; ++i) {
          double below = built[element_at(box, i, j + 1, k)];
          if (i > 0) below = std::max(below, built[element_at(box, i - 1, j + 1, k)]);
          if (i < 5) below = std::max(below, built[element_at(box, i + 1, j + 1, k)]);
          if (dim == 3 && k > 0) below = std::max(below, built[element_at(box, i, j + 1, k - 1)]);
          if (dim == 3 && k < 5) below = std::max(below, built[element_at(box, i, j + 1, k + 1)]);
          built[element_at(box, i, j, k)] *= below;
        }
      }
    }
    EXPECT_LT((out - built).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT(built.sum(), solid.sum());
  }
}

/// A wedge that leans by an angle to the plate is built where this is the least angle or more; a flatter one is not.
TEST(Overhang, KnowsItsAngleOnAnyMesh) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = free_mesh(unit_box(2, 40), split, split == Split::none ? 0.0 : 0.2);
    const auto lost = [&](double of_shape, double asked) {
      ElementSet solid;
      for (Index e = 0; e < mesh->n_elements(); ++e) {
        const Vector3d x = mesh->centres().col(e);
        solid.push_back(x[0] - 0.2 < x[1] / std::tan(of_shape) && x[0] > 0.1);
      }
      return unmakeable(*mesh, printed({1, 1.0}, asked), all_elements(*mesh), solid).unsupported->varied;
    };
    for (const double asked : {0.4, 0.7, 0.5 * right_angle, 1.0}) {
      EXPECT_LT(lost(asked + 0.15, asked), 0.015) << asked;
      EXPECT_GT(lost(asked - 0.15, asked), 0.04) << asked;
    }
  }
}

TEST(Overhang, CountsWhatHangs) {
  // A column with a bar across its top: a T. Of its arms one element stands at 45 degrees.
  const MeshSpec box = unit_box(2, 10);
  const Mesh mesh(box);
  ElementSet solid(100, false);
  for (Index j = 0; j < 9; ++j) solid[static_cast<std::size_t>(element_at(box, 4, j, 0))] = true;
  for (Index i = 0; i < 10; ++i) solid[static_cast<std::size_t>(element_at(box, i, 9, 0))] = true;
  const Unmakeable found = unmakeable(mesh, printed({1, 1.0}), all_elements(mesh), solid);
  EXPECT_NEAR(found.unsupported->varied, 7.0 / 19.0, 1e-15);
  EXPECT_EQ(found.unsupported->fixed, 0.0);
  // Drawn upwards the bar shades all but the column; upside down nothing does.
  EXPECT_NEAR(unmakeable(mesh, cast({1, 1.0}), all_elements(mesh), solid).undercut->varied, 81.0 / 19.0,
              1e-14);
  EXPECT_EQ(unmakeable(mesh, cast({1, -1.0}), all_elements(mesh), solid).undercut->varied, 0.0);
  EXPECT_EQ(unmakeable(mesh, cast({0, 1.0}, true), all_elements(mesh), solid).undercut->varied, 0.0);
  std::vector<Index> without_bar = all_elements(mesh);
  std::erase_if(without_bar, [](Index e) { return e >= 90; });
  EXPECT_NEAR(unmakeable(mesh, printed({1, 1.0}), without_bar, solid).unsupported->fixed, 7.0 / 19.0, 1e-15);
}

TEST(Manufacturing, KeepsBothOfAnExtrudedCastBody) {
  MeshSpec box = unit_box(3, 6);
  const Mesh mesh(box);
  Spec spec = cast({1, 1.0}, true);
  spec.extrusion = 2;
  const Manufacturing map(mesh, spec, all_elements(mesh), 0.01);
  const VectorXd out = map.value(random_densities(mesh.n_elements(), 0.01, 2));
  for (const double threshold : {0.5, 0.7, 0.9}) {
    ElementSet solid;
    for (const double p : out) solid.push_back(p >= threshold);
    const Unmakeable found = unmakeable(mesh, spec, all_elements(mesh), solid);
    EXPECT_EQ(found.not_extruded->varied, 0.0);
    EXPECT_EQ(found.undercut->varied, 0.0);
  }
}

/// A region over a part of the thickness is an undercut for that part alone; what is extruded is filled there as a whole.
TEST(Manufacturing, ExtrudesACastBodyBesideARegionOfLessThickness) {
  const MeshSpec box = unit_box(3, 6);
  const Mesh mesh(box);
  Spec spec = cast({1, 1.0});
  spec.extrusion = 2;
  VectorXd in = random_densities(mesh.n_elements(), 0.01, 2);
  std::vector<Index> active;
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const bool is_of_region = mesh.centres()(1, e) > 0.6 && mesh.centres()(2, e) < 0.5;
    if (is_of_region) in[e] = 1.0;
    if (!is_of_region) active.push_back(e);
  }
  const auto spread = [&](const VectorXd& out) {
    double largest = 0.0;
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 3; ++j) {
        for (Index k = 1; k < 6; ++k)
          largest =
              std::max(largest, std::abs(out[element_at(box, i, j, k)] - out[element_at(box, i, j, 0)]));
      }
    }
    return largest;
  };
  const Manufacturing map(mesh, spec, active, 0.01);
  EXPECT_LT(spread(map.value(in)), 1e-12);
  const VectorXd extruded_once = Manufacturing(mesh, extruded(2), active, 0.01).value(in);
  EXPECT_GT(spread(Manufacturing(mesh, cast({1, 1.0}), active, 0.01).value(extruded_once)), 0.1);
}

/// What is printed is no denser than the smooth maximum of what is below it, which is within 5^(1/12) of the exact one.
TEST(Overhang, LeavesNothingDenserThanItsSupport) {
  const MeshSpec box = unit_box(3, 8);
  const Mesh mesh(box);
  const Overhang map(mesh, *printed({0, 1.0}).overhang, std::vector<bool>(512, true), 0.01);
  const VectorXd x = random_densities(512, 0.01, 2), out = map.value(x);
  EXPECT_TRUE((out.array() <= x.array() + 1e-15).all());
  for (Index k = 1; k < 7; ++k) {
    for (Index j = 1; j < 7; ++j) {
      for (Index i = 1; i < 8; ++i) {
        double support = 0.0;
        for (const auto& [dj, dk] : {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
          support = std::max(support, out[element_at(box, i - 1, j + dj, k + dk)]);
        EXPECT_LE(out[element_at(box, i, j, k)], std::pow(5.0, 1.0 / 12.0) * support + 1e-12);
      }
    }
  }
}

/// With filter, projection, regions and symmetry, on boxes and on meshes without rows: the remainder of the first-order Taylor
/// polynomial falls with the square of the step.
TEST(Manufacturing, HasExactPullbacksAloneAndTogether) {
  Spec extruded_and_cast = cast({1, 1.0}), extruded_and_printed = printed({0, -1.0});
  extruded_and_cast.extrusion = 2, extruded_and_printed.extrusion = 2;
  const std::vector<Spec> of_solids = {extruded(2), extruded_and_cast, extruded_and_printed,
                                       cast({2, -1.0}, true)};
  const std::vector<Spec> of_any = {cast({1, 1.0}),       cast({1, -1.0}),
                                    cast({1, 1.0}, true), cast({1, 1.0}, true, 0.5),
                                    printed({1, 1.0}),    printed({1, -1.0}, 0.6)};
  for (const int dim : {2, 3}) {
    std::vector<Spec> specs = of_any;
    if (dim == 3) specs.insert(specs.end(), of_solids.begin(), of_solids.end());
    for (const Split split : {Split::none, Split::all}) {
      const auto mesh = free_mesh(unit_box(dim, dim == 2 ? 8 : 4), split, split == Split::none ? 0.0 : 0.2);
      const std::vector<Region> regions = {
          {"rim", Region::Kind::solid, Box{{0.4, 0.7, 0.0}, {0.6, 1.0, 1.0}}},
          {"hole", Region::Kind::voided, Box{{0.3, 0.3, 0.0}, {0.7, 0.5, 1.0}}}};
      for (std::size_t s = 0; s < specs.size(); ++s) {
        DensityDesign map(*mesh, regions, 0.01, {FilterSpec::Kind::density, 0.3}, 2.0, 0.5,
                          VectorXd::Constant(mesh->n_elements(), 0.5));
        if (s % 2 == 0) map.make_symmetric(*mesh, {{{0.5, 0.0, 0.0}, {1.0, 0.0, 0.0}}});
        map.make_manufacturable(*mesh, specs[s]);
        const VectorXd x = random_densities(map.n_active(), 0.1, 1),
                       along = random_matrix(map.n_active(), 1, 2),
                       y = random_matrix(mesh->n_elements(), 1, 3);
        const double f = y.dot(map.value(x)), slope = along.dot(map.pullback(x, y));
        const auto remainder = [&](double h) {
          return std::abs(y.dot(map.value(x + h * along)) - f - h * slope);
        };
        const double order = std::log2(remainder(2e-4) / remainder(1e-4));
        EXPECT_NEAR(order, 2.0, 0.1) << "dim " << dim << ", specification " << s;
        const double h = 1e-5;
        const double difference =
            (y.dot(map.value(x + h * along)) - y.dot(map.value(x - h * along))) / (2.0 * h);
        EXPECT_NEAR(slope, difference, 1e-7 * y.norm() * along.norm());
      }
    }
  }
}

}  // namespace
}  // namespace kurbel::fem::test
