/// Functionals over time: values in closed form, gradients against complex step through the whole mechanics.
#include "sensitivity/criterion.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "criteria_terms.hpp"
#include "floating_frame/criteria.hpp"
#include "floating_frame/von_mises.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/control_energy.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "sensitivity/norm_of_observables.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::moving_mechanism;
using test::Simulation;
using test::span;

/// A function of time alone.
class TimeHistory final : public Integrand<double> {
 public:
  explicit TimeHistory(std::function<double(double)> F) : F_(std::move(F)) {}
  double value(const DaeInstant<double>& at) const override { return F_(at.t); }
  /// By a parameter that shifts F.
  void add_partials(const DaeInstant<double>&, double weight, DaeInstantBar<double>&,
                    Eigen::Ref<VectorXd> p_bar) const override {
    p_bar[0] += weight;
  }

 private:
  std::function<double(double)> F_;
};

/// The first coordinates of the state.
class FirstCoordinates final : public Observable<double> {
 public:
  Rows<double> value(const DaeInstant<double>& at) const override { return at.x.head(3); }
  void add_partials(const DaeInstant<double>&, const Rows<double>& z_bar, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd>) const override {
    bar.x.head(3) += z_bar;
  }
};

/// One coordinate of the state.
class Coordinate final : public Observable<double> {
 public:
  explicit Coordinate(Eigen::Index i) : i_(i) {}
  Rows<double> value(const DaeInstant<double>& at) const override { return at.x.segment(i_, 1); }
  void add_partials(const DaeInstant<double>&, const Rows<double>& z_bar, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd>) const override {
    bar.x[i_] += z_bar[0];
  }

 private:
  Eigen::Index i_;
};

/// F = 3 x_2, found for many steps at once.
class CoordinateOfAllSteps final : public TimeHistoryIntegrand<double> {
 public:
  double value(const DaeInstant<double>& at) const override { return 3.0 * at.x[1]; }
  void add_partials(const DaeInstant<double>&, double weight, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd>) const override {
    bar.x[1] += 3.0 * weight;
  }
  MatrixXd coordinates(const Trajectory<double>& trajectory,
                       const std::vector<Eigen::Index>& steps) const override {
    return trajectory.y(1, steps);
  }
  Eigen::Index tangent_offset() const override { return 1; }
  VectorXd time_history(const MatrixXd& z, MatrixXd* F_z, VectorXd* largest) const override {
    if (F_z) *F_z = MatrixXd::Constant(1, z.cols(), 3.0);
    if (largest) *largest = 3.0 * z.row(0).transpose();
    return 3.0 * z.row(0).transpose();
  }
  MatrixXd pull_back(const MatrixXd&, const VectorXd&) const override { return {}; }
};

/// A parameter that counts as it is.
class FirstParameter final : public ParameterFunction<double> {
 public:
  double value() const override { return 5.0; }
  void add_partials(double weight, Eigen::Ref<VectorXd> p_bar) const override { p_bar[0] += weight; }
};

TEST(NormOfObservables, HasPartialsOfNegativeNumbers) {
  const NormOfObservables<double> norm({std::make_shared<Coordinate>(0), std::make_shared<Coordinate>(1)},
                                       4.0);
  const DaeStateLayout layout{7, 6, 0};
  VectorXd x = VectorXd::Zero(7), y_bar = VectorXd::Zero(layout.n_tangent()), p_bar(0);
  const VectorXd v = VectorXd::Zero(6), none(0);
  x.head(2) << 2.0, -3.0;
  DaeInstantBar<double> bar(layout, y_bar);
  norm.add_partials({0.0, x, v, v, none}, 1.0, bar, p_bar);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const double h = 1e-6;
    VectorXd ahead = x, behind = x;
    ahead[i] += h, behind[i] -= h;
    const double difference =
        (norm.value({0.0, ahead, v, v, none}) - norm.value({0.0, behind, v, v, none})) / (2.0 * h);
    EXPECT_NEAR(bar.x[i], difference, 1e-8) << i;
  }
}

/// J = h u^T A u / 2 with nodes that move along with the end: it grows with the span.
TEST(ControlEnergy, GrowsWithTheEndOfTheMotion) {
  const VectorXd p = Eigen::Vector4d(0.7, -0.2, 1.1, 2.0);  // nodes, and the end
  const auto energy = [&](double end) {
    const std::vector<ControlNodes> controls = {{ControlGrid(Interpolation::natural, 3, 0.0, end), 0}};
    return ControlEnergy<double>(controls, p);
  };
  ControlEnergy<double> at_end = energy(2.0);
  at_end.grow_with(3, 2.0);
  VectorXd p_bar = VectorXd::Zero(4);
  at_end.add_partials(1.0, p_bar);
  const double h = 1e-5;
  EXPECT_NEAR(p_bar[3], (energy(2.0 + h).value() - energy(2.0 - h).value()) / (2.0 * h), 1e-8);
}

/// d|z| = z dz / |z|. At z = 0 every vector not longer than one is a subgradient, and zero is the shortest.
TEST(Magnitude, HasNoGradientWhereItVanishes) {
  const auto magnitude = make_deviation<double>(std::make_shared<FirstCoordinates>(),
                                                {.quantity = Quantity::position}, {0, 1, 2});
  const DaeStateLayout layout{7, 6, 0};
  VectorXd x = VectorXd::Zero(7), y_bar = VectorXd::Zero(layout.n_tangent()), p_bar(0);
  const VectorXd v = VectorXd::Zero(6), none(0);
  DaeInstantBar<double> bar(layout, y_bar);
  magnitude->add_partials({0.0, x, v, v, none}, 2.0, bar, p_bar);
  EXPECT_EQ(magnitude->value({0.0, x, v, v, none}), 0.0);
  EXPECT_EQ(y_bar, VectorXd::Zero(y_bar.size()));
  x.head(3) << 2.0, -3.0, 6.0;
  magnitude->add_partials({0.0, x, v, v, none}, 2.0, bar, p_bar);
  EXPECT_DOUBLE_EQ(magnitude->value({0.0, x, v, v, none}), 7.0);
  EXPECT_LT((VectorXd(bar.x).head(3) - 2.0 / 7.0 * x.head(3)).norm(), 1e-15);
}

SystemSpec free_rod() {
  SystemSpec spec;
  spec.bodies = {
      {"rod", test::rigid_sid_with_markers(2.0, {0.5, 0, 0}, {0.1, 0.2, 0.3}, {0, 0, 0}, {1, 0, 0}), {}}};
  return spec;
}

class TimeFunctionals : public ::testing::Test {
 protected:
  TimeFunctionals() : run_(free_rod(), span(1.0, 1e-3), {}) { run_.value(); }
  double of(const std::function<double(double)>& F, TimeFunctional time, double exponent = 0.0) const {
    Criterion<double> criterion(run_.integrator, run_.integrator.layout());
    criterion.add(1.0, std::make_shared<TimeHistory>(F), time, exponent);
    return criterion.value(run_.trajectory);
  }
  Simulation<double> run_;
  const double tolerance_ = 2e-5;  // of the trapezoidal rule: h^2 / 12 times F'' of some hundred
};

/// The p-norm of exponent 1 has a kink there: central differences find no slope either, whatever the sign.
TEST_F(TimeFunctionals, GiveNoSlopeToAnFOfRoundingErrors) {
  for (const double error : {1e-17, -1e-17, 0.0}) {
    Criterion<double> criterion(run_.integrator, run_.integrator.layout());
    const auto F = [error](double t) { return t > 0.0 ? -t : error; };
    criterion.add(1.0, std::make_shared<TimeHistory>(F), TimeFunctional::p_norm, 1.0);
    const LinearizedCriterion psi(criterion, run_.trajectory);
    VectorXd y_bar = VectorXd::Zero(run_.trajectory.y.rows()), at_zero = VectorXd::Zero(1), later = at_zero;
    psi.add_partials(0, run_.trajectory, y_bar, at_zero);
    psi.add_partials(1, run_.trajectory, y_bar, later);
    EXPECT_EQ(at_zero[0], 0.0) << error;
    EXPECT_NEAR(later[0], -1e-3, 1e-12);
  }
}

TEST_F(TimeFunctionals, OfZeroHaveAGradientOfZero) {
  for (const double exponent : {1.0, 1.5, 2.0, 8.0}) {
    Criterion<double> criterion(run_.integrator, run_.integrator.layout());
    criterion.add(1.0, std::make_shared<TimeHistory>([](double) { return 0.0; }), TimeFunctional::p_norm,
                  exponent);
    const LinearizedCriterion psi(criterion, run_.trajectory);
    VectorXd y_bar = VectorXd::Zero(run_.trajectory.y.rows()), p_bar = VectorXd::Zero(1);
    for (Eigen::Index k = 0; k < run_.trajectory.y.cols(); ++k)
      psi.add_partials(k, run_.trajectory, y_bar, p_bar);
    EXPECT_EQ(criterion.value(run_.trajectory), 0.0);
    EXPECT_EQ(p_bar[0], 0.0);
  }
}

TEST_F(TimeFunctionals, OfALineHaveTheirClosedForms) {
  const auto line = [](double t) { return 3.0 * t; };
  EXPECT_NEAR(of(line, TimeFunctional::integral), 1.5, 1e-12);
  EXPECT_NEAR(of(line, TimeFunctional::mean), 1.5, 1e-12);
  EXPECT_NEAR(of(line, TimeFunctional::final_value), 3.0, 1e-12);
  EXPECT_NEAR(of(line, TimeFunctional::p_norm, 8.0), 3.0 * std::pow(9.0, -1.0 / 8.0), tolerance_);
  EXPECT_NEAR(of(line, TimeFunctional::kreisselmeier_steinhauser, 5.0),
              std::log((std::exp(15.0) - 1.0) / 15.0) / 5.0, tolerance_);
}

TEST_F(TimeFunctionals, OfTheOppositeSignAreMirrored) {
  const auto line = [](double t) { return 3.0 * t; };
  const auto fall = [](double t) { return -3.0 * t; };
  EXPECT_DOUBLE_EQ(of(fall, TimeFunctional::p_norm, 3.0), of(line, TimeFunctional::p_norm, 3.0));
  EXPECT_DOUBLE_EQ(of(fall, TimeFunctional::kreisselmeier_steinhauser, -5.0),
                   -of(line, TimeFunctional::kreisselmeier_steinhauser, 5.0));
}

TEST_F(TimeFunctionals, ApproachTheExtremesWithoutOverflow) {
  const auto wave = [](double t) { return 1e200 * std::sin(6.0 * t); };
  EXPECT_NEAR(of(wave, TimeFunctional::p_norm, 200.0) / 1e200, 1.0, 0.02);
  const auto bow = [](double t) { return 1000.0 + 900.0 * std::sin(6.0 * t); };
  EXPECT_NEAR(of(bow, TimeFunctional::kreisselmeier_steinhauser, 10.0), 1900.0, 1.0);
  EXPECT_NEAR(of(bow, TimeFunctional::kreisselmeier_steinhauser, -10.0), 100.0, 1.0);
}

TEST_F(TimeFunctionals, StandBesideTheirTrueExtremes) {
  const auto wave = [](double t) { return std::sin(6.0 * t) - 0.2; };  // from about -1.2 to about 0.8
  const auto peak = [&](TimeFunctional time, double exponent) {
    Criterion<double> criterion(run_.integrator, run_.integrator.layout());
    criterion.add(-2.0, std::make_shared<TimeHistory>(wave), time, exponent);
    return criterion.evaluate(run_.trajectory).peak;
  };
  const double high = wave(0.262), low = wave(0.785);  // pi / 12 and pi / 4 among steps of 1 ms
  EXPECT_DOUBLE_EQ(peak(TimeFunctional::p_norm, 4.0), -2.0 * std::abs(low));
  EXPECT_DOUBLE_EQ(peak(TimeFunctional::kreisselmeier_steinhauser, 5.0), -2.0 * high);
  EXPECT_DOUBLE_EQ(peak(TimeFunctional::kreisselmeier_steinhauser, -5.0), -2.0 * low);
  EXPECT_DOUBLE_EQ(peak(TimeFunctional::mean, 0.0), -2.0 * of(wave, TimeFunctional::mean));
  EXPECT_DOUBLE_EQ(peak(TimeFunctional::final_value, 0.0), -2.0 * wave(1.0));
}

TEST_F(TimeFunctionals, OfInstantsSumTheirValuesAndRangeOverAllSteps) {
  const auto wave = [](double t) { return std::sin(6.0 * t); };
  Criterion<double> criterion(run_.integrator, run_.integrator.layout());
  criterion.add(3.0, std::make_shared<TimeHistory>(wave), TimeFunctional::instants, 0.0, {0, 100, 1000});
  EXPECT_DOUBLE_EQ(criterion.value(run_.trajectory), 3.0 * (wave(0.0) + wave(0.1) + wave(1.0)));
  const ValueRange range = criterion.range(run_.trajectory);
  EXPECT_DOUBLE_EQ(range.low, 3.0 * wave(0.785));
  EXPECT_DOUBLE_EQ(range.high, 3.0 * wave(0.262));
}

TEST_F(TimeFunctionals, OfInstantsHavePartialsThereAlone) {
  Criterion<double> criterion(run_.integrator, run_.integrator.layout());
  const auto F = [](double t) { return t; };
  criterion.add(3.0, std::make_shared<TimeHistory>(F), TimeFunctional::instants, 0.0, {7, 100});
  const LinearizedCriterion psi(criterion, run_.trajectory);
  EXPECT_EQ(psi.first_step(), 7);
  EXPECT_EQ(psi.last_step(), 100);
  VectorXd y_bar = VectorXd::Zero(run_.trajectory.y.rows());
  for (const Eigen::Index k : {0, 7, 8, 100, 1000}) {
    VectorXd p_bar = VectorXd::Zero(1);
    psi.add_partials(k, run_.trajectory, y_bar, p_bar);
    EXPECT_EQ(p_bar[0], k == 7 || k == 100 ? 3.0 : 0.0) << k;
  }
}

// They belong to no step: the whole range is moved by them, and the sweep goes back to the start for their partials.
TEST_F(TimeFunctionals, CountConstantsInTheRangeAndAtTheStart) {
  const auto wave = [](double t) { return std::sin(6.0 * t); };
  Criterion<double> criterion(run_.integrator, run_.integrator.layout());
  criterion.add(3.0, std::make_shared<TimeHistory>(wave), TimeFunctional::instants, 0.0, {100});
  criterion.add(2.0, std::make_shared<FirstParameter>());
  EXPECT_DOUBLE_EQ(criterion.value(run_.trajectory), 3.0 * wave(0.1) + 10.0);
  const ValueRange range = criterion.range(run_.trajectory);
  EXPECT_DOUBLE_EQ(range.low, 3.0 * wave(0.785) + 10.0);
  EXPECT_DOUBLE_EQ(range.high, 3.0 * wave(0.262) + 10.0);
  const LinearizedCriterion psi(criterion, run_.trajectory);
  EXPECT_EQ(psi.first_step(), 0);
  VectorXd y_bar = VectorXd::Zero(run_.trajectory.y.rows()), p_bar = VectorXd::Zero(1);
  psi.add_partials(0, run_.trajectory, y_bar, p_bar);
  EXPECT_EQ(p_bar[0], 2.0);
}

TEST_F(TimeFunctionals, OfAChangeCountTheStartNegatively) {
  Criterion<double> criterion(run_.integrator, run_.integrator.layout());
  criterion.add(2.0, std::make_shared<CoordinateOfAllSteps>(), TimeFunctional::change, 0.0);
  const LinearizedCriterion psi(criterion, run_.trajectory);
  VectorXd at_start = VectorXd::Zero(run_.integrator.layout().n_tangent()), at_end = at_start,
           p_bar = VectorXd::Zero(1);
  psi.add_partials(0, run_.trajectory, at_start, p_bar);
  psi.add_partials(1000, run_.trajectory, at_end, p_bar);
  EXPECT_EQ(at_start[1], -6.0);
  EXPECT_EQ(at_end[1], 6.0);
}

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
    EXPECT_NEAR(criterion.range(run.trajectory).high, largest, 1e-14 * largest);
  }
  term.time = TimeFunctional::final_value;
  const double last = von_mises(*modes, q.rightCols(1)).maxCoeff();
  const CriterionValue<double> at_end =
      make_criterion<double>(run.integrator, run.system, {term}).evaluate(run.trajectory);
  EXPECT_NEAR(at_end.peak, last, 1e-14 * last);
  EXPECT_GT(at_end.psi, last);
}

/// Final value of a component of a joint's reaction.
double reaction(const SystemSpec& spec, const CriterionTerm& term) {
  Simulation<double> run(spec, span(0.02, 1e-3, 0.0), {});
  run.value();
  return make_criterion<double>(run.integrator, run.system, {term}).value(run.trajectory);
}

TEST(JointReaction, OfAHangingRodCarriesItsWeight) {
  SystemSpec spec = free_rod();
  spec.gravity << 0.0, 0.0, -10.0;
  std::array<bool, 6> locked{};
  locked_dofs_of("fixed", locked);
  spec.joints = {{"wall", {"ground"}, {"rod", "a"}, locked, {}}};
  CriterionTerm term{.quantity = Quantity::reaction_force, .time = TimeFunctional::final_value};
  term.joint = "wall", term.component = 2;
  EXPECT_NEAR(reaction(spec, term), 20.0, 1e-9);
  term.component = std::nullopt;
  EXPECT_NEAR(reaction(spec, term), 20.0, 1e-9) << "N: the magnitude, in the unit of the component";
  term.form = CriterionForm::half_square;
  EXPECT_NEAR(reaction(spec, term), 200.0, 1e-8) << "N^2, where it is requested";
  term.form = std::nullopt;
  term.quantity = Quantity::reaction_moment, term.component = 1;
  EXPECT_NEAR(reaction(spec, term), -10.0, 1e-9);  // (0.5, 0, 0) x (0, 0, -20) is balanced
}

TEST(DriveTorque, AcceleratesTheInertiaOfARod) {
  SystemSpec spec = free_rod();
  std::array<bool, 6> locked{};
  locked_dofs_of("revolute", locked);
  const double alpha = 3.0;
  spec.joints = {{"motor",
                  {"ground"},
                  {"rod", "a"},
                  locked,
                  {{RelativeDof::rz, polynomial({0.0, {0.0, 0.0}}, {1.0, {0.5 * alpha}})}}}};
  const CriterionTerm term{
      .quantity = Quantity::drive_torque, .time = TimeFunctional::final_value, .joint = "motor"};
  EXPECT_NEAR(reaction(spec, term), (0.3 + 2.0 * 0.25) * alpha, 1e-6);
}

}  // namespace
}  // namespace kurbel
