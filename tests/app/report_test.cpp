/// What a run tells: tables over iterations and time, and which constraints are met.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.hpp"
#include "csv_table.hpp"
#include "input/vtu_reader.hpp"
#include "output/line_plot.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::CsvTable;
using test::input;
using test::Outcome;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Report : public ::testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  Outcome run(const std::string& arguments) const {
    return test::run(arguments + " --output " + at("run").string() + " --json " + at("run.json").string());
  }
  nlohmann::json numbers() const { return nlohmann::json::parse(read_text_file(at("run.json"))); }
  std::string log() const { return read_text_file(at("run/run.log")); }
  int n_panels(const std::string& picture) const {
    const std::string png = read_text_file(at(picture));
    const auto byte = [&](std::size_t i) { return static_cast<int>(static_cast<unsigned char>(png[i])); };
    const int height = (byte(22) << 8) + byte(23);  // of the header
    return (height - plot_time_axis_height) / plot_panel_height;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Report, SaysOfEveryConstraintWhetherItIsMet) {
  const Outcome o =
      run("simulate " + input("arm_codesign.toml") +
          " --set output.motion=false --set bodies.forearm.mesh.thickness=0.004 --set "
          "controls.shoulder_torque.start=1.0"
          " --set controls.elbow_torque.start=1.5 --set constraints.criteria.reach.equals=[9.0,9.0]"
          " --set constraints.criteria.deflection.upper=0.0005"
          " --set constraints.criteria.deflection.exponent=2");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json n = numbers();
  std::map<std::string, nlohmann::json> rows;
  for (const nlohmann::json& row : n["constraints"]) rows[row["name"]] = row;
  EXPECT_EQ(rows.size(), 1u + 5u + 2u) << "objective; reach and rest by rows, deflection; volume and mass";
  EXPECT_FALSE(rows.at("objective").contains("met"));
  EXPECT_EQ(rows.at("objective")["value"], n["psi"]);
  EXPECT_FALSE(rows.at("reach.x")["met"]);
  EXPECT_EQ(rows.at("reach.x")["equals"], 9.0);
  EXPECT_EQ(rows.at("reach.x")["unit"], "m");
  EXPECT_EQ(rows.at("rest.y")["unit"], "m/s");
  EXPECT_EQ(rows.at("mass")["unit"], "kg");
  const nlohmann::json& deflection = rows.at("deflection");
  EXPECT_EQ(deflection["value"], n["criteria"]["deflection"]);
  EXPECT_EQ(deflection["peak"], n["peaks"]["deflection"]);
  ASSERT_LT(deflection["value"], 0.0005) << "a mean square hides the peak";
  ASSERT_GT(deflection["peak"], 0.0005);
  EXPECT_FALSE(deflection["met"]);
  // The same in words.
  for (const nlohmann::json& row : n["constraints"]) {
    const std::string name = row["name"], text = log();
    const std::size_t place = text.find("info     " + name + " ");
    ASSERT_NE(place, std::string::npos) << name;
    const std::string line = text.substr(place, text.find('\n', place) - place);
    EXPECT_THAT(line, HasSubstr(fmt::format("{:.8g}", row["value"].get<double>())));
    const char* verdict = name == "reach.x" ? "violated" : name == "deflection" ? "violated by its peak" : "";
    EXPECT_THAT(line, HasSubstr(verdict));
  }
}

/// The p-norm over the elements is a sum: above their largest stress, of which adaptive scaling speaks.
TEST_F(Report, CallsAnAdaptiveBoundMetWhereThePeakMeetsIt) {
  const auto strength = [&](double upper, const char* scaling) {
    const Outcome o = run("simulate " + input("flexible_crank_small.toml") +
                          " --overwrite --set output.motion=false --set output.picture=false" +
                          fmt::format(" --set 'constraints.criteria.strength={{ type = \"von-mises\", body = "
                                      "\"crank\", element_exponent = 4.0, time = \"p-norm\", exponent = 30, "
                                      "upper = {}, scaling = \"{}\" }}'",
                                      upper, scaling));
    EXPECT_EQ(o.exit_code, 0) << o.text;
    const nlohmann::json rows = numbers()["constraints"];
    return *std::ranges::find(rows, "strength", [](const nlohmann::json& row) { return row["name"]; });
  };
  const nlohmann::json loose = strength(1e9, "adaptive");
  const double value = loose["value"], peak = loose["peak"], between = 0.5 * (value + peak);
  ASSERT_GT(value, 1.05 * peak);
  EXPECT_NEAR(CsvTable(at("run/histories.csv")).column("von_mises.crank").maxCoeff() / peak, 1.0, 1e-12);
  EXPECT_TRUE(strength(between, "adaptive")["met"]);
  EXPECT_EQ(numbers()["violation"], 0.0) << "by the peak, as an optimization has it";
  EXPECT_THAT(log(), HasSubstr("met by its peak"));
  EXPECT_FALSE(strength(between, "none")["met"]);
  EXPECT_NEAR(numbers()["violation"].get<double>(), value / between - 1.0, 1e-12);
  EXPECT_THAT(log(), ContainsRegex("strength .* violated\n"));
  EXPECT_FALSE(strength(0.9 * peak, "adaptive")["met"]);
  EXPECT_NEAR(numbers()["violation"].get<double>(), 1.0 / 0.9 - 1.0, 1e-12);
}

TEST_F(Report, TellsEveryIteration) {
  const Outcome o =
      run("optimize " + input("flexible_crank_small.toml") +
          " --quiet --set optimizer.stop.iterations=6 --set projection.type=\"'heaviside'\""
          " --set projection.beta_interval=3 --set output.motion=false"
          " --set constraints.criteria.way.type=\"'displacement'\""
          " --set constraints.criteria.way.marker=\"'crank.pin'\""
          " --set constraints.criteria.way.time=\"'p-norm'\" --set constraints.criteria.way.exponent=8"
          " --set constraints.criteria.way.upper=1.0 --set constraints.criteria.way.component=\"'y'\"");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable history(at("run/history.csv"));
  EXPECT_EQ(history.units.at("objective"), "J s");
  EXPECT_EQ(history.units.at("mass"), "kg");
  EXPECT_EQ(history.units.at("way"), "m");
  EXPECT_EQ(history.units.at("way_peak"), "m");
  ASSERT_EQ(history.n_rows(), 7);
  const nlohmann::json n = numbers();
  ASSERT_TRUE(n["result_iteration"].is_number());
  const auto result = n["result_iteration"].get<Eigen::Index>();
  EXPECT_EQ(history.column("objective")[result], n["psi"]);
  EXPECT_EQ(history.column("way")[result], n["criteria"]["way"]);
  EXPECT_EQ(history.column("mass")[result], n["mass"]);
  EXPECT_EQ(history.column("grey_level")[result], n["grey_level"]);
  const std::string text = log();
  for (const char* said :
       {" 3/6  objective", " 6/6  objective", "projection with beta = 1: step 1 of 8",
        "projection with beta = 2: step 2 of 8",
        "beta = 2: the limit optimizer.stop.iterations = 6 is reached", " of this step", "6 iterations and "})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr(fmt::format("the result is the design of iteration {}", result)));
  EXPECT_THAT(read_text_file(at("run/final.vtu")), HasSubstr(" J s\n")) << "the unit of the sensitivity";
  const VectorXd final = read_vtu_cells(at("run/final.vtu"), {"density"}).arrays.at("density");
  EXPECT_NEAR(4.0 * (final.array() * (1.0 - final.array())).mean(), n["grey_level"], 1e-12);
}

/// A rod that is shorter than the crank lets it not turn round: the optimum lies at designs that cannot be simulated.
const char* const short_rod = R"(
[bodies.crank]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
markers.pin.position = [0.1, 0.0, 0.0]
[bodies.rod]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
markers.end.position = [0.3, 0.0, 0.0]
initial.position = [0.1, 0.0, 0.0]
[bodies.slider]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
initial.position = [0.4, 0.0, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
drive = { dof = "rz", type = "constant-rate", rate = 10.0 }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.wrist]
lock = ["tx", "ty"]
from = "rod.end"
to = "slider"
[joints.guide]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "slider"
[integrator]
t1 = 0.3
step = 2.0e-3
[variables.rod]
quantity = "bodies.rod.markers.end.position"
component = "x"
lower = 0.05
upper = 0.5
[objective]
type = "position"
marker = "slider"
component = "x"
time = "final"
[optimizer]
method = "ipopt"
stop.iterations = 10
)";

TEST_F(Report, TellsOfTrialsThatFailWhileTheyLast) {
  write_text_file(at("rod.toml"), short_rod);
  const Outcome o = run("optimize " + at("rod.toml").string());
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text,
              ContainsRegex("\n4 trials in a row cannot be simulated, evaluations [0-9]+ to [0-9]+\n"));
  EXPECT_THAT(o.text, HasSubstr("\n8 trials in a row cannot be simulated"));
  EXPECT_THAT(o.text, Not(HasSubstr("\n5 trials in a row")));
  std::size_t told = 0, in_file = 0;
  for (std::size_t at = 0; (at = o.text.find("warning: the design of evaluation", at)) != std::string::npos;
       ++at)
    ++told;
  const std::string file = log();
  for (std::size_t at = 0; (at = file.find("the design of evaluation", at)) != std::string::npos; ++at)
    ++in_file;
  EXPECT_LE(told, 6u) << "once for each way to fail";
  EXPECT_GT(in_file, 40u);
  EXPECT_THAT(o.text,
              ContainsRegex("warning: [0-9]+ times in all, last: the design of evaluation [0-9]+ cannot"));
  EXPECT_THAT(o.text, HasSubstr("the limit optimizer.stop.iterations = 10 is reached after 10 iterations"));
}

TEST_F(Report, NamesTheStages) {
  const Outcome o = run("optimize " + input("cart_swing_up.toml") +
                        " --quiet --set output.motion=false --set output.picture=false"
                        " --set stages.calm.iterations=1 --set stages.upright.iterations=2"
                        " --set optimizer.stop.iterations=1");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const std::string text = log();
  for (const char* said :
       {"stage calm: 1 of 3, at most 1 iterations",
        "stage calm: the limit stages.calm.iterations = 1 is reached", "stage upright: 2 of 3",
        "stage upright: the limit stages.upright.iterations = 2 is reached", "the problem itself: 3 of 3",
        "the problem itself: the limit optimizer.stop.iterations = 1 is reached", "4 iterations and "})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr("evaluations in all stages"));
  EXPECT_EQ(numbers()["iterations"], 4);
}

TEST_F(Report, KeepsCriteriaThatAreCalledAsResultsApartFromThem) {
  const std::string tip =
      R"({type="displacement", marker="crank.pin", component="y", time="p-norm", exponent=8, upper=1.0})";
  const Outcome o = run("optimize " + input("flexible_crank_small.toml") +
                        " --quiet --set optimizer.stop.iterations=1 --set output.motion=false"
                        " --set 'constraints.criteria.mass=" +
                        tip + "' --set 'constraints.criteria.objective=" + tip + "'");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable history(at("run/history.csv"));
  EXPECT_EQ(history.units.size(), history.names.size()) << "no name stands twice";
  EXPECT_EQ(history.units.at("criteria.mass"), "m");
  EXPECT_EQ(history.units.at("criteria.objective_peak"), "m");
  EXPECT_EQ(history.column("mass")[1], numbers()["mass"]);
  for (const nlohmann::json& row : numbers()["constraints"])
    EXPECT_EQ(row.contains("peak"), row["name"].get<std::string>().starts_with("criteria.")) << row;
}

/// d values / dt by central differences, and the largest deviation from them of `rates`.
double deviation(const VectorXd& t, const VectorXd& values, const VectorXd& rates) {
  double largest = 0.0;
  for (Eigen::Index k = 1; k + 1 < t.size(); ++k) {
    const double rate = (values[k + 1] - values[k - 1]) / (t[k + 1] - t[k - 1]);
    largest = std::max(largest, std::abs(rate - rates[k]));
  }
  return largest;
}

TEST_F(Report, TellsTheMotionOfAMechanism) {
  const Outcome o = run("simulate " + input("double_pendulum.toml") + " --set output.motion=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable h(at("run/histories.csv"));
  EXPECT_EQ(h.n_rows(), numbers()["steps"].get<Eigen::Index>() + 1);
  for (const auto& [name, unit] : h.units) {
    EXPECT_EQ(unit.empty(), name.starts_with("elastic_coordinate.")) << name;
  }
  const VectorXd total = h.column("energy.total");
  EXPECT_EQ(total,
            h.column("energy.kinetic") + h.column("energy.elastic") + h.column("energy.gravitational"));
  EXPECT_LT(total.maxCoeff() - total.minCoeff(), 1e-3 * h.column("energy.kinetic").maxCoeff());
  int n_velocities = 0;
  for (const auto& [name, unit] : h.units) {
    if (!name.starts_with("velocity.")) continue;
    ++n_velocities;
    const VectorXd rates = h.column(name);
    EXPECT_LE(deviation(h.column("t"), h.column("position." + name.substr(9)), rates),
              1e-3 * std::max(1e-9, rates.cwiseAbs().maxCoeff()))
        << name;
  }
  EXPECT_EQ(n_velocities, 9);
  EXPECT_TRUE(std::filesystem::exists(at("run/histories.png")));
}

/// A mass that hangs on a spring and a damper: m z_ddot = - k (l - l0) - d l_dot - m g.
TEST_F(Report, TellsTheForcesOfSprings) {
  write_text_file(at("spring.toml"), R"(
gravity = [0.0, 0.0, -9.81]
[bodies.ball]
type = "rigid"
mass = 2.0
inertia = [1.0, 1.0, 1.0]
initial = { position = [0.0, 0.0, -1.2] }
[springs.s]
from = "ground"
to = "ball"
stiffness = 300.0
damping = 4.0
free_length = 1.0
[integrator]
t1 = 0.5
step = 1e-3
)");
  const Outcome o = run("simulate " + at("spring.toml").string());
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable h(at("run/histories.csv"));
  EXPECT_EQ(h.units.at("spring_force.s"), "N");
  const VectorXd length = -h.column("position.ball.z"), rate = -h.column("velocity.ball.z");
  const VectorXd force = 300.0 * (length.array() - 1.0).matrix() + 4.0 * rate;
  EXPECT_LT((h.column("spring_force.s") - force).cwiseAbs().maxCoeff(), 1e-10 * force.cwiseAbs().maxCoeff());
}

TEST_F(Report, TellsEnergiesAndSpringsOfPoints) {
  const Outcome o = run("simulate " + input("spring_pendulum.toml") +
                        " --set output.motion=false --set output.picture=false --set integrator.step=1e-2");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable h(at("run/histories.csv"));
  EXPECT_EQ(h.n_rows(), h.column("t").size());
  EXPECT_EQ(h.column("energy.total"), h.column("energy.kinetic") + h.column("energy.potential"));
  int n_forces = 0;
  for (const auto& [name, unit] : h.units)
    n_forces += name.starts_with("spring_force.") && unit == "N" ? 1 : 0;
  EXPECT_EQ(n_forces, 3);
  const CsvTable states(at("run/states.csv"));
  ASSERT_EQ(states.names.size(), 7u);
  for (std::size_t i = 1; i < 7; ++i) EXPECT_EQ(states.units.at(states.names[i]), i < 4 ? "m" : "m/s");
  for (const std::string point : {"mass.x", "mass.y", "mass.z"}) {
    EXPECT_EQ(h.column("position." + point), states.column(point));
    EXPECT_EQ(h.column("velocity." + point), states.column("d(" + point + ")/dt"));
  }
}

TEST_F(Report, TellsPlanarBeams) {
  const Outcome o = run("simulate " + input("flexible_scara.toml") +
                        " --set output.motion=false --set output.picture=false --set integrator.t1=0.1"
                        " --set 'constraints.criteria={}' --set 'stages={}' --set controls.u1.start=3.0");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable h(at("run/histories.csv")), outputs(at("run/outputs.csv"));
  for (const std::string axis : {"x", "y"}) {
    EXPECT_EQ(h.column("position.forearm.end." + axis), outputs.column("tool_position." + axis));
    EXPECT_EQ(h.column("velocity.forearm.end." + axis), outputs.column("tool_velocity." + axis));
    EXPECT_EQ(h.column("position.upper_arm.end." + axis), h.column("position.forearm.start." + axis));
  }
  // Those of the outputs are among the places that are looked at: the middles of both elements at an edge.
  const auto most = [&](const char* a, const char* b) -> Eigen::ArrayXd {
    return outputs.column(a).cwiseMax(outputs.column(b));
  };
  const Eigen::ArrayXd of_arm = h.column("largest_stress.upper_arm");
  EXPECT_EQ(h.units.at("largest_stress.upper_arm"), "Pa");
  EXPECT_TRUE((of_arm >= most("stress_1", "stress_2")).all());
  EXPECT_GT(of_arm.maxCoeff(), 1.1 * most("stress_1", "stress_2").maxCoeff()) << "largest at an end";
}

/// Slopes of a beam have no unit: q and v in m and m/s, and both without one.
TEST_F(Report, DrawsStatesOfOneUnitTogether) {
  write_text_file(at("beam.toml"), R"(
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
[beams.arm]
type = "planar"
elements = 1
start = [0.0, 0.0, 0.0]
direction = [1.0, 0.0, 0.0]
length = 1.0
section.shape = "rectangle"
section.width = 0.02
section.height = 0.02
youngs_modulus = 1e8
poisson_ratio = 0.3
density = 1000.0
[joints.wall]
type = "fixed"
from = "ground"
to = "arm.start"
[integrator]
method = "implicit-euler"
t1 = 0.02
step = 1e-3
)");
  const Outcome o = run("simulate " + at("beam.toml").string() + " --set output.motion=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(n_panels("run/states.png"), 4);
}

/// A cart that is pushed along z with a rotor that is turned about z: F = (m_c + m_r) z_ddot, T = (I + m_r d^2) alpha.
TEST_F(Report, TellsWhatDrivesExertInEveryFormulation) {
  const double rate = 2.0 * EIGEN_PI, step = 1e-3;
  write_text_file(at("driven.toml"), R"(
[bodies.cart]
type = "rigid"
mass = 3.0
inertia = [1.0, 1.0, 1.0]
[bodies.rotor]
type = "rigid"
mass = 2.0
centre_of_mass = [0.4, 0.0, 0.0]
inertia = [0.3, 0.3, 0.5]
[joints.slide]
type = "prismatic"
from = "ground"
to = "cart"
drive = { dof = "tz", type = "harmonic", amplitude = 0.2, frequency = 1.0 }
[joints.axle]
type = "revolute"
from = "cart"
to = "rotor"
drive = { dof = "rz", type = "harmonic", amplitude = 0.7, frequency = 1.0 }
[integrator]
t1 = 0.5
step = 1e-3
)");
  for (const std::string formulation :
       {"floating-frame", "semi-recursive", "joint-hamiltonian", "hamiltonian", "natural-coordinates"}) {
    SCOPED_TRACE(formulation);
    const Outcome o =
        run("simulate " + at("driven.toml").string() + " --overwrite --set formulation=" + formulation);
    ASSERT_EQ(o.exit_code, 0) << o.text;
    const CsvTable h(at("run/histories.csv"));
    EXPECT_EQ(h.units.at("drive_force.slide.z"), "N");
    EXPECT_EQ(h.units.at("drive_torque.axle.z"), "N m");
    Eigen::ArrayXd t = h.column("t");
    if (formulation == "natural-coordinates") t -= 0.5 * step;  // forces balance in the middle of a step
    const Eigen::ArrayXd acceleration = -rate * rate * (rate * t).sin();
    const auto off = [&](const std::string& name, double expected) {
      const Eigen::ArrayXd d = h.column(name).array() - expected * acceleration;
      return d.tail(d.size() - 100).abs().maxCoeff() / (expected * rate * rate);  // the start has died away
    };
    EXPECT_LT(off("drive_force.slide.z", 5.0 * 0.2), 1e-4);
    EXPECT_LT(off("drive_torque.axle.z", (0.5 + 2.0 * 0.16) * 0.7), 1e-4);
  }
}

/// A spring without a damper, from a rod to a beam.
TEST_F(Report, TellsForcesInNaturalCoordinates) {
  const Outcome o = run("simulate " + input("rigid_spring_beam.toml") +
                        " --set integrator.method=generalized-alpha --set integrator.t1=0.1"
                        " --set output.motion=false --set output.picture=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable h(at("run/histories.csv"));
  const VectorXd length = h.column("spring_length.BC");
  Eigen::ArrayXd squared = Eigen::ArrayXd::Zero(length.size());
  for (const char* axis : {"x", "y", "z"}) {
    const std::string name = std::string("spring_force.BC.") + axis;
    EXPECT_EQ(h.units.at(name), "N");
    squared += h.column(name).array().square();
  }
  const Eigen::ArrayXd tension = 100.0 * (length.array() - length[0]);
  EXPECT_LT((squared.sqrt() - tension.abs()).abs().maxCoeff(), 1e-9 * tension.abs().maxCoeff());
  EXPECT_EQ(h.units.at("reaction_moment.A.z"), "N m");
}

TEST_F(Report, DrawsWhatMovesAlone) {
  const Outcome o =
      run("simulate " + input("spinning_beam.toml") + " --set integrator.t1=0.5 --set output.motion=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(n_panels("run/histories.png"), 5)
      << "energy, drive torque, reaction force and moment, elastic coordinates; the hub stays where it is "
         "but for rounding";
}

TEST_F(Report, DrawsNothingOfAMechanismAtRest) {
  const Outcome o = run("simulate " + input("arm_codesign.toml") +
                        " --set output.motion=false --set bodies.forearm.mesh.divisions=[20,4]");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_GT(CsvTable(at("run/histories.csv")).column("velocity.payload.x").cwiseAbs().maxCoeff(), 0.0)
      << "rounding";
  EXPECT_FALSE(std::filesystem::exists(at("run/histories.png")));
}

TEST_F(Report, ComparesConstraintsByModesToo) {
  const Outcome o =
      run("reduce " + input("flexible_crank_small.toml") +
          " --convergence 3 --set constraints.criteria.way.type=\"'displacement'\""
          " --set constraints.criteria.way.marker=\"'crank.pin'\""
          " --set constraints.criteria.way.time=\"'final'\""
          " --set constraints.criteria.way.upper=1.0 --set constraints.criteria.way.component=\"'y'\"");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable table(at("run/convergence.csv"));
  ASSERT_EQ(table.n_rows(), 3);
  const nlohmann::json rows = numbers()["convergence"];
  for (Eigen::Index i = 0; i < 3; ++i) {
    const nlohmann::json& row = rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(table.column("psi")[i], row["psi"]);
    EXPECT_EQ(table.column("way")[i], row["way"]);
    EXPECT_NEAR(row["way"].get<double>() / table.column("way")[2] - 1.0, row["way_relative_change"], 1e-12);
  }
  EXPECT_NE(table.column("way")[0], table.column("way")[2]);
}

}  // namespace
}  // namespace kurbel
