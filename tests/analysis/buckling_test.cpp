/// Buckling of bodies at rest: Euler's column, what does not buckle, and gradients by differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beam_text.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::beam_text;
using test::study_of;
using testing::HasSubstr;

std::string pushed(double x, double y) {
  return "[loads.push]\nmarker = \"beam.end\"\nforce = [" + std::to_string(x) + ", " + std::to_string(y) +
         ", 0.0]\n";
}

const std::string lowest_loads = R"([objective]
type = "buckling-load"
body = "beam"
[constraints.criteria.second]
type = "buckling-load"
body = "beam"
modes = 2
lower = 1.0
)";

const std::vector<std::string> long_column = {
    "bodies.beam.mesh.size=[20.0,1.0]", "bodies.beam.mesh.divisions=[80,4]",
    "bodies.beam.mesh.element=incompatible", "bodies.beam.markers.end.x=20.0",
    "bodies.beam.markers.top.x=10.0"};

TEST(Buckling, HasTheLoadsOfEulersColumn) {
  Study study = study_of(beam_text("static", pushed(-0.01, 0.0) + lowest_loads), long_column);
  const ChainResult at = answer(study, study.start());
  const double EI = 200.0 * 0.5 / 12.0, L = 20.0, euler = EIGEN_PI * EIGEN_PI * EI / (4.0 * L * L) / 0.01;
  // Shear takes 1 / (1 + P / (5/6 G A)) of it.
  const double shear = 0.01 / (5.0 / 6.0 * 100.0 * 0.5);
  EXPECT_NEAR(at.psi, euler / (1.0 + shear * euler), 1e-3 * euler);
  const double second = 9.0 * euler;
  EXPECT_NEAR(at.criteria[0], second / (1.0 + shear * second),
              5e-3 * second);  // P / (E A), which Euler neglects
  EXPECT_NEAR(at.psi, euler, 0.01 * euler);
  EXPECT_EQ(at.answer->fields(0)[1].name, "buckling_1");
}

TEST(Buckling, IsInverseToTheLoad) {
  Study one = study_of(beam_text("static", pushed(-1.0, 0.1) + lowest_loads)),
        two = study_of(beam_text("static", pushed(-2.0, 0.2) + lowest_loads));
  const double first = answer(one, one.start()).psi;
  EXPECT_NEAR(answer(two, two.start()).psi, 0.5 * first, 1e-9 * first);
}

// A body with few degrees of freedom has its loads from full matrices, a larger one by iteration, whatever its units are.
TEST(Buckling, IsInverseToSmallLoadsOnAnyMesh) {
  for (const char* divisions : {"[6,1]", "[40,4]"}) {
    const std::string mesh = std::string("bodies.beam.mesh.divisions=") + divisions;
    double of_one = 0.0;
    for (const double load : {1.0, 1e-9}) {
      const std::string text = beam_text(
          "static",
          "[loads.push]\nmarker = \"beam.end\"\nforce = [" + std::to_string(-load * 1e9) +
              "e-9, 0.0, 0.0]\n[objective]\ntype = \"buckling-load\"\nbody = \"beam\"\nmodes = [1, 4]\n");
      Study study = study_of(text, {mesh});
      const double sum = answer(study, study.start()).psi;
      if (load == 1.0) of_one = sum;
      EXPECT_GT(sum, 0.1);
      EXPECT_NEAR(load * sum, of_one, 1e-7 * of_one) << divisions;
    }
  }
}

TEST(Buckling, DoesNotHappenWithoutALoad) {
  Study study = study_of("gravity = [0.0, 0.0, -9.81]\n" + beam_text("static", lowest_loads));
  ChainResult result;
  const Status status = study.simulate(study.start(), result);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), HasSubstr("no load deforms the body"));
}

TEST(Buckling, DoesNotHappenInTension) {
  Study study = study_of(beam_text("static", pushed(1.0, 0.0) + lowest_loads));
  ChainResult result;
  const Status status = study.simulate(study.start(), result);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), HasSubstr("tension does not buckle"));
}

/// Two load cases, several modes, and forms of the material law.
std::string buckling_cases() {
  return beam_text("static", pushed(-1.0, 0.1) + R"([cases.along]
[cases.aside]
weight = 2.0
gravity = [-0.3, -0.2, 0.0]
[cases.aside.loads.push]
marker = "beam.end"
force = [-2.0, -1.0, 0.0]
[[objective]]
type = "buckling-load"
body = "beam"
modes = [1, 4]
aggregate = "ks"
exponent = -0.05
weight = -1.0
[[objective]]
type = "mass"
body = "beam"
[constraints]
volume_fraction = 0.5
[constraints.criteria.stable]
type = "buckling-load"
body = "beam"
modes = [1, 3]
aggregate = "sum"
lower = 5.0
[constraints.criteria.first]
type = "buckling-load"
body = "beam"
cases = ["aside"]
lower = 5.0
)");
}

TEST(Buckling, HasTheGradientsOfDifferences) {
  const std::vector<std::vector<std::string>> laws = {
      {},
      {"bodies.beam.simp.stiffness=modified", "bodies.beam.simp.void_stiffness=1e-2",
       "bodies.beam.mesh.element=incompatible"},
      {"bodies.beam.simp.stiffness=ramp", "bodies.beam.simp.s=5", "bodies.beam.simp.void_stiffness=1e-3"}};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    Study study = study_of(buckling_cases(), laws[i]);
    const VectorXd x = test::random_design(study.n_variables(), static_cast<unsigned>(i));
    EXPECT_LT(test::gradient_error(study, x, static_cast<unsigned>(i)), 1e-6) << "law " << i;
  }
}

TEST(Buckling, HasTheGradientsOfThicknessesAndModuli) {
  Study study = study_of(buckling_cases() + test::thickness_and_modulus + test::with_densities,
                         {"bodies.beam.simp.stiffness=modified", "bodies.beam.simp.void_stiffness=1e-2"});
  const VectorXd x = test::random_design(study.n_variables(), 3);
  EXPECT_LT(test::gradient_error(study, x, 3), 1e-6);
}

}  // namespace
}  // namespace kurbel
