#include "optimizers/mma_approximation.hpp"

#include <algorithm>
#include <cmath>

#include "optimizers/mma_subproblem.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double smallest_distance = 0.01, largest_distance = 10.0;  // of asymptotes, in ranges
constexpr double growth = 1.2, reduction = 0.7;
constexpr double part_of_asymptotes = 0.9;  // a step ends there on its way to an asymptote
constexpr double curvature = 1e-3;          // of a function that is linear
constexpr double mma_rho = 1e-5, gcmma_rho = 0.1, smallest_rho = 1e-6;
constexpr double largest_growth_of_rho = 10.0, extra_growth_of_rho = 1.1;
constexpr double price = 1000.0;   // of violations
constexpr double rounding = 1e-7;  // of a function against its approximation, relative

}  // namespace

void MmaAsymptotes::update(const VectorXd& x) {
  if (before_last_.size() == 0) {
    L_ = x.array() - first_distance_;
    U_ = x.array() + first_distance_;
  } else {
    for (Index j = 0; j < x.size(); ++j) {
      const double turn = (x[j] - last_[j]) * (last_[j] - before_last_[j]);
      const double factor = turn > 0.0 ? growth : turn < 0.0 ? reduction : 1.0;
      L_[j] = x[j] - std::clamp(factor * (last_[j] - L_[j]), smallest_distance, largest_distance);
      U_[j] = x[j] + std::clamp(factor * (U_[j] - last_[j]), smallest_distance, largest_distance);
    }
  }
  before_last_ = last_;
  last_ = x;
}

VariableGroups::VariableGroups(std::vector<int> group) : group_(std::move(group)) {
  const int n = group_.empty() ? 0 : *std::max_element(group_.begin(), group_.end()) + 1;
  sizes_ = VectorXd::Zero(n);
  for (const int g : group_) sizes_[g] += 1.0;
}

MmaApproximation::MmaApproximation(const VectorXd& x, const MmaFunctions& functions,
                                   const VariableGroups& groups, bool conservative, const MatrixXd& least_rho,
                                   const LagrangianCurvature* curvature)
    : x_(x), functions_(functions), curvature_(curvature), groups_(groups) {
  const VectorXd part = gcmma_rho / groups.sizes().array();
  first_rho_ = (groups.sum(functions.gradients.cwiseAbs()) * part.asDiagonal()).cwiseMax(smallest_rho);
  rho_ = conservative ? first_rho_ : MatrixXd::Constant(first_rho_.rows(), first_rho_.cols(), mma_rho);
  if (!conservative && least_rho.size() > 0) rho_ = rho_.cwiseMax(least_rho);
}

bool MmaApproximation::is_free() const {
  return !is_quadratic() && (rho_.array() <= first_rho_.array().max(mma_rho)).all();
}

MmaTrial MmaApproximation::minimize(const MmaBox& box) {
  const Index m = functions_.values.size() - 1, e = functions_.n_equalities;
  MmaSubproblem s;
  s.L = box.asymptotes.lower(), s.U = box.asymptotes.upper();
  const VectorXd to_U = s.U - x_, to_L = x_ - s.L;
  s.alpha = (x_ - part_of_asymptotes * to_L).cwiseMax(box.lower).cwiseMax((x_.array() - box.move).matrix());
  s.beta = (x_ + part_of_asymptotes * to_U).cwiseMin(box.upper).cwiseMin((x_.array() + box.move).matrix());
  MatrixXd up = functions_.gradients.cwiseMax(0.0), down = (-functions_.gradients).cwiseMax(0.0);
  if (is_quadratic()) up.row(0).setZero(), down.row(0).setZero();
  MatrixXd P = (1.0 + curvature) * up + curvature * down, Q = curvature * up + (1.0 + curvature) * down;
  const MatrixXd rho = groups_.spread(rho_);
  P = (P + rho) * to_U.cwiseAbs2().asDiagonal();
  Q = (Q + rho) * to_L.cwiseAbs2().asDiagonal();
  P.middleRows(1, e).setZero(), Q.middleRows(1, e).setZero();
  const MatrixXd A = functions_.gradients.middleRows(1, e);
  VectorXd r = functions_.values - P * to_U.cwiseInverse() - Q * to_L.cwiseInverse();
  r.segment(1, e) -= A * x_;
  // The rows of the subproblem: the equalities, their negatives, the inequalities.
  const auto rows = [&](const auto& positive) {
    MatrixXd all(m + e, positive.cols());
    all << positive.middleRows(1, e), -positive.middleRows(1, e), positive.bottomRows(m - e);
    return all;
  };
  s.p0 = P.row(0), s.q0 = Q.row(0);
  s.P = rows(P), s.Q = rows(Q);
  s.A.resize(2 * e, x_.size());
  s.A << A, -A;
  s.b = -rows(r);
  s.c = VectorXd::Constant(m + e, price);
  if (is_quadratic()) s.x = x_, s.g = functions_.gradients.row(0), s.B = curvature_;
  MmaSolution solution = solve(s);
  const VectorXd from_U = (s.U - solution.x).cwiseInverse(), from_L = (solution.x - s.L).cwiseInverse();
  approximated_ = r + P * from_U + Q * from_L;
  gradients_ = P * from_U.cwiseAbs2().asDiagonal();
  gradients_ -= Q * from_L.cwiseAbs2().asDiagonal();
  gradients_.middleRows(1, e) = A;
  if (is_quadratic()) {
    const VectorXd d = solution.x - x_, Bd = curvature_->times(d);
    approximated_[0] += s.g.dot(d) + 0.5 * d.dot(Bd);
    gradients_.row(0) += (s.g + Bd).transpose();
  }
  const auto distances =
      (s.U - s.L).array() * (solution.x - x_).array().square() * from_U.array() * from_L.array();
  distances_ = groups_.size() == 1 ? VectorXd::Constant(1, distances.sum())
                                   : VectorXd(groups_.sum(distances.matrix().transpose()).row(0));
  VectorXd lambda(m);
  lambda << solution.lambda.head(e) - solution.lambda.segment(e, e), solution.lambda.tail(m - e);
  return {std::move(solution.x), std::move(lambda)};
}

VectorXd MmaApproximation::gradient_difference(const MmaTrial& trial, const MmaFunctions& there) const {
  const Index m = there.values.size() - 1;
  return (there.gradients.row(0) - functions_.gradients.row(0)).transpose() +
         (there.gradients - gradients_).bottomRows(m).transpose() * trial.lambda;
}

VectorXd MmaApproximation::lack(const VectorXd& values) const {
  VectorXd lack = values - approximated_;
  lack.segment(1, functions_.n_equalities).setZero();
  return lack;
}

bool MmaApproximation::is_conservative(const VectorXd& values) const {
  return (lack(values).array() <= rounding * (1.0 + approximated_.array().abs())).all();
}

VectorXd MmaApproximation::shares(Index i, const MmaTrial& trial, const MmaFunctions& there) const {
  const VectorXd terms = (there.gradients.row(i) - gradients_.row(i)).transpose().cwiseProduct(trial.x - x_);
  const VectorXd by_group = groups_.sum(terms.transpose()).row(0).cwiseMax(0.0);
  const double sum = by_group.sum();
  return sum > 0.0 ? by_group / sum : distances_ / distances_.sum();
}

void MmaApproximation::become_more_conservative(const MmaTrial& trial, const MmaFunctions& there) {
  const VectorXd lacks = lack(there.values);
  for (Index i = 0; i < lacks.size(); ++i) {
    if (lacks[i] <= 0.0) continue;
    const VectorXd share = shares(i, trial, there);
    for (Index g = 0; g < groups_.size(); ++g) {
      const double rise = share[g] > 0.0 && distances_[g] > 0.0 ? share[g] * (lacks[i] / distances_[g]) : 0.0;
      rho_(i, g) = std::min(extra_growth_of_rho * (rho_(i, g) + rise),
                            largest_growth_of_rho * std::max(rho_(i, g), first_rho_(i, g)));
    }
  }
}

}  // namespace kurbel
