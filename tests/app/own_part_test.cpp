/// A part from a file as its user meets it: surfaces of `check`, gradients, faults of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using testing::HasSubstr;

/// A lug in mm, held at its left edge, with a hole of 8 mm around (60, 0).
const char* const lug_geo = R"(SetFactory("OpenCASCADE");
Rectangle(1) = {0, -20, 0, 80, 40};
Disk(2) = {60, 0, 0, 8};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
wall() = Curve In BoundingBox {-1, -21, -1, 1, 21, 1};
Physical Curve("wall") = wall();
Physical Surface("lug") = {3};
Mesh.MeshSizeMax = 10;
)";

const char* const lug = R"([bodies.lug]
type = "flexible"
mesh = { file = "lug.geo", unit = "mm", thickness = 0.01 }
material = { youngs_modulus = 1e9, poisson_ratio = 0.3, density = 1000.0 }
clamp = { set = "wall" }
markers = { pin = { cylinder = { centre = [0.06, 0.0], radius = 0.008 } } }
modes = { normal = 3 }
[joints.wall]
type = "fixed"
from = "ground"
to = "lug"
[loads.push]
marker = "lug.pin"
force = [1.0, 1.0, 0.0]
[integrator]
t1 = 0.005
step = 5e-4
[objective]
type = "integral-compliance"
body = "lug"
[design]
start = 0.6
)";

class OwnPart : public testing::Test {
 protected:
  OwnPart() { write_text_file(folder_ / "lug.geo", lug_geo); }
  Outcome run(const std::string& command, const std::string& text, const std::string& options = "") {
    write_text_file(folder_ / "lug.toml", text);
    return test::run(command + " " + (folder_ / "lug.toml").string() + " " + options);
  }
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = lug;
    return text.replace(text.find(from), from.size(), to);
  }
  TemporaryFolder folder_;
};

TEST_F(OwnPart, HasItsSetsAndSurfacesListed) {
  const Outcome of_part = test::run("check " + (folder_ / "lug.geo").string());
  EXPECT_THAT(of_part.text, HasSubstr("lug.geo is 80 m long. In which unit was it drawn?"));
  EXPECT_EQ(of_part.exit_code, 0);
  EXPECT_THAT(of_part.text, HasSubstr("set \"wall\": "));
  EXPECT_THAT(of_part.text, HasSubstr("circle of radius 8 m around (60, 0)"));
  const Outcome of_problem = run("check", lug);
  EXPECT_EQ(of_problem.exit_code, 0);
  EXPECT_THAT(of_problem.text, HasSubstr("circle of radius 0.008 m around (0.06, 0), length 0.05"));
  EXPECT_THAT(of_problem.text, HasSubstr("normal (-1, 0), length 0.04 m; of \"wall\""));
}

/// The crank of the paper on triangles that Gmsh makes, in place of rectangles: psi of the running mechanism converges to the
/// same value.
TEST_F(OwnPart, GivesTheSamePsiOnAFreeMeshAsOnABox) {
  write_text_file(folder_ / "crank.geo", R"(SetFactory("OpenCASCADE");
Rectangle(1) = {0, -0.02, 0, 0.2, 0.04};
Physical Surface("crank") = {1};
)");
  const auto psi = [&](const std::string& mesh) {
    const std::string numbers = (folder_ / "psi.json").string();
    const Outcome outcome = test::run("simulate " + test::input("flexible_crank.toml") + " --json " +
                                      numbers + " -o " + (folder_ / "out").string() +
                                      " --set design.start=1.0 --set integrator.step=1e-2 --set " + mesh);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    return nlohmann::json::parse(read_text_file(numbers)).at("psi").get<double>();
  };
  const auto on_box = [&](const std::string& divisions) {
    return psi("bodies.crank.mesh.divisions=" + divisions);
  };
  const auto on_triangles = [&](const std::string& size) {
    return psi("'bodies.crank.mesh={ file = \"" + (folder_ / "crank.geo").string() + "\", size = " + size +
               ", thickness = 0.01 }'");
  };
  const double coarse = on_box("[50,10]"), box = on_box("[100,20]"), triangles = on_triangles("0.004");
  EXPECT_NEAR(triangles / box, 1.0, 2e-3);
  EXPECT_LT(std::abs(triangles - box), 0.35 * std::abs(on_triangles("0.008") - coarse));
}

TEST_F(OwnPart, HasItsSurfacesDrawnWithTheirNumbers) {
  const Outcome of_part =
      test::run("check " + (folder_ / "lug.geo").string() + " -o " + (folder_ / "seen").string());
  EXPECT_EQ(of_part.exit_code, 0) << of_part.text;
  EXPECT_THAT(of_part.text, HasSubstr("surfaces.png and surfaces.vtp"));
  for (const char* file : {"surfaces.png", "surfaces.vtp"})
    EXPECT_GT(std::filesystem::file_size(folder_ / "seen" / file), 500u) << file;
  EXPECT_EQ(run("check", lug, "-o " + (folder_ / "seen").string()).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "seen" / "lug_surfaces.png"));
}

TEST_F(OwnPart, HasItsConesNamedInTheListThePictureAndTheGrid) {
  write_text_file(folder_ / "plug.geo", R"(SetFactory("OpenCASCADE");
Cone(1) = {0, 0, 0, 0, 0, 0.03, 0.02, 0.01};
Mesh.MeshSizeMax = 0.01;
)");
  const std::string numbers = (folder_ / "plug.json").string(), seen = (folder_ / "seen").string();
  const Outcome outcome =
      test::run("check " + (folder_ / "plug.geo").string() + " --json " + numbers + " -o " + seen);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              HasSubstr("cone of radius 0.01 to 0.02 m around (0, 0, 0.015), axis (0, 0, -1), half angle "
                        "18.43 deg, apex (0, 0, 0.06), area 0.00298"));
  const nlohmann::json surfaces = nlohmann::json::parse(read_text_file(numbers)).at("surfaces");
  const auto cone = std::ranges::find(surfaces, "cone", [](const auto& one) { return one.at("kind"); });
  ASSERT_NE(cone, surfaces.end());
  EXPECT_NEAR(cone->at("half_angle").get<double>(), std::atan(1.0 / 3.0), 1e-6);
  EXPECT_NEAR(cone->at("apex")[2].get<double>(), 0.06, 1e-6);
  EXPECT_NEAR(cone->at("radii")[0].get<double>(), 0.01, 1e-6);
  EXPECT_NEAR(cone->at("radii")[1].get<double>(), 0.02, 1e-6);
  const ReadGrid grid = read_grid(folder_ / "seen" / "surfaces.vtp");
  for (Eigen::Index c = 0; c < grid.cell_arrays.at("kind").cols(); ++c) {
    const bool is_cone = grid.cell_arrays.at("surface")(0, c) == cone->at("number").get<double>();
    EXPECT_EQ(grid.cell_arrays.at("kind")(0, c), is_cone ? 4.0 : 1.0);
  }
}

TEST_F(OwnPart, HasItsRoundedEdgesNamedAsTori) {
  write_text_file(folder_ / "pin.geo", R"(SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.03, 0.01};
Fillet{1}{1}{0.003}
Mesh.MeshSizeMax = 0.003;
)");
  const std::string numbers = (folder_ / "pin.json").string(), seen = (folder_ / "seen").string();
  const Outcome outcome =
      test::run("check " + (folder_ / "pin.geo").string() + " --json " + numbers + " -o " + seen);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              HasSubstr("torus of tube radius 0.003 m and ring radius 0.007 m around (0, 0, 0.027), "
                        "axis (0, 0, 1), area 0.000263"));
  EXPECT_THAT(outcome.text, testing::Not(HasSubstr("free")));
  const nlohmann::json surfaces = nlohmann::json::parse(read_text_file(numbers)).at("surfaces");
  const auto torus = std::ranges::find(surfaces, "torus", [](const auto& one) { return one.at("kind"); });
  ASSERT_NE(torus, surfaces.end());
  EXPECT_NEAR(torus->at("ring_radius").get<double>(), 0.007, 1e-9);
  const ReadGrid grid = read_grid(folder_ / "seen" / "surfaces.vtp");
  EXPECT_EQ(grid.cell_arrays.at("kind").maxCoeff(), 5.0);
}

TEST_F(OwnPart, HasLoadsOnSurfacesOverTheAngleOfAJointWithExactGradients) {
  const std::string turning = std::string(lug).replace(
      std::string(lug).find("type = \"fixed\""), 14,
      "type = \"revolute\"\ndrive = { dof = \"rz\", type = \"constant-rate\", rate = \"6000 rpm\" }");
  const std::string loads = R"(
[loads.gas]
type = "pressure"
body = "lug"
place = { cylinder = { centre = [0.06, 0.0], radius = 0.008 } }
pressure = { type = "table", joint = "wall", angle = "[0, 90, 180, 720] deg", values = "[0, 2, 1, 0] kPa", beyond = "repeat" }
[loads.bolt]
type = "bearing"
body = "lug"
place = { cylinder = { centre = [0.06, 0.0], radius = 0.008 } }
direction = [1.0, 1.0]
force = "1 N"
)";
  const Outcome told = run("check", turning + loads);
  EXPECT_THAT(told.text, HasSubstr("load bolt: on the surface of lug, (0.70"));
  const Outcome gradient = run("gradient", turning + loads, "--check 5 -o " + (folder_ / "out").string());
  EXPECT_EQ(gradient.exit_code, 0) << gradient.text;
  const Outcome tied =
      run("gradient", turning + loads,
          "--check 5 --set bodies.lug.markers.pin.tie=rigid -o " + (folder_ / "tied").string());
  EXPECT_EQ(tied.exit_code, 0) << tied.text;
}

/// Its mesh is symmetric in shape alone.
TEST_F(OwnPart, HasExactGradientsInPlaneStrainOfStressesOfSymmetricDesignsBehindAHelmholtzFilter) {
  const std::string further = R"(
[filter]
type = "density"
kernel = "helmholtz"
radius = 0.015
[constraints.criteria.stress]
type = "von-mises"
body = "lug"
time = "p-norm"
exponent = 8
leave_out = ["clamp"]
upper = 1e6
)";
  const std::string text = with("thickness = 0.01",
                                "thickness = 0.01, plane = \"strain\", size = 0.01, near = { set = "
                                "\"wall\", size = 0.004, distance = 0.02 }") +
                           further;
  const std::string symmetry = " --set 'bodies.lug.symmetry={normal=[0.0,1.0]}'";
  const Outcome outcome = run("gradient", text, "--check 5 -o " + (folder_ / "out").string() + symmetry);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

TEST_F(OwnPart, HasGradientsThatEqualDifferences) {
  const Outcome outcome = run("gradient", lug, "--check 5 -o " + (folder_ / "out").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("agree"));
}

TEST_F(OwnPart, IsAskedAboutWhereItsUnitOrOrderIsUnlikely) {
  const Outcome metres = run("check", with("unit = \"mm\", ", ""),
                             "--set bodies.lug.markers.pin.cylinder.radius=8 "
                             "--set bodies.lug.markers.pin.cylinder.centre=[60,0]");
  EXPECT_THAT(metres.text, HasSubstr("makes a part of [80, 40] m. In which unit was it drawn?"));
  const Outcome linear = run("check", with("unit = \"mm\"", "unit = \"mm\", order = 1"));
  EXPECT_THAT(linear.text, HasSubstr("tri3 elements lock"));
}

TEST_F(OwnPart, IsRefusedByOneLineWithFileAndKey) {
  const auto expect_refused = [&](const std::string& text, const std::string& message) {
    const Outcome outcome = run("simulate", text, "-o " + (folder_ / "out").string());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 1) << outcome.text;
  };
  expect_refused(with("lug.geo", "lag.geo"),
                 "lug.toml:3: bodies.lug.mesh.file = \"lag.geo\" cannot be used: ");
  expect_refused(with("set = \"wall\"", "set = \"wal\""),
                 "lug.toml:5: bodies.lug.clamp.set = \"wal\" cannot be used: the set \"wal\" is none of the "
                 "mesh; did you "
                 "mean \"wall\"?");
  expect_refused(with("radius = 0.008", "radius = 0.004"),
                 "bodies.lug.markers.pin: no node of the mesh lies there; the nearest node is at");
  expect_refused(with("modes = ", "regions = { eye = { kind = \"solid\", set = \"wall\" } }\nmodes = "),
                 "bodies.lug.regions.eye: has no elements: a surface, or a set of faces or nodes, has none");
  expect_refused(with(", thickness = 0.01", ""),
                 "bodies.lug.mesh.thickness is missing: the part in the file is plane");
  const auto with_symmetry = [&](const std::string& symmetry) {
    return with("modes = ", "symmetry = " + symmetry + "\nmodes = ");
  };
  expect_refused(with_symmetry("{ normal = [0.0, 0.0, 1.0] }"),
                 "bodies.lug.symmetry.normal = [0.0, 0.0, 1.0] leaves the plane of the body");
  expect_refused(with_symmetry("{ normal = [0.0, 0.0] }"),
                 "bodies.lug.symmetry.normal = [0.0, 0.0] has no direction");
  const std::string modulus = R"(
[variables.modulus]
quantity = "bodies.lug.material.youngs_modulus"
lower = 1e8
upper = 2e9
)";
  expect_refused(with_symmetry("{ normal = [0.0, 1.0] }") + modulus,
                 "bodies.lug.symmetry needs densities that vary; add this body to design.bodies");
  expect_refused(
      with("[joints.wall]",
           "[filter]\ntype = \"sensitivity\"\nradius = 0.02\nkernel = \"helmholtz\"\n[joints.wall]"),
      "filter.kernel");
  expect_refused(with("thickness = 0.01", "thickness = 0.01, size = 0.01, near = { size = 0.001 }"),
                 "bodies.lug.mesh.near needs either set or surface");
  expect_refused(with("thickness = 0.01", "thickness = 0.01, plane = \"strian\""),
                 "did you mean \"strain\"?");
  // What is not symmetric is told where designs are made.
  const Outcome outcome =
      run("optimize", with_symmetry("[{ normal = [1.0, 0.0] }]"), "-o " + (folder_ / "out").string());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text,
              HasSubstr("bodies.lug.symmetry cannot be: what is designed is not symmetric about the plane"));
  write_text_file(folder_ / "lug.geo", "Rectangel(1) = {0, 0, 0, 1, 1};\n");
  expect_refused(lug, "lug.geo");
}

}  // namespace
}  // namespace kurbel
