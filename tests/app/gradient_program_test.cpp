/// `kurbel gradient` as its user meets it: what a check says, and what is told of the continuous adjoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "input/vtu_reader.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using testing::HasSubstr;
using testing::Not;

/// A cantilever whose end is pushed all at once: normal modes from 70 Hz on, the static answer to the push
/// far above.
const char* const cantilever = R"([bodies.beam]
type = "flexible"
mesh = { shape = "rectangle", origin = [0.0, -0.01], size = [0.2, 0.02], divisions = [6, 2], thickness = 0.01 }
material = { youngs_modulus = 1e9, poisson_ratio = 0.3, density = 1000.0 }
clamp = { x = 0.0 }
markers = { tip = { x = 0.2 } }
modes = { normal = 3 }
[joints.wall]
type = "fixed"
from = "ground"
to = "beam"
[loads.push]
marker = "beam.tip"
force = [0.0, 1.0, 0.0]
[integrator]
t1 = 0.02
step = 1e-3
[objective]
type = "integral-compliance"
body = "beam"
[design]
start = 0.6
)";

/// A driven bar without any elasticity.
const char* const rigid_bar = R"([bodies.bar]
type = "rigid"
mass = 1.0
centre_of_mass = [0.5, 0.0, 0.0]
inertia = [0.01, 0.1, 0.1]
[joints.hinge]
type = "revolute"
from = "ground"
to = "bar"
[springs.coil]
from = "ground"
to = "bar.end"
stiffness = 20.0
free_length = 0.5
[bodies.bar.markers.end]
position = [1.0, 0.0, 0.0]
[bodies.bar.initial]
angular_velocity = [0.0, 0.0, 2.0]
[integrator]
t1 = 0.5
step = 0.005
[variables.mass]
quantity = "bodies.bar.mass"
lower = 0.5
upper = 2.0
[objective]
type = "velocity"
marker = "bar.end"
time = "mean"
)";

class GradientProgram : public testing::Test {
 protected:
  GradientProgram() {
    write_text_file(folder_ / "cantilever.toml", cantilever);
    write_text_file(folder_ / "bar.toml", rigid_bar);
  }
  Outcome gradient(const std::string& input, const std::string& arguments) {
    return test::run("gradient " + input + " " + arguments + " --output " + (folder_ / "out").string() +
                     " --json " + (folder_ / "numbers.json").string());
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  nlohmann::json numbers() const { return nlohmann::json::parse(read_text_file(folder_ / "numbers.json")); }
  std::set<std::string> checked_functions() const {
    std::set<std::string> names;
    const nlohmann::json all = numbers();
    for (const auto& row : all["check"]) names.insert(row["function"]);
    return names;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(GradientProgram, ChecksEveryConstraintByName) {
  const Outcome o = gradient(
      path("cantilever.toml"),
      "--check 2 --set constraints.volume_fraction=0.7 --set constraints.mass=0.1 --set "
      "'constraints.criteria.deflection={type=\"displacement\", marker=\"beam.tip\", component=\"y\", "
      "time=\"final\", upper=0.1}'");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(checked_functions(), (std::set<std::string>{"psi", "deflection", "volume_fraction", "mass"}));
  const nlohmann::json all = numbers();
  EXPECT_EQ(all["verdict"], "agrees");
  for (const auto& row : all["check"]) EXPECT_EQ(row["verdict"], "agrees") << row;
}

// With this start, members are too wide everywhere.
TEST_F(GradientProgram, ChecksTheBoundOnMembers) {
  const Outcome o = gradient(path("cantilever.toml"),
                             "--check 2 --set bodies.beam.mesh.divisions=[40,8] --set design.start=0.9 --set "
                             "'filter={type=\"density\",radius=0.01}' --set projection.beta_start=4.0 --set "
                             "'bodies.beam.manufacturing.maximum_member=\"16 mm\"'");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(checked_functions(), (std::set<std::string>{"psi", "beam.excess_of_members"}));
  for (const auto& row : numbers()["check"]) {
    EXPECT_EQ(row["verdict"], "agrees") << row;
    EXPECT_NE(row["adjoint"], 0.0) << row;
  }
}

TEST_F(GradientProgram, TellsTheGradientsOfConstraintsAsThatOfPsi) {
  const std::string deflection = R"({type="displacement", marker="beam.tip", component="y", time="final")";
  const Outcome o = gradient(path("cantilever.toml"), "--set 'objective=" + deflection +
                                                          "}' --set 'constraints.criteria.sag=" + deflection +
                                                          ", upper=0.1}'");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* name : {"sensitivity", "design_sensitivity"}) {
    const auto field = [&](const std::string& of) {
      return read_vtu_cells(path("out/gradient.vtu"), {of}).arrays.at(of);
    };
    const VectorXd of_psi = field(name);
    EXPECT_GT(of_psi.norm(), 0.0);
    // Both are columns of one block of right-hand sides, which BLAS rounds by their places in it.
    EXPECT_LT((of_psi - field(name + std::string("_sag"))).norm(), 1e-13 * of_psi.norm());
  }
  const std::string of_elements = " / d design variables of elements, each from 0 to 1 (12): norm ";
  EXPECT_THAT(o.text, HasSubstr("d psi" + of_elements));
  EXPECT_THAT(o.text, HasSubstr("d sag" + of_elements));
}

TEST_F(GradientProgram, ChecksEveryConstraintOfAControlByName) {
  const Outcome o = gradient(KURBEL_SOURCE_DIR "/inputs/papers/one_mass_oscillator.toml", "--check 2");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(checked_functions(), testing::IsSupersetOf({"psi", "reaction@1"}));
  EXPECT_THAT(o.text, HasSubstr("\nreaction\n"));
}

TEST_F(GradientProgram, AgreesNextToTheThresholdOfSimp) {
  for (const char* start : {"0.1", "0.1001", "0.0999", "0.100000001"}) {
    const Outcome o = gradient(path("cantilever.toml"), std::string("--check 2 --set design.start=") + start);
    EXPECT_EQ(o.exit_code, 0) << start << "\n" << o.text;
  }
}

TEST_F(GradientProgram, CannotTellBelowTheAccuracyOfTheDifferences) {
  const Outcome o = gradient(path("cantilever.toml"), "--check 2 --tolerance 1e-16");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.text, HasSubstr("CANNOT TELL"));
  EXPECT_EQ(numbers()["verdict"], "cannot tell");
}

TEST_F(GradientProgram, FindsWhatTheContinuousAdjointGetsWrongOfAStiffBody) {
  const Outcome o =
      gradient(path("cantilever.toml"), "--check 2 --set sensitivity.method=continuous-adjoint");
  EXPECT_EQ(o.exit_code, 1) << o.text;
  EXPECT_THAT(o.text, HasSubstr("warning: the gradient of psi by the continuous adjoint is "));
  EXPECT_EQ(numbers()["verdict"], "differs");
  EXPECT_GT(numbers()["adjoint_error"].get<double>(), 0.01);
}

TEST_F(GradientProgram, DoesNotWarnOfTheContinuousAdjointWhereTheStepsResolveTheMotion) {
  const Outcome o = gradient(path("bar.toml"), "--set sensitivity.method=continuous-adjoint");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, Not(HasSubstr("warning")));
  EXPECT_THAT(o.text, HasSubstr("the gradient of psi by the continuous adjoint is "));
  EXPECT_LT(numbers()["adjoint_error"].get<double>(), 0.01);
}

TEST_F(GradientProgram, DoesNotWarnOfTheContinuousAdjointWhereTheMotionIsSmooth) {
  // Modes from 378 Hz on, steps of 5 ms, but a drive that hardly excites them: 0.025 %.
  const Outcome o = gradient(KURBEL_SOURCE_DIR "/inputs/cranks/flexible_crank_small.toml",
                             "--set sensitivity.method=continuous-adjoint");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, Not(HasSubstr("warning")));
  EXPECT_LT(numbers()["adjoint_error"].get<double>(), 1e-3);
}

TEST_F(GradientProgram, MeasuresTheContinuousAdjointAlongADirectionWhereStepsHaveNoDiscreteOne) {
  const auto densely = [&](const std::string& options) {
    return gradient(KURBEL_SOURCE_DIR "/inputs/papers/five_bar.toml",
                    "--set formulation=joint-hamiltonian --set integrator.method=dormand-prince --set "
                    "integrator.dense_output=true --set integrator.t1=2.0 " +
                        options);
  };
  Outcome o = densely("--set integrator.step=0.2 --set integrator.tolerance=1e-3");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, testing::ContainsRegex(
                          "warning: the gradient of [a-z]+ by the continuous adjoint is [0-9.]+ % off "
                          "a central difference along one direction"));
  EXPECT_GT(numbers()["adjoint_error"].get<double>(), 0.01);
  o = densely("--set integrator.step=5e-3 --set integrator.tolerance=1e-9");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, Not(HasSubstr("warning")));
  EXPECT_LT(numbers()["adjoint_error"].get<double>(), 1e-3);
}

TEST_F(GradientProgram, DoesNotMeasureWhatIsExact) {
  const Outcome o = gradient(path("bar.toml"), "");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, Not(HasSubstr("continuous adjoint")));
}

TEST_F(GradientProgram, OptimizationWarnsOnceOfTheContinuousAdjoint) {
  const Outcome o =
      test::run("optimize " + path("cantilever.toml") +
                " --set sensitivity.method=continuous-adjoint --set optimizer.stop.iterations=3 "
                "--set constraints.volume_fraction=0.6 --output " +
                path("run"));
  const std::string warning = "the gradient of psi by the continuous adjoint is ";
  EXPECT_THAT(o.text, HasSubstr(warning));
  EXPECT_EQ(o.text.find(warning), o.text.rfind(warning));
}

}  // namespace
}  // namespace kurbel
