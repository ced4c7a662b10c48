#include <gtest/gtest.h>

#include <limits>

#include "base/errors.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

TEST(FlexibleBody, OfSolidSteelWeighs0628Kilograms) {
  FlexibleBody body(crank(60, 12, 4, true));
  const VectorXd solid = VectorXd::Ones(720);
  EXPECT_NEAR(body.mass(solid), 0.628, 1e-12);
  EXPECT_NEAR(reduced(body, solid).sid.refmod.mass, 0.628, 1e-12);
}

TEST(FlexibleBody, SidIsCompleteAndNamed) {
  FlexibleBody body(crank(16, 4, 4, true));
  const ReducedBody r = reduced(body, VectorXd::Ones(64));
  EXPECT_EQ(body.n_q(), 6);
  EXPECT_EQ(r.sid.n_q(), 6);
  EXPECT_EQ(r.sid.refmod.ielastq.front(), "normal 1");
  EXPECT_EQ(r.sid.refmod.ielastq.back(), "attachment 2");
  EXPECT_EQ(r.frequencies_hz.size(), 4);
  EXPECT_GT(r.next_frequency_hz, r.frequencies_hz[3]);
  EXPECT_NE(r.sid.find_node("pin"), nullptr);
}

TEST(FlexibleBody, ShapesAreZeroAtTheClampAndOutOfPlane) {
  FlexibleBody body(crank(16, 4, 4, true));
  const ReducedBody r = reduced(body, VectorXd::Ones(64));
  for (Eigen::Index node = 0; node < body.mesh().n_nodes(); ++node) {
    EXPECT_EQ(r.shapes.row(3 * node + 2).norm(), 0.0);
    const bool clamped = body.mesh().positions()(0, node) == 0.0;
    EXPECT_EQ(r.shapes.middleRows(3 * node, 3).norm() == 0.0, clamped);
  }
}

TEST(FlexibleBody, FailsByNameWhenAPartIsNotConnected) {
  FlexibleBody body(crank(12, 4, 2, false));
  const VectorXd before = reduced(body, VectorXd::Ones(48)).lambda;
  VectorXd rho = VectorXd::Ones(48);
  for (Eigen::Index e = 6; e < 48; e += 12) rho[e] = 1e-6;  // stiffness 1e-18: nothing in double precision
  ReducedBody out;
  const Status failure = body.reduce(rho, out);
  ASSERT_TRUE(failure.failed());
  EXPECT_EQ(failure.failure().where, "body crank");
  EXPECT_NE(failure.failure().what.find("not connected to the clamp"), std::string::npos);
  EXPECT_EQ(reduced(body, VectorXd::Ones(48)).lambda, before) << "the body is usable after a failure";
}

TEST(FlexibleBody, RefusesDensitiesThatAreNone) {
  FlexibleBody body(crank(12, 4, 2, false));
  ReducedBody out;
  EXPECT_THROW(body.reduce(VectorXd::Ones(47), out), InputError);
  VectorXd rho = VectorXd::Ones(48);
  for (const double bad :
       {0.0, -0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    rho[7] = bad;
    EXPECT_THROW(body.reduce(rho, out), InputError) << bad;
  }
}

TEST(FlexibleBody, RefusesAFaultySpecificationByBodyAndKey) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.markers[0].nodes = plane(0, 0.3);
  try {
    FlexibleBody body(spec);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "bodies.crank.markers.pin: no node of the mesh lies there; the nearest node is at (0.2, -0.02, 0), "
        "0.1 m away");
  }
}

}  // namespace
}  // namespace kurbel::fem::test
