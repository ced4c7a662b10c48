/// Every derivative of the floating-frame equations against complex step, on a mechanism that has every
/// feature.
#include "floating_frame/multibody_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_models.hpp"

namespace kurbel {
namespace {

constexpr double step = 1e-40;       // complex step: no subtraction, so no lower limit of use
constexpr double tolerance = 1e-12;  // round-off of O(100) terms relative to the largest entry

template <class A, class B>
void expect_close(const A& actual, const B& expected, const char* what) {
  const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what;
}

/// A generic point of state space, not on the constraints.
template <class S>
struct Point {
  VectorX<S> x, v, v_dot, lambda;
  double t = 0.4;
  DaeInstant<S> instant() const { return {t, x, v, v_dot, lambda}; }
};

/// With a drive that turns the axes of a flexible body.
SystemSpec everything_varied() {
  SystemSpec spec = test::everything();
  spec.joints[1].drives = {{RelativeDof::rx, constant_rate(0.2, -0.6)}};
  return test::with_every_parameter(std::move(spec));
}

class MultibodySystemDerivatives : public ::testing::Test {
 protected:
  MultibodySystemDerivatives() {
    test::Random random(7);
    point_.x.setZero(real_.n_x());
    VectorXd v0(real_.n_v());
    real_.given_initial_state(point_.x, v0);
    const VectorXd start = point_.x;
    real_.retract(start, 0.7 * random.vector(real_.n_v()), point_.x);
    point_.v = random.vector(real_.n_v());
    point_.v_dot = random.vector(real_.n_v());
    point_.lambda = random.vector(real_.n_c());
    constraints_.resize(real_.n_v(), real_.n_c());
  }

  Point<Complex> complex_point() const {
    return {point_.x.cast<Complex>(), point_.v.cast<Complex>(), point_.v_dot.cast<Complex>(),
            point_.lambda.cast<Complex>(), point_.t};
  }

  /// The point moved by i * step along tangent coordinate j.
  Point<Complex> moved(Eigen::Index j) const {
    Point<Complex> point = complex_point();
    VectorX<Complex> xi = VectorX<Complex>::Zero(real_.n_v());
    xi[j] = Complex(0.0, step);
    const VectorX<Complex> x = point.x;
    complex_.retract(x, xi, point.x);
    return point;
  }

  /// Imaginary parts of (f, c) over the step.
  std::pair<VectorXd, VectorXd> residual_derivative(const Point<Complex>& point) const {
    VectorX<Complex> f(real_.n_v()), c(real_.n_c());
    complex_.residual(point.instant(), *complex_ws_, f, c);
    return {f.imag() / step, c.imag() / step};
  }

  MultibodySystem<double> real_{everything_varied()};
  MultibodySystem<Complex> complex_{everything_varied()};
  std::unique_ptr<MultibodySystem<double>::Workspace> ws_ = real_.make_workspace();
  std::unique_ptr<MultibodySystem<Complex>::Workspace> complex_ws_ = complex_.make_workspace();
  Point<double> point_;
  DaeJacobians<double> jacobians_ = real_.make_jacobians();
  ConstraintDerivatives<double> constraints_;
};

TEST_F(MultibodySystemDerivatives, JacobiansEqualComplexStep) {
  real_.jacobians(point_.instant(), *ws_, jacobians_);
  MatrixXd f_x(real_.n_v(), real_.n_v()), f_v = f_x, M = f_x, C(real_.n_c(), real_.n_v());
  for (Eigen::Index j = 0; j < real_.n_v(); ++j) {
    const auto [f, c] = residual_derivative(moved(j));
    f_x.col(j) = f;
    C.col(j) = c;
    Point<Complex> point = complex_point();
    point.v[j] += Complex(0.0, step);
    f_v.col(j) = residual_derivative(point).first;
    point = complex_point();
    point.v_dot[j] += Complex(0.0, step);
    M.col(j) = residual_derivative(point).first;
  }
  expect_close(jacobians_.f_x.to_dense(), f_x, "f_x");
  expect_close(jacobians_.f_v.to_dense(), f_v, "f_v");
  expect_close(jacobians_.M.to_dense(), M, "M");
  expect_close(jacobians_.C.to_dense(), C, "C");
}

TEST_F(MultibodySystemDerivatives, ReactionsAreTheTransposeOfTheConstraintJacobian) {
  real_.jacobians(point_.instant(), *ws_, jacobians_);
  VectorXd f(real_.n_v()), f_without(real_.n_v()), c(real_.n_c());
  real_.residual(point_.instant(), *ws_, f, c);
  Point<double> free = point_;
  free.lambda.setZero();
  real_.residual(free.instant(), *ws_, f_without, c);
  expect_close(VectorXd(f - f_without), VectorXd(jacobians_.C.to_dense().transpose() * point_.lambda),
               "reactions");
}

TEST_F(MultibodySystemDerivatives, ParameterPullbackEqualsComplexStep) {
  test::Random random(11);
  const VectorXd mu_f = random.vector(real_.n_v()), mu_c = random.vector(real_.n_c());
  VectorXd p_bar = VectorXd::Zero(real_.parameters().size());
  real_.pullback(point_.instant(), mu_f, mu_c, *ws_, p_bar);
  VectorXd expected(p_bar.size());
  const VectorX<Complex> p = complex_.parameters();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> moved_p = p;
    moved_p[i] += Complex(0.0, step);
    complex_.set_parameters(moved_p);
    const auto [f, c] = residual_derivative(complex_point());
    expected[i] = mu_f.dot(f) + mu_c.dot(c);
  }
  complex_.set_parameters(p);
  expect_close(p_bar, expected, "p_bar");
}

TEST_F(MultibodySystemDerivatives, ConstraintRatesAreTimeDerivatives) {
  // Along x(t) with velocity v and acceleration v_dot: x o exp(tau v + tau^2/2 v_dot) at complex tau.
  real_.constraint_derivatives(point_.instant(), *ws_, constraints_);
  const double h = 1e-5;
  const auto constraints_at = [&](double tau) {
    Point<double> moved = point_;
    real_.retract(point_.x, tau * point_.v + 0.5 * tau * tau * point_.v_dot, moved.x);
    moved.t = point_.t + tau;
    VectorXd f(real_.n_v()), c(real_.n_c());
    real_.residual(moved.instant(), *ws_, f, c);
    return c;
  };
  const VectorXd minus = constraints_at(-h), plus = constraints_at(h), here = constraints_at(0.0);
  EXPECT_LT((constraints_.c0 - here).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((constraints_.c1 - (plus - minus) / (2 * h)).cwiseAbs().maxCoeff(), 1e-8);             // O(h^2)
  EXPECT_LT((constraints_.c2 - (plus - 2 * here + minus) / (h * h)).cwiseAbs().maxCoeff(), 1e-4);  // eps/h^2
}

TEST_F(MultibodySystemDerivatives, ConstraintDerivativesEqualComplexStep) {
  real_.constraint_derivatives(point_.instant(), *ws_, constraints_);
  ConstraintDerivatives<Complex> complex_constraints;
  MatrixXd C(real_.n_c(), real_.n_v()), c1_x = C, c2_x = C, c1_v = C, c2_v = C, c2_vdot = C;
  for (Eigen::Index j = 0; j < real_.n_v(); ++j) {
    complex_.constraint_derivatives(moved(j).instant(), *complex_ws_, complex_constraints);
    C.col(j) = complex_constraints.c0.imag() / step;
    c1_x.col(j) = complex_constraints.c1.imag() / step;
    c2_x.col(j) = complex_constraints.c2.imag() / step;
    Point<Complex> point = complex_point();
    point.v[j] += Complex(0.0, step);
    complex_.constraint_derivatives(point.instant(), *complex_ws_, complex_constraints);
    c1_v.col(j) = complex_constraints.c1.imag() / step;
    c2_v.col(j) = complex_constraints.c2.imag() / step;
    point = complex_point();
    point.v_dot[j] += Complex(0.0, step);
    complex_.constraint_derivatives(point.instant(), *complex_ws_, complex_constraints);
    c2_vdot.col(j) = complex_constraints.c2.imag() / step;
  }
  expect_close(constraints_.C, C, "C");
  expect_close(constraints_.C, c1_v, "c_dot by v");
  expect_close(constraints_.C, c2_vdot, "c_ddot by v_dot");
  expect_close(constraints_.c1_x, c1_x, "c_dot by x");
  expect_close(constraints_.c2_x, c2_x, "c_ddot by x");
  expect_close(constraints_.c2_v, c2_v, "c_ddot by v");
}

TEST_F(MultibodySystemDerivatives, ConstraintPullbackEqualsComplexStep) {
  test::Random random(13);
  const VectorXd w0 = random.vector(real_.n_c()), w1 = random.vector(real_.n_c()),
                 w2 = random.vector(real_.n_c());
  VectorXd p_bar = VectorXd::Zero(real_.parameters().size());
  real_.pullback_constraints(point_.instant(), w0, w1, w2, *ws_, p_bar);
  VectorXd expected(p_bar.size());
  ConstraintDerivatives<Complex> d;
  const VectorX<Complex> p = complex_.parameters();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> moved_p = p;
    moved_p[i] += Complex(0.0, step);
    complex_.set_parameters(moved_p);
    complex_.constraint_derivatives(complex_point().instant(), *complex_ws_, d);
    expected[i] = (w0.dot(d.c0.imag()) + w1.dot(d.c1.imag()) + w2.dot(d.c2.imag())) / step;
  }
  expect_close(p_bar, expected, "p_bar");
}

TEST_F(MultibodySystemDerivatives, ParameterPushForwardEqualsComplexStep) {
  test::Random random(19);
  const MatrixXd p_dot = random.matrix(real_.parameters().size(), 3);
  MatrixXd f_p(real_.n_v(), 3), c_p(real_.n_c(), 3);
  real_.push_forward(point_.instant(), p_dot, *ws_, f_p, c_p);
  ConstraintDirections<double> directions;
  real_.push_forward_constraints(point_.instant(), p_dot, *ws_, directions);
  const VectorX<Complex> p = complex_.parameters();
  ConstraintDerivatives<Complex> d;
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    complex_.set_parameters(p + Complex(0.0, step) * p_dot.col(column));
    const auto [f, c] = residual_derivative(complex_point());
    expect_close(VectorXd(f_p.col(column)), f, "f");
    expect_close(VectorXd(c_p.col(column)), c, "c");
    complex_.constraint_derivatives(complex_point().instant(), *complex_ws_, d);
    expect_close(VectorXd(directions.c0.col(column)), VectorXd(d.c0.imag() / step), "c, from all levels");
    expect_close(VectorXd(directions.c1.col(column)), VectorXd(d.c1.imag() / step), "c_dot");
    expect_close(VectorXd(directions.c2.col(column)), VectorXd(d.c2.imag() / step), "c_ddot");
  }
  complex_.set_parameters(p);
}

TEST_F(MultibodySystemDerivatives, PushForwardRowByRowEqualsTheOneOfTheSystem) {
  const SecondOrderDae<double>& model = real_;
  test::Random random(23);
  const MatrixXd p_dot = random.matrix(real_.parameters().size(), 2);
  MatrixXd f_p(real_.n_v(), 2), c_p(real_.n_c(), 2), f_rows = f_p, c_rows = c_p;
  real_.push_forward(point_.instant(), p_dot, *ws_, f_p, c_p);
  model.SecondOrderDae<double>::push_forward(point_.instant(), p_dot, *ws_, f_rows, c_rows);
  expect_close(f_rows, f_p, "f");
  expect_close(c_rows, c_p, "c");
  ConstraintDirections<double> own, rows;
  real_.push_forward_constraints(point_.instant(), p_dot, *ws_, own);
  model.SecondOrderDae<double>::push_forward_constraints(point_.instant(), p_dot, *ws_, rows);
  expect_close(rows.c0, own.c0, "c");
  expect_close(rows.c1, own.c1, "c_dot");
  expect_close(rows.c2, own.c2, "c_ddot");
}

TEST_F(MultibodySystemDerivatives, RetractionDerivativeEqualsComplexStep) {
  test::Random random(17);
  for (const double size : {1e-3, 0.3, 1.7}) {  // both branches of the series
    const Vector6<double> xi = size * random.vector(6);
    const auto d = retraction_derivative<double>(xi);
    const Pose<double> pose{random.vector(3), exp_quaternion<double>(random.vector(3))};
    const Pose<double> end = retract<double>(pose, xi);
    Matrix6<double> T, Ad;
    for (int j = 0; j < 6; ++j) {
      // Tangent of a moved pose relative to the end: exp^-1(end^-1 moved), to first order.
      const auto tangent = [&](const Pose<Complex>& moved) {
        const Matrix3d S = rotation_matrix(end.e);
        const Matrix3d dS = S.transpose() * rotation_matrix(moved.e).imag() / step;
        Vector6<double> t;
        t << S.transpose() * moved.r.imag() / step, dS(2, 1), dS(0, 2), dS(1, 0);
        return t;
      };
      Vector6<Complex> moved_xi = xi.cast<Complex>(), small = Vector6<Complex>::Zero();
      moved_xi[j] += Complex(0.0, step);
      small[j] = Complex(0.0, step);
      const Pose<Complex> start{pose.r.cast<Complex>(), pose.e.cast<Complex>()};
      T.col(j) = tangent(retract<Complex>(start, moved_xi));
      Ad.col(j) = tangent(retract<Complex>(retract<Complex>(start, small), xi.cast<Complex>()));
    }
    expect_close(d.T, T, "T");
    expect_close(d.Ad, Ad, "Ad");
  }
}

TEST(MultibodySystem, NamesWhatIsWrongWithAJoint) {
  SystemSpec spec = test::kitchen_sink();
  spec.joints[1].to.marker = "nowhere";
  try {
    MultibodySystem<double> system(spec);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("elbow: body two has no marker nowhere"));
  }
  spec = test::kitchen_sink();
  spec.joints[0].drives[0].dof = RelativeDof::tx;
  EXPECT_THROW(MultibodySystem<double>{spec}, InputError);
}

}  // namespace
}  // namespace kurbel
