/// The buggy: statics, symmetry, the step, the lane change, gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "crank.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "floating_frame/vehicle_quantities.hpp"
#include "formulation/joint_coordinates_motion.hpp"

namespace kurbel {
namespace {

const std::vector<std::string> corners = {"front_left", "front_right", "rear_left", "rear_right"};

/// A simulation of a shipped input at its start.
struct Drive {
  Drive(const std::string& file, const std::vector<std::string>& overrides)
      : problem(read_problem(test::input(file), overrides)),
        chain(problem),
        space(DesignSpace::of_problem(chain.bodies(), {})) {
    evaluate(space.start());
  }
  double evaluate(const VectorXd& x) {
    EXPECT_FALSE(chain.reduce(space.at(x), result).failed());
    EXPECT_FALSE(chain.simulate(result).failed());
    bodies = motion().of_bodies(result.trajectory);
    return result.psi;
  }
  const JointCoordinatesMotion& motion() const {
    return dynamic_cast<const JointCoordinatesMotion&>(*result.motion);
  }
  const MultibodySystem<double>& system() const { return motion().bodies().system(); }
  DaeInstant<double> at(Eigen::Index k) const {
    return motion().bodies().integrator().layout().instant<double>(bodies.t[k], bodies.y.col(k));
  }
  TyreForces<double> tyre(const std::string& corner, Eigen::Index k) const {
    const auto ws = system().make_workspace();
    return system().tyre_forces(system().tyre_index(corner), at(k), *ws);
  }
  Pose<double> chassis(Eigen::Index k) const {
    return system().pose(at(k).x, system().body_index("chassis"));
  }
  Eigen::Index last() const { return result.trajectory.n_stored - 1; }

  Problem problem;
  EvaluationChain chain;
  DesignSpace space;
  ChainResult result;
  Trajectory<double> bodies;  ///< the motion as one of bodies
};

/// That all bodies and wheels begin at rest.
std::vector<std::string> at_rest(std::vector<std::string> more) {
  for (const BodySpec& body : read_problem(test::input("buggy_step.toml")).system.bodies) {
    more.push_back("bodies." + body.name + ".initial.velocity=[0.0,0.0,0.0]");
    if (body.name.ends_with("wheel"))
      more.push_back("bodies." + body.name + ".initial.angular_velocity=[0.0,0.0,0.0]");
  }
  return more;
}

TEST(Buggy, StandsOnItsTyresWithItsWeight) {
  const Drive run("buggy_step.toml", at_rest({"integrator.t1=4.0", "integrator.step=0.02"}));
  double sum = 0.0;
  for (const std::string& corner : corners) sum += run.tyre(corner, run.last()).vertical;
  EXPECT_NEAR(sum, 494.0 * 9.81, 0.05);  // 4846 N; what is left of its bouncing
  for (const char* axle : {"front_", "rear_"}) {
    const double left = run.tyre(axle + std::string("left"), run.last()).vertical;
    EXPECT_NEAR(run.tyre(axle + std::string("right"), run.last()).vertical, left, 1e-5 * left);
  }
  const Attitude<double> attitude(run.system(), "chassis", AttitudeKind::angles);
  EXPECT_NEAR(attitude.value(run.at(run.last()))[0], 0.0, 1e-8);
}

TEST(Buggy, MeetsTheStepAfterTwoSeconds) {
  const Drive run("buggy_step.toml", {"integrator.t1=2.1", "integrator.step=2e-3"});
  Eigen::Index lightest = 0;
  for (Eigen::Index k = 0; k <= run.last(); ++k) {
    if (run.result.trajectory.t[k] < 1.5) continue;
    if (lightest == 0 || run.tyre("front_left", k).vertical < run.tyre("front_left", lightest).vertical)
      lightest = k;
  }
  EXPECT_NEAR(run.result.trajectory.t[lightest], 2.0, 0.03);
  EXPECT_LT(run.tyre("front_left", lightest).vertical, 0.5 * run.tyre("rear_left", lightest).vertical);
  EXPECT_NEAR(run.tyre("front_left", lightest).vertical, run.tyre("front_right", lightest).vertical, 1e-4);
  EXPECT_NEAR(run.chassis(run.last()).r.y(), 0.0, 1e-8);
}

TEST(Buggy, ChangesItsLaneAndStaysUpright) {
  const Drive run("buggy_lane_change.toml", {});
  double farthest = 0.0;
  for (Eigen::Index k = 0; k <= run.last(); ++k)
    farthest = std::max(farthest, std::abs(run.chassis(k).r.y()));
  EXPECT_NEAR(farthest, 3.9, 0.1);
  const Attitude<double> attitude(run.system(), "chassis", AttitudeKind::angles);
  const Vector3d end = attitude.value(run.at(run.last()));
  EXPECT_LT(std::abs(end[0]), 5e-3);
  EXPECT_LT(std::abs(end[1]), 2e-2);
}

TEST(Buggy, IsTheSameInTheFloatingFrame) {
  const std::vector<std::string> in_frames = {"formulation=\"floating-frame\"",
                                              "integrator.method=\"generalized-alpha\"", "integrator.t1=2.2",
                                              "integrator.step=2e-3"};
  const Problem problem = read_problem(test::input("buggy_step.toml"), in_frames);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = space.start();
  ChainResult result;
  ASSERT_FALSE(chain.reduce(space.at(x), result).failed());
  ASSERT_FALSE(chain.simulate(result).failed());
  std::vector<Design> bars;
  ASSERT_FALSE(chain.gradients(result, bars).failed());
  const VectorXd expected = space.pullback(x, bars.front());
  Drive run("buggy_step.toml", {"integrator.t1=2.2", "integrator.step=2e-3"});
  ASSERT_FALSE(run.chain.gradients(run.result, bars).failed());
  // O(h^2) of either
  EXPECT_NEAR(run.result.psi, result.psi, 2e-3 * result.psi);
  const VectorXd gradient = run.space.pullback(x, bars.front());
  for (Eigen::Index i = 0; i < x.size(); ++i)
    EXPECT_NEAR(gradient[i], expected[i], 5e-3 * expected.cwiseAbs().maxCoeff()) << i;
}

// With one objective the factors of one step serve those before it, with several they do not: the sweep is the same.
TEST(Buggy, HasOneGradientAloneAndBesideOthers) {
  Drive run("buggy_comfort.toml", {"integrator.t1=0.5", "integrator.step=1e-3"});
  std::vector<Design> alone, beside;
  const auto method = SensitivityOptions::Method::discrete_adjoint;
  ASSERT_FALSE(run.chain.gradients(run.result, false, method, alone).failed());
  ASSERT_FALSE(run.chain.gradients(run.result, true, method, beside).failed());
  ASSERT_GT(beside.size(), 2u);
  const VectorXd x = run.space.start();
  const VectorXd one = run.space.pullback(x, alone.front()), same = run.space.pullback(x, beside.front());
  EXPECT_NE(one, same) << "or the factors served nothing";
  EXPECT_LT((one - same).norm(), 1e-11 * same.norm());  // 1e-15 per step, over 500 of them
}

TEST(Buggy, HasTheGradientOfDifferences) {
  for (const char* file : {"buggy_step.toml", "buggy_lane_change.toml", "buggy_comfort.toml"}) {
    Drive run(file, {"integrator.t1=0.5", "integrator.step=5e-3", "integrator.newton_tolerance=1e-12"});
    std::vector<Design> bars;
    const VectorXd x = run.space.start();
    ASSERT_FALSE(run.chain.gradients(run.result, bars).failed());
    const VectorXd gradient = run.space.pullback(x, bars.front());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      constexpr double h = 1e-4;  // of the range of a variable
      VectorXd plus = x, minus = x;
      plus[i] += h, minus[i] -= h;
      const double difference = (run.evaluate(plus) - run.evaluate(minus)) / (2.0 * h);
      EXPECT_NEAR(gradient[i], difference, 1e-5 * gradient.cwiseAbs().maxCoeff()) << file << " " << i;
    }
  }
}

}  // namespace
}  // namespace kurbel
