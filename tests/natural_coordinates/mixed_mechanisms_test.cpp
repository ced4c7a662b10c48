// Rigid bodies and spatial beams in natural coordinates and in floating frames: the same motion, the same gradient.
#include <gtest/gtest.h>

#include "floating_frame/criteria.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/floating_frame/beam_models.hpp"
#include "tests/floating_frame/time_integral.hpp"

namespace kurbel::test {
namespace {

/// A rigid arm on a hinge about y, which falls with a leaf spring at its end that carries a bob.
SystemSpec falling_arm() {
  SystemSpec spec;
  spec.gravity << 0.0, 0.5, -9.81;
  std::array<bool, 6> revolute{}, fixed{};
  locked_dofs_of("revolute", revolute), locked_dofs_of("fixed", fixed);
  const Matrix3d about_y = rotation_matrix(exp_quaternion<double>({-0.5 * EIGEN_PI, 0.0, 0.0}));
  spec.ground = {make_sid_node("hinge", Vector3d::Zero(), about_y, 0)};
  spec.bodies = {
      {"arm", rigid_sid_with_markers(0.5, {0.1, 0, 0}, {1e-4, 2e-3, 2e-3}, {0, 0, 0}, {0.2, 0, 0}), {}},
      {"bob", rigid_sid_with_markers(0.3, {0.02, 0, 0.01}, {1e-4, 2e-4, 2e-4}, {0, 0, 0}, {0.04, 0, 0}), {}}};
  spec.bodies[0].sid.frame[0].AP.M0 = about_y;
  spec.bodies[1].initial.position << 0.5, 0.0, 0.0;
  BeamSpec leaf = soft_beam("leaf", {0.2, 0.0, 0.0}, {0.5, 0.0, 0.0});
  leaf.n_elements = 4, leaf.dimensions = {0.02, 0.0}, leaf.youngs_modulus = 2e8, leaf.density = 1000.0;
  leaf.damping = 1e-3, leaf.velocity.setZero(), leaf.angular_velocity.setZero();
  spec.beams = {leaf};
  spec.joints = {{"hinge", {"ground", "hinge"}, {"arm", "a"}, revolute, {}},
                 {"clamp", {"arm", "b"}, {"leaf", "start"}, fixed, {}},
                 {"grip", {"leaf", "end"}, {"bob", "a"}, fixed, {}}};
  return spec;
}

std::vector<CriterionTerm> terms() {
  std::vector<CriterionTerm> terms(2);
  terms[0].quantity = Quantity::position, terms[0].marker = {"bob", "b"}, terms[0].weight = 10.0;
  terms[1].quantity = Quantity::stress, terms[1].beam = "leaf", terms[1].weight = 1e-6;
  return terms;
}

/// psi and its derivatives by section, material and damping of the leaf, by the arm's inertia, the bob's mass, and the
/// places of the leaf's ends along it, at which markers of the bodies are.
template <class System>
VectorXd psi_and_gradient(const SystemSpec& spec, double step) {
  IntegratorOptions options;
  options.t1 = 0.3, options.step = step, options.rho_inf = 0.8;
  const System system(spec);
  GeneralizedAlpha<double> integrator(system, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(integrator, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  TimeIntegral<double> psi(integrator);
  for (const CriterionTerm& term : terms()) psi.add(term.weight, make_integrand(system, term));
  const VectorXd p_bar = discrete_adjoint<double>(integrator, trajectory, {&psi}).col(0);
  const ParameterLayout& layout = system.layout();
  const BeamLayout& leaf = layout.beam(0);
  const auto marker = [&](std::size_t body, std::size_t k) { return layout.body(body).markers[k].R.offset; };
  VectorXd all(10);
  all << psi.value(trajectory), p_bar[leaf.dimensions()], p_bar[leaf.youngs_modulus()],
      p_bar[leaf.poisson_ratio()], p_bar[leaf.density()], p_bar[leaf.damping()],
      p_bar[layout.body(0).J0.offset + 4], p_bar[layout.body(1).mass.offset],
      p_bar[leaf.start()] + p_bar[marker(0, 1)], p_bar[leaf.end()] + p_bar[marker(1, 0)];
  return all;
}

TEST(MixedMechanisms, MoveAlikeInNaturalCoordinatesAndInFloatingFrames) {
  const SystemSpec spec = falling_arm();
  const auto difference = [&](double step) {
    return VectorXd(psi_and_gradient<MultibodySystem<double>>(spec, step) -
                    psi_and_gradient<NaturalSystem<double>>(spec, step));
  };
  const VectorXd natural = psi_and_gradient<NaturalSystem<double>>(spec, 5e-4);
  const VectorXd coarse = difference(1e-3), fine = difference(5e-4);
  EXPECT_NEAR(coarse[0] / fine[0], 4.0, 0.1);
  for (Eigen::Index i = 0; i < natural.size(); ++i) {
    const double extrapolated = (4.0 * fine[i] - coarse[i]) / 3.0;
    EXPECT_NEAR(extrapolated, 0.0, 5e-5 * std::abs(natural[i])) << i;
  }
}

}  // namespace
}  // namespace kurbel::test
