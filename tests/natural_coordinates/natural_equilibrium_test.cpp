/// Starts of beams in static equilibrium, in natural coordinates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "natural_coordinates/natural_system.hpp"
#include "tests/floating_frame/beam_models.hpp"
#include "tests/natural_coordinates/beam_chain.hpp"

namespace kurbel::test {
namespace {

template <class S>
struct Equilibrium {
  explicit Equilibrium(const SystemSpec& spec) : system(spec), start(system.make_start()) {
    status = start->solve(0.0, state);
  }
  Vector3<S> tip() const {
    const int node = system.frames().node(0, system.spec().beams[0].n_elements);
    return system.frames().map().form(node).template at<S>(system.extended_parameters().data(), state.x);
  }
  NaturalSystem<S> system;
  std::unique_ptr<Start<S>> start;
  StartState<S> state;
  Status status;
};

TEST(NaturalEquilibrium, OfSlenderCantileversIsOnTheElastica) {
  for (const double thickness : {1e-2, 1e-3}) {
    for (const Elastica& e : elasticas) {
      const Equilibrium<double> found(loaded_cantilever(thickness, e.load, 16));
      ASSERT_FALSE(found.status.failed()) << found.status.message();
      // Sixteen elements miss 1 / (4 n^2) of small deflections, and up to eight times that where the rotations
      // of an element are large.
      EXPECT_NEAR(-found.tip().y(), e.across, 8.0 / (4.0 * 16 * 16));
      EXPECT_NEAR(1.0 - found.tip().x(), e.shortened, 8.0 / (4.0 * 16 * 16));
    }
  }
}

void expect_derivatives_of_equilibrium(const SystemSpec& spec) {
  Equilibrium<double> found(spec);
  ASSERT_FALSE(found.status.failed()) << found.status.message();
  const NaturalSystem<double>& system = found.system;
  const Eigen::Index n = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  Random random(3);
  // Accelerations are those of forces that cancel: their rounding is that of x times E A / m.
  const double rounding = 1e-7;
  const VectorXd x_bar = random.vector(n), v_bar = random.vector(n), v_dot_bar = rounding * random.vector(n),
                 lambda_bar = random.vector(n_c);
  VectorXd gradient = VectorXd::Zero(n_p);
  found.start->pullback(found.state, x_bar, v_bar, v_dot_bar, lambda_bar, gradient);
  const double scale = gradient.cwiseAbs().maxCoeff(), step = 1e-40;
  NaturalSystem<Complex> judge(spec);
  const VectorX<Complex> p = judge.parameters();
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, step);
    judge.set_parameters(moved);
    const auto start = judge.make_start();
    StartState<Complex> s;
    ASSERT_FALSE(start->solve(0.0, s).failed());
    const double expected = x_bar.dot(s.x.imag()) + v_bar.dot(s.v.imag()) + v_dot_bar.dot(s.v_dot.imag()) +
                            lambda_bar.dot(s.lambda.imag());
    // Forces cancel to 1e-16 of E A = 1.2e5.
    EXPECT_NEAR(gradient[i], expected / step, 1e-9 * scale + 1e-7 * std::abs(expected / step)) << i;
  }
  const MatrixXd directions = random.matrix(n_p, 2);
  StartDirections<double> forward;
  found.start->push_forward(found.state, directions, forward);
  const VectorXd along = forward.x.transpose() * x_bar + forward.v.transpose() * v_bar +
                         forward.v_dot.transpose() * v_dot_bar + forward.lambda.transpose() * lambda_bar;
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(along[j], directions.col(j).dot(gradient), 1e-9 * gradient.norm() * directions.col(j).norm());
}

TEST(NaturalEquilibrium, HasTheDerivativesOfAComplexStep) {
  expect_derivatives_of_equilibrium(loaded_cantilever(1e-2, 5.0, 6));
}

// The constraints of the clamp depend on the place of its marker.
TEST(NaturalEquilibrium, FollowsTheMarkerThatItIsClampedTo) {
  SystemSpec spec = loaded_cantilever(1e-2, 5.0, 6);
  spec.ground = {make_sid_node("wall", Vector3d::Zero(), Matrix3d::Identity(), 0)};
  spec.joints[0].from.marker = "wall";
  expect_derivatives_of_equilibrium(spec);
}

TEST(NaturalEquilibrium, IsRefusedOfWhatMovesOrBuckles) {
  using ::testing::HasSubstr;
  SystemSpec moving = loaded_cantilever(1e-2, 1.0, 4);
  moving.beams[0].angular_velocity << 0.0, 0.0, 1.0;
  EXPECT_THAT(Equilibrium<double>(moving).status.message(), HasSubstr("moves at the start"));
  // Euler's load is pi^2 / 4.
  SystemSpec column = loaded_cantilever(1e-2, 0.0, 16);
  column.loads[0].force = {constant_rate(-4.0, 0.0), nullptr, nullptr};
  const std::string message = Equilibrium<double>(column).status.message(), before = "load steps end at ";
  EXPECT_THAT(message, HasSubstr("beyond which the equilibrium is unstable"));
  ASSERT_THAT(message, HasSubstr(before));
  const double percent = std::stod(message.substr(message.find(before) + before.size()));
  const double of_steps_and_elements = 5e-3;
  EXPECT_NEAR(4.0 * percent / 100.0 / (std::numbers::pi * std::numbers::pi / 4.0), 1.0,
              of_steps_and_elements);
  column.loads[0].force = {constant_rate(-2.0, 0.0), nullptr, nullptr};
  EXPECT_FALSE(Equilibrium<double>(column).status.failed());
}

}  // namespace
}  // namespace kurbel::test
