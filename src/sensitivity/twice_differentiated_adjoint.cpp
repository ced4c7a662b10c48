#include <array>

#include "integration/increment_rate.hpp"
#include "sensitivity/adjoint_constraints.hpp"
#include "sensitivity/adjoint_equations.hpp"

namespace kurbel {

namespace {

class TwiceDifferentiated final : private AdjointEquations {
 public:
  using AdjointEquations::AdjointEquations;
  TwiceDifferentiatedAdjoint solved_backwards();

 private:
  /// f_v and F_v at step k.
  struct Sample {
    Eigen::Index k = -1;
    MatrixXd f_v;
    VectorXd F_v;
  };
  bool look_at(Eigen::Index k);
  const Sample& sample(Eigen::Index k);
  bool prepare(Eigen::Index k);
  VectorXd C_ddot_times(const VectorXd& xi) const;
  VectorXd solve_for(const VectorXd& top, const VectorXd& bottom) const;
  VectorXd start();
  VectorXd rate(const VectorXd& y) const;
  ConstraintVariations levels(const VectorXd& y) const;

  Eigen::Index n() const { return layout_.n_v; }
  Eigen::Index n_c() const { return layout_.n_c; }

  std::array<Sample, 5> samples_;  ///< around the step under way
  std::vector<RetractionBlock<double>> blocks_;
  MatrixXd f_v_dot_, C_dot_;
  VectorXd F_v_dot_;
  Eigen::PartialPivLU<MatrixXd> saddle_point_;
};

/// @return false if the integrand depends on accelerations or reactions
bool TwiceDifferentiated::look_at(Eigen::Index k) {
  move_to(stored(k));
  linearize(1.0);
  return F_bar_.bottomRows(F_bar_.rows() - 2 * n()).isZero(0.0);
}

const TwiceDifferentiated::Sample& TwiceDifferentiated::sample(Eigen::Index k) {
  Sample& s = samples_[static_cast<std::size_t>(k % 5)];
  if (s.k == k) return s;
  look_at(k);
  s = {k, jacobians_.f_v.full(), F_bar_.col(0).segment(n(), n())};
  return s;
}

/// All coefficients at step k.
bool TwiceDifferentiated::prepare(Eigen::Index k) {
  const Eigen::Index last = trajectory_.y.cols() - 1;
  const double h = trajectory_.span() / static_cast<double>(last);
  const DifferenceStencil stencil(k, last + 1);
  f_v_dot_.setZero(n(), n()), F_v_dot_.setZero(n());
  for (Eigen::Index i = 0; i < 5; ++i) {
    const Sample& s = sample(stencil.first + i);
    const double weight = stencil.weights[static_cast<std::size_t>(i)] / h;
    f_v_dot_ += weight * s.f_v, F_v_dot_ += weight * s.F_v;
  }
  const bool suitable = look_at(k);
  model_.retraction_derivative(v_, blocks_);
  C_dot_ = constraints_.c2_v - constraints_.c1_x;
  MatrixXd K = MatrixXd::Zero(n() + n_c(), n() + n_c());
  K.topLeftCorner(n(), n()) = jacobians_.M.full();
  K.topRightCorner(n(), n_c()) = constraints_.C.transpose();
  K.bottomLeftCorner(n_c(), n()) = constraints_.C;
  saddle_point_.compute(K);
  return suitable;
}

VectorXd TwiceDifferentiated::C_ddot_times(const VectorXd& xi) const {
  return constraints_.c2_x * xi + constraints_.c2_v * bracket<double>(blocks_, v_, xi) +
         constraints_.C * bracket<double>(blocks_, v_dot_, xi);
}

VectorXd TwiceDifferentiated::solve_for(const VectorXd& top, const VectorXd& bottom) const {
  VectorXd rhs(n() + n_c());
  rhs << top, bottom;
  return saddle_point_.solve(rhs);
}

/// y = (xi, xi_dot, g) at the end.
VectorXd TwiceDifferentiated::start() {
  start_from_finals();
  solve(0.0);
  const VectorXd xi = multipliers_.col(0).head(n()), gamma = multipliers_.col(0).tail(n_c());
  const VectorXd nu = mu_.col(0) - constraints_.c1_x.transpose() * gamma;
  VectorXd y(2 * n() + n_c());
  y << xi,
      solve_for(-nu + jacobians_.f_v.full().transpose() * xi - F_bar_.col(0).segment(n(), n()), -C_dot_ * xi);
  return y;
}

VectorXd TwiceDifferentiated::rate(const VectorXd& y) const {
  const VectorXd xi = y.head(n()), xi_dot = y.segment(n(), n()), g = y.tail(n_c());
  const MatrixXd &f_x = jacobians_.f_x.full(), &f_v = jacobians_.f_v.full();
  const VectorXd nu = f_v.transpose() * xi - F_bar_.col(0).segment(n(), n()) - jacobians_.M.full() * xi_dot -
                      constraints_.C.transpose() * g;
  VectorXd nu_dot = f_x.transpose() * xi - F_bar_.col(0).head(n()) - constraints_.c1_x.transpose() * g;
  for (const RetractionBlock<double>& block : blocks_) {
    nu_dot.segment(block.offset, block.size()) +=
        ad_transposed<double>(six<double>(block, v_), six<double>(block, nu)).tail(block.size());
  }
  VectorXd out(y.size());
  out << xi_dot, solve_for(-nu_dot + f_v.transpose() * xi_dot + f_v_dot_.transpose() * xi - F_v_dot_ -
                               C_dot_.transpose() * g,
                           -2.0 * C_dot_ * xi_dot - C_ddot_times(xi));
  return out;
}

/// C xi and its rates.
ConstraintVariations TwiceDifferentiated::levels(const VectorXd& y) const {
  const VectorXd xi = y.head(n()), xi_dot = y.segment(n(), n()), xi_ddot = rate(y).segment(n(), n());
  return {constraints_.C * xi, constraints_.C * xi_dot + C_dot_ * xi,
          constraints_.C * xi_ddot + 2.0 * C_dot_ * xi_dot + C_ddot_times(xi)};
}

TwiceDifferentiatedAdjoint TwiceDifferentiated::solved_backwards() {
  const Eigen::Index last = trajectory_.y.cols() - 1;
  const double h = -2.0 * trajectory_.span() / static_cast<double>(last);
  const std::vector<Eigen::Index> instants = instants_looked_at(last + 1);
  TwiceDifferentiatedAdjoint out{MatrixXd(n(), std::ssize(instants)), MatrixXd(3, std::ssize(instants))};
  Eigen::Index column = out.xi.cols() - 1;
  Eigen::Vector3d scale = Eigen::Vector3d::Constant(1e-300);
  const auto report = [&](Eigen::Index k, const VectorXd& y, const VectorXd& y_dot) {
    scale[0] = std::max(scale[0], y.head(n()).cwiseAbs().maxCoeff());
    scale[1] = std::max(scale[1], y_dot.head(n()).cwiseAbs().maxCoeff());
    scale[2] = std::max(scale[2], y_dot.segment(n(), n()).cwiseAbs().maxCoeff());
    if (column < 0 || instants[static_cast<std::size_t>(column)] != k) return;
    out.xi.col(column) = y.head(n());
    const ConstraintVariations found = levels(y);
    for (std::size_t level = 0; level < 3; ++level)
      out.violations(static_cast<Eigen::Index>(level), column) = found[level].cwiseAbs().maxCoeff();
    --column;
  };
  if (!prepare(last)) return {};
  VectorXd y = start();
  for (Eigen::Index k = last; k >= 2; k -= 2) {
    const VectorXd at_end = rate(y);
    report(k, y, at_end);
    if (!prepare(k - 1)) return {};
    const VectorXd first = rate(y + 0.5 * h * at_end), second = rate(y + 0.5 * h * first);
    if (!prepare(k - 2)) return {};
    y += h / 6.0 * (at_end + 2.0 * (first + second) + rate(y + h * second));
  }
  report(last % 2, y, rate(y));
  out.violations = scale.cwiseInverse().asDiagonal() * out.violations;
  return out;
}

}  // namespace

TwiceDifferentiatedAdjoint twice_differentiated_adjoint(const SecondOrderDae<double>& model,
                                                        const DaeStateLayout& layout,
                                                        const Trajectory<double>& trajectory,
                                                        const Integrand<double>& integrand,
                                                        const Integrand<double>& final_terms) {
  const std::vector<const Integrand<double>*> integrands = {&integrand}, finals = {&final_terms};
  return TwiceDifferentiated(model, layout, trajectory, integrands, finals).solved_backwards();
}

}  // namespace kurbel
