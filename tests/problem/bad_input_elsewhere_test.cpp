/// Inputs that are wrong elsewhere than at one key of one line: by an override, as a whole, or for a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bad_input.hpp"
#include "crank_text.hpp"
#include "problem/checks.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

TEST(BadInputByOverride, IsNamedInsteadOfALine) {
  const auto with = [](const std::string& change) { return error_of(crank_text, {change}); };
  EXPECT_EQ(
      with("bodies.crank.material.poisson_ratio=0.7"),
      "--set bodies.crank.material.poisson_ratio=0.7: bodies.crank.material.poisson_ratio = 0.7 is outside "
      "(-1, 0.5)");
  EXPECT_EQ(with("filter.radiuss=0.1"),
            "--set filter.radiuss=0.1: unknown key filter.radiuss; did you mean "
            "filter.radius?");
  EXPECT_EQ(with("bodies.crank.density=7800"),
            "--set bodies.crank.density=7800: unknown key bodies.crank.density; write `material.density` of "
            "a flexible body, `mass` of a rigid one");
  EXPECT_EQ(
      with("joints.pin.axis=[0,0,1]"),
      "--set joints.pin.axis=[0,0,1]: unknown key joints.pin.axis; a hinge turns about the z axis of its "
      "markers, and a slider moves along it: give both markers a `rotation`");
  EXPECT_EQ(with("webs.crank.x=1"),
            "--set webs.crank.x=1: unknown key webs; known here: analysis, beams, bodies, bushings, "
            "constraints, controls, "
            "coordinates, design, filter, formulation, frequency_response, gravity, ground, initial, "
            "integrator, joints, loads, "
            "masses, objective, optimizer, output, outputs, points, projection, road, sensitivity, springs, "
            "stages, stops, title, torsion_springs, tyres, variables");
}

TEST(BadInputElsewhere, JointNamedTwiceIsRefused) {
  std::string text = crank_text;
  text.replace(text.find("[joints.pin]"), 12, "[joints.bearing]");
  const auto line =
      1 +
      std::count(text.begin(), text.begin() + static_cast<long>(text.rfind("[joints.bearing]\ntype")), '\n');
  EXPECT_EQ(error_of(text).rfind("crank.toml:" + std::to_string(line) + ":", 0), 0u) << error_of(text);
}

// Also one that follows another with a minus.
TEST(BadInputElsewhere, CasesDoNotStateWhatIsDesigned) {
  const std::string ball =
      "type = \"rigid\"\nmass = 1.0\ninertia = [1e-3, 1e-3, 1e-3]\ninitial = {velocity = [0.0, 0.0, 0.0]}\n";
  const std::string text =
      "[bodies.a]\n" + ball + "[bodies.b]\n" + ball +
      "[integrator]\nt1 = 0.2\nstep = 0.01\n"
      "[objective]\ntype = \"kinetic-energy\"\ntime = \"mean\"\n"
      "[variables.v]\nquantity = [\"bodies.a.initial.velocity\", \"-bodies.b.initial.velocity\"]\n"
      "component = \"x\"\nlower = -1.0\nupper = 1.0\n[cases.one]\n[cases.other.bodies]\n";
  for (const std::string body : {"a", "b"})
    EXPECT_THAT(error_of(text + body + ".initial.velocity = [0.5, 0.0, 0.0]\n"),
                testing::HasSubstr("cases.other.bodies." + body +
                                   ".initial.velocity is designed by variables.v, which all cases share"));
}

// A list of drives takes the place of the one whose number varies.
TEST(BadInputElsewhere, CasesDoNotReplaceADriveOfWhichANumberIsDesigned) {
  const std::string text =
      "[bodies.a]\ntype = \"rigid\"\nmass = 1.0\ninertia = [1e-3, 1e-3, 1e-3]\n"
      "[joints.j]\ntype = \"revolute\"\nfrom = \"ground\"\nto = \"a\"\n"
      "drive = { dof = \"rz\", type = \"table\", t = [0.0, 0.1, 0.2], values = [0.0, 0.1, 0.2] }\n"
      "[integrator]\nt1 = 0.2\nstep = 0.01\n"
      "[objective]\ntype = \"kinetic-energy\"\ntime = \"mean\"\n"
      "[variables.swing]\nquantity = \"joints.j.drive.values\"\nlower = 0.0\nupper = 1.0\n[cases.one]\n"
      "[[cases.other.joints.j.drive]]\ndof = \"rz\"\ntype = \"constant\"\nvalue = 1.0\n";
  EXPECT_THAT(error_of(text), testing::HasSubstr("cases.other.joints.j.drive is designed by variables.swing, "
                                                 "which all cases share"));
}

TEST(BadInputElsewhere, NoBodiesAreRefused) {
  EXPECT_EQ(error_of("title = \"x\"\n"), "crank.toml:1: bodies is missing; it must be a table");
  EXPECT_EQ(error_of("[bodies]\n"), "crank.toml:1: bodies is empty; a problem needs at least one body");
}

TEST(BadInputElsewhere, SidFileThatCannotBeReadIsRefusedAtItsKey) {
  const std::string text = "[bodies.b]\ntype = \"sid\"\nfile = \"none.h5\"\n";
  EXPECT_EQ(error_of(text).rfind("crank.toml:3: bodies.b.file = \"none.h5\" ", 0), 0u) << error_of(text);
}

TEST(BadInputElsewhere, MeshesThatNoMemoryHoldsAreRefusedBeforeAnyIsTaken) {
  const std::string message = error_of(crank_text, {"bodies.crank.mesh.divisions=[40000, 20000]"});
  EXPECT_THAT(message,
              testing::HasSubstr("bodies.crank.mesh.divisions makes 8e+08 nodes, which with the other "
                                 "bodies take at least "));
  EXPECT_THAT(message, testing::HasSubstr(" GB are there"));
}

TEST(BadInputElsewhere, MotionsThatNoMemoryHoldsAreRefused) {
  const Problem problem = read_problem(TomlDocument::parse(
      crank_text, "crank.toml", ".",
      {"integrator.t1=1000.5", "integrator.step=1e-3", "joints.slider.drive.1.beyond=\"hold\""}));
  EXPECT_EQ(
      input_error_message([&] { check_size(problem, 2e8); }),
      "--set integrator.step=1e-3: integrator.step makes 1e+06 time steps, which take at least 0.304 GB of "
      "memory, and 0.2 GB are there");
  EXPECT_THROW(check_size(problem, 2e8), TooLarge) << "a study waits for memory in this case";
}

TEST(BadInputElsewhere, MemoryIsComparedWithWhatIsThere) {
  const Problem problem = read_problem(TomlDocument::parse(crank_text, "crank.toml", "."));
  EXPECT_NO_THROW(check_size(problem, 1e9));
  expect_input_error([&] { check_size(problem, 1e4); },
                     {"crank.toml:", "bodies.crank.mesh.divisions", "1e-05 GB"});
}

// Its rows would be lost in rounding errors, and its joints said to be redundant.
TEST(BadInputElsewhere, WeightlessBodyIsRefusedByItsMesh) {
  EXPECT_THAT(error_of(crank_text, {"bodies.crank.mesh.thickness=1e-300"}),
              testing::HasSubstr("crank.toml:6: bodies.crank.mesh: size "));
}

TEST(BadInputElsewhere, NameTooLongForAFileIsRefused) {
  EXPECT_THAT(error_of(crank_text, {"springs." + std::string(300, 'x') + "={from=\"ground\", to=\"crank\"}"}),
              testing::HasSubstr("is not a usable name: 300 characters, and 200 are allowed"));
}

constexpr const char* rigid_text = "[bodies.b]\ntype = \"rigid\"\nmass = 1\ninertia = [1, 1, 1]\n";

template <class Require>
std::string error_of_command(Require&& require, const std::string& text,
                             const std::vector<std::string>& overrides = {}) {
  const Problem problem = read_problem(TomlDocument::parse(text, "crank.toml", ".", overrides));
  return input_error_message([&] { require(problem); });
}

TEST(BadInputForACommand, SimulationNeedsATimeSpan) {
  EXPECT_EQ(error_of_command(require_simulation_problem, rigid_text),
            "crank.toml:1: integrator is missing; give a table with t1 and step");
}

TEST(BadInputForACommand, GradientNeedsAnObjectiveAndADesign) {
  EXPECT_EQ(error_of_command(require_gradient_problem, rigid_text, {"integrator={t1=1, step=0.1}"}),
            "crank.toml:1: objective is missing; give a table with a type");
  EXPECT_EQ(error_of_command(require_gradient_problem, crank_text, {"objective=[]"}),
            "--set objective=[]: objective is missing; give a table with a type");
}

TEST(BadInputForACommand, DensitiesCannotExceedTheVolumeOfTheirBodies) {
  EXPECT_EQ(error_of_command(require_optimization_problem, crank_text,
                             {"bodies.crank.initial={}", "constraints={volume_fraction=1.2}"}),
            "--set constraints={volume_fraction=1.2}: constraints.volume_fraction = 1.2 is outside (0, 1]");
}

TEST(BadInputForACommand, OptimizerMustSuitTheConstraints) {
  EXPECT_EQ(
      error_of_command(require_optimization_problem, crank_text,
                       {"bodies.crank.initial={}", "optimizer.method=oc", "constraints={}"})
          .rfind("--set optimizer.method=oc: optimizer.method = \"oc\" does not fit [constraints]: ", 0),
      0u);
  EXPECT_EQ(error_of_command(require_optimization_problem, crank_text,
                             {"bodies.crank.initial={}", "optimizer.method=oc", "constraints={mass=1}"}),
            "no InputError");
  EXPECT_EQ(error_of_command(require_optimization_problem, crank_text,
                             {"bodies.crank.initial={}", "optimizer.method=oc", "constraints={mass=1}",
                              "bodies.crank.manufacturing.maximum_member=0.02"})
                .rfind("--set optimizer.method=oc: optimizer.method = \"oc\" does not fit [constraints] with "
                       "maximum_member: ",
                       0),
            0u);
  EXPECT_EQ(error_of_command(require_optimization_problem, crank_text,
                             {"bodies.crank.initial={}", "optimizer.method=oc",
                              "constraints={criteria={c={type=\"mass\", body=\"crank\", upper=1}}}"}),
            "--set optimizer.method=oc: optimizer.method = \"oc\" does not fit [constraints]: it needs the "
            "volume or the mass as its only constraint; \"mma\" and \"ipopt\" can treat criteria");
  EXPECT_NE(error_of_command(require_optimization_problem, crank_text,
                             {"bodies.crank.initial={}", "optimizer.method=lbfgs"}),
            "no InputError");
}

TEST(BadInputForACommand, ElasticCoordinatesBelongToABasisThatTheDesignDoesNotChange) {
  const std::string reason =
      "gives coordinates in a basis that the design changes, so that psi would depend on signs and scales "
      "of the modes. State the deformation by initial.loads or initial.state, or remove crank from "
      "design.bodies";
  std::string text = crank_text;
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<long>(text.find("q = [0.1")), '\n');
  const std::string place = "crank.toml:" + std::to_string(line) + ": ";
  EXPECT_EQ(error_of_command(require_simulation_problem, text), "no InputError");
  EXPECT_EQ(error_of_command(require_gradient_problem, text), place + "bodies.crank.initial.q " + reason);
  EXPECT_EQ(error_of_command(require_optimization_problem, text), place + "bodies.crank.initial.q " + reason);
  const std::string rates = "bodies.crank.initial={q_dot=[1,2,3,4,5,6]}";
  EXPECT_EQ(error_of_command(require_gradient_problem, text, {rates}),
            "--set " + rates + ": bodies.crank.initial.q_dot " + reason);

  // Variables of the elements change the basis as densities do; those of other bodies do not.
  const auto with_variable = [&](const std::string& quantity) {
    return error_of_command(
        require_gradient_problem, text.substr(0, text.find("[design]")),
        {"variables={v={quantity=\"" + quantity + "\", lower=0.001, upper=1e12}}", "constraints={}"});
  };
  EXPECT_EQ(with_variable("bodies.crank.mesh.thickness"), place + "bodies.crank.initial.q " + reason);
  EXPECT_EQ(with_variable("bodies.crank.material.youngs_modulus"),
            place + "bodies.crank.initial.q " + reason);
  EXPECT_EQ(with_variable("bodies.rod.mass"), "no InputError");
}

}  // namespace
}  // namespace kurbel
