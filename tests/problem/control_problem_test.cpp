/// Input files of points and planar beams: every key is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "control_text.hpp"
#include "problem/varied_numbers.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using ::testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ReadControlProblem, ReadsEveryKeyOfTheSystem) {
  const Problem problem = read(control_text);
  EXPECT_EQ(problem.title, "Test arm");
  const SystemSpec& s = problem.system;
  EXPECT_EQ(s.gravity, Vector3d(0.0, -9.81, 0.0));

  ASSERT_EQ(s.point_masses.size(), 1);
  EXPECT_EQ(s.point_masses[0].name, "bob");
  EXPECT_EQ(s.point_masses[0].position, Vector3d(1.0, -3.0, 0.0));
  EXPECT_EQ(s.point_masses[0].velocity, Vector3d(0.5, 0.0, 0.0));
  EXPECT_EQ(s.point_masses[0].free, (std::array{true, true, false}));
  EXPECT_EQ(s.point_masses[0].mass, 2.0);

  using Beam = PlanarBeamSpec;
  ASSERT_EQ(s.planar_beams.size(), 2);
  EXPECT_EQ(*s.planar_beams[0].start, Eigen::Vector2d(0.0, 0.0));
  EXPECT_DOUBLE_EQ(s.planar_beams[0].angle, -std::acos(0.0));
  EXPECT_EQ(s.planar_beams[0].n_elements, 2);
  EXPECT_EQ(s.planar_beams[0].elements[Beam::length][1], 0.5) << "of an element";
  EXPECT_EQ(s.planar_beams[0].elements[Beam::height][1], 0.03);
  EXPECT_EQ(s.planar_beams[0].elements[Beam::width][1], 0.01);
  EXPECT_EQ(s.planar_beams[0].elements[Beam::youngs_modulus][1], 3e9);
  EXPECT_EQ(s.planar_beams[0].elements[Beam::poisson_ratio][0], 0.3);
  EXPECT_EQ(s.planar_beams[0].elements[Beam::density][0], 1300.0);
  EXPECT_EQ(s.planar_beams[0].coupling, PoissonCoupling::axis);
  EXPECT_FALSE(s.planar_beams[1].start);
  EXPECT_EQ(s.planar_beams[1].n_elements, 1);
  EXPECT_EQ(s.planar_beams[1].coupling, PoissonCoupling::full);

  ASSERT_EQ(s.joints.size(), 2);
  EXPECT_TRUE(is_hinge(s.joints[0]));
  EXPECT_EQ(text_of(s.joints[0].from), "ground");
  EXPECT_EQ(text_of(s.joints[0].to), "upper.start");
  EXPECT_FALSE(is_hinge(s.joints[1]));
  ASSERT_EQ(s.torsion_springs.size(), 1) << "the damping of the shoulder";
  EXPECT_EQ(s.torsion_springs[0].name, "shoulder.damping");
  EXPECT_EQ(s.torsion_springs[0].damping, 0.2);
  ASSERT_EQ(s.attached_masses.size(), 1);
  EXPECT_EQ(text_of(s.attached_masses[0].marker), "fore.end");
  EXPECT_EQ(s.attached_masses[0].mass, 1.5);
  ASSERT_EQ(s.springs.size(), 1);
  EXPECT_EQ(s.springs[0].law, SpringLaw::hooke);
  EXPECT_EQ(text_of(s.springs[0].from), "fore.end");
  EXPECT_EQ(text_of(s.springs[0].to), "bob");
  EXPECT_EQ(s.springs[0].damping, 0.1);
  EXPECT_EQ(s.springs[0].free_length, 1.5);
}

TEST(ReadControlProblem, ReadsEveryKeyOfControlsVariablesAndOutputs) {
  const Problem problem = read(control_text);
  const SystemSpec& s = problem.system;
  ASSERT_EQ(problem.controls.size(), 2);
  ASSERT_EQ(s.motors.size(), 1);
  EXPECT_EQ(s.motors[0].to, s.joints[0].to);
  EXPECT_EQ(problem.controls[0].name, "torque");
  EXPECT_EQ(problem.controls[0].interpolation, Interpolation::clamped);
  EXPECT_EQ(problem.controls[0].lower, -6.0);
  EXPECT_EQ(problem.controls[0].upper, 5.0);
  EXPECT_THAT(problem.controls[0].start, ElementsAre(0.0, 1.0, 2.0, 3.0, 4.0));
  ASSERT_EQ(s.loads.size(), 1);
  EXPECT_EQ(text_of(s.loads[0].marker), "bob");
  EXPECT_EQ(s.loads[0].controls[0].control, 1);
  EXPECT_EQ(s.loads[0].controls[0].force, Vector3d(0.0, 2.0, 0.0));
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
  for (std::size_t i = 0; i < variables.size(); ++i) EXPECT_EQ(is_control_node(variables[i]), i >= 3);
  using Kind = SystemQuantity::Kind;
  const std::vector<SystemQuantity> expected = {{Kind::planar_beam_number, 0, 1, PlanarBeamSpec::height},
                                                {Kind::planar_beam_number, 0, 2, PlanarBeamSpec::height},
                                                SystemQuantity::of<&SpringSpec::stiffness>(0)};
  const VariedNumbers varied(problem);
  ASSERT_EQ(varied.quantities().size(), variables.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(varied.quantities()[i].size(), 1);
    EXPECT_EQ(varied.quantities()[i].front().quantity, expected[i]);
  }
  EXPECT_EQ(variables[1].start, 0.03);
  EXPECT_EQ(variables[1].unit, "m");

  ASSERT_EQ(problem.outputs.size(), 5);
  const auto observed = [&](std::size_t i) { return problem.outputs[i].observable; };
  EXPECT_EQ(observed(0).quantity, Quantity::position);
  EXPECT_EQ(text_of(observed(0).marker), "fore.end");
  EXPECT_THAT(observed(0).axes, ElementsAre(0, 1)) << "with beams, the plane";
  EXPECT_EQ(observed(1).quantity, Quantity::velocity);
  EXPECT_THAT(observed(1).axes, ElementsAre(1));
  EXPECT_EQ(observed(2).quantity, Quantity::distance);
  EXPECT_EQ(text_of(observed(2).from), "ground");
  EXPECT_EQ(observed(3).spring, "rope");
  EXPECT_EQ(observed(4).beam, "upper");
  EXPECT_EQ(observed(4).along, 0.625);
  EXPECT_EQ(observed(4).up, -1.0);
  EXPECT_EQ(problem.outputs[3].name, "pull");
  EXPECT_EQ(problem.outputs[3].observable.quantity, Quantity::spring_force);
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
  ASSERT_EQ(first.objective.size(), 1);
  EXPECT_EQ(first.objective[0].quantity, Quantity::control_energy);
  EXPECT_EQ(first.objective[0].time, TimeFunctional::integral);
  EXPECT_THAT(first.constraints, ElementsAre(0, 1)) << "both rows of arrival";
  EXPECT_EQ(first.optimizer.max_iterations, 7);
  const Stage& last = stages[1];
  EXPECT_EQ(last.vary, Vary::all);
  ASSERT_EQ(last.objective.size(), 3);
  EXPECT_EQ(last.objective[0].quantity, Quantity::mass);
  EXPECT_EQ(last.objective[0].weight, 3.0);
  const CriterionTerm& tracking = last.objective[1];
  EXPECT_TRUE(is_same_observable(tracking, problem.outputs[0].observable));
  EXPECT_EQ(tracking.time, TimeFunctional::integral);
  EXPECT_FALSE(tracking.component);
  EXPECT_EQ(tracking.target[0]->at(0.3).value, 1.0);
  EXPECT_EQ(tracking.target[1]->at(0.3).value, -1.0);
  EXPECT_TRUE(is_same_observable(last.objective[2], problem.outputs[2].observable));
  EXPECT_EQ(last.objective[2].time, TimeFunctional::final_value);
  EXPECT_FALSE(last.objective[2].target[0]);
  EXPECT_EQ(last.constraints.size(), 2 + 21 + 2 * 201);
  EXPECT_EQ(last.optimizer.method, "ipopt");
  EXPECT_EQ(last.optimizer.max_iterations, 99);
  EXPECT_EQ(last.optimizer.feasibility, 1e-7);

  EXPECT_EQ(problem.sensitivity.method, SensitivityOptions::Method::direct);
  EXPECT_FALSE(problem.output.picture);
  EXPECT_FALSE(problem.output.motion);
  EXPECT_EQ(problem.output.motion_frames, 12);
  EXPECT_EQ(problem.output.adjoint.size(), 21);
  EXPECT_EQ(problem.output.adjoint.front(), 2);
}

TEST(ReadControlProblem, PutsConstraintsOnTheirRowsAndTimeMesh) {
  const Problem problem = read(control_text);
  const std::vector<CriterionConstraint>& all = problem.constraints.criteria;
  ASSERT_EQ(all.size(), 2 + 21 + 2 * 201);
  EXPECT_EQ(all[0].label(), "arrival.x");
  EXPECT_EQ(all[1].label(), "arrival.y");
  EXPECT_EQ(all[1].terms.front().component, 1);
  EXPECT_EQ(all[1].equals, -1.0);
  EXPECT_EQ(all[2].label(), "stress@0");
  EXPECT_THAT(all[3].terms.front().steps, ElementsAre(10)) << "every e-th of the steps";
  EXPECT_EQ(all[3].instant, 0.1);
  EXPECT_THAT(all[22].terms.front().steps, ElementsAre(200));
  EXPECT_FALSE(all[22].lower);
  EXPECT_EQ(all[22].upper, 1e7);
  EXPECT_EQ(all[23].label(), "pull.x@0");
  EXPECT_EQ(all[23].lower, -4.0) << "one number for all rows";
  EXPECT_EQ(all[23].upper, 8.0);
  EXPECT_EQ(all[23].scale, 3.0);
  EXPECT_EQ(all[23 + 201].label(), "pull.y@0");
  EXPECT_EQ(all[23 + 201].lower, -4.0);
  EXPECT_EQ(all[23 + 201].upper, 2.0);
  EXPECT_EQ(all[23 + 201].scale, 5.0);
}

TEST(ReadControlProblem, TakesQuantitiesWhereTheyAreUsed) {
  const Problem problem =
      read(control_text,
           {"objective={type=\"position\", marker=\"bob\", component=\"y\", target=0.5, time=\"mean\"}",
            "constraints.criteria.stress={type=\"stress\", beam=\"fore\", time=\"ks\", exponent=1e-6, "
            "upper=1e7}"});
  ASSERT_EQ(problem.objective.size(), 1);
  const CriterionTerm& height = problem.objective.front();
  EXPECT_EQ(height.component, 1);
  EXPECT_EQ(height.target[1]->at(0.0).value, 0.5);
  EXPECT_EQ(text_of(height.marker), "bob");
  const CriterionConstraint& stress = problem.constraints.criteria[2];
  EXPECT_EQ(stress.terms.front().beam, "fore");
  EXPECT_TRUE(stress.adaptive) << "as every bounded maximum";
}

TEST(ReadControlProblem, TakesTheOnlyRowOfAnOutputWithItsSign) {
  const auto only_term = [](const std::string& rest) {
    return read(control_text, {"objective={type=\"output\", time=\"final\", " + rest + "}"})
        .objective.front();
  };
  EXPECT_EQ(only_term("output=\"tool_y\"").component, 1);
  EXPECT_EQ(only_term("output=\"tool_y\", target=[2.0]").component, 1);
  EXPECT_EQ(form_of(only_term("output=\"tool_y\", target=[2.0]")), CriterionForm::signed_value);
  EXPECT_EQ(only_term("output=\"tool_y\", target=2.0").target[1]->at(0.0).value, 2.0);
  EXPECT_EQ(form_of(only_term("output=\"tool\"")), CriterionForm::magnitude);
  EXPECT_EQ(form_of(only_term("output=\"tool\", form=\"half-square\"")), CriterionForm::half_square);
  EXPECT_EQ(form_of(only_term("output=\"reach\", target=0.5")), CriterionForm::signed_value);
  EXPECT_EQ(only_term("output=\"tool_y\", target=[2.0]").target[1]->at(0.0).value, 2.0);
  EXPECT_EQ(only_term("output=\"reach\", target=0.0").target[0]->at(0.0).value, 0.0);
  EXPECT_FALSE(only_term("output=\"reach\"").target[0]);
}

TEST(ReadControlProblem, HasDefaults) {
  const Problem problem = read(least);
  EXPECT_EQ(problem.title, "");
  EXPECT_TRUE(problem.system.gravity.isZero(0.0));
  EXPECT_TRUE(problem.system.point_masses[0].position.isZero(0.0));
  EXPECT_EQ(problem.system.point_masses[0].free, (std::array{true, true, true}));
  EXPECT_EQ(problem.controls[0].interpolation, Interpolation::natural);
  EXPECT_EQ(problem.controls[0].lower, -infinity);
  EXPECT_THAT(problem.controls[0].start, ElementsAre(0.0, 0.0, 0.0, 0.0));
  EXPECT_THAT(axes_of(problem.outputs[0].observable), ElementsAre(0, 1, 2));
  EXPECT_EQ(problem.integrator.method, IntegratorMethod::variational_midpoint);
  EXPECT_TRUE(problem.first_stages.empty());
  EXPECT_EQ(problem.optimizer.method, "mma");
  EXPECT_EQ(problem.objective[0].weight, 1.0);
  EXPECT_EQ(problem.constraints.criteria[0].scale, 0.0) << "the size of the limit, or 1 for 0";
  EXPECT_EQ(problem.sensitivity.method, SensitivityOptions::Method::discrete_adjoint);
  EXPECT_TRUE(problem.output.picture);
  EXPECT_TRUE(problem.output.motion);
  EXPECT_TRUE(problem.output.adjoint.empty());
}

TEST(ReadControlProblem, TakesOneVariableForAllElementsOfABeam) {
  const Problem problem =
      read(control_text, {"variables.upper_height.quantity=\"beams.upper.length\"",
                          "variables.upper_height.each_element=false", "variables.upper_height.upper=2.0"});
  EXPECT_EQ(problem.design.variables[0].start, 1.0) << "the length of the whole beam";
  const auto& quantity = std::get<SystemQuantity>(problem.design.variables[0].quantity);
  SystemSpec longer = problem.system;
  set_value(quantity, 1.5, longer);
  EXPECT_THAT(longer.planar_beams[0].elements[PlanarBeamSpec::length], ElementsAre(0.75, 0.75));
  EXPECT_EQ(value_of(quantity, longer), 1.5);
}

TEST(ReadControlProblem, TellsFormulationsApart) {
  EXPECT_EQ(read(least).formulation, Formulation::natural_coordinates);
  expect_input_error(
      [] { read("\nformulation = \"absolute\""); },
      {"arm.toml:2: formulation = \"absolute\" is unknown", "\"floating-frame\"", "\"natural-coordinates\""});
  expect_input_error([] { read("formulaton = \"natural-coordinates\""); },
                     {"unknown key formulaton; did you mean formulation?"});
}

TEST(ReadControlProblem, TellsTheWordsThatFollowedAbsoluteCoordinates) {
  expect_input_error(
      [] { read("\nformulation = \"absolute-coordinates\"\n[points.mass]\nmass = 1.0\n"); },
      {"arm.toml:2: formulation = \"absolute-coordinates\" is now \"natural-coordinates\"",
       "[points.NAME] as [bodies.NAME] with type = \"point\"", "[beams.NAME] with type = \"planar\""});
}

TEST(ReadControlProblem, CountsConstraintsByTheirSides) {
  const Problem problem = read(control_text);
  EXPECT_EQ(problem.constraints.n_equalities(), 2);
  EXPECT_EQ(problem.constraints.n_inequalities(), 21 + 201 * 2 * 2) << "the stress has no lower limit";
}

}  // namespace
}  // namespace kurbel
