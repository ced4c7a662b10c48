/// `kurbel check` warns of values in wrong units, and of nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

std::string user_problem(const std::string& name) {
  return std::string(KURBEL_SOURCE_DIR) + "/tests/user_problems/" + name;
}

/// An input with values in other units, and the key and words of the warning.
struct Variant {
  const char* what;
  const char* file;
  std::vector<const char*> overrides;
  const char* key;
  const char* words;
};

std::string file_of(const Variant& variant) {
  const bool is_shipped = std::ranges::any_of(
      test::inputs(), [&](const std::filesystem::path& file) { return file.filename() == variant.file; });
  return is_shipped ? test::input(variant.file) : user_problem(variant.file);
}

Outcome check(const Variant& variant, const std::string& options = "") {
  std::string command = "check " + file_of(variant) + options;
  for (const char* text : variant.overrides) command += fmt::format(" --set '{}'", text);
  return test::run(command);
}

/// The first warning, without its folder.
std::string told(const Outcome& outcome) {
  const std::size_t at = outcome.text.find("warning: ") + 9;
  const std::string line = outcome.text.substr(at, outcome.text.find('\n', at) - at);
  return line.starts_with(KURBEL_SOURCE_DIR) ? line.substr(std::string(KURBEL_SOURCE_DIR).size() + 1) : line;
}

const std::vector<Variant> variants = {
    {"modulus in MPa",
     "flexible_crank_small.toml",
     {"bodies.crank.material.youngs_modulus=210000"},
     "bodies.crank.material.youngs_modulus",
     "In MPa it would be 2.1e+11 Pa"},
    {"modulus in GPa",
     "four_bar.toml",
     {"bodies.rocker.material.youngs_modulus=70"},
     "bodies.rocker.material.youngs_modulus",
     "In GPa it would be 7e+10 Pa"},
    {"modulus in kPa",
     "double_pendulum.toml",
     {"bodies.lower.material.youngs_modulus=3e6"},
     "bodies.lower",
     "more than a tenth of its length"},
    {"modulus of a leaf spring in MPa",
     "leaf_arm.toml",
     {"beams.leaf.youngs_modulus=2e5"},
     "beams.leaf.youngs_modulus",
     "In MPa it would be 2e+11 Pa"},
    {"modulus of a planar beam in MPa",
     "flexible_scara.toml",
     {"beams.forearm.youngs_modulus=3000"},
     "beams.forearm.youngs_modulus",
     "In MPa it would be 3e+09 Pa"},
    {"density in t/mm^3",
     "flexible_crank_small.toml",
     {"bodies.crank.material.density=7.85e-9"},
     "bodies.crank.material.density",
     "In t/mm^3 it would be 7850 kg/m^3"},
    {"density in g/cm^3",
     "conrod.toml",
     {"bodies.rod.material.density=7.85"},
     "bodies.rod.material.density",
     "In g/cm^3 it would be 7850 kg/m^3"},
    {"thickness in mm",
     "flexible_crank_small.toml",
     {"bodies.crank.mesh.thickness=10"},
     "bodies.crank.mesh.thickness",
     "In mm it would be 0.01 m"},
    {"mesh in mm",
     "flexible_crank_small.toml",
     {"bodies.crank.mesh.size=[200.0,40.0]", "bodies.crank.mesh.origin=[0.0,-20.0]",
      "bodies.crank.markers.pin.x=200.0", "bodies.crank.regions.bearing.x=[192.0,200.0]"},
     "bodies.crank.mesh",
     "Are both in m?"},
    {"one edge in mm",
     "blade.toml",
     {"bodies.blade.mesh.size=[0.5,40.0]", "bodies.blade.mesh.origin=[0.0,-20.0]"},
     "bodies.blade.mesh",
     "as long as wide. Are all edges in m?"},
    {"section in mm",
     "ancf_pendulum.toml",
     {"beams.pendulum.section.side=50", "variables.side.upper=100"},
     "beams.pendulum.section",
     "In mm it would be 0.05 m"},
    {"markers in mm",
     "flexible_crank_small.toml",
     {"bodies.rod.markers.end.position=[500.0,0.0,0.0]", "bodies.rod.centre_of_mass=[250.0,0.0,0.0]"},
     "bodies.rod.markers",
     "Are both in m?"},
    {"mass in g",
     "flexible_crank_small.toml",
     {"bodies.rod.mass=500"},
     "bodies.rod.mass",
     "Is mass in kg, and inertia in kg m^2?"},
    {"mass in t", "suspension.toml", {"bodies.car.mass=0.3"}, "bodies.car.mass", "Is mass in kg"},
    {"inertia in kg mm^2",
     "balanced_crank.toml",
     {"bodies.rod.inertia=[20.0,3750.0,3750.0]"},
     "bodies.rod.mass",
     "inertia in kg m^2?"},
    {"gravity in mm/s^2",
     "double_pendulum.toml",
     {"gravity=[0.0,-9810.0,0.0]"},
     "gravity",
     "Is it in mm/s^2?"},
    {"angle at the start in degrees",
     "five_bar.toml",
     {"bodies.left_crank.initial.rotation=[0.0,0.0,-135.0]"},
     "bodies.left_crank.initial.rotation",
     "In degrees it would be 2.356 rad"},
    {"drive in degrees",
     "leaf_arm.toml",
     {"joints.hub.drive.unit=\"rad\""},
     "joints.hub.drive",
     "steps per turn"},
    {"drive in rpm",
     "conrod.toml",
     {"joints.main_bearing.drive.rate=3000", "joints.main_bearing.drive.unit=\"rad\""},
     "joints.main_bearing.drive",
     "steps per turn at 3e+03 rad/s"},
    {"steps that meet a drive at its zeros alone",
     "double_wishbone.toml",
     {"integrator.step=0.5"},
     "joints.road_rear_left.drive",
     "steps per period at 2"},
    {"drive of a beam in rpm",
     "spinning_beam.toml",
     {"joints.hub.drive.rate=57.3"},
     "joints.hub.drive",
     "steps per turn"},
    {"drive in mm",
     "bracket.toml",
     {"joints.machine.drive.0.amplitude=1.0"},
     "joints.machine.drive.0",
     "In mm it would be"},
    {"duration of a drive in ms",
     "blade.toml",
     {"joints.hub.drive.duration=100"},
     "joints.hub.drive",
     "Are its times in s?"},
    {"steps in ms",
     "flexible_crank_small.toml",
     {"integrator.step=5", "integrator.t1=2000"},
     "joints.bearing.drive",
     "choose integrator.step"},
    {"steps of a pendulum in ms",
     "n_link.toml",
     {"integrator.step=1", "integrator.t1=3000"},
     "integrator.step",
     "In ms it would be 0.001 s"},
    {"speed in mm/s",
     "suspension.toml",
     {"bodies.car.initial.velocity=[15000.0,0.0,0.0]"},
     "bodies.car.initial.velocity",
     "In mm/s it would be 15 m/s"},
    {"tyre in kN/m",
     "suspension.toml",
     {"tyres.tyre.stiffness=200"},
     "tyres.tyre.stiffness",
     "In kN/m it would be 200000 N/m"},
    {"one tyre of four in kN/m",
     "buggy_step.toml",
     {"tyres.front_left.stiffness=120"},
     "tyres.front_left.stiffness",
     "In kN/m it would be 120000 N/m"},
    {"spring in N/mm",
     "five_bar.toml",
     {"springs.side.stiffness=0.1"},
     "springs.side.stiffness",
     "In N/mm it would be 100 N/m"},
    {"spring in mm",
     "suspension.toml",
     {"springs.leg.free_length=750", "variables.free_length.upper=1000"},
     "springs.leg.free_length",
     "In mm it would be 0.75 m"},
    {"damping in ms",
     "arm_codesign.toml",
     {"bodies.forearm.damping.beta=0.2"},
     "bodies.forearm.damping",
     "Is beta in s"},
    {"damping in percent",
     "conrod.toml",
     {"bodies.rod.damping={modal=2.0}"},
     "bodies.rod.damping.modal",
     "2 % are 0.02"},
    {"radius in elements",
     "flexible_crank_small.toml",
     {"filter.radius=3"},
     "filter.radius",
     "3 elements of it would be"},
    {"radius below an element",
     "blade.toml",
     {"filter.radius=1.2e-5"},
     "filter.radius",
     "nothing is filtered"},
    {"one element over the thickness",
     "bracket.toml",
     {"bodies.bracket.mesh.divisions=[24,8,1]"},
     "bodies.bracket.mesh.divisions",
     "lone element along z"},
    {"bound on stress in MPa",
     "conrod.toml",
     {"constraints.criteria.strength.upper=150"},
     "constraints.criteria.strength.upper",
     "In MPa it would be 1.5e+08 Pa"},
    {"bound on a deflection in mm",
     "arm_codesign.toml",
     {"constraints.criteria.deflection.upper=1.5"},
     "constraints.criteria.deflection.upper",
     "In mm it would be 0.0015 m"},
    {"target in mm",
     "arm_codesign.toml",
     {"constraints.criteria.reach.equals=[50.0,450.0]"},
     "constraints.criteria.reach",
     "In mm it would be"},
    {"end of a joint in degrees",
     "least_time_arm.toml",
     {"design.initial_guess.joints.shoulder.end=30.0"},
     "design.initial_guess.joints.shoulder.end",
     "In degrees it would be 0.5236 rad"},
    {"bound on mass in g",
     "crank_and_rod.toml",
     {"constraints.mass=500"},
     "constraints.mass",
     "bounds nothing"},
    {"drive beside a resonance",
     "blade.toml",
     {"bodies.blade.geometric_stiffening=false", "bodies.blade.material.youngs_modulus=3.4e9",
      "joints.hub.drive.rate=700.0", "integrator.step=2e-4"},
     "bodies.blade",
     "is beside the 111 Hz of joints.hub.drive"},
    {"load in mN on a part at rest",
     "l_bracket.toml",
     {"loads.push.force=[0.0,-1500000.0,0.0]"},
     "bodies.bracket",
     "more than a tenth of its length"},
    {"gravity in g", "lifting_arm.toml", {"gravity=[0.0,-1.0,0.0]"}, "gravity", "Is it in g?"},
    {"spring in N/mm under a load",
     "wishbone_corner.toml",
     {"springs.shock.stiffness=30", "variables.stiffness.lower=10", "variables.stiffness.upper=60"},
     "springs.shock.stiffness",
     "In N/mm it would be 30000 N/m"},
    {"frequency of a load in mHz",
     "wishbone_corner.toml",
     {R"(loads.road_z.force=[0.0,0.0,{type="harmonic",amplitude=1500.0,frequency=2000.0,fade_in=0.2}])"},
     "loads.road_z",
     "Check the unit of its frequency"},
    {"end of the motion in ms",
     "flexible_crank_small.toml",
     {"integrator.t1=2000"},
     "integrator.t1",
     "In ms it would be 2 s"},
    {"step of a road in mm", "buggy_step.toml", {"road.height=-10.0"}, "road", "Are its heights in m?"},
    {"bounds of a place in mm",
     "balanced_crank.toml",
     {"variables.counterweight.lower=-80", "variables.counterweight.upper=80"},
     "variables.counterweight",
     "In mm they would be -0.08 m and 0.08 m"},
    {"damper in kN s/m",
     "suspension.toml",
     {"springs.leg.damping=0.5", "variables.damping.lower=0.1", "variables.damping.upper=5.0"},
     "springs.leg.damping",
     "In kN s/m it would be 500 N s/m"},
    {"damper in mN s/m",
     "suspension.toml",
     {"springs.leg.damping=500000", "variables.damping.lower=1e5", "variables.damping.upper=5e6"},
     "springs.leg.damping",
     "Is it in N s/m?"},
    {"torque of a motor in N mm",
     "least_time_arm.toml",
     {"controls.shoulder_torque.lower=-25000", "controls.shoulder_torque.upper=25000"},
     "controls.shoulder_torque",
     "Are they in N m?"},
    {"force of a control in mN",
     "spring_pendulum.toml",
     {"controls.ux.lower=-5500", "controls.ux.upper=5500"},
     "controls.ux",
     "that no mechanism withstands"},
    {"load in kN",
     "wishbone_corner.toml",
     {"loads.car.force=[0.0,0.0,2.0]"},
     "loads.car",
     "In kN it would be 2e+03 N"},
    {"steps in ms without gravity",
     "flexible_scara.toml",
     {"integrator.t1=2000", "integrator.step=1"},
     "integrator.step",
     "In ms it would be 0.001 s"},
    {"angle at the end in degrees",
     "least_time_arm.toml",
     {"constraints.criteria.shoulder.equals=30", "constraints.criteria.elbow.equals=60"},
     "constraints.criteria.shoulder.equals",
     "In degrees it would be 0.5236 rad"},
    {"damping of a response in ms",
     "sensor_bracket.toml",
     {"bodies.bracket.damping.beta=0.02"},
     "bodies.bracket.damping.beta",
     "In ms it would be 2e-05 s"},
    {"bound on stress in kPa",
     "conrod.toml",
     {"constraints.criteria.strength.upper=1.5e5"},
     "constraints.criteria.strength.upper",
     "of the start. Is it in SI units?"},
    {"servos in kN m/rad",
     "arm_in_pose.toml",
     {"torsion_springs.shoulder.stiffness=20", "torsion_springs.elbow.stiffness=8"},
     "constraints.criteria.lowest_frequency.lower",
     "far above"},
    {"bound on a frequency in kHz",
     "arm_in_pose.toml",
     {"constraints.criteria.lowest_frequency.lower=0.027"},
     "constraints.criteria.lowest_frequency.lower",
     "In kHz it would be 27 Hz"},
    {"bound on a sag in mm",
     "arm_in_pose.toml",
     {"constraints.criteria.sag.lower=-0.2"},
     "constraints.criteria.sag.lower",
     "bounds nothing"},
    {"both bounds on a smooth maximum",
     "suspension.toml",
     {"constraints.criteria.extension.lower=0.35"},
     "constraints.criteria.extension.lower",
     "state a criterion of its own with a negative exponent"},
    {"elements in mm",
     "lifting_arm.toml",
     {"bodies.arm.mesh.size=20"},
     "bodies.arm.mesh.size",
     "In mm it would be 0.02 m"},
};

TEST(CheckWarnings, NameKeysWhoseValuesAreInAnotherUnit) {
  for (const Variant& variant : variants) {
    SCOPED_TRACE(fmt::format("{} in {}", variant.what, variant.file));
    const Outcome outcome = check(variant);
    const std::size_t at = outcome.text.find("warning: ");
    EXPECT_NE(at, std::string::npos) << outcome.text;
    if (at == std::string::npos) continue;
    EXPECT_THAT(outcome.text.substr(at), HasSubstr(std::string(variant.key))) << outcome.text;
    EXPECT_THAT(outcome.text.substr(at), HasSubstr(variant.words)) << outcome.text;
    fmt::print("{} | {} | {}\n", variant.what, variant.file, told(outcome));
  }
}

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
  check(variants.front(), " --json " + json);
  const auto numbers = nlohmann::json::parse(read_text_file(json));
  ASSERT_GE(numbers["warnings"].size(), 1U);
  EXPECT_THAT(numbers["warnings"][0].get<std::string>(),
              HasSubstr("--set bodies.crank.material.youngs_modulus=210000"));
}

/// The start of the lane change has no velocity across, and the table of its steering begins with a slope. The published
/// beam has a modulus of one.
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

bool is_told_with_reason(const std::string& file, const std::string& warning) {
  if (file == "mbb_beam.toml") return warning.find("softer than rubber") != std::string::npos;
  // The drawn arm bends under its own weight, which turns the sensor.
  return (file == "buggy_lane_change.toml" || file == "lifting_arm_drawn.toml") &&
         warning.find("the joints change the initial") != std::string::npos;
}

TEST(CheckWarnings, SpareTheProblemsThatComeWithTheProgram) {
  std::vector<std::filesystem::path> problems = test::inputs();
  for (const auto& entry : std::filesystem::directory_iterator(user_problem("")))
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
