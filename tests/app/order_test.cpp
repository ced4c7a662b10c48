/// Names are names: results do not depend on the order in which an input lists them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "crank.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using Numbers = std::map<std::string, double>;

/// What an input leads to, by name.
struct Result {
  Numbers values;                            ///< objective, constraints
  std::map<std::string, Numbers> gradients;  ///< of each of them by the variables
};

struct Example {
  const char* name;
  const char* file;
  std::vector<std::string> overrides;  ///< what makes it small
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

template <class List>
void permute_list(List& list, bool rotate) {
  if (list.size() < 2) return;
  if (rotate) {
    std::rotate(list.begin(), list.begin() + 1, list.end());
  } else {
    std::reverse(list.begin(), list.end());
  }
}

bool is_list_of_names(const TomlValue::Array& list) {
  const auto is_name = [](const TomlValue& value) {
    return value.table() || std::holds_alternative<std::string>(value.data);
  };
  return std::all_of(list.begin(), list.end(), is_name);
}

/// Another order of tables, of lists of tables and of lists of names, all the way down.
void permute(TomlValue& value, bool rotate) {
  if (auto* table = std::get_if<TomlValue::Table>(&value.data)) {
    for (TomlEntry& entry : *table) permute(entry.value, rotate);
    permute_list(*table, rotate);
  } else if (auto* list = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& element : *list) permute(element, rotate);
    if (is_list_of_names(*list)) permute_list(*list, rotate);
  }
}

enum class Order { as_written, reversed, rotated };

TomlDocument document_of(const Example& example, Order order) {
  TomlDocument document = TomlDocument::read(test::input(example.file), example.overrides);
  if (order != Order::as_written) permute(document.root, order == Order::rotated);
  return document;
}

/// A number in [0, 1) that depends on the name alone.
double number_of(const std::string& name) {
  unsigned hash = 2166136261u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash >> 8) / double(1u << 24);
}

Result result_of(TomlDocument document) {
  const Problem problem = read_problem(std::move(document));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  VectorXd x = space.start();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const bool bounded = std::isfinite(space.lower()[i]) && std::isfinite(space.upper()[i]);
    x[i] = (bounded ? 0.3 : x[i]) + 0.6 * number_of(space.name_of(i));
  }
  ChainResult at;
  std::vector<Design> bars;
  for (const Status& s : {chain.reduce(space.at(x), at), chain.simulate(at), chain.gradients(at, bars)}) {
    if (s.failed()) throw std::runtime_error(s.message());
  }
  Result result;
  const auto add = [&](const std::string& name, double value, const Design& bar) {
    result.values[name] = value;
    const VectorXd gradient = space.pullback(x, bar);
    for (Eigen::Index i = 0; i < x.size(); ++i) result.gradients[name][space.name_of(i)] = gradient[i];
  };
  add("objective", at.psi, bars.front());
  for (std::size_t j = 0; j < chain.requested().functions.size(); ++j)
    add(chain.function(j).label(), at.criteria[static_cast<Eigen::Index>(j)], bars[j + 1]);
  return result;
}

/// Relative to the largest of them.
double difference(const Numbers& a, const Numbers& b) {
  double largest = 0.0, apart = 0.0;
  for (const auto& [name, value] : a) {
    largest = std::max(largest, std::abs(value));
    apart = std::max(apart, std::abs(value - b.at(name)));
  }
  return largest > 0.0 ? apart / largest : apart;
}

class OrderOfNames : public ::testing::TestWithParam<Example> {};

// The order of bodies and joints is that of the unknowns, so that sums and pivots round differently, and
// Newton's iteration ends elsewhere within its tolerance of 1e-9 or so; so do eigenvectors and what they are
// multiplied by.
TEST_P(OrderOfNames, DoesNotMatter) {
  constexpr double rounding = 1e-7;
  const Result expected = result_of(document_of(GetParam(), Order::as_written));
  for (const Order order : {Order::reversed, Order::rotated}) {
    const Result found = result_of(document_of(GetParam(), order));
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (const auto& [name, value] : expected.values) {
      EXPECT_NEAR(found.values.at(name), value, rounding * std::abs(value)) << name;
      ASSERT_EQ(found.gradients.at(name).size(), expected.gradients.at(name).size());
      EXPECT_LT(difference(expected.gradients.at(name), found.gradients.at(name)), rounding) << name;
    }
  }
}

std::vector<Example> examples() {
  const std::vector<std::string> crank = {"bodies.crank.mesh.divisions=[20,4]",
                                          "bodies.crank.regions.bearing.x=[0.19,0.2]",
                                          "integrator.step=2e-2"};
  const auto with = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<std::string> four_bar = {"design.bodies=[\"coupler\",\"rocker\"]", "integrator.t1=0.03",
                                             "integrator.step=1e-3"};
  return {
      {"ArmInPose", "arm_in_pose.toml", {"bodies.forearm.mesh.divisions=[20,4]"}},
      {"SensorBracket", "sensor_bracket.toml", {"bodies.bracket.mesh.divisions=[20,5]"}},
      {"FlexibleCrank", "flexible_crank.toml", crank},
      {"FlexibleCrankSmall", "flexible_crank_small.toml", crank},
      {"PrintedCrank", "printed_crank.toml", crank},
      {"FlexibleCrankPlain", "flexible_crank_plain.toml", crank},
      {"FlexibleCrankAccurate", "flexible_crank_accurate.toml", crank},
      {"StressCrank", "stress_crank.toml",
       with(crank, {"constraints.criteria.strength.leave_out=[\"clamp\",\"bearing\"]"})},
      {"FlexibleCrank3D",
       "flexible_crank_3d.toml",
       {"bodies.crank.mesh.divisions=[10,2,1]", "bodies.crank.regions.bearing.x=[0.18,0.2]",
        "integrator.step=2e-2"}},
      {"Conrod", "conrod.toml", {"bodies.rod.mesh.size=0.012", "integrator.step=1e-3"}},
      {"RobotLink", "robot_link.toml", {"bodies.forearm.mesh.size=0.02", "integrator.step=6e-3"}},
      {"CrankWithHoles", "crank_with_holes.toml", {"bodies.crank.mesh.size=0.008", "integrator.step=2e-2"}},
      {"FourBarOfUnequalMeshes", "four_bar.toml",
       with(four_bar, {"bodies.coupler.mesh.divisions=[40,2]", "bodies.rocker.mesh.divisions=[30,2]"})},
      {"FourBarOfEqualMeshes", "four_bar.toml",
       with(four_bar, {"bodies.coupler.mesh.divisions=[40,2]", "bodies.rocker.mesh.divisions=[40,2]"})},
      {"DoublePendulum",
       "double_pendulum.toml",
       {"bodies.lower.mesh.divisions=[20,2]", "integrator.t1=0.05"}},
      {"SpatialSliderCrank",
       "spatial_slider_crank.toml",
       {"bodies.crank.mesh.divisions=[10,2,1]", "integrator.t1=0.05"}},
      {"ArmCodesign",
       "arm_codesign.toml",
       {"bodies.forearm.mesh.divisions=[12,3]", "bodies.forearm.regions.grip.x=[0.27,0.3]",
        "integrator.t1=0.05", "controls.shoulder_torque.start=2.0", "controls.elbow_torque.start=-1.0"}},
      {"LiftingArm", "lifting_arm.toml", {"integrator.step=0.01", "controls.torque.start=0.5"}},
      {"CrankTwoSpeeds",
       "crank_two_speeds.toml",
       {"bodies.crank.mesh.divisions=[20,4]", "bodies.crank.regions.bearing.x=[0.18,0.2]",
        "integrator.t1=0.2"}},
      {"BalancedCrank", "balanced_crank.toml", {"integrator.t1=0.02"}},
      {"BuggyStep", "buggy_step.toml", {"integrator.t1=0.05", "integrator.step=5e-3"}},
      {"BuggyLaneChange", "buggy_lane_change.toml", {"integrator.t1=0.06"}},
      {"FiveBar", "five_bar.toml", {"integrator.t1=0.05", "integrator.step=5e-3"}},
      {"BuggyComfort", "buggy_comfort.toml", {"integrator.t1=0.05", "integrator.step=5e-3"}},
      {"CartSwingUp", "cart_swing_up.toml", {"integrator.t1=0.1", "controls.force.nodes=6"}},
      {"CartStabilization", "cart_stabilization.toml", {"integrator.t1=0.1", "controls.force.nodes=6"}},
      {"CartLeastEnergy",
       "cart_least_energy.toml",
       {"integrator.t1=0.1", "controls.force.nodes=6", "controls.force.start=1.0"}},
      {"SpatialArm", "spatial_arm.toml", {"integrator.t1=0.1"}},
      {"LeastTimeArm", "least_time_arm.toml", {"integrator.step=0.02"}},
      {"AncfPendulum", "ancf_pendulum.toml", {"integrator.t1=0.2", "objective.at=[0.2]"}},
      {"LeafArm",
       "leaf_arm.toml",
       {"bodies.arm.mesh.divisions=[20,3]", "beams.leaf.elements=2", "integrator.t1=0.05"}},
      {"RigidSpringBeam", "rigid_spring_beam.toml", {"integrator.t1=0.1"}},
      {"WishboneCorner", "wishbone_corner.toml", {"integrator.t1=0.1"}},
      {"DoubleWishbone", "double_wishbone.toml", {"integrator.t1=0.03"}},
      {"SpinningBeam",
       "spinning_beam.toml",
       {"bodies.beam.mesh.divisions=[20,1]", "integrator.t1=0.5", "objective.type=\"integral-compliance\"",
        "objective.body=\"beam\""}},
      {"FreePlate",
       "free_plate.toml",
       {"bodies.plate.mesh.divisions=[6,4,1]", "integrator.t1=0.05", "objective.type=\"integral-compliance\"",
        "objective.body=\"plate\""}},
      {"OneMassOscillator", "one_mass_oscillator.toml", {"integrator.step=1e-2"}},
      {"SpringPendulum",
       "spring_pendulum.toml",
       {"integrator.step=1e-2", "constraints.criteria.length.intervals=20"}},
      {"FlexibleScara",
       "flexible_scara.toml",
       {"integrator.step=1e-2", "integrator.t1=0.2", "constraints.criteria.stress_1.intervals=5",
        "constraints.criteria.stress_2.intervals=5", "constraints.criteria.stress_3.intervals=5",
        "constraints.criteria.stress_4.intervals=5"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, OrderOfNames, ::testing::ValuesIn(examples()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OrderOfNamesOf, EveryExampleIsTested) {
  // Two differ from others by the size of their mesh alone, one needs a file that a run writes first; two have
  // nothing to be found, and three have a single body.
  std::set<std::string> files = {
      "flexible_crank_100k.toml", "flexible_crank_3d_1m.toml", "crank_from_sid.toml", "mbb_beam.toml",
      "du_olhoff_beam.toml",      "cart_double_pendulum.toml", "n_link.toml",         "l_bracket.toml"};
  for (const Example& example : examples()) files.insert(example.file);
  for (const std::filesystem::path& file : test::inputs())
    EXPECT_TRUE(files.contains(file.filename())) << file;
}

}  // namespace
}  // namespace kurbel
