/// Mechanisms in joint coordinates: against published numbers, and against the floating frame.   [P4]
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "formulation/joint_coordinates_motion.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "simulated.hpp"
#include "tests/counted_dae.hpp"
#include "tests/input_error.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using test::Method, test::read, test::Simulated;

const std::string joints = "formulation=\"semi-recursive\"", frames = "formulation=\"floating-frame\"";

// --- [P4, Table 1]: rows are the lengths of the springs, mass, centre of mass and length of the crank.

MatrixXd published() {
  MatrixXd table(5, 3);
  table << -4.2288, -15.452, 221.64,  //
      3.2116, 50.309, 2436.6,         //
      0.31866, 0.97012, -32.497,      //
      0.44235, 0.74560, -85.657,      //
      3.3598, -27.359, -2546.6;
  return table;
}

TEST(FiveBar, HasThePublishedGradientsToFiveDigits) {
  // Richardson's extrapolation of steps h and h/2 of a method of second order.
  const auto gradients = [](const char* step) {
    return Simulated(read("five_bar.toml", {step})).gradients(Method::discrete_adjoint);
  };
  const MatrixXd coarse = gradients("integrator.step=5e-4"), fine = gradients("integrator.step=2.5e-4");
  const MatrixXd converged = (4.0 * fine - coarse) / 3.0, table = published();
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const double digit = std::pow(10.0, std::floor(std::log10(std::abs(table(i, j)))) - 4.0);
      // One of them, -32.49752 for -32.497, is cut off rather than rounded.
      EXPECT_NEAR(converged(i, j), table(i, j), 0.55 * digit) << i << ", " << j;
    }
  }
}

TEST(FiveBar, IsTheSameInFramesWithTheSameIndependentCoordinates) {
  // Both take two turns, of which those in joint coordinates are sums and differences of those of bodies: the
  // trapezoidal rule does not tell them apart.
  const std::string t1 = "integrator.t1=1.0", step = "integrator.step=2e-3";
  Simulated in_joints(
      read("five_bar.toml", {t1, step, joints, "integrator.independent=[\"A.rz\", \"P1.rz\"]"}));
  Simulated in_frames(read(
      "five_bar.toml", {t1, step, frames, "integrator.independent=[\"left_crank.rz\", \"left_rod.rz\"]"}));
  EXPECT_LT(test::column_error(in_joints.values, in_frames.values), 1e-9);
  EXPECT_LT(test::column_error(in_joints.gradients(Method::discrete_adjoint),
                               in_frames.gradients(Method::discrete_adjoint)),
            1e-9);
}

TEST(FiveBar, IsTheSameInFramesWithThePlaceOfItsPoint) {
  const std::string t1 = "integrator.t1=1.0", step = "integrator.step=2e-3",
                    independent = "integrator.independent=[\"left_rod.pin.x\", \"left_rod.pin.y\"]";
  Simulated in_joints(read("five_bar.toml", {t1, step, joints, independent}));
  Simulated in_frames(read("five_bar.toml", {t1, step, frames, independent}));
  EXPECT_LT(test::column_error(in_joints.values, in_frames.values), 1e-9);
  EXPECT_LT(test::column_error(in_joints.gradients(Method::discrete_adjoint),
                               in_frames.gradients(Method::discrete_adjoint)),
            1e-9);
}

// The paper's direct differentiation by the trapezoidal rule at 1 ms is the exact gradient of its steps. Its independent
// coordinates are those of points, which are not said; another choice among ours moves the fifth digit by one.
TEST(FiveBar, HasThePapersOwnGradientsAtItsStep) {
  MatrixXd table = published();
  table(2, 1) = 0.97017, table(3, 1) = 0.74569, table(3, 2) = -85.658;
  const MatrixXd found = Simulated(read("five_bar.toml")).gradients(Method::discrete_adjoint);
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const double digit = std::pow(10.0, std::floor(std::log10(std::abs(table(i, j)))) - 4.0);
      EXPECT_NEAR(found(i, j), table(i, j), 1.2 * digit) << i << ", " << j;
    }
  }
  // Where its step is to be seen, ours is seen alike.
  const MatrixXd own = found - published(), papers = table - published();
  for (const Eigen::Index i : {2, 3}) EXPECT_NEAR(own(i, 1) / papers(i, 1), 1.0, 0.25) << i;
}

TEST(FiveBar, HasOneGradientByEveryExactMethod) {
  for (const char* method :
       {"integrator.method=\"trapezoidal\"", "integrator.method=\"generalized-alpha\""}) {
    Simulated run(read("five_bar.toml", {"integrator.t1=0.5", "integrator.step=5e-3", method}));
    const MatrixXd adjoint = run.gradients(Method::discrete_adjoint), direct = run.gradients(Method::direct);
    EXPECT_LT(test::column_error(adjoint, direct), 1e-10) << method;
    MatrixXd differences(run.z.size(), run.values.size());
    const VectorXd z = run.z;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double h = 1e-5 * std::max(1.0, std::abs(z[i]));
      VectorXd plus = z, minus = z;
      plus[i] += h, minus[i] -= h;
      differences.row(i) = (run.simulate(plus) - run.simulate(minus)) / (2.0 * h);
    }
    EXPECT_LT(test::column_error(adjoint, differences), 1e-7) << method;
  }
}

TEST(FiveBar, IsDifferentiatedAsItMoves) {
  for (const std::string& formulation :
       {joints, frames, std::string("formulation=\"natural-coordinates\"")}) {
    for (const char* method :
         {"integrator.method=\"trapezoidal\"", "integrator.method=\"generalized-alpha\""}) {
      SCOPED_TRACE(formulation + method);
      Simulated run(
          read("five_bar.toml", {"integrator.t1=0.5", "integrator.step=5e-3", formulation, method}));
      const MatrixXd swept = run.gradients(Method::direct);
      const SparseMatrix p_dot = run.motion->directions({}).p_dot;
      const MatrixXd y = run.trajectory.y;
      ASSERT_FALSE(run.motion->simulate_along(p_dot, run.trajectory).failed());
      EXPECT_LT((run.trajectory.y - y).cwiseAbs().maxCoeff(), 1e-9 * y.cwiseAbs().maxCoeff());
      const MatrixXd along = run.gradients(Method::direct);
      EXPECT_LT(test::column_error(along, run.gradients(Method::discrete_adjoint)), 1e-10);
      EXPECT_LT(test::column_error(along, swept), 1e-8);
    }
  }
}

// The Jacobians at the end of a step serve its derivatives and the next step.
TEST(FiveBar, TakesOneJacobianAStepForMotionAndDerivatives) {
  const Simulated run(read("five_bar.toml"));
  const auto& system = dynamic_cast<const JointCoordinatesMotion&>(*run.motion).system();
  for (const IntegratorMethod method : {IntegratorMethod::trapezoidal, IntegratorMethod::generalized_alpha}) {
    const test::CountedDae counted(system);
    IntegratorOptions options;
    options.method = method, options.t1 = 0.2, options.step = 1e-3;
    const auto steps = make_dae_steps<double>(counted, options);
    DifferentiatedSteps<double> along(*steps, MatrixXd::Identity(steps->n_parameters(), 2));
    Trajectory<double> trajectory;
    ASSERT_FALSE(kurbel::simulate<double>(along, trajectory).failed());
    EXPECT_LE(static_cast<double>(counted.n_jacobians), 1.1 * static_cast<double>(steps->n_steps()));
  }
}

TEST(FiveBar, GradientGrowsOverTimeToTheWholeOne) {
  Simulated run(read("five_bar.toml", {"integrator.t1=0.5", "integrator.step=5e-3"}));
  const MatrixXd expected = run.gradients(Method::discrete_adjoint);
  const auto objectives = run.motion->objectives(run.trajectory, run.requested);
  StepResidual<double>& steps = run.motion->steps();
  const MatrixXd directions = run.motion->directions({}).p_dot;
  for (std::size_t j = 0; j < objectives.size(); ++j) {
    const VectorXd at_end =
        gradient_over_time<double>(steps, run.trajectory, *objectives[j], directions).rightCols(1);
    EXPECT_LT((at_end - expected.col(static_cast<Eigen::Index>(j))).norm(), 1e-10 * at_end.norm());
  }
  // Of the first half: that of a motion half as long, but for the weight of its last instant in the integral.
  Simulated half(read("five_bar.toml", {"integrator.t1=0.25", "integrator.step=5e-3"}));
  const MatrixXd time_history = gradient_over_time<double>(steps, run.trajectory, *objectives[0], directions);
  const VectorXd of_half = half.gradients(Method::discrete_adjoint).col(0);
  EXPECT_LT((0.5 * (time_history.col(49) + time_history.col(50)) - of_half).norm(), 1e-9 * of_half.norm());
}

TEST(FiveBar, AdjointOfTheContinuousEquationsConvergesInTheSquareOfTheStep) {
  const auto error = [](const char* step) {
    Simulated run(read("five_bar.toml", {"integrator.t1=0.5", step}));
    return test::column_error(run.gradients(Method::continuous_adjoint),
                              run.gradients(Method::discrete_adjoint));
  };
  const double coarse = error("integrator.step=1e-2"), fine = error("integrator.step=5e-3");
  EXPECT_GT(coarse / fine, 3.5);
  EXPECT_LT(coarse / fine, 4.5);
}

// --- One mechanism in joint coordinates and in the floating frame

/// A crank, a universal joint, a rod, a ball, and a rocker about a skew axis (RUSR); the crank is let go.
const std::string spatial_loop = R"(
gravity = [0.0, 0.0, -9.81]
[ground.markers]
left = { rotation = [0.2, 0.1, 0.0] }
right = { position = [1.0, 0.3, 0.0], rotation = [-1.4, 0.2, 0.1] }
[bodies.crank]
type = "rigid"
mass = 1.0
centre_of_mass = [0.15, 0.01, 0.0]
inertia = [0.01, 0.03, 0.03]
initial = { angular_velocity = [0.0, 0.0, 3.0] }
markers = { turned = { position = [0.3, 0.0, 0.05], rotation = [0.4, 0.3, 0.0] } }
[bodies.rod]
type = "rigid"
mass = 0.7
centre_of_mass = [0.4, 0.0, 0.02]
inertia = [0.01, 0.05, 0.05]
initial = { position = [0.3, 0.0, 0.05], rotation = [0.0, 0.0, 0.4] }
markers = { end = { position = [0.85, 0.0, 0.0] } }
[bodies.rocker]
type = "rigid"
mass = 1.2
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [0.02, 0.04, 0.03]
initial = { position = [1.0, 0.3, 0.0], rotation = [-1.4, 0.2, 0.8] }
markers = { end = { position = [0.5, 0.1, 0.0] } }
[joints]
left = { type = "revolute", from = "ground.left", to = "crank" }
knee = { type = "universal", from = "crank.turned", to = "rod" }
ball = { type = "spherical", from = "rod.end", to = "rocker.end" }
right = { type = "revolute", from = "rocker", to = "ground.right" }
[springs.tie]
from = "ground.right"
to = "rod.end"
stiffness = 30.0
damping = 0.5
free_length = 0.3
[integrator]
t1 = 1.0
step = 1e-3
method = "trapezoidal"
[objective]
type = "position"
marker = "rod.end"
time = "integral"
[variables]
stiffness = { quantity = "springs.tie.stiffness", lower = 10.0, upper = 50.0 }
crank_mass = { quantity = "bodies.crank.mass", lower = 0.5, upper = 2.0 }
rod_centre = { quantity = "bodies.rod.centre_of_mass", component = "x", lower = 0.3, upper = 0.5 }
rod_length = { quantity = "bodies.rod.markers.end.position", component = "x", lower = 0.8, upper = 0.9 }
rocker_inertia = { quantity = "bodies.rocker.inertia", component = "zz", lower = 0.02, upper = 0.04 }
)";

Problem spatial_loop_with(const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::parse(spatial_loop, "spatial_loop.toml", ".", overrides));
}

TEST(SpatialLoop, FollowsItsRigidTwinInEveryFormulation) {
  for (const auto& [formulation, method] :
       std::vector<std::pair<std::string, std::string>>{{"floating-frame", "generalized-alpha"},
                                                        {"semi-recursive", "generalized-alpha"},
                                                        {"semi-recursive", "trapezoidal"},
                                                        {"joint-hamiltonian", "runge-kutta-4"},
                                                        {"hamiltonian", "dormand-prince"},
                                                        {"natural-coordinates", "generalized-alpha"}}) {
    std::vector<std::string> overrides = {
        "formulation=\"" + formulation + "\"", "integrator.method=\"" + method + "\"", "integrator.t1=0.1",
        "joints.left.drive={dof=\"rz\", type=\"constant-rate\", rate=3.0}",
        "variables={stiffness={quantity=\"springs.tie.stiffness\", lower=10.0, upper=50.0}}"};
    EXPECT_GT(Simulated(spatial_loop_with(overrides)).values[0], 0.01);
    overrides.emplace_back("objective.target=\"rigid-twin\"");
    overrides.emplace_back("objective.form=\"half-square\"");
    EXPECT_LT(Simulated(spatial_loop_with(overrides)).values[0], 1e-12) << formulation << " " << method;
  }
}

/// Distances of psi and of the gradient from those of another run.
Eigen::Vector2d distance(Simulated& run, Simulated& other) {
  return {
      test::column_error(run.values, other.values),
      test::column_error(run.gradients(Method::discrete_adjoint), other.gradients(Method::discrete_adjoint))};
}

struct InBothCoordinates {
  std::function<Problem(std::vector<std::string>)> read;
  const char *in_joints, *in_frames;  ///< the same independent velocity
};

void expect_one_motion(const InBothCoordinates& of) {
  const auto run = [&](const std::string& formulation, const char* independent, const char* step) {
    std::vector<std::string> overrides = {formulation, "integrator.method=\"trapezoidal\"",
                                          "integrator.t1=0.4", std::string("integrator.step=") + step};
    if (independent) overrides.push_back("integrator.independent=[\"" + std::string(independent) + "\"]");
    return Simulated(of.read(overrides));
  };
  Simulated in_joints = run(joints, of.in_joints, "2e-3"), in_frames = run(frames, of.in_frames, "2e-3");
  EXPECT_LT(distance(in_joints, in_frames).maxCoeff(), 1e-9) << "with the same independent velocity";
  const auto difference = [&](const char* step) {
    Simulated one = run(joints, nullptr, step), other = run(frames, nullptr, step);
    return distance(one, other);
  };
  const Eigen::Vector2d coarse = difference("4e-3"), fine = difference("2e-3");
  for (const Eigen::Index i : {0, 1}) EXPECT_LT(fine[i], std::max(coarse[i] / 3.5, 1e-9)) << "O(h^2)";
  EXPECT_LT(fine.maxCoeff(), 1e-4);
}

TEST(SpatialLoop, IsTheSameInJointCoordinatesAndInFrames) {
  expect_one_motion({spatial_loop_with, "left.rz", "crank.rz"});
  expect_one_motion({spatial_loop_with, "rod.end.x", "rod.end.x"});
}

TEST(WishboneCorner, IsTheSameInJointCoordinatesAndInFrames) {
  const auto corner = [](const std::vector<std::string>& overrides) {
    return read("wishbone_corner.toml", overrides);
  };
  expect_one_motion({corner, "B1.rx", "lower.rx"});
}

TEST(IndependentMarkers, AreRefusedByNameWhereTheyCannotBe) {
  const auto refusal = [](const std::string& formulation, const std::string& independent) {
    return input_error_message([&] {
      Simulated(spatial_loop_with({formulation, "integrator.independent=[" + independent + "]"}));
    });
  };
  const auto said = [](const std::string& what) {
    return testing::ContainsRegex("integrator.independent.*" + what);
  };
  for (const std::string& formulation : {joints, frames}) {
    SCOPED_TRACE(formulation);
    EXPECT_THAT(refusal(formulation, "\"rad.end.x\""), said("there is no body rad"));
    EXPECT_THAT(refusal(formulation, "\"rod.ende.x\""), said("body rod has no marker ende"));
    EXPECT_THAT(refusal(formulation, "\"rod.end.rx\""),
                said("there is no coordinate rod.end.rx; there are .*body.marker.x"));
    EXPECT_THAT(refusal(formulation, "\"rod.end.x\", \"rod.end.x\""), said("the coordinate rod.end.x twice"));
    EXPECT_THAT(refusal(formulation, "\"ground.right.x\""), said("do not determine others"));
    EXPECT_THAT(refusal(formulation, "\"rod.end.x\", \"rod.end.y\""), said("do not determine others"));
  }
  EXPECT_THAT(refusal("formulation=\"natural-coordinates\"", "\"rod.end.x\""),
              said("there is no coordinate rod.end.x"));
}

// --- The IFToMM's N-four-bar linkage

/// n squares of rods of 1 m and 1 kg side by side, upright and pushed to the right at 1 m/s: all rods align where
/// they lie down, and each square might go its own way from there.
std::string four_bars(int n) {
  std::string text = "gravity = [0.0, -9.81, 0.0]\n[integrator]\nt1 = 4.0\nstep = 2e-3\n";
  const auto rod = [&](const std::string& name, int x, double y, double angle, double rate) {
    text += fmt::format(
        "[bodies.{}]\ntype = \"rigid\"\nmass = 1.0\ncentre_of_mass = [0.5, 0.0, 0.0]\n"
        "inertia = [1e-3, {}, {}]\nmarkers = {{ end = {{ position = [1.0, 0.0, 0.0] }} }}\n"
        "initial = {{ position = [{}.0, {}, 0.0], rotation = [0.0, 0.0, {}], angular_velocity = [0.0, 0.0, "
        "{}] }}\n",
        name, 1.0 / 12.0, 1.0 / 12.0, x, y, angle, rate);
  };
  const auto hinge = [&](const std::string& name, const std::string& from, const std::string& to) {
    text += fmt::format("[joints.{}]\ntype = \"revolute\"\nfrom = \"{}\"\nto = \"{}\"\n", name, from, to);
  };
  for (int i = 0; i <= n; ++i) {
    text += fmt::format("[ground.markers.g{}]\nposition = [{}.0, 0.0, 0.0]\n", i, i);
    rod(fmt::format("post{}", i), i, 0.0, 0.5 * std::acos(-1.0), -1.0);
    hinge(fmt::format("a{}", i), fmt::format("ground.g{}", i), fmt::format("post{}", i));
  }
  for (int i = 0; i < n; ++i) {
    rod(fmt::format("bar{}", i), i, 1.0, 0.0, 0.0);
    hinge(fmt::format("b{}", i), fmt::format("post{}.end", i), fmt::format("bar{}", i));
    hinge(fmt::format("c{}", i), fmt::format("bar{}.end", i), fmt::format("post{}.end", i + 1));
  }
  return text;
}

/// The motion up to where it fails, and why it does.
struct FourBars {
  explicit FourBars(const std::vector<std::string>& overrides)
      : problem(read_problem(TomlDocument::parse(four_bars(5), "four_bars.toml", ".", overrides))),
        stress(problem),
        model(make_motion_model(problem, stress)) {
    const std::vector<const Sid*> sids(problem.system.bodies.size(), nullptr);
    EXPECT_FALSE(model->make({model->numbers(), sids, {}}, motion).failed());
    if (const Status status = motion->simulate(trajectory); status.failed()) failure = status.message();
  }
  HistoryPanel panel(const std::string& name) const {
    for (HistoryPanel& found : motion->histories(trajectory))
      if (found.name == name) return found;
    throw std::logic_error("no panel " + name);
  }
  Problem problem;
  StressSets stress;
  std::shared_ptr<MotionModel> model;
  std::unique_ptr<Motion> motion;
  Trajectory<double> trajectory;
  std::string failure;
};

/// Energy is kept, and all four-bars stay on one branch through their aligned positions.
void expect_one_branch(const FourBars& run, double energy_error, double difference) {
  const HistoryPanel energy = run.panel("energy"), angles = run.panel("joint_angle");
  const Eigen::RowVectorXd total = energy.values.bottomRows(1);
  EXPECT_LT((total.array() - total[0]).abs().maxCoeff(), energy_error * total[0]);
  std::vector<Eigen::Index> posts;
  for (std::size_t i = 0; i < angles.rows.size(); ++i)
    if (angles.rows[i].starts_with("a")) posts.push_back(static_cast<Eigen::Index>(i));
  ASSERT_EQ(posts.size(), 6u);
  const MatrixXd turned = angles.values(posts, Eigen::all);
  EXPECT_LT(turned.row(0).minCoeff(), -3.0 * std::acos(-1.0)) << "aligned four times";
  EXPECT_LT((turned.rowwise() - turned.row(0)).cwiseAbs().maxCoeff(), difference) << "on the same branch";
}

TEST(FiveFourBars, PassTheAlignedPositionsTogetherInMomenta) {
  const FourBars run({"formulation=\"joint-hamiltonian\"", "integrator.method=\"runge-kutta-4\""});
  ASSERT_EQ(run.failure, "");
  expect_one_branch(run, 1e-7, 1e-6);
}

void expect_dead_centre(const FourBars& run) {
  EXPECT_THAT(run.failure,
              testing::ContainsRegex("singular position \\(dead centre\\), in joint [abc][0-5] .*at t = "));
}

// Rounding decides how near to it a step ends, and so whether Newton's iteration still finds its way.
TEST(FiveFourBars, PassADeadCentreOrAreSaidToBeThere) {
  for (const char* method : {"trapezoidal", "generalized-alpha"}) {
    const FourBars run({joints, "integrator.method=\"" + std::string(method) + "\""});
    SCOPED_TRACE(method);
    if (run.failure.empty()) {
      expect_one_branch(run, 1e-3, 1e-3);
    } else {
      expect_dead_centre(run);
    }
  }
}

TEST(FiveFourBars, PassADeadCentreOrAreSaidToBeThereByTheVariationalStep) {
  for (const char* step : {"2e-3", "5e-3"}) {
    const FourBars run({"formulation=\"natural-coordinates\"", "integrator.method=\"variational-midpoint\"",
                        "integrator.step=" + std::string(step)});
    SCOPED_TRACE(step);
    if (!run.failure.empty()) {
      expect_dead_centre(run);
      continue;
    }
    const HistoryPanel energy = run.panel("energy"), position = run.panel("position");
    const Eigen::RowVectorXd total = energy.values.bottomRows(1);
    EXPECT_LT((total.array() - total[0]).abs().maxCoeff(), 1e-4 * total[0]);
    const auto height = [&](int bar) {
      const auto row = std::ranges::find(position.rows, fmt::format("bar{}.y", bar));
      return Eigen::RowVectorXd(position.values.row(row - position.rows.begin()));
    };
    EXPECT_LT(height(0).minCoeff(), -0.5) << "aligned";
    for (int bar = 1; bar < 5; ++bar)
      EXPECT_LT((height(bar) - height(0)).cwiseAbs().maxCoeff(), 1e-3) << "on the same branch";
  }
}

}  // namespace
}  // namespace kurbel
