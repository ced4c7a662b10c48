#include "optimizers/mma_subproblem.hpp"

#include <algorithm>
#include <cmath>

namespace kurbel {
namespace {

constexpr double last_barrier = 1e-10;  // barrier parameter at which the solution counts
constexpr double barrier_factor = 0.1;  // from one barrier parameter to the next
constexpr double within_barrier =
    0.9;                         // largest residual, in units of the barrier parameter, before it falls
constexpr double margin = 1.01;  // no step goes further than 1 / margin of the way to a bound
constexpr int max_newton_per_barrier = 100;  // for one barrier parameter
constexpr int max_step_halvings = 50;        // of one Newton step

/// x, y and the slacks s; multipliers lambda of the constraints, xi and eta of the bounds on x, mu of y >= 0.
struct Iterate {
  VectorXd x, y, s, lambda, xi, eta, mu;

  void add(double t, const Iterate& d) {
    x += t * d.x, y += t * d.y, s += t * d.s, lambda += t * d.lambda;
    xi += t * d.xi, eta += t * d.eta, mu += t * d.mu;
  }
};

class InteriorPoint {
 public:
  explicit InteriorPoint(const MmaSubproblem& data) : d_(data) {
    const Eigen::Index n = d_.n(), m = d_.m();
    w_.x = 0.5 * (d_.alpha + d_.beta);
    w_.y = w_.s = w_.lambda = VectorXd::Ones(m);
    w_.xi = (w_.x - d_.alpha).cwiseInverse().cwiseMax(1.0);
    w_.eta = (d_.beta - w_.x).cwiseInverse().cwiseMax(1.0);
    w_.mu = (0.5 * d_.c).cwiseMax(1.0);
    step_ = w_;
    G_.resize(m, n);
  }

  MmaSolution solve() {
    for (double epsilon = 1.0; epsilon >= 0.9 * last_barrier; epsilon *= barrier_factor)
      minimize_barrier(epsilon);
    return {w_.x, w_.y, w_.lambda};
  }

 private:
  /// Distances from the asymptotes, derivatives of the Lagrangian by x, values of the constraints.
  void evaluate() {
    from_U_ = (d_.U - w_.x).cwiseInverse(), from_L_ = (w_.x - d_.L).cwiseInverse();
    p_ = d_.p0 + d_.P.transpose() * w_.lambda;
    q_ = d_.q0 + d_.Q.transpose() * w_.lambda;
    L_x_ = p_.cwiseProduct(from_U_.cwiseAbs2()) - q_.cwiseProduct(from_L_.cwiseAbs2());
    g_ = d_.P * from_U_ + d_.Q * from_L_ - d_.b;
    if (d_.B != nullptr) L_x_ += d_.g + d_.B->times(w_.x - d_.x);
    if (d_.A.rows() == 0) return;
    L_x_ += d_.A.transpose() * w_.lambda.head(d_.A.rows());
    g_.head(d_.A.rows()) += d_.A * w_.x;
  }

  /// Largest and Euclidean size of the residual of the perturbed optimality conditions.
  struct Residual {
    double largest = 0.0, squared = 0.0;

    template <class Expression>
    void add(const Expression& r) {
      if (r.size() == 0) return;
      largest = std::max(largest, r.cwiseAbs().maxCoeff());
      squared += r.squaredNorm();
    }
  };

  Residual residual(double epsilon) const {
    const auto complementarity = [&](const VectorXd& a, const VectorXd& b) {
      return (a.array() * b.array() - epsilon).matrix();
    };
    Residual r;
    r.add(L_x_ - w_.xi + w_.eta);
    r.add(d_.c + w_.y - w_.mu - w_.lambda);
    r.add(g_ - w_.y + w_.s);
    r.add(complementarity(w_.xi, w_.x - d_.alpha));
    r.add(complementarity(w_.eta, d_.beta - w_.x));
    r.add(complementarity(w_.mu, w_.y));
    r.add(complementarity(w_.lambda, w_.s));
    return r;
  }

  void minimize_barrier(double epsilon) {
    evaluate();
    Residual now = residual(epsilon);
    for (int k = 0; k < max_newton_per_barrier && now.largest > within_barrier * epsilon; ++k) {
      find_step(epsilon);
      if (!take_step(epsilon, now)) return;
    }
  }

  /// Newton's step on the perturbed conditions, with x, y, s and the multipliers of bounds eliminated.
  void find_step(double epsilon) {
    const VectorXd above = (w_.x - d_.alpha).cwiseInverse(), below = (d_.beta - w_.x).cwiseInverse();
    // The matrix of x is H = diag(D_x) + B.
    const VectorXd D_x = 2.0 * p_.cwiseProduct(from_U_.array().cube().matrix()) +
                         2.0 * q_.cwiseProduct(from_L_.array().cube().matrix()) + w_.xi.cwiseProduct(above) +
                         w_.eta.cwiseProduct(below);
    const VectorXd r_x = L_x_ - epsilon * above + epsilon * below;
    const VectorXd inverse_D_y = (1.0 + w_.mu.array() / w_.y.array()).inverse();
    const VectorXd r_y = d_.c + w_.y - w_.lambda - epsilon * w_.y.cwiseInverse();
    G_ = d_.P * from_U_.cwiseAbs2().asDiagonal() - d_.Q * from_L_.cwiseAbs2().asDiagonal();
    if (d_.A.rows() > 0) G_.topRows(d_.A.rows()) += d_.A;
    const MatrixXd G_H = d_.B != nullptr ? MatrixXd(d_.B->solve(D_x, G_.transpose()).transpose())
                                         : MatrixXd(G_ * D_x.cwiseInverse().asDiagonal());
    if (d_.m() > 0) {
      MatrixXd A = G_H * G_.transpose();
      A.diagonal() += w_.s.cwiseQuotient(w_.lambda) + inverse_D_y;
      const VectorXd right =
          g_ - w_.y + epsilon * w_.lambda.cwiseInverse() + r_y.cwiseProduct(inverse_D_y) - G_H * r_x;
      step_.lambda = A.ldlt().solve(right);
    }
    const VectorXd right_x = -(r_x + G_.transpose() * step_.lambda);
    step_.x = d_.B != nullptr ? VectorXd(d_.B->solve(D_x, right_x)) : right_x.cwiseQuotient(D_x);
    step_.y = (step_.lambda - r_y).cwiseProduct(inverse_D_y);
    step_.xi = above.cwiseProduct(VectorXd(epsilon - (w_.xi.array() * step_.x.array()))) - w_.xi;
    step_.eta = below.cwiseProduct(VectorXd(epsilon + (w_.eta.array() * step_.x.array()))) - w_.eta;
    step_.mu = (epsilon - w_.mu.array() * step_.y.array()).cwiseQuotient(w_.y.array()).matrix() - w_.mu;
    step_.s =
        (epsilon - w_.s.array() * step_.lambda.array()).cwiseQuotient(w_.lambda.array()).matrix() - w_.s;
  }

  /// Largest share of the step that keeps all slacks and multipliers positive.
  double share_within_bounds() const {
    double inverse = 1.0;
    const auto keep_positive = [&](const VectorXd& value, const VectorXd& change) {
      if (value.size() > 0)
        inverse = std::max(inverse, (-margin * change.array() / value.array()).maxCoeff());
    };
    keep_positive(w_.x - d_.alpha, step_.x);
    keep_positive(d_.beta - w_.x, -step_.x);
    keep_positive(w_.y, step_.y), keep_positive(w_.s, step_.s), keep_positive(w_.lambda, step_.lambda);
    keep_positive(w_.xi, step_.xi), keep_positive(w_.eta, step_.eta), keep_positive(w_.mu, step_.mu);
    return 1.0 / inverse;
  }

  /// Halves the step until the residual falls. @return false if rounding leaves no such step
  bool take_step(double epsilon, Residual& now) {
    double share = share_within_bounds();
    const Iterate before = w_;
    for (int k = 0; k < max_step_halvings; ++k, share *= 0.5) {
      w_ = before;
      w_.add(share, step_);
      evaluate();
      const Residual next = residual(epsilon);
      if (next.squared < now.squared) {
        now = next;
        return true;
      }
    }
    w_ = before;
    evaluate();
    return false;
  }

  const MmaSubproblem& d_;
  Iterate w_, step_;
  VectorXd from_U_, from_L_, p_, q_, L_x_, g_;
  MatrixXd G_;
};

}  // namespace

MmaSolution solve(const MmaSubproblem& subproblem) {
  return InteriorPoint(subproblem).solve();
}

}  // namespace kurbel
