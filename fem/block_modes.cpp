#include "fem/block_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/symmetric_eigen.hpp"
#include "fem/row_chunks.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double next_tolerance = 1e-5;  // of the mode above the n lowest
constexpr double dependent = 1e-13;      // smallest eigenvalue of a scaled Gram matrix that counts
constexpr int most_iterations = 1000;
constexpr int renewal = 20;              // iterations after which products are formed anew
constexpr int patience = 60;             // iterations in which the error does not halve: rounding is reached,
constexpr double rounding_limit = 1e-8;  // if the error is below this

/// Vectors with their products. They are the first n columns; the others are room.
struct Block {
  MatrixXd V, K_V, M_V;
  Index n = 0;

  void make_room(Index n_dofs, Index width) {
    for (MatrixXd* part : {&V, &K_V, &M_V}) part->resize(n_dofs, width);
  }
  void multiply(const HeldPencil& body) {
    body.K.multiply(V.leftCols(n), K_V.leftCols(n));
    body.m.multiply_free(V.leftCols(n), M_V.leftCols(n));
    body.K.take_out_reactions(M_V.leftCols(n));
  }
};

/// A change of the vectors by Rayleigh-Ritz.
struct Combination {
  VectorXd lambda;       ///< the lowest Ritz values
  MatrixXd coordinates;  ///< of their vectors, M-orthonormal, in [X, Z, P]
};

/// [X, Z, P] side by side, which are not copied together but for a chunk of rows.
class Span {
 public:
  Span(Block& X, const Block& Z, Block& P) : X_(X), Z_(Z), P_(P) {}

  /// Finds as many Ritz values as X has vectors.
  Combination rayleigh_ritz() const {
    const Index n = X_.n, size = this->size();
    const MatrixXd both = products();
    const auto symmetric = [&](Index first) {
      return MatrixXd(both.middleCols(first, size).selfadjointView<Eigen::Lower>());
    };
    const MatrixXd stiffness = symmetric(0), mass = symmetric(size);
    const VectorXd scale = mass.diagonal().cwiseSqrt().cwiseInverse();
    const SymmetricEigen directions = symmetric_eigen(scale.asDiagonal() * mass * scale.asDiagonal());
    const Index n_dropped = (directions.values.array() < dependent * directions.values.tail<1>()[0]).count();
    const Index n_kept = std::max(n, directions.values.size() - n_dropped);
    const MatrixXd basis = scale.asDiagonal() * directions.vectors.rightCols(n_kept) *
                           directions.values.tail(n_kept).cwiseSqrt().cwiseInverse().asDiagonal();
    const SymmetricEigen ritz = symmetric_eigen(basis.transpose() * stiffness * basis);
    return {ritz.values.head(n), basis * ritz.vectors.leftCols(n)};
  }

  /// X becomes [X, Z, P] c. P becomes the part of it that comes from Z and P, for these columns only.
  void combine(const MatrixXd& c, const std::vector<Index>& columns) {
    const Index n = X_.n, others = size() - n;
    for (const auto part : {&Block::V, &Block::K_V, &Block::M_V}) {
      struct Scratch {
        MatrixXd all, change;
      };
      for_row_chunks((X_.*part).rows(),
                     [&](Index) {
                       return Scratch{MatrixXd(rows_of_chunk, size()), MatrixXd(rows_of_chunk, n)};
                     },
                     [&](Index first, Index count, Scratch& scratch) {
                       copy(part, first, count, scratch.all);
                       auto change = scratch.change.topRows(count);
                       change.noalias() = scratch.all.topRightCorner(count, others) * c.bottomRows(others);
                       auto X = (X_.*part).middleRows(first, count);
                       X = change;
                       X.noalias() += scratch.all.topLeftCorner(count, n) * c.topRows(n);
                       for (std::size_t i = 0; i < columns.size(); ++i)
                         (P_.*part).col(static_cast<Index>(i)).segment(first, count) = change.col(columns[i]);
                     });
    }
    P_.n = std::ssize(columns);
  }

 private:
  Index size() const { return X_.n + Z_.n + P_.n; }

  void copy(MatrixXd Block::*part, Index first, Index count, MatrixXd& to) const {
    Index column = 0;
    for (const Block* block : {&std::as_const(X_), &Z_, &std::as_const(P_)}) {
      to.block(0, column, count, block->n) = (block->*part).block(first, 0, count, block->n);
      column += block->n;
    }
  }

  /// [V^T K V, V^T M V], their lower triangles.
  MatrixXd products() const {
    const Index n = size();
    return sum_over_rows(X_.V.rows(), n, 2 * n, [&](Index first, Index count, MatrixXd& sum) {
      MatrixXd V(count, n), product(count, n);
      copy(&Block::V, first, count, V);
      copy(&Block::K_V, first, count, product);
      sum.leftCols(n).triangularView<Eigen::Lower>() += V.transpose() * product;
      copy(&Block::M_V, first, count, product);
      sum.rightCols(n).triangularView<Eigen::Lower>() += V.transpose() * product;
    });
  }

  Block& X_;
  const Block& Z_;
  Block& P_;
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
      if (meets_tolerance()) {
        renew();
        keep(out);
        out.meet_tolerance = meets_tolerance();
        return true;
      }
      const double worst = errors_.head(n_).maxCoeff();
      if (worst < 0.5 * best) {
        best = worst, best_at = out.iterations;
        if (best < rounding_limit) keep(out);
      }
      if (out.iterations - best_at > patience) {
        if (best < rounding_limit) return true;  // with the best, for rounding may have spoilt what followed
        P_.n = 0;
        best_at = out.iterations;
      }
      advance();
    }
    return false;
  }

 private:
  bool meets_tolerance() const {
    return errors_.head(n_).maxCoeff() <= tolerance_ && errors_[n_] <= next_tolerance;
  }

  /// Finds products, scalar products and residuals anew, without what rounding has done to them since they were found.
  void renew() {
    Z_.n = P_.n = 0;
    X_.multiply(body_);
    combine({});
    find_residuals();
  }

  void keep(RitzModes& out) const {
    out.lambda = lambda_;
    out.X = X_.V.leftCols(std::min(n_ + 1, X_.n));
  }

  void begin() {
    const Index n_dofs = body_.n_dofs(), guards = std::max<Index>(3, n_ / 2);
    const Index width = std::min(n_ + guards, n_dofs - body_.K.n_conditions());
    for (Block* block : {&X_, &Z_, &P_}) block->make_room(n_dofs, width);
    std::mt19937_64 random(20231);
    Z_.V = MatrixXd::NullaryExpr(n_dofs, width,
                                 [&]() { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
    body_.m.multiply_free(Z_.V, Z_.M_V);
    body_.K.precondition(Z_.M_V, X_.V);
    X_.n = width;
    X_.multiply(body_);
    combine({});
  }

  void combine(const std::vector<Index>& active) {
    Span span(X_, Z_, P_);
    const Combination lowest = span.rayleigh_ritz();
    lambda_ = lowest.lambda;
    span.combine(lowest.coordinates, active);
  }

  /// The residuals take the memory of K Z, which is free until Z is multiplied.
  void find_residuals() {
    MatrixXd& R = Z_.K_V;
    for_row_chunks(R.rows(), [&](Index first, Index count) {
      R.middleRows(first, count) =
          X_.K_V.middleRows(first, count) - X_.M_V.middleRows(first, count) * lambda_.asDiagonal();
    });
    body_.K.precondition(R, Z_.V);
    errors_ = (dots_in_chunks(R, Z_.V).cwiseMax(0.0).array() / lambda_.array()).sqrt();
  }

  /// Rayleigh-Ritz on [X, Z, P] with the directions of the columns that have not converged.
  void advance() {
    std::vector<Index> active;
    for (Index i = 0; i < errors_.size(); ++i) {
      if (errors_[i] <= (i < n_ ? tolerance_ : next_tolerance)) continue;
      if (i != std::ssize(active)) Z_.V.col(std::ssize(active)) = Z_.V.col(i);
      active.push_back(i);
    }
    Z_.n = std::ssize(active);
    subtract_in_chunks(X_.V, gram_in_chunks(X_.M_V, Z_.V.leftCols(Z_.n)), Z_.V.leftCols(Z_.n));
    Z_.multiply(body_);
    combine(active);
  }

  const HeldPencil& body_;
  Index n_;
  double tolerance_;
  VectorXd lambda_, errors_;
  Block X_, Z_, P_;
};

}  // namespace

Status find_ritz_modes(const HeldPencil& body, Index n, double tolerance, RitzModes& out) {
  if (BlockIteration(body, n, tolerance).run(out)) return {};
  return Failure{"the eigenvalue iteration does not converge", "", "take fewer normal modes (modes.normal)"};
}

}  // namespace kurbel::fem
