#include "formulation/branch_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kurbel {

namespace {

/// Places of each kind that are examined, those that stand out most.
constexpr std::size_t most_places = 10;

struct Place {
  Eigen::Index k;
  double rank;  ///< the smaller, the sooner it is examined
};

std::vector<Eigen::Index> foremost(std::vector<Place> places) {
  std::ranges::sort(places, {}, &Place::rank);
  places.resize(std::min(places.size(), most_places));
  std::vector<Eigen::Index> instants;
  for (const Place& place : places) instants.push_back(place.k);
  return instants;
}

}  // namespace

BranchWarnings::BranchWarnings(const SecondOrderDae<double>& system, const Trajectory<double>& trajectory)
    : system_(system), trajectory_(trajectory), path_(system, place(0)) {}

ConstraintPath::Place BranchWarnings::place(Eigen::Index k) const {
  return {trajectory_.t[k], trajectory_.y.col(k).head(system_.n_x())};
}

void BranchWarnings::add(Eigen::Index k, const MatrixXd& C) {
  sampled_.push_back({k, path_.log_volume(C)});
}

/// Returns the instant between two that is closest to a dead centre.
Eigen::Index BranchWarnings::closest(Eigen::Index from, Eigen::Index to) {
  const auto ws = system_.make_workspace();
  const VectorXd rest = VectorXd::Zero(system_.n_v()), no_lambda = VectorXd::Zero(system_.n_c());
  ConstraintDerivatives<double> constraints;
  constraints.resize(system_.n_v(), system_.n_c());
  Place best{from, std::numeric_limits<double>::infinity()};
  for (Eigen::Index k = from; k <= to; ++k) {
    const ConstraintPath::Place at = place(k);
    system_.constraint_derivatives({at.t, at.x, rest, rest, no_lambda}, *ws, constraints);
    const double log_volume = path_.log_volume(constraints.C);
    if (log_volume < best.rank) best = {k, log_volume};
  }
  return best.k;
}

/// Returns the instants at which constraints come close to depend on each other: those of local minima below the median.
std::vector<Eigen::Index> BranchWarnings::closest_to_dead_centres() {
  constexpr double close = 0.9;
  const std::size_t n = sampled_.size();
  if (n < 3) return {};
  std::vector<double> sorted;
  for (const Sampled& at : sampled_) sorted.push_back(at.log_volume);
  std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(n / 2));
  const double usual = sorted[n / 2];
  std::vector<Place> minima;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double own = sampled_[i].log_volume;
    if (own < usual + std::log(close) && own <= sampled_[i - 1].log_volume &&
        own < sampled_[i + 1].log_volume)
      minima.push_back({Eigen::Index(i), own});
  }
  std::vector<Eigen::Index> instants;
  for (const Eigen::Index i : foremost(std::move(minima))) {
    const Eigen::Index from = sampled_[std::size_t(i) - 1].k, to = sampled_[std::size_t(i) + 1].k;
    instants.push_back(to - from > 2 ? closest(from, to) : sampled_[std::size_t(i)].k);
  }
  return instants;
}

/// Finds the lengths of all steps, and how much the way changes from each to the next one.
void BranchWarnings::measure_steps() {
  const Eigen::Index n = trajectory_.n_stored;
  lengths_.setZero(n), changes_.setZero(n);
  VectorXd former;
  for (Eigen::Index k = 1; k < n; ++k) {
    VectorXd way = path_.way(place(k - 1).x, place(k).x);
    lengths_[k] = way.norm();
    if (k > 1) changes_[k - 1] = (way - former).norm();
    former.swap(way);
  }
}

/// Returns the instants at which the way from step to step changes by more than it does before and after.
std::vector<Eigen::Index> BranchWarnings::kinks() const {
  constexpr double noticeable = 0.1;
  std::vector<Place> found;
  for (Eigen::Index k = 3; k + 3 < lengths_.size(); ++k) {
    const double beside = std::max(changes_[k - 2], changes_[k + 2]);
    const double length = std::max(lengths_[k], lengths_[k + 1]);
    if (changes_[k] - beside > noticeable * length) found.push_back({k, (beside - changes_[k]) / length});
  }
  return foremost(std::move(found));
}

std::vector<std::string> BranchWarnings::warnings() {
  constexpr double arrived = 0.05, noticeable = 1e-3;  // shares of the way, and of the longest one
  measure_steps();
  std::set<Eigen::Index> instants;
  for (const Eigen::Index k : closest_to_dead_centres()) instants.insert({k - 1, k, k + 1});
  for (const Eigen::Index k : kinks()) instants.insert(k);
  for (const Eigen::Index k : instants) {
    if (k < 1 || k + 1 >= trajectory_.n_stored) continue;
    const ConstraintPath::Place before = place(k - 1), after = place(k + 1);
    const double way = path_.way(before.x, after.x).norm(), missed = arrived * way;
    if (way < noticeable * lengths_.maxCoeff()) continue;
    const std::optional<VectorXd> left = path_.way_left(before, after);
    if (!left || left->norm() <= missed) continue;
    const std::optional<VectorXd> back = path_.way_left(after, before);
    if (!back || back->norm() <= missed) continue;
    Eigen::Index most = 0;
    left->cwiseAbs().maxCoeff(&most);
    return {
        fmt::format("the joints do not lead {} from its position at t = {:.6g} s to that at {:.6g} s: close "
                    "to a dead centre the steps have "
                    "taken another way to assemble the mechanism. Reduce integrator.step, or start elsewhere",
                    system_.coordinate_name(most), before.t, after.t)};
  }
  return {};
}

}  // namespace kurbel
