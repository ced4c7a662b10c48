/// Accelerations and reactions are requested only where the integrator damps them.
#include "problem/damping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bad_input.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

/// A bar on a hinge, 100 steps. Line 13 holds rho_inf.
const char* const pendulum = R"([bodies.bar]
type = "rigid"
mass = 1.0
centre_of_mass = [0.5, 0.0, 0.0]
inertia = [0.01, 0.1, 0.1]
[joints.hinge]
type = "revolute"
from = "ground"
to = "bar"
[integrator]
t1 = 1.0
step = 0.01
rho_inf = 1.0
[objective]
type = "kinetic-energy"
time = "mean"
)";

Problem read(const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::parse(pendulum, "pendulum.toml", ".", overrides));
}

std::string objective(const char* type) {
  return std::string("objective={time=\"mean\", type=\"") + type + "\"";
}

TEST(Undamped, IsRefusedWithFileLineAndKeyWhereACriterionReadsWhatOscillates) {
  const std::string place =
      "crank.toml:13: integrator.rho_inf = 1 does not damp what joints and drives excite in accelerations "
      "and reactions, and ";
  const std::string advice = "; take rho_inf = 0.91 or less";
  EXPECT_EQ(error_of(pendulum, {objective("reaction-force") + ", joint=\"hinge\"}"}),
            place + "objective.type asks for them" + advice);
  EXPECT_EQ(error_of(pendulum, {objective("reaction-moment") + ", joint=\"hinge\"}"}),
            place + "objective.type asks for them" + advice);
  EXPECT_EQ(error_of(pendulum, {objective("acceleration") + ", marker=\"bar.origin\"}"}),
            place + "objective.type asks for them" + advice);
  EXPECT_EQ(error_of(pendulum, {"joints.hinge.drive={type=\"constant-rate\", dof=\"rz\", rate=1.0}",
                                objective("drive-torque") + ", joint=\"hinge\"}"}),
            place + "objective.type asks for them" + advice);
  EXPECT_EQ(
      error_of(pendulum, {"constraints.criteria.c={terms=[{type=\"mass\", body=\"bar\"}, "
                          "{type=\"acceleration\", time=\"mean\", marker=\"bar.origin\"}], upper=1.0}"}),
      place + "constraints.criteria.c.terms.1.type asks for them" + advice);
}

TEST(Undamped, IsRefusedForTheContinuousAdjointWhateverTheCriterion) {
  EXPECT_THAT(error_of(pendulum, {"sensitivity.method=\"continuous-adjoint\""}),
              HasSubstr("integrator.rho_inf = 1 does not damp what joints and drives excite in accelerations "
                        "and reactions, and sensitivity.method = \"continuous-adjoint\" reads them"));
}

TEST(Undamped, IsTakenWhereNothingOscillates) {
  // Of energies, positions and velocities, and of any quantity without constraints.
  EXPECT_NO_THROW(read({}));
  EXPECT_NO_THROW(read({objective("velocity") + ", marker=\"bar.origin\"}"}));
  EXPECT_NO_THROW(
      read({objective("acceleration") + ", marker=\"bar.origin\"}", "joints={}", "integrator.rho_inf=1"}));
}

TEST(WarningOfOscillation, ComesWhenTheEndOfTheRunStillCarriesSome) {
  const auto warning = [](const std::vector<std::string>& overrides) {
    return warning_of_oscillation(read(overrides)).value_or("");
  };
  EXPECT_THAT(warning({}),
              HasSubstr("with integrator.rho_inf = 1, 1 of the oscillation is left after 100 steps"));
  EXPECT_THAT(warning({}), HasSubstr("Choose rho_inf = 0.91 or less"));
  EXPECT_THAT(warning({"integrator.rho_inf=0.92"}), HasSubstr("0.00024 of the oscillation is left"));
  EXPECT_EQ(warning({"integrator.rho_inf=0.91"}), "");
  EXPECT_EQ(warning({"integrator.rho_inf=0.92", "integrator.step=0.001"}), "");
  EXPECT_EQ(warning({"joints={}"}), "");
}

TEST(WarningOfOscillation, OfTheUsualDampingComesOnlyWhereACriterionReadsIt) {
  const auto warning = [](const std::string& term) {
    return warning_of_oscillation(read({"integrator.rho_inf=0.8", "integrator.step=0.05", term}))
        .value_or("");
  };
  EXPECT_EQ(warning(objective("kinetic-energy") + "}"), "");
  EXPECT_THAT(warning(objective("reaction-force") + ", joint=\"hinge\"}"), HasSubstr("after 20 steps"));
}

TEST(WarningOfOscillation, ComesForOutputsAsWell) {
  const auto warning = [](const std::string& output) {
    return warning_of_oscillation(read({"integrator.rho_inf=0.8", "integrator.step=0.05", output}))
        .value_or("");
  };
  EXPECT_EQ(warning("outputs.o={type=\"joint-angle\", joint=\"hinge\"}"), "");
  EXPECT_THAT(warning("outputs.o={type=\"reaction-force\", joint=\"hinge\"}"), HasSubstr("after 20 steps"));
}

}  // namespace
}  // namespace kurbel
