/// Gradients of criteria by the discrete and the continuous adjoint and by stress modes, against complex step and
/// differences.
#include <gtest/gtest.h>

#include "criteria_terms.hpp"
#include "floating_frame/criteria.hpp"
#include "floating_frame/von_mises.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::moving_mechanism;
using test::Simulation;
using test::span;

/// Every quantity with one of the functionals.
template <class S>
std::vector<Criterion<S>> all_criteria(const Simulation<S>& run) {
  const std::pair<TimeFunctional, double> functionals[] = {{TimeFunctional::p_norm, 6.0},
                                                           {TimeFunctional::final_value, 0.0},
                                                           {TimeFunctional::kreisselmeier_steinhauser, 0.3},
                                                           {TimeFunctional::integral, 0.0},
                                                           {TimeFunctional::instants, 0.0},
                                                           {TimeFunctional::mean, 0.0}};
  std::vector<Criterion<S>> criteria;
  std::size_t i = 0;
  for (const test::NamedTerm& named : test::all_terms()) {
    CriterionTerm term = named.term;
    std::tie(term.time, term.exponent) = functionals[i++ % 6];
    term.weight = 1.3;
    term.steps = {2, 5};
    CriterionTerm other = term;
    std::tie(other.time, other.exponent) = functionals[i % 6];
    criteria.push_back(make_criterion<S>(run.integrator, run.system, {term, other}));
  }
  return criteria;
}

TEST(Criteria, ShareOneSweepWhoseGradientsEqualComplexStep) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(test::scattered_mechanism(), options, {"one"});
  ASSERT_GT(run.value(), 0.0);
  std::vector<LinearizedCriterion> criteria;
  for (const auto& criterion : all_criteria(run)) criteria.emplace_back(criterion, run.trajectory);
  std::vector<const Objective<double>*> objectives;
  for (const auto& criterion : criteria) objectives.push_back(&criterion);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, objectives);
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, objectives);

  Simulation<Complex> judge(test::scattered_mechanism(), options, {"one"});
  const double step = 1e-40;
  const VectorXd direction = test::Random(29).vector(adjoint.rows());
  judge.system.set_parameters(judge.system.parameters() + Complex(0.0, step) * direction);
  judge.value();
  const auto judges = all_criteria(judge);
  const auto terms = test::all_terms();
  for (std::size_t j = 0; j < judges.size(); ++j) {
    const auto column = adjoint.col(static_cast<Eigen::Index>(j));
    const double expected = judges[j].value(judge.trajectory).imag() / step;
    // Both Newton iterations stop at 1e-8 of a quadratically converging correction.
    EXPECT_NEAR(column.dot(direction), expected, 1e-9 * column.norm() * direction.norm()) << terms[j].name;
    // Rounding errors, largest for an acceleration at single instants.
    EXPECT_LT((column - direct.col(static_cast<Eigen::Index>(j))).norm(), 3e-11 * column.norm())
        << terms[j].name;
  }
}

TEST(Criteria, OfFunctionalsOverTimeSuitTheContinuousAdjoint) {
  const auto error = [](double h) {
    Simulation<double> run(moving_mechanism(), span(0.16, h), {"one"});
    run.value();
    Criterion<double> criterion(run.integrator, run.integrator.layout());
    const auto F = make_integrand<double>(
        run.system, {.quantity = Quantity::displacement, .marker = {"one", "b"}, .component = 0});
    criterion.add(1.0, F, TimeFunctional::p_norm, 4.0);
    criterion.add(0.5, F, TimeFunctional::kreisselmeier_steinhauser, 20.0);
    const StressModes modes{3, test::Random(5).matrix(6, 3)};
    criterion.add(0.1, std::make_shared<VonMisesIntegrand<double>>(run.system, "one", modes, 8.0),
                  TimeFunctional::p_norm, 4.0);
    const LinearizedCriterion psi(criterion, run.trajectory);
    const MatrixXd discrete = discrete_adjoint<double>(run.integrator, run.trajectory, {&psi});
    return (continuous_adjoint(run.system, run.integrator, run.trajectory, {&psi.integrand()}) - discrete)
               .norm() /
           discrete.norm();
  };
  const double coarse = error(2.5e-3), fine = error(1.25e-3);
  EXPECT_LT(fine, 2e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.7);  // two in the limit
}

TEST(Criteria, OfTheFinalTimeSuitTheContinuousAdjoint) {
  const CriterionTerm terms[] = {
      {.quantity = Quantity::position, .marker = {"two", "b"}},
      {.quantity = Quantity::velocity, .marker = {"two", "b"}},
      {.quantity = Quantity::total_energy},
      {.quantity = Quantity::acceleration, .marker = {"two", "b"}, .component = 1},
      {.quantity = Quantity::reaction_force, .joint = "elbow", .component = 0},
      {.quantity = Quantity::von_mises,
       .body = "one",
       .stress_modes = std::make_shared<StressModes>(StressModes{3, test::Random(5).matrix(6, 3)})},
  };
  constexpr int n = std::size(terms);
  const auto errors = [&](double h) {
    Simulation<double> run(moving_mechanism(), span(0.16, h), {});
    run.value();
    std::vector<LinearizedCriterion> criteria;
    for (CriterionTerm term : terms) {
      term.time = TimeFunctional::final_value;
      criteria.emplace_back(make_criterion<double>(run.integrator, run.system, {term}), run.trajectory);
    }
    std::vector<const Objective<double>*> objectives;
    std::vector<const Integrand<double>*> integrands, finals;
    for (const LinearizedCriterion& criterion : criteria) {
      objectives.push_back(&criterion);
      integrands.push_back(&criterion.integrand());
      finals.push_back(&criterion.final_terms());
    }
    const MatrixXd discrete = discrete_adjoint<double>(run.integrator, run.trajectory, objectives);
    const MatrixXd continuous =
        continuous_adjoint(run.system, run.integrator, run.trajectory, integrands, 1, finals);
    return VectorXd((continuous - discrete).colwise().norm().cwiseQuotient(discrete.colwise().norm()));
  };
  const VectorXd coarse = errors(1.25e-3), fine = errors(6.25e-4), finest = errors(3.125e-4);
  for (int j = 0; j < n; ++j) {
    EXPECT_LT(finest[j], 1e-3) << "term " << j;
    EXPECT_NEAR(std::log2(fine[j] / finest[j]), 2.0, 0.1) << "term " << j;
  }
}

/// psi of stresses, by their stress modes, which the motion does not depend on.
TEST(Criteria, OfStressHaveGradientsByStressModesThatEqualDifferences) {
  Simulation<double> run(moving_mechanism(), span(0.06, 0.01), {});
  run.value();
  const StressModes modes{3, test::Random(5).matrix(6, 3)};
  const auto terms_with = [](const StressModes& m) {
    std::vector<CriterionTerm> terms;
    for (const auto& [time, exponent] : {std::pair{TimeFunctional::p_norm, 4.0},
                                         {TimeFunctional::kreisselmeier_steinhauser, 3.0},
                                         {TimeFunctional::integral, 0.0},
                                         {TimeFunctional::instants, 0.0},
                                         {TimeFunctional::final_value, 0.0}}) {
      CriterionTerm term{.quantity = Quantity::von_mises, .time = time, .exponent = exponent, .body = "one"};
      term.stress_modes = std::make_shared<StressModes>(m);
      term.weight = 1.3;
      term.steps = {2, 5};
      terms.push_back(term);
      if (time != TimeFunctional::instants) continue;
      terms.push_back(term);
      terms.back().step_weights = {2.0, -0.5};
    }
    return terms;
  };
  const auto terms = terms_with(modes);
  const LinearizedCriterion psi(make_criterion<double>(run.integrator, run.system, terms), run.trajectory);
  const std::vector<MatrixXd> bars = psi.time_history_bars();
  ASSERT_EQ(bars.size(), terms.size());
  const MatrixXd direction = test::Random(6).matrix(6, 3);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const auto along = [&](double h) {
      const auto moved = terms_with({3, modes.S + h * direction});
      return make_criterion<double>(run.integrator, run.system, {moved[j]}).value(run.trajectory);
    };
    const double h = 1e-3;  // fourth order, 1e-11
    const double expected = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
    EXPECT_NEAR(bars[j].cwiseProduct(direction).sum(), expected, 1e-9 * bars[j].norm()) << "term " << j;
  }
}

TEST(Criteria, OfStressStandBesideTheMostStressedElement) {
  Simulation<double> run(moving_mechanism(), span(0.06, 0.01), {});
  run.value();
  const auto modes = std::make_shared<StressModes>(StressModes{3, test::Random(5).matrix(6, 3)});
  const VonMisesIntegrand<double> stress(run.system, "one", *modes, 8.0);
  const MatrixXd q = stress.coordinates(run.trajectory, {0, 1, 2, 3, 4, 5, 6});
  double largest = 0.0;
  for (Eigen::Index k = 0; k < q.cols(); ++k)
    largest = std::max(largest, von_mises(*modes, q.col(k)).maxCoeff());
  CriterionTerm term{.quantity = Quantity::von_mises, .body = "one", .stress_modes = modes};
  for (const auto& [time, exponent] :
       {std::pair{TimeFunctional::p_norm, 4.0}, {TimeFunctional::kreisselmeier_steinhauser, 3.0}}) {
    term.time = time, term.exponent = exponent;
    const auto criterion = make_criterion<double>(run.integrator, run.system, {term});
    EXPECT_NEAR(criterion.evaluate(run.trajectory).peak, largest, 1e-14 * largest);
    EXPECT_NEAR(criterion.range(run.trajectory, 0, 6).high, largest, 1e-14 * largest);
  }
  term.time = TimeFunctional::final_value;
  const double last = von_mises(*modes, q.rightCols(1)).maxCoeff();
  const CriterionValue<double> at_end =
      make_criterion<double>(run.integrator, run.system, {term}).evaluate(run.trajectory);
  EXPECT_NEAR(at_end.peak, last, 1e-14 * last);
  EXPECT_GT(at_end.psi, last);
}

}  // namespace
}  // namespace kurbel
