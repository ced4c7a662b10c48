/// @file
/// Conjugate gradients for several right-hand sides together.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fem/row_chunks.hpp"

namespace kurbel::fem {

struct BlockCgOutcome {
  int iterations = 0;
  double error = 0.0;  ///< the largest of a column, sqrt(r^T T r / b^T T b)
};

/// Solves K x_i = b_i for all columns by conjugate gradients with the preconditioner T. Every column has step lengths of
/// its own and is left as soon as sqrt(r^T T r) <= tolerance sqrt(b^T T b); the others move together.
/// @param multiply      (x, K_x), n x any
/// @param precondition  (r, z), n x any
/// @param x             where the iteration starts, overwritten
template <class Multiply, class Precondition>
BlockCgOutcome block_cg(const Multiply& multiply, const Precondition& precondition, const MatrixXd& b,
                        double tolerance, int most_iterations, Eigen::Ref<MatrixXd> x) {
  using Eigen::Index;
  MatrixXd r(b.rows(), b.cols()), z(b.rows(), b.cols()), p;
  precondition(b, z);
  const VectorXd size = dots_in_chunks(b, z).cwiseMax(0.0).cwiseSqrt();
  for (Index i = 0; i < b.cols(); ++i)
    if (size[i] == 0.0) x.col(i).setZero();
  const bool starts_at_zero = x.isZero(0.0);
  if (starts_at_zero) {
    r = b;
  } else {
    multiply(x, r);
    for_row_chunks(r.rows(), [&](Index first, Index count) {
      r.middleRows(first, count) = b.middleRows(first, count) - r.middleRows(first, count);
    });
  }
  std::vector<Index> left;
  for (Index i = 0; i < b.cols(); ++i) left.push_back(i);
  MatrixXd active_x = x;
  BlockCgOutcome outcome;
  VectorXd rz_before;
  for (;; ++outcome.iterations) {
    if (outcome.iterations > 0 || !starts_at_zero) {  // otherwise z is T b already
      z.resize(r.rows(), r.cols());
      precondition(r, z);
    }
    const VectorXd rz = dots_in_chunks(r, z);
    std::vector<Index> going;
    outcome.error = 0.0;
    for (Index i = 0; i < rz.size(); ++i) {
      const Index column = left[static_cast<std::size_t>(i)];
      const double error =
          std::isnan(rz[i]) ? std::numeric_limits<double>::infinity() : std::sqrt(std::max(0.0, rz[i]));
      if (error > tolerance * size[column]) {
        going.push_back(i);
        outcome.error = std::max(outcome.error, error / size[column]);
      } else {
        x.col(column) = active_x.col(i);
      }
    }
    if (going.empty() || outcome.iterations == most_iterations) break;
    if (std::ssize(going) < rz.size()) {
      for (MatrixXd* block : {&r, &z, &active_x}) *block = (*block)(Eigen::all, going).eval();
      if (p.size() > 0) p = p(Eigen::all, going).eval();
      for (std::size_t i = 0; i < going.size(); ++i) left[i] = left[static_cast<std::size_t>(going[i])];
      left.resize(going.size());
    }
    const VectorXd rz_going = rz(going);
    if (outcome.iterations == 0) {
      p = z;
    } else {
      const VectorXd beta = rz_going.cwiseQuotient(rz_before(going));
      for_row_chunks(p.rows(), [&](Index first, Index count) {
        auto own = p.middleRows(first, count);
        own = z.middleRows(first, count) + own * beta.asDiagonal();
      });
    }
    rz_before = rz_going;
    z.resize(p.rows(), p.cols());
    multiply(p, z);  // K p
    const VectorXd alpha = rz_going.cwiseQuotient(dots_in_chunks(p, z));
    for_row_chunks(p.rows(), [&](Index first, Index count) {
      active_x.middleRows(first, count) += p.middleRows(first, count) * alpha.asDiagonal();
      r.middleRows(first, count) -= z.middleRows(first, count) * alpha.asDiagonal();
    });
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (outcome.error > 0.0) x.col(left[i]) = active_x.col(static_cast<Index>(i));
  }
  return outcome;
}

}  // namespace kurbel::fem
