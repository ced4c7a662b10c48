#include "sid/sid_identities.hpp"

#include <cmath>

#include "sid/sid_info.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/point_mass_sid.hpp"

namespace kurbel {
namespace {

/// A body whose modal masses are too small for the momentum of its shapes.
Sid indefinite_sid() {
  Sid sid = random_sid(2);
  sid.Me.M0 *= 1e-3;
  return sid;
}

/// The coefficients in millimetres (and kg): mass as it is, lengths times 1000.
Sid in_millimetres(Sid sid) {
  for (Taylor* t : {&sid.mdCM, &sid.Ct}) t->M0 *= 1e3;
  for (Taylor* t : {&sid.J, &sid.Cr, &sid.Me}) t->M0 *= 1e6;
  return sid;
}

TEST(MassDefiniteness, HoldsForEveryBodyOfMasses) {
  for (const Eigen::Index n_q : {0, 1, 2, 5}) EXPECT_GT(mass_definiteness(random_sid(n_q)).smallest, 0.0);
  const Sid point = make_rigid_sid(2.0, Vector3d(0.3, 0.1, -0.2), Matrix3d::Zero(), {});
  EXPECT_FALSE(mass_definiteness(point).indefinite());  // its inertia about the axis through it vanishes
  EXPECT_FALSE(mass_definiteness(make_rigid_sid(0.0, Vector3d::Zero(), Matrix3d::Zero(), {})).indefinite());
}

TEST(MassDefiniteness, FollowsFromADiscOfKnownMoments) {
  Sid sid = Sid::zeros({"q1"}, {});  // one mass m that moves by q along x: coefficients of modulus m
  sid.refmod.mass = 2.0;
  sid.J.M0.setIdentity();
  sid.Me.M0 << 8.0;
  sid.Ct.M0(0, 0) = 2.0;  // cosine 2 / sqrt(2 * 8) = 1/2
  EXPECT_NEAR(mass_definiteness(sid).smallest, 0.5, 1e-15);
  sid.Ct.M0(0, 0) = 6.0;  // 3/2: more than any shape can have
  EXPECT_NEAR(mass_definiteness(sid).smallest, -0.5, 1e-15);
  sid.Ct.M0.setZero();
  sid.Me.M0 << -8.0;
  EXPECT_NEAR(mass_definiteness(sid).smallest, -1.0, 1e-15);
  sid.Me.M0 << 0.0;
  sid.Ct.M0(0, 0) = 1.0;
  EXPECT_TRUE(mass_definiteness(sid).indefinite());
}

TEST(MassDefiniteness, DoesNotDependOnUnits) {
  for (const Sid& sid : {random_sid(3), indefinite_sid()}) {
    const double smallest = mass_definiteness(sid).smallest;
    EXPECT_NEAR(mass_definiteness(in_millimetres(sid)).smallest, smallest, 1e-12 * std::abs(smallest));
  }
}

TEST(MassDefiniteness, IsNotDeniedForFewDigits) {
  Sid sid = Sid::zeros({"q1"}, {});
  sid.refmod.mass = 1.0;
  sid.J.M0.setIdentity();
  sid.Ct.M0(0, 0) = 0.333334;  // a rigid shape in six decimals: Me = Ct^2 / m, rounded up and down
  sid.Me.M0 << 0.111111;
  EXPECT_TRUE(mass_definiteness(sid).indefinite());
  EXPECT_FALSE(mass_definiteness(sid, {0.5e-6, 0.0}).indefinite());
}

TEST(UsableSid, HasNoIndefiniteMassUnlessAccepted) {
  const Sid sid = indefinite_sid();
  expect_input_error(
      [&] { require_usable(sid, {}, false); },
      {"mass matrix [m, mc, J, Ct, Cr, Me] is indefinite", "eigenvalue -", "accept_indefinite = true"});
  EXPECT_NO_THROW(require_usable(sid, {}, true));
  EXPECT_FALSE(mass_definiteness(random_sid(2), {}).indefinite());
}

TEST(UsableSid, IsToldWhichIdentitiesItViolates) {
  Sid sid = indefinite_sid();
  sid.mdCM.M1[0] *= 2.0;
  expect_input_error([&] { require_usable(sid, {}, false); }, {"indefinite", "violated: mdCM.M1 = Ct^T;"});
}

}  // namespace
}  // namespace kurbel
