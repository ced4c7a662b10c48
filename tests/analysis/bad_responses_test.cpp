/// Frequency responses that are refused, with line, key and what is allowed.
#include <gtest/gtest.h>

#include "problem/problem.hpp"
#include "response_text.hpp"
#include "tests/input_error.hpp"
#include "tests/problem/mistake.hpp"

namespace kurbel {
namespace {

using test::response;
using test::response_range;
using test::shaken_hand;

const std::string good =
    response("floating-frame", test::Arm().text(response_range + shaken_hand + R"([objective]
type = "position"
marker = "forearm.hand"
amplitude = "p-norm"
exponent = 8.0
[constraints.criteria.single]
type = "velocity"
marker = "forearm.hand"
amplitude = "at-frequency"
frequency = 3.0
upper = 1.0
)"));

std::string error_of(const std::string& text) {
  return input_error_message([&] { read_problem(TomlDocument::parse(text, "arm.toml", ".")); });
}

class BadResponses : public testing::TestWithParam<Mistake> {};

TEST_P(BadResponses, AreRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "arm.toml"));
}

const Mistake mistakes[] = {
    {"no_range", "[frequency_response]\nfrom = 0.5\nto = 12.0\npoints = 24\n", "",
     "frequency_response is missing; it must be a table", ""},
    {"order", "to = 12.0", "to = 0.2", "frequency_response.to = 0.2 must be above from"},
    {"points", "points = 24", "points = 1", "frequency_response.points = 1 is outside [2, 10000]"},
    {"from", "from = 0.5", "from = 0.0", "frequency_response.from = 0.0 must be positive"},
    {"spacing", "points = 24", "spacing = \"octaves\"",
     "frequency_response.spacing = \"octaves\" is unknown; allowed: \"linear\", \"logarithmic\""},
    {"growth", "points = 24", "growth = 3", "frequency_response.growth = 3 is outside [-2, 2]"},
    {"amplitude", "amplitude = \"p-norm\"", "amplitude = \"mean\"",
     "objective.amplitude = \"mean\" is unknown; allowed: \"p-norm\", \"ks\", \"at-frequency\""},
    {"rest", "amplitude = \"at-frequency\"\nfrequency = 3.0\n", "",
     "constraints.criteria.single.amplitude is missing; at rest this is zero",
     "[constraints.criteria.single]"},
    {"no_frequency", "frequency = 3.0\n", "",
     "constraints.criteria.single.frequency is missing; it must be a number above 0",
     "[constraints.criteria.single]"},
    {"bound", "upper = 1.0", "upper = -1.0",
     "constraints.criteria.single.upper = -1.0 is below zero, where an amplitude never is"},
    {"form", "exponent = 8.0", "exponent = 8.0\nform = \"magnitude\"",
     "objective.form = \"magnitude\" has no meaning for an amplitude", "form = "},
    {"time", "exponent = 8.0", "exponent = 8.0\ntime = \"mean\"",
     "objective.time = \"mean\" belongs to a motion, analysis = \"motion\"", "time = "},
    {"function", "{type = \"harmonic\", amplitude = 2.0}",
     "{type = \"harmonic\", amplitude = 2.0, frequency = 3.0}",
     "loads.shake.force.1 is a function of time; "
     "with "
     "analysis = \"frequency-response\" it is a number, or of type = \"harmonic\" without a frequency"},
    {"fade_in", "{type = \"harmonic\", amplitude = 2.0}",
     "{type = \"harmonic\", amplitude = 2.0, fade_in = 3.0}",
     "loads.shake.force.1.fade_in = 3.0 needs frequency"},
    {"analysis", "\"frequency-response\"", "\"modes\"",
     "frequency_response = {from = 0.5, to = 12.0, points = 24} needs analysis = \"frequency-response\"",
     "[frequency_response]"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadResponses, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

TEST(Excitations, BelongToAFrequencyResponse) {
  std::string text = good.substr(good.find('\n') + 1);
  text.erase(text.find(response_range), response_range.size());
  text = text.substr(0, text.find("[objective]"));
  EXPECT_NE(error_of(text).find("loads.shake.force.0.frequency is missing; it must be a number above 0"),
            std::string::npos)
      << error_of(text);
  std::string still = good;
  still.erase(still.find(shaken_hand), shaken_hand.size());
  EXPECT_NE(error_of(still).find("a frequency response needs an excitation"), std::string::npos)
      << error_of(still);
}

}  // namespace
}  // namespace kurbel
