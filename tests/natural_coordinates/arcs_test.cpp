// Arcs whose places vary: no stress at the start wherever they are, gradients of motions.
#include <gtest/gtest.h>

#include "integration/dae_steps.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

/// An arc on a ball, which turns, and which gravity, a spring and a load at its tip bend.
SystemSpec hooked_arc(const Vector3d& through) {
  SystemSpec spec;
  spec.gravity << 0.2, 0.4, -9.81;
  BeamSpec arc;
  arc.name = "arc", arc.kind = BeamSpec::Kind::spatial, arc.n_elements = 4;
  arc.start << 0.1, 0.0, 0.2, arc.end << 0.6, 0.05, 0.4, arc.through = through;
  arc.side.setZero(), arc.shape = BeamSpec::Shape::rectangle, arc.dimensions = {0.02, 0.03};
  arc.youngs_modulus = 2e7, arc.density = 1200.0, arc.damping = 1e-2;
  arc.angular_velocity << 0.4, -0.3, 0.6;
  spec.beams = {arc};
  spec.ground = {make_sid_node("post", arc.start, Matrix3d::Identity(), 0)};
  JointSpec ball;
  ball.name = "ball", ball.from = {"ground", "post"}, ball.to = {"arc", "start"};
  locked_dofs_of("spherical", ball.locked);
  spec.joints = {ball};
  spec.springs.push_back({"band", {"ground"}, {"arc", "node2"}, 20.0, 0.5, 0.3});
  MarkerLoadSpec pull{"pull", {"arc", "end"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  pull.force = {constant_rate(0.3, 1.0), nullptr, constant_rate(-0.2, 0.0)};
  spec.loads = {pull};
  return spec;
}

const Vector3d shallow(0.3, 0.1, 0.35), most_of_a_circle(0.3, 0.5, 0.9);

VectorXd force_at_start(NaturalSystem<double>& system) {
  VectorXd x(system.n_x()), v(system.n_v()), F(system.n_v());
  system.given_initial_state(x, v);
  system.force(0.0, x, VectorXd::Zero(system.n_v()), *system.make_workspace(), F);
  return F;
}

TEST(Arcs, StartFreeOfStressWhereverTheirPlacesMove) {
  for (const Vector3d& through : {shallow, most_of_a_circle}) {
    SystemSpec spec = hooked_arc(through);
    spec.gravity.setZero(), spec.springs.clear(), spec.loads.clear();
    NaturalSystem<double> system(spec);
    const VectorXd p = system.parameters();
    for (unsigned seed = 1; seed <= 3; ++seed) {
      VectorXd moved = p;
      moved.segment<9>(system.layout().beam(0).places()) += test::random_vector(9, 0.05, seed);
      system.set_parameters(moved);
      EXPECT_LT(force_at_start(system).cwiseAbs().maxCoeff(), 1e-12 * spec.beams[0].youngs_modulus);
    }
  }
}

/// Another length acts at once: the strains are those of the moved shape.
TEST(Arcs, AreStrainedWhereTheirNodesStayAndTheirPlacesMove) {
  SystemSpec spec = hooked_arc(shallow);
  spec.gravity.setZero(), spec.springs.clear(), spec.loads.clear();
  NaturalSystem<double> system(spec);
  VectorXd x(system.n_x()), v(system.n_v()), F(system.n_v());
  system.given_initial_state(x, v);
  VectorXd p = system.parameters();
  p[system.layout().beam(0).through() + 2] += 0.05;
  system.set_parameters(p);
  system.force(0.0, x, VectorXd::Zero(system.n_v()), *system.make_workspace(), F);
  EXPECT_GT(F.cwiseAbs().maxCoeff(), 1.0);
}

TEST(Arcs, WeighWhatTheirLengthWeighs) {
  NaturalSystem<double> system(hooked_arc(most_of_a_circle));
  const double l = 4.0 * system.extended_parameters()[system.element_length(0)];
  EXPECT_NEAR(system.mass_of(system.massive_elements("arc")), 1200.0 * 0.02 * 0.03 * l, 1e-12);
  const Eigen::Index place = system.layout().beam(0).places();
  VectorXd p_bar = VectorXd::Zero(system.parameters().size());
  system.pull_back_mass_of(system.massive_elements("arc"), 1.0, p_bar);
  const auto mass = [&](const VectorX<Complex>& places) {
    NaturalSystem<Complex> judge(hooked_arc(most_of_a_circle));
    VectorX<Complex> p = judge.parameters();
    p.segment<9>(place) = places;
    judge.set_parameters(p);
    return VectorX<Complex>::Constant(1, judge.mass_of(judge.massive_elements("arc"))).eval();
  };
  const VectorXd expected = test::complex_step(mass, system.parameters().segment<9>(place)).row(0);
  EXPECT_LT((p_bar.segment<9>(place) - expected).norm(), 1e-12 * expected.norm());
}

template <class S>
struct ArcMotion {
  ArcMotion(const SystemSpec& spec, const IntegratorOptions& options, const VectorX<S>& p) : system(spec) {
    system.set_parameters(p);
    steps = make_dae_steps<S>(system, options);
    const Status status = simulate<S>(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  Criterion<S> criterion() const {
    Criterion<S> psi(*steps, steps->layout());
    CriterionTerm tip, stress, mass, force;
    tip.quantity = Quantity::position, tip.marker = {"arc", "end"};
    stress.quantity = Quantity::stress, stress.beam = "arc", stress.element_exponent = 6.0;
    mass.quantity = Quantity::mass, mass.body = "arc";
    force.quantity = Quantity::reaction_force, force.joint = "ball";
    psi.add(10.0, make_integrand<S>(system, tip), TimeFunctional::integral);
    psi.add(3.0, make_integrand<S>(system, tip), TimeFunctional::final_value);
    psi.add(1e-5, make_integrand<S>(system, stress), TimeFunctional::integral);
    psi.add(0.1, make_integrand<S>(system, mass), TimeFunctional::mean);
    psi.add(1e-3, make_integrand<S>(system, force), TimeFunctional::integral);
    return psi;
  }

  NaturalSystem<S> system;
  std::unique_ptr<DaeSteps<S>> steps;
  Trajectory<S> trajectory;
};

/// Moves of places that keep the arc at its ball, and those of each number by itself.
TEST(Arcs, HaveGradientsOfDirectDifferentiationAndComplexStepByTheirPlaces) {
  IntegratorOptions options;
  options.t1 = 0.06, options.step = 2e-3, options.rho_inf = 0.8;
  for (const IntegratorMethod method :
       {IntegratorMethod::variational_midpoint, IntegratorMethod::generalized_alpha}) {
    options.method = method;
    for (const Vector3d& through : {shallow, most_of_a_circle}) {
      const SystemSpec spec = hooked_arc(through);
      const VectorXd p = NaturalSystem<double>(spec).parameters();
      ArcMotion<double> motion(spec, options, p);
      const LinearizedCriterion psi(motion.criterion(), motion.trajectory);
      const VectorXd adjoint = discrete_adjoint<double>(*motion.steps, motion.trajectory, {&psi}).col(0),
                     direct = test::direct_by_all_parameters(*motion.steps, motion.trajectory, {&psi}).col(0);
      EXPECT_LT((adjoint - direct).norm(), 1e-10 * direct.norm());
      const Eigen::Index first = motion.system.layout().beam(0).places(),
                         post = motion.system.layout().ground(0).R.offset;
      for (Eigen::Index i = 0; i < 9; ++i) {
        VectorXd direction = VectorXd::Unit(p.size(), first + i);
        if (i < 3) direction[post + i] = 1.0;
        constexpr double step = 1e-40;
        ArcMotion<Complex> judge(spec, options, p + Complex(0.0, step) * direction);
        const double expected = judge.criterion().value(judge.trajectory).imag() / step;
        EXPECT_NEAR(adjoint.dot(direction), expected, 1e-9 * direct.segment<9>(first).norm()) << i;
        EXPECT_GT(std::abs(expected), 1e-4 * direct.segment<9>(first).norm()) << i << " is not tested";
      }
    }
  }
}

}  // namespace
}  // namespace kurbel
