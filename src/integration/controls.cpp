#include "integration/controls.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/errors.hpp"

namespace kurbel {

namespace {

bool is_cubic(Interpolation i) {
  return i == Interpolation::natural || i == Interpolation::clamped || i == Interpolation::not_a_knot;
}

/// Second derivatives m of the cubic spline through u_bar, m = moments u_bar: at inner nodes the first
/// derivative is continuous,
///     (m_{i-1} + 4 m_i + m_{i+1}) / 6 = (u_{i-1} - 2 u_i + u_{i+1}) / h^2,
/// and one condition per end.
MatrixXd spline_moments(Interpolation interpolation, Eigen::Index n, double h) {
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    A.block<1, 3>(i, i - 1) << 1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0;
    B.block<1, 3>(i, i - 1) << 1.0, -2.0, 1.0;
  }
  const Eigen::Index e = n - 1;
  switch (interpolation) {
    case Interpolation::clamped:
      A(0, 0) = A(e, e) = 1.0 / 3.0;
      A(0, 1) = A(e, e - 1) = 1.0 / 6.0;
      B(0, 0) = B(e, e) = -1.0;
      B(0, 1) = B(e, e - 1) = 1.0;
      break;
    case Interpolation::not_a_knot:
      A.block<1, 3>(0, 0) << 1.0, -2.0, 1.0;
      A.block<1, 3>(e, e - 2) << 1.0, -2.0, 1.0;
      break;
    case Interpolation::natural:
      A(0, 0) = A(e, e) = 1.0;
      break;
    case Interpolation::linear:
    case Interpolation::constant:
      throw std::logic_error("no spline");
  }
  return A.partialPivLu().solve(B) / (h * h);
}

}  // namespace

/// Memory of a spline: both sides of its equations, factors and solution.
double ControlGrid::least_memory(Interpolation interpolation, int n_nodes) {
  constexpr double n_matrices = 4.0;
  return is_cubic(interpolation) ? n_matrices * sizeof(double) * double(n_nodes) * double(n_nodes) : 0.0;
}

ControlGrid::ControlGrid(Interpolation interpolation, int n_nodes, double t0, double t1)
    : interpolation_(interpolation),
      n_nodes_(n_nodes),
      n_intervals_(interpolation == Interpolation::constant ? n_nodes : n_nodes - 1),
      t0_(t0),
      width_((t1 - t0) / static_cast<double>(n_intervals_)) {
  const int least = interpolation == Interpolation::not_a_knot ? 4
                    : interpolation == Interpolation::constant ? 1
                                                               : 2;
  if (n_nodes < least) {
    throw InputError(
        fmt::format("a control has {} nodes; this interpolation needs at least {}", n_nodes, least));
  }
  if (!(t0 < t1)) throw InputError(fmt::format("a control over no time, from {} s to {} s", t0, t1));
  if (is_cubic(interpolation)) moments_ = spline_moments(interpolation, n_nodes_, width_).transpose();
}

void ControlGrid::stretch_to(double t1) {
  const double width = (t1 - t0_) / static_cast<double>(n_intervals_);
  if (width == width_) return;
  width_ = width;
  // Found anew, so that a grid does not depend on how it was stretched before.
  if (is_cubic(interpolation_)) moments_ = spline_moments(interpolation_, n_nodes_, width_).transpose();
}

void ControlGrid::weights_on(Eigen::Index interval, double s, Eigen::Ref<Eigen::RowVectorXd> w) const {
  w.setZero();
  if (interpolation_ == Interpolation::constant) {
    w[interval] = 1.0;
    return;
  }
  w[interval] = 1.0 - s;
  w[interval + 1] = s;
  if (!is_cubic(interpolation_)) return;
  const double a = 1.0 - s, h2 = width_ * width_ / 6.0;
  w += ((h2 * (a * a * a - a)) * moments_.col(interval) + (h2 * (s * s * s - s)) * moments_.col(interval + 1))
           .transpose();
}

void ControlGrid::weights(const OneSidedTime& t, Eigen::Ref<Eigen::RowVectorXd> w) const {
  // A time that differs from a node by rounding is the node.
  constexpr double snap = 1e-9;
  double position = std::clamp((t.t - t0_) / width_, 0.0, static_cast<double>(n_intervals_));
  const double node = std::floor(position + 0.5);  // unlike std::round an instruction
  if (std::abs(position - node) < snap) position = node;
  const double interval = t.from_left ? std::ceil(position) - 1.0 : std::floor(position);
  const auto i = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(interval), 0, n_intervals_ - 1);
  weights_on(i, position - static_cast<double>(i), w);
}

Eigen::RowVectorXd ControlGrid::weights(const OneSidedTime& t) const {
  Eigen::RowVectorXd w(n_nodes_);
  weights(t, w);
  return w;
}

std::vector<double> ControlGrid::jumps() const {
  std::vector<double> times;
  if (interpolation_ != Interpolation::constant) return times;
  for (Eigen::Index i = 1; i < n_nodes_; ++i) times.push_back(node_time(i));
  return times;
}

std::vector<double> ControlGrid::kinks() const {
  std::vector<double> times;
  if (interpolation_ != Interpolation::linear) return times;
  for (Eigen::Index i = 1; i + 1 < n_nodes_; ++i) times.push_back(node_time(i));
  return times;
}

MatrixXd ControlGrid::energy_matrix() const {
  // Gauss-Legendre with four points: exact to degree seven; C^T C has at most six.
  constexpr std::array<double, 2> node = {0.86113631159405257522, 0.33998104358485626480};
  constexpr std::array<double, 2> weight = {0.34785484513745385737, 0.65214515486254614263};
  MatrixXd A = MatrixXd::Zero(n_nodes_, n_nodes_);
  Eigen::RowVectorXd C(n_nodes_);
  for (Eigen::Index interval = 0; interval < n_intervals_; ++interval) {
    for (std::size_t g = 0; g < node.size(); ++g) {
      for (const double side : {-1.0, 1.0}) {
        weights_on(interval, 0.5 * (1.0 + side * node[g]), C);
        A.noalias() += (0.5 * width_ * weight[g]) * C.transpose() * C;
      }
    }
  }
  return A;
}

Eigen::Index Controls::add(ControlGrid grid) {
  offsets_.push_back(n_nodes_);
  n_nodes_ += grid.n_nodes();
  grids_.push_back(std::move(grid));
  return size() - 1;
}

}  // namespace kurbel
