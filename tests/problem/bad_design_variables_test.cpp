/// [variables.*]: what is read, and every way to get it wrong.
#include <gtest/gtest.h>

#include <ostream>

#include "crank_text.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

Problem read_with(const std::string& variable, const std::vector<std::string>& overrides = {}) {
  const std::string text = crank_text + std::string("\n[variables.v]\n") + variable;
  return read_problem(TomlDocument::parse(text, "crank.toml", ".", overrides));
}

struct Mistake {
  const char* name;
  const char* variable;
  const char* message;  ///< ends so, behind the line
  std::vector<std::string> overrides{};
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class BadVariable : public testing::TestWithParam<Mistake> {};

TEST_P(BadVariable, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string message =
      input_error_message([&] { read_with(GetParam().variable, GetParam().overrides); });
  EXPECT_THAT(message, testing::MatchesRegex("(crank.toml:[0-9]+|--set [^:]*): .*"));
  EXPECT_THAT(message, testing::EndsWith(GetParam().message));
}

const Mistake mistakes[] = {
    {"no_quantity", "lower = 0\nupper = 1", "variables.v.quantity is missing; it must be text"},
    {"empty_list", "quantity = []\nlower = 0\nupper = 1",
     "variables.v.quantity = [] is empty; name at least one"},
    {"unknown_section", "quantity = \"loads.push.force\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"loads.push.force\" is nothing that can be varied; allowed here: "
     "bodies.NAME..., beams.NAME..., points.NAME.position, joints.NAME.length, joints.NAME.damping, "
     "joints.NAME.drive.values, ground.markers.NAME.position, integrator.t1, masses.NAME..., "
     "springs.NAME..., "
     "torsion_springs.NAME..., bushings.NAME..., stops.NAME..., tyres.NAME..."},
    {"length_of_no_rod", "quantity = \"joints.pin.length\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.pin.length\" belongs to a joint that is no rod (type = \"distance\")"},
    {"unknown_body", "quantity = \"bodies.rodd.mass\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.rodd.mass\" names \"rodd\", which does not exist; did you mean "
     "\"rod\"?"},
    {"unknown_key_of_rigid_body", "quantity = \"bodies.rod.length\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.rod.length\" is nothing that can be varied; allowed here: mass, "
     "centre_of_mass, inertia, markers.NAME.position, initial..."},
    {"unknown_key_of_flexible_body",
     "quantity = \"bodies.crank.material.poisson_ratio\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.crank.material.poisson_ratio\" is nothing that can be varied; allowed "
     "here: material.youngs_modulus, material.density, mesh.thickness, mesh.size, mesh.surface, initial..."},
    {"unknown_part_of_a_start", "quantity = \"bodies.rod.initial.spin\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.rod.initial.spin\" is nothing that can be varied; allowed here: "
     "initial.position, initial.rotation, initial.velocity, initial.angular_velocity"},
    {"start_that_is_not_given",
     "quantity = \"bodies.crank.initial.velocity\"\ncomponent = \"x\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.crank.initial.velocity\" is not in the file; give "
     "bodies.crank.initial.velocity, from which it varies"},
    {"start_without_component", "quantity = \"bodies.rod.initial.velocity\"\nlower = 0\nupper = 1",
     "variables.v.component is missing; it must be one of x, y, z"},
    {"joint_without_drive", "quantity = \"joints.pin.drive.values\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.pin.drive.values\" belongs to a joint without a drive"},
    {"drive_without_values", "quantity = \"joints.bearing.drive.values\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.bearing.drive.values\" belongs to a drive that has no values; one of "
     "type = \"table\" has"},
    {"one_of_several_drives", "quantity = \"joints.slider.drive.values\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.slider.drive.values\" names one of 2 drives; say which: "
     "joints.slider.drive.0.values"},
    {"drive_beyond_the_last", "quantity = \"joints.slider.drive.2.values\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.slider.drive.2.values\" is nothing that can be varied; allowed here: "
     "joints.NAME.drive.values, joints.NAME.drive.NUMBER.values"},
    {"times_of_a_drive", "quantity = \"joints.slider.drive.1.t\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"joints.slider.drive.1.t\" is nothing that can be varied; allowed here: "
     "joints.NAME.drive.values, joints.NAME.drive.NUMBER.values"},
    {"component_of_values",
     "quantity = \"joints.slider.drive.1.values\"\ncomponent = \"x\"\nlower = 0\nupper = 200",
     "unknown key variables.v.component; known here: lower, quantity, times, upper"},
    {"time_of_no_value", "quantity = \"joints.slider.drive.1.values\"\ntimes = [0.5]\nlower = 0\nupper = 200",
     "variables.v.times = [0.5] holds 0.5, which is none of those of the table: 0, 2"},
    {"time_twice", "quantity = \"joints.slider.drive.1.values\"\ntimes = [2, 2]\nlower = 0\nupper = 200",
     "variables.v.times = [2, 2] holds 2 twice"},
    {"value_outside", "quantity = \"joints.slider.drive.1.values\"\nlower = 0\nupper = 100",
     "variables.v starts at the value in the file, 180, which is outside its bounds [0, 100]"},
    {"values_tied_to_a_number",
     "quantity = [\"joints.slider.drive.1.values\", \"bodies.rod.mass\"]\nlower = 0\nupper = 200",
     "ties values of a drive with what is no drive"},
    {"unknown_marker",
     "quantity = \"bodies.rod.markers.ende.position\"\ncomponent = \"x\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.rod.markers.ende.position\" names \"ende\", which does not exist; did "
     "you "
     "mean \"end\"?"},
    {"rotation_of_marker", "quantity = \"bodies.rod.markers.end.rotation\"\nlower = 0\nupper = 1",
     "variables.v.quantity = \"bodies.rod.markers.end.rotation\" is nothing that can be varied; allowed "
     "here: "
     "markers.NAME.position"},
    {"no_component", "quantity = \"bodies.rod.centre_of_mass\"\nlower = 0\nupper = 1",
     "variables.v.component is missing; it must be one of x, y, z"},
    {"component_of_inertia", "quantity = \"bodies.rod.inertia\"\ncomponent = \"x\"\nlower = 0\nupper = 1",
     "variables.v.component = \"x\" is unknown; allowed: \"xx\", \"yy\", \"zz\", \"xy\", \"xz\", \"yz\""},
    {"component_of_a_number", "quantity = \"bodies.rod.mass\"\ncomponent = \"x\"\nlower = 0.1\nupper = 1",
     "unknown key variables.v.component; known here: each_element, lower, quantity, upper"},
    {"third_edge_of_rectangle",
     "quantity = \"bodies.crank.mesh.size\"\ncomponent = \"z\"\nlower = 0.1\nupper = 1",
     "variables.v.component = \"z\" is unknown; allowed: \"x\", \"y\""},
    {"no_bound", "quantity = \"bodies.rod.mass\"\nlower = 0.1",
     "variables.v.upper is missing; it must be a number above 0"},
    {"bound_without_sense", "quantity = \"bodies.rod.mass\"\nlower = 0\nupper = 1",
     "variables.v.lower = 0 must be positive"},
    {"bounds_in_wrong_order", "quantity = \"bodies.rod.mass\"\nlower = 2\nupper = 1",
     "variables.v.upper = 1 must be above lower = 2"},
    {"start_outside", "quantity = \"bodies.rod.mass\"\nlower = 1\nupper = 2",
     "variables.v starts at the value in the file, 0.5, which is outside its bounds [1, 2]"},
    {"box_of_a_mesh_size",
     "quantity = \"bodies.crank.mesh.size\"\ncomponent = \"x\"\nlower = 0.1\nupper = 1\nelements = {x = 0.1}",
     "unknown key variables.v.elements; known here: component, each_element, lower, quantity, upper"},
    {"size_of_a_craig_bampton_body",
     "quantity = \"bodies.crank.mesh.size\"\ncomponent = \"x\"\nlower = 0.1\nupper = 1",
     "variables.v.quantity = \"bodies.crank.mesh.size\" needs a tangent frame and the normal basis, whose "
     "pull-back knows the shape, and neither rigid ties nor supports",
     {"bodies.crank.modes.basis=\"craig-bampton\""}},
    {"twice",
     "quantity = \"bodies.rod.mass\"\nlower = 0.1\nupper = 1\n[variables.w]\nquantity = "
     "\"bodies.rod.mass\"\nlower = 0.1\nupper = 1",
     "variables.w.quantity = \"bodies.rod.mass\" is varied by v already"},
    {"augmented_path",
     "quantity = \"bodies.crank.mesh.thickness\"\nlower = 1e-3\nupper = 1",
     "sensitivity.path = \"augmented-sid\" has derivatives by densities alone; variables.v.quantity needs "
     "\"pull-back\"",
     {"sensitivity.path=\"augmented-sid\""}},
};

INSTANTIATE_TEST_SUITE_P(Input, BadVariable, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

TEST(DesignVariable, IsReadWithItsStart) {
  const Problem problem = read_with(
      "quantity = \"bodies.rod.inertia\"\ncomponent = \"xz\"\nlower = -0.1\nupper = 0.1\n"
      "[variables.t]\nquantity = \"bodies.crank.mesh.thickness\"\nlower = 1e-3\nupper = 0.1\n"
      "each_element = true\nelements = {y = [0.0, inf]}");
  ASSERT_EQ(problem.design.variables.size(), 2);
  const DesignVariable &inertia = problem.design.variables[0], &thickness = problem.design.variables[1];
  const auto* quantity = std::get_if<SystemQuantity>(&inertia.quantity);
  ASSERT_TRUE(quantity);
  EXPECT_EQ(*quantity, (SystemQuantity{SystemQuantity::Kind::inertia, 1, 0, 4}));
  EXPECT_NEAR(inertia.start, 0.02, 1e-15);
  const auto* elements = std::get_if<ElementQuantity>(&thickness.quantity);
  ASSERT_TRUE(elements);
  EXPECT_TRUE(elements->each_element);
  const auto& box = std::get<fem::Box>(elements->elements.shape);
  EXPECT_EQ(box.lower[1], 0.0);
  EXPECT_FALSE(box.upper[1]);
  EXPECT_EQ(thickness.start, 0.01);
}

TEST(DesignVariable, IsOneForEachValueOfATable) {
  const auto read = [](const std::string& variable) {
    return read_with("quantity = \"joints.slider.drive.1.values\"\nlower = -10\nupper = 200\n" + variable)
        .design.variables;
  };
  const std::vector<DesignVariable> all = read("");
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].name, "v(0 s)");
  EXPECT_EQ(all[1].name, "v(2 s)");
  EXPECT_EQ(all[1].start, 180.0);  // in the unit of the file
  EXPECT_EQ(std::get<SystemQuantity>(all[1].quantity),
            (SystemQuantity{SystemQuantity::Kind::drive_value, 2, 1, 1}));
  const std::vector<DesignVariable> last = read("times = [2.0]");
  ASSERT_EQ(last.size(), 1);
  EXPECT_EQ(last[0].name, "v(2 s)");
}

TEST(DesignVariable, IsNoValueOfATableThatRepeats) {
  EXPECT_THAT(input_error_message([&] {
                read_with(
                    "quantity = \"joints.slider.drive.1.values\"\nlower = -10\nupper = 200\n",
                    {"joints.slider.drive.1.beyond=\"repeat\"", "joints.slider.drive.1.values=[3.0, 3.0]"});
              }),
              testing::HasSubstr("belongs to a table that repeats"));
}

TEST(DesignVariable, OfADriveDoesNotGoWithATwinThatItMoves) {
  EXPECT_THAT(input_error_message([&] {
                read_with(
                    "quantity = \"joints.bearing.drive.values\"\nlower = -10\nupper = 10",
                    {"joints.bearing.drive={dof=\"rz\", type=\"table\", t=[0.0, 2.0], values=[0.0, 1.0]}",
                     "objective={type=\"position\", marker=\"crank.pin\", time=\"mean\", "
                     "target=\"rigid-twin\"}",
                     "joints.slider={from=\"rod.end\", to=\"ground.slider\", lock=[\"ty\"]}"});
              }),
              testing::HasSubstr("variables.v.quantity drives the mechanism, but a criterion has target"));
}

TEST(DesignVariable, DoesNotGoWithATwinThatItMoves) {
  const std::string variable =
      "quantity = \"bodies.rod.markers.end.position\"\ncomponent = \"x\"\nlower = 0.4\nupper = 0.6";
  EXPECT_THAT(input_error_message([&] {
                read_with(variable,
                          {"objective={type=\"position\", marker=\"crank.pin\", time=\"mean\", "
                           "target=\"rigid-twin\"}",
                           "joints.slider={from=\"rod.end\", to=\"ground.slider\", lock=[\"ty\"]}"});
              }),
              testing::HasSubstr("variables.v.quantity moves markers, but a criterion has target"));
}

TEST(DesignVariable, NeedsAnOptimizerThatCanVaryIt) {
  const Problem problem = read_with("quantity = \"bodies.rod.mass\"\nlower = 0.1\nupper = 1",
                                    {"bodies.crank.initial={}", "optimizer.method=\"oc\"",
                                     "constraints={volume_fraction=0.5}", "design.bodies=[\"crank\"]"});
  EXPECT_THAT(input_error_message([&] { require_optimization_problem(problem); }),
              testing::HasSubstr("optimizer.method = \"oc\" does not fit [variables] and [controls]"));
}

}  // namespace
}  // namespace kurbel
