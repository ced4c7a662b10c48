#include "formulation/mechanism_shapes.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

constexpr ShapeSizes sizes{1.0};

BodySpec body_with(const std::vector<Vector3d>& markers, const Vector3d& com = Vector3d::Zero()) {
  std::vector<SidNode> nodes;
  for (std::size_t i = 0; i < markers.size(); ++i)
    nodes.push_back(
        make_sid_node(std::string(1, static_cast<char>('a' + i)), markers[i], Matrix3d::Identity(), 0));
  return {"body", make_rigid_sid(1.0, com, Matrix3d::Identity(), nodes), {}};
}

double nearest(const MotionBody& body, const Vector3d& place) {
  return (body.grid.points.colwise() - place).colwise().norm().minCoeff();
}

std::size_t n_parts(const MotionBody& body) {
  return body.grid.cells.size();
}

TEST(ShapeOfABody, IsTubesAlongTheShortestNetOfItsMarkers) {
  // Along a rod, however the markers are ordered: no tube runs over another one.
  const MotionBody rod = shape_of_body({}, body_with({{0, 0, 0}, {0.4, 0, 0}, {0.2, 0, 0}}), sizes);
  EXPECT_EQ(n_parts(rod), 2u);
  const double length = rod.grid.points.row(0).maxCoeff() - rod.grid.points.row(0).minCoeff();
  EXPECT_NEAR(length, 0.4, 1e-6);
  // Around a hub, a star.
  const MotionBody star =
      shape_of_body({}, body_with({{0.3, 0, 0}, {-0.2, 0.3, 0}, {-0.2, -0.3, 0}, {0, 0, 0}}), sizes);
  EXPECT_EQ(n_parts(star), 3u);
  for (const double sign : {-1.0, 1.0}) EXPECT_LT(nearest(star, {-0.2, sign * 0.3, 0.0}), 1.1 * sizes.tube());
}

TEST(ShapeOfABody, ReachesItsReferenceFrameWhereAJointIsThere) {
  SystemSpec spec;
  const BodySpec crank = body_with({{0.2, 0, 0}});
  EXPECT_GT(nearest(shape_of_body(spec, crank, sizes), {0.2, 0.0, 0.0}), 0.0);
  JointSpec bearing;
  bearing.from = {"ground"}, bearing.to = {"body"};
  spec.joints = {bearing};
  const MotionBody drawn = shape_of_body(spec, crank, sizes);
  EXPECT_EQ(n_parts(drawn), 1u);
  EXPECT_LT(nearest(drawn, Vector3d::Zero()), 1.1 * sizes.tube());
  EXPECT_LT(nearest(drawn, {0.2, 0.0, 0.0}), 1.1 * sizes.tube());
}

TEST(ShapeOfABody, IsABoxAtTheCentreOfMassWhereMarkersAreOnePlace) {
  const MotionBody slider = shape_of_body({}, body_with({{0, 0, 0}, {0.001, 0, 0}}), sizes);
  EXPECT_EQ(n_parts(slider), 1u);
  EXPECT_NEAR(slider.grid.points.row(0).maxCoeff(), 0.5 * sizes.box(), 1e-12);
  const MotionBody pendulum = shape_of_body({}, body_with({{0, 0, 0}}, {0.0, -0.3, 0.0}), sizes);
  EXPECT_EQ(n_parts(pendulum), 2u) << "a box, and a tube to it";
  EXPECT_LT(nearest(pendulum, Vector3d::Zero()), 1.1 * sizes.tube());
  EXPECT_LT(pendulum.grid.points.row(1).minCoeff(), -0.3);
  EXPECT_EQ(n_parts(shape_of_body({}, body_with({}), sizes)), 1u);
}

/// Without a mesh, a flexible body is seen to deform by its markers.
TEST(ShapeOfABody, FollowsTheDisplacementsOfItsMarkers) {
  BodySpec beam{"beam", Sid::zeros({"bend"}, {}), {}};
  beam.sid.refmod.mass = 1.0;
  beam.sid.frame = {make_sid_node("root", Vector3d::Zero(), Matrix3d::Identity(), 1),
                    make_sid_node("tip", Vector3d::UnitX(), Matrix3d::Identity(), 1)};
  beam.sid.frame[1].phi.M0 = Vector3d(0.0, 2.0, 0.0);
  const MotionBody drawn = shape_of_body({}, beam, sizes);
  ASSERT_EQ(drawn.shapes.rows(), 3 * drawn.grid.points.cols());
  for (Eigen::Index i = 0; i < drawn.grid.points.cols(); ++i) {
    const Vector3d expected(0.0, drawn.grid.points(0, i) > 0.5 ? 2.0 : 0.0, 0.0);
    EXPECT_EQ(Vector3d(drawn.shapes.middleRows<3>(3 * i)), expected);
  }
}

/// Of a joint between the ground and a body, both at the origin.
UnstructuredGrid joint_of(const std::string& type, std::vector<std::string>* names = nullptr) {
  SystemSpec spec;
  spec.bodies = {body_with({{0.5, 0, 0}})};
  JointSpec joint;
  joint.name = type, joint.from = {"ground"}, joint.to = {"body"};
  if (type == rod_type) {
    joint.length = 0.5, joint.to.marker = "a";
  } else {
    EXPECT_TRUE(locked_dofs_of(type, joint.locked));
  }
  spec.joints = {joint};
  const MultibodySystem<double> system(spec);
  Trajectory<double> rest;
  rest.y = VectorXd::Zero(system.n_x());
  rest.y(3, 0) = 1.0;
  rest.t = VectorXd::Zero(1), rest.n_stored = 1;
  const DrawnMotion motion(system, rest, 1, 1.0);
  for (const NamedBlock& block : MechanismShapes(spec, motion, sizes).at(0)) {
    if (names) names->push_back(block.name);
    if (block.name == "joints") return block.grid;
  }
  return {};
}

TEST(ShapeOfATyre, IsADiscAboutTheAxisOfItsWheelOnAStripOfRoad) {
  SystemSpec spec;
  spec.bodies = {body_with({{0, 0.5, 0}})};
  spec.road.height = road_step(0.1, 0.0, 0.01);
  spec.tyres = {{.name = "tyre", .wheel = {"body", "a"}, .carrier = "", .radius = 0.3, .stiffness = 1.0}};
  const SystemSpec drawn = spec;
  spec.tyres.clear();  // what is drawn need not be carried
  const MultibodySystem<double> system(spec);
  Trajectory<double> rest;
  rest.y = VectorXd::Zero(system.n_x());
  rest.y(3, 0) = 1.0;
  rest.t = VectorXd::Zero(1), rest.n_stored = 1;
  const DrawnMotion motion(system, rest, 1, 1.0);
  std::vector<std::string> names;
  for (const NamedBlock& block : MechanismShapes(drawn, motion, sizes).at(0)) {
    names.push_back(block.name);
    const Vector3d extent = block.grid.points.rowwise().maxCoeff() - block.grid.points.rowwise().minCoeff();
    if (block.name == "tyres") {
      EXPECT_NEAR(extent.x(), 0.6, 0.02);
      EXPECT_NEAR(extent.z(), 0.6, 0.02);
      EXPECT_LT(extent.y(), 0.2);
    } else {
      EXPECT_FALSE(block.moves);
      EXPECT_NEAR(extent.z(), 0.1, 1e-9) << "the step";
      EXPECT_GT(extent.x(), 1.0);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"tyres", "road"}));
}

TEST(ShapeOfAJoint, SaysWhatTheJointLeavesFree) {
  const auto extent = [](const char* type) -> Vector3d {
    const UnstructuredGrid grid = joint_of(type);
    return grid.points.rowwise().maxCoeff() - grid.points.rowwise().minCoeff();
  };
  for (const char* pin : {"revolute", "cylindrical"}) {
    EXPECT_NEAR(extent(pin)[2], 4.0 * sizes.pin(), 1e-6) << pin;
    EXPECT_NEAR(extent(pin)[0], 2.0 * sizes.pin(), 0.1 * sizes.pin()) << pin;
  }
  for (const char* ball : {"spherical", "universal"}) {
    EXPECT_NEAR(extent(ball)[2], 3.0 * sizes.pin(), 0.1 * sizes.pin()) << ball;
    EXPECT_GT(joint_of(ball).points.cols(), 20) << ball;
  }
  for (const char* block : {"prismatic", "in-plane"}) {
    EXPECT_LT((extent(block) - Vector3d::Constant(2.5 * sizes.pin())).norm(), 1e-9) << block;
  }
  EXPECT_NEAR(extent("distance")[0], 0.5, 1e-6) << "a rod is a tube between its ends";
  EXPECT_NEAR(extent("distance")[2], 2.0 * sizes.tube(), 0.1 * sizes.tube());
  std::vector<std::string> names;
  joint_of("fixed", &names);
  EXPECT_EQ(names, std::vector<std::string>{"ground"}) << "the ground is seen, what is fixed to it is not";
}

TEST(ShapeOfASpring, IsACoilOrWithoutStiffnessADashpot) {
  const Vector3d a = Vector3d::Zero(), b(0.5, 0.0, 0.0);
  const UnstructuredGrid spring = shape_of_spring(10.0, a, b, sizes),
                         damper = shape_of_spring(0.0, a, b, sizes);
  EXPECT_GT(spring.points.cols(), 5 * damper.points.cols());
  for (const UnstructuredGrid& grid : {spring, damper}) {
    EXPECT_LT((grid.points.colwise() - a).colwise().norm().minCoeff(), sizes.coil());
    EXPECT_LT((grid.points.colwise() - b).colwise().norm().minCoeff(), sizes.coil());
  }
  const Eigen::RowVectorXd width = damper.points.bottomRows<2>().colwise().norm();
  EXPECT_NEAR(width.maxCoeff(), sizes.dashpot(), 1e-9);
  EXPECT_LT(width.minCoeff(), 0.3 * sizes.dashpot()) << "the rod";
}

}  // namespace
}  // namespace kurbel
