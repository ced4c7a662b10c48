/// Matrix R on coordinates of markers of flexible bodies, beside drives, springs and loads.       [P4, eqs 5-23]
#include "floating_frame/make_steps.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/joint_coordinates/tree_models.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

template <class S>
struct MarkedRun {
  MarkedRun(const SystemSpec& spec, const IntegratorOptions& options, const VectorX<S>* p = nullptr)
      : system(with(spec, p)),
        steps(make_steps<S>(system, options)),
        psi(make_criterion(*steps, system, terms())) {
    const Status status = simulate<S>(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  static MultibodySystem<S> with(const SystemSpec& spec, const VectorX<S>* p) {
    MultibodySystem<S> system(spec);
    if (p) system.set_parameters(*p);
    return system;
  }
  static std::vector<CriterionTerm> terms() {
    CriterionTerm place, speed;
    place.quantity = Quantity::position, place.marker = {"one", "b"}, place.time = TimeFunctional::integral;
    speed = place;
    speed.quantity = Quantity::velocity, speed.marker = {"two", "b"}, speed.weight = 0.1;
    return {place, speed};
  }
  S value() const { return psi.value(trajectory); }

  MultibodySystem<S> system;
  std::unique_ptr<DaeSteps<S>> steps;
  Criterion<S> psi;
  Trajectory<S> trajectory;
};

TEST(MarkerCoordinates, OfFlexibleBodiesMayBeIndependent) {
  const SystemSpec spec = test::kitchen_sink();
  IntegratorOptions options = test::span(0.02, 0.001);
  options.method = IntegratorMethod::trapezoidal;
  const double chosen = MarkedRun<double>(spec, options).value();
  options.independent = {"two.b.y", "one.b.z"};
  MarkedRun<double> run(spec, options);
  EXPECT_NEAR(run.value(), chosen, 1e-3 * std::abs(chosen)) << "the same motion";
  EXPECT_GT(std::abs(run.value() - chosen), 1e-12 * std::abs(chosen)) << "in other steps";
  const LinearizedCriterion function(run.psi, run.trajectory);
  const std::vector<const Objective<double>*> all = {&function};
  const VectorXd adjoint = discrete_adjoint<double>(*run.steps, run.trajectory, all),
                 direct = test::direct_by_all_parameters(*run.steps, run.trajectory, all);
  EXPECT_LT((adjoint - direct).norm(), 1e-9 * direct.norm());
  test::Random random(11);
  for (int i = 0; i < 3; ++i) {
    const VectorXd direction = test::with_symmetric_inertias(
        run.system, random.vector(adjoint.size()).cwiseProduct(run.system.parameters()));
    const VectorX<Complex> p = run.system.parameters() + Complex(0.0, 1e-40) * direction;
    const double expected = MarkedRun<Complex>(spec, options, &p).value().imag() / 1e-40;
    EXPECT_NEAR(adjoint.dot(direction), expected, 1e-9 * adjoint.norm() * direction.norm());
  }
}

}  // namespace
}  // namespace kurbel
