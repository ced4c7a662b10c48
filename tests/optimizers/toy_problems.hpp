/// @file
/// Small problems with known optima, and wrappers that make a problem fail, count or stop.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "optimizers/optimizer.hpp"

namespace kurbel::toys {

using Eigen::Index;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The name of a method as a name of a test, which has no hyphens.
inline std::string with_underscores(std::string method) {
  std::replace(method.begin(), method.end(), '-', '_');
  return method;
}

/// An Nlp made of a function, with its optimum.
class ToyProblem : public Nlp {
 public:
  using Function = std::function<Status(const VectorXd&, Evaluation&)>;

  ToyProblem(VectorXd lower, VectorXd upper, Index n_constraints, Index n_equalities, Function function)
      : lower_(std::move(lower)),
        upper_(std::move(upper)),
        n_constraints_(n_constraints),
        n_equalities_(n_equalities),
        function_(std::move(function)) {}

  Index n_variables() const override { return lower_.size(); }
  Index n_constraints() const override { return n_constraints_; }
  Index n_equalities() const override { return n_equalities_; }
  const VectorXd& lower() const override { return lower_; }
  const VectorXd& upper() const override { return upper_; }
  std::vector<std::pair<int, int>> constraint_sparsity() const override { return sparsity; }
  bool stop_requested() const override { return stop_after > 0 && n_evaluated >= stop_after; }

  Status evaluate(const VectorXd& x, Evaluation& out) override {
    ++n_evaluated;
    requested.push_back(x);
    if (n_evaluated == fail_at) return Failure{"the toy broke", "toy", "mend it"};
    out.gradient.setZero(n_variables());
    out.constraints.setZero(n_constraints_);
    out.constraint_gradients.setZero(n_constraints_, n_variables());
    return function_(x, out);
  }

  VectorXd start, optimum;
  double best = 0.0;
  std::vector<std::pair<int, int>> sparsity;
  int fail_at = -1;    ///< this evaluation fails, counted from 1
  int stop_after = 0;  ///< stop_requested() from this evaluation on, if positive
  int n_evaluated = 0;
  std::vector<VectorXd> requested;

 private:
  VectorXd lower_, upper_;
  Index n_constraints_, n_equalities_;
  Function function_;
};

inline const VectorXd& beam_coefficients() {
  static const VectorXd a = (VectorXd(5) << 61.0, 37.0, 19.0, 7.0, 1.0).finished();
  return a;
}

/// Svanberg's cantilever beam of five boxes: minimize the weight 0.0624 sum x_j under the tip displacement
/// sum a_j / x_j^3 <= 1 (K. Svanberg, Int. J. Numer. Meth. Eng. 24 (1987) 359).
/// Stationarity gives x_j = a_j^(1/4) s and the constraint s = (sum a_j^(1/4))^(1/3), so f = 0.0624 s^4
/// = 1.33996.
inline ToyProblem cantilever_beam() {
  ToyProblem p(VectorXd::Constant(5, 1.0), VectorXd::Constant(5, 10.0), 1, 0,
               [](const VectorXd& x, Evaluation& e) {
                 const VectorXd& a = beam_coefficients();
                 e.objective = 0.0624 * x.sum();
                 e.gradient.setConstant(0.0624);
                 e.constraints[0] = (a.array() / x.array().cube()).sum() - 1.0;
                 e.constraint_gradients.row(0) = (-3.0 * a.array() / x.array().square().square()).matrix();
                 return Status{};
               });
  const VectorXd roots = beam_coefficients().array().sqrt().sqrt();
  p.start = VectorXd::Constant(5, 5.0);
  p.optimum = roots * std::cbrt(roots.sum());
  p.best = 0.0624 * p.optimum.sum();
  return p;
}

/// Svanberg's truss of two bars with the section x_1 and half of the distance of their feet x_2: minimize the weight
/// x_1 sqrt(1 + x_2^2) under bounds on both stresses, 0.124 sqrt(1 + x_2^2) (8 / x_1 +- 1 / (x_1 x_2)) <= 1.
/// Published optimum: weight 1.51 at (1.41, 0.38) (K. Svanberg, Int. J. Numer. Meth. Eng. 24 (1987) 359). There the first
/// stress is active, so x_1 = 0.124 sqrt(1 + x_2^2) (8 + 1 / x_2), and the weight 0.124 (1 + x_2^2) (8 + 1 / x_2) is least
/// where 16 x_2 + 1 - 1 / x_2^2 = 0.
inline ToyProblem two_bar_truss() {
  ToyProblem p((VectorXd(2) << 0.2, 0.1).finished(), (VectorXd(2) << 4.0, 1.6).finished(), 2, 0,
               [](const VectorXd& x, Evaluation& e) {
                 const double root = std::sqrt(1.0 + x[1] * x[1]);
                 e.objective = x[0] * root;
                 e.gradient << root, x[0] * x[1] / root;
                 for (int i = 0; i < 2; ++i) {
                   const double sign = i == 0 ? 1.0 : -1.0;
                   const double force = 8.0 / x[0] + sign / (x[0] * x[1]);
                   e.constraints[i] = 0.124 * root * force - 1.0;
                   e.constraint_gradients(i, 0) = -0.124 * root * force / x[0];
                   e.constraint_gradients(i, 1) =
                       0.124 * (x[1] / root * force - sign * root / (x[0] * x[1] * x[1]));
                 }
                 return Status{};
               });
  double low = 0.1, high = 1.6;
  for (int k = 0; k < 100; ++k) {
    const double x = 0.5 * (low + high);
    (16.0 * x + 1.0 - 1.0 / (x * x) > 0.0 ? high : low) = x;
  }
  p.start = (VectorXd(2) << 1.5, 0.5).finished();
  p.optimum = (VectorXd(2) << 0.124 * std::sqrt(1.0 + low * low) * (8.0 + 1.0 / low), low).finished();
  p.best = 0.124 * (1.0 + low * low) * (8.0 + 1.0 / low);
  return p;
}

/// The same beam, the stiffest of the optimal weight: minimize sum a_j / x_j^3 under 0.0624 sum x_j <= f*.
/// Its optimum is the same design, with objective 1; the constraint is a volume.
inline ToyProblem stiffest_beam() {
  const double weight = cantilever_beam().best;
  ToyProblem p(VectorXd::Constant(5, 1.0), VectorXd::Constant(5, 10.0), 1, 0,
               [weight](const VectorXd& x, Evaluation& e) {
                 const VectorXd& a = beam_coefficients();
                 e.objective = (a.array() / x.array().cube()).sum();
                 e.gradient = -3.0 * a.array() / x.array().square().square();
                 e.constraints[0] = 0.0624 * x.sum() / weight - 1.0;
                 e.constraint_gradients.setConstant(0.0624 / weight);
                 return Status{};
               });
  p.start = VectorXd::Constant(5, 4.0);
  p.optimum = cantilever_beam().optimum;
  p.best = 1.0;
  return p;
}

struct Separable {
  VectorXd c, d, lower, upper;
  double volume;

  /// Minimizer of the Lagrangian for the multiplier mu of sum x <= volume.
  VectorXd design(double mu) const {
    VectorXd x(c.size());
    for (Index i = 0; i < c.size(); ++i) {
      const double slope = d[i] + mu;
      x[i] = slope > 0.0 ? std::sqrt(c[i] / slope) : infinity;
    }
    return x.cwiseMax(lower).cwiseMin(upper);
  }

  VectorXd optimum() const {
    if (design(0.0).sum() <= volume) return design(0.0);
    double low = 0.0, high = 1e6;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (design(middle).sum() > volume ? low : high) = middle;
    }
    return design(high);
  }
};

/// minimize sum c_i / x_i + d_i x_i under sum x_i / V - 1 <= 0.
inline ToyProblem separable(const Separable& s) {
  const Index n = s.c.size();
  ToyProblem p(s.lower, s.upper, 1, 0, [s](const VectorXd& x, Evaluation& e) {
    e.objective = (s.c.array() / x.array() + s.d.array() * x.array()).sum();
    e.gradient = -s.c.array() / x.array().square() + s.d.array();
    e.constraints[0] = x.sum() / s.volume - 1.0;
    e.constraint_gradients.setConstant(1.0 / s.volume);
    return Status{};
  });
  p.start = VectorXd::Constant(n, s.volume / static_cast<double>(n));
  p.optimum = s.optimum();
  p.best = (s.c.array() / p.optimum.array() + s.d.array() * p.optimum.array()).sum();
  return p;
}

inline Separable reciprocal_data(Index n) {
  Separable s{VectorXd(n), VectorXd::Zero(n), VectorXd::Constant(n, 0.01), VectorXd::Ones(n),
              0.5 * double(n)};
  for (Index i = 0; i < n; ++i) s.c[i] = 0.1 + std::pow(std::sin(1.0 + 0.7 * double(i)), 2);
  return s;
}

/// min sum c_i / x_i under a volume: x_i = sqrt(c_i / mu), some at the upper bound.
inline ToyProblem reciprocal(Index n = 20) {
  return separable(reciprocal_data(n));
}

/// The same with an "inertia" d_i x_i that makes the sensitivity of half of the variables positive, where c_i
/// is so small that some of them belong at the lower bound.
inline ToyProblem with_positive_sensitivities(Index n = 20) {
  Separable s = reciprocal_data(n);
  for (Index i = 0; i < n; i += 2) {
    s.d[i] = 2.0;
    s.c[i] = i % 4 == 0 ? 1e-5 : 0.3;
  }
  return separable(s);
}

/// The same with so much volume that the constraint is not active and d f = 0 decides inside the bounds.
inline ToyProblem with_inactive_volume(Index n = 20) {
  Separable s = reciprocal_data(n);
  s.d.setConstant(3.0);
  s.c[0] = 1e-5;
  s.volume = 0.9 * double(n);
  ToyProblem p = separable(s);
  p.start.setConstant(0.3);
  return p;
}

/// Hock and Schittkowski, problem 71: x = (1, 4.74299963, 3.82114998, 1.37940829), f = 17.0140173.
inline ToyProblem hock_schittkowski_71() {
  ToyProblem p(VectorXd::Constant(4, 1.0), VectorXd::Constant(4, 5.0), 2, 1,
               [](const VectorXd& x, Evaluation& e) {
                 const double sum = x[0] + x[1] + x[2];
                 e.objective = x[0] * x[3] * sum + x[2];
                 e.gradient << x[3] * (sum + x[0]), x[0] * x[3], x[0] * x[3] + 1.0, x[0] * sum;
                 e.constraints << x.squaredNorm() / 40.0 - 1.0, 1.0 - x.prod() / 25.0;
                 e.constraint_gradients.row(0) = x.transpose() / 20.0;
                 for (Index i = 0; i < 4; ++i) e.constraint_gradients(1, i) = -x.prod() / x[i] / 25.0;
                 return Status{};
               });
  p.start = (VectorXd(4) << 1.0, 5.0, 5.0, 1.0).finished();
  p.optimum = (VectorXd(4) << 1.0, 4.74299963, 3.82114998, 1.37940829).finished();
  p.best = 17.0140173;
  return p;
}

/// Rosenbrock's function with bounds only; optimum (1, 1), or on the bound x_0 <= highest.
inline ToyProblem rosenbrock(double highest = 2.0) {
  ToyProblem p(VectorXd::Constant(2, -2.0), (VectorXd(2) << highest, 2.0).finished(), 0, 0,
               [](const VectorXd& x, Evaluation& e) {
                 const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
                 e.objective = a * a + 100.0 * b * b;
                 e.gradient << -2.0 * a - 400.0 * x[0] * b, 200.0 * b;
                 return Status{};
               });
  const double x0 = std::min(1.0, highest);
  p.start = (VectorXd(2) << -1.2, 1.0).finished();
  p.optimum = (VectorXd(2) << x0, x0 * x0).finished();
  p.best = (1.0 - x0) * (1.0 - x0);
  return p;
}

/// sum x_i <= 1/2 and nevertheless x_i >= 1/2 for three variables; the least infeasible design is on the
/// bounds.
/// Of the optimizers, those that search along lines within bounds and treat no constraints.
inline bool is_for_bounds_only(const std::string& method) {
  return method == "bfgs" || method == "lbfgs";
}

inline ToyProblem infeasible() {
  Separable s{VectorXd::Ones(3), VectorXd::Zero(3), VectorXd::Constant(3, 0.5), VectorXd::Ones(3), 0.5};
  ToyProblem p = separable(s);
  p.start = VectorXd::Constant(3, 0.8);
  p.optimum = s.lower;
  return p;
}

}  // namespace kurbel::toys
