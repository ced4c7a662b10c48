/// What terms see of a mechanism in absolute coordinates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "natural_coordinates/absolute_criteria.hpp"
#include "test_systems.hpp"

namespace kurbel {
namespace {

/// A change of what is observed of the arm, and the message that it leads to.
struct Unobservable {
  const char* name;
  std::size_t function;
  void (*change)(CriterionTerm&);
  const char* key;
  const char* message;
};

void PrintTo(const Unobservable& one, std::ostream* out) {
  *out << one.name;
}

const Unobservable unobservables[] = {
    {"position_of_unknown_place", 0, [](CriterionTerm& f) { f.marker.marker = "edn"; }, "outputs.one.marker",
     "= \"lower.edn\" is no place; did you mean \"lower.end\"?"},
    {"distance_from_unknown_place", 0,
     [](CriterionTerm& f) { f.quantity = Quantity::distance, f.from = test::place("lower.sart"); },
     "outputs.one.from", "did you mean \"lower.start\"?"},
    {"distance_from_itself", 0, [](CriterionTerm& f) { f.quantity = Quantity::distance, f.from = f.marker; },
     "outputs.one.marker", "is the place from which the distance is measured"},
    {"force_of_unknown_spring", 3, [](CriterionTerm& f) { f.spring = "ruber"; }, "outputs.one.spring",
     "= \"ruber\" is no spring; did you mean \"rubber\"?"},
    {"stress_of_unknown_beam", 2, [](CriterionTerm& f) { f.beam = "loewr"; }, "outputs.one.beam",
     "= \"loewr\" is no beam; did you mean \"lower\"?"},
    {"stress_in_element_out_of_range", 2, [](CriterionTerm& f) { f.element = 2; }, "outputs.one.element",
     "= 2 is no element of lower, which has 0 to 1"},
};

class Unobservables : public testing::TestWithParam<Unobservable> {};

INSTANTIATE_TEST_SUITE_P(AbsoluteObservables, Unobservables, testing::ValuesIn(unobservables),
                         [](const auto& param) { return param.param.name; });

TEST_P(Unobservables, AreRefusedByName) {
  const test::System arm = test::arm();
  const auto assembly = arm.assembled();
  const absolute::Observables<double> observables(arm.spec, assembly);
  CriterionTerm term = arm.functions[GetParam().function];
  ASSERT_NO_THROW(observables.of(term, "outputs.one"));
  GetParam().change(term);
  try {
    observables.of(term, "outputs.one");
    FAIL() << "nothing was thrown";
  } catch (const absolute::SpecError& error) {
    EXPECT_EQ(error.key, GetParam().key);
    EXPECT_THAT(error.message, testing::HasSubstr(GetParam().message));
  }
}

TEST(AbsoluteObservables, TermsThatSeeTheSameShareWhatTheySee) {
  const test::System arm = test::arm();
  const auto assembly = arm.assembled();
  const absolute::Observables<double> observables(arm.spec, assembly);
  CriterionTerm final_term = arm.functions[0];
  final_term.time = TimeFunctional::final_value, final_term.component = 1;
  EXPECT_EQ(observables.of(arm.functions[0]), observables.of(final_term));
  CriterionTerm one_axis = arm.functions[0];
  one_axis.axes = {1};
  EXPECT_NE(observables.of(arm.functions[0]), observables.of(one_axis));
}

}  // namespace
}  // namespace kurbel
