// Mechanisms of rigid bodies in natural coordinates: their start and what is observed of them, beside the floating
// frame, with derivatives by complex step.
#include "floating_frame/criteria.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "tests/integration/dae_derivatives.hpp"
#include "tests/joint_coordinates/tree_models.hpp"

namespace kurbel::test {
namespace {

CriterionTerm term_of(Quantity quantity, const std::string& body = {}, const std::string& joint = {},
                      const MarkerRef& marker = {}) {
  CriterionTerm term;
  term.quantity = quantity, term.body = body, term.joint = joint, term.marker = marker;
  return term;
}

/// Functions of positions and velocities that the floating frame has.
std::vector<CriterionTerm> terms_of_frames() {
  return {term_of(Quantity::kinetic_energy, "rod"),   term_of(Quantity::total_energy),
          term_of(Quantity::total_energy, "crank"),   term_of(Quantity::joint_angle, {}, "left"),
          term_of(Quantity::joint_rate, {}, "right"), term_of(Quantity::centre_of_mass, "rocker"),
          term_of(Quantity::attitude, "weight"),      term_of(Quantity::attitude_rate, "rod")};
}

std::vector<CriterionTerm> every_term() {
  std::vector<CriterionTerm> terms = terms_of_frames();
  for (const CriterionTerm& term :
       {term_of(Quantity::kinetic_energy), term_of(Quantity::position, {}, {}, {"rod", "end"}),
        term_of(Quantity::velocity, {}, {}, {"rocker", "end"}),
        term_of(Quantity::acceleration, {}, {}, {"weight", "end"}),
        term_of(Quantity::reaction_force, {}, "left"), term_of(Quantity::reaction_moment, {}, "knee"),
        term_of(Quantity::reaction_moment, {}, "right"), term_of(Quantity::mass, "weight"),
        term_of(Quantity::reaction_moment, {}, "axle"), term_of(Quantity::drive_torque, {}, "axle")})
    terms.push_back(term);
  return terms;
}

/// A loop that closes to 1e-2 or so as it is given, with a free body, which carries a wheel that is driven.
SystemSpec loop() {
  SystemSpec spec = spatial_loop();
  spec.bodies.push_back({"wheel", spec.bodies.back().sid, {}});
  spec.joints.push_back(joint_of("axle", "revolute", {"weight", "turned"}, {"wheel", "turned"}));
  spec.joints.back().drives = {{RelativeDof::rz, polynomial({0.0, {0.4, 0.5}}, {1.0, {1.3, 0.1}})}};
  return with_every_parameter(spec);
}

template <class S>
StartState<S> start_of(const SecondOrderDae<S>& model) {
  StartState<S> state;
  const Status status = model.make_start()->solve(0.3, state);
  EXPECT_FALSE(status.failed()) << status.message();
  return state;
}

template <class S>
DaeInstant<S> instant(const StartState<S>& state) {
  return {0.3, state.x, state.v, state.v_dot, state.lambda};
}

/// The same positions, velocities, accelerations, reactions and energies.
TEST(NaturalBodies, StartAsInTheFloatingFrame) {
  const SystemSpec spec = loop();
  const MultibodySystem<double> frames(spec);
  const NaturalSystem<double> vectors(spec);
  const StartState<double> of_frames = start_of(frames), of_vectors = start_of(vectors);
  VectorXd c(vectors.n_c());
  BlockMatrix<double> C = vectors.make_jacobians().C;
  vectors.constraints(0.3, of_vectors.x, *vectors.make_workspace(), c, C);
  EXPECT_LT(c.cwiseAbs().maxCoeff(), 1e-14);
  VectorXd given(vectors.n_x()), given_rate(vectors.n_x());
  vectors.given_initial_state(given, given_rate);
  EXPECT_GT((of_vectors.x - given).norm(), 1e-3);  // assembled
  for (const CriterionTerm& term : every_term()) {
    const double expected = make_integrand(frames, term)->value(instant(of_frames)),
                 actual = make_integrand(vectors, term)->value(instant(of_vectors));
    EXPECT_NEAR(actual, expected, 1e-11 * (1.0 + std::abs(expected))) << unit_of(term.quantity);
  }
}

/// The universal joint, which locks one rotation, among them.
TEST(NaturalBodies, HaveMomentsOfTheSameSignAsInTheFloatingFrame) {
  const SystemSpec spec = loop();
  const MultibodySystem<double> frames(spec);
  const NaturalSystem<double> vectors(spec);
  const StartState<double> of_frames = start_of(frames), of_vectors = start_of(vectors);
  for (const char* joint : {"left", "knee", "right", "axle"}) {
    CriterionTerm term = term_of(Quantity::reaction_moment, {}, joint);
    double largest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      term.component = axis;
      const double expected = make_integrand(frames, term)->value(instant(of_frames)),
                   actual = make_integrand(vectors, term)->value(instant(of_vectors));
      EXPECT_NEAR(actual, expected, 1e-11 * (1.0 + std::abs(expected))) << joint;
      largest = std::max(largest, std::abs(expected));
    }
    EXPECT_GT(largest, 1e-3) << joint;
  }
}

TEST(NaturalBodies, TheStartFollowsItsParameters) {
  const SystemSpec spec = loop();
  const NaturalSystem<double> system(spec);
  const Eigen::Index n = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  const auto all_of = [&](const auto& s) {
    VectorX<typename std::decay_t<decltype(s.x)>::Scalar> all(3 * n + n_c);
    all << s.x, s.v, s.v_dot, s.lambda;
    return all;
  };
  NaturalSystem<Complex> judge(spec);
  const VectorX<Complex> p = judge.parameters();
  MatrixXd J(3 * n + n_c, n_p);
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, complex_step);
    judge.set_parameters(moved);
    J.col(i) = all_of(start_of(judge)).imag() / complex_step;
  }
  StartState<double> state;
  const auto start = system.make_start();
  ASSERT_FALSE(start->solve(0.3, state).failed());
  Random random(11);
  const VectorXd bar = random.vector(J.rows()), p_dot = random.vector(n_p);
  VectorXd p_bar = VectorXd::Zero(n_p);
  start->pullback(state, bar.head(n), bar.segment(n, n), bar.segment(2 * n, n), bar.tail(n_c), p_bar);
  expect_close(p_bar, J.transpose() * bar, "backwards");
  StartDirections<double> forward;
  start->push_forward(state, p_dot, forward);
  expect_close(all_of(forward), J * p_dot, "forwards");
}

/// Off the constraints, where axes are not orthonormal.
TEST(NaturalBodies, DerivativesOfWhatFramesObserveAreThoseOfAComplexStep) {
  const SystemSpec spec = loop();
  const NaturalSystem<double> system(spec);
  const Eigen::Index n = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  const StartState<double> start = start_of(system);
  Random random(3);
  VectorXd z(2 * n + n_p);
  z << start.x + 0.03 * random.vector(n), start.v + 0.3 * random.vector(n), system.parameters();
  const auto at = [&](const auto& x, const auto& v, const auto& rest) {
    return DaeInstant<typename std::decay_t<decltype(x)>::Scalar>{0.3, x, v, rest.head(n), rest.tail(n_c)};
  };
  for (const CriterionTerm& term : terms_of_frames()) {
    NaturalSystem<Complex> judge(spec);
    const auto value = [&](const VectorX<Complex>& all) {
      judge.set_parameters(all.tail(n_p));
      const VectorX<Complex> x = all.head(n), v = all.segment(n, n), rest = VectorX<Complex>::Zero(n + n_c);
      return make_integrand(judge, term)->value(at(x, v, rest));
    };
    VectorXd expected(z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      VectorX<Complex> moved = z.cast<Complex>();
      moved[i] += Complex(0.0, complex_step);
      expected[i] = value(moved).imag() / complex_step;
    }
    const DaeStateLayout layout{n, n, n_c, 1};
    VectorXd y_bar = VectorXd::Zero(layout.n_tangent()), p_bar = VectorXd::Zero(n_p);
    DaeInstantBar<double> bar(layout, y_bar);
    const VectorXd x = z.head(n), v = z.segment(n, n), rest = VectorXd::Zero(n + n_c);
    make_integrand(system, term)->add_partials(at(x, v, rest), 1.0, bar, p_bar);
    VectorXd z_bar(z.size());
    z_bar << bar.x, bar.v, p_bar;
    expect_close(z_bar, expected, unit_of(term.quantity));
  }
}

}  // namespace
}  // namespace kurbel::test
