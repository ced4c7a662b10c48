/// `kurbel check` warns of what a run would lack, and of nothing that is usual.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "input_variant.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::check;
using test::Outcome;
using test::Variant;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CheckWarnings, NameTablesThatAnOptimizationLacks) {
  const TemporaryFolder folder;
  write_text_file(folder / "arm.toml", R"(
[bodies.arm]
type = "flexible"
mesh = { shape = "rectangle", origin = [0.0, 0.0], size = [0.1, 0.02], divisions = [10, 4], thickness = 5e-3 }
material = { youngs_modulus = 7e10, poisson_ratio = 0.3, density = 2700.0 }
modes.normal = 2
clamp.x = 0.0
[joints.hinge]
type = "revolute"
from = "ground"
to = "arm"
[objective]
type = "integral-compliance"
body = "arm"
[integrator]
t1 = 0.1
step = 1e-3
)");
  const std::string file = (folder / "arm.toml").string();
  const Outcome outcome = test::run("check " + file);
  for (const char* words : {"joints drive nothing, and no force acts", "varies densities without a [filter]",
                            "no constraint bounds the material", "degrees of freedom: 3, 1 of them rigid"})
    EXPECT_THAT(outcome.text, HasSubstr(words));
  const Outcome complete =
      test::run("check " + file + " --set gravity=[0,-9.81,0] --set constraints.volume_fraction=0.5 --set " +
                R"('filter={type="density",radius=5e-3}')");
  EXPECT_THAT(complete.text, Not(HasSubstr("warning: ")));
  EXPECT_THAT(test::run("check " + file + " --set 'cases.fall.gravity=[0,-9.81,0]'").text,
              Not(HasSubstr("drive nothing")))
      << "each case is examined by itself";
}

/// An arm that turns at a constant rate from the start, and sags about 0.1 mm under its weight.
TEST(CheckWarnings, NameBodiesThatStartUndeformedInAMotionThatBendsThem) {
  const TemporaryFolder folder;
  write_text_file(folder / "arm.toml", R"(
gravity = [0.0, -9.81, 0.0]
[bodies.arm]
type = "flexible"
mesh = { shape = "rectangle", origin = [0.0, -0.01], size = [0.5, 0.02], divisions = [40, 2], thickness = 5e-3 }
material = { youngs_modulus = 7e10, poisson_ratio = 0.3, density = 2700.0 }
modes.normal = 2
clamp.x = 0.0
[joints.hinge]
type = "revolute"
from = "ground"
to = "arm"
[joints.hinge.drive]
dof = "rz"
type = "constant-rate"
rate = 10.0
[objective]
type = "integral-compliance"
body = "arm"
[constraints]
volume_fraction = 0.5
[filter]
type = "density"
radius = 0.02
[integrator]
t1 = 0.5
step = 1e-3
)");
  const std::string check = "check " + (folder / "arm.toml").string();
  const Outcome outcome = test::run(check);
  EXPECT_THAT(outcome.text, HasSubstr("bodies.arm: starts undeformed in a motion that bends it by"));
  EXPECT_THAT(outcome.text, HasSubstr("Choose initial.state = \"quasi-static\""));
  // With that, from rest, with damping that removes the vibration within a tenth of the time, and without weight.
  for (const char* change : {"'initial.state=\"quasi-static\"'",
                             "'joints.hinge.drive.type=\"spin-up\"' --set joints.hinge.drive.duration=0.2",
                             "bodies.arm.damping.beta=5e-3", "'gravity=[0.0,0.0,0.0]'"}) {
    const Outcome quiet = test::run(check + " --set " + change);
    EXPECT_EQ(quiet.exit_code, 0) << quiet.text;
    EXPECT_THAT(quiet.text, Not(HasSubstr("starts undeformed"))) << change;
  }
}

/// Before what a run says of its result. A simulation is not told of what concerns designs alone.
TEST(CheckWarnings, AreToldBeforeASimulationAndAnOptimization) {
  const TemporaryFolder folder;
  const auto run = [&](const char* command, const std::string& override_) {
    return test::run(fmt::format("{} {} --output {} --overwrite --set optimizer.stop.iterations=1 --set {}",
                                 command, test::input("flexible_crank_small.toml"), (folder / "run").string(),
                                 override_))
        .text;
  };
  const std::string density = "bodies.crank.material.density=7.85", radius = "filter.radius=1e-5";
  for (const char* command : {"simulate", "optimize"}) {
    const std::string text = run(command, density);
    EXPECT_LT(text.find("material.density = 7.85 kg/m^3 is lighter than any solid"), text.find("psi = "))
        << text;
  }
  const std::string text = run("optimize", radius);
  EXPECT_LT(text.find("filter.radius = 1e-05 m is below an element of crank"), text.find("psi = ")) << text;
  EXPECT_THAT(run("simulate", radius), Not(HasSubstr("warning: ")));
}

TEST(CheckWarnings, AreInTheNumbers) {
  const TemporaryFolder folder;
  const std::string json = (folder / "numbers.json").string();
  check({"modulus in MPa",
         "flexible_crank_small.toml",
         {"bodies.crank.material.youngs_modulus=210000"},
         "",
         ""},
        " --json " + json);
  const auto numbers = nlohmann::json::parse(read_text_file(json));
  ASSERT_GE(numbers["warnings"].size(), 1U);
  EXPECT_THAT(numbers["warnings"][0].get<std::string>(),
              HasSubstr("--set bodies.crank.material.youngs_modulus=210000"));
}

// A table that holds one level, a kerb whose face is slanted, and a weak spring that returns a part beside a large force are usual.
TEST(CheckWarnings, SpareWhatIsUsual) {
  const std::vector<Variant> usual = {
      {"a level",
       "wishbone_corner.toml",
       {R"(loads.road_z.force=[0.0,0.0,{type="table",t=[0.0,0.5,1.0],values=[50.0,50.0,50.0]}])"},
       "loads.road_z",
       ""},
      {"a kerb", "buggy_step.toml", {"road.height=0.08", "road.width=0.01"}, ": road", ""},
      {"a return spring",
       "wishbone_corner.toml",
       {"springs.shock.stiffness=150", "variables.stiffness.lower=100", "variables.stiffness.upper=300",
        R"(loads.road_z.force=[0.0,0.0,{type="harmonic",amplitude=16000.0,frequency=2.0}])"},
       "springs.shock.stiffness",
       ""},
      {"twenty steps per turn", "balanced_crank.toml", {"integrator.step=0.005"}, "joints.bearing.drive", ""},
      {"five turns",
       "least_time_arm.toml",
       {"constraints.criteria.shoulder.equals=31.41592653589793"},
       "constraints.criteria.shoulder",
       ""}};
  for (const Variant& variant : usual) {
    SCOPED_TRACE(variant.what);
    const Outcome outcome = check(variant);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    for (std::size_t at = 0; (at = outcome.text.find("warning: ", at)) != std::string::npos; ++at)
      EXPECT_THAT(outcome.text.substr(at, outcome.text.find('\n', at) - at), Not(HasSubstr(variant.key)));
  }
}

/// The start of the lane change has no velocity across, and the table of its steering begins with a slope. The published
/// beam has a modulus of one.
bool is_told_with_reason(const std::string& file, const std::string& warning) {
  if (file == "mbb_beam.toml") return warning.find("softer than rubber") != std::string::npos;
  // The drawn arm bends under its own weight, which turns the sensor.
  return (file == "buggy_lane_change.toml" || file == "lifting_arm_drawn.toml") &&
         warning.find("the joints change the initial") != std::string::npos;
}

TEST(CheckWarnings, SpareTheProblemsThatComeWithTheProgram) {
  std::vector<std::filesystem::path> problems = test::inputs();
  for (const auto& entry : std::filesystem::directory_iterator(test::user_problem("")))
    problems.push_back(entry.path());
  for (const std::filesystem::path& problem : problems) {
    const std::string file = problem.filename().string();
    if (file == "crank_from_sid.toml") continue;
    SCOPED_TRACE(file);
    const Outcome outcome = test::run("check " + problem.string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    for (std::size_t at = 0; (at = outcome.text.find("warning: ", at)) != std::string::npos; ++at) {
      const std::string warning = outcome.text.substr(at, outcome.text.find('\n', at) - at);
      EXPECT_TRUE(is_told_with_reason(file, warning)) << warning;
    }
  }
}

}  // namespace
}  // namespace kurbel
