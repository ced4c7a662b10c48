/// @file
/// Every derivative of a SecondOrderDae, judged by complex step.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "integration/second_order_dae.hpp"
#include "tests/floating_frame/test_models.hpp"

namespace kurbel::test {

/// A generic point of state space, not on the constraints.
template <class S>
struct DaePoint {
  VectorX<S> x, v, v_dot, lambda;
  double t = 0.0;
  DaeInstant<S> instant() const { return {t, x, v, v_dot, lambda}; }
};

inline DaePoint<Complex> as_complex(const DaePoint<double>& p) {
  return {p.x.cast<Complex>(), p.v.cast<Complex>(), p.v_dot.cast<Complex>(), p.lambda.cast<Complex>(), p.t};
}

/// A model with what it needs to live.
struct ComplexModel {
  std::shared_ptr<void> owner;
  const SecondOrderDae<Complex>* model;
};
using MakeComplexModel = std::function<ComplexModel(const VectorX<Complex>& p)>;

inline constexpr double complex_step = 1e-40;

/// To 1e-11 of the largest entry: rounding of terms of that size.
inline void expect_close(const MatrixXd& actual, const MatrixXd& expected, const std::string& what) {
  ASSERT_EQ(actual.rows(), expected.rows()) << what;
  if (actual.size() == 0) return;
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + expected.cwiseAbs().maxCoeff()))
      << what;
}

/// The point moved by i * step along tangent coordinate j.
inline DaePoint<Complex> moved(const SecondOrderDae<Complex>& model, const DaePoint<double>& point,
                               Eigen::Index j) {
  DaePoint<Complex> moved = as_complex(point);
  VectorX<Complex> xi = VectorX<Complex>::Zero(model.n_v());
  xi[j] = Complex(0.0, complex_step);
  const VectorX<Complex> x = moved.x;
  model.retract(x, xi, moved.x);
  return moved;
}

/// Imaginary parts over the step, of f and c.
inline std::pair<VectorXd, VectorXd> residual_derivative(const SecondOrderDae<Complex>& model,
                                                         const DaePoint<Complex>& point) {
  const auto ws = model.make_workspace();
  VectorX<Complex> f(model.n_v()), c(model.n_c());
  model.residual(point.instant(), *ws, f, c);
  return {f.imag() / complex_step, c.imag() / complex_step};
}

/// Of f and c, by the state and by the parameters, forwards and backwards.
inline void expect_derivatives(const SecondOrderDae<double>& model, const MakeComplexModel& make,
                               const DaePoint<double>& point) {
  const Eigen::Index n_v = model.n_v(), n_c = model.n_c(), n_p = model.parameters().size();
  const VectorX<Complex> p = model.parameters().cast<Complex>();
  const ComplexModel judge = make(p);
  const auto ws = model.make_workspace();
  DaeJacobians<double> jacobians = model.make_jacobians();
  model.jacobians(point.instant(), *ws, jacobians);
  MatrixXd f_x(n_v, n_v), f_v = f_x, M = f_x, C(n_c, n_v);
  for (Eigen::Index j = 0; j < n_v; ++j) {
    const auto [f, c] = residual_derivative(*judge.model, moved(*judge.model, point, j));
    f_x.col(j) = f, C.col(j) = c;
    DaePoint<Complex> at = as_complex(point);
    at.v[j] += Complex(0.0, complex_step);
    f_v.col(j) = residual_derivative(*judge.model, at).first;
    at = as_complex(point);
    at.v_dot[j] += Complex(0.0, complex_step);
    M.col(j) = residual_derivative(*judge.model, at).first;
  }
  expect_close(jacobians.M.to_dense(), M, "M");
  expect_close(jacobians.C.to_dense(), C, "C");
  expect_close(jacobians.f_v.to_dense(), f_v, "f_v");
  expect_close(jacobians.f_x.to_dense(), f_x, "f_x");

  MatrixXd f_p(n_v, n_p), c_p(n_c, n_p);
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> other = p;
    other[i] += Complex(0.0, complex_step);
    const auto [f, c] = residual_derivative(*make(other).model, as_complex(point));
    f_p.col(i) = f, c_p.col(i) = c;
  }
  Random random(11);
  const VectorXd mu_f = random.vector(n_v), mu_c = random.vector(n_c);
  VectorXd p_bar = VectorXd::Zero(n_p);
  model.pullback(point.instant(), mu_f, mu_c, *ws, p_bar);
  expect_close(p_bar, f_p.transpose() * mu_f + c_p.transpose() * mu_c, "pullback by parameters");
  const MatrixXd p_dot = random.matrix(n_p, 3);
  MatrixXd f_forward(n_v, 3), c_forward(n_c, 3);
  model.push_forward(point.instant(), p_dot, *ws, f_forward, c_forward);
  expect_close(f_forward, f_p * p_dot, "push-forward of f");
  expect_close(c_forward, c_p * p_dot, "push-forward of c");
}

/// Of c, c_dot and c_ddot.
inline void expect_constraint_derivatives(const SecondOrderDae<double>& model, const MakeComplexModel& make,
                                          const DaePoint<double>& point) {
  const Eigen::Index n_v = model.n_v(), n_c = model.n_c(), n_p = model.parameters().size();
  const VectorX<Complex> p = model.parameters().cast<Complex>();
  const auto levels = [&](const SecondOrderDae<Complex>& judge, const DaePoint<Complex>& at) {
    ConstraintDerivatives<Complex> c;
    c.resize(n_v, n_c);
    judge.constraint_derivatives(at.instant(), *judge.make_workspace(), c);
    MatrixXd all(n_c, 3);
    all << c.c0.imag(), c.c1.imag(), c.c2.imag();
    return MatrixXd(all / complex_step);
  };
  const ComplexModel judge = make(p);
  const auto ws = model.make_workspace();
  ConstraintDerivatives<double> d;
  d.resize(n_v, n_c);
  model.constraint_derivatives(point.instant(), *ws, d);
  MatrixXd C(n_c, n_v), c1_x = C, c2_x = C, c1_v = C, c2_v = C, c2_v_dot = C;
  for (Eigen::Index j = 0; j < n_v; ++j) {
    const MatrixXd by_x = levels(*judge.model, moved(*judge.model, point, j));
    C.col(j) = by_x.col(0), c1_x.col(j) = by_x.col(1), c2_x.col(j) = by_x.col(2);
    DaePoint<Complex> at = as_complex(point);
    at.v[j] += Complex(0.0, complex_step);
    const MatrixXd by_v = levels(*judge.model, at);
    c1_v.col(j) = by_v.col(1), c2_v.col(j) = by_v.col(2);
    at = as_complex(point);
    at.v_dot[j] += Complex(0.0, complex_step);
    c2_v_dot.col(j) = levels(*judge.model, at).col(2);
  }
  expect_close(d.C, C, "C");
  expect_close(d.C, c1_v, "c_dot by v");
  expect_close(d.C, c2_v_dot, "c_ddot by v_dot");
  expect_close(d.c1_x, c1_x, "c_dot by x");
  expect_close(d.c2_v, c2_v, "c_ddot by v");
  expect_close(d.c2_x, c2_x, "c_ddot by x");

  Random random(13);
  const MatrixXd w = random.matrix(n_c, 3), p_dot = random.matrix(n_p, 2);
  VectorXd p_bar = VectorXd::Zero(n_p), expected(n_p);
  model.pullback_constraints(point.instant(), w.col(0), w.col(1), w.col(2), *ws, p_bar);
  MatrixXd c0_p(n_c, n_p), c1_p = c0_p, c2_p = c0_p;
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> other = p;
    other[i] += Complex(0.0, complex_step);
    const MatrixXd by_p = levels(*make(other).model, as_complex(point));
    expected[i] = by_p.cwiseProduct(w).sum();
    c0_p.col(i) = by_p.col(0), c1_p.col(i) = by_p.col(1), c2_p.col(i) = by_p.col(2);
  }
  expect_close(p_bar, expected, "pullback of constraints");
  ConstraintDirections<double> forward;
  model.push_forward_constraints(point.instant(), p_dot, *ws, forward);
  expect_close(forward.c0, c0_p * p_dot, "push-forward of c");
  expect_close(forward.c1, c1_p * p_dot, "push-forward of c_dot");
  expect_close(forward.c2, c2_p * p_dot, "push-forward of c_ddot");
}

}  // namespace kurbel::test
