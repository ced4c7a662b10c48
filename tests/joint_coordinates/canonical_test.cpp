/// Hamilton's equations in joint coordinates, and the explicit steps on them.               [P3, eqs 7-11]
#include <gtest/gtest.h>

#include "integration/canonical_steps.hpp"
#include "integration/increment_rate.hpp"
#include "mechanism_in_momenta.hpp"
#include "tests/integration/dae_derivatives.hpp"

namespace kurbel {
namespace {

using test::CanonicalPoint, test::expect_equal, test::JointMechanism;

constexpr double step = test::complex_step;

class InJointCoordinates : public ::testing::TestWithParam<ReferencePoint> {
 protected:
  InJointCoordinates() {
    test::Random random(7);
    const auto& model = real_.joints;
    VectorXd x = VectorXd::Zero(model.n_x());
    for (const TreeStage& stage : model.tree().stages()) {
      if (stage.n_x() > stage.n_v()) x[stage.x + stage.n_x() - 4] = 1.0;
    }
    x_ = x;
    model.retract(x, 0.7 * random.vector(model.n_v()), x_);
    v_ = random.vector(model.n_v());
    w_ = random.vector(model.n_v());
  }
  VectorX<Complex> moved(const JointCoordinateSystem<Complex>& model, Eigen::Index j) const {
    VectorX<Complex> x = x_.cast<Complex>(), xi = VectorX<Complex>::Zero(model.n_v());
    xi[j] = Complex(0.0, step);
    const VectorX<Complex> from = x;
    model.retract(from, xi, x);
    return x;
  }
  /// Derivatives of a function of x, v and the parameters by all of them.
  template <class Function>
  VectorXd by_complex_step(const Function& function) const {
    const Eigen::Index n = v_.size(), n_p = real_.joints.parameters().size();
    VectorXd out(2 * n + n_p);
    const VectorX<Complex> p = real_.joints.parameters().cast<Complex>(), v = v_.cast<Complex>();
    const JointMechanism<Complex> judge(spec_, GetParam(), &p);
    for (Eigen::Index j = 0; j < n; ++j) {
      out[j] = function(judge.joints, moved(judge.joints, j), v).imag() / step;
      VectorX<Complex> other = v;
      other[j] += Complex(0.0, step);
      out[n + j] = function(judge.joints, VectorX<Complex>(x_.cast<Complex>()), other).imag() / step;
    }
    for (Eigen::Index j = 0; j < n_p; ++j) {
      VectorX<Complex> other = p;
      other[j] += Complex(0.0, step);
      const JointMechanism<Complex> changed(spec_, GetParam(), &other);
      out[2 * n + j] = function(changed.joints, VectorX<Complex>(x_.cast<Complex>()), v).imag() / step;
    }
    return out;
  }
  struct Bars {
    VectorXd x, v, p;
    VectorXd all() const {
      VectorXd out(x.size() + v.size() + p.size());
      out << x, v, p;
      return out;
    }
  };
  Bars no_bars() const {
    return {VectorXd::Zero(v_.size()), VectorXd::Zero(v_.size()),
            VectorXd::Zero(real_.joints.parameters().size())};
  }

  static constexpr double t_ = 0.4;
  SystemSpec spec_ = test::tree_with_every_joint();
  JointMechanism<double> real_{spec_, GetParam()};
  VectorXd x_, v_, w_;
};

TEST_P(InJointCoordinates, MomentaAndTheirRatesAreThoseOfLagrange) {
  const auto& model = real_.joints;
  const Eigen::Index n = model.n_v(), n_c = model.n_c();
  const VectorXd at_rest = VectorXd::Zero(n), none = VectorXd::Zero(n_c);
  const CanonicalPoint<double> here(model, t_, x_, v_);
  const auto ws = model.make_workspace();
  DaeJacobians<double> jacobians = model.make_jacobians();
  model.jacobians({t_, x_, v_, at_rest, none}, *ws, jacobians);
  const MatrixXd M = jacobians.M.to_dense(), C = jacobians.C.to_dense();
  expect_equal(here.p, M * v_, 1e-13, "p = M v");
  VectorXd f(n), c(n_c);
  model.residual({t_, x_, v_, at_rest, none}, *ws, f, c);
  expect_equal(here.f, f, 1e-13, "f without acceleration");

  // M_dot v: of the velocity v held, along the motion.
  const VectorX<Complex> p = model.parameters().cast<Complex>();
  const JointMechanism<Complex> judge(spec_, GetParam(), &p);
  const VectorX<Complex> from = x_.cast<Complex>(), xi = v_.cast<Complex>() * Complex(0.0, step);
  VectorX<Complex> x = from;
  judge.joints.retract(from, xi, x);
  const CanonicalPoint<Complex> later(judge.joints, t_, x, v_.cast<Complex>());
  expect_equal(here.g, -f + later.p.imag() / step, 1e-13, "g = Q - h + M_dot v");

  MatrixXd K = MatrixXd::Zero(n + n_c, n + n_c);
  K.topLeftCorner(n, n) = M;
  K.topRightCorner(n, n_c) = C.transpose();
  K.bottomLeftCorner(n_c, n) = C;
  const MatrixXd b = test::Random(4).matrix(n + n_c, 2);
  MatrixXd solution = b;
  model.solve(*here.ws, solution);
  expect_equal(solution, K.partialPivLu().solve(b), 1e-12, "[M C^T; C 0]^-1 by recursion");
}

TEST_P(InJointCoordinates, DerivativesOfMomentaAndRatesEqualComplexStep) {
  const CanonicalPoint<double> here(real_.joints, t_, x_, v_);
  const VectorX<Complex> w = w_.cast<Complex>();
  Bars bars = no_bars();
  real_.joints.pull_back_momentum(w_, *here.ws, bars.x, bars.v, bars.p);
  const auto momentum = [&](const auto& model, const VectorX<Complex>& x, const VectorX<Complex>& v) {
    return (w.transpose() * CanonicalPoint<Complex>(model, t_, x, v).p).value();
  };
  test::expect_close(bars.all(), by_complex_step(momentum), "w . M v");
  bars = no_bars();
  real_.joints.pull_back_rate(w_, *here.ws, bars.x, bars.v, bars.p);
  const auto rate = [&](const auto& model, const VectorX<Complex>& x, const VectorX<Complex>& v) {
    return (w.transpose() * CanonicalPoint<Complex>(model, t_, x, v).g).value();
  };
  test::expect_close(bars.all(), by_complex_step(rate), "w . g");
}

/// Everything that a step makes of a state, weighted: positions where they come to, against tangent weights.
TEST_P(InJointCoordinates, DerivativesOfAStepEqualComplexStep) {
  IntegratorOptions options;
  options.method = IntegratorMethod::runge_kutta_4, options.t0 = 0.3, options.t1 = 0.4, options.step = 0.02;
  const auto& model = real_.joints;
  const Eigen::Index n = model.n_v(), n_x = model.n_x();
  CanonicalSteps<double> steps(model.canonical(), options);
  const DaeStateLayout& l = steps.layout();
  VectorXd y0 = VectorXd::Zero(l.n_state()), y1 = y0;
  l.x(y0) = x_, l.v(y0) = v_;
  const Status status = steps.step(1, y0, y1);
  ASSERT_FALSE(status.failed()) << status.message();
  const MatrixXd weights = test::Random(9).matrix(l.n_tangent(), 1);
  MatrixXd y_bar = weights, p_bar = MatrixXd::Zero(model.parameters().size(), 1);
  steps.pullback_step(1, y0, y1, y_bar, p_bar);

  const auto outcome = [&](const JointCoordinateSystem<Complex>& judge, const VectorX<Complex>& x,
                           const VectorX<Complex>& v) {
    CanonicalSteps<Complex> complex(judge.canonical(), options);
    VectorX<Complex> from = VectorX<Complex>::Zero(l.n_state()), to = from;
    l.x(from) = x, l.v(from) = v;
    EXPECT_FALSE(complex.step(1, from, to).failed());
    VectorX<Complex> xi(n);
    const VectorX<Complex> base = y1.head(n_x).cast<Complex>();
    judge.increment(base, to.head(n_x), xi);
    Complex sum = (weights.col(0).head(n).transpose().cast<Complex>() * xi).value();
    sum += (weights.col(0).tail(l.n_tangent() - n).transpose().cast<Complex>() * to.tail(l.n_state() - n_x))
               .value();
    return sum;
  };
  VectorXd actual(2 * n + p_bar.rows()), expected = by_complex_step(outcome);
  actual << y_bar.col(0).head(2 * n), test::with_symmetric_inertias(model.cut(), p_bar.col(0));
  expected.tail(p_bar.rows()) = test::with_symmetric_inertias(model.cut(), expected.tail(p_bar.rows()));
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  EXPECT_TRUE(y_bar.bottomRows(l.n_tangent() - 2 * n).isZero(0.0));

  const MatrixXd p_dot = test::Random(2).matrix(p_bar.rows(), 2);
  MatrixXd y_dot = test::Random(3).matrix(l.n_tangent(), 2);
  const Eigen::RowVectorXd backwards = y_bar.transpose() * y_dot + p_bar.transpose() * p_dot;
  steps.push_forward_step(1, y0, y1, p_dot, y_dot);
  EXPECT_LT((weights.transpose() * y_dot - backwards).norm(), 1e-12 * backwards.norm());
}

/// Runge and Kutta's method of order 4 for x and p = M v + C^T sigma, from sigma(0) on through all steps, where those of
/// CanonicalSteps begin with sigma = 0 each.
struct FreeImpulses {
  explicit FreeImpulses(const JointCoordinateSystem<double>& joints)
      : joints(joints), canonical(joints.make_canonical_workspace()), ws(joints.make_workspace()) {}
  struct Rates {
    VectorXd v, p_dot;
  };
  Rates rates(const VectorXd& x, const VectorXd& p) {
    const Eigen::Index n = joints.n_v(), n_c = joints.n_c();
    EXPECT_EQ(joints.set_position(0.0, x, *canonical), -1);
    MatrixXd b(n + n_c, 1);
    b << p, VectorXd::Zero(n_c);
    joints.solve(*canonical, b);
    const VectorXd v = b.topRows(n), sigma = b.bottomRows(n_c), none = VectorXd::Zero(n_c);
    VectorXd M_v(n), g(n);
    joints.momenta(v, *canonical, M_v, g);
    joints.constraint_derivatives({0.0, x, v, VectorXd::Zero(n), none}, *ws, c);
    return {v, g + (c.c2_v - c.c1_x).transpose() * sigma};
  }
  void step(double h, VectorXd& x, VectorXd& p) {
    const VectorXd x0 = x, p0 = p;
    const auto at = [&](const VectorXd& xi) {
      VectorXd moved = x0;
      joints.retract(x0, xi, moved);
      return moved;
    };
    std::vector<RetractionBlock<double>> blocks;
    VectorXd xi = VectorXd::Zero(p.size()), moved = xi, gained = xi;
    constexpr double before[] = {0.0, 0.5, 0.5, 1.0},
                     weights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    VectorXd k = xi, p_dot = xi;
    for (int i = 0; i < 4; ++i) {
      xi = h * before[i] * k;
      const Rates stage = rates(at(xi), p0 + h * before[i] * p_dot);
      joints.retraction_derivative(xi, blocks);
      rate_of_increment<double>(blocks, xi, stage.v, k);
      p_dot = stage.p_dot;
      moved += h * weights[i] * k, gained += h * weights[i] * p_dot;
    }
    x = at(moved), p = p0 + gained;
  }
  const JointCoordinateSystem<double>& joints;
  std::unique_ptr<SecondOrderDae<double>::Workspace> canonical, ws;
  ConstraintDerivatives<double> c;
};

TEST(Impulses, MayBeginAsTheyLikeAndTheMotionIsTheSame) {
  const MultibodySystem<double> bodies(test::spatial_loop());
  const JointCoordinateSystem<double> joints(bodies, ReferencePoint::common);
  IntegratorOptions options;
  options.method = IntegratorMethod::runge_kutta_4, options.t1 = 0.2;
  const auto differences = [&](int n_steps) {
    options.step = options.t1 / n_steps;
    CanonicalSteps<double> steps(joints.canonical(), options);
    Trajectory<double> trajectory;
    EXPECT_FALSE(simulate<double>(steps, trajectory).failed());
    const DaeStateLayout& l = steps.layout();
    FreeImpulses free(joints);
    const auto end_from = [&](const VectorXd& sigma) {
      VectorXd x = l.x(trajectory.y.col(0)), v = l.v(trajectory.y.col(0)), p(v.size()), g(v.size());
      EXPECT_EQ(joints.set_position(0.0, x, *free.canonical), -1);
      joints.momenta(v, *free.canonical, p, g);
      joints.constraint_derivatives({0.0, x, v, VectorXd::Zero(v.size()), VectorXd::Zero(sigma.size())},
                                    *free.ws, free.c);
      p += free.c.C.transpose() * sigma;
      for (int k = 0; k < n_steps; ++k) free.step(options.step, x, p);
      return x;
    };
    const VectorXd none = end_from(VectorXd::Zero(joints.n_c())),
                   some = end_from(test::Random(8).vector(joints.n_c())),
                   of_steps = l.x(trajectory.y.col(n_steps));
    return Eigen::Vector2d((some - none).norm(), (of_steps - none).norm());
  };
  const Eigen::Vector2d coarse = differences(40), fine = differences(80);
  EXPECT_LT(fine.maxCoeff(), 1e-6);
  EXPECT_GT(coarse[0] / fine[0], 11.0);
  EXPECT_GT(coarse[1] / fine[1], 11.0);
}

/// A mass of 1 kg on a spring along a rail, at rest 0.1 um from where it would stay, with 100 rad/s.
SystemSpec trembling_mass() {
  SystemSpec spec;
  spec.ground = {make_sid_node("rail", {0, 0, 0}, Matrix3d::Identity(), 0),
                 make_sid_node("hook", {0, 0, -1}, Matrix3d::Identity(), 0)};
  spec.bodies = {{"mass", make_rigid_sid(1.0, Vector3d::Zero(), Matrix3d::Identity(), {}), {}}};
  spec.bodies[0].initial.position << 0.0, 0.0, 1e-7;
  spec.joints = {test::joint_of("rail", "prismatic", {"ground", "rail"}, {"mass", "origin"})};
  spec.springs = {{"spring", {"ground", "hook"}, {"mass", "origin"}, 1e4, 0.0, 1.0}};
  return spec;
}

// The tolerance is ten times what positions move by, so that momenta alone tell how long steps may be. The first one
// tried, of 0.5 s, ends with momenta a million times too large; it is refused, and they are no measure.
TEST(DormandPrince, JudgesErrorsOfMomentaByThoseOfStepsTaken) {
  const MultibodySystem<double> bodies(trembling_mass());
  const JointCoordinateSystem<double> joints(bodies, ReferencePoint::common);
  IntegratorOptions options;
  options.method = IntegratorMethod::dormand_prince;
  options.t1 = 0.5, options.step = 0.5, options.tolerance = 1e-6;
  CanonicalSteps<double> steps(joints.canonical(), options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(steps, trajectory);
  ASSERT_FALSE(status.failed()) << status.message();
  constexpr double omega = 100.0, amplitude = 1e-7;
  const VectorXd end = trajectory.y.col(1);
  const double x = steps.layout().x(end)[0], v = steps.layout().v(end)[0];
  EXPECT_NEAR(x, amplitude * std::cos(omega * options.t1), 1e-3 * amplitude);
  EXPECT_NEAR(v, -amplitude * omega * std::sin(omega * options.t1), 1e-3 * amplitude * omega);
}

/// A rod hinged to a cart on a rail along x, which a body at the origin carries.
SystemSpec rod_on_a_cart(double force) {
  SystemSpec spec;
  const Sid sid =
      make_rigid_sid(1.0, Vector3d(0.2, 0.0, 0.0), 0.02 * Matrix3d::Identity(),
                     {make_sid_node("rail", {0, 0, 0},
                                    rotation_matrix(exp_quaternion<double>({0.0, EIGEN_PI / 2, 0.0})), 0)});
  for (const char* name : {"bed", "cart", "rod"}) spec.bodies.push_back({name, sid, {}});
  spec.joints = {test::joint_of("feet", "fixed", {"ground"}, {"bed", "origin"}),
                 test::joint_of("rail", "prismatic", {"bed", "rail"}, {"cart", "rail"}),
                 test::joint_of("pin", "revolute", {"cart", "origin"}, {"rod", "origin"})};
  MarkerLoadSpec push{"push", {"cart", "origin"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {constant_rate(force, 0.0), nullptr, nullptr};
  spec.loads = {push};
  return spec;
}

// Inertia about a point 10 km away is 1e8 kg m^2, of which the pin feels 0.02 kg m^2: rounding leaves six digits.
TEST(InertiaOfChains, IsFeltFarFromTheirFirstBody) {
  const JointMechanism<double> cart(rod_on_a_cart(0.0), ReferencePoint::common);
  const auto accelerations = [&](double place) {
    const auto ws = cart.joints.make_canonical_workspace();
    EXPECT_EQ(cart.joints.set_position(0.0, Eigen::Vector2d(place, 0.3), *ws), -1);
    MatrixXd b = Eigen::Vector2d(0.4, -0.7);
    cart.joints.solve(*ws, b);
    return b;
  };
  expect_equal(accelerations(1e4), accelerations(0.0), 1e-5, "M^-1 b");
}

TEST(DivergingMotions, AreNotSaidToLackInertia) {
  const JointMechanism<double> cart(rod_on_a_cart(1e11), ReferencePoint::common);
  IntegratorOptions options;
  options.method = IntegratorMethod::runge_kutta_4, options.t1 = 0.1, options.step = 0.005;
  CanonicalSteps<double> steps(cart.joints.canonical(), options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(steps, trajectory);
  ASSERT_TRUE(status.failed());
  EXPECT_NE(status.message().find("the motion has diverged"), std::string::npos) << status.message();
}

INSTANTIATE_TEST_SUITE_P(RTdyn, InJointCoordinates,
                         ::testing::Values(ReferencePoint::centre_of_mass, ReferencePoint::common),
                         [](const auto& of) { return of.param == ReferencePoint::common ? "1" : "0"; });

}  // namespace
}  // namespace kurbel
