/// Mechanisms in natural coordinates, against the same ones in other formulations and what is known of them.      [P1]
#include <gmock/gmock.h>

#include "base/parallel.hpp"
#include "formulation/natural_motion.hpp"
#include "ritz_cable.hpp"
#include "simulated.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using test::Method, test::read, test::Simulated;

const std::string generalized_alpha = "integrator.method=\"generalized-alpha\"",
                  trapezoidal = "integrator.method=\"trapezoidal\"";

/// psi and its gradient, extrapolated from two steps of a method of second order.
MatrixXd extrapolated(const std::string& input, std::vector<std::string> overrides, const char* step,
                      const char* half_step) {
  const auto of = [&](const char* h) {
    std::vector<std::string> all = overrides;
    all.push_back(std::string("integrator.step=") + h);
    Simulated run(read(input, all));
    MatrixXd column(1 + run.z.size(), 1);
    column << run.values[0], run.gradients(Method::discrete_adjoint).col(0);
    return column;
  };
  return (4.0 * of(half_step) - of(step)) / 3.0;
}

TEST(WishboneCorner, MovesAlikeInEveryFormulation) {
  const std::string short_time = "integrator.t1=0.4";
  const auto of = [&](std::vector<std::string> overrides) {
    overrides.push_back(short_time);
    return extrapolated("wishbone_corner.toml", overrides, "1e-3", "5e-4");
  };
  const MatrixXd natural = of({});
  for (const char* formulation : {"floating-frame", "semi-recursive"}) {
    const MatrixXd other = of({std::string("formulation=\"") + formulation + "\"", trapezoidal});
    EXPECT_NEAR(other(0) / natural(0), 1.0, 1e-6) << formulation;
    EXPECT_LT((other - natural).cwiseAbs().maxCoeff(), 1e-5 * natural.cwiseAbs().maxCoeff()) << formulation;
  }
}

TEST(WishboneCorner, MovesAlikeByEveryMethodInNaturalCoordinates) {
  const std::string short_time = "integrator.t1=0.4";
  const MatrixXd variational = extrapolated("wishbone_corner.toml", {short_time}, "1e-3", "5e-4");
  for (const std::string& method : {generalized_alpha, trapezoidal}) {
    const MatrixXd other = extrapolated("wishbone_corner.toml", {short_time, method}, "1e-3", "5e-4");
    EXPECT_LT((other - variational).cwiseAbs().maxCoeff(), 1e-5 * variational.cwiseAbs().maxCoeff())
        << method;
  }
}

TEST(WishboneCorner, HasTheGradientOfDirectDifferentiationAndOfDifferences) {
  Simulated run(read("wishbone_corner.toml", {"integrator.t1=0.2"}));
  const MatrixXd adjoint = run.gradients(Method::discrete_adjoint);
  EXPECT_LT(test::column_error(run.gradients(Method::direct), adjoint), 1e-10);
  for (Eigen::Index i = 0; i < run.z.size(); ++i) {
    const double h = 1e-5 * std::abs(run.z[i]);
    VectorXd above = run.z, below = run.z;
    above[i] += h, below[i] -= h;
    const double difference = (run.simulate(above) - run.simulate(below))[0] / (2.0 * h);
    EXPECT_NEAR(difference, adjoint(i, 0), 1e-6 * adjoint.col(0).cwiseAbs().maxCoeff()) << i;
  }
}

/// One hinge of a wishbone as two ball joints, of which the floating frame's rule sets one displacement aside.
TEST(WishboneCorner, SetsRedundantConstraintsAside) {
  const std::vector<std::string> short_time = {"integrator.t1=0.1"};
  std::vector<std::string> redundant = short_time;
  redundant.emplace_back("joints.A2={ type = \"spherical\", from = \"ground.A2\", to = \"upper.A2\" }");
  Simulated run(read("wishbone_corner.toml", short_time)), over(read("wishbone_corner.toml", redundant));
  EXPECT_NEAR(over.values[0], run.values[0], 1e-9 * run.values[0]);
  EXPECT_LT(
      test::column_error(over.gradients(Method::discrete_adjoint), run.gradients(Method::discrete_adjoint)),
      1e-7);
}

/// The places of joints in the input, in messages about their constraints.
TEST(NaturalCoordinates, NameTheJointThatTheStartDoesNotMeetOrThatIsRedundant) {
  const auto message = [](const char* input, const std::vector<std::string>& overrides) -> std::string {
    try {
      Simulated run(read(input, overrides));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(message("rigid_spring_beam.toml", {"bodies.rod.initial.position=[0.01, 0.5, 0.0]"}),
              testing::ContainsRegex(
                  "rigid_spring_beam.toml:[0-9]+: joints.A: joint A \\(tx\\): the positions given"));
  EXPECT_THAT(message("five_bar.toml", {"formulation=\"natural-coordinates\"", generalized_alpha,
                                        "bodies.right_crank.markers.pin.position=[9.0, 0.0, 0.0]"}),
              testing::ContainsRegex("five_bar.toml:[0-9]+: joints.P1: the positions given miss joint P3"));
  EXPECT_THAT(message("rigid_spring_beam.toml",
                      {"joints.again={ type = \"revolute\", from = \"ground.A\", to = \"rod.A\" }"}),
              testing::ContainsRegex("joints.(again|A): redundant constraints: .*joint again \\(tx\\)"));
}

/// A loop that is assembled, a chain of hinges with controls, a cart on a rail under a control.
struct OfBodies {
  const char* name;
  const char* input;
  std::vector<std::string> overrides;
  const char *step, *half_step;
};

class RigidBodies : public testing::TestWithParam<OfBodies> {};

/// With the start of the floating frame: methods of second order, extrapolated, against one of fourth.
TEST_P(RigidBodies, MoveAsInJointCoordinates) {
  const auto& [name, input, given, step, half_step] = GetParam();
  const auto with = [&](const char* formulation, const char* method) {
    std::vector<std::string> overrides = given;
    overrides.push_back(std::string("formulation=\"") + formulation + "\"");
    overrides.push_back(std::string("integrator.method=\"") + method + "\"");
    return overrides;
  };
  const MatrixXd joints =
      extrapolated(input, with("joint-hamiltonian", "runge-kutta-4"), half_step, half_step);
  const Eigen::Index n = joints.rows() - 1;
  for (const char* method : {"variational-midpoint", "generalized-alpha"}) {
    const MatrixXd vectors = extrapolated(input, with("natural-coordinates", method), step, half_step);
    EXPECT_NEAR(vectors(0) / joints(0), 1.0, 1e-8) << method;
    EXPECT_LT((vectors - joints).bottomRows(n).norm(), 1e-6 * joints.bottomRows(n).norm()) << method;
  }
}

const OfBodies mechanisms_of_bodies[] = {
    {"FiveBar", "five_bar.toml", {"integrator.t1=0.5"}, "2e-3", "1e-3"},
    {"SpatialArm",
     "spatial_arm.toml",
     {"integrator.t1=0.4", "controls.base_torque.start=3.0", "controls.elbow_torque.start=1.0",
      "objective=[{type=\"joint-angle\", joint=\"elbow\", target=0.3, form=\"half-square\", "
      "time=\"integral\"},"
      "{type=\"total-energy\", time=\"final\", weight=1e-2}]"},
     "1e-3",
     "5e-4"},
    {"Cart",
     "cart_least_energy.toml",
     {"integrator.t1=0.5", "objective={type=\"position\", marker=\"cart\", time=\"final\"}",
      "controls.force.nodes=6", "variables.mass={quantity=\"bodies.cart.mass\", lower=0.1, upper=9.0}"},
     "2e-3",
     "1e-3"},
};

INSTANTIATE_TEST_SUITE_P(Of, RigidBodies, testing::ValuesIn(mechanisms_of_bodies),
                         [](const auto& info) { return std::string(info.param.name); });

/// The hinge A turns as a table says, whose values are variables; psi holds the torque that takes.
TEST(RigidBodiesInVectors, FollowADriveAsInTheFloatingFrame) {
  const auto of = [](const char* formulation, const char* method) {
    return extrapolated("five_bar.toml",
                        {"integrator.t1=0.5", std::string("formulation=\"") + formulation + "\"",
                         std::string("integrator.method=\"") + method + "\"",
                         "joints.A.drive={dof=\"rz\", type=\"table\", t=[0.0, 0.2, 0.5], "
                         "values=[-2.356194490192345, -2.2, -1.9]}",
                         "variables.turn={quantity=\"joints.A.drive.values\", lower=-3.0, upper=-1.0}",
                         "objective=[{type=\"drive-torque\", joint=\"A\", time=\"integral\"},"
                         "{type=\"position\", marker=\"left_rod.pin\", time=\"integral\"}]"},
                        "2e-3", "1e-3");
  };
  const MatrixXd frames = of("floating-frame", "generalized-alpha");
  const Eigen::Index n = frames.rows() - 1;
  for (const char* method : {"variational-midpoint", "generalized-alpha", "trapezoidal"}) {
    const MatrixXd vectors = of("natural-coordinates", method);
    EXPECT_NEAR(vectors(0) / frames(0), 1.0, 1e-9) << method;
    EXPECT_LT((vectors - frames).bottomRows(n).norm(), 1e-9 * frames.bottomRows(n).norm()) << method;
  }
}

/// Both of P3's locked rotations are held by other joints.
TEST(RigidBodiesInVectors, HaveNoReactionWhereConstraintsAreSetAside) {
  Simulated run(
      read("five_bar.toml", {"integrator.t1=0.05", "formulation=\"natural-coordinates\"", generalized_alpha,
                             "objective={type=\"reaction-moment\", joint=\"P3\", time=\"final\"}"}));
  EXPECT_EQ(run.values[0], 0.0);
  EXPECT_EQ(run.gradients(Method::discrete_adjoint).col(0).norm(), 0.0);
}

/// Density and modulus in proportion leave every motion as it is.                                [P1, section 6.1]
TEST(CablePendulum, DependsOnTheRatioOfModulusAndDensity) {
  Simulated run(read("ancf_pendulum.toml", {"integrator.t1=1.0"}));
  const VectorXd gradient = run.gradients(Method::discrete_adjoint).col(0);
  const double by_density = run.z[1] * gradient[1], by_modulus = run.z[2] * gradient[2];
  EXPECT_GT(std::abs(by_modulus), 1e-4);
  EXPECT_NEAR(by_density + by_modulus, 0.0, 1e-9 * std::abs(by_modulus));
}

/// Without damping, in gravity alone: the energy that histories tell, at instants, is off by O(h^2).
TEST(CablePendulum, KeepsItsEnergy) {
  const auto error = [](const char* step) {
    Simulated run(read("ancf_pendulum.toml", {"integrator.t1=1.0", step}));
    const HistoryPanel energy = run.motion->histories(run.trajectory)[0];
    const Eigen::RowVectorXd total = energy.values.row(2), kinetic = energy.values.row(0);
    return (total.array() - total[0]).abs().maxCoeff() / kinetic.maxCoeff();
  };
  const double coarse = error("integrator.step=2e-3"), fine = error("integrator.step=1e-3");
  EXPECT_LT(fine, 1e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
}

/// Positions of the tip every 0.1 s, columns (x, z).
MatrixXd tip_of_pendulum(int elements, const char* step) {
  Simulated run(read("ancf_pendulum.toml",
                     {"integrator.t1=1.0", step, "beams.pendulum.elements=" + std::to_string(elements)}));
  const Eigen::Index every = (run.trajectory.t.size() - 1) / 10;
  MatrixXd tip(10, 2);
  for (Eigen::Index i = 0; i < 10; ++i) {
    const VectorXd r = run.trajectory.y.col((i + 1) * every).segment<3>(6 * elements);
    tip.row(i) << r[0], r[2];
  }
  return tip;
}

/// The same energy without elements, and another integrator.
TEST(CablePendulum, MovesAsByRitzsMethod) {
  constexpr double h = 0.05, E = 1e7, rho = 4000.0;
  test::RitzCable ritz({1.2, E * h * h, E * std::pow(h, 4) / 12.0, rho * h * h, 9.81}, 16);
  MatrixXd expected(10, 2);
  for (Eigen::Index i = 0; i < 10; ++i) {
    ritz.advance(0.1, 3000);
    expected.row(i) = ritz.tip();
  }
  EXPECT_LT((tip_of_pendulum(20, "integrator.step=2.5e-4") - expected).rowwise().norm().maxCoeff(), 1e-4);
  EXPECT_LT((tip_of_pendulum(5, "integrator.step=1e-3") - expected).rowwise().norm().maxCoeff(), 1e-3);
}

/// More elements than one thread takes at a time: bit by bit the same.
TEST(CablePendulum, DoesNotDependOnTheNumberOfThreads) {
  const int before = threads();
  const auto moved = [](int n_threads) {
    set_threads(n_threads);
    Simulated run(read("ancf_pendulum.toml",
                       {"integrator.t1=0.02", "objective.at=[0.02]", "beams.pendulum.elements=150"}));
    return std::pair(run.trajectory.y, run.gradients(Method::discrete_adjoint));
  };
  const auto one = moved(1), three = moved(3);
  set_threads(before);
  EXPECT_EQ(one.first, three.first);
  EXPECT_EQ(one.second, three.second);
}

/// Beams of millimetres, whose modes ring at steps of 1 ms: psi goes with the fourth power of the length. What they are
/// strained by is less than the rounding of their ends' coordinates of 1 m.
TEST(RodAndBeam, FollowsABeamDownToAMillimetre) {
  Simulated run(read("rigid_spring_beam.toml"));
  const VectorXd end = Eigen::Vector2d(1.0, 1.0), along = Eigen::Vector2d(1.0, -1.0).normalized();
  const auto psi = [&](double length) { return run.simulate(end + length * along)[0]; };
  for (const double length : {5e-3, 2.5e-3, 1.5e-3, 1e-3}) {
    const double difference = (psi(1.01 * length) - psi(0.99 * length)) / (0.02 * length);
    EXPECT_NEAR(psi(length) / std::pow(length, 4), 0.059, 0.005) << length;
    if (length < 1.5e-3) continue;  // gradients of builds that round otherwise are some percent apart
    EXPECT_NEAR(run.gradients(Method::discrete_adjoint).col(0).dot(along) / difference, 1.0, 1e-2) << length;
  }
}

TEST(RodAndBeam, HasTheGradientOfDifferencesByTheHardPoint) {
  Simulated run(read("rigid_spring_beam.toml"));
  const MatrixXd adjoint = run.gradients(Method::discrete_adjoint);
  for (Eigen::Index i = 0; i < run.z.size(); ++i) {
    const double h = 1e-5;
    VectorXd above = run.z, below = run.z;
    above[i] += h, below[i] -= h;
    const VectorXd difference = (run.simulate(above) - run.simulate(below)) / (2.0 * h);
    EXPECT_NEAR(difference[0], adjoint(i, 0), 1e-5 * adjoint.col(0).norm()) << i;
    EXPECT_NEAR(difference[1], adjoint(i, 1), 1e-6) << "length, by " << i;
  }
}

/// Left and right are mirrored: the gradient by a node is that by its mirror image.
TEST(DoubleWishbone, HasASymmetricGradient) {
  Simulated run(read("double_wishbone.toml", {"integrator.t1=0.1"}));
  const VectorXd gradient = run.gradients(Method::discrete_adjoint).col(0);
  const auto mirror = [](int node) { return node <= 4 ? node + 12 : node + 4; };
  const double size = gradient.head(48).cwiseAbs().maxCoeff();
  for (int node = 1; node <= 8; ++node) {
    for (int d = 0; d < 3; ++d) {
      const double sign = d == 1 ? -1.0 : 1.0;
      EXPECT_NEAR(gradient[3 * (node - 1) + d], sign * gradient[3 * (mirror(node) - 1) + d], 1e-9 * size)
          << node << "xyz"[d];
    }
  }
}

// Of a beam without damping that steps of any length do not resolve, and of the same with damping.
TEST(RodAndBeam, IsToldOfReactionsThatAlternateFromStepToStep) {
  const auto warnings = [](const char* damping) {
    const Simulated run(
        read("rigid_spring_beam.toml", {std::string("beams.beam.damping=") + damping, "integrator.t1=0.3",
                                        "outputs.R={type=\"reaction-force\", joint=\"D\"}"}));
    return run.motion->warnings(run.trajectory);
  };
  EXPECT_THAT(warnings("0.0"), testing::ElementsAre(testing::ContainsRegex(
                                   "^outputs.R: [0-9]+ % of it alternates from step to step")));
  EXPECT_THAT(warnings("1e-4"), testing::IsEmpty());
}

TEST(Rotor, IsNotSaidToVibrateWhereItsTorqueIsRoundingAlone) {
  // Spun up in 0.2 s, and at a constant rate from then on.
  const char* const rotor = R"(
[bodies.rotor]
type = "rigid"
mass = 1.0
inertia = [0.01, 0.01, 0.02]
[joints.bearing]
type = "revolute"
from = "ground"
to = "rotor"
drive = { dof = "rz", type = "spin-up", rate = 10.0, duration = 0.2 }
[integrator]
t1 = 1.0
step = 1e-3
[outputs]
torque = { type = "drive-torque", joint = "bearing" }
reaction = { type = "reaction-moment", joint = "bearing" }
[objective]
type = "kinetic-energy"
time = "final"
[variables]
mass = { quantity = "bodies.rotor.mass", lower = 0.5, upper = 2.0 }
)";
  for (const char* formulation : {"floating-frame", "semi-recursive", "natural-coordinates"}) {
    const Simulated run(read_problem(TomlDocument::parse(
        rotor, "rotor.toml", ".",
        {std::string("formulation=\"") + formulation + "\"", "integrator.method=\"generalized-alpha\""})));
    EXPECT_THAT(run.motion->warnings(run.trajectory), testing::IsEmpty()) << formulation;
  }
}

}  // namespace
}  // namespace kurbel
