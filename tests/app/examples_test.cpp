/// The shipped mechanisms move as closed forms say.
#include <gtest/gtest.h>

#include <cmath>

#include "crank.hpp"
#include "floating_frame.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {
namespace {

/// A simulation of a shipped input at its start.
struct Simulated {
  explicit Simulated(const std::string& file) : problem(read_problem(test::input(file))), chain(problem) {
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    EXPECT_FALSE(chain.reduce(space.densities(space.start()), result).failed());
    EXPECT_FALSE(chain.simulate(result).failed());
  }
  Pose<double> pose(const std::string& body, Eigen::Index k) const {
    return test::floating_frame(result).system().pose(
        result.trajectory.y.col(k).head(test::floating_frame(result).system().n_x()),
        test::floating_frame(result).system().body_index(body));
  }
  /// About z, rad.
  double angle(const std::string& body, Eigen::Index k) const {
    const Matrix3d A = rotation_matrix(pose(body, k).e);
    return std::atan2(A(1, 0), A(0, 0));
  }
  Eigen::Index n_instants() const { return result.trajectory.n_stored; }

  Problem problem;
  EvaluationChain chain;
  ChainResult result;
};

TEST(DoublePendulum, KeepsItsEnergyWhileItsArmBends) {
  const Simulated run("double_pendulum.toml");
  const auto ws = test::floating_frame(run.result).system().make_workspace();
  const auto energy = [&](Eigen::Index k) {
    return test::floating_frame(run.result)
        .system()
        .energy(test::floating_frame(run.result)
                    .integrator()
                    .layout()
                    .instant<double>(run.result.trajectory.t[k], run.result.trajectory.y.col(k)),
                *ws);
  };
  const auto start = energy(0);
  const double total = start.kinetic + start.elastic + start.gravitational;
  double largest_kinetic = 0.0, drift = 0.0;
  for (Eigen::Index k = 0; k < run.n_instants(); ++k) {
    const auto now = energy(k);
    largest_kinetic = std::max(largest_kinetic, now.kinetic);
    drift = std::max(drift, std::abs(now.kinetic + now.elastic + now.gravitational - total));
  }
  EXPECT_GT(largest_kinetic, 0.5);
  EXPECT_LT(drift, 1e-4 * largest_kinetic);  // of second order in the step
}

/// After the blow at its corner. The errors of the integrator in momentum and energy are of second order in
/// the step, of which the shortest period kept has ten.
TEST(FreePlate, KeepsItsMomentumAndEnergyWhileItTumbles) {
  const Simulated run("free_plate.toml");
  const auto& system = test::floating_frame(run.result).system();
  const auto ws = system.make_workspace();
  const auto instant = [&](Eigen::Index k) {
    return test::floating_frame(run.result)
        .integrator()
        .layout()
        .instant<double>(run.result.trajectory.t[k], run.result.trajectory.y.col(k));
  };
  const Eigen::Index blow_ends = 41;
  const auto start = system.momentum(instant(blow_ends), *ws);
  const auto energy = [&](Eigen::Index k) { return system.energy(instant(k), *ws); };
  const double total = energy(blow_ends).kinetic + energy(blow_ends).elastic;
  double linear = 0.0, angular = 0.0, lost = 0.0, largest_elastic = 0.0;
  for (Eigen::Index k = blow_ends; k < run.n_instants(); ++k) {
    const auto now = system.momentum(instant(k), *ws);
    linear = std::max(linear, (now.linear - start.linear).norm());
    angular = std::max(angular, (now.angular - start.angular).norm());
    lost = std::max(lost, std::abs(energy(k).kinetic + energy(k).elastic - total));
    largest_elastic = std::max(largest_elastic, energy(k).elastic);
  }
  const double mass = 0.3 * 0.2 * 0.004 * 1300.0;
  const double impulse = 2000.0 * 0.02 * 0.02 / 12.0;  // of a t (1 - t / T)^2
  EXPECT_NEAR(start.linear[0], mass * 1.0, 1e-5);
  EXPECT_NEAR(start.linear[2], mass * 0.5 + impulse, 4e-4);
  EXPECT_LT(linear, 5e-5 * start.linear.norm());
  EXPECT_LT(angular, 5e-4 * start.angular.norm());
  EXPECT_LT(lost, 1e-5 * total);
  EXPECT_GT(largest_elastic, 0.004 * total);
}

// The rocker's angle of the rigid linkage: the pin is on circles about the crank's pin and the rocker's
// bearing.
TEST(FourBar, TurnsAsTheRigidLinkageDoes) {
  constexpr double crank = 0.1, coupler = 0.4, rocker = 0.3, ground = 0.4;
  const Simulated run("four_bar.toml");
  for (Eigen::Index k = 0; k < run.n_instants(); k += 50) {
    const double theta = run.angle("crank", k);
    const Eigen::Vector2d pin(crank * std::cos(theta), crank * std::sin(theta)), bearing(ground, 0.0);
    const Eigen::Vector2d d = pin - bearing;
    const double along = (rocker * rocker - coupler * coupler + d.squaredNorm()) / (2.0 * d.norm());
    const double across = std::sqrt(rocker * rocker - along * along);
    const Eigen::Vector2d e = d.normalized();
    const Eigen::Vector2d tip = along * e + across * Eigen::Vector2d(e[1], -e[0]);
    const double expected = std::atan2(tip[1], tip[0]);
    EXPECT_NEAR(std::remainder(run.angle("rocker", k) - expected, 2.0 * EIGEN_PI), 0.0, 2e-3)
        << k;  // links bend
  }
}

TEST(SpatialSliderCrank, SlidesAsTheRigidOneDoes) {
  constexpr double crank = 0.1, rod = 0.35, offset = 0.12;
  const Simulated run("spatial_slider_crank.toml");
  for (Eigen::Index k = 0; k < run.n_instants(); k += 50) {
    const double theta = run.angle("crank", k), y = crank * std::sin(theta);
    const double x = crank * std::cos(theta) + std::sqrt(rod * rod - offset * offset - y * y);
    const Vector3d slider = run.pose("slider", k).r;
    EXPECT_NEAR(slider[0], x, 1e-4) << k;  // the crank bends
    EXPECT_NEAR(slider[1], 0.0, 1e-12);
    EXPECT_NEAR(slider[2], offset, 1e-12);
  }
}

}  // namespace
}  // namespace kurbel
