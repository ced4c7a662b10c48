#include "fem/complement_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "fem/row_chunks.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// Relative, in the norm of K^-1. The accuracy of the inverse takes its place if that is larger.
constexpr double cg_tolerance = 1e-12;
constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();  // of a few operations per entry
constexpr int cg_max_iterations = 300;

/// Finished columns are moved behind the active ones.
class ComplementSolver {
 public:
  ComplementSolver(const HeldPencil& body, const NormalModes& modes, const VectorXd& lambda)
      : K_(body.K), m_(body.m), modes_(modes), lambda_(lambda), n_active_(lambda.size()) {
    for (Index i = 0; i < n_active_; ++i) column_.push_back(i);
  }

  bool solve(const VectorXd& size, MatrixXd& r, MatrixXd& v, int& iterations) {
    v.setZero(r.rows(), r.cols());
    if (r.cols() == 0) return true;
    r -= modes_.M_Phi * gram(modes_.Phi, r);
    const MatrixXd part = take_left_out(r);
    K_.take_out_reactions(r);
    const VectorXd digits = lost_digits(size, r);
    allocate(r);
    precondition(r);
    rz_ = dots(r, Z_);
    target_ = digits.cwiseMax(std::max(cg_tolerance, K_.accuracy())).cwiseAbs2().cwiseProduct(rz_);
    P_ = Z_;
    KP_ = KZ_;
    retire_finished(r, v);
    for (iterations = 0; n_active_ > 0 && iterations < cg_max_iterations; ++iterations) {
      advance(r, v);
      retire_finished(r, v);
      turn();
    }
    restore_order(v);
    if (part.size() > 0) v += modes_.left_out.Phi * part;
    return n_active_ == 0;
  }

 private:
  /// The relative rounding error of every load, by what it was formed from. The projections enlarge it by
  /// |phi| |M phi|, which is 1 where the mass is the same everywhere. A load that is rounding only is zero:
  /// it has no solution to converge to.
  VectorXd lost_digits(const VectorXd& size, MatrixXd& r) const {
    double enlarged = 1.0;
    const auto visit = [&](const MatrixXd& Phi, const MatrixXd& M_Phi) {
      if (Phi.cols() > 0) enlarged = std::max(enlarged, norms(Phi).cwiseProduct(norms(M_Phi)).maxCoeff());
    };
    visit(modes_.Phi, modes_.M_Phi);
    visit(modes_.left_out.Phi, modes_.left_out.M_Phi);
    const VectorXd left = norms(r);
    VectorXd lost = VectorXd::Zero(r.cols());
    for (Index i = 0; i < r.cols(); ++i) {
      const double error = rounding * enlarged * size[i];
      if (left[i] > error) {
        lost[i] = error / left[i];
      } else {
        r.col(i).setZero();
      }
    }
    return lost;
  }

  /// Coordinates of the solution in the modes left out; r loses what belongs to them.
  MatrixXd take_left_out(MatrixXd& r) const {
    const OtherModes& others = modes_.left_out;
    if (others.lambda.size() == 0) return {};
    MatrixXd part = gram(others.Phi, r);
    r -= others.M_Phi * part;
    for (Index i = 0; i < part.cols(); ++i) part.col(i).array() /= others.lambda.array() - lambda_[i];
    return part;
  }

  void allocate(const MatrixXd& r) {
    Z_.resize(r.rows(), r.cols());
    KZ_ = P_ = KP_ = MP_ = Z_;
    rz_next_.resize(r.cols());
  }

  /// Z = P K^-1 r and K Z, the latter without a product where the inverse is exact: K Phi = M Phi Lambda.
  void precondition(const MatrixXd& r) {
    K_.precondition(r.leftCols(n_active_), Z_.leftCols(n_active_));
    auto Z = Z_.leftCols(n_active_);
    const MatrixXd c = gram_in_chunks(modes_.M_Phi, Z);
    subtract_in_chunks(modes_.Phi, c, Z);
    const OtherModes& others = modes_.left_out;
    const bool has_others = others.lambda.size() > 0;
    MatrixXd c_others;
    if (has_others) {
      c_others = gram_in_chunks(others.M_Phi, Z);
      subtract_in_chunks(others.Phi, c_others, Z);
    }
    auto K_Z = KZ_.leftCols(n_active_);
    if (!K_.is_exact()) return K_.multiply(Z, K_Z);
    K_Z = r.leftCols(n_active_);
    subtract_in_chunks(modes_.M_Phi, modes_.lambda.asDiagonal() * c, K_Z);
    if (has_others) subtract_in_chunks(others.M_Phi, others.lambda.asDiagonal() * c_others, K_Z);
  }

  void advance(MatrixXd& r, MatrixXd& v) {
    m_.multiply_free(P_.leftCols(n_active_), MP_.leftCols(n_active_));
    for_row_chunks(MP_.rows(), [&](Index first, Index count) {
      for (Index i = 0; i < n_active_; ++i) {
        auto own = MP_.col(i).segment(first, count);
        own = KP_.col(i).segment(first, count) - lambda_[i] * own;
      }
    });
    const VectorXd curvature = dots_in_chunks(P_.leftCols(n_active_), MP_.leftCols(n_active_));
    for_row_chunks(r.rows(), [&](Index first, Index count) {
      for (Index i = 0; i < n_active_; ++i) {
        const double alpha = rz_[i] / curvature[i];
        v.col(i).segment(first, count) += alpha * P_.col(i).segment(first, count);
        r.col(i).segment(first, count) -= alpha * MP_.col(i).segment(first, count);
      }
    });
    precondition(r);
    rz_next_.head(n_active_) = dots_in_chunks(r.leftCols(n_active_), Z_.leftCols(n_active_));
  }

  void turn() {
    for_row_chunks(P_.rows(), [&](Index first, Index count) {
      for (Index i = 0; i < n_active_; ++i) {
        const double beta = rz_next_[i] / rz_[i];
        auto P = P_.col(i).segment(first, count), KP = KP_.col(i).segment(first, count);
        P = Z_.col(i).segment(first, count) + beta * P;
        KP = KZ_.col(i).segment(first, count) + beta * KP;
      }
    });
    rz_.head(n_active_) = rz_next_.head(n_active_);
  }

  void retire_finished(MatrixXd& r, MatrixXd& v) {
    const VectorXd& current = started_ ? rz_next_ : rz_;
    for (Index i = n_active_ - 1; i >= 0; --i) {
      if (current[i] > target_[i]) continue;
      const Index last = --n_active_;
      for (MatrixXd* block : {&r, &v, &Z_, &KZ_, &P_, &KP_}) block->col(i).swap(block->col(last));
      std::swap(lambda_[i], lambda_[last]);
      std::swap(rz_[i], rz_[last]);
      std::swap(rz_next_[i], rz_next_[last]);
      std::swap(target_[i], target_[last]);
      std::swap(column_[i], column_[last]);
    }
    started_ = true;
  }

  void restore_order(MatrixXd& v) const {
    MatrixXd ordered(v.rows(), v.cols());
    for (Index i = 0; i < v.cols(); ++i) ordered.col(column_[i]) = v.col(i);
    v = std::move(ordered);
  }

  Flexibility K_;
  const NodalMass& m_;
  const NormalModes& modes_;
  VectorXd lambda_, rz_, rz_next_, target_;
  MatrixXd Z_, KZ_, P_, KP_, MP_;
  std::vector<Index> column_;
  Index n_active_;
  bool started_ = false;
};

}  // namespace

Status solve_in_complement(const HeldPencil& body, const NormalModes& modes, ShiftedSystems& systems) {
  systems.iterations = 0;
  ComplementSolver solver(body, modes, systems.lambda);
  if (solver.solve(systems.size, systems.r, systems.v, systems.iterations)) return {};
  return Failure{
      fmt::format("the adjoint of the modes does not converge in {} iterations (last mode kept {:.8g} Hz, "
                  "first left out {:.8g} Hz)",
                  cg_max_iterations, frequency_hz(modes.lambda.tail<1>()[0]),
                  frequency_hz(modes.lambda_next)),
      "", "take one normal mode less or more (modes.normal)"};
}

}  // namespace kurbel::fem
