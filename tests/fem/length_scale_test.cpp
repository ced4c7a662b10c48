/// @file
/// Least sizes of robust designs: closed forms, the filter itself, and how they are measured.
#include "fem/length_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drawn_elements.hpp"
#include "fem/helmholtz_filter.hpp"
#include "fem/opening.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using Kernel = FilterSpec::Kernel;

/// F(x) = 1 - exp(-a / r) cosh(x / r) within a bar of half width a: a = r ln 4 for 3/4 in the middle, then cosh(x / r) = 2.
TEST(LengthScale, HasItsClosedFormBehindTheHelmholtzFilter) {
  const FilterSpec filter{FilterSpec::Kind::density, 0.3, Kernel::helmholtz};
  const double r = 0.3 / (2.0 * std::sqrt(3.0));
  for (const int dim : {2, 3}) {
    const LengthScale found = length_scale(filter, dim, 0.5, 0.25);
    EXPECT_NEAR(found.member, 2.0 * r * std::acosh(2.0), 1e-12);
    EXPECT_NEAR(found.gap, found.member, 1e-12);
  }
  EXPECT_GT(length_scale(filter, 2, 0.6, 0.2).member, length_scale(filter, 2, 0.6, 0.2).gap);
}

/// Bars of black elements on a fine mesh of the plane, and in space.
TEST(LengthScale, IsThatOfTheNarrowestBarThatSurvivesErosion) {
  for (const int dim : {2, 3}) {
    for (const Kernel kernel : {Kernel::cone, Kernel::helmholtz}) {
      constexpr double R = 6.0;
      MeshSpec box;
      box.dim = dim, box.divisions = {40, 13, dim == 3 ? 13 : 1};
      box.size = {40.0, 13.0, dim == 3 ? 13.0 : 0.0};
      const Mesh mesh(box);
      const FilterSpec spec{FilterSpec::Kind::density, R, kernel};
      std::unique_ptr<DesignMap> filter;
      if (kernel == Kernel::cone) filter = std::make_unique<DensityFilter>(mesh, R);
      if (kernel == Kernel::helmholtz) filter = std::make_unique<HelmholtzFilter>(mesh, R);
      for (const double robust : {0.15, 0.25, 0.35}) {
        double narrowest = 0.0;
        for (int width = 2; narrowest == 0.0 && width < 30; ++width) {
          const VectorXd bar = VectorXd::NullaryExpr(mesh.n_elements(), [&](Index e) {
            return std::abs(mesh.centres()(0, e) - 20.0) < 0.5 * width ? 1.0 : 0.0;
          });
          const VectorXd filtered = filter->value(bar);
          const auto wide = [&](double threshold) {
            double sum = 0.0;  // along the middle line of the mesh
            for (Index i = 0; i < 40; ++i) {
              if (filtered[i + 40 * (6 + (dim == 3 ? 13 * 6 : 0))] >= threshold) sum += 1.0;
            }
            return sum;
          };
          if (wide(0.5 + robust) > 0.0) narrowest = wide(0.5);
        }
        // Bars in the middle have an even number of elements.
        const double member = length_scale(spec, dim, 0.5, robust).member;
        EXPECT_GE(narrowest, member - 0.5) << dim << " " << robust;
        EXPECT_LE(narrowest, member + 2.0) << dim << " " << robust;
      }
    }
  }
}

TEST(SmallestWidth, IsThatOfMembersAndGaps) {
  const std::vector<std::string> rows = {"......................",  //
                                         "######..######..######",  //
                                         "######################",  //
                                         "######################",  //
                                         "######..######..######",  //
                                         "######..######..######"};
  const DrawnElements drawn(rows, 0);
  ElementSet empty(drawn.set.size());
  for (std::size_t e = 0; e < empty.size(); ++e) empty[e] = !drawn.set[e];
  EXPECT_NEAR(smallest_width(drawn.mesh, drawn.set, MeshSurface::bounds), 2.0, 0.1);
  // What is empty along the surface of the mesh is no gap, however narrow.
  EXPECT_NEAR(smallest_width(drawn.mesh, empty, MeshSurface::is_open), 2.0, 0.1);
  const DrawnElements strip({"......", "######", "######", "######"}, 0);
  ElementSet above(strip.set.size());
  for (std::size_t e = 0; e < above.size(); ++e) above[e] = !strip.set[e];
  EXPECT_EQ(smallest_width(strip.mesh, above, MeshSurface::is_open), std::numeric_limits<double>::infinity());
  EXPECT_EQ(smallest_width(strip.mesh, ElementSet(24, false), MeshSurface::bounds),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace kurbel::fem::test
