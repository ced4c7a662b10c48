/// The task of flexible_crank.toml on meshes without rows: the same psi as on rectangles, and the same limit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crank.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel {
namespace {

/// The rectangle of the crank, divided where its solid bearing begins.
constexpr const char* rectangle_geo = R"(
Point(1) = {0, -0.02, 0}; Point(2) = {0.19, -0.02, 0}; Point(3) = {0.2, -0.02, 0};
Point(4) = {0.2, 0.02, 0}; Point(5) = {0.19, 0.02, 0}; Point(6) = {0, 0.02, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, -7}; Plane Surface(2) = {2};
)";

/// A smooth design between 0.25 and 0.85.
double wavy(const Vector3d& x) {
  using std::numbers::pi;
  return 0.55 + 0.3 * std::sin(2.0 * pi * x[0] / 0.1) * std::cos(pi * x[1] / 0.02);
}

class UnstructuredCrank : public testing::Test {
 protected:
  /// psi of the start, of uniform density within the bound on the volume, and of the wavy design.
  struct Values {
    double uniform, of_wavy;
  };

  Values values(const std::string& mesh) const {
    // The filter spans two elements of the coarsest meshes.
    const Problem problem = read_problem(test::input("flexible_crank.toml"),
                                         {mesh, "filter.radius=8e-3", "integrator.step=2e-3"});
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    const fem::Mesh& of_crank = chain.body(0)->mesh();
    Design wavy_design = space.at(space.start());
    VectorXd& density = wavy_design.bodies[0].density;
    for (Eigen::Index e = 0; e < of_crank.n_elements(); ++e) {
      const Vector3d x = of_crank.centres().col(e);
      if (x[0] < 0.19) density[e] = wavy(x);
    }
    const auto psi = [&](const Design& design) {
      ChainResult result;
      for (const Status& status : {chain.reduce(design, result), chain.simulate(result)})
        if (status.failed()) throw std::runtime_error(status.message());
      return result.psi;
    };
    return {psi(space.at(space.start())), psi(wavy_design)};
  }

  Values on_rectangles(int n) const {
    return values(fmt::format("bodies.crank.mesh.divisions=[{},{}]", 5 * n, n));
  }

  Values on_triangles(int n) const {
    return values(fmt::format("bodies.crank.mesh={{file=\"{}\",size={},thickness=0.01}}",
                              part_.path().string(), 0.04 / n));
  }

  const test::WrittenPart part_{"rectangle.geo", rectangle_geo};
};

/// How far two values of psi are apart, relative to one of them.
double gap(double a, double b) {
  return std::abs(a - b) / b;
}

// The densities are constant in each element, and so is the region that the filter averages over: both meshes have errors of
// about h^2 of their own, and what they differ by falls with each halving of the size.
TEST_F(UnstructuredCrank, HasThePsiOfRectanglesAndTheSameLimit) {
  double of_uniform = 0.1, of_wavy = 0.1;  // gaps of the coarser size
  for (const int n : {10, 20, 40}) {       // elements over the height; the input has the last number
    const Values rectangles = on_rectangles(n), triangles = on_triangles(n);
    const double uniform = gap(triangles.uniform, rectangles.uniform),
                 wavy = gap(triangles.of_wavy, rectangles.of_wavy);
    EXPECT_LT(uniform, 0.5 * of_uniform) << n;
    EXPECT_LT(wavy, 0.5 * of_wavy) << n;
    of_uniform = uniform, of_wavy = wavy;
    if (n == 10) continue;
    EXPECT_LT(std::max(uniform, wavy), 0.01) << n;
    EXPECT_GT(gap(triangles.of_wavy, triangles.uniform), 0.1) << "the two designs differ";
  }
}

}  // namespace
}  // namespace kurbel
