/// Input files in absolute coordinates: every key is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "control_text.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using ::testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ReadControlProblem, ReadsEveryKeyOfTheSystem) {
  const Problem problem = read(control_text);
  EXPECT_EQ(problem.title, "Test arm");
  const absolute::SystemSpec& s = problem.absolute;
  EXPECT_EQ(s.gravity, Vector3d(0.0, -9.81, 0.0));

  ASSERT_EQ(s.points.size(), 1);
  EXPECT_EQ(s.points[0].name, "bob");
  EXPECT_EQ(s.points[0].position, Vector3d(1.0, -3.0, 0.0));
  EXPECT_EQ(s.points[0].velocity, Vector3d(0.5, 0.0, 0.0));
  EXPECT_EQ(s.points[0].free, (std::array{true, true, false}));
  EXPECT_EQ(s.points[0].mass.constant, 2.0);

  using Beam = absolute::BeamSpec;
  ASSERT_EQ(s.beams.size(), 2);
  EXPECT_EQ(*s.beams[0].start, Eigen::Vector2d(0.0, 0.0));
  EXPECT_DOUBLE_EQ(s.beams[0].angle, -std::acos(0.0));
  EXPECT_EQ(s.beams[0].n_elements, 2);
  EXPECT_EQ(s.beams[0].elements[Beam::length][1].constant, 0.5) << "of an element";
  EXPECT_EQ(s.beams[0].elements[Beam::height][1].constant, 0.03);
  EXPECT_EQ(s.beams[0].elements[Beam::width][1].constant, 0.01);
  EXPECT_EQ(s.beams[0].elements[Beam::youngs_modulus][1].constant, 3e9);
  EXPECT_EQ(s.beams[0].elements[Beam::poisson_ratio][0].constant, 0.3);
  EXPECT_EQ(s.beams[0].elements[Beam::density][0].constant, 1300.0);
  EXPECT_EQ(s.beams[0].coupling, PoissonCoupling::axis);
  EXPECT_FALSE(s.beams[1].start);
  EXPECT_EQ(s.beams[1].n_elements, 1);
  EXPECT_EQ(s.beams[1].coupling, PoissonCoupling::full);

  ASSERT_EQ(s.joints.size(), 2);
  EXPECT_EQ(s.joints[0].type, absolute::JointSpec::Type::revolute);
  EXPECT_EQ(s.joints[0].from, "ground");
  EXPECT_EQ(s.joints[0].to, "upper.start");
  EXPECT_EQ(s.joints[0].damping.constant, 0.2);
  EXPECT_EQ(s.joints[1].type, absolute::JointSpec::Type::fixed);
  ASSERT_EQ(s.masses.size(), 1);
  EXPECT_EQ(s.masses[0].at, "fore.end");
  EXPECT_EQ(s.masses[0].mass.constant, 1.5);
  ASSERT_EQ(s.springs.size(), 1);
  EXPECT_EQ(s.springs[0].law, SpringLaw::hooke);
  EXPECT_EQ(s.springs[0].from, "fore.end");
  EXPECT_EQ(s.springs[0].to, "bob");
  EXPECT_EQ(s.springs[0].damping.constant, 0.1);
  EXPECT_EQ(s.springs[0].length.constant, 1.5);
}

TEST(ReadControlProblem, ReadsEveryKeyOfControlsVariablesAndOutputs) {
  const Problem problem = read(control_text);
  const absolute::SystemSpec& s = problem.absolute;
  ASSERT_EQ(problem.controls.size(), 2);
  EXPECT_EQ(s.controls[0].joint, "shoulder");
  EXPECT_EQ(problem.controls[0].name, "torque");
  EXPECT_EQ(problem.controls[0].interpolation, Interpolation::clamped);
  EXPECT_EQ(problem.controls[0].lower, -6.0);
  EXPECT_EQ(problem.controls[0].upper, 5.0);
  EXPECT_THAT(problem.controls[0].start, ElementsAre(0.0, 1.0, 2.0, 3.0, 4.0));
  EXPECT_EQ(s.controls[1].at, "bob");
  EXPECT_EQ(s.controls[1].direction, Vector3d(0.0, 2.0, 0.0));
  EXPECT_EQ(problem.controls[1].upper, infinity);
  EXPECT_THAT(problem.controls[1].start, ElementsAre(0.5, 0.5, 0.5)) << "the value within bounds next to 0";

  const std::vector<DesignVariable>& variables = problem.design.variables;
  ASSERT_EQ(variables.size(), 3 + 5 + 3);
  EXPECT_EQ(variables[1].name, "upper_height[1]");
  EXPECT_EQ(variables[1].lower, 0.01);
  EXPECT_EQ(variables[1].upper, 0.04);
  EXPECT_EQ(variables[2].name, "rope_stiffness");
  EXPECT_EQ(variables[4].name, "torque(0.5 s)");
  EXPECT_EQ(variables[4].start, 1.0);
  EXPECT_EQ(variables[10].upper, infinity);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    EXPECT_EQ(std::get<AbsoluteQuantity>(variables[i].quantity).place, static_cast<Eigen::Index>(i));
    EXPECT_EQ(is_control_node(variables[i]), i >= 3);
  }
  EXPECT_EQ(s.xi, Vector3d(0.02, 0.03, 10.0));
  EXPECT_EQ(s.springs[0].stiffness.variable, 2);

  using Type = absolute::FunctionSpec::Type;
  ASSERT_EQ(s.functions.size(), 5);
  EXPECT_EQ(s.functions[0].type, Type::position);
  EXPECT_THAT(s.functions[0].axes, ElementsAre(0, 1)) << "with beams, the plane";
  EXPECT_EQ(s.functions[1].type, Type::velocity);
  EXPECT_THAT(s.functions[1].axes, ElementsAre(1));
  EXPECT_EQ(s.functions[2].type, Type::distance);
  EXPECT_EQ(s.functions[2].from, "ground");
  EXPECT_EQ(s.functions[3].spring, "rope");
  EXPECT_EQ(s.functions[4].beam, "upper");
  EXPECT_EQ(s.functions[4].element, 1);
  EXPECT_EQ(s.functions[4].along, 0.25);
  EXPECT_EQ(s.functions[4].across, -0.5);
}

TEST(ReadControlProblem, ReadsEveryKeyOfTheOptimization) {
  const Problem problem = read(control_text);
  EXPECT_EQ(problem.integrator.method, IntegratorMethod::trapezoidal);
  EXPECT_EQ(problem.integrator.n_steps(), 200);

  const std::vector<Stage> stages = problem.stages();
  ASSERT_EQ(stages.size(), 2);
  const Stage& first = stages[0];
  EXPECT_EQ(first.name, "reach");
  EXPECT_EQ(first.vary, Vary::controls);
  ASSERT_EQ(first.cost.size(), 1);
  EXPECT_EQ(first.cost[0].type, CostTerm::Type::control_energy);
  EXPECT_THAT(first.constraints, ElementsAre(0));
  EXPECT_EQ(first.optimizer.max_iterations, 7);
  const Stage& last = stages[1];
  EXPECT_EQ(last.vary, Vary::all);
  ASSERT_EQ(last.cost.size(), 3);
  EXPECT_EQ(last.cost[0].type, CostTerm::Type::mass);
  EXPECT_EQ(last.cost[0].weight, 3.0);
  EXPECT_EQ(last.cost[1].type, CostTerm::Type::tracking);
  EXPECT_EQ(last.cost[1].output, 0);
  EXPECT_EQ(last.cost[1].target, Eigen::Vector2d(1.0, -1.0));
  EXPECT_EQ(last.cost[2].type, CostTerm::Type::final_value);
  EXPECT_EQ(last.cost[2].output, 2);
  EXPECT_THAT(last.constraints, ElementsAre(0, 1, 2));
  EXPECT_EQ(last.optimizer.method, "ipopt");
  EXPECT_EQ(last.optimizer.max_iterations, 99);
  EXPECT_EQ(last.optimizer.feasibility, 1e-7);

  EXPECT_EQ(problem.sensitivity.method, SensitivityOptions::Method::direct);
  EXPECT_FALSE(problem.output.picture);
  EXPECT_FALSE(problem.output.motion);
  EXPECT_EQ(problem.output.motion_frames, 12);
  EXPECT_THAT(problem.output.adjoint, ElementsAre(1));
}

TEST(ReadControlProblem, PutsConstraintsOnTheirTimeMesh) {
  const Problem problem = read(control_text);
  ASSERT_EQ(problem.constraints.paths.size(), 3);
  const PathConstraint& arrival = problem.constraints.paths[0];
  EXPECT_TRUE(arrival.equality);
  EXPECT_EQ(arrival.upper, Eigen::Vector2d(1.0, -1.0));
  EXPECT_EQ(arrival.scale, Eigen::Vector2d(1.0, 1.0)) << "an equality is not scaled";
  EXPECT_THAT(arrival.steps, ElementsAre(200));
  const PathConstraint& stress = problem.constraints.paths[1];
  EXPECT_EQ(stress.lower[0], -infinity);
  EXPECT_EQ(stress.scale[0], 1e7) << "the limit itself";
  ASSERT_EQ(stress.steps.size(), 21);
  EXPECT_EQ(stress.steps[1], 10) << "every e-th of the steps";
  EXPECT_EQ(stress.steps.back(), 200);
  const PathConstraint& pull = problem.constraints.paths[2];
  EXPECT_EQ(pull.lower, Eigen::Vector2d(-4.0, -4.0)) << "one number for all rows";
  EXPECT_EQ(pull.upper, Eigen::Vector2d(8.0, 2.0));
  EXPECT_EQ(pull.scale, Eigen::Vector2d(3.0, 5.0));
  EXPECT_EQ(pull.steps.size(), 201) << "without intervals, all steps";
}

TEST(ReadControlProblem, HasDefaults) {
  const Problem problem = read(least);
  EXPECT_EQ(problem.title, "");
  EXPECT_TRUE(problem.absolute.gravity.isZero(0.0));
  EXPECT_TRUE(problem.absolute.points[0].position.isZero(0.0));
  EXPECT_EQ(problem.absolute.points[0].free, (std::array{true, true, true}));
  EXPECT_EQ(problem.controls[0].interpolation, Interpolation::natural);
  EXPECT_EQ(problem.controls[0].lower, -infinity);
  EXPECT_THAT(problem.controls[0].start, ElementsAre(0.0, 0.0, 0.0, 0.0));
  EXPECT_THAT(problem.absolute.functions[0].axes, ElementsAre(0, 1, 2));
  EXPECT_EQ(problem.integrator.method, IntegratorMethod::explicit_euler);
  EXPECT_TRUE(problem.first_stages.empty());
  EXPECT_EQ(problem.optimizer.method, "ipopt");
  EXPECT_EQ(problem.optimizer.design_change, 0.0) << "an interior-point step may be short";
  EXPECT_EQ(problem.cost[0].weight, 1.0);
  EXPECT_EQ(problem.constraints.paths[0].scale, Vector3d(4.0, 1.0, 2.0))
      << "the size of the limit, or 1 for 0";
  EXPECT_EQ(problem.sensitivity.method, SensitivityOptions::Method::automatic);
  EXPECT_TRUE(problem.output.picture);
  EXPECT_TRUE(problem.output.motion);
  EXPECT_TRUE(problem.output.adjoint.empty());
}

TEST(ReadControlProblem, TakesOneVariableForAllElementsOfABeam) {
  const Problem problem =
      read(control_text, {"variables.upper_height.quantity=\"beams.upper.length\"",
                          "variables.upper_height.each_element=false", "variables.upper_height.upper=2.0"});
  EXPECT_EQ(problem.absolute.xi[0], 1.0) << "the length of the whole beam";
  for (const ParameterSlot& slot : problem.absolute.beams[0].elements[absolute::BeamSpec::length]) {
    EXPECT_EQ(slot.variable, 0);
    EXPECT_EQ(slot.factor, 0.5);
  }
}

TEST(ReadControlProblem, TellsFormulationsApart) {
  EXPECT_EQ(read(least).formulation, Formulation::absolute_coordinates);
  expect_input_error([] { read("\nformulation = \"absolute\""); },
                     {"arm.toml:2: formulation = \"absolute\" is unknown", "\"floating-frame\"",
                      "\"absolute-coordinates\""});
  expect_input_error([] { read("formulaton = \"absolute-coordinates\""); },
                     {"formulaton is unknown; did you mean formulation?"});
}

TEST(ReadControlProblem, CountsConstraintsByTheirSides) {
  const Problem problem = read(control_text);
  EXPECT_EQ(problem.constraints.n_equalities(), 2);
  EXPECT_EQ(problem.constraints.n_inequalities(), 21 + 201 * 2 * 2) << "the stress has no lower limit";
}

}  // namespace
}  // namespace kurbel
