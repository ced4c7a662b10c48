#include "fem/block_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/symmetric_eigen.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double next_tolerance = 1e-5;  // of the mode above the n lowest
constexpr double dependent = 1e-13;      // smallest eigenvalue of a scaled Gram matrix that counts
constexpr int most_iterations = 1000;
constexpr int renewal = 20;              // iterations after which products are formed anew
constexpr int patience = 60;             // iterations in which the error does not halve: rounding is reached,
constexpr double rounding_limit = 1e-8;  // if the error is below this

/// Vectors with their products.
struct Block {
  MatrixXd V, K_V, M_V;

  void multiply(const HeldPencil& body) {
    K_V.resize(V.rows(), V.cols());
    M_V.resize(V.rows(), V.cols());
    body.K.multiply(V, K_V);
    body.m.multiply_free(V, M_V);
    body.K.take_out_reactions(M_V);
  }
  void normalize() {
    const VectorXd scale = dots(V, M_V).cwiseSqrt().cwiseInverse();
    for (MatrixXd* part : {&V, &K_V, &M_V}) *part *= scale.asDiagonal();
  }
};

/// Blocks side by side, which are not copied together.
class Span {
 public:
  explicit Span(std::vector<const Block*> blocks) : blocks_(std::move(blocks)) {}

  /// The n lowest Ritz values, and their coordinates, M-orthonormal.
  SymmetricEigen rayleigh_ritz(Index n) const {
    const MatrixXd mass = products(&Block::M_V), stiffness = products(&Block::K_V);
    const VectorXd scale = mass.diagonal().cwiseSqrt().cwiseInverse();
    const SymmetricEigen directions = symmetric_eigen(scale.asDiagonal() * mass * scale.asDiagonal());
    const Index n_dropped = (directions.values.array() < dependent * directions.values.tail<1>()[0]).count();
    const Index n_kept = std::max(n, directions.values.size() - n_dropped);
    const MatrixXd basis = scale.asDiagonal() * directions.vectors.rightCols(n_kept) *
                           directions.values.tail(n_kept).cwiseSqrt().cwiseInverse().asDiagonal();
    const SymmetricEigen ritz = symmetric_eigen(basis.transpose() * stiffness * basis);
    return {ritz.values.head(n), basis * ritz.vectors.leftCols(n)};
  }

  /// Combines the vectors and their products. `out` is none of the blocks.
  void combine(const MatrixXd& coordinates, Block& out) const {
    for (const auto part : {&Block::V, &Block::K_V, &Block::M_V}) {
      Index first = 0;
      (out.*part).setZero(blocks_.front()->V.rows(), coordinates.cols());
      for (const Block* block : blocks_) {
        const Index width = block->V.cols();
        (out.*part).noalias() += block->*part * coordinates.middleRows(first, width);
        first += width;
      }
    }
  }

 private:
  /// V^T K V or V^T M V, symmetric to the bit.
  MatrixXd products(MatrixXd Block::*part) const {
    Index n = 0;
    for (const Block* block : blocks_) n += block->V.cols();
    MatrixXd all(n, n);
    Index row = 0;
    for (const Block* left : blocks_) {
      Index column = 0;
      for (const Block* right : blocks_) {
        all.block(row, column, left->V.cols(), right->V.cols()) = gram(left->V, right->*part);
        column += right->V.cols();
      }
      row += left->V.cols();
    }
    return 0.5 * (all + all.transpose());
  }

  std::vector<const Block*> blocks_;
};

class BlockIteration {
 public:
  BlockIteration(const HeldPencil& body, Index n, double tolerance)
      : body_(body), n_(n), tolerance_(tolerance) {}

  /// True if the modes converged, to the tolerance or to what rounding allows.
  bool run(RitzModes& out) {
    begin();
    double best = std::numeric_limits<double>::infinity();
    int best_at = 0;
    for (out.iterations = 0; out.iterations < most_iterations; ++out.iterations) {
      if (out.iterations > 0 && out.iterations % renewal == 0) X_.multiply(body_);
      find_residuals();
      const double worst = errors_.head(n_).maxCoeff();
      if (worst <= tolerance_ && errors_[n_] <= next_tolerance) break;
      if (worst < 0.5 * best) {
        best = worst, best_at = out.iterations;
        if (best < rounding_limit) out.lambda = lambda_, out.X = X_.V;
      }
      if (out.iterations - best_at > patience) {
        if (best < rounding_limit) return true;  // with the best, for rounding may have spoilt what followed
        P_ = {};
        best_at = out.iterations;
      }
      advance();
    }
    out.lambda = lambda_;
    out.X = X_.V;
    return out.iterations < most_iterations;
  }

 private:
  void begin() {
    const Index n_dofs = body_.n_dofs(), guards = std::max<Index>(3, n_ / 2);
    const Index width = std::min(n_ + guards, n_dofs - body_.K.n_conditions());
    std::mt19937_64 random(20231);
    const MatrixXd loads = MatrixXd::NullaryExpr(
        n_dofs, width, [&]() { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
    Block raw;
    raw.V.resize(n_dofs, width);
    MatrixXd M_loads(n_dofs, width);
    body_.m.multiply_free(loads, M_loads);
    body_.K.precondition(M_loads, raw.V);
    raw.multiply(body_);
    const Span span({&raw});
    const SymmetricEigen ritz = span.rayleigh_ritz(width);
    lambda_ = ritz.values;
    span.combine(ritz.vectors, X_);
  }

  void find_residuals() {
    R_ = X_.K_V - X_.M_V * lambda_.asDiagonal();
    Z_.resize(R_.rows(), R_.cols());
    body_.K.precondition(R_, Z_);
    errors_ = (dots(R_, Z_).cwiseMax(0.0).array() / lambda_.array()).sqrt();
  }

  /// Rayleigh-Ritz on [X, Z, P] with the directions of the columns that have not converged.
  void advance() {
    std::vector<Index> active;
    for (Index i = 0; i < errors_.size(); ++i)
      if (errors_[i] > (i < n_ ? tolerance_ : next_tolerance)) active.push_back(i);
    Block Z;
    Z.V = Z_(Eigen::all, active);
    Z.V -= X_.V * gram(X_.M_V, Z.V);
    Z.multiply(body_);
    Z.normalize();
    const Index width = X_.V.cols();
    const Span span(P_.V.cols() > 0 ? std::vector<const Block*>{&X_, &Z, &P_}
                                    : std::vector<const Block*>{&X_, &Z});
    const SymmetricEigen ritz = span.rayleigh_ritz(width);
    lambda_ = ritz.values;
    MatrixXd change = ritz.vectors(Eigen::all, active);
    change.topRows(width).setZero();
    Block X, P;
    span.combine(ritz.vectors, X);
    span.combine(change, P);
    X_ = std::move(X);
    P_ = std::move(P);
    P_.normalize();
  }

  const HeldPencil& body_;
  Index n_;
  double tolerance_;
  VectorXd lambda_, errors_;
  Block X_, P_;
  MatrixXd R_, Z_;
};

}  // namespace

Status find_ritz_modes(const HeldPencil& body, Index n, double tolerance, RitzModes& out) {
  if (BlockIteration(body, n, tolerance).run(out)) return {};
  return Failure{"the eigenvalue iteration does not converge", "", "take fewer normal modes (modes.normal)"};
}

}  // namespace kurbel::fem
