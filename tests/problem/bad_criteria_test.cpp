/// Every way to get a criterion wrong has one message that says where, what, and what is allowed.
#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "crank_text.hpp"

namespace kurbel {
namespace {

/// The message about an objective, or a constraint "c", in place of those of the test input.
std::string error_of_criterion(const std::string& criterion) {
  const std::string text = error_of(crank_text, {criterion});
  const std::string place = "--set " + criterion + ": ";
  EXPECT_EQ(text.rfind(place, 0), 0u) << text;
  return text.substr(std::min(place.size(), text.size()));
}

struct CriterionMistake {
  const char* criterion;
  const char* message;
};

const CriterionMistake criterion_mistakes[] = {
    {"objective={type=\"compliance\", body=\"crank\"}",
     "objective.time is missing; it must be one of integral, mean, final, p-norm, ks, instants, change"},
    {"objective={type=\"integral-compliance\", body=\"crank\", time=\"final\"}",
     "objective.time = \"final\" has no meaning for type = \"integral-compliance\""},
    {"objective={type=\"mass\", body=\"crank\", time=\"final\"}",
     "objective.time = \"final\" has no meaning for type = \"mass\""},
    {"objective={type=\"compliance\", body=\"crank\", time=\"ks\"}",
     "objective.exponent is missing; it must be a number"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"p-norm\", exponent=0.5}",
     "objective.exponent = 0.5 must be at least 1"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"ks\", exponent=0}",
     "objective.exponent = 0 must be positive for a smooth maximum, negative for a smooth minimum"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"mean\", exponent=2}",
     "objective.exponent = 2 needs time = \"p-norm\" or \"ks\", not \"mean\""},
    {"objective={type=\"compliance\", body=\"crank\", time=\"mean\", component=\"x\"}",
     "objective.component = \"x\" needs a type with three components, such as \"position\""},
    {"objective={type=\"compliance\", body=\"crank\", time=\"mean\", form=\"half-square\"}",
     "objective.form = \"half-square\" does not exist for compliance, which enters as it is"},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pin\", form=\"signed\"}",
     "objective.form = \"signed\" needs component, the one that enters with its sign"},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pin\", form=\"square\"}",
     "objective.form = \"square\" is unknown; did you mean \"half-square\"?"},
    {"constraints.criteria={c={type=\"velocity\", marker=\"crank.pin\", component=\"y\", time=\"p-norm\", "
     "exponent=8, lower=-1.0}}",
     "constraints.criteria.c.lower = -1.0 is below zero, where a p-norm never is. Take time = \"ks\" with a "
     "negative "
     "exponent, the smooth minimum."},
    {"constraints.criteria={c={type=\"velocity\", marker=\"crank.pin\", time=\"final\", upper=-1.0}}",
     "constraints.criteria.c.upper = -1.0 is below zero, where a magnitude or a half square never is. Name a "
     "component, "
     "which has a sign."},
    {"objective={type=\"mass\", body=\"crank\", exponent=2}",
     "objective.exponent = 2 has no meaning for type = \"mass\""},
    {"objective={type=\"kinetic-energy\", time=\"mean\", weight=0.0}",
     "objective.weight = 0.0 makes a sum that is always zero; give a term a weight other than 0"},
    {"constraints.criteria={c={terms=[{type=\"mass\", body=\"crank\", weight=0}, {type=\"kinetic-energy\", "
     "time=\"mean\", weight=0}], upper=1.0}}",
     "constraints.criteria.c.terms.0.weight = 0 makes a sum that is always zero; give a term a weight "
     "other than 0"},
    {"objective={type=\"mass\", body=\"\"}", "objective.body = \"\" is no body; allowed: \"crank\", \"rod\""},
    {"objective=[{type=\"kinetic-energy\", time=\"mean\"}, {type=\"mass\", body=\"rot\"}]",
     "objective.1.body = \"rot\" is no body; did you mean \"rod\"?"},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pit\"}",
     "objective.marker names the marker \"pit\", which crank does not have; did you mean \"pin\"?"},
    {"objective={type=\"position\", time=\"mean\", marker=\"ground.slider\"}",
     "objective.marker is on the ground, which does not move"},
    {"objective={type=\"displacement\", time=\"mean\", marker=\"rod.end\"}",
     "objective.marker = \"rod.end\" has no elastic displacement; name a marker of a flexible body other "
     "than "
     "its origin"},
    {"objective={type=\"displacement\", time=\"mean\", marker=\"crank\"}",
     "objective.marker = \"crank.origin\" has no elastic displacement; name a marker of a flexible body "
     "other "
     "than its origin"},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pin\", component=\"w\"}",
     "objective.component = \"w\" is unknown; allowed: \"x\", \"y\", \"z\""},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pin\", target=2}",
     "objective.target = 2 must be a list of 3, not a number"},
    {"objective={type=\"velocity\", time=\"mean\", marker=\"crank.pin\", component=\"x\", target=[1,2,3]}",
     "objective.target = [1, 2, 3] must be a number, not a list"},
    {"objective={type=\"position\", time=\"mean\", marker=\"crank.pin\", target=\"rigid\"}",
     "objective.target = \"rigid\" is unknown; did you mean \"rigid-twin\"?"},
    {"objective={type=\"displacement\", time=\"mean\", marker=\"crank.pin\", target=\"rigid-twin\"}",
     "objective.target = \"rigid-twin\" needs type = \"position\", \"velocity\" or \"acceleration\""},
    {"objective={type=\"reaction-force\", time=\"mean\", joint=\"pn\"}",
     "objective.joint = \"pn\" is no joint; did you mean \"pin\"?"},
    {"objective={type=\"reaction-force\", time=\"mean\", joint=\"slider\", component=\"z\"}",
     "objective.component = \"z\" is an axis that joint slider leaves free"},
    {"objective={type=\"drive-torque\", time=\"mean\", joint=\"pin\"}",
     "objective.joint = \"pin\" drives no rotation; the force of a drive of a displacement is "
     "\"reaction-force\""},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"crenk\"}",
     "objective.body = \"crenk\" is no body; did you mean \"crank\"?"},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"rod\"}",
     "objective.body = \"rod\" has no mesh; stresses need a body of type \"flexible\""},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"crank\", element_exponent=1.5}",
     "objective.element_exponent = 1.5 must be at least 2"},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"crank\", relaxation=-0.5}",
     "objective.relaxation = -0.5 must not be negative"},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"crank\", leave_out=\"pin\"}",
     "objective.leave_out = \"pin\" must be a list of texts, not text"},
    {"objective={type=\"von-mises\", time=\"mean\", body=\"crank\", leave_out=[\"clamp\", \"pen\"]}",
     "objective.leave_out.1 = \"pen\" is no region, marker or support of crank; did you mean \"pin\"?"},
    {"objective={type=\"compliance\", time=\"mean\", body=\"crank\", relaxation=0.5}",
     "objective.relaxation = 0.5 needs type = \"von-mises\", not \"compliance\""},
    {"constraints.criteria={c={type=\"mass\", body=\"crank\"}}",
     "constraints.criteria.c has no bound; give lower, upper or both, or equals"},
    {"constraints.criteria={c={type=\"mass\", body=\"crank\", uper=1.0}}",
     "unknown key constraints.criteria.c.uper; did you mean constraints.criteria.c.upper?"},
    {"constraints.criteria={c={type=\"mass\", body=\"rod\", equals=1.0, upper=2.0}}",
     "constraints.criteria.c.equals = 1.0 stands beside upper; give one of the two"},
    {"objective={type=\"control-energy\", time=\"integral\"}",
     "objective.type = \"control-energy\" needs [controls]"},
    {"constraints.criteria={c={type=\"mass\", body=\"crank\", lower=2, upper=1}}",
     "constraints.criteria.c.upper = 1 must be larger than lower"},
    {"constraints.criteria={c={type=\"mass\", body=\"crank\", upper=1, weight=2}}",
     "unknown key constraints.criteria.c.weight; known here: amplitude, body, cases, component, equals, "
     "form, lower, scale, scaling, target, terms, type, upper"},
    {"constraints.criteria={c={terms=[], upper=1}}",
     "constraints.criteria.c.terms = [] is empty; give at least one term"},
    {"constraints.criteria={c={terms=[{type=\"mass\", body=\"crank\"}], type=\"mass\", upper=1}}",
     "constraints.criteria.c.terms = [{type = \"mass\", body = \"crank\"}] stands beside type; give one of "
     "the "
     "two"},
    {"constraints.criteria={c={terms=[{type=\"mass\", body=\"crank\"}, {type=\"mass\", body=\"rot\"}], "
     "upper=1}}",
     "constraints.criteria.c.terms.1.body = \"rot\" is no body; did you mean \"rod\"?"},
    {"constraints.criteria={c={terms={type=\"mass\", body=\"rot\"}, upper=1}}",
     "constraints.criteria.c.terms.body = \"rot\" is no body; did you mean \"rod\"?"},
    {"constraints.criteria={c={terms=[{type=\"mass\", body=\"crank\", upper=2}], upper=1}}",
     "unknown key constraints.criteria.c.terms.0.upper; known here: amplitude, body, component, form, "
     "target, type, weight"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"mean\", every=5}",
     "objective.every = 5 needs time = \"instants\", not \"mean\""},
    {"objective={type=\"compliance\", body=\"crank\", time=\"instants\"}",
     "objective.time = \"instants\" needs at, a list of times in s, every, so many steps from one to the "
     "next, "
     "or intervals, so many from start to end"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"instants\", every=5, at=[0.1]}",
     "objective.at = [0.1] stands beside every; give one of the two"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"instants\", every=0}",
     "objective.every = 0 is outside [1, 150]"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"instants\", at=[0.703]}",
     "objective.at = [0.703] has 0.703, which is no instant of [integrator]; the nearest is 0.7"},
    {"objective={type=\"compliance\", body=\"crank\", time=\"instants\", at=[0.8, 0.7]}",
     "objective.at = [0.8, 0.7] must ascend"},
    {"constraints.criteria={c={type=\"compliance\", body=\"crank\", time=\"mean\", upper=1, "
     "scaling=\"adaptive\"}}",
     "constraints.criteria.c.scaling = \"adaptive\" needs a maximum: time or amplitude = \"p-norm\" or "
     "\"ks\", "
     "aggregate = \"ks\", or type = \"von-mises\""},
    {"constraints.criteria={c={type=\"compliance\", body=\"crank\", time=\"p-norm\", exponent=8, equals=1, "
     "scaling=\"adaptive\"}}",
     "constraints.criteria.c.scaling = \"adaptive\" needs lower or upper, not equals"},
    {"constraints.criteria={c={type=\"compliance\", body=\"crank\", time=\"p-norm\", exponent=8, upper=1, "
     "scaling=\"linear\"}}",
     "constraints.criteria.c.scaling = \"linear\" is unknown; allowed: \"adaptive\", \"none\""},
    {"constraints.criteria={c={type=\"compliance\", body=\"crank\", time=\"instants\", every=5, upper=1, "
     "scaling=\"none\"}}",
     "constraints.criteria.c.scaling = \"none\" does not go with time = \"instants\", which bounds values as "
     "they are"},
    {"objective={type=\"tension\"}",
     "objective.type = \"tension\" is unknown; allowed: "
     "\"integral-compliance\", \"compliance\", \"kinetic-energy\", \"total-energy\", \"displacement\", "
     "\"position\", \"velocity\", \"acceleration\", \"reaction-force\", \"reaction-moment\", \"rod-force\", "
     "\"drive-torque\", \"joint-angle\", \"joint-rate\", \"mass\", \"centre-of-mass\", \"control-energy\", "
     "\"von-mises\", \"distance\", \"relative-position\", \"spring-length\", \"tyre-force\", \"rotation\", "
     "\"attitude\", "
     "\"attitude-rate\", \"spring-force\", \"stress\", \"duration\", \"output\""},
    {"objective={type=\"output\", output=\"tip\", time=\"mean\"}",
     "objective.output = \"tip\" is none of [outputs.*]"},
    {"outputs={tip={type=\"velocity\", marker=\"crank.pit\"}}",
     "outputs.tip.marker names the marker \"pit\", which crank does not have; did you mean \"pin\"?"},
    {"outputs={tip={type=\"velocity\", marker=\"crank.pin\", axes=[\"x\", \"x\"]}}",
     "outputs.tip.axes.1 = \"x\" stands twice in the list"},
    {"outputs={tip={type=\"velocity\", marker=\"crank.pin\", axes=[]}}",
     "outputs.tip.axes = [] is empty; name at least one"},
    {"outputs={tip={type=\"velocity\", marker=\"crank.pin\", time=\"mean\"}}",
     "unknown key outputs.tip.time; known here: axes, marker, type"},
    {"constraints.criteria={c={type=\"velocity\", marker=\"crank.pin\", time=\"final\", equals=[0.0, 1.0]}}",
     "constraints.criteria.c.equals = [0.0, 1.0] must be a list of 3 numbers, not of 2"},
    {"constraints.criteria={c={type=\"velocity\", marker=\"crank.pin\", time=\"final\", upper=1, scale=[1, "
     "1, 1]}}",
     "constraints.criteria.c.scale = [1, 1, 1] must be a number above 0, not a list"},
    {"constraints.criteria={c={type=\"compliance\", body=\"crank\", time=\"instants\", intervals=7, "
     "upper=1}}",
     "constraints.criteria.c.intervals = 7 must divide the number of integration steps, 150"},
    {"constraints.criteria={c={type=\"mass\", body=\"shaft\", upper=1}}",
     "constraints.criteria.c.body = \"shaft\" is no body; allowed: \"crank\", \"rod\""},
};

TEST(BadCriterion, IsRefusedWithKeyAndWhatIsAllowed) {
  for (const CriterionMistake& mistake : criterion_mistakes)
    EXPECT_EQ(error_of_criterion(mistake.criterion), mistake.message) << mistake.criterion;
}

TEST(BadCriterion, OfARigidTwinNeedsJointsThatDetermineItsMotion) {
  const std::string objective =
      "objective={type=\"position\", time=\"mean\", marker=\"crank.pin\", target=\"rigid-twin\"}";
  EXPECT_THAT(
      error_of(crank_text, {"joints.slider={lock=[\"ty\"], from=\"rod.end\", to=\"ground.slider\"}",
                            "joints.bearing={type=\"revolute\", from=\"ground\", to=\"crank\"}", objective}),
      testing::HasSubstr("objective.target = \"rigid-twin\" needs joints and drives that determine the "
                         "motion of rigid bodies; these hold 11 of 12 degrees of freedom"));
}

TEST(BadCriterion, AtInstantsHasNoContinuousAdjoint) {
  const std::string all = "objective={type=\"compliance\", body=\"crank\", time=\"instants\", at=[0.7]}";
  EXPECT_EQ(error_of(crank_text, {all, "sensitivity={method=\"continuous-adjoint\"}"}),
            "--set " + all +
                ": objective.time = \"instants\" has no continuous adjoint; take sensitivity.method = "
                "\"discrete-adjoint\" or \"direct\"");
}

TEST(BadCriterion, OfStressNeedsElementsAndThePullBack) {
  const std::string all =
      "objective={type=\"von-mises\", body=\"crank\", time=\"mean\", leave_out=[\"clamp\", \"bearing\"]}";
  EXPECT_EQ(error_of(crank_text, {all, "bodies.crank.regions.bearing.x=[0.02, 0.2]"}),
            "--set " + all + ": objective.leave_out takes in every element: no stress is left");
  EXPECT_THAT(error_of(crank_text, {"objective={type=\"von-mises\", body=\"crank\", time=\"mean\"}",
                                    "sensitivity.path=\"augmented-sid\""}),
              testing::HasSubstr("objective.type = \"von-mises\" needs sensitivity.path = \"pull-back\"; the "
                                 "augmented data hold no derivatives of stresses"));
}

}  // namespace
}  // namespace kurbel
