#include "analysis/linearized_mechanism.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "mechanism/excitation.hpp"

namespace kurbel {

using Eigen::Index;
using Complex = std::complex<double>;

namespace {

/// Weights of central differences of order 8.
constexpr std::array weights = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

double largest_of(const VectorXd& values) {
  return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

LinearizedMechanism::LinearizedMechanism(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                                         double t, VectorXd y)
    : model_(model), layout_(layout), t_(t), y_(std::move(y)) {
  constexpr double dependent = 1e-9;  // of rows of length one
  const auto ws = model_.make_workspace();
  DaeJacobians<double> jacobians = model_.make_jacobians();
  model_.jacobians(layout_.instant<double>(t_, y_), *ws, jacobians);
  M_ = jacobians.M.to_dense(), D_ = jacobians.f_v.to_dense(), K_ = jacobians.f_x.to_dense();
  G_ = jacobians.C.to_dense();
  if (G_.rows() == 0) {
    Z_.setIdentity(M_.rows(), M_.rows());
    G_inverse_.resize(0, M_.rows());
    return;
  }
  const VectorXd scale = G_.rowwise().norm().cwiseMax(1e-300).cwiseInverse();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> rows;
  rows.setThreshold(dependent);
  rows.compute(G_.transpose() * scale.asDiagonal());
  const MatrixXd Q = rows.householderQ();
  Z_ = Q.rightCols(M_.rows() - rows.rank());
  G_inverse_ = scale.asDiagonal() * rows.pseudoInverse();
}

QuadraticPencil LinearizedMechanism::reduced() const {
  return {Z_.transpose() * M_ * Z_, Z_.transpose() * D_ * Z_, Z_.transpose() * K_ * Z_};
}

MatrixXcd LinearizedMechanism::dynamic_stiffness(Complex s) const {
  return s * s * M_ + s * D_ + K_;
}

void LinearizedMechanism::excite(double distance) {
  const auto ws = model_.make_workspace();
  VectorXd f(M_.rows()), c(G_.rows());
  b_.setZero(f.size()), g_.setZero(c.size());
  distance_ = distance;
  for (const auto& [time, unit] :
       {std::pair{&time_in_phase, Complex(1.0, 0.0)}, std::pair{&time_in_quadrature, Complex(0.0, 1.0)}}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (const double side : {1.0, -1.0}) {
        const double u = side * static_cast<double>(i + 1) * distance;
        model_.residual(layout_.instant<double>(t_ + time(u), y_), *ws, f, c);
        const Complex weight = side * weights[i] / distance * unit;
        b_ += weight * f, g_ += weight * c;
      }
    }
  }
}

Complex LinearizedMechanism::by_excitation(const std::function<double(double t)>& value) const {
  Complex slope = 0.0;
  for (const auto& [time, unit] :
       {std::pair{&time_in_phase, Complex(1.0, 0.0)}, std::pair{&time_in_quadrature, Complex(0.0, 1.0)}}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double u = static_cast<double>(i + 1) * distance_;
      slope += weights[i] / distance_ * (value(t_ + time(u)) - value(t_ + time(-u))) * unit;
    }
  }
  return slope;
}

/// A motion that the constraints ask for, and on top of it one that they leave free; then multipliers.
PencilVectors LinearizedMechanism::response(Complex s, double u) const {
  const MatrixXcd P = dynamic_stiffness(s);
  PencilVectors at{.s = s, .x = -u * (G_inverse_.transpose() * g_), .nu = {}, .w = {}, .mu = {}, .u = u};
  const VectorXcd force = P * at.x + u * b_;
  at.x -= Z_ * (Z_.transpose() * P * Z_).partialPivLu().solve(Z_.transpose() * force);
  at.nu = -(G_inverse_ * (P * at.x + u * b_));
  return at;
}

Complex LinearizedMechanism::observed(const PencilVectors& response, const Eigen::Ref<const VectorXd>& l,
                                      Complex l_u) const {
  const Index n = layout_.n_v, n_c = layout_.n_c;
  const Complex s = response.s;
  const Complex
      of_coordinates = l.head(n).cast<Complex>().cwiseProduct(response.x).sum(),
      of_velocities = l.segment(n, n).cast<Complex>().cwiseProduct(response.x).sum(),
      of_accelerations =
          l.segment(layout_.tangent_accelerations_begin(), n).cast<Complex>().cwiseProduct(response.x).sum(),
      of_multipliers = l.tail(n_c).cast<Complex>().cwiseProduct(response.nu).sum();
  return of_coordinates + s * of_velocities + s * s * of_accelerations + of_multipliers + response.u * l_u;
}

/// w^T P + mu^T G = -l_x^T, w^T G^T = -l_nu^T: as in response(), transposed.
void LinearizedMechanism::add_adjoint(const VectorXcd& l, PencilVectors& response) const {
  const Index n = layout_.n_v;
  const Complex s = response.s;
  const MatrixXcd P = dynamic_stiffness(s);
  const VectorXcd l_x =
      l.head(n) + s * l.segment(n, n) + s * s * l.segment(layout_.tangent_accelerations_begin(), n);
  response.w = -(G_inverse_.transpose() * l.tail(layout_.n_c));
  const VectorXcd force = P.transpose() * response.w + l_x;
  response.w -= Z_ * (Z_.transpose() * P.transpose() * Z_).partialPivLu().solve(Z_.transpose() * force);
  response.mu = -(G_inverse_ * (P.transpose() * response.w + l_x));
}

PencilVectors LinearizedMechanism::full(const PencilMode& mode) const {
  const MatrixXcd P = dynamic_stiffness(mode.s);
  PencilVectors at{mode.s, Z_ * mode.right, {}, Z_ * mode.left, {}};
  at.nu = -(G_inverse_ * (P * at.x));
  at.mu = -(G_inverse_ * (P.transpose() * at.w));
  return at;
}

VectorXd LinearizedMechanism::displaced(const VectorXd& xi) const {
  VectorXd y = y_;
  VectorXd x(layout_.n_x);
  model_.retract(layout_.x(y_), xi, x);
  layout_.x(y) = x;
  return y;
}

/// Derivatives of w^T f + mu^T c by state and parameters at a distance along the line, those by x in the tangent
/// coordinates of the state in the middle: x o exp(eta) o exp(distance d) moves with eta by Ad eta.
LinearizedMechanism::Bars LinearizedMechanism::bars_at(const Line& line, double distance,
                                                       SecondOrderDae<double>::Workspace& ws,
                                                       DaeJacobians<double>& jacobians) const {
  const VectorXd xi = distance * line.x;
  VectorXd y = displaced(xi);
  layout_.v(y) += distance * line.v;
  layout_.w(y) += distance * line.v_dot;
  layout_.lambda(y) += distance * line.nu;
  const double t = t_ + line.time(line.u * distance);
  const DaeInstant<double> at = layout_.instant<double>(t, y);
  Bars bars{VectorXd::Zero(layout_.n_tangent()), VectorXd::Zero(model_.parameters().size())};
  model_.pullback(at, line.w, line.mu, ws, bars.p);
  model_.jacobians(at, ws, jacobians);
  DaeInstantBar<double> of(layout_, bars.y);
  jacobians.f_x.add_transposed_product(1.0, line.w, of.x);
  jacobians.C.add_transposed_product(1.0, line.mu, of.x);
  jacobians.f_v.add_transposed_product(1.0, line.w, of.v);
  jacobians.M.add_transposed_product(1.0, line.w, of.v_dot);
  jacobians.C.add_product(1.0, line.w, of.lambda);
  if (line.l.size() > 0) (*line.observed)(t, y, line.l, bars.y, bars.p);
  std::vector<RetractionBlock<double>> blocks;
  model_.retraction_derivative(xi, blocks);
  for (const RetractionBlock<double>& block : blocks) {
    auto part = of.x.segment(block.offset, block.size());
    part = (block.Ad.transpose() * part).eval();
  }
  return bars;
}

/// The derivative along the line at its middle: central differences of order 8.
LinearizedMechanism::Bars LinearizedMechanism::difference(const Line& line, double distance,
                                                          SecondOrderDae<double>::Workspace& ws,
                                                          DaeJacobians<double>& jacobians) const {
  Bars sum{VectorXd::Zero(layout_.n_tangent()), VectorXd::Zero(model_.parameters().size())};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (const double side : {1.0, -1.0}) {
      const Bars bars = bars_at(line, side * static_cast<double>(i + 1) * distance, ws, jacobians);
      const double weight = side * weights[i] / distance;
      sum.y += weight * bars.y, sum.p += weight * bars.p;
    }
  }
  return sum;
}

/// Differences at distances that become shorter, until two of them do not agree better than the two before.
double LinearizedMechanism::add_along(const Line& line, double unit, Eigen::Ref<VectorXd> y_bar,
                                      Eigen::Ref<VectorXd> p_bar) const {
  constexpr double first = 0.05, shorter = 0.25;
  constexpr int most = 8;
  if (line.w.isZero(0.0) && line.mu.isZero(0.0) && line.l.isZero(0.0)) return 0.0;
  const auto ws = model_.make_workspace();
  DaeJacobians<double> jacobians = model_.make_jacobians();
  const auto disagreement = [](const VectorXd& a, const VectorXd& b, double small) {
    const double largest = std::max(largest_of(b), small);
    return largest > 0.0 ? largest_of(a - b) / largest : 0.0;
  };
  const Bars middle =
      bars_at(line, 0.0, *ws, jacobians);  // what the derivatives are small beside, if they are zero
  double distance = first / unit, error = std::numeric_limits<double>::infinity();
  Bars best = difference(line, distance, *ws, jacobians), last = best;
  for (int i = 0; i < most; ++i) {
    distance *= shorter;
    Bars next = difference(line, distance, *ws, jacobians);
    const double own = std::max(disagreement(last.y, next.y, unit * largest_of(middle.y)),
                                disagreement(last.p, next.p, unit * largest_of(middle.p)));
    if (std::isfinite(error) && !(own < error)) break;
    if (own < error) error = own, best = next;
    last = std::move(next);
  }
  y_bar += best.y, p_bar += best.p;
  return error;
}

/// Re(factor P) is linear in the vectors on the left and in those on the right: real and imaginary parts of the direction
/// one after the other.
double LinearizedMechanism::add_derivatives(const PencilVectors& at, Complex factor,
                                            Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar,
                                            const Observed& observed) const {
  const VectorXcd v = at.s * at.x, v_dot = at.s * v, w = factor * at.w, mu = factor * at.mu,
                  l = factor * at.l;
  const Line real{at.x.real(), v.real(), v_dot.real(), at.nu.real(),   w.real(),
                  mu.real(),   l.real(), at.u,         &time_in_phase, &observed};
  const Line imaginary{at.x.imag(), v.imag(),  v_dot.imag(), at.nu.imag(),        -w.imag(),
                       -mu.imag(),  -l.imag(), at.u,         &time_in_quadrature, &observed};
  const double largest = at.x.cwiseAbs().maxCoeff(), unit = largest > 0.0 ? largest : 1.0;
  return std::max(add_along(real, unit, y_bar, p_bar), add_along(imaginary, unit, y_bar, p_bar));
}

}  // namespace kurbel
