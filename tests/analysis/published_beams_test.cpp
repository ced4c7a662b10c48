#include "published_beams.hpp"

#include "beam_text.hpp"

namespace kurbel {
namespace {

using test::mbb;
using test::PublishedRun;
using test::run_of;

/// Published: with the multiplier of the volume bisected to a relative 1e-3, which leaves the volume off by up to 3e-4, and
/// so the objective. Exact: by a program of our own after the published lines, with the bisection carried to rounding.
struct MbbBeam {
  const char* filter;
  double radius, published, exact;
  int published_loops, exact_loops;
};

class HalfMbbBeam : public testing::TestWithParam<MbbBeam> {};

TEST_P(HalfMbbBeam, EndsAtThePublishedCompliance) {
  const MbbBeam& beam = GetParam();
  const PublishedRun run = run_of("mbb_beam.toml", mbb(beam.filter, beam.radius));
  EXPECT_NEAR(run.first, 1007.0221, 5e-5);
  // With the sensitivity filter empty elements grow again from their least density of 1e-9, from 0 they do not.
  const double same = std::string(beam.filter) == "density" ? 2e-6 : 1e-4;
  EXPECT_NEAR(run.last, beam.exact, same * beam.exact);
  EXPECT_EQ(run.loops, beam.exact_loops);
  EXPECT_NEAR(run.last, beam.published, 2e-4 * beam.published);
  EXPECT_NEAR(run.loops, beam.published_loops, 3);
}

INSTANTIATE_TEST_SUITE_P(Of60x20, HalfMbbBeam,
                         testing::Values(MbbBeam{"sensitivity", 1.5, 203.1925, 203.181192, 94, 94},
                                         MbbBeam{"density", 1.5, 218.8032, 218.802760, 127, 126},
                                         MbbBeam{"sensitivity", 2.4, 216.8137, 216.785192, 106, 103},
                                         MbbBeam{"density", 2.4, 233.7146, 233.712544, 144, 146}),
                         [](const auto& info) {
                           return std::string(info.param.filter) + (info.param.radius < 2.0 ? "15" : "24");
                         });

/// The published 219.5199 is of a volume that is off by its bisection; carried to rounding, the published lines end at
/// 219.62386 after the same 95 loops.
TEST(HalfMbbBeam, EndsAtThePublishedComplianceOn150x50Elements) {
  std::vector<std::string> overrides = mbb("sensitivity", 6.0);
  overrides.insert(overrides.end(),
                   {"bodies.beam.mesh.size=[150.0,50.0]", "bodies.beam.mesh.divisions=[150,50]",
                    "bodies.beam.supports.roller.x=150.0", "bodies.beam.markers.middle.y=50.0"});
  const PublishedRun run = run_of("mbb_beam.toml", overrides);
  EXPECT_EQ(run.loops, 95);
  EXPECT_NEAR(run.last, 219.6238578, 1e-4 * 219.6238578);
  EXPECT_NEAR(run.last, 219.5199, 6e-4 * 219.5199);
}

/// The published lines with hexahedra in the place of rectangles: what mbb_in_space.py prints, with its arguments.
TEST(HalfMbbBeam, InSpaceFollowsThePublishedLinesToTheEnd) {
  Study study = test::beam_in_space(18, 6, 3, 1.5, 400);
  test::Objectives told;
  study.optimize(told);
  ASSERT_EQ(told.all.size(), 93U);
  constexpr std::pair<std::size_t, double> expected[] = {{0, 5128.63493},  {1, 3158.80052},
                                                         {10, 1707.22255}, {30, 1324.74145},
                                                         {60, 1314.55221}, {92, 1307.52585}};
  for (const auto& [loop, compliance] : expected) EXPECT_NEAR(told.all[loop], compliance, 2e-6 * compliance);
}

/// S. Hiemer, topoptlab, the first compliance of its log of mbb_beam3d.py; published_beam_in_space_test.cpp goes on to the end.
TEST(HalfMbbBeam, InSpaceBeginsAtThePublishedComplianceOn60x20x10Elements) {
  Study study = test::beam_in_space(60, 20, 10, 2.4, 0);
  test::Objectives told;
  study.optimize(told);
  ASSERT_EQ(told.all.size(), 1U);
  EXPECT_NEAR(told.all[0], 12145.3715668290, 1e-9 * 12145.3715668290);
}

TEST(HalfMbbBeam, EndsAtThePublishedComplianceByMma) {
  std::vector<std::string> overrides = mbb("density", 2.4);
  overrides.insert(overrides.end(), {"optimizer.method=mma", "optimizer.stop.design_change=1e-4",
                                     "optimizer.stop.iterations=1500"});
  // No worse, for it goes on until designs change by 1e-4 in place of 1e-2; and no other optimum.
  const double found = run_of("mbb_beam.toml", overrides).last;
  EXPECT_LT(found, 233.710);
  EXPECT_GT(found, 0.998 * 233.710);
}

/// No published mass with complete data is known to us. The start has the mass and the largest stress that l_bracket.py prints, a
/// program independent of kurbel, to its seven digits.
TEST(LBracket, HasTheMassAndTheLargestStressOfAnotherProgram) {
  Study study = Study::read(test::input("l_bracket.toml"), {});
  const ChainResult start = test::answer(study, study.start());
  EXPECT_NEAR(start.psi, 50.42711e-3, 1e-8);
  EXPECT_NEAR(start.values[1].high, 908.65569e6, 100.0);
}

}  // namespace
}  // namespace kurbel
