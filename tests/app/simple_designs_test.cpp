/// Designs of the crank that one would draw by hand, at the mass of its optimized design, and that design as it is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

constexpr double length = 0.2, height = 0.04;  // m, of the crank
constexpr double void_density = 0.01;

using Point = Eigen::Vector2d;
using Line = std::pair<Point, Point>;

double distance(const Point& p, const Line& line) {
  const Point d = line.second - line.first;
  const double t = std::clamp((p - line.first).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (p - line.first - t * d).norm();
}

Line across(double x) {
  return {{x, -0.5 * height}, {x, 0.5 * height}};
}
Line along(double y) {
  return {{0.0, y}, {length, y}};
}

/// A design is what lies nearest to its lines.
using Design = std::vector<Line>;

Design flanges(std::vector<double> webs) {
  Design lines = {along(-0.5 * height), along(0.5 * height)};
  for (const double x : webs) lines.push_back(across(x * length));
  return lines;
}

Design lattice() {
  Design lines = flanges({});
  for (const int i : {0, 1, 2, 3}) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    lines.push_back(
        {{0.25 * i * length, -0.5 * sign * height}, {0.25 * (i + 1) * length, 0.5 * sign * height}});
  }
  return lines;
}

const std::vector<std::pair<std::string, Design>> designs = {
    {"solid bar of less height", {along(0.0)}},
    {"I-section", {along(0.0), across(0.0), across(length)}},
    {"flanges, one web", flanges({1.0 / 2})},
    {"flanges, two webs", flanges({1.0 / 3, 2.0 / 3})},
    {"flanges, three webs", flanges({1.0 / 4, 1.0 / 2, 3.0 / 4})},
    {"box", flanges({0.0, 1.0})},
    {"lattice", lattice()},
};

struct Crank {
  std::string input;
  int nx, ny;
  double solid_from;  ///< m, where the region of the bearing begins
};

/// The densities that a mesh has of a design when half of its elements are solid, those of the bearing among them.
std::string densities(const Crank& crank, const Design& design) {
  std::vector<double> distances;
  for (int j = 0; j < crank.ny; ++j) {
    for (int i = 0; i < crank.nx; ++i) {
      const Point centre((i + 0.5) * length / crank.nx, ((j + 0.5) / crank.ny - 0.5) * height);
      double nearest = centre.x() > crank.solid_from ? -1.0 : HUGE_VAL;
      for (const Line& line : design) nearest = std::min(nearest, distance(centre, line));
      distances.push_back(nearest);
    }
  }
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
  std::vector<double> density(distances.size(), void_density);
  for (std::size_t k = 0; k < order.size() / 2; ++k) density[order[k]] = 1.0;
  std::string text;
  for (const double value : density) text += std::to_string(value) + "\n";
  return text;
}

class SimpleDesigns : public testing::TestWithParam<Crank> {
 protected:
  nlohmann::json numbers(const std::string& command) {
    const test::Outcome o = test::run(
        command + " --quiet --overwrite --set output.motion=false --set output.picture=false --output " +
        (folder_ / "run").string() + " --json " + (folder_ / "run.json").string());
    EXPECT_EQ(o.exit_code, 0) << o.text;
    return nlohmann::json::parse(read_text_file(folder_ / "run.json"));
  }
  TemporaryFolder folder_;
};

TEST_P(SimpleDesigns, AreLessStiffThanTheOptimizedOneAsItIsCut) {
  const nlohmann::json optimized =
      numbers("optimize " + test::input(GetParam().input) + " --set output.every=0");
  const double cut = optimized["cut"]["psi"];
  EXPECT_TRUE(optimized["cut"]["feasible"]);
  double best = HUGE_VAL;
  for (const auto& [name, design] : designs) {
    write_text_file(folder_ / "design.txt", densities(GetParam(), design));
    const nlohmann::json drawn = numbers("simulate " + test::input(GetParam().input) + " --density " +
                                         (folder_ / "design.txt").string());
    const double psi = drawn["psi"];
    EXPECT_GT(psi, 1.1 * cut) << name;
    best = std::min(best, psi);
  }
  RecordProperty("psi_of_cut_over_best_drawn", std::to_string(cut / best));
}

INSTANTIATE_TEST_SUITE_P(Cranks, SimpleDesigns,
                         testing::Values(Crank{"flexible_crank.toml", 200, 40, 0.19},
                                         Crank{"flexible_crank_small.toml", 75, 15, 0.192}),
                         [](const auto& info) { return "OfMesh" + std::to_string(info.param.nx); });

}  // namespace
}  // namespace kurbel
