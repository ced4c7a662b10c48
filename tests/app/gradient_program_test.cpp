/// `kurbel gradient` as its user meets it: what a check says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using testing::HasSubstr;

/// A cantilever whose end is pushed: modes from some 40 Hz to some 2 kHz.
const char* const cantilever = R"([bodies.beam]
type = "flexible"
mesh = { shape = "rectangle", origin = [0.0, -0.01], size = [0.2, 0.02], divisions = [6, 2], thickness = 0.01 }
material = { youngs_modulus = 1e9, poisson_ratio = 0.3, density = 1000.0 }
clamp = { x = 0.0 }
markers = { tip = { x = 0.2 } }
modes = { normal = 3 }
[joints.wall]
type = "fixed"
from = "ground"
to = "beam"
[loads.push]
marker = "beam.tip"
force = [0.0, 1.0, 0.0]
[integrator]
t1 = 0.02
step = 1e-3
[objective]
type = "integral-compliance"
body = "beam"
[design]
start = 0.6
)";

class GradientProgram : public testing::Test {
 protected:
  GradientProgram() { write_text_file(folder_ / "cantilever.toml", cantilever); }
  Outcome gradient(const std::string& input, const std::string& arguments) {
    return test::run("gradient " + input + " " + arguments + " --output " + (folder_ / "out").string() +
                     " --json " + (folder_ / "numbers.json").string());
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  nlohmann::json numbers() const { return nlohmann::json::parse(read_text_file(folder_ / "numbers.json")); }
  std::set<std::string> checked_functions() const {
    std::set<std::string> names;
    const nlohmann::json all = numbers();
    for (const auto& row : all["check"]) names.insert(row["function"]);
    return names;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(GradientProgram, ChecksEveryConstraintByName) {
  const Outcome o = gradient(
      path("cantilever.toml"),
      "--check 2 --set constraints.volume_fraction=0.7 --set constraints.mass=0.1 --set "
      "'constraints.criteria.deflection={type=\"displacement\", marker=\"beam.tip\", component=\"y\", "
      "time=\"final\", upper=0.1}'");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(checked_functions(), (std::set<std::string>{"psi", "deflection", "volume_fraction", "mass"}));
  const nlohmann::json all = numbers();
  EXPECT_EQ(all["verdict"], "agrees");
  for (const auto& row : all["check"]) EXPECT_EQ(row["verdict"], "agrees") << row;
}

TEST_F(GradientProgram, ChecksEveryConstraintOfAControlByName) {
  const Outcome o = gradient(KURBEL_SOURCE_DIR "/inputs/one_mass_oscillator.toml", "--check 2");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(checked_functions(), testing::IsSupersetOf({"objective", "reaction: reaction.x at 1 s"}));
  EXPECT_THAT(o.text, HasSubstr("\nreaction\n"));
}

TEST_F(GradientProgram, AgreesNextToTheThresholdOfSimp) {
  for (const char* start : {"0.1", "0.1001", "0.0999", "0.100000001"}) {
    const Outcome o = gradient(path("cantilever.toml"), std::string("--check 2 --set design.start=") + start);
    EXPECT_EQ(o.exit_code, 0) << start << "\n" << o.text;
  }
}

TEST_F(GradientProgram, CannotTellBelowTheAccuracyOfTheDifferences) {
  const Outcome o = gradient(path("cantilever.toml"), "--check 2 --tolerance 1e-16");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.text, HasSubstr("CANNOT TELL"));
  EXPECT_EQ(numbers()["verdict"], "cannot tell");
}

}  // namespace
}  // namespace kurbel
