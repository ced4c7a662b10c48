#include <gtest/gtest.h>

#include "crank_text.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "problem/problem.hpp"

namespace kurbel {
namespace {

Problem read(const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(crank_text, "crank.toml", "/folder", overrides));
}

TEST(ReadCriteria, StressCriterionIsReadWithItsDefaults) {
  const std::vector<std::string> direct = {"sensitivity={method=\"direct\"}"};
  CriterionTerm term =
      read({direct[0], "objective={type=\"von-mises\", body=\"crank\", time=\"final\"}"}).objective.front();
  EXPECT_EQ(term.quantity, Quantity::von_mises);
  EXPECT_EQ(term.body, "crank");
  EXPECT_EQ(term.element_exponent, 8.0);
  EXPECT_EQ(term.relaxation, 0.5);
  EXPECT_TRUE(term.left_out.empty());
  term = read({direct[0],
               "objective={type=\"von-mises\", body=\"crank\", time=\"p-norm\", exponent=6, "
               "element_exponent=12, relaxation=1.0, leave_out=[\"clamp\", \"bearing\", \"pin\"]}"})
             .objective.front();
  EXPECT_EQ(term.exponent, 6.0);
  EXPECT_EQ(term.element_exponent, 12.0);
  EXPECT_EQ(term.relaxation, 1.0);
  EXPECT_EQ(term.left_out, (std::vector<std::string>{"clamp", "bearing", "pin"}));
}

// A mass has the same value at all times, so that nothing is said of them.
TEST(ReadCriteria, TextsSayTheFunctionOfTimeOfWhatChanges) {
  const auto text = [](const std::string& objective) {
    return text_of(read({"objective={" + objective + "}"}).objective.front(), Analysis::motion);
  };
  EXPECT_EQ(text("type=\"mass\", body=\"crank\""), "mass of crank");
  EXPECT_EQ(text("type=\"kinetic-energy\", body=\"crank\", time=\"mean\""),
            "mean of kinetic-energy of crank");
  EXPECT_EQ(text("type=\"kinetic-energy\", body=\"crank\", time=\"final\", weight=2.0"),
            "2 times final kinetic-energy of crank");
}

TEST(ReadCriteria, ObjectiveMayBeASumOfTerms) {
  const Problem p =
      read({"objective=[{type=\"integral-compliance\", body=\"crank\"}, "
            "{type=\"integral-compliance\", body=\"crank\", weight=0.5}]"});
  ASSERT_EQ(p.objective.size(), 2u);
  EXPECT_EQ(p.objective[0].weight, 1.0);
  EXPECT_EQ(p.objective[1].weight, 0.5);
}

TEST(ReadCriteria, CriterionIsAQuantityAndAFunctionalOverTime) {
  const Problem p = read({"sensitivity={}",
                          "objective=[{type=\"velocity\", time=\"p-norm\", exponent=8, marker=\"crank.pin\", "
                          "target=[1.0, 0.0, {type=\"constant-rate\", rate=2.0}]}, "
                          "{type=\"drive-torque\", time=\"ks\", exponent=-0.5, joint=\"bearing\", weight=3}, "
                          "{type=\"kinetic-energy\", time=\"final\"}, {type=\"mass\", body=\"crank\"}]"});
  ASSERT_EQ(p.objective.size(), 4u);
  const CriterionTerm& velocity = p.objective[0];
  EXPECT_EQ(velocity.quantity, Quantity::velocity);
  EXPECT_EQ(velocity.time, TimeFunctional::p_norm);
  EXPECT_EQ(velocity.exponent, 8.0);
  EXPECT_EQ(velocity.marker.marker, "pin");
  EXPECT_FALSE(velocity.component);
  EXPECT_EQ(velocity.target[0]->at(0.5).value, 1.0);
  EXPECT_EQ(velocity.target[1], nullptr);
  EXPECT_EQ(velocity.target[2]->at(0.5).value, 1.0);
  const CriterionTerm& torque = p.objective[1];
  EXPECT_EQ(torque.quantity, Quantity::drive_torque);
  EXPECT_EQ(torque.time, TimeFunctional::kreisselmeier_steinhauser);
  EXPECT_EQ(torque.exponent, -0.5);
  EXPECT_EQ(torque.joint, "bearing");
  EXPECT_EQ(torque.weight, 3.0);
  EXPECT_EQ(p.objective[2].time, TimeFunctional::final_value);
  EXPECT_TRUE(p.objective[2].body.empty());
  EXPECT_EQ(p.objective[3].time, TimeFunctional::mean);
}

TEST(ReadCriteria, CriterionAtInstantsIsAConstraintAtEach) {
  const Problem p =
      read({"sensitivity={}", "integrator={t1=0.5, step=0.05}",
            "constraints.criteria={c={type=\"kinetic-energy\", time=\"instants\", at=[0.1, "
            "0.35], upper=2}, d={type=\"kinetic-energy\", time=\"instants\", every=4, lower=1}}"});
  const std::vector<CriterionConstraint>& criteria = p.constraints.criteria;
  ASSERT_EQ(criteria.size(), 4u);
  EXPECT_EQ(p.constraints.n_inequalities(),
            4 + p.constraints.volume_fraction.has_value() + p.constraints.mass.has_value());
  const char* labels[] = {"c@0.1", "c@0.35", "d@0.2", "d@0.4"};
  const int steps[] = {2, 7, 4, 8};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(criteria[i].label(), labels[i]);
    EXPECT_EQ(criteria[i].terms.front().time, TimeFunctional::instants);
    EXPECT_EQ(criteria[i].terms.front().steps, std::vector<int>{steps[i]});
    EXPECT_FALSE(criteria[i].adaptive);
  }
  EXPECT_EQ(criteria[1].upper, 2.0);
  EXPECT_EQ(criteria[3].lower, 1.0);
}

TEST(ReadCriteria, InstantsOfATermAreSummed) {
  const Problem p = read({"sensitivity={}", "integrator={t1=0.5, step=0.05}",
                          "objective={type=\"kinetic-energy\", time=\"instants\", every=3}"});
  EXPECT_EQ(p.objective[0].steps, (std::vector<int>{3, 6, 9}));
}

TEST(ReadCriteria, BoundedMaximaAreScaledAdaptivelyUnlessToldOtherwise) {
  const auto is_adaptive = [](const std::string& rest) {
    return read({"constraints.criteria={c={" + rest + "}}"}).constraints.criteria.front().adaptive;
  };
  const std::string energy = "type=\"kinetic-energy\", time=";
  EXPECT_TRUE(is_adaptive(energy + "\"p-norm\", exponent=8, upper=1"));
  EXPECT_TRUE(is_adaptive(energy + "\"ks\", exponent=-8, lower=1"));
  EXPECT_TRUE(is_adaptive("type=\"von-mises\", body=\"crank\", time=\"final\", upper=1"));
  EXPECT_TRUE(
      is_adaptive("terms=[{type=\"mass\", body=\"crank\"}, {" + energy + "\"ks\", exponent=8}], upper=1"));
  EXPECT_FALSE(is_adaptive(energy + "\"mean\", upper=1"));
  EXPECT_FALSE(is_adaptive(energy + "\"p-norm\", exponent=8, equals=1"));
  EXPECT_FALSE(is_adaptive(energy + "\"p-norm\", exponent=8, upper=1, scaling=\"none\""));
}

TEST(ReadCriteria, TargetMayBeTheRigidTwin) {
  const Problem p =
      read({"joints.slider={lock=[\"ty\"], from=\"rod.end\", to=\"ground.slider\"}",
            "objective={type=\"velocity\", time=\"mean\", marker=\"rod.end\", target=\"rigid-twin\"}"});
  EXPECT_TRUE(p.objective[0].relative_to_rigid_twin);
}

TEST(ReadCriteria, IntegralComplianceIsTheIntegralOfCompliance) {
  const CriterionTerm term = read().objective[0];
  EXPECT_EQ(term.quantity, Quantity::compliance);
  EXPECT_EQ(term.time, TimeFunctional::integral);
}

TEST(ReadCriteria, CriteriaAreBoundedByName) {
  const Problem p =
      read({"constraints.criteria.lift={type=\"position\", time=\"ks\", exponent=100, marker=\"crank.pin\", "
            "component=\"y\", target=0.1, lower=-0.2, upper=0.3}",
            "constraints.criteria.weight={type=\"mass\", body=\"crank\", upper=0.4}"});
  ASSERT_EQ(p.constraints.criteria.size(), 2u);
  const CriterionConstraint& lift = p.constraints.criteria[0];
  EXPECT_EQ(lift.name, "lift");
  ASSERT_EQ(lift.terms.size(), 1u);
  EXPECT_EQ(lift.terms[0].component, 1);
  EXPECT_EQ(lift.terms[0].target[1]->at(2.0).value, 0.1);
  EXPECT_EQ(lift.lower, -0.2);
  EXPECT_EQ(lift.upper, 0.3);
  EXPECT_FALSE(p.constraints.criteria[1].lower);
  EXPECT_EQ(p.constraints.n_inequalities(), 5);  // volume, mass, two sides of one and one of the other
}

// Each case may end below the limit while their sum is above it.
TEST(ReadCriteria, ASumOverCasesIsNotLimitedAsEachCaseIs) {
  const auto ends = [](const std::string& sum) {
    const std::string place = "{type=\"position\", marker=\"crank.pin\", component=\"y\", time=\"final\", ";
    return read({"sensitivity={}", "cases={one={}, other={}}",
                 "constraints.criteria.both=" + place + "equals=5.0" + sum + "}",
                 "constraints.criteria.each=" + place + "upper=3.0}"});
  };
  EXPECT_NO_THROW(ends(", cases=\"sum\""));
  EXPECT_THROW(ends(""), InputError);
}

TEST(ReadCriteria, FormIsThePlainOneUnlessTheHalfSquareIsRequested) {
  const auto unit = [](const std::string& rest, const std::string& time = "final") {
    const Problem p = read({"sensitivity={}", "objective={time=\"" + time + "\", " + rest + "}"});
    return std::pair(form_of(p.objective[0]), unit_of(p, p.objective[0]));
  };
  using Form = CriterionForm;
  const std::string velocity = "type=\"velocity\", marker=\"crank.pin\"",
                    torque = "type=\"drive-torque\", joint=\"bearing\"";
  EXPECT_EQ(unit(velocity), std::pair(Form::magnitude, std::string("m/s")));
  EXPECT_EQ(unit(velocity + ", component=\"x\", target=0.1"),
            std::pair(Form::signed_value, std::string("m/s")));
  EXPECT_EQ(unit(velocity + ", form=\"half-square\""), std::pair(Form::half_square, std::string("(m/s)^2")));
  EXPECT_EQ(unit(velocity + ", component=\"x\", form=\"half-square\""),
            std::pair(Form::half_square, std::string("(m/s)^2")));
  EXPECT_EQ(unit(torque), std::pair(Form::signed_value, std::string("N m")));
  EXPECT_EQ(unit(torque, "integral"), std::pair(Form::signed_value, std::string("N m s")));
  EXPECT_EQ(unit(torque + ", form=\"half-square\""), std::pair(Form::half_square, std::string("(N m)^2")));
}

/// A shortening and a lengthening are bounds on one component, each by the peak of its sign.
TEST(ReadCriteria, SignedPeaksAreBoundedInBothDirections) {
  const Problem p =
      read({"constraints.criteria={down={type=\"displacement\", marker=\"crank.pin\", component=\"y\", "
            "time=\"ks\", exponent=-1e4, lower=-1e-3}, up={type=\"displacement\", "
            "marker=\"crank.pin\", component=\"y\", time=\"ks\", exponent=1e4, upper=2e-3}}"});
  for (const CriterionConstraint& c : p.constraints.criteria) {
    EXPECT_EQ(unit_of(p, c.terms), "m");
    EXPECT_TRUE(c.adaptive);
  }
  EXPECT_EQ(p.constraints.criteria[0].lower, -1e-3);
}

TEST(ReadCriteria, ACriterionIsASumOfWeightedTerms) {
  const Problem p =
      read({"constraints.criteria.both={terms=[{type=\"mass\", body=\"crank\"}, {type=\"kinetic-energy\", "
            "time=\"mean\", weight=0.25}], upper=0.4}",
            "constraints.criteria.one={terms={type=\"mass\", body=\"rod\", weight=-2}, lower=-3}"});
  ASSERT_EQ(p.constraints.criteria.size(), 2u);
  const auto& both = p.constraints.criteria[0].terms;
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].quantity, Quantity::mass);
  EXPECT_EQ(both[0].weight, 1.0);
  EXPECT_EQ(both[1].quantity, Quantity::kinetic_energy);
  EXPECT_EQ(both[1].weight, 0.25);
  ASSERT_EQ(p.constraints.criteria[1].terms.size(), 1u);
  EXPECT_EQ(p.constraints.criteria[1].terms[0].weight, -2.0);
  EXPECT_EQ(p.constraints.n_inequalities(), 4);  // volume, mass and one side of each
}

}  // namespace
}  // namespace kurbel
