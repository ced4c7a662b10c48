/// Variables besides densities, alone and together: gradients, maps, refusals.
#include <gtest/gtest.h>

#include "crank.hpp"
#include "design_functions.hpp"
#include "sid/sid_hdf5.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::differences;
using test::Functions;
using test::functions_at;

const std::atomic<bool> interrupted{false};

/// "variables.NAME={quantity=..., lower=..., upper=...}" with further keys.
std::string variable(const std::string& name, const std::string& quantity, const std::string& bounds) {
  return "variables." + name + "={quantity=\"" + quantity + "\", " + bounds + "}";
}

const std::vector<std::string> of_elements = {
    variable("modulus", "bodies.crank.material.youngs_modulus", "lower=1e11, upper=3e11"),
    variable("rho_left", "bodies.crank.material.density", "lower=5e3, upper=9e3, elements={x=[0.0, 0.1]}"),
    variable("rho_right", "bodies.crank.material.density", "lower=5e3, upper=9e3, elements={x=[0.1, 0.2]}"),
    variable("t", "bodies.crank.mesh.thickness",
             "lower=5e-3, upper=2e-2, elements={y=[0.01, 0.02]}, each_element=true"),
    variable("crank_length", "bodies.crank.mesh.size", "component=\"x\", lower=0.15, upper=0.25"),
    variable("height", "bodies.crank.mesh.size", "component=\"y\", lower=0.03, upper=0.06")};
const std::vector<std::string> of_mechanism = {
    variable("mass", "bodies.rod.mass", "lower=0.2, upper=0.9"),
    variable("centre", "bodies.rod.centre_of_mass", "component=\"y\", lower=-0.02, upper=0.03"),
    variable("inertia", "bodies.rod.inertia", "component=\"zz\", lower=5e-3, upper=2e-2"),
    variable("length", "bodies.rod.markers.end.position", "component=\"x\", lower=0.45, upper=0.6"),
    variable("rail", "ground.markers.rail.position", "component=\"y\", lower=-0.02, upper=0.02"),
    variable("k", "springs.s.stiffness", "lower=0.0, upper=100.0"),
    variable("d", "springs.s.damping", "lower=0.0, upper=5.0"),
    variable("l0", "springs.s.free_length", "lower=0.1, upper=0.9"),
    variable("kt", "torsion_springs.h.stiffness", "lower=0.0, upper=5.0"),
    variable("dt", "torsion_springs.h.damping", "lower=0.0, upper=0.2"),
    variable("a0", "torsion_springs.h.free_angle", "lower=-1.0, upper=1.0")};
const std::vector<std::string> mechanism = {
    "integrator.t1=0.4",
    "ground.markers.rail={position=[0.0, 0.005, 0.0]}",
    "joints.slider.to=\"ground.rail\"",
    "springs.s={from=\"ground.rail\", to=\"rod.end\", stiffness=40.0, damping=1.0, free_length=0.4}",
    "torsion_springs.h={from=\"crank.pin\", to=\"rod\", stiffness=2.0, damping=0.05, free_angle=0.2}",
    "constraints={mass=0.4, volume_fraction=0.5, criteria={"
    "load={type=\"reaction-force\", joint=\"pin\", time=\"p-norm\", exponent=4, upper=50.0}, "
    "speed={type=\"velocity\", marker=\"rod.end\", form=\"half-square\", time=\"mean\", upper=0.5}}}"};

std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// Every function by every variable that is no density, and along one direction of all densities.
void expect_gradients_equal_differences(const Problem& problem) {
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  VectorXd x = space.start();
  x.head(space.n_densities()) = test::random_densities(space.n_densities(), 3).cwiseMin(0.97);
  const Functions at = functions_at(nlp, x);
  ASSERT_GT(space.variables().size(), 0);
  const auto expect_equal = [&](const VectorXd& d, const std::string& name) {
    const VectorXd expected = differences(nlp, x, d, 1.6e-2);
    for (Eigen::Index j = 0; j < expected.size(); ++j) {
      const double size = at.gradients.row(j).cwiseAbs().maxCoeff() * d.norm();
      EXPECT_NEAR(at.gradients.row(j).dot(d), expected[j], 1e-7 * size) << "function " << j << " by " << name;
    }
  };
  for (Eigen::Index i = space.n_densities(); i < x.size(); ++i)
    expect_equal(VectorXd::Unit(x.size(), i), space.name_of(i));
  VectorXd d = VectorXd::Zero(x.size());
  for (Eigen::Index i = 0; i < space.n_densities(); ++i) d[i] = std::sin(double(i)) / 10.0;
  if (space.n_densities() > 0) expect_equal(d, "all densities");
}

TEST(DesignVariables, TogetherWithDensitiesHaveGradientsThatEqualDifferences) {
  expect_gradients_equal_differences(
      read_problem(test::input("flexible_crank.toml"),
                   joined({test::coarse_crank(),
                           {"bodies.crank.mesh.divisions=[12,4]", "filter={type=\"density\", radius=0.02}"},
                           mechanism,
                           of_mechanism,
                           of_elements,
                           {"design.bodies=[\"crank\"]"}})));
}

TEST(DesignVariables, AloneHaveGradientsThatEqualDifferences) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"),
                                       joined({test::coarse_crank(),
                                               {"bodies.crank.mesh.divisions=[12,4]", "design={}"},
                                               mechanism,
                                               of_mechanism,
                                               of_elements}));
  EXPECT_TRUE(problem.design.bodies.empty());
  expect_gradients_equal_differences(problem);
}

TEST(DesignVariables, OfARigidMechanismHaveGradientsThatEqualDifferences) {
  expect_gradients_equal_differences(
      read_problem(test::input("balanced_crank.toml"), {"springs.buffer.stiffness=5e3"}));
}

TEST(DesignVariables, StartAtTheValuesOfTheFileAndKeepToTheirElements) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"),
                                       joined({test::coarse_crank(),
                                               {"bodies.crank.mesh.divisions=[12,4]", "design={}"},
                                               mechanism,
                                               of_mechanism,
                                               of_elements}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const Design start = space.at(space.start());
  EXPECT_NEAR(start.system[0], 0.5, 1e-15);
  EXPECT_TRUE(start.bodies[0].thickness.isApproxToConstant(0.01, 1e-14));
  EXPECT_NEAR(space.volume_fraction(start), 1.0, 1e-13);

  VectorXd x = space.start();
  const auto set = [&](const std::string& name, double scaled) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (space.name_of(i) == name) x[i] = scaled;
    }
  };
  set("rho_left", 1.0), set("mass", 0.0);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (space.name_of(i).rfind("t[", 0) == 0) x[i] = 1.0;
  }
  const Design design = space.at(x);
  EXPECT_NEAR(design.system[0], 0.2, 1e-15);
  // The upper quarter of the crank is twice as thick; its left half is of 9000 instead of 7850 kg/m^3.
  EXPECT_NEAR(space.volume_fraction(design), 1.25, 1e-13);
  const fem::Mesh& mesh = chain.body(0)->mesh();
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const auto centre = mesh.centres().col(e);
    EXPECT_DOUBLE_EQ(design.bodies[0].solid_density[e], centre[0] < 0.1 ? 9e3 : 7850.0);
    EXPECT_DOUBLE_EQ(design.bodies[0].thickness[e], centre[1] > 0.01 ? 0.02 : 0.01);
  }
}

TEST(DesignVariables, RefuseElementsThatAreVariedTwiceAndBoxesWithoutElements) {
  const auto error = [](const std::vector<std::string>& variables) {
    const Problem problem =
        read_problem(test::input("flexible_crank.toml"), joined({test::coarse_crank(), variables}));
    EvaluationChain chain(problem);
    return input_error_message([&] { const DesignVariables refused(chain.bodies()); });
  };
  EXPECT_THAT(
      error({of_elements[1], variable("all", "bodies.crank.material.density", "lower=5e3, upper=9e3")}),
      ::testing::HasSubstr("variables.all.quantity is varied by rho_left already in some of these"));
  EXPECT_THAT(error({variable("none", "bodies.crank.material.density",
                              "lower=5e3, upper=9e3, elements={x=[1.0, 2.0]}")}),
              ::testing::HasSubstr("variables.none.elements holds the centre of no element"));
}

// A point mass has no inertia; what joints hold needs none.
TEST(DesignVariables, LeaveInertiasAloneThatTheyDoNotVary) {
  const TemporaryFolder folder;
  write_sid_file(folder / "point.h5",
                 {{"point", make_rigid_sid(0.5, {0.1, 0.0, 0.0}, Matrix3d::Zero(), {})}});
  const Problem problem = read_problem(TomlDocument::parse(R"(
[bodies.point]
type = "sid"
file = "point.h5"
[joints.mount]
type = "fixed"
from = "ground"
to = "point"
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "reaction-force"
joint = "mount"
time = "mean"
)",
                                                           "point.toml", folder.path(), {}));
  EvaluationChain chain(problem);
  ChainResult result;
  ASSERT_FALSE(chain.reduce(chain.nominal(BodyFields(1)), result).failed());
  const Status failure = chain.simulate(result);
  EXPECT_FALSE(failure.failed()) << failure.message();
}

TEST(DesignVariables, FailByNameWhereNoBodyHasSuchInertia) {
  const Problem problem =
      read_problem(test::input("balanced_crank.toml"),
                   {variable("product", "bodies.crank.inertia", "component=\"xy\", lower=-0.1, upper=0.1")});
  EvaluationChain chain(problem);
  Design design = chain.nominal(BodyFields(chain.n_bodies()));
  design.system[design.system.size() - 1] = 0.1;
  ChainResult result;
  ASSERT_FALSE(chain.reduce(design, result).failed());
  const Status failure = chain.simulate(result);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("crank"));
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("not positive definite"));
}

}  // namespace
}  // namespace kurbel
