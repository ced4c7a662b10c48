/// Numbers with units in input files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "base/units.hpp"
#include "problem/key_groups.hpp"
#include "problem/problem.hpp"
#include "tests/problem/bad_input.hpp"
#include "tests/problem/crank_text.hpp"

namespace kurbel {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

double in_si(double number, const char* unit) {
  const auto parsed = parse_unit(unit);
  if (!parsed) throw std::logic_error(unit);
  return Unit{1.0, 1.0, parsed->powers}.from(*parsed, number);
}

TEST(Units, AreProductsOfNamesWithPrefixes) {
  EXPECT_EQ(in_si(5.0, "mm"), 0.005);
  EXPECT_EQ(in_si(90.0, "deg"), 0.5 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(in_si(3000.0, "rpm"), 100.0 * std::numbers::pi);
  EXPECT_EQ(in_si(60.0, "bar"), 6e6);
  EXPECT_EQ(in_si(7.85, "g/cm^3"), 7850.0);
  EXPECT_EQ(in_si(90.0, "km/h"), 25.0);
  EXPECT_EQ(in_si(210.0, "kN/mm^2"), 2.1e11);
  EXPECT_EQ(in_si(2.0, "N/(mm/s)"), 2000.0);
  EXPECT_EQ(in_si(2.0, "1/min"), 2.0 / 60.0);
  EXPECT_EQ(in_si(3.0, "(m/s)^-2"), 3.0);
  EXPECT_DOUBLE_EQ(in_si(1.0, "N m s/deg"), 180.0 / std::numbers::pi);
  EXPECT_EQ(parse_unit("N m/rad")->powers, (std::array{2, 1, -2, -1}));
}

TEST(Units, AreNothingIfAmbiguousOrUnknown) {
  for (const char* text : {"", " ", "metre", "mkg", "kmin", "J/kg m", "m/", "/s", "m^", "m^x", "(m", "m)",
                           "m^10", "m^9 m", "5", "m,s", "((((((((((((((((((((((m))))))))))))))))))))))"}) {
    EXPECT_FALSE(parse_unit(text)) << text;
  }
}

TEST(Units, OfAllKeysAreKnown) {
  std::set<const KeyGroup*> seen;
  const std::set<std::string> in_words = {"",         "unit",     "unit/s", "1/unit",
                                          "unit/s^k", "N or N m", "steps",  "iterations"};
  const auto visit = [&](const auto& self, const KeyGroup& group) -> void {
    if (!seen.insert(&group).second) return;
    const auto visit_forms = [&](const auto& inner, const Forms& forms) -> void {
      for (const Form& form : forms) {
        if (form.group) self(self, form.group());
        inner(inner, form.elements);
      }
    };
    for (const Key& key : group.keys) {
      EXPECT_TRUE(in_words.contains(key.unit) || key.unit.find(" or ") != std::string::npos ||
                  parse_unit(key.unit))
          << group.name << "." << key.name << ": " << key.unit;
      visit_forms(visit_forms, key.forms);
    }
    if (group.base) self(self, group.base());
  };
  visit(visit, root_keys());
}

TEST(Units, InCommonUseAreKnown) {
  for (const std::string& unit : common_units()) EXPECT_TRUE(parse_unit(unit)) << unit;
}

Problem crank(const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::parse(crank_text, "crank.toml", ".", overrides));
}

TEST(Quantities, AreReadInTheUnitsOfTheirKeys) {
  const Problem problem =
      crank({"bodies.crank.mesh.thickness=1 cm", "bodies.crank.mesh.size=[\"200 mm\", 0.04]",
             "bodies.crank.mesh.origin=\"[0, -2] cm\"", "bodies.crank.material.density=7.85 g/cm^3",
             "springs.support.stiffness=0.1 N/mm", "bodies.crank.markers.tip.x=20 cm",
             "integrator.step=10 ms", "torsion_springs.hinge.free_angle=\"-90 deg\""});
  const fem::FlexibleBodySpec& body = problem.bodies.front().flexible;
  EXPECT_EQ(body.mesh.thickness, 0.01);
  EXPECT_EQ(body.mesh.size.x(), 0.2);
  EXPECT_EQ(body.mesh.origin.y(), -0.02);
  EXPECT_EQ(body.material.density, 7850.0);
  EXPECT_EQ(problem.system.springs.front().stiffness, 100.0);
  EXPECT_EQ(problem.integrator.step, 0.01);
  EXPECT_EQ(problem.system.torsion_springs.front().free_angle, -0.5 * std::numbers::pi);
}

/// The word "unit" in a row is the unit of what the table belongs to.
TEST(Quantities, OfFunctionsOfTimeHaveTheUnitOfWhatFollowsThem) {
  const Problem problem =
      crank({"loads.push.force.2.value=3 kN", "loads.push.torque.2.rate=2 kN m/s",
             "loads.push.torque.2.value=\"-1 N mm\"", "joints.slider.drive.0.rate=2 m/min",
             "joints.slider.drive.1.values=\"[0, 0.5] turn\"",
             "joints.bearing.drive.end.derivatives=[\"720 deg\", \"60 rpm\"]"});
  EXPECT_EQ(problem.system.loads.front().force[2]->at(0.0).value, 3000.0);
  EXPECT_EQ(problem.system.loads.front().torque[2]->at(0.5).value, -0.001);
  EXPECT_EQ(problem.system.loads.front().torque[2]->at(0.5).rate, 2000.0);
  EXPECT_DOUBLE_EQ(problem.system.joints[2].drives[0].motion->at(0.0).rate, 2.0 / 60.0);
  EXPECT_DOUBLE_EQ(problem.system.joints[2].drives[1].motion->at(2.0).value, std::numbers::pi);
  EXPECT_DOUBLE_EQ(problem.system.joints[0].drives[0].motion->at(2.0).value, 4.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(problem.system.joints[0].drives[0].motion->at(2.0).rate, 2.0 * std::numbers::pi);
}

TEST(Quantities, OfBoundsHaveTheUnitOfTheCriterionOrQuantity) {
  const Problem problem =
      crank({"constraints.criteria.bend={type=\"displacement\", marker=\"crank.pin\", time=\"p-norm\", "
             "exponent=8, upper=\"20 um\", component=\"y\", target=\"1 mm\"}",
             "variables.k={quantity=\"springs.support.stiffness\", lower=\"10 N/m\", upper=\"1 kN/m\"}"});
  EXPECT_EQ(problem.constraints.criteria.front().upper, 20e-6);
  EXPECT_EQ(problem.constraints.criteria.front().terms.front().target[1]->at(0.0).value, 0.001);
  EXPECT_EQ(problem.design.variables.front().lower, 10.0);
  EXPECT_EQ(problem.design.variables.front().upper, 1000.0);
}

TEST(Quantities, OfAnotherKindAreRefusedWithWhatIsAllowed) {
  const auto message = [](const char* change) { return error_of(crank_text, {change}); };
  EXPECT_THAT(
      message("joints.slider.drive.0.rate=3 rpm"),
      EndsWith("joints.slider.drive.0.rate = \"3 rpm\" has a unit of another kind; allowed: mm/s, m/s, "
               "km/h"));
  const auto derivative = [&](const char* ends) {
    return message(
        fmt::format(
            "joints.slider.drive.0={{ dof = \"tx\", type = \"polynomial\", begin = {{ t = 0.0, derivatives = "
            "[0.0] }}, end = {{ t = 1.0, derivatives = {} }} }}",
            ends)
            .c_str());
  };
  EXPECT_THAT(derivative("[0.0, \"3 rpm\"]"), EndsWith("allowed: m/s, mm/s, km/h"));
  EXPECT_THAT(derivative("[0.0, 0.0, \"3 rpm\"]"), EndsWith("allowed: m/s^2, mm/s^2"));
  EXPECT_THAT(message("bodies.crank.mesh.thickness=1 millimetre"),
              HasSubstr("has the unknown unit millimetre; allowed: m, cm, mm"));
  EXPECT_THAT(message("torsion_springs.hinge.stiffness=5 N m/dge"), HasSubstr("did you mean N m/deg?"));
  EXPECT_THAT(message("torsion_springs.hinge.stiffness=5 N m"), HasSubstr("has a unit of another kind"));
  EXPECT_THAT(message("bodies.crank.mesh.thickness=\"0.01\""),
              HasSubstr("has no unit; write 0.01 without quotes, or \"0.01 m\""));
  EXPECT_THAT(message("bodies.crank.mesh.thickness=1.2.3 m"),
              HasSubstr("begins with 1.2.3, which is no number"));
  EXPECT_THAT(message("bodies.crank.mesh.thickness=-1 mm"), HasSubstr("must be positive"));
  EXPECT_THAT(message("bodies.crank.material.poisson_ratio=0.3 m"), HasSubstr("must be a number"));
  EXPECT_THAT(message("bodies.crank.mesh.origin=\"[1, 2 mm\""), HasSubstr("has no closing bracket"));
  EXPECT_THAT(message("bodies.crank.mesh.origin=\"[1, x] mm\""),
              HasSubstr("begins with x, which is no number"));
  EXPECT_THAT(message("bodies.crank.mesh.origin=\"[1, 2, 3] mm\""),
              HasSubstr("must be a list of 2 numbers, not of 3"));
  EXPECT_THAT(message("bodies.crank.mesh.size=\"[1, -2] mm\""),
              HasSubstr("has an element that must be positive"));
}

}  // namespace
}  // namespace kurbel
