/// Beams of greatest lowest frequency: J. Du and N. Olhoff, Topological design of freely vibrating continuum structures for
/// maximum values of simple and multiple eigenfrequencies and frequency gaps, Struct. Multidiscip. Optim. 34 (2007).
#include <algorithm>
#include <utility>

#include "published_beams.hpp"

namespace kurbel {
namespace {

using Words = std::vector<const char*>;

Study beam_with(const Words& some, const Words& others) {
  std::vector<std::string> overrides(some.begin(), some.end());
  overrides.insert(overrides.end(), others.begin(), others.end());
  return Study::read(test::input("du_olhoff_beam.toml"), overrides);
}

/// rad/s, of the beam of 8 x 1 with E = 1e7, nu = 0.3, rho = 1.
struct DuOlhoff {
  const char* name;
  Words supports, kept;   ///< kept: solid places of the optimization
  double uniform;         ///< published, of uniform density 0.5
  double least, optimum;  ///< of the optimum: to be reached, and published
};

void PrintTo(const DuOlhoff& beam, std::ostream* out) {
  *out << beam.name;
}

class DuOlhoffBeam : public testing::TestWithParam<DuOlhoff> {};

constexpr double turn = 2.0 * EIGEN_PI;

double first_frequency(Study study) {
  ChainResult result;
  const Status status = study.simulate(study.start(), result);
  if (status.failed()) {
    ADD_FAILURE() << status.message();
    return 0.0;
  }
  return turn * result.answer->summarize().numbers.front().second;
}

TEST_P(DuOlhoffBeam, HasThePublishedFrequencyOfUniformDensity) {
  // The published mesh is not known: with 80 x 10 elements all three agree to 0.12 %; on the mesh of the input, finer and
  // softer at its points of support, to 0.45 %.
  const DuOlhoff& beam = GetParam();
  const Words coarse = {"bodies.beam.mesh.divisions=[80, 10]"};
  EXPECT_NEAR(first_frequency(beam_with(beam.supports, coarse)), beam.uniform, 0.0015 * beam.uniform);
  EXPECT_NEAR(first_frequency(beam_with(beam.supports, {})), beam.uniform, 0.005 * beam.uniform);
}

/// The objective is the negative smooth minimum; its true peak is that of the lowest frequency.
double lowest_frequency(const Evaluation& evaluation) {
  return -turn * values_of_diagnostics(evaluation.diagnostics).front().high;
}

/// The greatest first frequency among the feasible designs of the last step of the projection.
class GreatestFrequency final : public StudyEvents {
 public:
  void steepness_changed(double beta) override {
    if (std::exchange(beta_, beta) != beta) rad_per_s = 0.0;
  }
  void iterated(const StudyIteration& told) override {
    const Evaluation& evaluation = *told.report.evaluation;
    if (evaluation.constraints.maxCoeff() <= 1e-4)
      rad_per_s = std::max(rad_per_s, lowest_frequency(evaluation));
  }
  double rad_per_s = 0.0;

 private:
  double beta_ = 0.0;
};

TEST_P(DuOlhoffBeam, IsRaisedTowardsThePublishedOptimum) {
  const DuOlhoff& beam = GetParam();
  Study study = beam_with(beam.supports, beam.kept);
  GreatestFrequency greatest;
  const StudyResult result = study.optimize(greatest);
  ASSERT_TRUE(result.optimum.feasible);
  const double lowest = lowest_frequency(result.optimum.evaluation);
  // The result is the best design whose cut holds, as nobody asked for when the optimum was published.
  EXPECT_GT(greatest.rad_per_s, beam.least);
  EXPECT_GT(lowest, 0.99 * beam.least);
  EXPECT_LT(lowest, 1.02 * beam.optimum);
  RecordProperty("rad_per_s", std::to_string(lowest));
}

constexpr const char *left = "bodies.beam.supports.left.y=[0, 1]",
                     *right = "bodies.beam.supports.right.y=[0, 1]";

/// Two stumps have a higher frequency than any beam that is clamped at both ends, and a volume bounded from above lets the
/// beam part. Two solid places amid its span, which would hang free, keep it in one piece.
constexpr const char *top = R"(bodies.beam.regions.top={kind="solid", x=[3.9, 4.1], y=[0.9, 1.0]})",
                     *bottom = R"(bodies.beam.regions.bottom={kind="solid", x=[3.9, 4.1], y=[0.0, 0.1]})";

/// The least are about a per cent below what is reached, 163.2, 269.6 and 417.6; the clamped one ends at 410.2, with a cut in one
/// piece.
INSTANTIATE_TEST_SUITE_P(Of160x20, DuOlhoffBeam,
                         testing::Values(DuOlhoff{"SimplySupported", {}, {}, 68.7, 161.0, 174.7},
                                         DuOlhoff{"ClampedSupported", {left}, {}, 104.1, 266.5, 288.7},
                                         DuOlhoff{
                                             "Clamped", {left, right}, {top, bottom}, 146.1, 412.5, 456.4}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kurbel
