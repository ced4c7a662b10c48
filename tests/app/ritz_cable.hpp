/// @file
/// A cable that swings in a plane, by Ritz's method on its whole length: no elements, no steps of an integrator of ours.
///
///     U = int (E A eps^2 + E I kappa^2) / 2 + rho A g z ds,   eps = (r'.r' - 1) / 2,   kappa = |r' x r''| / |r'|^3
///     r = sum_k a_k phi_k(s),   phi_k = s / L P_k(2 s / L - 1)
///
/// with Legendre's polynomials P_k, the end s = 0 held at the origin, and M a_ddot = -dU/da by Verlet's rule.
#pragma once

#include <Eigen/Cholesky>
#include <numbers>

#include "base/types.hpp"

namespace kurbel::test {

class RitzCable {
 public:
  /// SI units.
  struct Properties {
    double length, EA, EI, rho_A, g;
  };

  /// Straight along x, at rest.
  RitzCable(const Properties& properties, int n_functions)
      : of_(properties), a_(MatrixXd::Zero(n_functions, 2)), a_dot_(a_) {
    const int n_points = 3 * n_functions;
    weights_.resize(n_points);
    for (MatrixXd* table : {&phi_, &phi_s_, &phi_ss_}) table->resize(n_points, n_functions);
    for (int i = 0; i < n_points; ++i) set_point(i);
    const MatrixXd M = of_.rho_A * phi_.transpose() * weights_.asDiagonal() * phi_;
    mass_.compute(M);
    a_(0, 0) = of_.length;
  }

  void advance(double time, int steps) {
    const double h = time / steps;
    a_dot_ += 0.5 * h * acceleration();
    for (int i = 0; i < steps; ++i) {
      a_ += h * a_dot_;
      a_dot_ += (i + 1 < steps ? h : 0.5 * h) * acceleration();
    }
  }
  /// (x, z); all phi_k are 1 there.
  Eigen::RowVector2d tip() const { return a_.colwise().sum(); }

 private:
  /// P_k and two derivatives at x.
  struct Legendre {
    VectorXd p, p_x, p_xx;
    Legendre(double x, int n) : p(n), p_x(VectorXd::Zero(n)), p_xx(VectorXd::Zero(n)) {
      p[0] = 1.0;
      if (n > 1) p[1] = x, p_x[1] = 1.0;
      for (int k = 1; k + 1 < n; ++k) {
        const double a = (2.0 * k + 1.0) / (k + 1.0), b = k / (k + 1.0);
        p[k + 1] = a * x * p[k] - b * p[k - 1];
        p_x[k + 1] = a * (p[k] + x * p_x[k]) - b * p_x[k - 1];
        p_xx[k + 1] = a * (2.0 * p_x[k] + x * p_xx[k]) - b * p_xx[k - 1];
      }
    }
  };

  /// The i-th point of Gauss, a root of the polynomial of their number.
  void set_point(int i) {
    const int n = static_cast<int>(weights_.size());
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Legendre at(x, n + 1);
      x -= at.p[n] / at.p_x[n];
    }
    const double L = of_.length, slope = Legendre(x, n + 1).p_x[n], s = 0.5 * (1.0 + x), c = 2.0 / L;
    weights_[i] = L / ((1.0 - x * x) * slope * slope);
    const Legendre at(x, static_cast<int>(a_.rows()));
    phi_.row(i) = s * at.p.transpose();
    phi_s_.row(i) = (at.p / L + s * c * at.p_x).transpose();
    phi_ss_.row(i) = (2.0 * c / L * at.p_x + s * c * c * at.p_xx).transpose();
  }

  /// M^-1 (-dU/da)
  MatrixXd acceleration() const {
    const MatrixXd slopes = phi_s_ * a_, bends = phi_ss_ * a_;
    MatrixXd by_slope(slopes.rows(), 2), by_bend(slopes.rows(), 2);
    for (Eigen::Index i = 0; i < slopes.rows(); ++i) {
      const Eigen::RowVector2d p = slopes.row(i), s = bends.row(i);
      const double a = p.squaredNorm(), cube = a * std::sqrt(a);
      const double eps = 0.5 * (a - 1.0), kappa = (p[0] * s[1] - p[1] * s[0]) / cube;
      const Eigen::RowVector2d kappa_p = Eigen::RowVector2d(s[1], -s[0]) / cube - 3.0 * kappa / a * p;
      by_slope.row(i) = weights_[i] * (of_.EA * eps * p + of_.EI * kappa * kappa_p);
      by_bend.row(i) = weights_[i] * of_.EI * kappa / cube * Eigen::RowVector2d(-p[1], p[0]);
    }
    MatrixXd force = -(phi_s_.transpose() * by_slope + phi_ss_.transpose() * by_bend);
    force.col(1) -= of_.rho_A * of_.g * phi_.transpose() * weights_;
    return mass_.solve(force);
  }

  Properties of_;
  MatrixXd a_, a_dot_;  ///< columns: x, z
  VectorXd weights_;
  MatrixXd phi_, phi_s_, phi_ss_;
  Eigen::LDLT<MatrixXd> mass_;
};

}  // namespace kurbel::test
