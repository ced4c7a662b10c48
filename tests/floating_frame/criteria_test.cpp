/// Quantities at one instant: their derivatives against complex step, their values against each other.
#include "floating_frame/criteria.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "criteria_terms.hpp"
#include "floating_frame/joint_angle.hpp"
#include "floating_frame/marker_attitude.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

constexpr double step = 1e-40;  // complex step: no subtraction, so no lower limit of use

/// The mechanism that has every feature, in a random state.
template <class S>
struct RandomState {
  RandomState() : system(test::kitchen_sink()) {
    test::Random random(41);
    const auto numbers = [&](Eigen::Index n) -> VectorX<S> {
      const VectorXd values = random.vector(n);
      return values.cast<S>();
    };
    VectorX<S> start(system.n_x()), rest(system.n_v());
    system.given_initial_state(start, rest);
    x = start;
    system.retract(start, 0.4 * numbers(system.n_v()), x);
    v = numbers(system.n_v()), v_dot = numbers(system.n_v()), lambda = numbers(system.n_c());
  }
  DaeInstant<S> at() const { return {0.7, x, v, v_dot, lambda}; }
  DaeStateLayout layout() const { return {system.n_x(), system.n_v(), system.n_c()}; }

  MultibodySystem<S> system;
  VectorX<S> x, v, v_dot, lambda;
};

class QuantityDerivatives : public ::testing::TestWithParam<test::NamedTerm> {};

TEST_P(QuantityDerivatives, EqualComplexStepInStateAndParameters) {
  const RandomState<double> state;
  const double weight = 1.7;
  VectorXd y_bar = VectorXd::Zero(state.layout().n_tangent());
  VectorXd p_bar = VectorXd::Zero(state.system.parameters().size());
  DaeInstantBar<double> bar(state.layout(), y_bar);
  make_integrand<double>(state.system, GetParam().term)->add_partials(state.at(), weight, bar, p_bar);
  EXPECT_GT(y_bar.cwiseAbs().maxCoeff() + p_bar.cwiseAbs().maxCoeff(), 0.0);

  RandomState<Complex> judge;
  const auto F = make_integrand<Complex>(judge.system, GetParam().term);
  const double value = F->value(judge.at()).real();
  ASSERT_NEAR(make_integrand<double>(state.system, GetParam().term)->value(state.at()), value,
              1e-14 * std::abs(value));
  const double scale = std::max(y_bar.cwiseAbs().maxCoeff(), p_bar.cwiseAbs().maxCoeff());
  const double tolerance = 1e-13 * scale;  // round-off of sums of some ten terms
  const auto expect = [&](double actual, const char* what, Eigen::Index i) {
    EXPECT_NEAR(actual, weight * F->value(judge.at()).imag() / step, tolerance) << what << " " << i;
  };
  const VectorX<Complex> x = judge.x;
  for (Eigen::Index i = 0; i < judge.system.n_v(); ++i) {
    VectorX<Complex> xi = VectorX<Complex>::Zero(judge.system.n_v());
    xi[i] = Complex(0.0, step);
    judge.system.retract(x, xi, judge.x);
    expect(bar.x[i], "x", i);
  }
  judge.x = x;
  const auto expect_all = [&](VectorX<Complex>& values, const auto& bars, const char* what) {
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      values[i] += Complex(0.0, step);
      expect(bars[i], what, i);
      values[i] = values[i].real();
    }
  };
  expect_all(judge.v, bar.v, "v");
  expect_all(judge.v_dot, bar.v_dot, "v_dot");
  expect_all(judge.lambda, bar.lambda, "lambda");
  VectorX<Complex> p = judge.system.parameters();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    p[i] += Complex(0.0, step);
    judge.system.set_parameters(p);
    expect(p_bar[i], "p", i);
    p[i] = p[i].real();
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuantityDerivatives, ::testing::ValuesIn(test::all_terms()),
                         [](const auto& info) { return info.param.name; });

TEST(MarkerQuantity, RatesArePositionVelocityAndAccelerationOfOnePoint) {
  RandomState<Complex> state;
  const VectorX<Complex> x = state.x;
  const Complex dt(0.0, step);
  state.system.retract(x, dt * state.v, state.x);  // x_dot = X(x) v
  const VectorX<Complex> v = state.v;
  state.v += dt * state.v_dot;
  for (const MarkerRef& marker : {MarkerRef{"one", "b"}, MarkerRef{"rod", "b"}, MarkerRef{"two", "origin"}}) {
    const auto value = [&](MarkerQuantityKind kind) {
      return MarkerQuantity<Complex>(state.system, marker, kind).value(state.at());
    };
    const Vector3<Complex> y = value(MarkerQuantityKind::position),
                           y_dot = value(MarkerQuantityKind::velocity),
                           y_ddot = value(MarkerQuantityKind::acceleration);
    EXPECT_LT((y.imag() / step - y_dot.real()).norm(), 1e-14 * (1.0 + y_dot.real().norm())) << marker.body;
    EXPECT_LT((y_dot.imag() / step - y_ddot.real()).norm(), 1e-14 * (1.0 + y_ddot.real().norm()))
        << marker.body;
  }
}

TEST(MarkerQuantity, DisplacementIsTheDistanceFromTheRigidBody) {
  RandomState<double> state;
  const auto value = [&](MarkerQuantityKind kind) {
    return MarkerQuantity<double>(state.system, {"one", "b"}, kind).value(state.at());
  };
  const Vector3d elastic = value(MarkerQuantityKind::displacement), y = value(MarkerQuantityKind::position);
  const Matrix3d S = rotation_matrix(state.system.pose(state.x, 0).e);
  state.x.segment(state.system.x_offset(0) + 7, 3).setZero();
  EXPECT_LT((S * elastic - (y - value(MarkerQuantityKind::position))).norm(), 1e-14);
}

TEST(MarkerAttitude, RatesAreThoseOfItsAngles) {
  RandomState<Complex> state;
  const VectorX<Complex> x = state.x;
  state.system.retract(x, Complex(0.0, step) * state.v, state.x);  // x_dot = X(x) v
  for (const MarkerRef& marker : {MarkerRef{"one", "b"}, MarkerRef{"rod", "b"}, MarkerRef{"two", "origin"}}) {
    const auto value = [&](AttitudeKind kind) {
      return Vector3<Complex>(MarkerAttitude<Complex>(state.system, marker, kind).value(state.at()));
    };
    const Vector3d rates = value(AttitudeKind::rates).real();
    EXPECT_LT((value(AttitudeKind::angles).imag() / step - rates).norm(), 1e-13 * (1.0 + rates.norm()))
        << marker.body;
  }
}

TEST(MarkerAttitude, OfAnOriginIsTheAttitudeOfItsBody) {
  const RandomState<double> state;
  for (const AttitudeKind kind : {AttitudeKind::angles, AttitudeKind::rates}) {
    const Vector3d of_marker =
                       MarkerAttitude<double>(state.system, {"two", "origin"}, kind).value(state.at()),
                   of_body = Attitude<double>(state.system, "two", kind).value(state.at());
    EXPECT_LT((of_marker - of_body).norm(), 1e-14 * (1.0 + of_body.norm()));
  }
}

/// Turned alike, without deformation and with a small one.
TEST(MarkerAttitude, FollowsTheRotationOfTheMarker) {
  RandomState<double> state;
  state.x.segment<7>(state.system.x_offset(0)) << 0, 0, 0, 1, 0, 0, 0;
  auto q = state.x.segment(state.system.x_offset(0) + 7, 3);
  const auto attitude = [&] {
    return Vector3d(
        MarkerAttitude<double>(state.system, {"one", "b"}, AttitudeKind::angles).value(state.at()));
  };
  const auto axes = [](const Vector3d& a) {
    return Matrix3d(Eigen::AngleAxisd(a[2], Vector3d::UnitZ()) * Eigen::AngleAxisd(a[1], Vector3d::UnitY()) *
                    Eigen::AngleAxisd(a[0], Vector3d::UnitX()));
  };
  q *= 1e-5;
  const Vector3d psi =
      MarkerQuantity<double>(state.system, {"one", "b"}, MarkerQuantityKind::rotation).value(state.at());
  const Matrix3d turned = axes(attitude());
  q.setZero();
  const Matrix3d change = turned * axes(attitude()).transpose();
  EXPECT_GT(psi.norm(), 1e-7);
  // Of second order in psi.
  EXPECT_LT((Vector3d(change(2, 1), change(0, 2), change(1, 0)) - psi).norm(),
            4.0 * psi.squaredNorm() + 1e-15);
}

TEST(EnergyIntegrand, OfTheMechanismIsTheSumOverBodiesAndSprings) {
  const RandomState<double> state;
  const auto value = [&](const std::string& body) {
    return EnergyIntegrand<double>(state.system, {1.0, 1.0, 1.0}, body).value(state.at());
  };
  const auto ws = state.system.make_workspace();
  const auto energy = state.system.energy(state.at(), *ws);
  EXPECT_EQ(value(""), energy.kinetic + energy.elastic + energy.gravitational);
  // Springs of the mechanism are stretched.
  EXPECT_GT(value(""), value("one") + value("two") + value("rod"));
}

/// The second rod is 0.9 ahead of the first one and gains 0.7 - 0.4 each second.
TEST(JointAngle, IsThatOfOneRodAgainstTheOtherWithoutWholeTurns) {
  const MultibodySystem<Complex> system(test::rigid_chain(2));
  const auto value = [&](JointAngleKind kind, Complex t, TimeFunctionPtr around) {
    VectorX<Complex> start(system.n_x()), v = VectorX<Complex>::Zero(system.n_v()), x = start;
    system.given_initial_state(start, v);
    v.setZero(), v[5] = 0.4, v[11] = 0.7;
    VectorX<Complex> xi = t * v;
    xi[5] += 2.0, xi[11] += 2.9;
    system.retract(start, xi, x);
    const VectorX<Complex> rest = VectorX<Complex>::Zero(system.n_v()),
                           none = VectorX<Complex>::Zero(system.n_c());
    return JointAngle<Complex>(system, "hinge 1", kind, std::move(around)).value({0.0, x, v, rest, none})[0];
  };
  const auto angle = [&](double around) {
    return value(JointAngleKind::angle, 0.0, constant_rate(around, 0.0)).real();
  };
  const double turn = 2.0 * std::numbers::pi;
  EXPECT_NEAR(value(JointAngleKind::angle, 0.0, nullptr).real(), 0.9, 1e-14);
  EXPECT_NEAR(angle(3.9), 0.9, 1e-14);
  EXPECT_NEAR(angle(4.1), 0.9 + turn, 1e-14);
  EXPECT_NEAR(angle(-3.0), 0.9 - turn, 1e-14);
  EXPECT_NEAR(value(JointAngleKind::rate, 0.0, nullptr).real(), 0.3, 1e-14);
  EXPECT_NEAR(value(JointAngleKind::angle, Complex(0.0, step), nullptr).imag() / step, 0.3, 1e-14);
}

std::string message(const CriterionTerm& term) {
  const MultibodySystem<double> system(test::kitchen_sink());
  try {
    make_integrand<double>(system, term);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(Quantities, ThatDoNotExistAreRefused) {
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.quantity = Quantity::mass, .body = "three"}), HasSubstr("no body three"));
  EXPECT_THAT(message({.quantity = Quantity::compliance, .body = "rod"}), HasSubstr("rigid"));
  EXPECT_THAT(message({.quantity = Quantity::position, .marker = {"ground", "post"}}), HasSubstr("ground"));
  EXPECT_THAT(message({.quantity = Quantity::displacement, .marker = {"rod", "a"}}), HasSubstr("is zero"));
  EXPECT_THAT(message({.quantity = Quantity::rotation, .marker = {"rod", "a"}}),
              HasSubstr("elastic rotation of rod.a is zero"));
  EXPECT_THAT(message({.quantity = Quantity::displacement, .marker = {"one", "origin"}}),
              HasSubstr("is zero"));
  EXPECT_THAT(message({.quantity = Quantity::reaction_force, .joint = "knee"}), HasSubstr("no joint knee"));
  EXPECT_THAT(message({.quantity = Quantity::reaction_moment, .joint = "slide"}), HasSubstr("no reaction"));
  EXPECT_THAT(message({.quantity = Quantity::joint_angle, .joint = "elbow"}), HasSubstr("no angle"));
  EXPECT_THAT(message({.quantity = Quantity::drive_torque, .joint = "elbow"}),
              HasSubstr("no driven rotation"));
}

}  // namespace
}  // namespace kurbel
