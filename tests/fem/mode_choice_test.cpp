/// Modes by frequency and by list, and their damping ratios.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fem/modal_damping.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using ::testing::HasSubstr;

FlexibleBodySpec with_list(FlexibleBodySpec spec, const std::vector<int>& list) {
  spec.mode_list = list;
  spec.n_normal_modes = static_cast<int>(list.size());
  return spec;
}

TEST(ModesUpTo, AreThoseBelowTheFrequency) {
  FlexibleBody all(crank(24, 6, 20, false));
  const VectorXd rho = VectorXd::Ones(144), f = reduced(all, rho).frequencies_hz;
  for (const int n : {1, 5, 8, 9, 17}) {
    FlexibleBodySpec spec = crank(24, 6, 0, false);
    spec.modes_up_to = 0.5 * (f[n - 1] + f[n]);
    FlexibleBody body(spec);
    const ReducedBody r = reduced(body, rho);
    EXPECT_EQ(body.n_q(), n);
    EXPECT_LT((r.frequencies_hz - f.head(n)).norm(), 1e-9 * f[n]);
    EXPECT_NEAR(r.next_frequency_hz, f[n], 1e-6 * f[n]);
  }
}

TEST(ModesUpTo, KeepTheirNumberWhenTheDesignChanges) {
  FlexibleBodySpec spec = crank(24, 6, 0, true);
  spec.modes_up_to = 5000.0;
  FlexibleBody body(spec);
  reduced(body, VectorXd::Ones(144));
  const Eigen::Index n_q = body.n_q();
  const ReducedBody softer = reduced(body, VectorXd::Constant(144, 0.5));
  EXPECT_EQ(softer.sid.n_q(), n_q);
  EXPECT_LT(softer.next_frequency_hz, 5000.0);  // counted anew, there would be more
}

TEST(ModesUpTo, FailWhereThereIsNone) {
  FlexibleBodySpec spec = crank(24, 6, 0, false);
  spec.modes_up_to = 1.0;
  FlexibleBody body(spec);
  ReducedBody out;
  const Status failure = body.reduce(VectorXd::Ones(144), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), HasSubstr("no normal mode lies below 1 Hz"));
}

TEST(ListedModes, AreThoseOfTheFullSet) {
  FlexibleBody all(crank(24, 6, 5, false)), some(with_list(crank(24, 6, 0, false), {1, 2, 5}));
  const VectorXd rho = random_densities(144, 0.2, 1);
  const ReducedBody r_all = reduced(all, rho), r = reduced(some, rho);
  EXPECT_LT((r.basis->normal().Phi - r_all.basis->normal().Phi(Eigen::all, {0, 1, 4})).norm(),
            1e-10 * r.basis->normal().Phi.norm());
  EXPECT_EQ(r.sid.refmod.ielastq, (std::vector<std::string>{"normal 1", "normal 2", "normal 5"}));
}

TEST(ListedModes, FailWhenTheySplitAPair) {
  for (const std::vector<int>& list : {std::vector<int>{2}, {1, 3, 4}}) {
    FlexibleBody body(with_list(bar({10, 2, 2}, {0.3, 0.03, 0.03}, 0, false), list));
    ReducedBody out;
    const Status failure = body.reduce(VectorXd::Ones(40), out);
    ASSERT_TRUE(failure.failed());
    EXPECT_THAT(failure.message(), HasSubstr("both have the same frequency"));
    EXPECT_THAT(failure.message(), HasSubstr("modes.list"));
  }
}

TEST(ModalDamping, GivesEveryCoordinateItsRatio) {
  FlexibleBodySpec spec = crank(12, 4, 2, true);
  spec.damping_modal = {0.01, 0.02, 0.03, 0.04};
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, VectorXd::Ones(48));
  for (int k = 0; k < 4; ++k)
    EXPECT_DOUBLE_EQ(r.sid.De.M0(k, k), 2.0 * 0.01 * (k + 1) * std::sqrt(r.lambda[k]));
}

TEST(ModalDamping, FailsWhereEqualFrequenciesHaveDifferentRatios) {
  FlexibleBodySpec spec = bar({10, 2, 2}, {0.3, 0.03, 0.03}, 2, false);
  spec.damping_modal = {0.01, 0.02};
  FlexibleBody body(spec);
  ReducedBody out;
  const Status failure = body.reduce(VectorXd::Ones(40), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), HasSubstr("\"normal 1\" and \"normal 2\" have the same frequency"));
}

/// The bending modes of a square section are a pair. Where the end of the bar hangs on a void, a million
/// times softer, rounding in the stiffness sets the two frequencies apart by more than 1e-8.
TEST(ListedModes, MayNotDivideAPairThatOnlyRoundingSetsApart) {
  FlexibleBody body(with_list(bar({4, 1, 1}, {0.471105, 0.04687, 0.04687}, 0, false), {2, 3}));
  VectorXd rho = VectorXd::Constant(4, 0.822039);
  rho[1] = 0.01;
  ReducedBody out;
  const Status failure = body.reduce(rho, out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), HasSubstr("have the same frequency"));
}

}  // namespace
}  // namespace kurbel::fem::test
