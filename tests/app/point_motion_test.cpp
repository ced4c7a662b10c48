/// Problems of masses in points and planar beams behind the seam of all formulations, against published numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "evaluation/evaluation_chain.hpp"
#include "formulation/natural_motion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/numerics.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using Method = SensitivityOptions::Method;

Problem read(const std::string& input, const std::vector<std::string>& overrides = {}) {
  return read_problem(test::input(input), overrides);
}

/// The model at the values that the input begins with: objective of the last stage, then all functions.
struct Simulated {
  explicit Simulated(Problem of)
      : problem(std::move(of)), sets(problem), model(std::make_shared<NaturalModel>(problem, sets)) {
    requested.stage = problem.first_stages.size();
    requested.functions.resize(model->functions().size());
    std::iota(requested.functions.begin(), requested.functions.end(), 0);
    z = model->numbers();
    simulate(z);
  }
  VectorXd simulate(const VectorXd& at) {
    EXPECT_FALSE(model->make({at, {}, {}}, motion).failed());
    EXPECT_FALSE(motion->simulate(trajectory).failed());
    return values();
  }
  VectorXd values() {
    const std::vector<CriterionValues> of_functions = motion->values(trajectory, requested);
    VectorXd values(static_cast<Eigen::Index>(of_functions.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i)
      values[i] = of_functions[static_cast<std::size_t>(i)].value;
    return values;
  }
  MatrixXd gradients(Method method) {
    return motion->gradients(trajectory, requested, method, motion->directions({}).p_dot).along;
  }

  Problem problem;
  StressSets sets;
  std::shared_ptr<NaturalModel> model;
  RequestedFunctions requested;
  VectorXd z;
  std::unique_ptr<Motion> motion;
  Trajectory<double> trajectory;
};

/// The same with complex numbers: parameters are linear in those of the variables.
VectorX<Complex> complex_values(const Simulated& run, const VectorX<Complex>& z) {
  const Problem& problem = run.problem;
  const MatrixXd p_dot = run.motion->directions({}).p_dot.toDense();
  SystemSpec spec = problem.system;
  for (const std::vector<TiedQuantity>& tied : run.model->quantities()) {
    for (const TiedQuantity& one : tied) make_parameter(one.quantity, spec);
  }
  NaturalSystem<Complex> system(spec);
  const VectorX<Complex> change = z - run.z.cast<Complex>();
  system.set_parameters(system.parameters() + p_dot.cast<Complex>() * change);
  const auto steps = make_dae_steps<Complex>(system, problem.integrator);
  Trajectory<Complex> trajectory;
  EXPECT_FALSE(simulate(*steps, trajectory).failed());
  const std::vector<CriterionConstraint>& functions = problem.constraints.criteria;
  VectorX<Complex> values(std::ssize(functions) + 1);
  values[0] = make_criterion(*steps, system, problem.objective).value(trajectory);
  for (std::size_t i = 0; i < functions.size(); ++i)
    values[static_cast<Eigen::Index>(i) + 1] =
        make_criterion(*steps, system, functions[i].terms).value(trajectory);
  return values;
}

// --- [P2, section 5.1]: columns of the gradients are the cost and the reaction force at 0, 1 and 2 s.

TEST(OneMassOscillator, HasThePublishedReactionForces) {
  Simulated run(read("one_mass_oscillator.toml"));
  const VectorXd force = run.values().tail(3);
  ASSERT_EQ(run.model->functions().size(), 3);
  EXPECT_EQ(force[0], 0.0);
  EXPECT_NEAR(force[1], 5.8958984, 5e-8);  // half a unit of the last digit printed
  EXPECT_NEAR(force[2], 7.9787138, 5e-8);
}

TEST(OneMassOscillator, HasThePublishedSensitivity) {
  Simulated run(read("one_mass_oscillator.toml"));
  for (const auto method : {Method::discrete_adjoint, Method::direct}) {
    const VectorXd gradient = run.gradients(method).col(3);
    EXPECT_NEAR(gradient[0], 0.19791229, 5e-9);
    EXPECT_NEAR(gradient[1], 0.91699900, 5e-9);
    EXPECT_NEAR(gradient[2], 0.24879846, 5e-9);
  }
}

TEST(OneMassOscillator, ForceDependsOnNoControlAfterIt) {
  // Between linear nodes. A natural spline bends everywhere when one of its nodes moves.
  Simulated linear(read("one_mass_oscillator.toml", {"controls.u.interpolation=\"linear\""}));
  Simulated natural(read("one_mass_oscillator.toml"));
  const auto at_1s = [](Simulated& run) { return VectorXd(run.gradients(Method::discrete_adjoint).col(2)); };
  EXPECT_EQ(at_1s(linear)[2], 0.0);
  EXPECT_GT(at_1s(linear)[1], 0.01);
  EXPECT_LT(at_1s(natural)[2], -0.01);
}

TEST(OneMassOscillator, AdjointVariablesBeginAtTheirConstraint) {
  // [P2, eqs 47-49]: R_j is zero after t_j, (c, d) at t_j, and then a product with I + h A per step.
  Simulated run(read("one_mass_oscillator.toml"));
  const double h = run.motion->steps().time(1);
  const Eigen::Matrix2d step = (Eigen::Matrix2d() << 1.0, h, -h, 1.0 - 0.5 * h).finished();
  Eigen::RowVector2d R_1 = Eigen::RowVector2d::Zero(), R_2 = R_1;
  const auto functions = run.motion->objectives(run.trajectory, run.requested);
  std::vector<const Objective<double>*> pointers;
  for (const auto& function : functions) pointers.push_back(function.get());
  discrete_adjoint<double>(run.motion->steps(), run.trajectory, pointers,
                           [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& y_bar,
                               const std::vector<Eigen::Index>& objective_of_column) {
                             R_1 = k > 1000 ? R_1 : k == 1000 ? Eigen::RowVector2d(1.0, 0.5) : R_1 * step;
                             R_2 = k == 2000 ? Eigen::RowVector2d(1.0, 0.5) : R_2 * step;
                             MatrixXd found = MatrixXd::Zero(4, 2);
                             for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
                               found.row(objective_of_column[static_cast<std::size_t>(j)]) = y_bar.col(j);
                             }
                             EXPECT_LT((found.row(2) - R_1).cwiseAbs().maxCoeff(), 1e-12) << "step " << k;
                             EXPECT_LT((found.row(3) - R_2).cwiseAbs().maxCoeff(), 1e-12) << "step " << k;
                           });
}

TEST(OneMassOscillator, GradientsEqualComplexStepAndDifferences) {
  Simulated run(read("one_mass_oscillator.toml"));
  const MatrixXd expected =
      test::complex_step([&](const VectorX<Complex>& z) { return complex_values(run, z); }, run.z)
          .transpose();
  EXPECT_LT(test::column_error(run.gradients(Method::discrete_adjoint), expected), 1e-12);
  EXPECT_LT(test::column_error(run.gradients(Method::direct), expected), 1e-12);
}

/// In either formulation, where no element is designed.
TEST(EvaluationChain, DifferencesAndAutomaticChoiceGiveTheGradient) {
  // Differences of values of order 10 over 1e-5; and what Newton's iteration leaves.
  for (const auto& [file, overrides, tolerance] :
       {std::tuple("one_mass_oscillator.toml", std::vector<std::string>{}, 1e-8),
        std::tuple("balanced_crank.toml", std::vector<std::string>{"integrator.t1=0.02"}, 1e-5)}) {
    SCOPED_TRACE(file);
    const Problem problem = read(file, overrides);
    EvaluationChain chain(problem);
    ChainResult at;
    ASSERT_FALSE(chain.reduce(chain.nominal(BodyFields(chain.n_bodies())), at).failed());
    ASSERT_FALSE(chain.simulate(at).failed());
    std::vector<Design> exact, found, chosen, again;
    ASSERT_FALSE(chain.gradients(at, true, Method::discrete_adjoint, exact).failed());
    ASSERT_FALSE(chain.gradients(at, true, Method::automatic, chosen).failed());
    ASSERT_FALSE(chain.gradients(at, true, Method::finite_differences, found).failed());
    ASSERT_EQ(found.size(), 1 + chain.requested().functions.size());
    for (std::size_t j = 0; j < found.size(); ++j) {
      const double size = 1e-3 + exact[j].system.norm();
      EXPECT_LT((found[j].system - exact[j].system).norm(), tolerance * size) << j;
      EXPECT_LT((chosen[j].system - exact[j].system).norm(), 1e-10 * size) << j;
    }
    // They leave the motion as it was.
    ASSERT_FALSE(chain.gradients(at, true, Method::discrete_adjoint, again).failed());
    EXPECT_EQ(again.back().system, exact.back().system);
  }
}

TEST(PointMotion, OfTwoDesignsKeepTheirOwnParameters) {
  Simulated run(read("one_mass_oscillator.toml"));
  const MatrixXd expected = run.gradients(Method::discrete_adjoint);
  const VectorXd values = run.values();
  std::unique_ptr<Motion> other;
  const VectorXd doubled = 2.0 * run.z;
  ASSERT_FALSE(run.model->make({doubled, {}, {}}, other).failed());
  Trajectory<double> trajectory;
  ASSERT_FALSE(other->simulate(trajectory).failed());
  EXPECT_EQ(run.values(), values);
  EXPECT_EQ(run.gradients(Method::discrete_adjoint), expected);
}

// --- Every criterion

/// Arms of rubber with a spring; soft and short enough for differences in the last digits.
const char* const arm = R"(formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
[bodies.bob]
type = "point"
mass = 0.2
initial.position = [0.9, -0.4, 0.0]
initial.velocity = [0.5, 0.2, 0.0]
free = ["x", "y"]
[beams.arm]
type = "planar"
start = [0.1, 0.2, 0.0]
direction = [1.0, -0.3, 0.0]
elements = 2
length = 0.8
section.shape = "rectangle"
section.width = 0.02
section.height = [0.05, 0.04]
youngs_modulus = 2e5
poisson_ratio = 0.3
density = 1000.0
[joints.shoulder]
type = "revolute"
from = "ground"
to = "arm.start"
damping = 0.02
[springs.rope]
law = "hooke"
from = "arm.end"
to = "bob"
stiffness = 10.0
damping = 0.1
free_length = 0.3
[controls.torque]
type = "torque"
joint = "shoulder"
nodes = 4
start = [0.1, -0.2, 0.3, 0.2]
[controls.push]
type = "force"
marker = "bob"
direction = [0.0, 2.0, 0.0]
nodes = 3
start = [0.5, 0.6, -0.4]
[variables.height]
quantity = "beams.arm.section.height"
each_element = true
lower = 0.01
upper = 0.1
[variables.length]
quantity = "beams.arm.length"
lower = 0.5
upper = 1.0
[variables.rope]
quantity = "springs.rope.stiffness"
lower = 1.0
upper = 20.0
[outputs.place]
type = "position"
marker = "bob"
axes = ["y", "x"]
[outputs.effort]
type = "control-energy"
[integrator]
method = "implicit-euler"
t1 = 0.02
step = 0.001
)";

/// A term in the words of an input, and the size of what it is made of.
struct Quantified {
  const char* words;
  double size;
};

const Quantified every_quantity[] = {
    {"type='position', marker='arm.end', component='x'", 1.0},
    {"type='position', marker='arm.end', target=[0.1, {type='constant-rate', value=0.2, rate=3.0}]", 1.0},
    {"type='output', output='place', form='half-square'", 1.0},
    {"type='output', output='place', component='x', target=0.4", 1.0},
    {"type='velocity', marker='bob', axes=['y']", 1.0},
    {"type='velocity', marker='bob', axes=['y'], target=[0.5]", 1.0},
    {"type='distance', marker='bob', from='arm.end'", 1.0},
    {"type='distance', marker='bob', target=0.3", 1.0},
    {"type='spring-force', spring='rope', component='y'", 1.0},
    {"type='spring-force', spring='rope'", 1.0},
    {"type='output', output='place'", 1.0},
    {"type='velocity', marker='bob', axes=['y'], target=[0.5], form='half-square'", 1.0},
    {"type='velocity', marker='bob', component='y', form='magnitude'", 1.0},
    {"type='distance', marker='bob', target=0.3, form='half-square'", 1.0},
    {"type='stress', beam='arm', along=0.625, up=0.8", 1e4},
    {"type='kinetic-energy'", 1.0},
    {"type='control-energy'", 0.1},
    {"type='control-energy', control='push'", 0.1},
};

const std::pair<const char*, double> every_functional[] = {{"time='integral'", 0.0},
                                                           {"time='mean'", 0.0},
                                                           {"time='final'", 0.0},
                                                           {"time='p-norm', exponent=6", 0.0},
                                                           {"time='ks'", 3.0},
                                                           {"time='ks'", -2.0},
                                                           {"time='instants', at=[0.004, 0.013]", 0.0},
                                                           {"time='instants', every=7", 0.0},
                                                           {"time='instants', intervals=4", 0.0}};

std::string with_quotes(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

/// All functionals of a quantity as weighted terms of the objective and as constraints of their own.
Problem problem_of(const Quantified& quantity) {
  std::string objective, constraints;
  for (const auto& [words, exponent] : every_functional) {
    std::string term = std::string(quantity.words) + ", " + words;
    if (exponent != 0.0) term += ", exponent=" + std::to_string(exponent / quantity.size);
    const std::string name = "c" + std::to_string(constraints.size());
    objective += "{" + term + ", weight=" + std::to_string(1.0 + 0.1 * exponent) + "}, ";
    constraints += "[constraints.criteria." + name + "]\n";
    constraints += "terms = [{" + term + ", weight=1.5}]\nupper = 1.0\n";
  }
  return read_problem(TomlDocument::parse(
      with_quotes("objective = [" + objective + "]\n" + arm + constraints), "arm.toml", ".", {}));
}

TEST(PointCriteria, OfEveryQuantityAndFunctionalHaveGradientsThatEqualComplexStep) {
  for (const Quantified& quantity : every_quantity) {
    SCOPED_TRACE(quantity.words);
    Simulated run(problem_of(quantity));
    const MatrixXd expected =
        test::complex_step([&](const VectorX<Complex>& z) { return complex_values(run, z); }, run.z)
            .transpose();
    ASSERT_EQ(expected.cols(), 1 + std::ssize(every_functional));
    for (const Method method : {Method::discrete_adjoint, Method::direct}) {
      const MatrixXd found = run.gradients(method);
      for (Eigen::Index j = 0; j < expected.cols(); ++j) {
        EXPECT_GT(expected.col(j).norm(), 0.0) << j;
        // Newton's iterations end with a quadratically small error.
        EXPECT_LT((found.col(j) - expected.col(j)).norm(), 1e-9 * expected.col(j).norm()) << j;
      }
    }
  }
}

TEST(PointCriteria, OfOneMomentAreThoseOfTheOutputs) {
  Simulated run(problem_of(every_quantity[2]));
  const std::vector<OutputHistory> outputs = run.motion->outputs(run.trajectory);
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[1].values(0, 0), 0.5 * (0.1 * 0.1 + 0.5 * 0.5)) << "of that instant";
  EXPECT_NE(outputs[1].values(0, 20), outputs[1].values(0, 0));
  EXPECT_EQ(outputs[0].rows, (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(outputs[0].unit, "m");
  ASSERT_EQ(outputs[0].values.cols(), 21);
  EXPECT_EQ(outputs[0].values(0, 0), -0.4);
  EXPECT_EQ(outputs[0].values(1, 0), 0.9);
  const double half_square = 1.5 * 0.5 * outputs[0].values.col(20).squaredNorm();
  EXPECT_NEAR(run.values()[3], half_square, 1e-15) << "without a target";
}

// The trapezoidal rule of the p-norm's mean counts the ends half.
TEST(PointCriteria, StandBesideTheirTrueExtremes) {
  Simulated run(problem_of(every_quantity[6]));
  const std::vector<CriterionValues> values = run.motion->values(run.trajectory, run.requested);
  const CriterionValues &p_norm = values[4], &largest = values[5], &smallest = values[6];
  EXPECT_LT(p_norm.value, p_norm.high);
  EXPECT_LT(largest.value, largest.high);
  EXPECT_GT(smallest.value, smallest.low);
  EXPECT_EQ(largest.high, p_norm.high);
  EXPECT_TRUE(run.problem.constraints.criteria[3].adaptive);
}

// --- [P2, section 5.2]

TEST(SpringPendulum, BoundsItsOutputsOnTheirTimeMeshes) {
  Simulated run(read("spring_pendulum.toml"));
  EXPECT_EQ(run.z.size(), 30);
  const std::vector<CriterionConstraint>& functions = run.model->functions();
  ASSERT_EQ(functions.size(), 6u + 501u);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    EXPECT_EQ(functions[i].equals.has_value(), i < 6);
    const CriterionTerm& term = functions[i].terms.front();
    EXPECT_EQ(term.time, i < 6 ? TimeFunctional::final_value : TimeFunctional::instants);
    if (i < 6) continue;
    EXPECT_EQ(term.steps, std::vector<int>{10 * (static_cast<int>(i) - 6)});
  }
  EXPECT_EQ(functions[0].label(), "arrival.x");
  EXPECT_EQ(functions[0].equals, 2.0);
  EXPECT_EQ(functions[0].scale, 1.0);
  EXPECT_EQ(functions[7].label(), "length@0.01");
  EXPECT_EQ(functions[6].upper, 12.0);
  EXPECT_FALSE(functions[6].lower);
  const VectorXd values = run.values();
  const VectorXd end = run.trajectory.y.col(5000), middle = run.trajectory.y.col(2500);
  EXPECT_EQ(VectorXd(values.segment(1, 6)), end);
  EXPECT_NEAR(values[1 + 6 + 250], middle.head<3>().norm(), 1e-14);
}

TEST(SpringPendulum, ChoosesTheMethodWithFewerColumns) {
  const auto chosen = [](const std::vector<std::string>& overrides) {
    Simulated run(read("spring_pendulum.toml", overrides));
    return run.motion->resolve(Method::automatic, run.trajectory, run.requested, run.z.size());
  };
  EXPECT_EQ(chosen({}), Method::direct);
  EXPECT_EQ(chosen({"constraints.criteria.length.intervals=5"}), Method::discrete_adjoint);
}

TEST(SpringPendulum, SignalEnergyIsThatOfItsControls) {
  Simulated run(read("spring_pendulum.toml"));
  EXPECT_EQ(run.values()[0], 0.0);
  VectorXd z = run.z;
  z.head<10>().setConstant(2.0), z.tail<10>().setConstant(-1.0);
  EXPECT_NEAR(run.simulate(z)[0], 0.5 * (4.0 + 1.0) * 5.0, 1e-12);
}

}  // namespace
}  // namespace kurbel
