/// The whole chain, from densities to psi and back, on the shipped problems.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/parallel.hpp"
#include "crank.hpp"
#include "evaluation/problem_nlp.hpp"
#include "optimizers/gradient_check.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Evaluated;

/// psi of the solid crank on 60 x 12 elements as h goes to 0, by Richardson's extrapolation of order 2.
double limit_of_solid_crank(bool attachment, double& first_frequency) {
  double psi[2];
  for (int i = 0; i < 2; ++i) {
    const Problem problem =
        read_problem(test::input("flexible_crank.toml"),
                     {"bodies.crank.mesh.divisions=[60,12]", "design.start=1.0",
                      std::string("bodies.crank.modes.attachment=") + (attachment ? "true" : "false"),
                      std::string("integrator.step=") + (i == 0 ? "1e-3" : "5e-4")});
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ChainResult result;
    EXPECT_FALSE(chain.reduce(space.densities(space.start()), result).failed());
    EXPECT_FALSE(chain.simulate(result).failed());
    first_frequency = result.reduced[0].frequencies_hz[0];
    psi[i] = result.psi;
  }
  return (4.0 * psi[1] - psi[0]) / 3.0;
}

TEST(SolidCrank, HasTheReferenceFrequencyAndCompliance) {
  double frequency = 0.0;
  // The references are given to six digits; half a unit of the last one, and the O(h^4) rest of the
  // extrapolation.
  EXPECT_NEAR(limit_of_solid_crank(false, frequency), 2.46227e-4, 1e-9);
  EXPECT_NEAR(frequency, 814.02, 0.005);
  EXPECT_NEAR(limit_of_solid_crank(true, frequency), 2.50012e-4, 1e-9);
}

TEST(SolidCrank, HasItsMass) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"));
  EvaluationChain chain(problem);
  EXPECT_NEAR(chain.body(0)->mass(VectorXd::Ones(8000)), 0.628, 1e-12);
}

struct GradientCase {
  const char* name;
  const char* file;
  std::vector<std::string> overrides;
  bool uniform;  ///< all densities equal, which keeps symmetries
};

void PrintTo(const GradientCase& c, std::ostream* out) {
  *out << c.name;
}

class GradientOf : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientOf, EqualsCentralDifferences) {
  const Problem problem = read_problem(test::input(GetParam().file), GetParam().overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = GetParam().uniform ? VectorXd::Constant(space.n_variables(), 0.7)
                                        : test::random_densities(space.n_variables(), 3);
  const Evaluated at = test::evaluate(chain, space, x);
  EXPECT_LT(at.invariance_defect, 1e-10) << "Phi^T Phi_bar";

  // psi carries the rounding errors of the finite-element solution, some 1e-11 of it, which small steps
  // amplify; large ones need more extrapolation against truncation where p is small. So each row may be met
  // at one of three depths, from steps that keep clear of the kink at 0.1; a wrong entry is met by none.
  const auto errors = [&](int n_elements, int n_directions) {
    VectorXd best = VectorXd::Constant(n_elements + n_directions, std::numeric_limits<double>::infinity());
    for (const int n_steps : {3, 4, 5}) {
      GradientCheckOptions options;
      options.n_elements = n_elements, options.n_directions = n_directions, options.n_steps = n_steps;
      options.largest_step = GetParam().uniform ? 0.1 : 1.6e-2, options.step_ratio = 2.0;
      // A direction whose derivative nearly cancels is judged by a tenth of what directions typically have.
      if (n_directions > 0) options.small_entry = 0.1;
      const auto rows = check_gradient([&](const VectorXd& y) { return test::psi_at(chain, space, y); }, x,
                                       at.gradient, space.lower(), space.upper(), options);
      for (Eigen::Index i = 0; i < best.size(); ++i) best[i] = std::min(best[i], rows[i].relative_error);
    }
    return best;
  };
  EXPECT_LT(errors(12, 0).maxCoeff(), 1e-6);
  EXPECT_LT(errors(0, 3).maxCoeff(), 1e-7);
}

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

INSTANTIATE_TEST_SUITE_P(
    Chain, GradientOf,
    ::testing::Values(
        GradientCase{"Crank2D", "flexible_crank.toml", test::coarse_crank(), false},
        GradientCase{"CrankWithoutAttachmentModes", "flexible_crank.toml",
                     with(test::coarse_crank(), {"bodies.crank.modes.attachment=false"}), false},
        GradientCase{
            "CrankWithFilterAndProjection", "flexible_crank.toml",
            with(test::coarse_crank(), {"filter.type=\"density\"", "filter.radius=0.012",
                                        "projection.type=\"heaviside\"", "projection.beta_start=4.0"}),
            false},
        GradientCase{"CrankInACraigBamptonBasisWithModalDamping", "flexible_crank.toml",
                     with(test::coarse_crank(), {"bodies.crank.modes.basis=\"craig-bampton\"",
                                                 "bodies.crank.damping={modal=0.02}"}),
                     false},
        GradientCase{"CrankInGravityFromARunningStart", "flexible_crank.toml",
                     with(test::coarse_crank(),
                          {"gravity=[0.0,-9.81,0.0]",
                           "joints.bearing.drive={dof=\"rz\",type=\"constant-rate\",rate=30.0,value=0.4}",
                           "integrator.t1=0.4"}),
                     false},
        GradientCase{"CrankInGravityFromAQuasiStaticStart", "flexible_crank.toml",
                     with(test::coarse_crank(),
                          {"gravity=[0.0,-9.81,0.0]",
                           "joints.bearing.drive={dof=\"rz\",type=\"constant-rate\",rate=30.0,value=0.4}",
                           "initial={state=\"quasi-static\"}", "integrator.t1=0.4"}),
                     false},
        GradientCase{"CrankThatLeavesItsStaticEquilibrium", "flexible_crank.toml",
                     with(test::coarse_crank(),
                          {"gravity=[0.0,-9.81,0.0]", "joints.bearing.drive=[]",
                           "torsion_springs.coil={from=\"ground\",to=\"crank\",stiffness=20.0}",
                           "loads.pull={marker=\"rod.end\",force=[{type=\"constant-rate\",rate=200.0},0,0]}",
                           "initial={state=\"static-equilibrium\"}", "integrator.t1=0.2"}),
                     false},
        GradientCase{"Crank3D", "flexible_crank_3d.toml", test::coarse_crank_3d(), false},
        // Square section: the bending modes come in equal pairs, of which none is split.
        GradientCase{
            "SquareBar3D", "flexible_crank_3d.toml",
            with(test::coarse_crank_3d(),
                 {"bodies.crank.mesh.origin=[0.0,-0.01,-0.01]", "bodies.crank.mesh.size=[0.2,0.02,0.02]",
                  "bodies.crank.mesh.divisions=[20,3,3]", "bodies.crank.modes.normal=2"}),
            true}),
    [](const auto& info) { return std::string(info.param.name); });

constexpr const char* cantilever = R"(
gravity = [0.0, -9.81, 0.0]
[initial]
state = "static-equilibrium"
[bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "rectangle"
origin = [0.0, -0.01]
size = [1.0, 0.02]
divisions = [400, 4]
thickness = 0.01
[bodies.beam.material]
youngs_modulus = 2.1e11
poisson_ratio = 0.3
density = 7850.0
[bodies.beam.clamp]
x = 0.0
[bodies.beam.markers.tip]
x = 1.0
[bodies.beam.modes]
normal = 5
[joints.wall]
type = "fixed"
from = "ground"
to = "beam"
[integrator]
t1 = 0.1
step = 1e-3
[objective]
type = "displacement"
marker = "beam.tip"
component = "y"
time = "mean"
)";

TEST(StaticStart, SagsACantileverAsBeamTheorySaysAndLeavesItAtRest) {
  const Problem problem = read_problem(TomlDocument::parse(cantilever, "cantilever.toml", ".", {}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ChainResult result;
  ASSERT_FALSE(chain.reduce(space.densities(space.start()), result).failed());
  ASSERT_FALSE(chain.simulate(result).failed());
  constexpr double area = 0.02 * 0.01, inertia = 0.01 * 0.02 * 0.02 * 0.02 / 12.0;
  const double sag = 7850.0 * area * 9.81 / (8.0 * 2.1e11 * inertia);
  // The elements are too stiff by (G / E) (a / h)^2 = 0.6 % for their length a, and some more for their
  // height.
  EXPECT_NEAR(result.psi, -sag, 0.015 * sag);
  const Sid& sid = result.reduced[0].sid;
  const VectorXd q = sid.Ke.M0.fullPivLu().solve(sid.Ct.M0 * problem.system.gravity);
  const auto time_history = result.trajectory.y.middleRows(7, q.size());
  EXPECT_LT((time_history.col(0) - q).norm(), 1e-12 * q.norm());
  EXPECT_LT((time_history.colwise() - q).cwiseAbs().maxCoeff(), 1e-11 * q.norm());
}

TEST(StaticStart, TurnsTheEndOfACantileverAsBeamTheorySays) {
  constexpr double inertia = 0.01 * 0.02 * 0.02 * 0.02 / 12.0;
  const double turn = 7850.0 * 0.02 * 0.01 * 9.81 / (6.0 * 2.1e11 * inertia);  // q L^3 / (6 E I)
  for (const char* type : {"rotation", "attitude"}) {
    const Problem problem = read_problem(
        TomlDocument::parse(cantilever, "cantilever.toml", ".",
                            {"objective.type=\"" + std::string(type) + "\"", "objective.component=\"z\""}));
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ChainResult result;
    ASSERT_FALSE(chain.reduce(space.densities(space.start()), result).failed());
    ASSERT_FALSE(chain.simulate(result).failed());
    EXPECT_NEAR(result.psi, -turn, 0.015 * turn) << type;  // stiff as in the sag above
  }
}

TEST(SensitivityMethods, GiveTheSameGradientOfTheCrank) {
  const auto gradient_by = [](const std::string& method, const std::string& step) {
    const Problem problem = read_problem(
        test::input("flexible_crank.toml"),
        with(test::coarse_crank(),
             {"sensitivity.method=\"" + method + "\"", "integrator.t1=0.4", "integrator.step=" + step}));
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    return test::evaluate(chain, space, test::random_densities(space.n_variables(), 3)).gradient;
  };
  const VectorXd coarse = gradient_by("discrete-adjoint", "4e-3"),
                 fine = gradient_by("discrete-adjoint", "2e-3");
  EXPECT_LT((gradient_by("direct", "4e-3") - coarse).norm(), 1e-10 * coarse.norm());
  const double coarse_error = (gradient_by("continuous-adjoint", "4e-3") - coarse).norm() / coarse.norm(),
               fine_error = (gradient_by("continuous-adjoint", "2e-3") - fine).norm() / fine.norm();
  EXPECT_LT(fine_error, 5e-3);
  EXPECT_GT(std::log2(coarse_error / fine_error), 1.7);  // two in the limit
}

TEST(GradientOfP0, AgreesWithForwardDifferencesAsInThePaper) {
  // [P0, section 4]: p = 1, forward differences with perturbations 5e-2. psi is cubic in p to leading order,
  // so the differences are off by about 5 %; with half of the perturbation, by half of that.
  const Problem problem = read_problem(test::input("flexible_crank.toml"), test::coarse_crank());
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_densities(chain.bodies(), {});
  const VectorXd ones = VectorXd::Ones(space.n_variables());
  const Evaluated at = test::evaluate(chain, space, ones);
  const std::vector<Eigen::Index> elements = {0, 14, 40, 75, 95, 120, 150, 179};
  const auto error = [&](double perturbation) {
    double difference = 0.0, size = 0.0;
    for (const Eigen::Index e : elements) {
      VectorXd moved = ones;
      moved[e] += perturbation;
      const double forward = (*test::psi_at(chain, space, moved) - at.psi) / perturbation;
      difference += std::pow(forward - at.gradient[e], 2);
      size += std::pow(at.gradient[e], 2);
    }
    return std::sqrt(difference / size);
  };
  const double coarse = error(5e-2), fine = error(2.5e-2);
  EXPECT_LT(coarse, 0.08);
  EXPECT_NEAR(coarse / fine, 2.0, 0.15);
}

/// Numbers alone may be designed, of a part with a shape that another run found.
TEST(DesignSpace, KeepsDensitiesOfAFileWhereNoneAreDesigned) {
  const TemporaryFolder folder;
  const Problem problem = read_problem(test::input("arm_codesign.toml"),
                                       {"bodies.forearm.mesh.divisions=[12,3]",
                                        "bodies.forearm.regions.grip.x=[0.27,0.3]", "design.bodies=[]"});
  EvaluationChain chain(problem);
  const std::size_t forearm = problem.find_body("forearm").value();
  const Eigen::Index n = chain.body(forearm)->n_elements();
  const VectorXd given = VectorXd::LinSpaced(n, 0.2, 1.0);
  std::ofstream(folder / "density.txt") << given;
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), folder / "density.txt");
  EXPECT_EQ(space.n_variables(), 2 * 9) << "nodes of two torques";
  EXPECT_LT((space.densities(space.start())[forearm] - given).lpNorm<Eigen::Infinity>(), 1e-5);
}

/// Where the payload of the arm is at the end.
VectorXd payload_at_the_end(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(),
                   {"bodies.forearm.mesh.divisions=[30,6]", "bodies.forearm.mesh.thickness=0.004",
                    "filter.radius=0.012", "projection.type=\"none\""});
  const Problem problem = read_problem(test::input("arm_codesign.toml"), overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ChainResult result;
  EXPECT_FALSE(chain.reduce(space.at(space.start()), result).failed());
  EXPECT_FALSE(chain.simulate(result).failed()) << testing::PrintToString(overrides);
  const OutputHistory output = result.motion->outputs(result.trajectory).front();
  EXPECT_EQ(output.name, "payload");
  return output.values.rightCols<1>();
}

/// Torques that set in suddenly shake elastic coordinates whose periods are far below a step. From the
/// accelerations of the start alone, Newton's iteration failed in the first steps, or found another solution
/// of them; the one that is meant converges with the step.
TEST(Simulation, IsNotLedAstrayWhereTorquesSetIn) {
  for (const double density : {0.3, 0.6}) {
    const std::vector<std::string> problem = {"controls.shoulder_torque.start=3.0",
                                              "controls.elbow_torque.start=2.0",
                                              fmt::format("design.start={}", density)};
    const auto end = [&](const char* step) {
      return payload_at_the_end(with(problem, {fmt::format("integrator.step={}", step)}));
    };
    const VectorXd fine = end("2.5e-4");
    const double coarse_error = (end("2.5e-3") - fine).norm(), error = (end("1.25e-3") - fine).norm();
    EXPECT_LT(error, 0.35 * coarse_error) << density;
    EXPECT_LT(error, 0.05) << density;
  }
}

/// Without a penalty on intermediate densities, whose local optima lie some percent apart.
TEST(Optimizers, ReachTheSameObjectiveOnTheSmallCrank) {
  const std::atomic<bool> interrupted{false};
  double best = std::numeric_limits<double>::infinity(), worst = 0.0, start = 0.0;
  std::string found;
  for (const char* method : {"oc", "mma", "ipopt"}) {
    const Problem problem =
        read_problem(test::input("flexible_crank_small.toml"),
                     {std::string("optimizer.method=\"") + method + "\"", "optimizer.stop.iterations=120",
                      "integrator.step=1e-2", "bodies.crank.simp.s=1.0"});
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ProblemNlp nlp(chain, space, interrupted);
    const OptimizerResult result = make_optimizer(problem.optimizer)->minimize(nlp, space.start(), {});
    EXPECT_TRUE(result.feasible) << method << ": " << result.message;
    EXPECT_LT(result.evaluation.constraints[0], 1e-6) << method;
    best = std::min(best, result.evaluation.objective);
    worst = std::max(worst, result.evaluation.objective);
    start = *test::psi_at(chain, space, space.start());
    found += fmt::format("{}: {:.4g}, {}\n", method, result.evaluation.objective, result.message);
  }
  EXPECT_LT(worst, 1.002 * best) << found;
  EXPECT_LT(worst, 0.65 * start);
}

TEST(ModesUpToAFrequency, AreCountedAtTheStartDesignWhateverTheDesignIs) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"),
                                       with(test::coarse_crank(), {"bodies.crank.modes={up_to=6000.0}"}));
  EvaluationChain chain(problem), from_start(problem);
  const DesignSpace space = DesignSpace::of_problem(from_start.bodies(), {});
  ChainResult low, start;
  ASSERT_FALSE(chain.reduce(BodyFields{VectorXd::Constant(180, 0.2), VectorXd()}, low).failed());
  ASSERT_FALSE(from_start.reduce(space.at(space.start()), start).failed());
  EXPECT_EQ(chain.body(0)->n_q(), from_start.body(0)->n_q());
  EXPECT_LT(low.reduced[0].next_frequency_hz, 6000.0);
  EXPECT_GT(start.reduced[0].next_frequency_hz, 6000.0);
}

TEST(Evaluation, HasTheSameBitsForAnyNumberOfThreads) {
  const Problem problem =
      read_problem(test::input("flexible_crank.toml"),
                   {"bodies.crank.mesh.divisions=[100,20]", "filter.radius=3e-3", "integrator.step=1e-2"});
  const int before = threads();
  std::optional<Evaluated> first;
  for (const int n_threads : {1, 2, 3, 5}) {
    set_threads(n_threads);
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    const VectorXd start = space.start();
    const VectorXd x = start.cwiseProduct(VectorXd::LinSpaced(start.size(), 0.8, 1.0));
    const Evaluated evaluated = test::evaluate(chain, space, x);
    if (!first) first = evaluated;
    EXPECT_EQ(evaluated.psi, first->psi) << n_threads;
    EXPECT_EQ(evaluated.gradient, first->gradient) << n_threads;
  }
  set_threads(before);
}

}  // namespace
}  // namespace kurbel
