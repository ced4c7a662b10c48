#include "sid/sid_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/sid/point_mass_sid.hpp"

namespace kurbel {
namespace {

std::vector<std::string> violated(const Sid& sid) {
  std::vector<std::string> names;
  for (const SidIdentity& identity : sid_identities(sid)) {
    if (!identity.holds()) names.push_back(identity.name);
  }
  return names;
}

TEST(SidInfo, IdentitiesHoldForEveryBody) {
  for (const Eigen::Index n_q : {0, 1, 2, 5}) {
    for (const Sid& sid : {random_sid(n_q), random_stiffened_sid(n_q)}) {
      for (const SidIdentity& identity : sid_identities(sid)) {
        EXPECT_LT(identity.violation, 1e-14)
            << identity.name << ", n_q = " << n_q;  // sums of seven terms: rounding
      }
    }
  }
}

TEST(SidInfo, IdentitiesFindEveryWrongMember) {
  const std::vector<std::pair<std::string, std::function<void(Sid&)>>> cases = {
      {"J symmetric", [](Sid& s) { s.J.Mn[1](0, 1) += 1.0; }},
      {"Me symmetric", [](Sid& s) { s.Me.M0(0, 1) += 1.0; }},
      {"Ke symmetric", [](Sid& s) { s.Ke.M0(0, 1) += 1e6; }},
      {"De symmetric", [](Sid& s) { s.De.M0(0, 1) += 1.0; }},
      {"mdCM.M1 = Ct^T", [](Sid& s) { s.Ct.M0(1, 2) += 1.0; }},
      {"Ge.M0 = 2 Cr.M1", [](Sid& s) { s.Ge.M0.leftCols(3).swap(s.Ge.M0.rightCols(3)); }},
      {"J.M1 = sym Gr.M0", [](Sid& s) { s.J.M1[0](1, 1) += 1.0; }},
      {"Oe.M0 = form of -Gr.M0/2", [](Sid& s) { s.Oe.M0.col(4).swap(s.Oe.M0.col(5)); }},
      {"node origin.M1 = phi", [](Sid& s) { s.frame[1].phi.M0(0, 0) += 1.0; }},
      {"node AP.M1 = psi~ AP", [](Sid& s) { s.frame[0].psi.M0(2, 1) += 1.0; }},
      {"principal inertias of a real body", [](Sid& s) { s.J.M0(0, 0) += 1e3; }}};
  for (const auto& [name, spoil] : cases) {
    Sid sid = random_sid(2);
    spoil(sid);
    EXPECT_THAT(violated(sid), ::testing::Contains(name));
  }
}

TEST(SidInfo, IdentitiesFindAWrongSecondOrderDisplacement) {
  Sid sid = random_stiffened_sid(2);
  sid.Ct.M1[0](1, 2) += 1.0;
  EXPECT_THAT(violated(sid), ::testing::ElementsAre("Ct.M1 symmetric"));
  sid = random_stiffened_sid(2);
  sid.Cr.M1[0](1, 2) += 1.0;
  EXPECT_THAT(violated(sid), ::testing::ElementsAre("Ge.M0 = Cr.M1 - its transpose"));
}

TEST(SidInfo, RecoversMassCentreAndInertia) {
  const Vector3d com(0.25, -0.1, 0.3);
  Matrix3d inertia;
  inertia << 2.0, 0.3, -0.1, 0.3, 3.0, 0.2, -0.1, 0.2, 4.0;
  const RigidProperties p = rigid_properties(make_rigid_sid(0.5, com, inertia, {}));
  EXPECT_DOUBLE_EQ(p.mass, 0.5);
  EXPECT_LT((p.centre_of_mass - com).norm(), 1e-15);
  EXPECT_LT((p.inertia - inertia).norm(), 1e-14);
  EXPECT_NEAR(p.principal.sum(), inertia.trace(), 1e-13);
}

TEST(SidInfo, FrequenciesOfTwoMassesBetweenWalls) {
  Sid sid = Sid::zeros({"q1", "q2"}, {});
  const double m = 2.0, k = 5e4;
  sid.Me.M0 = m * MatrixXd::Identity(2, 2);
  sid.Ke.M0 << 2 * k, -k, -k, 2 * k;
  const VectorXd f = natural_frequencies(sid);
  ASSERT_EQ(f.size(), 2);
  EXPECT_NEAR(f[0], std::sqrt(k / m) / (2 * std::numbers::pi), 1e-12 * f[1]);
  EXPECT_NEAR(f[1], std::sqrt(3 * k / m) / (2 * std::numbers::pi), 1e-12 * f[1]);
}

TEST(SidInfo, ShowsUnstableStiffnessAndBadMass) {
  Sid sid = Sid::zeros({"q1"}, {});
  sid.Me.M0 << 1.0;
  sid.Ke.M0 << -4.0 * std::numbers::pi * std::numbers::pi;
  EXPECT_NEAR(natural_frequencies(sid)[0], -1.0, 1e-14);
  sid.Me.M0 << -1.0;
  EXPECT_EQ(natural_frequencies(sid).size(), 0);
}

}  // namespace
}  // namespace kurbel
