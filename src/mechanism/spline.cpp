#include "mechanism/spline.hpp"

#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/errors.hpp"

namespace kurbel {

SplinePlace::SplinePlace(const std::vector<double>& times, double t, Beyond at_ends) {
  if (at_ends == Beyond::repeat) {
    const double period = times.back() - times.front();
    t -= period * std::floor((t - times.front()) / period);
  }
  const auto after = std::upper_bound(times.begin() + 1, times.end() - 1, t);
  interval = static_cast<std::size_t>(after - times.begin()) - 1;
  const double within = std::clamp(t, times.front(), times.back());
  beyond = t - within;
  is_held = at_ends == Beyond::hold && beyond != 0.0;
  h = times[interval + 1] - times[interval];
  a = (times[interval + 1] - within) / h, b = (within - times[interval]) / h;
}

TimeValue SplinePlace::value(double s0, double s1, double m0, double m1) const {
  TimeValue v;
  v.value = a * s0 + b * s1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6;
  v.rate = (s1 - s0) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * h / 6;
  v.acceleration = a * m0 + b * m1;
  if (beyond == 0.0) return v;
  if (is_held) return {v.value, 0.0, 0.0};
  return {v.value + v.rate * beyond, v.rate, 0.0};
}

MatrixXd spline_moments(const std::vector<double>& times, const MatrixXd& values,
                        TableInterpolation interpolation) {
  const int n = static_cast<int>(times.size());
  if (interpolation == TableInterpolation::not_a_knot && n < 4)
    throw InputError(fmt::format("a not-a-knot spline needs at least four points, not {}", n));
  const auto width = [&](int i) {
    return times[static_cast<std::size_t>(i) + 1] - times[static_cast<std::size_t>(i)];
  };
  const auto slope = [&](int i) { return (values.row(i + 1) - values.row(i)) / width(i); };
  std::vector<Eigen::Triplet<double>> entries;
  MatrixXd rhs = MatrixXd::Zero(n, values.cols());
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = width(i - 1), h1 = width(i);
    entries.insert(entries.end(), {{i, i - 1, h0 / 6}, {i, i, (h0 + h1) / 3}, {i, i + 1, h1 / 6}});
    rhs.row(i) = slope(i) - slope(i - 1);
  }
  switch (interpolation) {
    case TableInterpolation::natural:
      entries.insert(entries.end(), {{0, 0, 1.0}, {n - 1, n - 1, 1.0}});
      break;
    case TableInterpolation::clamped: {
      const double first = width(0), last = width(n - 2);
      entries.insert(
          entries.end(),
          {{0, 0, first / 3}, {0, 1, first / 6}, {n - 1, n - 2, last / 6}, {n - 1, n - 1, last / 3}});
      rhs.row(0) = slope(0), rhs.row(n - 1) = -slope(n - 2);
      break;
    }
    case TableInterpolation::not_a_knot:
      for (const auto& [row, i] : {std::pair{0, 0}, std::pair{n - 1, n - 3}}) {
        const double h0 = width(i), h1 = width(i + 1);
        entries.insert(entries.end(), {{row, i, h1}, {row, i + 1, -h0 - h1}, {row, i + 2, h0}});
      }
      break;
    case TableInterpolation::periodic: {
      const double first = width(0), last = width(n - 2);
      entries.insert(entries.end(), {{0, n - 2, last / 6}, {0, 0, (first + last) / 3}, {0, 1, first / 6}});
      entries.insert(entries.end(), {{n - 1, 0, 1.0}, {n - 1, n - 1, -1.0}});
      rhs.row(0) = slope(0) - slope(n - 2);
      break;
    }
    case TableInterpolation::monotone:
    case TableInterpolation::linear:
    case TableInterpolation::constant:
      throw std::logic_error("no spline");
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(A);
  MatrixXd moments(n, values.cols());
  for (Eigen::Index j = 0; j < values.cols(); ++j) moments.col(j) = lu.solve(VectorXd(rhs.col(j)));
  return moments;
}

SplineBasis::SplineBasis(std::vector<double> times, TableInterpolation interpolation, Beyond beyond)
    : times_(std::move(times)), beyond_(beyond) {
  const auto n = static_cast<Eigen::Index>(times_.size());
  moments_ = spline_moments(times_, MatrixXd::Identity(n, n), interpolation);
}

void SplineBasis::weights(double t, Eigen::Ref<MatrixXd> w) const {
  const SplinePlace at(times_, t, beyond_);
  const auto i = static_cast<Eigen::Index>(at.interval);
  for (Eigen::Index j = 0; j < n_nodes(); ++j) {
    const TimeValue v =
        at.value(j == i ? 1.0 : 0.0, j == i + 1 ? 1.0 : 0.0, moments_(i, j), moments_(i + 1, j));
    w.col(j) << v.value, v.rate, v.acceleration;
  }
}

}  // namespace kurbel
