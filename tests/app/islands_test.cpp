/// Pieces of a design that nothing holds: found, emptied, and gone when an optimization ends.
#include "study/islands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/body_mesh.hpp"
#include "evaluation/cut_design.hpp"
#include "output/vtk_writer.hpp"
#include "study/study.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The crank of 20 x 4 elements of 10 mm, with its pin in the last column; a filter that reaches the next elements.
const std::vector<std::string> coarse = {"bodies.crank.mesh.divisions=[20,4]",
                                         "bodies.crank.regions.bearing.x=[0.19,0.2]",
                                         "filter.radius=0.011",
                                         "projection.beta_start=8",
                                         "projection.beta_max=8",
                                         "optimizer.stop.iterations=40",
                                         "optimizer.method='oc'",
                                         "optimizer.move_limit=0.01",
                                         "constraints.volume_fraction=0.6",
                                         "optimizer.stop.design_change=1"};

/// The lower two rows are solid. Above them is a void row, and in the uppermost one a piece of four elements.
VectorXd with_island() {
  VectorXd design = VectorXd::Constant(80, 0.01);  // the lower bound
  design.head(40).setOnes();
  design.segment(66, 4).setOnes();
  return design;
}

CutBody cut_of(Study& study, const VectorXd& x) {
  return cut_to_solid_and_void(study.chain().bodies(), study.space().at(x)).bodies.front();
}

/// Files have the densities, too, and these have to be those of the variables.
void write_design(Study& study, const VectorXd& design, const std::filesystem::path& file) {
  const VectorXd x = study.space().with_design(study.space().start(), {design, {}, {}});
  const fem::BodyDesign body = study.space().at(x).bodies.front();
  write_vtu(file, design_mesh(*study.chain().bodies()[0], body),
            {{"design", study.space().design(x).front().transpose()}, {"density", body.density.transpose()}});
}

TEST(Islands, AreEmptiedAndNothingElse) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), coarse);
  const DesignSpace& space = study.space();
  const VectorXd x = space.with_design(space.start(), {with_island(), {}, {}});
  ASSERT_EQ(cut_of(study, x).pieces.islands.size(), 1u);

  const auto emptied = without_islands(study.chain().bodies(), space, x, IslandTreatment::empty);
  ASSERT_TRUE(emptied);
  EXPECT_EQ(emptied->n_islands, 1);
  EXPECT_NEAR(emptied->volume_share, 4.0 / (40 + 4 + 2), 1e-12) << "the pin's column is solid";
  const VectorXd design = space.design(emptied->x).front();
  EXPECT_EQ(design.head(40), VectorXd::Ones(40));
  EXPECT_EQ(design.segment(60, 19), VectorXd::Constant(19, 0.01));
  EXPECT_THAT(cut_of(study, emptied->x).pieces.islands, IsEmpty());
  EXPECT_FALSE(without_islands(study.chain().bodies(), space, emptied->x, IslandTreatment::empty));
}

TEST(Islands, AreJoinedToWhatIsHeld) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), coarse);
  const DesignSpace& space = study.space();
  const VectorXd x = space.with_design(space.start(), {with_island(), {}, {}});
  const auto joined = without_islands(study.chain().bodies(), space, x, IslandTreatment::join);
  ASSERT_TRUE(joined);
  const VectorXd design = space.design(joined->x).front();
  EXPECT_EQ(design.segment(46, 4), VectorXd::Ones(4)) << "below the island";
  EXPECT_EQ(design.segment(50, 9), VectorXd::Constant(9, 0.01)) << "up to the pin";
  EXPECT_THAT(cut_of(study, joined->x).pieces.islands, IsEmpty());
}

/// Elements of the body that are within the radius of the island stay, as the island may be near anything.
TEST(Islands, AreEmptiedWithoutTheBodyBesideThem) {
  std::vector<std::string> settings = coarse;
  settings.insert(settings.end(), {"filter.type=\"none\"", "filter.radius=0.021"});  // two rows of elements
  Study study = Study::read(test::input("flexible_crank_small.toml"), settings);
  const DesignSpace& space = study.space();
  VectorXd design = with_island();
  design.segment(40, 19).setConstant(0.02);  // a void that is emptied further within the radius alone
  const VectorXd x = space.with_design(space.start(), {design, {}, {}});
  ASSERT_EQ(cut_of(study, x).pieces.islands.size(), 1u);
  const auto emptied = without_islands(study.chain().bodies(), space, x, IslandTreatment::empty);
  ASSERT_TRUE(emptied);
  const VectorXd found = space.design(emptied->x).front();
  EXPECT_EQ(found.head(40), VectorXd::Ones(40));
  EXPECT_EQ(found.segment(60, 19), VectorXd::Constant(19, 0.01));
  EXPECT_EQ(found.segment(45, 6), VectorXd::Constant(6, 0.01)) << "diagonally beside it, too";
  EXPECT_EQ(found.segment(40, 5), VectorXd::Constant(5, 0.02));
}

/// More than a tenth of the solid is a part of the body that came off.
TEST(Islands, ThatAreMuchOfTheBodyAreLeft) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), coarse);
  const DesignSpace& space = study.space();
  VectorXd design = with_island();
  design.segment(63, 10).setOnes();
  const VectorXd x = space.with_design(space.start(), {design, {}, {}});
  const CutBody cut = cut_of(study, x);
  ASSERT_EQ(cut.pieces.islands.size(), 1u);
  ASSERT_GT(cut.island_share, 0.1);
  for (const IslandTreatment treatment : {IslandTreatment::empty, IslandTreatment::join})
    EXPECT_FALSE(without_islands(study.chain().bodies(), space, x, treatment));
}

class Texts final : public StudyEvents {
 public:
  void info(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

// Steps are small and every attempt ends after two of them, the first one with the island.
TEST(Islands, AreGoneWhenAnOptimizationEnds) {
  const TemporaryFolder folder;
  const Problem problem = read_problem(test::input("flexible_crank_small.toml"), coarse);
  Study by_hand(problem);
  write_design(by_hand, with_island(), folder / "start.vtu");

  Study study(problem, Study::Variables::of_problem, (folder / "start.vtu").string());
  ASSERT_EQ(cut_of(study, study.space().start()).pieces.islands.size(), 1u);
  Texts told;
  const StudyResult result = study.optimize(told);
  EXPECT_TRUE(result.optimum.feasible);
  EXPECT_THAT(told.texts, Contains(HasSubstr("the cut of the design has a piece that nothing holds")));
  EXPECT_THAT(cut_of(study, result.optimum.x).pieces.islands, IsEmpty());
}

// Above a bridge of one row two elements between grey ones are an island when cut, through which forces of the pin go. Columns
// that are nearly solid make up for the volume of the grey elements.
TEST(Islands, ThatCarryAreNotRemoved) {
  VectorXd design = VectorXd::Ones(80);
  design.segment(29, 3).setConstant(0.01);
  for (const Eigen::Index grey : {49, 51, 69, 71}) design[grey] = 0.4;
  for (const Eigen::Index column : {2, 3, 4}) design(Eigen::seq(column, 79, 20)).setConstant(0.62);
  std::vector<std::string> settings = coarse;
  settings.insert(settings.end(),
                  {"optimizer.method='mma'", "optimizer.stop.kkt_residual=1e9",
                   "constraints.volume_fraction=1.0", "constraints.criteria.strength.upper=1.2e7"});
  const TemporaryFolder folder;
  const Problem problem = read_problem(test::input("stress_crank.toml"), settings);
  Study by_hand(problem);
  write_design(by_hand, design, folder / "start.vtu");

  Study study(problem, Study::Variables::of_problem, (folder / "start.vtu").string());
  ASSERT_EQ(cut_of(study, study.space().start()).pieces.islands.size(), 1u);
  Texts told;
  const StudyResult result = study.optimize(told);
  EXPECT_TRUE(result.optimum.feasible);
  EXPECT_THAT(told.texts, Contains(HasSubstr("given up because constraints are violated by")));
  EXPECT_THAT(told.texts, Not(Contains(HasSubstr("joined to the rest"))));
}

}  // namespace
}  // namespace kurbel
