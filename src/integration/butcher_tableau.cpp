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
    case IntegratorMethod::dormand_prince:
      t.A = MatrixXd::Zero(6, 6);
      t.A.row(1) << 1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0;
      t.A.row(2) << 3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0;
      t.A.row(3) << 44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0;
      t.A.row(4) << 19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0;
      t.A.row(5) << 9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0;
      t.b.resize(6);
      t.b << 35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0;
      t.error.resize(7);
      t.error << 71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
          -1.0 / 40.0;
      t.dense.resize(7);
      t.dense << -12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0,
          -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
          69997945.0 / 29380423.0;
      break;
    case IntegratorMethod::generalized_alpha:
      throw InputError("generalized-alpha integrates second-order equations, not x_dot = f(t, x)");
    case IntegratorMethod::variational_midpoint:
      throw InputError("the variational step integrates second-order equations, not x_dot = f(t, x)");
  }
  t.c = t.A.rowwise().sum();
  return t;
}

VectorXd ButcherTableau::weights_at(double theta) const {
  VectorXd weights = VectorXd::Zero(n_stages() + 1);
  const double rest = 1.0 - theta;
  weights.head(n_stages()) = theta * theta * (1.0 + 2.0 * rest) * b;
  weights += theta * theta * rest * rest * dense;
  weights[0] += theta * rest * rest;
  weights[n_stages()] -= theta * theta * rest;
  return weights;
}

}  // namespace kurbel
