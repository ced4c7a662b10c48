/// Functionals over time: values and partials in closed form.
#include "sensitivity/criterion.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "floating_frame/criteria.hpp"
#include "sensitivity/control_energy.hpp"
#include "sensitivity/norm_of_observables.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

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

TEST_F(TimeFunctionals, OfInstantsSumTheirValuesAndRangeOverSteps) {
  const auto wave = [](double t) { return std::sin(6.0 * t); };
  Criterion<double> criterion(run_.integrator, run_.integrator.layout());
  criterion.add(3.0, std::make_shared<TimeHistory>(wave), TimeFunctional::instants, 0.0, {0, 100, 1000});
  EXPECT_DOUBLE_EQ(criterion.value(run_.trajectory), 3.0 * (wave(0.0) + wave(0.1) + wave(1.0)));
  const ValueRange range = criterion.range(run_.trajectory, 0, 1000);
  EXPECT_DOUBLE_EQ(range.low, 3.0 * wave(0.785));
  EXPECT_DOUBLE_EQ(range.high, 3.0 * wave(0.262));
  const ValueRange later = criterion.range(run_.trajectory, 300, 700);
  EXPECT_DOUBLE_EQ(later.low, 3.0 * wave(0.7));
  EXPECT_DOUBLE_EQ(later.high, 3.0 * wave(0.3));
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
  const ValueRange range = criterion.range(run_.trajectory, 0, 1000);
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
