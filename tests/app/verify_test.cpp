/// `kurbel verify` and `report` of finished runs, and runs that have no result.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "export_fixture.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using test::ExportProgram;
using test::Outcome;
using test::run;
using ::testing::HasSubstr;

TEST_F(ExportProgram, VerifiesADesignOnAMeshThatFits) {
  Outcome o = optimize("flexible_crank_small.toml", "--set integrator.step=1e-2");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("verify " + at("run") + " --json " + at("verified.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("fit its shape"));
  const nlohmann::json numbers = nlohmann::json::parse(read_text_file(at("verified.json")));
  const auto number = [&](const char* column, const char* name) {
    return numbers[column][name].get<double>();
  };
  for (const char* column : {"cut", "fitted"}) {
    EXPECT_NEAR(number(column, "objective"), number("design", "objective"),
                0.03 * number("design", "objective"));
    EXPECT_NEAR(number(column, "mass"), number("design", "mass"), 0.01 * number("design", "mass"));
  }
  EXPECT_NE(number("fitted", "objective"), number("cut", "objective"));
  EXPECT_NEAR(numbers["fitted"]["first_frequencies"]["crank"].get<double>(),
              numbers["design"]["first_frequencies"]["crank"].get<double>(), 10.0);
  EXPECT_NEAR(numbers["bodies"]["crank"]["volume"].get<double>(),
              number("fitted", "volume_fraction") * 0.2 * 0.04 * 0.01, 1e-9);
  EXPECT_GT(number("fitted", "stress_of_crank"), number("design", "stress_of_crank"));
}

// The fitted mesh is simulated in the state of plane of the design, as somebody would simulate it by hand. In plane stress psi
// is a quarter larger.
TEST_F(ExportProgram, VerifiesASymmetricDesignInPlaneStrainAsSuch) {
  const std::string material = " --set bodies.crank.material.poisson_ratio=0.45 --set integrator.step=1e-2 ";
  Outcome o = optimize("flexible_crank_small.toml", material +
                                                        "--set bodies.crank.mesh.plane=strain"
                                                        " --set bodies.crank.symmetry={normal=[0,1]}");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("verify " + at("run") + " --json " + at("verified.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const double psi = nlohmann::json::parse(read_text_file(at("verified.json")))["fitted"]["objective"];
  o = run("simulate " + test::input("flexible_crank_small.toml") + material +
          " --set 'bodies.crank.mesh={file=\"" + at("run/crank_verified.inp") +
          "\",thickness=0.01,plane=\"strain\"}' --set design.start=1.0" +
          " --set 'filter={type=\"none\"}' --set 'projection={type=\"none\"}' --output " + at("by_hand") +
          " --json " + at("by_hand.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json by_hand = nlohmann::json::parse(read_text_file(at("by_hand.json")));
  EXPECT_NEAR(psi, by_hand["psi"].get<double>(), 1e-9 * psi);
}

// The regions share 7.5 mm between the centres of the elements of the design, in which smaller ones have their centres.
TEST_F(ExportProgram, VerifiesFrozenAndSolidRegionsThatMeetWithinAnElement) {
  Outcome o = optimize("flexible_crank_small.toml",
                       "--set integrator.step=1e-2 --set bodies.crank.mesh.divisions=[24,6]"
                       " --set bodies.crank.regions.bearing.x=[0.188,0.2] --set filter.radius=0.01"
                       " --set 'bodies.crank.regions.rim={kind=\"frozen\", x=[0.18, 0.1955]}'"
                       " --set constraints.volume_fraction=1.0 --set optimizer.stop.iterations=3");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("verify " + at("run"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

TEST_F(ExportProgram, VerifiesABodyAtRest) {
  Outcome o = run("optimize " + test::input("mbb_beam.toml") + " --quiet --output " + at("run") +
                  " --set 'projection={type=\"heaviside\",beta_interval=10,beta_max=32}'"
                  " --set filter.radius=3.0 --set optimizer.stop.iterations=150");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("verify " + at("run") + " --json " + at("verified.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json numbers = nlohmann::json::parse(read_text_file(at("verified.json")));
  const double psi = numbers["design"]["objective"];
  EXPECT_NEAR(numbers["fitted"]["objective"].get<double>(), psi, 0.05 * psi);
  EXPECT_GT(numbers["fitted"]["largest_stresses"]["beam"].get<double>(),
            numbers["design"]["largest_stresses"]["beam"].get<double>())
      << "a finer mesh sees more of the stress at the support";
  EXPECT_FALSE(numbers["fitted"].contains("first_frequencies"));
}

TEST_F(ExportProgram, VerifiesAPartFromAFileByItsSetsAndSurfaces) {
  const std::string coarse =
      "--set bodies.crank.mesh.size=0.005 --set filter.radius=0.01 --set integrator.step=1e-2"
      " --set optimizer.stop.iterations=30 --set projection.beta_interval=5 --set projection.beta_max=16";
  Outcome o = optimize("crank_with_holes.toml", coarse + " --set bodies.crank.markers.pin.set=pin");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  ASSERT_EQ((o = run("verify " + at("run") + " --json " + at("sets.json"))).exit_code, 0) << o.text;
  o = optimize("crank_with_holes.toml", coarse + " --set bodies.crank.markers.pin={surface=7}");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  ASSERT_EQ((o = run("verify " + at("run") + " --json " + at("surfaces.json"))).exit_code, 0) << o.text;
  const nlohmann::json sets = nlohmann::json::parse(read_text_file(at("sets.json"))),
                       surfaces = nlohmann::json::parse(read_text_file(at("surfaces.json")));
  const double psi = sets["fitted"]["objective"];
  EXPECT_NEAR(psi, sets["design"]["objective"].get<double>(), 0.1 * psi);
  EXPECT_NEAR(surfaces["fitted"]["objective"].get<double>(), psi, 1e-9 * psi);
}

// The surface moves within the space of the design, at its volume, and the motion gains by it; a mesh that is made anew agrees.
TEST_F(ExportProgram, ReportsOnAMotionWithoutADesign) {
  ASSERT_EQ(run("simulate " + test::input("five_bar.toml") + " --quiet --set integrator.t1=0.1 --output " +
                at("run"))
                .exit_code,
            0);
  Outcome o = run("report " + at("run"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  const std::string page = read_text_file(at("run/report.html"));
  EXPECT_THAT(page, HasSubstr("<h2>Mechanism</h2>"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("<h2>Design</h2>")));
  o = run("verify " + at("run"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("there is no final.vtu"));
  EXPECT_EQ(run("report " + at("run")).exit_code, 0) << "it has claimed the name";
}

TEST_F(ExportProgram, ReportsOnARunThatGoesOn) {
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny + " --set optimizer.stop.iterations=1").exit_code, 0);
  std::filesystem::remove(at("run/final.vtu"));
  const int folder = ::open(at("run").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX | LOCK_NB), 0);
  Outcome o = run("report " + at("run"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  const std::string page = read_text_file(at("run/report.html"));
  EXPECT_THAT(page, HasSubstr("The run has no result yet: the page shows the densities of density_0000"));
  EXPECT_THAT(page, HasSubstr("<h2>Design</h2>"));
  write_text_file(at("run/report.html"), "theirs");
  o = run("report " + at("run"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("exists and is no report"));
  ::close(folder);
  const std::string again = tiny + " --set optimizer.stop.iterations=1";
  ASSERT_EQ(optimize("flexible_crank_small.toml", again).exit_code, 0);
  EXPECT_EQ(read_text_file(at("run/report.html")), "theirs") << "a run removes reports alone";
  write_text_file(at("run/report.html"), page);
  ASSERT_EQ(optimize("flexible_crank_small.toml", again).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(at("run/report.html")));
}

TEST_F(ExportProgram, RefusesFoldersWithoutAResult) {
  Outcome o = run("export " + at("nothing"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("cannot export"));
  EXPECT_THAT(o.text, HasSubstr("there is no run.h5"));

  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny + " --set optimizer.stop.iterations=1").exit_code, 0);
  write_text_file(at("run/crank.stl"), "theirs");
  o = run("export " + at("run"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("crank.stl was not written by kurbel"));
  EXPECT_EQ(read_text_file(at("run/crank.stl")), "theirs");

  std::filesystem::remove(at("run/final.vtu"));
  o = run("export " + at("run"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("there is no final.vtu"));

  write_text_file(at("run/run.h5"), "damaged");
  for (const char* command : {"export ", "verify ", "report "})
    EXPECT_EQ(run(command + at("run")).exit_code, 2);
}

}  // namespace
}  // namespace kurbel
