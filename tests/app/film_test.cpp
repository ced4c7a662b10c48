/// The moving picture: what is drawn is x_rigid + s (x - x_rigid), of every shipped mechanism.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>

#include "app/results.hpp"
#include "crank.hpp"
#include "floating_frame.hpp"
#include "formulation/joint_coordinates_motion.hpp"
#include "formulation/mechanism_shapes.hpp"
#include "formulation/natural_motion.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using Overrides = std::vector<std::string>;

/// A simulation of a problem at its start.
struct Simulated {
  explicit Simulated(const Problem& of, double density = 0.0) : problem(of), chain(problem) {
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    const VectorXd start = space.start();
    EXPECT_FALSE(
        chain.reduce(space.at(density > 0.0 ? VectorXd::Constant(start.size(), density) : start), result)
            .failed());
    EXPECT_FALSE(chain.simulate(result).failed());
  }
  explicit Simulated(const std::string& file, const Overrides& overrides = {})
      : Simulated(read_problem(test::input(file), overrides)) {}

  /// Of a motion in joint coordinates, that of its bodies.
  const MultibodySystem<double>& system() const {
    if (const auto* joints = dynamic_cast<const JointCoordinatesMotion*>(result.motion.get()))
      return joints->bodies().system();
    return test::floating_frame(result).system();
  }
  Trajectory<double> trajectory() const {
    const auto* joints = dynamic_cast<const JointCoordinatesMotion*>(result.motion.get());
    return joints ? joints->of_bodies(result.trajectory) : result.trajectory;
  }

  Problem problem;
  EvaluationChain chain;
  ChainResult result;
};

/// Pairs of markers that a joint keeps in one place, whatever its rotations.
std::vector<std::pair<MarkerRef, MarkerRef>> shared_places(const SystemSpec& spec, bool planar) {
  std::vector<std::pair<MarkerRef, MarkerRef>> pairs;
  for (const JointSpec& joint : spec.joints) {
    const auto moves = [&](std::size_t dof) {
      return !joint.locked[dof] || std::ranges::any_of(joint.drives, [&](const DriveSpec& drive) {
        return static_cast<std::size_t>(drive.dof) == dof;
      });
    };
    if (!moves(0) && !moves(1) && (planar || !moves(2))) pairs.emplace_back(joint.from, joint.to);
  }
  return pairs;
}

double length_of(const SystemSpec& spec, const DrawnMotion& motion) {
  MatrixXd places(3, 0);
  for (const BodySpec& body : spec.bodies) {
    for (const SidNode& node : body.sid.frame) {
      places.conservativeResize(3, places.cols() + 1);
      places.rightCols<1>() = motion.position({body.name, node.name}, 0);
    }
  }
  return extent_of(places);
}

struct Mechanism {
  const char* file;
  std::size_t n_joints;  ///< that share a place
  Overrides overrides;   ///< to make it small
  bool planar = true;
  std::vector<double> scales = {1.0, 10.0, 1000.0};
  const char* of = "";  ///< behind the name of the file, where it stands twice
};
void PrintTo(const Mechanism& m, std::ostream* out) {
  *out << m.file;
}

void expect_closed_joints(const Simulated& run, const Mechanism& mechanism) {
  const auto& system = run.system();
  const auto pairs = shared_places(system.spec(), mechanism.planar);
  EXPECT_EQ(pairs.size(), mechanism.n_joints);
  const Trajectory<double> trajectory = run.trajectory();
  const DrawnMotion truth(system, trajectory, 9, 1.0);
  const double length = length_of(system.spec(), truth);
  for (const double scale : mechanism.scales) {
    const DrawnMotion drawn(system, trajectory, 9, scale);
    EXPECT_FALSE(drawn.joints_open());
    for (std::size_t frame = 0; frame < drawn.n_frames(); ++frame) {
      for (const auto& [from, to] : pairs) {
        const double gap = (drawn.position(from, frame) - drawn.position(to, frame)).norm();
        EXPECT_LT(gap, 1e-9 * length)
            << from.body << " and " << to.body << " at " << drawn.time(frame) << " s, " << scale << " times";
      }
    }
  }
}

class JointsOfTheFilm : public ::testing::TestWithParam<Mechanism> {};

TEST_P(JointsOfTheFilm, AreClosedAtAnyScale) {
  const Problem problem = read_problem(test::input(GetParam().file), GetParam().overrides);
  if (problem.cases.empty()) expect_closed_joints(Simulated(problem), GetParam());
  for (const ProblemCase& one : problem.cases) expect_closed_joints(Simulated(*one.problem), GetParam());
}

Overrides crank() {
  return test::coarse_crank();
}

/// The crank under a bound on its stress has a bearing thinner than the coarse elements.
Overrides with_wide_bearing() {
  Overrides overrides = crank();
  overrides.push_back("bodies.crank.regions.bearing.x=[0.192,0.2]");
  return overrides;
}

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = {
      Mechanism{"flexible_crank.toml", 2, crank()}, Mechanism{"flexible_crank_100k.toml", 2, crank()},
      Mechanism{"flexible_crank_small.toml", 2, crank()}, Mechanism{"flexible_crank_plain.toml", 2, crank()},
      Mechanism{"printed_crank.toml", 2, crank()}, Mechanism{"flexible_crank_accurate.toml", 2, crank()},
      Mechanism{"balanced_crank.toml", 3, {}}, Mechanism{"stress_crank.toml", 2, with_wide_bearing()},
      Mechanism{"crank_two_speeds.toml", 2, crank()},
      Mechanism{"flexible_crank_3d.toml", 2, test::coarse_crank_3d()},
      Mechanism{"flexible_crank_3d_1m.toml", 2, test::coarse_crank_3d()},
      Mechanism{"conrod.toml", 2, {"bodies.rod.mesh.size=0.012"}, false},
      Mechanism{"robot_link.toml", 3, {"bodies.forearm.mesh.size=0.02"}, false},
      Mechanism{"crank_with_holes.toml", 2, {"bodies.crank.mesh.size=0.008", "integrator.step=2e-2"}},
      Mechanism{"four_bar.toml",
                4,
                {"bodies.coupler.mesh.divisions=[40,2]", "bodies.rocker.mesh.divisions=[30,2]"}},
      Mechanism{"double_pendulum.toml", 3, {"integrator.t1=0.5"}},
      Mechanism{"arm_codesign.toml", 3, {"bodies.forearm.mesh.divisions=[20,4]"}},
      Mechanism{"lifting_arm.toml", 3, {"integrator.step=0.01"}, false},
      Mechanism{"spatial_slider_crank.toml", 3, {"bodies.crank.mesh.divisions=[16,4,2]"}, false},
      Mechanism{"buggy_lane_change.toml",
                20,
                {"integrator.t1=0.2", "integrator.step=5e-3", "formulation=\"floating-frame\"",
                 "integrator.method=\"generalized-alpha\""},
                false},
      Mechanism{"buggy_step.toml", 20, {"integrator.t1=0.2", "integrator.step=5e-3"}, false},
      Mechanism{"five_bar.toml", 5, {"integrator.t1=1.0"}, false},
      Mechanism{"five_bar.toml",
                5,
                {"integrator.t1=1.0", "formulation=\"hamiltonian\"", "integrator.method=\"runge-kutta-4\""},
                false,
                {1.0, 10.0, 1000.0},
                "Hamiltonian"},
      Mechanism{"buggy_comfort.toml", 20, {"integrator.t1=0.2", "integrator.step=5e-3"}, false},
      Mechanism{"cart_double_pendulum.toml", 3, {}, false}, Mechanism{"cart_least_energy.toml", 3, {}, false},
      Mechanism{"cart_stabilization.toml", 3, {}, false},
      Mechanism{"n_link.toml", 4, {"integrator.t1=1.0"}, false}, Mechanism{"spatial_arm.toml", 4, {}, false},
      Mechanism{"cart_swing_up.toml", 3, {}, false}, Mechanism{"least_time_arm.toml", 3, {}, false},
      // Beams are drawn where they are.
      Mechanism{"leaf_arm.toml", 3, {"integrator.t1=0.1"}, false, {1.0}},
      Mechanism{"spinning_beam.toml", 1, {"integrator.t1=2.0"}},
      Mechanism{"free_plate.toml", 0, {"integrator.t1=0.1"}, false}};
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, JointsOfTheFilm, ::testing::ValuesIn(mechanisms()), [](const auto& info) {
  const std::string file = info.param.file;
  return file.substr(0, file.find('.')) + info.param.of;
});

constexpr std::array in_natural_coordinates = {
    std::pair{"wishbone_corner.toml", 4u}, std::pair{"double_wishbone.toml", 32u},
    std::pair{"rigid_spring_beam.toml", 2u}, std::pair{"ancf_pendulum.toml", 1u}};

/// In natural coordinates what is drawn are the points that carry the joints, in the middle of a step.
TEST(Film, HasClosedJointsInNaturalCoordinates) {
  for (const auto& [file, n_joints] : in_natural_coordinates) {
    SCOPED_TRACE(file);
    Overrides overrides = {"integrator.t1=0.05"};
    if (std::string(file) == "ancf_pendulum.toml") overrides.push_back("objective.at=[0.05]");
    const Simulated run(file, overrides);
    auto& motion = dynamic_cast<NaturalMotion&>(*run.result.motion);
    const DaeStateLayout& layout = dynamic_cast<DaeSteps<double>&>(motion.steps()).layout();
    const auto pairs = shared_places(motion.system().spec(), false);
    EXPECT_EQ(pairs.size(), n_joints);
    const Trajectory<double>& trajectory = run.result.trajectory;
    for (Eigen::Index k = 1; k < trajectory.n_stored; k += 7) {
      const auto at =
          layout.middle<double>(trajectory.t[k], trajectory.y.col(k), trajectory.t[k] - trajectory.t[k - 1]);
      const auto place = [&](const MarkerRef& ref) -> Vector3d {
        return motion.system()
            .frames()
            .at(ref, ref.body)
            .point.at<double>(motion.system().extended_parameters().data(), at.x);
      };
      for (const auto& [from, to] : pairs)
        EXPECT_LT((place(from) - place(to)).norm(), 1e-9)
            << from.body << " and " << to.body << " at " << at.t << " s";
    }
  }
}

TEST(Film, OfABodyFromASidFileHasClosedJoints) {
  const TemporaryFolder folder;
  const Simulated reduced("flexible_crank.toml", crank());
  write_sids(folder / "sid.h5", reduced.chain, reduced.result, file_header(reduced.problem, "sid", "reduce"));
  const Mechanism mechanism{
      "crank_from_sid.toml",
      2,
      {fmt::format("bodies.crank.file=\"{}\"", (folder / "sid.h5").string()), "integrator.step=5e-3"}};
  expect_closed_joints(Simulated(mechanism.file, mechanism.overrides), mechanism);
}

/// The frames are those of the simulation itself at scale 1, and grow from the position without deformation
/// in proportion.
TEST(Film, GrowsWithTheScaleFromThePositionWithoutDeformation) {
  Simulated run("four_bar.toml", {"bodies.coupler.mesh.divisions=[40,2]"});
  const auto& y = run.result.trajectory;
  const auto position = [&](double scale) {
    return DrawnMotion(run.system(), y, 3, scale).position({"coupler", "pin"}, 1);
  };
  const MarkerQuantity<double> pin(run.system(), {"coupler", "pin"}, MarkerQuantityKind::position);
  const Eigen::Index middle = (y.n_stored - 1) / 2;
  const auto& layout = test::floating_frame(run.result).integrator().layout();
  const Vector3d truth = pin.value(layout.instant<double>(y.t[middle], y.y.col(middle)));
  EXPECT_LT((position(1.0) - truth).norm(), 1e-15);
  const Vector3d rigid = position(0.0), deformation = truth - rigid;
  EXPECT_GT(deformation.norm(), 1e-6);
  EXPECT_LT(deformation.norm(), 1e-3);
  EXPECT_LT((position(500.0) - rigid - 500.0 * deformation).norm(), 1e-10);
  // Without deformation the links keep their lengths.
  EXPECT_NEAR((rigid - Vector3d(0.4, 0.0, 0.0)).norm(), 0.3, 1e-12);
}

/// Held at both ends, where elasticity alone lets it be put together: a bar that is bent by its weight.
constexpr auto held_bar = R"(
gravity = [0.0, -9.81, 0.0]
[bodies.bar]
type = "flexible"
[bodies.bar.mesh]
shape = "rectangle"
origin = [0.0, -0.005]
size = [0.2, 0.01]
divisions = [20, 2]
thickness = 0.01
[bodies.bar.material]
youngs_modulus = 2.1e9
poisson_ratio = 0.3
density = 7850.0
[bodies.bar.clamp]
x = 0.0
[bodies.bar.markers.end]
x = 0.2
[bodies.bar.modes]
normal = 3
[ground.markers.end]
position = [0.2, 1e-4, 0.0]
[joints.left]
type = "fixed"
from = "ground"
to = "bar"
[joints.right]
lock = ["ty"]
from = "ground.end"
to = "bar.end"
[integrator]
t1 = 0.02
step = 1e-3
[[objective]]
type = "integral-compliance"
body = "bar"
[output]
motion_frames = 3
deformation_scale = 10.0
)";

TEST(Film, OfALoopThatOnlyElasticityClosesOpensItsJointsAndSaysSo) {
  const TemporaryFolder folder;
  Simulated run(read_problem(TomlDocument::parse(held_bar, "bar.toml", ".", {})));
  const auto warnings = write_motion(folder / "motion.pvd", run.chain, run.result);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("motion.pvd: without elasticity the mechanism cannot be assembled"),
            std::string::npos);
  EXPECT_TRUE(DrawnMotion(run.system(), run.result.trajectory, 3, 10.0).joints_open());
  EXPECT_FALSE(DrawnMotion(run.system(), run.result.trajectory, 3, 1.0).joints_open());
  run.problem.output.deformation_scale = 1.0;
  Simulated truth(run.problem);
  EXPECT_TRUE(write_motion(folder / "true.pvd", truth.chain, truth.result).empty());
}

/// Points of a drawn block within `radius` of a place.
Eigen::Index n_near(const ReadGrid& grid, const Vector3d& place, double radius) {
  return ((grid.points.colwise() - place).colwise().norm().array() < radius).count();
}

TEST(Film, ShowsEveryPartUnderItsName) {
  const TemporaryFolder folder;
  Simulated run("four_bar.toml", {"bodies.coupler.mesh.divisions=[40,2]",
                                  "bodies.rocker.mesh.divisions=[30,2]", "output.motion_frames=4"});
  EXPECT_TRUE(write_motion(folder / "motion.pvd", run.chain, run.result).empty());
  const auto entries = read_pvd(folder / "motion.pvd");
  ASSERT_EQ(entries.size(), 4u);
  const ReadBlocks blocks = read_blocks(folder / entries[2].second);
  std::vector<std::string> names;
  for (const auto& named : blocks) names.push_back(named.first);
  EXPECT_EQ(names, (std::vector<std::string>{"crank", "coupler", "rocker", "joints", "ground"}));
  EXPECT_EQ(block(blocks, "coupler").units, (std::map<std::string, std::string>{{"displacement", "m"}}));
  const DrawnMotion motion(run.system(), run.result.trajectory, 4, 100.0);
  // What is drawn meets where the joints are: marker nodes about their marker, tubes and pins around it.
  const Vector3d crank_pin = motion.position({"crank", "pin"}, 2),
                 rocker_pin = motion.position({"rocker", "pin"}, 2);
  EXPECT_GT(n_near(block(blocks, "crank"), crank_pin, 0.01), 8);
  EXPECT_GT(n_near(block(blocks, "joints"), crank_pin, 0.02), 16);
  EXPECT_GE(n_near(block(blocks, "coupler"), rocker_pin, 0.0101), 3);
  EXPECT_GE(n_near(block(blocks, "rocker"), rocker_pin, 0.0101), 3);
}

/// A beam that bends comes nearer to its hub: the picture is true at scale 1, of second order too.
TEST(Film, ShowsTheForeshorteningOfAStiffenedBody) {
  const TemporaryFolder folder;
  Simulated run("spinning_beam.toml", {"integrator.t1=7.5", "output.motion_frames=2"});
  EXPECT_TRUE(write_motion(folder / "motion.pvd", run.chain, run.result).empty());
  const ReadGrid beam = block(read_blocks(folder / "motion/motion_00001.vtm"), "beam");
  const Vector3d tip = 0.5 * (beam.points.col(100) + beam.points.col(201));  // nodes are numbered x fastest
  const Vector3d marker =
      DrawnMotion(run.system(), run.result.trajectory, 2, 1.0).position({"beam", "tip"}, 1);
  EXPECT_LT((tip - marker).norm(), 1e-5);  // single precision, of 10 m
  EXPECT_LT(marker.norm(), 10.0 - 1e-3);
}

TEST(Film, StressIsWhatTheCriterionSees) {
  const TemporaryFolder folder;
  Overrides overrides = with_wide_bearing();
  overrides.push_back("constraints.criteria.strength.leave_out=[\"clamp\"]");
  overrides.push_back("output.motion_frames=2");
  overrides.push_back("output.solid_above=0.0");
  Simulated run(read_problem(test::input("stress_crank.toml"), overrides), 0.25);
  EXPECT_TRUE(write_motion(folder / "motion.pvd", run.chain, run.result).empty());
  const ReadBlocks blocks = read_blocks(folder / "motion/motion_00001.vtm");
  const ReadGrid& crank = block(blocks, "crank");
  const MatrixXd stress = crank.cell_arrays.at("von_mises_max"), density = crank.cell_arrays.at("density");
  double largest = 0.0;
  int n_left_out = 0, n_void = 0;
  for (Eigen::Index e = 0; e < stress.cols(); ++e) {
    const bool at_clamp = e % 30 == 0;  // elements are numbered x fastest
    EXPECT_EQ(std::isnan(stress(0, e)), at_clamp) << e;
    n_left_out += at_clamp;
    n_void += density(0, e) < 0.3;
    if (!at_clamp) largest = std::max(largest, stress(0, e));
  }
  EXPECT_EQ(n_left_out, 6);
  EXPECT_GT(n_void, 100);
  // The peak that the constraint is judged by.
  const double true_peak = peak(run.problem.constraints.criteria[0], run.result.values[1]);
  EXPECT_NEAR(largest, true_peak, 1e-6 * true_peak);  // single precision
}

TEST(Film, OfBeamsAndPointsHasNamedBlocksThatMeet) {
  const TemporaryFolder folder;
  Simulated arm("flexible_scara.toml", {"integrator.t1=0.1", "output.motion_frames=3",
                                        "constraints.criteria={}", "stages={}", "controls.u1.start=3.0"});
  EXPECT_TRUE(write_motion(folder / "motion.pvd", arm.chain, arm.result).empty());
  const ReadBlocks blocks = read_blocks(folder / "motion/motion_00002.vtm");
  std::vector<std::string> names;
  for (const auto& named : blocks) names.push_back(named.first);
  EXPECT_EQ(names, (std::vector<std::string>{"upper_arm", "forearm", "masses", "joints", "ground"}));
  EXPECT_EQ(block(blocks, "forearm").units.at("stress"), "Pa");
  // Three points over the height at the last section of the one and the first of the other.
  const MatrixXd &upper = block(blocks, "upper_arm").points, &fore = block(blocks, "forearm").points;
  EXPECT_LT((upper.col(upper.cols() - 2) - fore.col(1)).norm(), 1e-6);  // single precision
}

/// By methods whose states hold more than coordinates and velocities, too.
TEST(Film, OfAPendulumHasItsSpringBetweenItsEndsByEveryMethod) {
  const TemporaryFolder folder;
  for (const std::string method : {"trapezoidal", "generalized-alpha", "variational-midpoint"}) {
    SCOPED_TRACE(method);
    Simulated pendulum("spring_pendulum.toml", {"output.motion_frames=3", "integrator.method=" + method});
    EXPECT_TRUE(write_motion(folder / (method + ".pvd"), pendulum.chain, pendulum.result).empty());
    const ReadBlocks parts = read_blocks(folder / method / (method + "_00002.vtm"));
    const MatrixXd& mass = block(parts, "points").points;
    const Vector3d centre = 0.5 * (mass.rowwise().maxCoeff() + mass.rowwise().minCoeff());
    for (const Vector3d& end : {Vector3d(Vector3d::Zero()), centre})
      EXPECT_GE(n_near(block(parts, "springs"), end, 0.05), 6) << "the section of a wire";
  }
}

TEST(Pictures, AreTitledAfterTheProblemIfItHasATitle) {
  EXPECT_EQ(picture_title("Crank", "cut"), "Crank, cut");
  EXPECT_EQ(picture_title("", "iteration 3"), "iteration 3");
  EXPECT_EQ(picture_title("Crank", ""), "Crank");
}

TEST(Film, OfEveryExampleIsTested) {
  // One needs a file that a run writes first, five have no motion. Planar beams share coordinates with what a joint connects
  // them to.
  std::set<std::string> files = {
      "crank_from_sid.toml",      "mbb_beam.toml",        "du_olhoff_beam.toml", "flexible_scara.toml",
      "one_mass_oscillator.toml", "spring_pendulum.toml", "arm_in_pose.toml",    "l_bracket.toml",
      "sensor_bracket.toml"};
  for (const Mechanism& mechanism : mechanisms()) files.insert(mechanism.file);
  for (const auto& [file, n_joints] : in_natural_coordinates) files.insert(file);
  for (const std::filesystem::path& file : test::inputs())
    EXPECT_TRUE(files.contains(file.filename())) << file;
}

}  // namespace
}  // namespace kurbel
