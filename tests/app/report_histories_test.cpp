/// A run tells its motion by histories and their pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "csv_table.hpp"
#include "report_fixture.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using test::CsvTable;
using test::input;
using test::Outcome;
using test::Report;

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

}  // namespace
}  // namespace kurbel
