#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "crank_text.hpp"
#include "mechanism/joint_damper.hpp"
#include "problem/problem.hpp"
#include "sid/sid_hdf5.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

Problem read(const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(crank_text, "crank.toml", "/folder", overrides));
}

constexpr double pi = EIGEN_PI;

TEST(ReadProblem, BodiesComeInTheOrderOfTheFile) {
  const Problem problem = read();
  ASSERT_EQ(problem.bodies.size(), 2u);
  ASSERT_EQ(problem.system.bodies.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(problem.bodies[i].name, problem.system.bodies[i].name);
  EXPECT_EQ(problem.bodies[0].name, "crank");
  EXPECT_EQ(problem.bodies[0].type, ProblemBody::Type::flexible);
  EXPECT_EQ(problem.bodies[1].type, ProblemBody::Type::rigid);
  EXPECT_EQ(problem.find_body("rod"), 1u);
  EXPECT_FALSE(problem.find_body("ground"));
}

TEST(ReadProblem, AJointWithoutDampingHasADamperOnlyIfItVaries) {
  const auto dampers = [](const std::vector<std::string>& overrides) {
    return std::ranges::count_if(read(overrides).system.torsion_springs, is_joint_damper);
  };
  EXPECT_EQ(dampers({"joints.pin.damping=0.1"}), 1);
  EXPECT_EQ(dampers({"joints.pin.damping=0.0"}), 0);
  for (const std::string quantity : {"\"joints.pin.damping\"", "[\"joints.pin.damping\"]"}) {
    const std::string varies = "variables.d={quantity=" + quantity + ", lower=0.0, upper=1.0}";
    EXPECT_EQ(dampers({"joints.pin.damping=0.0", varies}), 1) << quantity;
  }
}

TEST(ReadProblem, FlexibleBodyIsComplete) {
  const fem::FlexibleBodySpec body = read().bodies[0].flexible;
  EXPECT_EQ(body.name, "crank");
  EXPECT_EQ(body.mesh.dim, 2);
  EXPECT_EQ(body.mesh.origin, Vector3d(0.0, -0.02, 0.0));
  EXPECT_EQ(body.mesh.size, Vector3d(0.2, 0.04, 0.0));
  EXPECT_EQ(body.mesh.divisions[0], 10);
  EXPECT_EQ(body.mesh.divisions[1], 2);
  EXPECT_EQ(body.mesh.thickness, 0.01);
  EXPECT_EQ(body.material.youngs_modulus, 2.1e11);
  EXPECT_EQ(body.material.poisson_ratio, 0.3);
  EXPECT_EQ(body.material.density, 7850.0);
  EXPECT_EQ(body.simp.s, 4.0);
  EXPECT_EQ(body.simp.p_min, fem::Simp{}.p_min);
  const auto box_of = [](const fem::Place& place) { return std::get<fem::Box>(place.shape); };
  EXPECT_EQ(box_of(body.clamp).lower[0], 0.0);
  EXPECT_EQ(box_of(body.clamp).upper[0], 0.0);
  EXPECT_FALSE(box_of(body.clamp).lower[1]);
  ASSERT_EQ(body.markers.size(), 2u);
  EXPECT_EQ(body.markers[1].name, "tip");
  EXPECT_FALSE(box_of(body.markers[1].nodes).lower[1]);
  EXPECT_EQ(box_of(body.markers[1].nodes).upper[1], -0.02);
  ASSERT_EQ(body.regions.size(), 1u);
  EXPECT_EQ(body.regions[0].name, "bearing");
  EXPECT_EQ(body.regions[0].kind, fem::Region::Kind::solid);
  EXPECT_EQ(box_of(body.regions[0].place).lower[0], 0.18);
  EXPECT_EQ(body.n_normal_modes, 3);
  EXPECT_EQ(body.damping_alpha, 0.5);
  EXPECT_EQ(body.damping_beta, 1e-5);
  EXPECT_FALSE(body.geometric_stiffening);
}

TEST(ReadProblem, BoxMeshIsReadInThreeDimensions) {
  const Problem problem =
      read({"bodies.crank.mesh={shape=\"box\", origin=[0,0,0], size=[0.2,0.04,0.02], "
            "divisions=[10,3,2]}",
            "bodies.crank.markers={pin={x=0.2}}", "bodies.crank.initial={}"});
  const fem::MeshSpec& mesh = problem.bodies[0].flexible.mesh;
  EXPECT_EQ(mesh.dim, 3);
  EXPECT_EQ(mesh.size, Vector3d(0.2, 0.04, 0.02));
  EXPECT_EQ(mesh.divisions, (std::array<int, 3>{10, 3, 2}));
}

TEST(ReadProblem, ElementsAreStandardUnlessIncompatibleModesAreRequested) {
  EXPECT_EQ(read({}).bodies[0].flexible.mesh.element, fem::ElementType::standard);
  EXPECT_EQ(read({"bodies.crank.mesh.element=incompatible"}).bodies[0].flexible.mesh.element,
            fem::ElementType::incompatible);
}

TEST(ReadProblem, AttachmentsFollowFromTheMechanismUnlessTurnedOff) {
  const auto attachments = read().bodies[0].flexible.attachments;
  ASSERT_EQ(attachments.size(), 1u);
  EXPECT_EQ(attachments[0].marker, "pin");
  EXPECT_EQ(attachments[0].force, (std::array<bool, 3>{true, true, false}));
  EXPECT_EQ(attachments[0].moment, (std::array<bool, 3>{false, false, true}));  // that of the torsion spring
  const Problem without = read({"bodies.crank.modes.attachment=false", "bodies.crank.initial={}"});
  EXPECT_TRUE(without.bodies[0].flexible.attachments.empty());
}

TEST(ReadProblem, RigidBodyBecomesASid) {
  const Sid sid = read().system.bodies[1].sid;
  EXPECT_EQ(sid.n_q(), 0);
  EXPECT_EQ(sid.refmod.mass, 0.5);
  EXPECT_DOUBLE_EQ(sid.mdCM.M0(0, 0), 0.125);
  EXPECT_DOUBLE_EQ(sid.J.M0(0, 0), 0.1);
  EXPECT_DOUBLE_EQ(sid.J.M0(1, 1), 0.2 + 0.5 * 0.0625);  // Steiner's term of the centre of mass
  EXPECT_DOUBLE_EQ(sid.J.M0(0, 1), 0.01);
  EXPECT_DOUBLE_EQ(sid.J.M0(0, 2), 0.02);
  EXPECT_DOUBLE_EQ(sid.J.M0(1, 2), 0.03);
  const SidNode* end = sid.find_node("end");
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->origin.M0, Vector3d(0.5, 0.0, 0.0));
  Matrix3d quarter_turn;
  quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_TRUE(end->AP.M0.isApprox(quarter_turn, 1e-15));
}

TEST(ReadProblem, TablesOfLoadsAreMonotoneAndThoseOfDrivesSmoothWhereTheyAreHeld) {
  const Problem problem = read(
      {"loads.push.force=[{type=\"table\", t=[0.0, 1.0, 1.1, 3.0], values=[0.0, 0.0, 2.0, 2.0]}, 0.0, 0.0]",
       "joints.slider.drive.1.t=[0.7, 1.5]", "joints.slider.drive.1.beyond=\"hold\""});
  const TimeFunction& load = *problem.system.loads.at(0).force[0];
  for (const double t : {0.3, 0.9, 1.5, 2.8}) EXPECT_NEAR(load.at(t).value, t < 1.0 ? 0.0 : 2.0, 1e-14);
  const TimeFunction& drive = *problem.system.joints.at(2).drives.at(1).motion;
  EXPECT_EQ(drive.at(0.5).value, 0.0);
  EXPECT_NEAR(drive.at(2.0).value, EIGEN_PI, 1e-15);
  EXPECT_NEAR(drive.at(1.5 - 1e-9).rate, 0.0, 1e-7);
}

TEST(ReadProblem, InertiaIsReadInThreeForms) {
  const auto inertia = [](const std::string& text) -> MatrixXd {
    return read({"bodies.rod.centre_of_mass=[0,0,0]", "bodies.rod.inertia=" + text})
        .system.bodies[1]
        .sid.J.M0;
  };
  Matrix3d expected;
  expected << 2.0, 0.1, 0.2, 0.1, 3.0, 0.3, 0.2, 0.3, 4.0;
  EXPECT_EQ(inertia("[2.0, 3.0, 4.0, 0.1, 0.2, 0.3]"), expected);
  EXPECT_EQ(inertia("[[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 4.0]]"), expected);
  EXPECT_EQ(inertia("[2, 3, 4]"), MatrixXd(Vector3d(2.0, 3.0, 4.0).asDiagonal()));
}

TEST(ReadProblem, InitialStateIsComplete) {
  const Problem problem = read();
  const InitialState& rod = problem.system.bodies[1].initial;
  EXPECT_EQ(rod.position, Vector3d(0.2, 0.0, 0.0));
  EXPECT_EQ(rod.rotation, Vector3d(0.0, 0.0, 0.1));
  EXPECT_EQ(rod.velocity, Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(rod.angular_velocity, Vector3d(4.0, 5.0, 6.0));
  const InitialState& crank = problem.system.bodies[0].initial;
  ASSERT_EQ(crank.q.size(), 6);
  EXPECT_EQ(crank.q[5], 0.6);
  EXPECT_EQ(crank.q_dot.size(), 0);
}

TEST(ReadProblem, JointsLockWhatTheirTypeOrListSays) {
  const SystemSpec system = read().system;
  ASSERT_EQ(system.joints.size(), 3u);
  const JointSpec& bearing = system.joints[0];
  EXPECT_EQ(bearing.name, "bearing");
  EXPECT_EQ(bearing.from.body, "ground");
  EXPECT_EQ(bearing.from.marker, "origin");
  EXPECT_EQ(bearing.to.body, "crank");
  EXPECT_EQ(bearing.locked, (std::array<bool, 6>{true, true, true, true, true, false}));
  EXPECT_EQ(system.joints[1].from.marker, "pin");
  EXPECT_EQ(system.joints[2].locked, (std::array<bool, 6>{false, true, false, true, false, false}));
  EXPECT_EQ(system.joints[2].to.marker, "slider");
  EXPECT_EQ(system.ground.at(0).origin.M0, Vector3d(0.7, 0.0, 0.0));
}

TEST(ReadProblem, DrivesFollowTheirFunctionInTheirUnit) {
  const SystemSpec system = read().system;
  const DriveSpec& turning = system.joints[0].drives.at(0);
  EXPECT_EQ(turning.dof, RelativeDof::rz);
  EXPECT_NEAR(turning.motion->at(2.0).value, 12.0 * pi, 1e-12);  // rounding of 12 pi, with some to spare
  EXPECT_NEAR(turning.motion->at(2.0).rate, 12.0 * pi, 1e-12);
  EXPECT_EQ(turning.motion->at(0.0).rate, 0.0);
  ASSERT_EQ(system.joints[2].drives.size(), 2u);
  EXPECT_EQ(system.joints[2].drives[0].dof, RelativeDof::tx);
  EXPECT_DOUBLE_EQ(system.joints[2].drives[0].motion->at(3.0).value, 6e-3);
  EXPECT_EQ(system.joints[2].drives[1].dof, RelativeDof::ry);
  EXPECT_DOUBLE_EQ(system.joints[2].drives[1].motion->at(1.0).value, 0.5 * pi);
}

TEST(ReadProblem, ForceElementsAreComplete) {
  const SystemSpec system = read().system;
  const SpringSpec& spring = system.springs.at(0);
  EXPECT_EQ(spring.from.marker, "end");
  EXPECT_EQ(spring.to.marker, "slider");
  EXPECT_EQ(spring.stiffness, 100.0);
  EXPECT_EQ(spring.damping, 2.0);
  EXPECT_EQ(spring.free_length, 0.1);
  const TorsionSpringSpec& hinge = system.torsion_springs.at(0);
  EXPECT_EQ(hinge.stiffness, 5.0);
  EXPECT_EQ(hinge.damping, 0.1);
  EXPECT_EQ(hinge.free_angle, -0.2);
  const MarkerLoadSpec& load = system.loads.at(0);
  EXPECT_EQ(load.frame, MarkerLoadSpec::Frame::body);
  EXPECT_EQ(load.force[0]->at(7.0).value, 1.0);
  EXPECT_EQ(load.force[1], nullptr);
  EXPECT_EQ(load.force[2]->at(7.0).value, 3.0);
  EXPECT_EQ(load.torque[0], nullptr);
  EXPECT_DOUBLE_EQ(load.torque[2]->at(1.5).value, 3.0);
  EXPECT_EQ(system.gravity, Vector3d(0.0, -9.81, 0.0));
}

TEST(ReadProblem, DampingOfAJointActsBetweenItsMarkersInEveryJointThatTurnsAboutItsAxisZ) {
  for (const char* type : {"revolute", "cylindrical", "planar"}) {
    const SystemSpec system = read({"joints.pushed={type=\"" + std::string(type) +
                                    "\", from=\"ground\", to=\"crank\", damping=0.3}"})
                                  .system;
    const TorsionSpringSpec* damper = find_damper(system.joints.back(), system);
    ASSERT_NE(damper, nullptr) << type;
    EXPECT_EQ(damper->damping, 0.3) << type;
    EXPECT_EQ(damper->stiffness, 0.0) << type;
    EXPECT_EQ(damper->to.body, "crank") << type;
    EXPECT_EQ(damper->from.body, "ground") << type;
  }
}

TEST(ReadProblem, OptionsAreComplete) {
  const Problem p = read();
  EXPECT_EQ(p.title, "Test crank");
  EXPECT_EQ(p.integrator.t0, 0.5);
  EXPECT_EQ(p.integrator.t1, 2.0);
  EXPECT_EQ(p.integrator.step, 0.01);
  EXPECT_EQ(p.integrator.n_steps(), 150);
  EXPECT_EQ(p.integrator.rho_inf, 0.6);
  EXPECT_EQ(p.integrator.newton_tolerance, 1e-9);
  EXPECT_EQ(p.integrator.max_newton_iterations, 7);
  ASSERT_EQ(p.objective.size(), 1u);
  EXPECT_EQ(p.objective[0].body, "crank");
  EXPECT_EQ(p.objective[0].weight, 2.0);
  EXPECT_EQ(p.sensitivity.method, SensitivityOptions::Method::continuous_adjoint);
  EXPECT_EQ(p.sensitivity.substeps, 3);
  EXPECT_EQ(p.constraints.volume_fraction, 0.4);
  EXPECT_EQ(p.constraints.mass, 0.3);
  EXPECT_EQ(p.design.bodies, std::vector<std::string>{"crank"});
  EXPECT_EQ(p.design.start, 0.45);
  EXPECT_TRUE(p.design.start_file.empty());
  EXPECT_EQ(p.filter.type, FilterOptions::Type::density);
  EXPECT_EQ(p.filter.radius, 0.03);
  EXPECT_EQ(p.projection.type, ProjectionOptions::Type::heaviside);
  EXPECT_EQ(p.projection.eta, 0.4);
  EXPECT_EQ(p.projection.beta_start, 2.0);
  EXPECT_EQ(p.projection.beta_max, 16.0);
  EXPECT_EQ(p.projection.beta_interval, 10);
  EXPECT_EQ(p.optimizer.method, "ipopt");
  EXPECT_EQ(p.optimizer.move_limit, 0.1);
  EXPECT_EQ(p.optimizer.oc_damping, 0.4);
  EXPECT_EQ(p.optimizer.feasibility, 1e-5);
  EXPECT_EQ(p.optimizer.max_iterations, 12);
  EXPECT_EQ(p.optimizer.design_change, 0.02);
  EXPECT_EQ(p.optimizer.design_change_iterations, 3);
  EXPECT_EQ(p.optimizer.kkt_residual, 1e-4);
  EXPECT_EQ(p.optimizer.wall_time, 60.0);
  EXPECT_EQ(p.output.every, 3);
  EXPECT_FALSE(p.output.motion);
  EXPECT_EQ(p.output.motion_frames, 30);
  EXPECT_EQ(p.output.deformation_scale, 100.0);
  EXPECT_EQ(p.output.solid_above, 0.4);
  EXPECT_FALSE(p.output.picture);
  EXPECT_FALSE(p.output.trajectory);
}

TEST(ReadProblem, WhatIsLeftOutHasTheDefaultOfItsModule) {
  const Problem p =
      read({"integrator={t1=1.0, step=0.1}", "optimizer={}", "output={}", "filter={type=\"none\"}",
            "projection={type=\"none\"}", "constraints={}", "design={}"});
  EXPECT_EQ(p.integrator.rho_inf, IntegratorOptions{}.rho_inf);
  EXPECT_EQ(p.integrator.newton_tolerance, IntegratorOptions{}.newton_tolerance);
  EXPECT_EQ(p.optimizer.method, OptimizerOptions{}.method);
  EXPECT_EQ(p.optimizer.max_iterations, OptimizerOptions{}.max_iterations);
  EXPECT_EQ(p.output.motion_frames, OutputOptions{}.motion_frames);
  EXPECT_EQ(p.output.solid_above, OutputOptions{}.solid_above);
  EXPECT_FALSE(p.constraints.volume_fraction);
  EXPECT_FALSE(p.constraints.mass);
  EXPECT_EQ(p.design.bodies, std::vector<std::string>{"crank"});
  EXPECT_EQ(p.design.start, 1.0);
}

TEST(ReadProblem, StartIsTheVolumeFractionUnlessGivenByNumberOrFile) {
  EXPECT_EQ(read({"design={}"}).design.start, 0.4);
  EXPECT_EQ(read({"design.start=designs/last.vtu"}).design.start_file, fs::path("/folder/designs/last.vtu"));
  EXPECT_EQ(read({"design.start=/designs/last.vtu"}).design.start_file, fs::path("/designs/last.vtu"));
}

TEST(ReadProblem, SensitivityTakesItsPath) {
  using Path = SensitivityOptions::Path;
  EXPECT_EQ(read().sensitivity.path, Path::pull_back);
  EXPECT_EQ(read({"sensitivity.path=\"augmented-sid\""}).sensitivity.path, Path::augmented_sid);
  EXPECT_THAT(input_error_message([] { read({"sensitivity.path=\"adjoint\""}); }),
              ::testing::HasSubstr("sensitivity.path"));
}

TEST(ReadProblem, GeometricStiffeningIsRefusedWithTheAugmentedSidAndAVariedMesh) {
  const std::string requested = "bodies.crank.geometric_stiffening=true";
  EXPECT_TRUE(read({requested}).bodies[0].flexible.geometric_stiffening);
  EXPECT_THAT(input_error_message([&] {
                read({requested, "sensitivity.path=\"augmented-sid\""});
              }),
              ::testing::HasSubstr("has no derivatives of the geometric stiffening that "
                                   "bodies.crank.geometric_stiffening asks for; use \"pull-back\""));
  const std::string size =
      "variables.length={quantity=\"bodies.crank.mesh.size\", component=\"x\", lower=0.1, upper=0.3}";
  EXPECT_NO_THROW(read({size}));
  EXPECT_THAT(input_error_message([&] {
                read({requested, size});
              }),
              ::testing::HasSubstr("cannot vary with bodies.crank.geometric_stiffening"));
}

TEST(ReadProblem, TheStartIsGivenOrInEquilibrium) {
  EXPECT_EQ(read().system.initial_equilibrium, InitialEquilibrium::none);
  const auto start = [](const std::string& state) {
    return read({"initial={state=\"" + state + "\"}"}).system.initial_equilibrium;
  };
  EXPECT_EQ(start("given"), InitialEquilibrium::none);
  EXPECT_EQ(start("quasi-static"), InitialEquilibrium::elastic);
  EXPECT_EQ(start("static-equilibrium"), InitialEquilibrium::all);
}

TEST(ReadProblem, SidBodyComesFromItsFile) {
  const TemporaryFolder folder;
  const Sid sid = make_rigid_sid(2.5, Vector3d::Zero(), Matrix3d::Identity(),
                                 {make_sid_node("pin", {0.2, 0.0, 0.0}, Matrix3d::Identity(), 0)});
  write_sid_file(folder / "sid.h5", {{"lever", sid}, {"other", sid}});
  const std::vector<std::string> overrides = {"bodies.crank={type=\"sid\", file=\"sid.h5\", body=\"lever\"}",
                                              "design={}", "objective=[]"};
  const Problem problem =
      read_problem(TomlDocument::parse(crank_text, "crank.toml", folder.path(), overrides));
  EXPECT_EQ(problem.bodies[0].type, ProblemBody::Type::sid);
  EXPECT_EQ(problem.system.bodies[0].sid.refmod.mass, 2.5);
  EXPECT_TRUE(problem.design.bodies.empty());
  EXPECT_NO_THROW(require_simulation_problem(problem));
}

/// The crank from that body in a file, with more keys of the body.
Problem read_with_sid(const TemporaryFolder& folder, const Sid& sid, const std::string& more = "") {
  write_sid_file(folder / "sid.h5", {{"lever", sid}});
  const std::vector<std::string> overrides = {"bodies.crank={type=\"sid\", file=\"sid.h5\"" + more + "}",
                                              "design={}", "objective=[]"};
  return read_problem(TomlDocument::parse(crank_text, "crank.toml", folder.path(), overrides));
}

Sid with_marker(Sid sid) {
  sid.frame = {make_sid_node("pin", {0.2, 0.0, 0.0}, Matrix3d::Identity(), sid.n_q())};
  return sid;
}

TEST(ReadProblem, RefusesASidOfIndefiniteMassUnlessAccepted) {
  const TemporaryFolder folder;
  Sid sid = with_marker(make_rigid_sid(2.5, Vector3d(1.0, 0.0, 0.0), Matrix3d::Identity(), {}));
  sid.J.M0.setIdentity();  // less than the mass at its distance has
  expect_input_error(
      [&] { read_with_sid(folder, sid); },
      {"bodies.crank.file", "sid.h5: lever: its mass matrix", "is indefinite", "accept_indefinite = true"});
  EXPECT_EQ(read_with_sid(folder, sid, ", accept_indefinite=true").system.bodies[0].sid.refmod.mass, 2.5);
}

TEST(ReadProblem, RefusesASidWhoseColumnsFitNoOrder) {
  const TemporaryFolder folder;
  Sid elastic = Sid::zeros({"q1", "q2"}, {});
  elastic.refmod.mass = 2.5;
  elastic.J = Taylor::zero(3, 3, 2, 2);
  elastic.J.M0.setIdentity();
  elastic.Me.M0.setIdentity();
  elastic.Ke.M0.setIdentity();
  elastic.J.M1[0](1, 1) = 0.1;
  elastic.Gr.M0(0, 3) = 0.1;
  expect_input_error([&] { read_with_sid(folder, with_marker(elastic)); },
                     {"bodies.crank.file", "sid.h5: lever: the columns of Gr fit neither order",
                      "J.M1 = sym Gr.M0 is violated by"});
}

TEST(ReadProblem, ReadsBackFromItsOwnTextAndOverrides) {
  const Problem first = read({"constraints.volume_fraction=0.35"});
  const TomlDocument& d = *first.document;
  const Problem again = read_problem(TomlDocument::parse(d.text, "run.h5", d.directory, d.overrides));
  EXPECT_EQ(again.document->root.to_toml(), first.document->root.to_toml());
  EXPECT_EQ(again.constraints.volume_fraction, 0.35);
}

TEST(ReadProblem, LaterStagesCanNameThePlace) {
  EXPECT_STREQ(read().error("bodies.crank.markers.pin", "is wrong").what(),
               "crank.toml:20: bodies.crank.markers.pin is wrong");
}

TEST(ReadProblem, CompleteInputServesEveryCommand) {
  EXPECT_NO_THROW(require_simulation_problem(read()));
  // Not the elastic coordinates that the crank starts with, in a basis that its design would change.
  EXPECT_NO_THROW(require_gradient_problem(read({"bodies.crank.initial={}"})));
  EXPECT_NO_THROW(require_optimization_problem(read({"bodies.crank.initial={}"})));
}

}  // namespace
}  // namespace kurbel
