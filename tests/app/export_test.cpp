/// `kurbel export`: shapes of results, read by ADMesh and CGAL.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.hpp"
#include "export_fixture.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using test::ExportProgram;
using test::Outcome;
using test::run;
using test::run_command;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// Other programs read the file: its surface does not pass through itself (CGAL), is closed and turned outwards, and has
/// this volume (ADMesh).
void expect_others_accept(const std::string& file, double volume) {
#ifdef KURBEL_SELF_INTERSECTIONS
  EXPECT_EQ(run_command(KURBEL_SELF_INTERSECTIONS " " + file).text, "0\n");
#else
  GTEST_SKIP() << "CGAL is not installed";
#endif
  if (run_command("command -v admesh").exit_code != 0) GTEST_SKIP() << "admesh is not installed";
  const std::string text = run_command("admesh " + file).text;
  EXPECT_THAT(text, ContainsRegex("Total disconnected facets *: *0 *0"));
  for (const char* repair : {"Degenerate facets", "Edges fixed", "Facets removed", "Facets added",
                             "Facets reversed", "Backwards edges", "Normals fixed"})
    EXPECT_THAT(text, ContainsRegex(std::string(repair) + " *: *0\n"));
  const std::size_t place = text.find("Volume   :");
  ASSERT_NE(place, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(place + 10)), volume, 1e-3 * volume);
}

TEST_F(ExportProgram, WritesAFlatDesignExtruded) {
  Outcome o = optimize("flexible_crank_small.toml", tiny);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --json " + at("shape.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("lengths in mm"));
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  EXPECT_EQ(crank["pieces"], 1);
  const double whole = 0.2 * 0.04 * 0.01;
  EXPECT_NEAR(crank["volume"].get<double>(), 0.5 * whole, 0.02 * whole);
  expect_others_accept(at("run/crank.stl"), 1e9 * crank["volume"].get<double>());

  // It is a file of the run: written again, and spared by none.
  EXPECT_EQ(run("export " + at("run") + " --unit m").exit_code, 0);
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny + " --set optimizer.stop.iterations=1").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(at("run/crank.stl")));
}

TEST_F(ExportProgram, WritesIntoAnotherFolderAndLeavesTheRunAsItIs) {
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny).exit_code, 0);
  const std::string elsewhere = "export " + at("run") + " -q -o " + at("workshop/crank");
  Outcome o = run(elsewhere);
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(o.text, "");
  EXPECT_FALSE(std::filesystem::exists(at("run/crank.stl")));
  const std::string written = read_text_file(at("workshop/crank/crank.stl"));
  ASSERT_EQ(run("export " + at("run")).exit_code, 0);
  EXPECT_EQ(read_text_file(at("run/crank.stl")), written);

  o = run(elsewhere + " --unit m");  // what is there may be of anyone
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("crank.stl exists; give another --output, or --overwrite"));
  EXPECT_EQ(run(elsewhere + " --unit m --overwrite").exit_code, 0);
  EXPECT_NE(read_text_file(at("workshop/crank/crank.stl")), written);

  o = run("export " + at("run") + " -o " + at("crank.stl"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("names a file; name a folder"));
  for (const char* of_run : {"run/final.vtu", "run/numbers.json", "run/density/numbers.json"}) {
    o = run("export " + at("run") + " -o " + at("new") + " --json " + at(of_run));
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr("is in the folder of the run, which --output leaves as it is"));
  }
  EXPECT_FALSE(std::filesystem::exists(at("new")));
}

/// The largest deviation from a circle about (100, 0) mm of those points of the walls of a binary STL file that are near it, mm,
/// and the number of the triangles.
std::pair<double, int> deviation_from_circle(const std::string& file, double radius) {
  const std::string bytes = read_text_file(file);
  const auto number = [&](std::size_t at) {
    float value = 0.0F;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return static_cast<double>(value);
  };
  constexpr std::size_t header = 84, triangle = 50, normal = 12;
  std::pair<double, int> found{0.0, 0};
  for (std::size_t at = header; at + triangle <= bytes.size(); at += triangle) {
    if (std::abs(number(at + 8)) > 0.5) continue;  // of the flat sides
    double largest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t corner = at + normal + 12 * k;
      largest = std::max(largest, std::abs(std::hypot(number(corner) - 100.0, number(corner + 4)) - radius));
    }
    if (largest < 2.0) found.first = std::max(found.first, largest), ++found.second;
  }
  return found;
}

// A hole that is stated as a cylinder is round, although the elements of the mesh are squares.
TEST_F(ExportProgram, DrillsHolesWhereVoidRegionsAreStated) {
  const std::string drilled =
      " --set 'bodies.crank.regions.boss={kind=\"solid\", "
      "cylinder={centre=[0.1, 0.0], radius=[0.008, 0.015]}}'"
      " --set 'bodies.crank.regions.drill={kind=\"void\", cylinder={centre=[0.1, 0.0], radius=0.008}}'";
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny + drilled).exit_code, 0);
  const Outcome o = run("export " + at("run"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const auto [off, n_triangles] = deviation_from_circle(at("run/crank.stl"), 8.0);
  EXPECT_GT(n_triangles, 16);
  EXPECT_LT(off, 1e-4) << "mm; the file has single precision";
}

// The mesh of one result is the part of another run, whose own mesh has the same name.
TEST_F(ExportProgram, ReplacesNoFileThatTheRunReads) {
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny).exit_code, 0);
  Outcome o = run("export " + at("run") + " --mesh --unit m -o " + at("part"));
  if (o.exit_code == 2 && o.text.find("without Gmsh") != std::string::npos) GTEST_SKIP() << o.text;
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const std::string part = read_text_file(at("part/crank.inp"));
  o = optimize("flexible_crank_small.toml",
               "--set 'bodies.crank.mesh={file=\"" + at("part/crank.inp") +
                   "\", thickness=0.01}' --set integrator.step=1e-2 --set filter.radius=0.01"
                   " --set optimizer.stop.iterations=1");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* command : {"export --mesh ", "verify "}) {
    o = run(std::string(command) + at("run") + " --overwrite -o " + at("part") + " --json " +
            at("part/crank.inp"));
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr("crank.inp: the run reads this file"));
  }
  o = run("export " + at("run") + " --mesh --overwrite -o " + at("part"));
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("crank.inp: the run reads this file; give another --output"));
  EXPECT_EQ(read_text_file(at("part/crank.inp")), part);
}

// Nothing may change below a command that reads a run: not while it goes on, and not while the command takes its time.
TEST_F(ExportProgram, WaitsForNoRunThatWritesThere) {
  ASSERT_EQ(optimize("flexible_crank_small.toml", tiny + " --set optimizer.stop.iterations=1").exit_code, 0);
  const int folder = ::open(at("run").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX | LOCK_NB), 0);
  for (const std::string command : {"export", "verify"}) {
    const Outcome o = run(command + " " + at("run") + " -o " + at("new"));
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr("cannot " + command + " " + at("run") + ": a run is writing there"));
  }
  EXPECT_FALSE(std::filesystem::exists(at("new")));
  ASSERT_EQ(::flock(folder, LOCK_SH | LOCK_NB), 0);
  const Outcome o = run("export " + at("run") + " -o " + at("new"));  // two may read
  EXPECT_EQ(o.exit_code, 0) << o.text;
  ::close(folder);
}

/// The file as another program would read it, without lib3mf, as triangles in the text form of .stl.
std::string stl_of_3mf(const std::string& file) {
  const Outcome o = run_command(std::string("python3 " KURBEL_SOURCE_DIR "/tests/app/stl_of_3mf.py ") + file +
                                " " + file + ".stl");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(o.text, "millimeter crank\n");
  return file + ".stl";
}

TEST_F(ExportProgram, WritesTrianglesWithTheirUnit) {
  Outcome o = optimize("flexible_crank_small.toml", tiny);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --3mf --json " + at("shape.json"));
  if (o.exit_code == 2 && o.text.find("without lib3mf") != std::string::npos) GTEST_SKIP() << o.text;
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(std::filesystem::exists(at("run/crank.stl")));
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  expect_others_accept(stl_of_3mf(at("run/crank.3mf")), 1e9 * crank["volume"].get<double>());
}

// Held points keep their place; the volume is that of the shape; kurbel reads the file as a part, solid as it is.
TEST_F(ExportProgram, WritesAFlatDesignAsASolidOfCad) {
  Outcome o = optimize("flexible_crank_small.toml", tiny);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --step --json " + at("shape.json"));
  if (o.exit_code == 2 && o.text.find("without Gmsh") != std::string::npos) GTEST_SKIP() << o.text;
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(std::filesystem::exists(at("run/crank.stl")));
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  const double volume = crank["volume"];
  EXPECT_NEAR(crank["step_volume"].get<double>(), volume, 0.003 * volume);
  const std::string text = read_text_file(at("run/crank.step"));
  EXPECT_THAT(text, HasSubstr("SI_UNIT(.MILLI.,.METRE.)"));
  EXPECT_THAT(text, HasSubstr("MANIFOLD_SOLID_BREP"));
  EXPECT_THAT(text, HasSubstr("B_SPLINE_CURVE"));
  EXPECT_THAT(text, HasSubstr("CARTESIAN_POINT('',(200.,-20.,-5.))"));  // a corner of the bearing, held
}

TEST_F(ExportProgram, RefusesASolidMeshAsCad) {
  Outcome o =
      optimize("flexible_crank_3d.toml",
               "--set bodies.crank.mesh.divisions=[20,4,2] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
               " --set integrator.step=1e-2 --set filter.radius=0.012 --set optimizer.stop.iterations=0");
  o = run("export " + at("run") + " --step");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("--step: body crank is not flat"));
}

/// A plate of 40 x 8 squares of 5 mm, without two that have a corner alone in common: an Abaqus file.
std::string plate_with_touching_holes() {
  constexpr int nx = 40, ny = 8;
  std::string nodes = "*NODE\n", elements = "*ELEMENT, TYPE=CPS4, ELSET=plate\n";
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i)
      nodes += fmt::format("{}, {:.3f}, {:.3f}, 0.0\n", j * (nx + 1) + i + 1, 0.005 * i, 0.005 * j - 0.02);
  int e = 0;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      if ((i == 19 && j == 3) || (i == 20 && j == 4)) continue;
      const int a = j * (nx + 1) + i + 1, b = a + nx + 1;
      elements += fmt::format("{}, {}, {}, {}, {}\n", ++e, a, a + 1, b + 1, b);
    }
  }
  return nodes + elements;
}

// The part's own mesh touches itself in a point, which no level of density removes. Nothing is written.
TEST_F(ExportProgram, EndsWithThreeWhereAShapeIsNoSolid) {
  write_text_file(at("plate.inp"), plate_with_touching_holes());
  Outcome o = optimize("flexible_crank_small.toml",
                       "--set 'bodies.crank.mesh={file=\"" + at("plate.inp") +
                           "\", thickness=0.01}' --set bodies.crank.regions.bearing.x=[0.19,0.2]"
                           " --set integrator.step=1e-2 --set filter.radius=0.01"
                           " --set constraints.volume_fraction=1.0 --set optimizer.stop.iterations=0");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* form : {"stl", "step", "mesh"}) {
    o = run("export " + at("run") + " --" + form);
    EXPECT_EQ(o.exit_code, 3) << o.text;
    EXPECT_THAT(
        o.text,
        HasSubstr("error: body crank: its surface is not that of a solid: 0 open edges, 1 of more than "
                  "two triangles, 0 where triangles are turned, such as at (0.1, "));
    EXPECT_THAT(o.text,
                HasSubstr("The mesh of the part or a border of its regions touches itself there: change"));
    EXPECT_FALSE(std::filesystem::exists(
        at(std::string("run/crank.") + (form == std::string("mesh") ? "inp" : form))));
  }
  o = run("verify " + at("run"));
  if (o.text.find("without Gmsh") != std::string::npos) GTEST_SKIP() << o.text;
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text,
              HasSubstr("it touches itself in a point, (0.1, 0) m, as the mesh of the part or a border"));
}

TEST_F(ExportProgram, WritesASolid) {
  Outcome o =
      optimize("flexible_crank_3d.toml",
               "--set bodies.crank.mesh.divisions=[20,4,2] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
               " --set integrator.step=1e-2 --set filter.radius=0.012 --set optimizer.stop.iterations=8"
               " --set projection.beta_interval=2 --set projection.beta_max=8");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --json " + at("shape.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  expect_others_accept(at("run/crank.stl"), 1e9 * crank["volume"].get<double>());
}

// psi of the fitted shape differs by what the coarse mesh of the design cannot tell; it is no number of another task.
TEST_F(ExportProgram, GoesOnWithTheSurfaceOfAResult) {
  Outcome o = optimize("flexible_crank_small.toml", tiny);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("optimize --shape " + at("run") + " --quiet --set optimizer.stop.iterations=15 --json " +
          at("moved.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json moved = nlohmann::json::parse(read_text_file(at("moved.json")));
  EXPECT_LT(moved["psi"].get<double>(), 0.99 * moved["psi_start"].get<double>());
  EXPECT_EQ(moved["feasible"], true);
  EXPECT_THAT(read_text_file(at("run_shape/variables.csv")), HasSubstr("crank_surface[0]"));

  o = run("verify " + at("run_shape") + " --json " + at("verified.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json verified = nlohmann::json::parse(read_text_file(at("verified.json")));
  EXPECT_NEAR(verified["fitted"]["objective"].get<double>(), moved["psi"].get<double>(),
              0.02 * moved["psi"].get<double>());
  o = run("export " + at("run_shape") + " --json " + at("shape.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  expect_others_accept(at("run_shape/crank.stl"), 1e9 * crank["volume"].get<double>());

  o = run("optimize " + test::input("flexible_crank_small.toml") + " --shape " + at("run"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("--shape goes on with the input and the result of a run; leave out FILE"));
  o = run("optimize --shape " + at("nothing"));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("there is no run.h5"));
}

/// Densities in [0.1, 1) without any order, a line each.
std::string scattered_densities(int n) {
  std::string text;
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = 1664525u * state + 1013904223u;
    text += fmt::format("{:.3f}\n", 0.1 + 0.9 * state / 4294967296.0);
  }
  return text;
}

// Members and gaps of less than an element are smoothed only as far as the surface does not pass through itself.
TEST_F(ExportProgram, MeshesTheShapeOfScatteredDensities) {
  write_text_file(at("densities.txt"), scattered_densities(20 * 6 * 3));
  Outcome o = optimize("flexible_crank_3d.toml",
                       "--density " + at("densities.txt") +
                           " --set bodies.crank.mesh.divisions=[20,6,3] --set 'filter={type=\"none\"}'"
                           " --set bodies.crank.regions.bearing.x=[0.19,0.2] --set integrator.step=2e-2"
                           " --set constraints.volume_fraction=1.0 --set optimizer.stop.iterations=0");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --stl --json " + at("shape.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json crank = nlohmann::json::parse(read_text_file(at("shape.json")))["bodies"]["crank"];
  expect_others_accept(at("run/crank.stl"), 1e9 * crank["volume"].get<double>());
  o = run("export " + at("run") + " --mesh");
  if (o.exit_code == 2 && o.text.find("without Gmsh") != std::string::npos) GTEST_SKIP() << o.text;
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

// The design has no clamp, or no material at all: the shape is at fault, not the input, which says nothing of it.
TEST_F(ExportProgram, EndsWithThreeWhereAShapeDoesNotReachTheClamp) {
  std::string densities;
  for (int e = 0; e < 40 * 8; ++e) densities += e % 40 > 10 ? "0.9\n" : "0.1\n";
  write_text_file(at("densities.txt"), densities);
  Outcome o = optimize("flexible_crank_small.toml",
                       tiny + " --density " + at("densities.txt") +
                           " --set filter.radius=0.001 --set optimizer.stop.iterations=0");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const std::string& command :
       {std::string("optimize --shape "), "verify --json " + at("verified.json") + " "}) {
    o = run(command + at("run"));
    if (o.text.find("without Gmsh") != std::string::npos) GTEST_SKIP() << o.text;
    EXPECT_EQ(o.exit_code, 3) << o.text;
    EXPECT_THAT(o.text, HasSubstr("the shape of body crank cannot take the place of its design ("));
    EXPECT_THAT(o.text, HasSubstr("bodies.crank.clamp: no node of the mesh lies there"));
    EXPECT_THAT(o.text, HasSubstr("Raise filter.radius or constraints.volume_fraction"));
  }
  const nlohmann::json numbers = nlohmann::json::parse(read_text_file(at("verified.json")));
  EXPECT_THAT(numbers["fitted"]["failure"].get<std::string>(), HasSubstr("no node of the mesh lies there"));
  EXPECT_TRUE(numbers["design"].contains("objective")) << "the design is simulated nonetheless";
}

TEST_F(ExportProgram, EndsWithThreeWhereNothingIsSolid) {
  Outcome o = run("optimize " + test::input("mbb_beam.toml") + " --quiet --output " + at("run") +
                  " --set constraints.volume_fraction=1e-6 --set optimizer.stop.iterations=1");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run"));
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text, HasSubstr("body beam: no element of the cut is solid, so that it has no shape"));
  EXPECT_FALSE(std::filesystem::exists(at("run/beam.stl")));
}

TEST_F(ExportProgram, WritesAMeshThatIsAPart) {
  Outcome o = optimize("flexible_crank_small.toml", tiny);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  o = run("export " + at("run") + " --mesh --unit mm");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(std::filesystem::exists(at("run/crank.stl")));
  o = run("check " + at("run/crank.inp"));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("tri6 elements"));
  EXPECT_THAT(o.text, HasSubstr("set \"surface_1\""));
}

}  // namespace
}  // namespace kurbel
