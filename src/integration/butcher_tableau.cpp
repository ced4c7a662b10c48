#include "integration/runge_kutta.hpp"

namespace kurbel {

ButcherTableau ButcherTableau::of(IntegratorMethod method) {
  ButcherTableau t;
  switch (method) {
    case IntegratorMethod::explicit_euler:
      t.A = MatrixXd::Zero(1, 1);
      t.b = VectorXd::Ones(1);
      break;
    case IntegratorMethod::implicit_euler:
      t.A = MatrixXd::Ones(1, 1);
      t.b = VectorXd::Ones(1);
      break;
    case IntegratorMethod::trapezoidal:
      t.A = MatrixXd::Zero(2, 2);
      t.A.row(1) << 0.5, 0.5;
      t.b = VectorXd::Constant(2, 0.5);
      break;
    case IntegratorMethod::runge_kutta_4:
      t.A = MatrixXd::Zero(4, 4);
      t.A(1, 0) = t.A(2, 1) = 0.5;
      t.A(3, 2) = 1.0;
      t.b = Eigen::Vector4d(1.0, 2.0, 2.0, 1.0) / 6.0;
      break;
    case IntegratorMethod::generalized_alpha:
      throw InputError("generalized-alpha integrates second-order equations, not x_dot = f(t, x)");
  }
  t.c = t.A.rowwise().sum();
  return t;
}

}  // namespace kurbel
