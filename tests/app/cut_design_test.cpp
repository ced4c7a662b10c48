/// Designs cut to solid and void: the threshold, what the mesh tells of them, and what the program makes of it.
#include "evaluation/cut_design.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "input/vtu_reader.hpp"
#include "keys/toml_parser.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::input;
using test::Outcome;
using test::run;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(CutThreshold, LeavesTheVolumeThatIsNearest) {
  const VectorXd volume = VectorXd::Ones(5);
  VectorXd density(5);
  density << 0.9, 0.1, 0.8, 0.7, 0.3;  // 2.8 of 5
  EXPECT_NEAR(threshold_of_same_volume(volume, density, 0.0, VolumeSide::below), 0.5, 1e-12)
      << "three are nearer than two";
  EXPECT_NEAR(threshold_of_same_volume(volume, density, 0.2, VolumeSide::below), 0.75, 1e-12)
      << "2 + 3 * 0.2 is nearer";
}

// A design at its bound of volume is to meet that bound when it is cut.
TEST(CutThreshold, LeavesNoMoreThanTheVolumeWhereThatIsNear) {
  VectorXd density = VectorXd::Zero(1000);
  density.head(500).setOnes();
  density[500] = 0.8, density[501] = 0.02;
  EXPECT_NEAR(threshold_of_same_volume(VectorXd::Ones(1000), density, 0.0, VolumeSide::below), 0.9, 1e-12);
}

// A design of least mass that meets its bounds is to meet them when it is cut.
TEST(CutThreshold, LeavesNoLessThanTheVolumeWhereThatIsRequested) {
  VectorXd density = VectorXd::Zero(1000);
  density.head(500).setOnes();
  density[500] = 0.8, density[501] = 0.02;
  const VectorXd volume = VectorXd::Ones(1000);
  EXPECT_NEAR(threshold_of_same_volume(volume, density, 0.0, VolumeSide::above), 0.41, 1e-12);
  const VectorXd even = VectorXd::Constant(4, 0.3);
  EXPECT_GT(threshold_of_same_volume(VectorXd::Ones(4), even, 0.0, VolumeSide::above), 0.3)
      << "all of it is farther than nothing by more than a hundredth";
}

TEST(CutThreshold, KeepsElementsOfTheSameDensityTogether) {
  VectorXd density(4);
  density << 0.6, 0.6 + 1e-12, 0.6 - 1e-12, 0.2;  // 2 of 4: three or none
  EXPECT_NEAR(threshold_of_same_volume(VectorXd::Ones(4), density, 0.0, VolumeSide::below), 0.4, 1e-11);
}

TEST(CutThreshold, MayLeaveNothing) {
  const VectorXd density = VectorXd::Constant(4, 0.3);
  EXPECT_GT(threshold_of_same_volume(VectorXd::Ones(4), density, 0.0, VolumeSide::below), 0.3);
}

/// The crank of 20 x 4 elements, clamped at its left end, with its pin in a region of one column at its right end.
class CutCrank : public ::testing::Test {
 protected:
  /// Rows of the mesh as digits of the density in tenths, the uppermost row first.
  CutDesign cut(const std::vector<std::string>& rows) {
    VectorXd density(80);
    for (int e = 0; e < 80; ++e)
      density[e] = 0.1 * (rows[static_cast<std::size_t>(3 - e / 20)][static_cast<std::size_t>(e % 20)] - '0');
    grey_ = bodies_.nominal({density}).front();
    return cut_to_solid_and_void(bodies_, {{grey_}, {}});
  }
  double volume(const fem::BodyDesign& design) const {
    return element_volumes(bodies_[0]->spec(), design).dot(design.density);
  }
  double element() const { return bodies_[0]->mesh().volumes()[0]; }
  const fem::BodyDesign& grey() const { return grey_; }

 private:
  FlexibleBodies bodies_{std::make_shared<const Problem>(
      read_problem(TomlDocument::read(input("flexible_crank_small.toml"),
                                      {"bodies.crank.mesh.divisions=[20,4]",
                                       "bodies.crank.regions.bearing.x=[0.19,0.2]", "filter.radius=0.02"})))};
  fem::BodyDesign grey_;
};

TEST_F(CutCrank, KeepsItsVolumeAndItsRegions) {
  const CutDesign of =
      cut({"8888888888888888888"
           "9",  //
           "7654321234567654321"
           "9",  //
           "1234567654321234567"
           "9",  //
           "9999999999999999999"
           "9"});
  const fem::BodyDesign& cut = of.design.bodies[0];
  EXPECT_NEAR(volume(cut), volume(grey()), 3.0 * element()) << "six elements have the density next to it";
  for (int e = 0; e < 80; ++e) {
    if (e % 20 == 19) {
      EXPECT_EQ(cut.density[e], grey().density[e]) << "of a region";
    } else {
      EXPECT_TRUE(cut.density[e] == 1.0 || cut.density[e] == 0.01) << cut.density[e];
    }
  }
  EXPECT_TRUE(of.bodies[0].pieces.is_whole());
}

TEST_F(CutCrank, HasAnIslandThatNothingHolds) {
  const CutDesign of =
      cut({"1111111999111111111"
           "9",  //
           "1111111111111111111"
           "9",  //
           "9999999999999999999"
           "9",  //
           "9999999999999999999"
           "9"});
  const CutBody& body = of.bodies[0];
  EXPECT_EQ(body.pieces.n, 2);
  EXPECT_EQ(body.pieces.islands.size(), 1u);
  EXPECT_NEAR(body.island_share, 3.0 / 45.0, 1e-12) << "3 of 3 + 2 * 19 + 4 elements";
}

TEST_F(CutCrank, TellsTheShareOfThinMembers) {
  const auto thin = [&](const std::string& second_row) {
    const CutDesign of =
        cut({"1111111111111111111"
             "9",         //
             second_row,  //
             "9999999999999999999"
             "9",  //
             "1111111111111111111"
             "9"});
    EXPECT_TRUE(of.bodies[0].pieces.is_whole());
    EXPECT_EQ(of.bodies[0].thin[0].than, "two elements");
    EXPECT_NEAR(of.bodies[0].thin[0].diameter, 0.02, 1e-15);
    return of.bodies[0].thin[0].share;
  };
  EXPECT_NEAR(thin("9999999999999999999"
                   "9"),
              2.0 / 42.0, 1e-12)
      << "two elements thick but for the column's ends";
  EXPECT_NEAR(thin("1111111111111111111"
                   "9"),
              1.0, 1e-12)
      << "one element thick";
}

TEST_F(CutCrank, SaysWhereItsPinIsLost) {
  const CutDesign of =
      cut({"9999999999111111111"
           "9",  //
           "9999999999111111111"
           "9",  //
           "9999999999111111111"
           "9",  //
           "9999999999111111111"
           "9"});
  EXPECT_THAT(of.bodies[0].pieces.islands, IsEmpty());
  EXPECT_THAT(of.bodies[0].pieces.apart, ElementsAre(Pair("clamp", "pin")));
}

class CutProgram : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  nlohmann::json numbers(const std::string& name) const {
    return nlohmann::json::parse(read_text_file(at(name)));
  }

  const std::string tiny =
      input("flexible_crank_small.toml") +
      " --quiet --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
      " --set integrator.step=1e-2 --set output.motion=false --set filter.radius=0.01";

 private:
  TemporaryFolder folder_;
};

/// Three bars of one element each; the cut opens one where it is less than half grey. Raising beta would not help it.
TEST_F(CutProgram, SaysThatMembersAreTooThinWhereLittleIsGrey) {
  std::string densities;
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 24; ++i) {
      const bool is_bar = j == 0 || j == 2 || j == 5;
      densities += i >= 22             ? "1\n"
                   : !is_bar           ? "0.01\n"
                   : i == 12 && j == 0 ? "0.45\n"
                   : i == 3 && j == 2  ? "0.55\n"
                                       : "1\n";
    }
  }
  write_text_file(at("flanges.txt"), densities);
  const Outcome o =
      run("simulate " + tiny + " --density " + at("flanges.txt") + " --cut --output " + at("thin"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(
      read_text_file(at("thin/run.log")),
      ContainsRegex("psi of the cut differs by [^\n]*% of the solid is thinner than two elements: refine"));
}

TEST_F(CutProgram, TellsTheCutBesideTheDesignAndSimulatesItAgain) {
  const Outcome o = run("optimize " + tiny + " --set optimizer.stop.iterations=12 --output " + at("run") +
                        " --json " + at("run.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json design = numbers("run.json"), cut = design["cut"];
  EXPECT_EQ(cut["grey_level"], design["grey_level"]);
  EXPECT_NEAR(cut["volume_fraction"], design["volume_fraction"], 2.0 / 144.0);
  EXPECT_NEAR(cut["psi"].get<double>(), design["psi"].get<double>() * (1.0 + cut["psi_change"].get<double>()),
              1e-12 * cut["psi"].get<double>());
  EXPECT_TRUE(cut["feasible"].is_boolean());
  for (const char* key : {"threshold", "pieces", "islands", "island_share", "apart"})
    EXPECT_TRUE(cut["bodies"]["crank"].contains(key)) << key;
  EXPECT_NEAR(cut["bodies"]["crank"]["thinner_than"]["filter.radius"]["diameter"], 0.01, 1e-15);
  const std::string log = read_text_file(at("run/run.log"));
  for (const char* line :
       {"the design and its cut to solid and void", "solid from density", "islands", "feasible"})
    EXPECT_THAT(log, HasSubstr(line));
  EXPECT_THAT(log, HasSubstr("the grey level is "));
  EXPECT_THAT(log, HasSubstr("Raise projection.beta_max"));

  EXPECT_TRUE(std::filesystem::exists(at("run/cut.png")));
  const VectorXd density = read_vtu_cells(at("run/cut.vtu"), {"density"}).arrays.at("density");
  EXPECT_TRUE(((density.array() == 1.0) || (density.array() == 0.01)).all());
  const VectorXd piece = read_vtu_cells(at("run/cut.vtu"), {"piece"}).arrays.at("piece");
  EXPECT_TRUE(((piece.array() >= 0.0) == (density.array() == 1.0)).all());

  const Outcome again = run("simulate " + tiny + " --density " + at("run/final.vtu") + " --cut --output " +
                            at("again") + " --json " + at("again.json"));
  ASSERT_EQ(again.exit_code, 0) << again.text;
  EXPECT_EQ(numbers("again.json")["cut"]["psi"], cut["psi"]);
  EXPECT_EQ(numbers("again.json")["psi"], cut["psi"]);
  const Outcome of_file = run("simulate " + tiny + " --density " + at("run/cut.vtu") + " --output " +
                              at("file") + " --json " + at("file.json"));
  ASSERT_EQ(of_file.exit_code, 0) << of_file.text;
  EXPECT_EQ(numbers("file.json")["psi"], cut["psi"]);
  EXPECT_FALSE(numbers("file.json").contains("cut"));
}

TEST_F(CutProgram, JudgesTheCutByItsTruePeak) {
  const Outcome o =
      run("optimize " + tiny +
          " --set optimizer.stop.iterations=15 --set constraints.criteria.way.type=\"'displacement'\""
          " --set constraints.criteria.way.marker=\"'crank.pin'\" --set "
          "constraints.criteria.way.component=\"'y'\""
          " --set constraints.criteria.way.time=\"'p-norm'\" --set constraints.criteria.way.exponent=8"
          " --set constraints.criteria.way.scaling=\"'adaptive'\" --set constraints.criteria.way.upper=6e-5"
          " --output " +
          at("run") + " --json " + at("run.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json design = numbers("run.json"), cut = design["cut"];
  ASSERT_TRUE(design["feasible"]);
  EXPECT_FALSE(cut["feasible"]);
  for (const nlohmann::json& row : cut["constraints"]) {
    if (row["name"] != "way") continue;
    EXPECT_GT(row["peak"], 6e-5);
    EXPECT_FALSE(row["met"]);
    EXPECT_THAT(o.text, HasSubstr(fmt::format(
                            "the cut violates way: it is {:.6g} m, but has to be at most 6e-05 m. Tighten "
                            "constraints.criteria.way",
                            row["peak"].get<double>())));
  }
  EXPECT_THAT(o.text, HasSubstr("% from that of the design")) << "psi";
  EXPECT_THAT(o.text, HasSubstr("not converged. Raise the limit, or continue the run with --resume."));
  EXPECT_THAT(read_text_file(at("run/run.log")), HasSubstr("way, true peak"));
}

TEST_F(CutProgram, IsNotFeasibleInPieces) {
  // At the start all densities but those near the region are the same, so that nothing is left between them.
  const Outcome o = run("optimize " + tiny + " --set optimizer.stop.iterations=0 --output " + at("run") +
                        " --json " + at("run.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(numbers("run.json")["cut"]["feasible"]);
  EXPECT_THAT(o.text, HasSubstr("body crank: no piece of the cut connects clamp with pin"));
  EXPECT_THAT(o.text, ContainsRegex("cannot be simulated: .*Its separate pieces may be the reason"));
  EXPECT_TRUE(std::filesystem::exists(at("run/final.vtu")));
}

// Between two flanges the web is grey but for one element, which is loose when the web is cut away.
TEST_F(CutProgram, NamesSeparatePiecesAsTheReasonOfAViolation) {
  std::string densities;
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 24; ++i) {
      const bool is_web = j > 0 && j < 5 && i >= 6 && i < 18, is_loose = i == 12 && j == 2;
      densities += is_web && !is_loose ? "0.4\n" : "1\n";
    }
  }
  write_text_file(at("web.txt"), densities);
  const Outcome o = run("simulate " + tiny +
                        " --set \"constraints.criteria.way={type='displacement', marker='crank.pin', "
                        "component='y', time='p-norm', upper=2.2e-5}\" --density " +
                        at("web.txt") + " --cut --output " + at("web"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("1 of 2 pieces of the cut"));
  EXPECT_THAT(o.text, ContainsRegex("the cut violates way: [^\n]*Its separate pieces may be the reason"));
  EXPECT_THAT(o.text, ContainsRegex("psi of the cut differs by [^\n]*Its separate pieces may be the reason"));
}

// Little material is enough here, and all of it is grey until a steeper projection takes it away.
TEST_F(CutProgram, BeginsStepsOfTheProjectionWithEnoughMaterial) {
  const Outcome o =
      run("optimize " + tiny +
          " --set \"objective={type='mass', body='crank'}\" --set constraints.volume_fraction=1.0"
          " --set \"constraints.criteria.way={type='displacement', marker='crank.pin', time='p-norm', "
          "upper=2e-3}\" --set design.start=0.9 --set projection.beta_interval=10"
          " --set optimizer.stop.iterations=60 --output " +
          at("run") + " --json " + at("run.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(read_text_file(at("run/run.log")), HasSubstr("densities are raised by"));
  EXPECT_TRUE(numbers("run.json")["feasible"]);
}

// Members of the lightest design are grey, and its cut is in pieces. The bound on the volume is not active.
TEST_F(CutProgram, GoesOnFromADesignWithMoreMaterialWhoseCutHolds) {
  const Outcome o =
      run("optimize " + tiny +
          " --set \"objective={type='mass', body='crank'}\" --set constraints.volume_fraction=0.9"
          " --set \"constraints.criteria.way={type='displacement', marker='crank.pin', time='p-norm', "
          "upper=2e-4}\" --set projection.beta_interval=10 --set optimizer.stop.iterations=120 --output " +
          at("run") + " --json " + at("run.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(read_text_file(at("run/run.log")),
              AllOf(HasSubstr("the cut of the design does not stand, but that of one whose densities"),
                    HasSubstr("a least width of members often lets such a search converge")));
  EXPECT_TRUE(numbers("run.json")["feasible"]);
  EXPECT_TRUE(numbers("run.json")["cut"]["feasible"]);
}

TEST_F(CutProgram, AsksForTheAccuracyOfAnEquality) {
  const std::string place =
      " --set constraints.criteria.place.type=\"'position'\" --set "
      "constraints.criteria.place.marker=\"'crank.pin'\" --set constraints.criteria.place.component=\"'y'\""
      " --set constraints.criteria.place.time=\"'final'\" --set constraints.criteria.place.";
  ASSERT_EQ(run("optimize " + tiny + " --set optimizer.stop.iterations=12" + place + "upper=1e3 --output " +
                at("run") + " --json " + at("run.json"))
                .exit_code,
            0);
  const double of_design = numbers("run.json")["criteria"]["place"];
  const Outcome o = run("simulate " + tiny + place + fmt::format("equals={:.17g}", of_design) +
                        " --density " + at("run/final.vtu") + " --cut --output " + at("cut"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, ContainsRegex("the cut violates place: it is .* m, but has to be exactly [-0-9.e]+ "
                                    "m\\. State the accuracy that is needed in optimizer\\.feasibility"));
}

TEST_F(CutProgram, RefusesToCutWhereNoDensitiesVary) {
  const Outcome o = run("simulate " + input("spatial_arm.toml") + " --cut --output " + at("run"));
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("--cut: no densities vary; name a body with a mesh in design.bodies"));
  EXPECT_FALSE(std::filesystem::exists(at("run")));
}

}  // namespace
}  // namespace kurbel
