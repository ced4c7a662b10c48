/// The meaning of a file of densities to every command, and the places of the bodies in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "output/vtk_writer.hpp"
#include "run_program.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::input;
using test::Outcome;
using test::run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DensitiesOfAFile : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  /// The numbers of a run that has to succeed, into the folder `name`.
  nlohmann::json numbers(const std::string& arguments, const std::string& name) const {
    const Outcome o = run(arguments + " --output " + at(name) + " --json " + at(name + ".json"));
    EXPECT_EQ(o.exit_code, 0) << o.text;
    return o.exit_code == 0 ? nlohmann::json::parse(read_text_file(at(name + ".json"))) : nlohmann::json();
  }
  std::string log(const std::string& name) const { return read_text_file(at(name + "/run.log")); }

  const std::string crank =
      input("flexible_crank_small.toml") +
      " --quiet --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
      " --set integrator.step=1e-2 --set output.motion=false --set filter.radius=0.02";
  const std::string four_bar =
      input("four_bar.toml") +
      " --quiet --set bodies.coupler.mesh.divisions=[40,4] --set bodies.rocker.mesh.divisions=[40,4]"
      " --set integrator.step=2e-3 --set integrator.t1=0.2 --set output.motion=false --set "
      "filter.radius=0.012 --set projection.robust=0";
  const std::string at_start = " --set optimizer.stop.iterations=0";

 private:
  TemporaryFolder folder_;
};

TEST_F(DensitiesOfAFile, LetAnOptimizationBeginWhereItsRunEnded) {
  const double psi = numbers("optimize " + crank + " --set optimizer.stop.iterations=4", "first")["psi"];
  const std::string file = at("first/final.vtu");
  EXPECT_EQ(numbers("optimize " + crank + at_start + " --density " + file, "again")["psi_start"], psi);
  EXPECT_THAT(log("again"), HasSubstr("body crank: starts from the variables (array design) in " + file +
                                      ", and has its densities"));
  EXPECT_EQ(
      numbers("optimize " + crank + at_start + " --set design.start='\"" + file + "\"'", "key")["psi_start"],
      psi);
  // Another filter makes other densities of the same variables.
  EXPECT_NE(numbers("optimize " + crank + at_start + " --set filter.radius=0.03 --density " + file,
                    "other")["psi_start"],
            psi);
  EXPECT_THAT(log("other"), HasSubstr("; filter, projection and regions change its densities by up to 0."));
}

TEST_F(DensitiesOfAFile, AreEvaluatedAsTheyAreHoweverTheFileIsGiven) {
  const double psi = numbers("optimize " + crank + " --set optimizer.stop.iterations=4", "first")["psi"];
  const std::string file = at("first/final.vtu");
  for (const std::string& given : {" --density " + file, " --set design.start='\"" + file + "\"'"}) {
    EXPECT_EQ(numbers("simulate " + crank + given, "s")["psi"], psi) << given;
    EXPECT_EQ(numbers("gradient " + crank + given, "g")["psi"], psi) << given;
  }
  EXPECT_THAT(log("s"), HasSubstr("body crank: evaluated at the densities in " + file));
}

TEST_F(DensitiesOfAFile, AreVariablesOfAnOptimizationWhereTheFileHasNoOthers) {
  std::string densities;
  for (int e = 0; e < 144; ++e) densities += e % 3 == 0 ? "0.6\n" : "0.4\n";
  write_text_file(at("rho.txt"), densities);
  const double psi = numbers("simulate " + crank + " --density " + at("rho.txt"), "s")["psi"];
  EXPECT_NE(numbers("optimize " + crank + at_start + " --density " + at("rho.txt"), "o")["psi_start"], psi);
  EXPECT_THAT(log("o"), HasSubstr("body crank: starts from the densities, taken as variables, in "));
}

TEST_F(DensitiesOfAFile, BelongToTheBodiesThatItNames) {
  const double psi = numbers("optimize " + four_bar + " --set optimizer.stop.iterations=2", "first")["psi"];
  const std::string file = at("first/final.vtu");
  // Both meshes have as many elements: mixed up, they would be read without an error.
  EXPECT_EQ(numbers("simulate " + four_bar + " --density " + file, "s")["psi"], psi);
  EXPECT_EQ(numbers("optimize " + four_bar + at_start + " --density " + file, "again")["psi_start"], psi);
  EXPECT_EQ(numbers("optimize " + four_bar + at_start +
                        " --set design.bodies='[\"rocker\",\"coupler\"]' --density " + file,
                    "order")["psi_start"],
            psi);

  write_text_file(at("rho.txt"), "0.5\n");
  const Outcome o = run("simulate " + four_bar + " --density " + at("rho.txt") + " --output " + at("text"));
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("has the densities of one body, and 2 bodies are designed"));
}

/// The columns of an array that belong to a body, in single precision.
MatrixXd of_body(const ReadGrid& grid, const std::string& array, double body) {
  const MatrixXd &values = grid.cell_arrays.at(array), &bodies = grid.cell_arrays.at("body");
  std::vector<Eigen::Index> own;
  for (Eigen::Index e = 0; e < bodies.cols(); ++e) {
    if (bodies(0, e) == body) own.push_back(e);
  }
  return values(Eigen::all, own).cast<float>().cast<double>();
}

TEST_F(DensitiesOfAFile, AreSeenOverTheIterationsUnderTheNamesOfTheirBodies) {
  numbers("optimize " + four_bar + " --set optimizer.stop.iterations=2 --set output.every=1", "run");
  const auto entries = read_pvd(at("run/density.pvd"));
  const std::vector<std::string> grids = {"density/density_00000.vtu", "density/density_00001.vtu",
                                          "density/density_00002.vtu", "final.vtu"};
  ASSERT_EQ(entries.size(), grids.size());
  for (std::size_t k = 0; k < grids.size(); ++k) {
    EXPECT_EQ(entries[k].first, static_cast<double>(k));
    const ReadBlocks blocks = read_blocks(at("run/" + entries[k].second));
    ASSERT_EQ(blocks.size(), 2u) << entries[k].second;
    EXPECT_EQ(blocks[0].first, "coupler");
    EXPECT_EQ(blocks[1].first, "rocker");
    const ReadGrid all = read_grid(at("run/" + grids[k]));
    Eigen::Index first_point = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const ReadGrid& own = blocks[b].second;
      for (const char* array : {"density", "design", "sensitivity"})
        EXPECT_EQ(own.cell_arrays.at(array), of_body(all, array, static_cast<double>(b) + 1.0)) << array;
      EXPECT_EQ(own.points,
                all.points.middleCols(first_point, own.points.cols()).cast<float>().cast<double>());
      EXPECT_EQ(own.units.at("sensitivity"), all.units.at("sensitivity"));
      first_point += own.points.cols();
    }
    EXPECT_EQ(first_point, all.points.cols());
  }

  // A page on a run that goes on reads all bodies, no block of one.
  std::filesystem::remove(at("run/final.vtu"));
  EXPECT_EQ(run("report " + at("run")).exit_code, 0);
  EXPECT_THAT(read_text_file(at("run/report.html")), HasSubstr("the densities of density_00002.vtu"));
}

TEST_F(DensitiesOfAFile, AreSeenInWholeAfterAnInterruption) {
  const std::string every = four_bar + " --set output.every=3 --set optimizer.stop.iterations=";
  numbers("optimize " + every + "5", "whole");
  numbers("optimize " + every + "4", "parts");
  const Outcome o = run("optimize --quiet --resume " + at("parts") + " --set optimizer.stop.iterations=5");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(read_text_file(at("parts/density.pvd")), read_text_file(at("whole/density.pvd")));
  const auto files = [&](const std::string& name) {
    std::map<std::string, std::string> contents;
    for (const auto& file : std::filesystem::directory_iterator(at(name + "/density")))
      contents[file.path().filename().string()] = read_text_file(file.path());
    return contents;
  };
  EXPECT_EQ(files("parts"), files("whole")) << "blocks of the earlier end are removed";
  EXPECT_EQ(files("whole").size(), 11u) << "three .vtm with two blocks each, two grids";
}

TEST_F(DensitiesOfAFile, OfAnEarlierEndAreNoIterationOfAKilledRun) {
  numbers("optimize " + four_bar + " --set output.every=3 --set optimizer.stop.iterations=4", "run");
  const auto resumed = "'" + std::string(KURBEL_PROGRAM) + "' optimize --quiet --resume " + at("run") +
                       " --set optimizer.stop.iterations=400";
  test::run_command(resumed + " & n=0; while [ ! -e " + at("run/density/density_00006.vtm") +
                    " ] && [ $n -lt 3000 ]; do sleep 0.01; n=$((n+1)); done; kill -9 $!; wait $!");
  const auto entries = read_pvd(at("run/density.pvd"));
  ASSERT_GE(entries.size(), 2u);
  for (const auto& [iteration, file] : entries)
    EXPECT_EQ(static_cast<int>(iteration) % 3, 0) << file << " was the result of four iterations";
  EXPECT_FALSE(std::filesystem::exists(at("run/density/density_00005.vtm")));
  EXPECT_FALSE(std::filesystem::exists(at("run/density/density_00005_0.vtu")));
}

TEST_F(DensitiesOfAFile, OfALongerEarlierRunAreRemoved) {
  for (const std::string bodies : {"[\"coupler\",\"rocker\"]", "[\"coupler\"]"}) {
    SCOPED_TRACE(bodies);
    const std::string name = bodies.find("rocker") == std::string::npos ? "one" : "two";
    numbers("optimize " + four_bar + " --set design.bodies='" + bodies +
                "' --set output.every=1 --set optimizer.stop.iterations=4",
            name);
    const Outcome o = run("optimize --quiet --resume " + at(name) + " --set optimizer.stop.iterations=2");
    EXPECT_EQ(o.exit_code, 0) << o.text;
    EXPECT_EQ(read_pvd(at(name + "/density.pvd")).size(), 4u);
    EXPECT_TRUE(std::filesystem::exists(at(name + "/density/density_00002.vtu")));
    EXPECT_FALSE(std::filesystem::exists(at(name + "/density/density_00003.vtu")))
        << "no grid beside the result";
    EXPECT_FALSE(std::filesystem::exists(at(name + "/density/density_00004.vtu")));
  }
}

TEST_F(DensitiesOfAFile, AreRefusedFromADamagedFile) {
  numbers("optimize " + crank + at_start, "first");
  const std::string whole = read_text_file(at("first/final.vtu"));
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
  for (const std::string& bytes :
       {flipped, whole.substr(0, whole.size() - 1), std::string(), std::string("0.5\n")}) {
    write_text_file(at("damaged.vtu"), bytes);
    const Outcome o =
        run("simulate " + crank + " --density " + at("damaged.vtu") + " --output " + at("none"));
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr("cannot read " + at("damaged.vtu")));
    EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  }
}

TEST_F(DensitiesOfAFile, AreRefusedByTheNameOfTheFileWhereACommandTakesThemFromARun) {
  numbers("optimize " + crank + at_start, "run");
  std::filesystem::resize_file(at("run/final.vtu"), 1000);
  for (const char* command : {"export ", "verify ", "report ", "optimize --shape ", "optimize --finer "}) {
    const Outcome o = run(command + at("run"));
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, StartsWith("error: cannot read " + at("run/final.vtu"))) << command;
    EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  }
}

Vector3d middle(const ReadGrid& grid, Eigen::Index first_element, Eigen::Index low_corner,
                Eigen::Index last_element, Eigen::Index high_corner) {
  const auto point = [&](Eigen::Index element, Eigen::Index corner) {
    return Vector3d(
        grid.points.col(grid.corners[static_cast<std::size_t>(element)][static_cast<std::size_t>(corner)]));
  };
  return 0.5 * (point(first_element, low_corner) + point(last_element, high_corner));
}

TEST_F(DensitiesOfAFile, AreThoseOfBodiesThatStandAsTheirMotionStarts) {
  numbers("optimize " + four_bar + at_start, "run");
  for (const char* file : {"run/final.vtu", "run/cut.vtu"}) {
    const ReadGrid grid = read_grid(at(file));
    const MatrixXd& body = grid.cell_arrays.at("body");
    ASSERT_EQ(body.cols(), 320);
    EXPECT_TRUE((body.leftCols(160).array() == 1.0).all()) << "the coupler, behind the rigid crank";
    EXPECT_TRUE((body.rightCols(160).array() == 2.0).all()) << "the rocker";
    // Elements of a body are numbered along it, row by row; its ends are the middles of the first and last columns.
    const auto start = [&](Eigen::Index first) { return middle(grid, first, 0, first + 120, 3); };
    const auto end = [&](Eigen::Index first) { return middle(grid, first + 39, 1, first + 159, 2); };
    constexpr double closed = 1e-9;  // m, of joints
    EXPECT_LT((start(0) - Vector3d(0.1, 0.0, 0.0)).norm(), closed) << "the coupler at the pin of the crank";
    EXPECT_LT((start(160) - Vector3d(0.4, 0.0, 0.0)).norm(), closed) << "the rocker at its bearing";
    EXPECT_LT((end(0) - end(160)).norm(), closed) << "both at their pin";
  }
}

}  // namespace
}  // namespace kurbel
