#include "floating_frame/von_mises.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

// Instants that one pass over S serves, and points whose stresses at these instants stay in the cache.
constexpr Index block_size = 16, chunk_size = 256;

/// Rounding may leave the square of a purely hydrostatic stress below zero.
template <class S>
void remove_rounding(Eigen::Ref<Eigen::Array<S, Eigen::Dynamic, 1>> squares) {
  if constexpr (std::is_same_v<S, double>) squares = squares.max(0.0);
}

/// base^exponent, exponent >= 0; `base` is overwritten.
template <class Array>
void raise(Array& base, double exponent, Array& power) {
  constexpr double largest = 64.0;
  if (exponent > largest || exponent != std::floor(exponent)) {
    power = (exponent * base.log()).exp();
    return;
  }
  power.setOnes();
  for (int n = static_cast<int>(exponent); n > 0; n /= 2) {
    if (n % 2 == 1) power *= base;
    base *= base;
  }
}

}  // namespace

/// Stresses of some points at some instants, rows as in StressModes.
template <class S>
void VonMisesNorm<S>::stresses(Index point, Index n, const Matrix& q, Matrix& sigma) const {
  sigma.resize(n * n_components_, q.cols());
  for (Index c = 0; c < n_components_; ++c)
    sigma.middleRows(c * n, n).noalias() = S_.middleRows(c * n_points() + point, n) * q;
}

template <class S>
void VonMisesNorm<S>::evaluate(const Matrix& q, Vec& F, VectorXd& largest, Matrix& slopes) const {
  Matrix sigma, G;
  slopes.setZero(n_points(), q.cols());
  for (Index point = 0; point < n_points(); point += chunk_size) {
    const Index n = std::min(chunk_size, n_points() - point);
    stresses(point, n, q, sigma);
    G.resize(sigma.rows(), sigma.cols());
    von_mises_part(sigma, n_components_, G);
    for (Index c = 0; c < n_components_; ++c)
      slopes.middleRows(point, n) += sigma.middleRows(c * n, n).cwiseProduct(G.middleRows(c * n, n));
  }
  F.setZero(q.cols());
  largest.setZero(q.cols());
  Eigen::Array<S, Eigen::Dynamic, 1> square(n_points()), base(n_points()), power(n_points());
  for (Index k = 0; k < q.cols(); ++k) {
    square = slopes.col(k);
    remove_rounding<S>(square);
    slopes.col(k).setZero();
    const double top = square.real().maxCoeff();
    if (!(top >= std::numeric_limits<double>::min())) continue;  // 1 / top would overflow
    largest[k] = std::sqrt(top);
    square *= S(1.0 / top);  // against overflow
    base = square;
    raise(base, 0.5 * exponent_ - 1.0, power);
    const S relative = std::pow((power * square).sum(), 1.0 / exponent_);
    F[k] = std::sqrt(top) * relative;
    slopes.col(k) = power * (std::pow(relative, 2.0 - exponent_) / F[k]);
  }
}

template <class S>
template <class Use>
void VonMisesNorm<S>::for_each_derivative(const Matrix& q, const Matrix& slopes, const Use& use) const {
  Matrix sigma, G;
  for (Index point = 0; point < n_points(); point += chunk_size) {
    const Index n = std::min(chunk_size, n_points() - point);
    stresses(point, n, q, sigma);
    G.resize(sigma.rows(), sigma.cols());
    von_mises_part(sigma, n_components_, G);
    for (Index c = 0; c < n_components_; ++c) {
      auto F_sigma = G.middleRows(c * n, n);
      F_sigma.array() *= slopes.middleRows(point, n).array();
      use(c * n_points() + point, n, F_sigma);
    }
  }
}

template <class S>
VectorX<S> VonMisesNorm<S>::values(const Matrix& q, Matrix* F_q, VectorXd* largest) const {
  Vec F(q.cols()), F_block;
  VectorXd largest_of_block;
  if (largest) largest->resize(q.cols());
  Matrix slopes;
  if (F_q) F_q->setZero(q.rows(), q.cols());
  for (Index first = 0; first < q.cols(); first += block_size) {
    const Index m = std::min(block_size, q.cols() - first);
    const Matrix q_block = q.middleCols(first, m);
    evaluate(q_block, F_block, largest_of_block, slopes);
    F.segment(first, m) = F_block;
    if (largest) largest->segment(first, m) = largest_of_block;
    if (!F_q) continue;
    for_each_derivative(q_block, slopes, [&](Index row, Index n, const auto& F_sigma) {
      F_q->middleCols(first, m).noalias() += S_.middleRows(row, n).transpose() * F_sigma;
    });
  }
  return F;
}

template <class S>
MatrixX<S> VonMisesNorm<S>::pull_back(const Matrix& q, const Vec& weights) const {
  Matrix S_bar = Matrix::Zero(S_.rows(), S_.cols()), slopes;
  Vec F;
  VectorXd largest;
  for (Index first = 0; first < q.cols(); first += block_size) {
    const Index m = std::min(block_size, q.cols() - first);
    const Matrix q_block = q.middleCols(first, m);
    const Matrix weighted = weights.segment(first, m).asDiagonal() * q_block.transpose();
    evaluate(q_block, F, largest, slopes);
    for_each_derivative(q_block, slopes, [&](Index row, Index n, const auto& F_sigma) {
      S_bar.middleRows(row, n).noalias() += F_sigma * weighted;
    });
  }
  return S_bar;
}

template <class S>
VonMisesIntegrand<S>::VonMisesIntegrand(const MultibodySystem<S>& system, const std::string& body,
                                        const StressModes& modes, double exponent)
    : norm_(modes.S.template cast<S>(), modes.n_components, exponent) {
  const std::size_t i = system.body_index(body);
  x_ = system.x_offset(i) + 7, v_ = system.v_offset(i) + 6, n_q_ = system.n_q(i);
  if (modes.S.cols() != n_q_) {
    throw InputError(fmt::format("body {}: stress modes of {} elastic coordinates, where there are {}", body,
                                 modes.S.cols(), n_q_));
  }
}

template <class S>
S VonMisesIntegrand<S>::value(const DaeInstant<S>& at) const {
  return norm_.values(at.x.segment(x_, n_q_))[0];
}

template <class S>
void VonMisesIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                        Eigen::Ref<VectorX<S>>) const {
  MatrixX<S> F_q;
  norm_.values(at.x.segment(x_, n_q_), &F_q);
  bar.x.segment(v_, n_q_) += weight * F_q;
}

template <class S>
MatrixX<S> VonMisesIntegrand<S>::coordinates(const Trajectory<S>& trajectory,
                                             const std::vector<Index>& steps) const {
  return trajectory.y.middleRows(x_, n_q_)(Eigen::all, steps);  // x is what a column begins with
}

template class VonMisesNorm<InstantiatedScalar>;
template class VonMisesIntegrand<InstantiatedScalar>;

}  // namespace kurbel
