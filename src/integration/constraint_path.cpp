#include "integration/constraint_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurbel {

namespace {

/// Roots of the diagonal of the mass matrix; coordinates without mass have the smallest one.
VectorXd roots_of_masses(const SecondOrderDae<double>& system, const DaeInstant<double>& at,
                         SecondOrderDae<double>::Workspace& ws) {
  DaeJacobians<double> jacobians = system.make_jacobians();
  system.jacobians(at, ws, jacobians);
  VectorXd roots = VectorXd::Zero(system.n_v());
  for (const auto& block : jacobians.M.blocks()) {
    if (block.row == block.col)
      roots.segment(block.row, block.rows) = jacobians.M.view(block).diagonal().cwiseMax(0.0).cwiseSqrt();
  }
  double least = std::numeric_limits<double>::infinity();
  for (const double root : roots) least = root > 0.0 ? std::min(least, root) : least;
  for (double& root : roots) root = root > 0.0 ? root : std::isfinite(least) ? least : 1.0;
  return roots;
}

}  // namespace

ConstraintPath::ConstraintPath(const SecondOrderDae<double>& system, const Place& usual)
    : system_(system),
      ws_(system.make_workspace()),
      rest_(VectorXd::Zero(system.n_v())),
      no_lambda_(VectorXd::Zero(system.n_c())) {
  constexpr double dependent = 1e-9;
  constraints_.resize(system.n_v(), system.n_c());
  const DaeInstant<double> at{usual.t, usual.x, rest_, rest_, no_lambda_};
  mass_roots_ = roots_of_masses(system, at, *ws_);
  system.constraint_derivatives(at, *ws_, constraints_);
  MatrixXd C = constraints_.C * mass_roots_.cwiseInverse().asDiagonal();
  C.rowwise().normalize();
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(dependent);
  qr.compute(C.transpose());
  const auto& order = qr.colsPermutation().indices();
  rows_.assign(order.data(), order.data() + qr.rank());
  std::ranges::sort(rows_);
}

VectorXd ConstraintPath::way(const VectorXd& x_0, const VectorXd& x_1) const {
  VectorXd xi(system_.n_v());
  system_.increment(x_0, x_1, xi);
  return mass_roots_.cwiseProduct(xi);
}

VectorXd ConstraintPath::kept_rows(const VectorXd& c) const {
  return row_scale_.cwiseProduct(VectorXd(c(rows_)));
}

VectorXd ConstraintPath::least(const VectorXd& c) const {
  return C_.transpose() * gram_.solve(c);
}

void ConstraintPath::factorize(const MatrixXd& C) {
  C_ = C(rows_, Eigen::all) * mass_roots_.cwiseInverse().asDiagonal();
  row_scale_ = C_.rowwise().norm().cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
  C_ = row_scale_.asDiagonal() * C_;
  gram_.compute(C_ * C_.transpose());
}

double ConstraintPath::log_volume(const MatrixXd& C) {
  factorize(C);
  if (C_.rows() == 0) return 0.0;
  // Not by the Gram matrix, which has the squares of small angles.
  volume_.compute(C_.transpose());
  return volume_.matrixQR()
      .diagonal()
      .cwiseAbs()
      .cwiseMax(std::numeric_limits<double>::min())
      .array()
      .log()
      .sum();
}

/// Brings a position to the constraints.
/// @param size     beside which corrections have to be small
/// @param renewed  whether each iteration has its own factors, or all have those of the step before, with which they converge
///                 only if constraints turn little
bool ConstraintPath::correct(Place& at, double size, bool renewed) {
  constexpr double small = 0.1, rounding = 1e-6, contraction = 0.25;
  constexpr int most_iterations = 8;
  correction_ = 0.0;
  VectorXd moved(at.x.size());
  double former = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const DaeInstant<double> instant{at.t, at.x, rest_, rest_, no_lambda_};
    if (renewed) {
      system_.constraint_derivatives(instant, *ws_, constraints_);
      factorize(constraints_.C);
    } else {
      system_.constraint_values(instant, *ws_, constraints_);
    }
    const VectorXd step = least(kept_rows(constraints_.c0));
    const double length = step.norm();
    const bool converged = length <= rounding * size;
    if (!(length <= small * size) || (!converged && length > contraction * former)) return false;
    correction_ = std::max(correction_, length / size);
    system_.retract(at.x, -step.cwiseQuotient(mass_roots_), moved);
    at.x = moved;
    if (converged) return true;
    former = length;
  }
  return false;
}

bool ConstraintPath::advance(Place& at, const VectorXd& delta, double dt) {
  system_.constraint_derivatives({at.t, at.x, rest_, rest_, no_lambda_}, *ws_, constraints_);
  factorize(constraints_.C);
  // At rest c_dot is dc/dt.
  const VectorXd c = C_ * delta + kept_rows(constraints_.c1) * dt;
  const VectorXd step = delta - least(c);
  VectorXd moved(at.x.size());
  system_.retract(at.x, step.cwiseQuotient(mass_roots_), moved);
  at.x = moved, at.t += dt;
  // The step of first order vanishes where a drive turns back, so that the wanted way is the measure, too.
  return correct(at, std::max(step.norm(), delta.norm()), false);
}

/// Goes on by the way from an earlier place, over one where branches cross and constraints give no direction.
bool ConstraintPath::cross(const Place& earlier, Place& at) {
  const VectorXd step = way(earlier.x, at.x);
  VectorXd moved(at.x.size());
  system_.retract(at.x, step.cwiseQuotient(mass_roots_), moved);
  at.x = moved, at.t += at.t - earlier.t;
  return correct(at, step.norm(), true);
}

std::optional<VectorXd> ConstraintPath::way_left(const Place& from, const Place& to) {
  constexpr double longest = 0.11, shortest = 1e-5, very_small = 0.02, over_crossing = 5e-3;
  constexpr int most_steps = 1000;
  struct Passed {
    double s;
    Place at;
  };
  std::vector<Passed> passed = {{0.0, from}};
  double ds = longest;
  for (int n = 0; n < most_steps; ++n) {
    const auto [s, at] = passed.back();
    const VectorXd left = way(at.x, to.x);
    if (s >= 1.0 || left.isZero(0.0)) return left;
    ds = std::min(ds, 1.0 - s);
    Place next = at;
    if (advance(next, ds / (1.0 - s) * left, ds * (to.t - from.t))) {
      passed.push_back({s + ds >= 1.0 - 0.5 * shortest ? 1.0 : s + ds, next});
      if (correction_ < very_small) ds = std::min(2.0 * ds, longest);
    } else if ((ds *= 0.5) < shortest) {
      const auto earlier = std::ranges::find_if(passed.rbegin(), passed.rend(),
                                                [&](const Passed& p) { return p.s <= s - over_crossing; });
      next = at;
      if (earlier == passed.rend() || 2.0 * s - earlier->s > 1.0 || !cross(earlier->at, next)) return {};
      ds = s - earlier->s;
      passed.push_back({s + ds, next});
    }
  }
  return {};
}

}  // namespace kurbel
