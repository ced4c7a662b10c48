#include "optimizers/kkt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/orthogonal.hpp"
#include "optimizers/best_design.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double dependent = 1e-7;     // gradients that differ by less count as one
constexpr int max_newton_rounds = 50;  // a handful is enough

// Not by normal equations: rows at neighbouring instants of a path constraint are nearly the same.
struct Fit {
  const MatrixXd& A;  // n x m, diag(w) J^T of the constraints that may have a multiplier
  const VectorXd& b;  // -w grad f
  const std::vector<bool>& one_sided;
};

/// Solution on the constraints that are switched on, zero elsewhere.
VectorXd solve_subset(const Fit& fit, const std::vector<Index>& on) {
  VectorXd mu = VectorXd::Zero(fit.A.cols());
  if (on.empty()) return mu;
  mu(on) = least_squares(fit.A(Eigen::all, on), fit.b, dependent);
  return mu;
}

/// min |A mu - b|, mu_j >= 0 where one-sided: the active-set method of Lawson and Hanson.
VectorXd nonnegative_least_squares(const Fit& fit) {
  const Index m = fit.A.cols();
  std::vector<bool> is_on(m);
  for (Index j = 0; j < m; ++j) is_on[j] = !fit.one_sided[j];
  const auto list = [&] {
    std::vector<Index> on;
    for (Index j = 0; j < m; ++j)
      if (is_on[j]) on.push_back(j);
    return on;
  };
  VectorXd mu = solve_subset(fit, list());
  const double small = 1e-12 * std::max((fit.A.transpose() * fit.b).lpNorm<Eigen::Infinity>(), 1e-300);
  for (Index round = 0; round < 3 * m + 3; ++round) {
    const VectorXd pull = fit.A.transpose() * (fit.b - fit.A * mu);
    Index next = -1;
    for (Index j = 0; j < m; ++j)
      if (!is_on[j] && pull[j] > small && (next < 0 || pull[j] > pull[next])) next = j;
    if (next < 0) break;
    is_on[next] = true;
    for (;;) {
      const VectorXd target = solve_subset(fit, list());
      double fraction = 1.0;
      Index blocking = -1;
      for (Index j = 0; j < m; ++j) {
        if (!is_on[j] || !fit.one_sided[j] || target[j] >= 0.0) continue;
        const double until_zero = mu[j] / (mu[j] - target[j]);
        if (blocking >= 0 && until_zero >= fraction) continue;
        fraction = until_zero;
        blocking = j;
      }
      mu += fraction * (target - mu);
      if (blocking < 0) break;
      is_on[blocking] = false;
      mu[blocking] = 0.0;
    }
  }
  return mu;
}

struct Weights {
  VectorXd towards_lower, towards_upper;  // n, in [0, 1]
};

Weights distances_to_bounds(const VectorXd& x, const VectorXd& lower, const VectorXd& upper) {
  const Index n = x.size();
  Weights w{VectorXd::Ones(n), VectorXd::Ones(n)};
  for (Index i = 0; i < n; ++i) {
    const double range = upper[i] - lower[i];
    if (range == 0.0) {
      w.towards_lower[i] = w.towards_upper[i] = 0.0;
    } else if (std::isfinite(range)) {
      w.towards_lower[i] = std::clamp((x[i] - lower[i]) / range, 0.0, 1.0);
      w.towards_upper[i] = std::clamp((upper[i] - x[i]) / range, 0.0, 1.0);
    } else {
      if (std::isfinite(lower[i])) w.towards_lower[i] = std::clamp(x[i] - lower[i], 0.0, 1.0);
      if (std::isfinite(upper[i])) w.towards_upper[i] = std::clamp(upper[i] - x[i], 0.0, 1.0);
    }
  }
  return w;
}

/// Squared weights for the present signs of L, and the value of the fit.
double weigh(const Weights& w, const VectorXd& L, VectorXd& squared) {
  double value = 0.0;
  for (Index i = 0; i < L.size(); ++i) {
    const double weight = L[i] > 0.0 ? w.towards_lower[i] : w.towards_upper[i];
    squared[i] = weight * weight;
    value += squared[i] * L[i] * L[i];
  }
  return value;
}

/// Multipliers of the constraints in J: Newton's method, since the weights depend on the signs of L, with the
/// step halved until the fit improves.
VectorXd best_multipliers(const VectorXd& gradient, const MatrixXd& J, const Weights& w,
                          const std::vector<bool>& one_sided) {
  VectorXd mu = VectorXd::Zero(J.rows()), squared(gradient.size()), unused(gradient.size());
  double value = weigh(w, gradient, squared);
  for (int round = 0; round < max_newton_rounds && value > 0.0; ++round) {
    const VectorXd weights = squared.cwiseSqrt();
    const MatrixXd A = weights.asDiagonal() * J.transpose();
    const VectorXd b = -weights.cwiseProduct(gradient);
    const VectorXd step = nonnegative_least_squares({A, b, one_sided}) - mu;
    double fraction = 1.0;
    while (fraction > 1e-6 && !(weigh(w, gradient + J.transpose() * (mu + fraction * step), unused) < value))
      fraction /= 2.0;
    if (fraction <= 1e-6) break;
    mu += fraction * step;
    value = weigh(w, gradient + J.transpose() * mu, squared);
  }
  return mu;
}

}  // namespace

double KktResidual::total() const {
  return std::max({stationarity, infeasibility, complementarity});
}

KktResidual kkt_residual(const VectorXd& x, const Evaluation& evaluation, const VectorXd& lower,
                         const VectorXd& upper, Index n_equalities, double scale, const VectorXd& widths) {
  std::vector<Index> rows;
  std::vector<bool> one_sided;
  for (Index j = 0; j < evaluation.constraints.size(); ++j) {
    const double width = widths.size() > 0 ? widths[j] : kkt_width;
    if (j >= n_equalities && evaluation.constraints[j] < -width) continue;
    rows.push_back(j);
    one_sided.push_back(j >= n_equalities);
  }

  KktResidual residual;
  residual.multipliers = VectorXd::Zero(evaluation.constraints.size());
  VectorXd L = evaluation.gradient;
  if (!rows.empty()) {
    const MatrixXd J = evaluation.constraint_gradients(rows, Eigen::all);
    const VectorXd mu =
        best_multipliers(evaluation.gradient, J, distances_to_bounds(x, lower, upper), one_sided);
    residual.multipliers(rows) = mu;
    L += J.transpose() * mu;
  }
  residual.stationarity = (x - (x - L / scale).cwiseMax(lower).cwiseMin(upper)).lpNorm<Eigen::Infinity>();
  residual.infeasibility = infeasibility(evaluation, n_equalities);
  for (Index j = n_equalities; j < evaluation.constraints.size(); ++j) {
    const double steepest = evaluation.constraint_gradients.row(j).lpNorm<Eigen::Infinity>();
    residual.complementarity =
        std::max(residual.complementarity,
                 std::min(-evaluation.constraints[j], residual.multipliers[j] * steepest / scale));
  }
  return residual;
}

}  // namespace kurbel
