/// @file
/// Steps of generalized-alpha with factors of the steps before them.
#include "integration/generalized_alpha.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "joint_coordinates/joint_coordinate_system.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

/// Steps that go on with the factors of those before them, beside single ones from the same states with factors of their own.
struct OldAndNewFactors {
  OldAndNewFactors(const SecondOrderDae<double>& system, const IntegratorOptions& options)
      : old(system, options), anew(system, options) {
    const Eigen::Index n_c = system.n_c(), n = system.n_x();
    MatrixXd y(old.n_state(), old.n_steps() + 1), bar = MatrixXd::Zero(old.n_tangent(), 1),
                                                  p_bar = MatrixXd::Zero(old.n_parameters(), 1);
    EXPECT_FALSE(old.initial_state(y.col(0)).failed());
    EXPECT_FALSE(anew.initial_state(y.col(0)).failed());
    VectorXd own = y.col(0);
    for (Eigen::Index k = 1; k <= old.n_steps(); ++k) {
      EXPECT_FALSE(old.step(k, y.col(k - 1), y.col(k)).failed());
      if (k > 1) anew.pullback_step(k - 1, y.col(k - 2), y.col(k - 1), bar, p_bar);  // leaves other factors
      EXPECT_FALSE(anew.step(k, y.col(k - 1), own).failed());
      const VectorXd difference = own - y.col(k);
      EXPECT_TRUE(difference.allFinite());
      motion = std::max(motion, difference.head(n).norm() / own.head(n).norm());
      if (n_c > 0) multipliers = std::max(multipliers, difference.tail(n_c).norm() / own.tail(n_c).norm());
    }
  }
  void expect_alike() const {
    EXPECT_LT(motion, 1e-12)
        << "an iteration ends where 1e-14 of the accelerations is left, or 1e-13 of a position";
    EXPECT_LT(multipliers, 1e-8) << "they follow the accelerations, one iteration behind";
    EXPECT_NE(old.newton_iterations(), anew.newton_iterations()) << "no step has factors of a former one";
  }
  GeneralizedAlpha<double> old, anew;
  double motion = 0.0, multipliers = 0.0;  ///< largest relative differences of x and of lambda
};

TEST(GeneralizedAlpha, EndsAStepAlikeWithFactorsOfFormerOnes) {
  const MultibodySystem<double> chain(test::rigid_chain(5)), flexible(test::kitchen_sink());
  OldAndNewFactors(chain, test::span(0.2, 1e-3)).expect_alike();
  OldAndNewFactors(flexible, test::span(0.1, 5e-4)).expect_alike();
  const JointCoordinateSystem<double> joints(chain, ReferencePoint::common);
  OldAndNewFactors(joints, test::span(0.2, 1e-3)).expect_alike();
}

// A drive turns a rotor at a constant rate: its accelerations are right at once, however old the factors are, and the force of
// its bearing is not.
TEST(GeneralizedAlpha, FindsReactionsOfWhatTurnsAtAConstantRate) {
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  spec.bodies = {
      {"rotor", make_rigid_sid(2.0, {0.1, 0.0, 0.0}, Vector3d(0.02, 0.05, 0.06).asDiagonal(), {}), {}}};
  std::array<bool, 6> locked{};
  locked_dofs_of("revolute", locked);
  spec.joints = {{"shaft", {"ground"}, {"rotor"}, locked, {{RelativeDof::rz, constant_rate(0.0, 50.0)}}}};
  const MultibodySystem<double> system(spec);
  EXPECT_LT(OldAndNewFactors(system, test::span(0.3, 1e-3)).multipliers, 1e-8);
}

// A cylinder jumps at a third and at two thirds of the motion.
TEST(GeneralizedAlpha, EndsAStepAlikeBehindAJump) {
  const MultibodySystem<double> system(test::with_jumps(test::kitchen_sink(), 0.09));
  OldAndNewFactors(system, test::span(0.09, 5e-4)).expect_alike();
}

TEST(GeneralizedAlpha, HasNewFactorsInEachStepWhereJacobiansAreCheap) {
  const NaturalSystem<double> system(test::rigid_chain(5));
  const OldAndNewFactors steps(system, test::span(0.05, 1e-3));
  EXPECT_EQ(steps.old.newton_iterations(), steps.anew.newton_iterations());
  EXPECT_EQ(steps.motion, 0.0);
}

}  // namespace
}  // namespace kurbel
