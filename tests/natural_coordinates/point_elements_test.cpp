/// Elements on points, moments in joints and functions of points: derivatives, potentials, work.
#include "natural_coordinates/point_elements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using Eigen::Vector2d;
using VectorXc = VectorX<Complex>;

// Complex step has no truncation error: 1e-13 leaves room for the rounding of sums of a few terms.
constexpr double rounding = 1e-13;

/// Where an element is judged.
struct Arguments {
  VectorXd q, v, u, xi;

  template <class E>
  static Arguments of(const E& e, unsigned seed) {
    return {test::random_vector(e.n_q(), 2.0, seed),
            test::random_vector(e.n_q(), 3.0, seed + 1),
            {},
            VectorXd::Constant(e.n_xi(), 1.5) + test::random_vector(e.n_xi(), 1.0, seed + 2)};
  }
  VectorXd all() const {
    VectorXd x(2 * q.size() + u.size() + xi.size());
    x << q, v, u, xi;
    return x;
  }
};

/// The arguments in one vector, taken apart.
template <class S>
struct Parts {
  VectorX<S> q, v, u, xi;
  Parts(const VectorX<S>& x, const Arguments& like)
      : q(x.head(like.q.size())),
        v(x.segment(q.size(), q.size())),
        u(x.segment(2 * q.size(), like.u.size())),
        xi(x.tail(like.xi.size())) {}
  ElementState<S> state() const { return {q, v, u, xi}; }
};

template <class S>
VectorX<S> force(const DynamicElement<S>& element, const VectorX<S>& x, const Arguments& like) {
  const Parts<S> parts(x, like);
  VectorX<S> Q = VectorX<S>::Zero(element.n_q());
  element.add_force(parts.state(), Q);
  return Q;
}

/// Q_q, Q_v, Q_u, Q_xi side by side.
MatrixXd derivatives(const DynamicElement<double>& element, const Arguments& at) {
  ForceDerivatives<double> d;
  d.resize(element.n_q(), element.n_u(), element.n_xi());
  element.add_derivatives({at.q, at.v, at.u, at.xi}, d);
  MatrixXd all(element.n_q(), at.all().size());
  all << d.Q_q, d.Q_v, d.Q_u, d.Q_xi;
  return all;
}

/// Forces add to what is there, their derivatives equal complex step.
template <template <class> class E, class... Options>
void expect_force_derivatives(const Options&... options) {
  const E<double> element(options...);
  const E<Complex> judge(options...);
  Arguments at = Arguments::of(element, 7);
  at.u = test::random_vector(element.n_u(), 2.0, 5);
  const MatrixXd expected =
      test::complex_step([&](const VectorXc& x) { return force<Complex>(judge, x, at); }, at.all());
  EXPECT_LT(test::column_error(derivatives(element, at), expected), rounding);

  VectorXd twice = force<double>(element, at.all(), at);
  const VectorXd once = twice;
  element.add_force({at.q, at.v, at.u, at.xi}, twice);
  EXPECT_EQ(twice, 2.0 * once);
}

/// At rest and without controls, Q = -dV/dq.
template <template <class> class E, class... Options>
void expect_potential(const Options&... options) {
  const E<double> element(options...);
  const E<Complex> judge(options...);
  Arguments at = Arguments::of(element, 11);
  at.v.setZero();
  const VectorXc rest = at.v.cast<Complex>(), none, xi = at.xi.cast<Complex>();
  const MatrixXd V_q = test::complex_step(
      [&](const VectorXc& q) {
        return VectorXc::Constant(1, judge.potential({q, rest, none, xi}));
      },
      at.q);
  ASSERT_GT(V_q.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT(test::column_error(force<double>(element, at.all(), at), -V_q.transpose()), rounding);
}

const Vector3d gravity(0.7, -0.4, -9.81);

TEST(PointMass, DerivativesEqualComplexStep) {
  expect_force_derivatives<PointMass>(gravity);
}

TEST(PointMass, WeightHasItsPotential) {
  expect_potential<PointMass>(gravity);
}

TEST(PointMass, DerivativesOfTheMassEqualComplexStep) {
  const VectorXd xi = VectorXd::Constant(1, 2.5), a = test::random_vector(3, 1.0, 1);
  const VectorXc a_c = a.cast<Complex>();
  MatrixXd Ma_xi = MatrixXd::Zero(3, 1), M = MatrixXd::Zero(3, 3);
  const PointMass<double> mass(gravity);
  mass.add_mass_derivative(xi, a, Ma_xi);
  mass.add_mass(xi, M);
  EXPECT_EQ(M, 2.5 * MatrixXd::Identity(3, 3));
  const PointMass<Complex> judge(gravity);
  const MatrixXd expected = test::complex_step(
      [&](const VectorXc& z) -> VectorXc {
        MatrixX<Complex> M_c = MatrixX<Complex>::Zero(3, 3);
        judge.add_mass(z, M_c);
        return M_c * a_c;
      },
      xi);
  EXPECT_LT(test::column_error(Ma_xi, expected), rounding);
}

TEST(ControlForce, DerivativesEqualComplexStep) {
  expect_force_derivatives<ControlForce>(Vector3d(0.5, -2.0, 1.0));
}

TEST(ControlForce, ActsAlongItsDirection) {
  const VectorXd q = VectorXd::Zero(3), u = VectorXd::Constant(1, 2.0), none;
  VectorXd Q = VectorXd::Zero(3);
  ControlForce<double>(Vector3d(0.5, -2.0, 1.0)).add_force({q, q, u, none}, Q);
  EXPECT_EQ(Q, Vector3d(1.0, -4.0, 2.0));
}

/// Of every law, with its damper along the line and in every direction.
class EverySpring : public testing::TestWithParam<std::pair<SpringLaw, bool>> {
 protected:
  SpringLaw law() const { return GetParam().first; }
  bool has_isotropic_damping() const { return GetParam().second; }
};

INSTANTIATE_TEST_SUITE_P(Spring, EverySpring,
                         testing::Values(std::pair(SpringLaw::linear, false),
                                         std::pair(SpringLaw::hooke, false),
                                         std::pair(SpringLaw::green_lagrange, false),
                                         std::pair(SpringLaw::hooke, true),
                                         std::pair(SpringLaw::green_lagrange, true)));

TEST_P(EverySpring, DerivativesEqualComplexStep) {
  expect_force_derivatives<Spring>(law(), has_isotropic_damping());
}

TEST_P(EverySpring, ForceAtRestIsMinusTheGradientOfThePotential) {
  expect_potential<Spring>(law(), has_isotropic_damping());
}

TEST_P(EverySpring, PullsBothEndsAlongItsLineAndSumsToNothing) {
  const Spring<double> spring(law(), has_isotropic_damping());
  Arguments at = Arguments::of(spring, 3);
  at.v.setZero();
  const VectorXd Q = force<double>(spring, at.all(), at);
  const Vector3d to = Q.head<3>(), from = Q.tail<3>(), line = at.q.head<3>() - at.q.tail<3>();
  EXPECT_EQ(to, -from);
  EXPECT_LT(to.cross(line).norm(), rounding * to.norm() * line.norm());
}

TEST_P(EverySpring, DamperTakesEnergyOut) {
  const Spring<double> spring(law(), has_isotropic_damping());
  for (unsigned seed = 0; seed < 20; ++seed) {
    Arguments at = Arguments::of(spring, seed);
    at.xi[0] = 0.0;
    EXPECT_LT(force<double>(spring, at.all(), at).dot(at.v), 0.0);
  }
}

/// Force on "to" at (l, 0, 0) moving along x with l_dot, "from" in the origin; c = 3, b = 0.2, l_0 = 2.
double tension(SpringLaw law, double l, double l_dot) {
  const VectorXd q = (VectorXd(6) << l, 0, 0, 0, 0, 0).finished(), none;
  const VectorXd v = (VectorXd(6) << l_dot, 0, 0, 0, 0, 0).finished();
  const VectorXd xi = Vector3d(3.0, 0.2, 2.0);
  VectorXd Q = VectorXd::Zero(6);
  Spring<double>(law).add_force({q, v, none, xi}, Q);
  return -Q[0];
}

TEST(Spring, FollowsItsLawAlongALine) {
  EXPECT_NEAR(tension(SpringLaw::linear, 2.5, 4.0), 3.0 * 2.5 + 0.2 * 4.0, rounding * 10.0);
  EXPECT_NEAR(tension(SpringLaw::hooke, 2.5, 4.0), 3.0 * 0.5 + 0.2 * 4.0, rounding * 10.0);
  const double eps = (2.5 * 2.5 - 4.0) / 8.0, eps_dot = 2.5 * 4.0 / 4.0;  // [P2, eq. 50]
  EXPECT_NEAR(tension(SpringLaw::green_lagrange, 2.5, 4.0), (3.0 * eps + 0.2 * eps_dot) * 2.5,
              rounding * 10.0);
  EXPECT_EQ(tension(SpringLaw::hooke, 2.0, 0.0), 0.0);
  EXPECT_EQ(tension(SpringLaw::green_lagrange, 2.0, 0.0), 0.0);
}

TEST(JointMoment, DerivativesEqualComplexStep) {
  expect_force_derivatives<JointMoment>(true);
  expect_force_derivatives<JointMoment>(false);
}

/// r_y at an angle, and its rate when it turns.
Vector2d section(double angle, double length) {
  return length * Vector2d(-std::sin(angle), std::cos(angle));
}

VectorXd moment(const VectorXd& q, const VectorXd& v, double torque, double damping) {
  const VectorXd u = VectorXd::Constant(1, torque), xi = VectorXd::Constant(1, damping);
  VectorXd Q = VectorXd::Zero(4);
  JointMoment<double>(true).add_force({q, v, u, xi}, Q);
  return Q;
}

double cross(const Vector2d& a, const Vector2d& b) {
  return a[0] * b[1] - a[1] * b[0];
}

TEST(JointMoment, IsOppositeOnBothSections) {
  VectorXd q(4);
  q << section(0.4, 1.1), section(-0.9, 0.8);
  const VectorXd Q = moment(q, VectorXd::Zero(4), 2.5, 0.3);
  EXPECT_NEAR(cross(q.head<2>(), Q.head<2>()), 2.5, rounding);
  EXPECT_NEAR(cross(q.tail<2>(), Q.tail<2>()), -2.5, rounding);
  EXPECT_NEAR(q.head<2>().dot(Q.head<2>()), 0.0, rounding);  // it does not stretch a section
  EXPECT_NEAR(q.tail<2>().dot(Q.tail<2>()), 0.0, rounding);
}

TEST(JointMoment, PowerIsTorqueTimesRelativeRate) {
  const double rate_to = 3.0, rate_from = -1.5, u = 2.5, b = 0.3;
  VectorXd q(4), v(4);
  q << section(0.4, 1.1), section(-0.9, 0.8);
  v << rate_to * Vector2d(-q[1], q[0]), rate_from * Vector2d(-q[3], q[2]);
  v += 0.7 * q;  // sections that grow as well
  const double rate = rate_to - rate_from;
  EXPECT_NEAR(moment(q, v, u, b).dot(v), (u - b * rate) * rate, rounding * 10.0);
}

TEST(JointMoment, TorqueDoesTheWorkOfTheAngleItTurnsBy) {
  // From 0 to 5 rad relative to the other section, while both stretch and "from" turns by 1 rad.
  const auto path = [](double s) {
    VectorXd q(4);
    q << section(6.0 * s, 1.0 + 0.3 * std::sin(2.0 * s)), section(s, 1.0 - 0.2 * s);
    return q;
  };
  constexpr int n = 400;
  double work = 0.0;
  for (int i = 0; i < n; ++i) {
    const VectorXd middle = path((i + 0.5) / n);
    work += moment(middle, VectorXd::Zero(4), 2.5, 0.3)
                .dot(path((i + 1.0) / n) - path(static_cast<double>(i) / n));
  }
  EXPECT_NEAR(work, 2.5 * 5.0, 1e-3);  // midpoint rule: (6 / 400)^2 / 24 of the angles
}

TEST(JointMoment, DampingVanishesWhenTheSectionsTurnTogether) {
  VectorXd q(4), v(4);
  q << section(0.4, 1.1), section(-0.9, 0.8);
  v << 2.0 * Vector2d(-q[1], q[0]), 2.0 * Vector2d(-q[3], q[2]);
  EXPECT_LT(moment(q, v, 0.0, 0.3).cwiseAbs().maxCoeff(), rounding);
}

/// Values and derivatives of a function of points.
template <template <class> class F, class... Options>
void expect_function_derivatives(const Options&... options) {
  const F<double> function(options...);
  const F<Complex> judge(options...);
  const Arguments at = Arguments::of(function, 21);
  FunctionDerivatives<double> d;
  d.resize(function.n_rows(), function.n_q(), function.n_xi());
  function.add_derivatives({at.q, at.v, at.u, at.xi}, d);
  MatrixXd all(function.n_rows(), at.all().size());
  all << d.h_q, d.h_v, d.h_xi;
  const MatrixXd expected = test::complex_step(
      [&](const VectorXc& x) {
        const Parts<Complex> parts(x, at);
        VectorXc h = VectorXc::Zero(judge.n_rows());
        judge.value(parts.state(), h);
        return h;
      },
      at.all());
  ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT(test::column_error(all, expected), rounding);
}

TEST(PointState, HasARowForEachAxis) {
  using Kind = PointState<double>::Kind;
  const std::vector<int> axes = {2, 0};
  const VectorXd q = Vector3d(1.0, 2.0, 3.0), v = Vector3d(4.0, 5.0, 6.0), none;
  for (const Kind kind : {Kind::position, Kind::velocity}) {
    const PointState<double> function(kind, axes);
    VectorXd h(2);
    function.value({q, v, none, none}, h);
    EXPECT_EQ(h, kind == Kind::position ? Vector2d(3.0, 1.0) : Vector2d(6.0, 4.0));
    FunctionDerivatives<double> d;
    d.resize(2, 3, 0);
    function.add_derivatives({q, v, none, none}, d);
    MatrixXd rows = MatrixXd::Zero(2, 3);
    rows(0, 2) = rows(1, 0) = 1.0;
    EXPECT_EQ(d.h_q, kind == Kind::position ? rows : MatrixXd::Zero(2, 3));
    EXPECT_EQ(d.h_v, kind == Kind::velocity ? rows : MatrixXd::Zero(2, 3));
  }
}

TEST(PointDistance, DerivativesEqualComplexStep) {
  expect_function_derivatives<PointDistance>();
}

TEST(PointDistance, IsTheLengthOfTheLine) {
  const VectorXd q = (VectorXd(6) << 1, 2, 3, 3, 5, -3).finished(), v = VectorXd::Zero(6), none;
  VectorXd h(1);
  PointDistance<double>().value({q, v, none, none}, h);
  EXPECT_DOUBLE_EQ(h[0], 7.0);
}

TEST_P(EverySpring, ReactionHasTheDerivativesOfComplexStep) {
  expect_function_derivatives<SpringReaction>(law(), has_isotropic_damping(), std::vector<int>{0, 2});
}

TEST_P(EverySpring, ReactionIsTheForceOnWhereItStarts) {
  const Spring<double> spring(law(), has_isotropic_damping());
  const Arguments at = Arguments::of(spring, 9);
  VectorXd h(3);
  SpringReaction<double>(law(), has_isotropic_damping(), {2, 1, 0}).value({at.q, at.v, at.u, at.xi}, h);
  const VectorXd Q = force<double>(spring, at.all(), at);
  EXPECT_EQ(h, Vector3d(Q[5], Q[4], Q[3]));
}

}  // namespace
}  // namespace kurbel
