/// `kurbel import`: robots of URDF files. The arm is our own, from this table of masses and lengths:
///
///     link      mass   shape                              carried by
///     column    4 kg   cylinder, radius 0.05, length 0.3  the ground, turning about the vertical
///     upper     2.5    bar 0.4 x 0.04 x 0.04              the top of the column, about y
///     forearm   1.5    bar 0.3 x 0.03 x 0.03, bent down by 0.5 rad    the end of the upper arm, about -y
///     tool      0.5    ball, radius 0.03                  the end of the forearm, sliding along it
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "csv_table.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::CsvTable;
using test::Outcome;
using test::run;
using testing::HasSubstr;
using testing::Not;

/// Its bars are stated along the z axis of an inertial frame that is turned into the x axis of the link.
const char* const arm_urdf = R"(<?xml version="1.0"?>
<robot name="own arm">
  <link name="base_link"/>
  <link name="column">
    <inertial>
      <origin xyz="0 0 0.15"/> <mass value="4"/>
      <inertia ixx="0.0325" ixy="0" ixz="0" iyy="0.0325" iyz="0" izz="0.005"/>
    </inertial>
    <visual><geometry><mesh filename="package://own_arm/column.stl" scale="0.001 0.001 0.001"/></geometry></visual>
    <collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/> <mass value="2.5"/>
      <inertia ixx="0.03366666666666667" ixy="0" ixz="0" iyy="0.03366666666666667" iyz="0" izz="0.0006666666666666666"/>
    </inertial>
  </link>
  <link name="forearm">
    <inertial>
      <origin xyz="0.15 0 0" rpy="0 1.5707963267948966 0"/> <mass value="1.5"/>
      <inertia ixx="0.0113625" ixy="0" ixz="0" iyy="0.0113625" iyz="0" izz="0.000225"/>
    </inertial>
  </link>
  <link name="tool">
    <inertial><mass value="0.5"/><inertia ixx="0.00018" ixy="0" ixz="0" iyy="0.00018" iyz="0" izz="0.00018"/></inertial>
  </link>
  <link name="tool0"/>
  <joint name="turn" type="continuous">
    <parent link="base_link"/> <child link="column"/> <axis xyz="0 0 1"/> <dynamics damping="0.05"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="column"/> <child link="upper"/> <origin xyz="0 0 0.3"/> <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2.5" effort="30" velocity="3"/> <dynamics damping="0.1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/> <child link="forearm"/> <origin xyz="0.4 0 0" rpy="0 0.5 0"/> <axis xyz="0 -2 0"/>
    <limit lower="0.1" upper="2.5" effort="20" velocity="3"/> <dynamics damping="0.0" friction="0.3"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="forearm"/> <child link="tool"/> <origin xyz="0.3 0 0"/> <axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="50" velocity="1"/> <dynamics damping="2.0"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="tool"/> <child link="tool0"/> <origin xyz="0.02 0.01 0"/>
  </joint>
</robot>
)";

/// The same arm by hand: frames at the centres of mass, inertias along the axes, dampers of their own.
const char* const arm_by_hand = R"(gravity = [0.0, 0.0, -9.81]
formulation = "joint-hamiltonian"
[bodies.column]
type = "rigid"
mass = 4.0
inertia = [0.0325, 0.0325, 0.005]
initial = { position = [0.0, 0.0, 0.15] }
[bodies.column.markers]
foot = { position = [0.0, 0.0, -0.15] }
shoulder = { position = [0.0, 0.0, 0.15], rotation = [-1.5707963267948966, 0.0, 0.0] }
[bodies.upper]
type = "rigid"
mass = 2.5
inertia = [0.0006666666666666666, 0.03366666666666667, 0.03366666666666667]
initial = { position = [0.2, 0.0, 0.3] }
[bodies.upper.markers]
shoulder = { position = [-0.2, 0.0, 0.0], rotation = [-1.5707963267948966, 0.0, 0.0] }
elbow = { position = [0.2, 0.0, 0.0], rotation = [1.5707963267948966, 0.0, 0.0] }
[bodies.forearm]
type = "rigid"
mass = 1.5
inertia = [0.000225, 0.0113625, 0.0113625]
initial = { position = [0.5316373842835559, 0.0, 0.2280861692093695], rotation = [0.0, 0.5, 0.0] }
[bodies.forearm.markers]
elbow = { position = [-0.15, 0.0, 0.0], rotation = [1.5707963267948966, 0.0, 0.0] }
slide = { position = [0.15, 0.0, 0.0], rotation = [0.0, 1.5707963267948966, 0.0] }
[bodies.tool]
type = "rigid"
mass = 0.5
inertia = [0.00018, 0.00018, 0.00018]
initial = { position = [0.6632747685671118, 0.0, 0.156172338418739], rotation = [0.0, 0.5, 0.0] }
[bodies.tool.markers]
slide = { rotation = [0.0, 1.5707963267948966, 0.0] }
end = { position = [0.02, 0.01, 0.0] }
[joints]
turn = { type = "revolute", from = "ground", to = "column.foot" }
shoulder = { type = "revolute", from = "column.shoulder", to = "upper.shoulder" }
elbow = { type = "revolute", from = "upper.elbow", to = "forearm.elbow" }
slide = { type = "prismatic", from = "forearm.slide", to = "tool.slide" }
[torsion_springs]
turn = { from = "ground", to = "column.foot", damping = 0.05 }
shoulder = { from = "column.shoulder", to = "upper.shoulder", damping = 0.1 }
[springs]
slide = { from = "forearm.elbow", to = "tool.slide", damping = 2.0 }
[integrator]
method = "runge-kutta-4"
t1 = 0.5
step = 1.0e-3
[outputs]
tool0 = { type = "position", marker = "tool.end" }
)";

class Import : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Outcome import(const std::string& text, const std::string& options = "") const {
    write_text_file(at("arm.urdf"), text);
    return run("import " + at("arm.urdf") + " -o " + at("arm.toml") + " " + options);
  }
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = arm_urdf;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  }
  /// One message, with the file, and exit code 2.
  void expect_refused(const std::string& text, const std::string& message) const {
    const Outcome o = import(text, "--overwrite");
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr(message));
    EXPECT_THAT(o.text, HasSubstr("arm.urdf"));
    EXPECT_EQ(std::ranges::count(o.text, '\n'), 1) << o.text;
  }

  TemporaryFolder folder_;
};

TEST_F(Import, MovesAsTheSameArmByHand) {
  if (import(arm_urdf).text.find("built without urdfdom") != std::string::npos) GTEST_SKIP();
  write_text_file(at("hand.toml"), arm_by_hand);
  Outcome o = run("simulate " + at("hand.toml") + " -q -o " + at("hand"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run(
      "simulate " + at("arm.toml") + " -q -o " + at("arm") +
      " --set formulation=joint-hamiltonian --set integrator.method=runge-kutta-4 --set integrator.t1=0.5");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable hand(at("hand/outputs.csv")), arm(at("arm/outputs.csv"));
  ASSERT_EQ(hand.n_rows(), arm.n_rows());
  for (const char* axis : {"x", "y", "z"}) {
    const std::string column = std::string("tool0.") + axis;
    EXPECT_LT((hand.column(column) - arm.column(column)).cwiseAbs().maxCoeff(), 1e-9) << column;
  }
  EXPECT_GT((hand.column("tool0.z").array() - hand.column("tool0.z")[0]).abs().maxCoeff(), 0.1);
}

TEST_F(Import, KeepsMassesInertiasAndLimits) {
  Outcome o = import(arm_urdf, "--json " + at("import.json"));
  if (o.text.find("built without urdfdom") != std::string::npos) GTEST_SKIP();
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("joint elbow: its dry friction 0.3 is left out"));
  EXPECT_THAT(o.text, HasSubstr("joint elbow: the robot starts at zero, which is outside its limits"));
  const nlohmann::json told = nlohmann::json::parse(read_text_file(at("import.json")));
  EXPECT_NEAR(told["mass"].get<double>(), 8.5, 1e-14);
  EXPECT_EQ(told["bodies"], 4);
  EXPECT_EQ(told["warnings"].size(), 2u);
  const std::string text = read_text_file(at("arm.toml"));
  EXPECT_THAT(text, HasSubstr("# visual: mesh package://own_arm/column.stl, scaled by 0.001, 0.001, 0.001"));
  EXPECT_THAT(text, HasSubstr("# At most 30 N m and 3 rad/s."));
  EXPECT_THAT(text, HasSubstr("dof = \"rz\", lower = -1.5, upper = 2.5"));

  // As it is, by the default method.
  o = run("check " + at("arm.toml"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  o = run("simulate " + at("arm.toml") + " -q --set integrator.t1=0.01 -o " + at("run"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  ASSERT_EQ(run("info " + at("run/run.h5") + " --json " + at("info.json")).exit_code, 0);
  const nlohmann::json upper = nlohmann::json::parse(read_text_file(at("info.json")))["bodies"]["upper"];
  const double along = 2.5 * (0.04 * 0.04 + 0.04 * 0.04) / 12.0, across = 2.5 * (0.16 + 0.0016) / 12.0;
  EXPECT_NEAR(upper["inertia"][0][0].get<double>(), along, 1e-12);
  EXPECT_NEAR(upper["inertia"][1][1].get<double>(), across, 1e-12);
  EXPECT_NEAR(upper["inertia"][2][2].get<double>(), across, 1e-12);
  EXPECT_NEAR(upper["inertia"][0][2].get<double>(), 0.0, 1e-12);
  EXPECT_NEAR(upper["centre_of_mass"][0].get<double>(), 0.2, 1e-14);
}

/// Six figures of a general rotation: R J R^T with R = Rz(yaw) Ry(pitch) Rx(roll), stated as digits of another program's
/// product would be, here by Eigen.
TEST_F(Import, TurnsInertiasAndNamesAsTheFileStatesThem) {
  const char* const text = R"(<robot name="say &quot;x&quot;"><link name="a b"><inertial>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 1.1"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.025"/></inertial></link>
    <link name="a_b"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
    <joint name="free one" type="floating"><parent link="a b"/><child link="a_b"/><origin xyz="1 0 0"/></joint></robot>)";
  const Outcome o = import(text);
  if (o.text.find("built without urdfdom") != std::string::npos) GTEST_SKIP();
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const Outcome simulated = run("simulate " + at("arm.toml") + " -q --set integrator.t1=0.1 -o " + at("run"));
  ASSERT_EQ(simulated.exit_code, 0) << simulated.text;
  ASSERT_EQ(run("info " + at("run/run.h5") + " --json " + at("info.json")).exit_code, 0);
  const nlohmann::json info = nlohmann::json::parse(read_text_file(at("info.json")));
  Eigen::Matrix3d J;
  J << 0.02, 0.001, -0.002, 0.001, 0.03, 0.003, -0.002, 0.003, 0.025;
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(1.1, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  const Eigen::Matrix3d turned = R * J * R.transpose();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(info["bodies"]["a_b"]["inertia"][i][j].get<double>(), turned(i, j), 1e-15) << i << j;
  }
  // The other one falls, held by nothing.
  const CsvTable outputs(at("run/outputs.csv"));
  EXPECT_NEAR(outputs.column("a_b.z")[outputs.n_rows() - 1], -0.5 * 9.81 * 0.01, 1e-6);
}

TEST_F(Import, RefusesRobotsThatAreNone) {
  if (import(arm_urdf).text.find("built without urdfdom") != std::string::npos) GTEST_SKIP();
  expect_refused("mass = 3", "no <robot>");
  expect_refused("<robot name='r'><link name='a'>", "rror");
  expect_refused("<robot name='r'/>", "No link elements found");
  expect_refused("<robot name='r'><link name='a'/></robot>", "no link of robot r has a mass");
  expect_refused(with("\"4\"", "\"-4\""), "link column: mass = -4 kg");
  expect_refused(with("\"4\"", "\"four\""), "four");
  expect_refused(with("\"4\"", "\"nan\""), "nan");
  expect_refused(with("continuous", "screw"), "screw");
  expect_refused(with("izz=\"0.005\"", "izz=\"0.5\""), "link column: inertia is that of no body");
  expect_refused(with("izz=\"0.005\"", "izz=\"0\""), "link column: inertia must be positive definite");
  expect_refused(with("0 -2 0", "0 0 0"), "joint elbow: axis is (0, 0, 0)");
  expect_refused(with("<parent link=\"upper\"/>", "<parent link=\"uper\"/>"), "uper");
  expect_refused(with("<axis xyz=\"1 0 0\"/>", "<axis xyz=\"1 0 0\"/><mimic joint=\"elbow\"/>"),
                 "joint slide mimics joint elbow");
  expect_refused(with("lower=\"-1.5\" upper=\"2.5\"", "lower=\"1.5\" upper=\"-2.5\""),
                 "joint shoulder: its lower limit 1.5 is above its upper limit -2.5");
  expect_refused(with("damping=\"0.1\"", "damping=\"-0.1\""), "joint shoulder: damping = -0.1");
  expect_refused(with("<link name=\"tool0\"/>", "<link name=\"tool0\"/><xacro:macro/>"), "expand them first");
  // A link without a mass that moves; two joints to one link; a loop apart from the root.
  expect_refused(with("\"flange\" type=\"fixed\"", "\"flange\" type=\"continuous\""),
                 "link tool0 has no mass, but moves by joint flange");
  expect_refused(
      with(
          "</robot>",
          "<joint name='second' type='fixed'><parent link='base_link'/><child link='tool'/></joint></robot>"),
      "both carry link tool");
  expect_refused(with("<parent link=\"base_link\"/>", "<parent link=\"tool0\"/>"), "loop");
}

TEST_F(Import, ReplacesNoFileUnasked) {
  if (import(arm_urdf).text.find("built without urdfdom") != std::string::npos) GTEST_SKIP();
  Outcome o = import(arm_urdf);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("exists; give another --output, or --overwrite"));
  EXPECT_EQ(import(arm_urdf, "--overwrite").exit_code, 0);
  o = run("import " + at("arm.urdf") + " --overwrite -o " + at("arm.urdf"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("is the file that is imported"));
  EXPECT_EQ(run("import " + at("absent.urdf")).exit_code, 2);
}

}  // namespace
}  // namespace kurbel
