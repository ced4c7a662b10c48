/// Starts at or next to which velocities jump.
#include "floating_frame/start_continuity.hpp"

#include <gmock/gmock.h>

#include "integration/initial_conditions.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

/// A bar from its origin along x.
/// @param metre  in the unit of length
BodySpec bar_of_row(const std::string& name, double mass, double length, double metre) {
  const double across = mass * length * length / 3.0;
  return {name,
          test::rigid_sid_with_markers(mass, {0.5 * length * metre, 0, 0},
                                       Vector3d(mass / 300.0, across, across) * (metre * metre), {0, 0, 0},
                                       {length * metre, 0, 0}),
          {}};
}

JointSpec joint_of_row(const std::string& type, const MarkerRef& from, const MarkerRef& to) {
  JointSpec joint{type + " of " + to.body, from, to, {}, {}};
  EXPECT_TRUE(locked_dofs_of(type, joint.locked));
  return joint;
}

/// Three arms in a row. The last one, whose velocity is given, slides along the axis of its hinge as it is driven; the other two
/// follow it. Turned about y at its root, the row is straight; bent, it is not.
SystemSpec driven_row(double bent, double metre = 1.0) {
  SystemSpec spec;
  spec.bodies = {bar_of_row("first", 1.0, 0.5, metre), bar_of_row("second", 1.0, 0.5, metre),
                 bar_of_row("last", 0.1, 0.4, metre)};
  InitialState &first = spec.bodies[0].initial, &second = spec.bodies[1].initial,
               &last = spec.bodies[2].initial;
  const double c = 0.5 * std::cos(bent) * metre, s = 0.5 * std::sin(bent) * metre, speed = 0.16 * metre;
  first.rotation << 0, bent, 0;
  second.rotation << 0, -bent, 0;
  second.position << c, 0, -s;
  last.rotation = second.rotation;
  last.position << 2.0 * c, 0, 0;
  last.velocity << speed * std::sin(bent), 0, -speed * std::cos(bent);
  last.given.velocity = true;
  spec.joints = {joint_of_row("universal", {"ground"}, {"first", "a"}),
                 joint_of_row("universal", {"first", "b"}, {"second", "a"}),
                 joint_of_row("cylindrical", {"second", "b"}, {"last", "a"})};
  spec.joints[2].drives = {{RelativeDof::tz, constant_rate(0.0, -speed)}};
  return spec;
}

/// What is told of a start; empty if nothing is.
std::string jump_at(const SystemSpec& spec) {
  const MultibodySystem<double> system(spec);
  InitialConditions<double>::State state;
  const Status status = InitialConditions<double>(system).solve(0.0, state);
  EXPECT_FALSE(status.failed()) << status.message();
  return jump_of_velocities(system, {0.0, state.x, state.v, state.v_dot, state.lambda}).value_or("");
}

TEST(StartContinuity, IsMissingWhereARowIsStraight) {
  EXPECT_THAT(jump_at(driven_row(0.0)), testing::HasSubstr("singular position"));
  EXPECT_EQ(jump_at(driven_row(0.4)), "");
}

/// Then all velocities are corrected together.
TEST(StartContinuity, IsNotExaminedWhereAllVelocitiesAreGiven) {
  SystemSpec spec = driven_row(0.0);
  for (BodySpec& body : spec.bodies) body.initial.given.velocity = body.initial.given.angular_velocity = true;
  EXPECT_EQ(jump_at(spec), "");
}

TEST(StartContinuity, IsTheSameInAnyUnitOfLength) {
  const auto share = [](double metre) {
    const std::string text = jump_at(driven_row(0.0, metre));
    const std::size_t begin = text.find("The velocity of body");
    return text.substr(begin, text.find(" if the start moves") - begin);
  };
  EXPECT_THAT(share(1.0), testing::HasSubstr("%"));
  EXPECT_EQ(share(1e3), share(1.0));
}

}  // namespace
}  // namespace kurbel
