#include "integration/dependent_constraints.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/orthogonal.hpp"

namespace kurbel {

bool are_independent(const MatrixXd& rows) {
  constexpr double clearly = 1e-3;
  if (rows.rows() > rows.cols()) return false;
  MatrixXd gram = MatrixXd::Zero(rows.rows(), rows.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(rows);
  const Eigen::LLT<MatrixXd> factor(gram);
  return factor.info() == Eigen::Success && (factor.matrixLLT().diagonal().array() > clearly).all();
}

std::optional<DependentRows> find_dependent_rows(const MatrixXd& C, const VectorXd& c, const VectorXd& size) {
  if (C.rows() == 0 || are_independent(C)) return {};
  constexpr double rank_tolerance = 1e-10;  // smaller pivots, relative to the largest, mean a dependent row
  Eigen::ColPivHouseholderQR<MatrixXd> qr(C.transpose());
  qr.setThreshold(rank_tolerance);
  const Eigen::Index rank = qr.rank(), n_dependent = C.rows() - rank;
  if (n_dependent == 0) return {};
  const auto row = [&](Eigen::Index i) { return qr.colsPermutation().indices()[i]; };
  // C^T P = Q [R11 R12; 0 0]: the columns of R12 are those of R11 times `weights`.
  const MatrixXd weights = qr.matrixR()
                               .topLeftCorner(rank, rank)
                               .template triangularView<Eigen::Upper>()
                               .solve(MatrixXd(qr.matrixR().topRightCorner(rank, n_dependent)));
  DependentRows found;
  for (Eigen::Index i = 0; i < n_dependent; ++i) found.rows.push_back(row(rank + i));
  for (Eigen::Index k = 0; k < rank; ++k) {
    constexpr double share = 1e-6;  // of the largest part that a row has in the combination
    const double part = C.row(row(k)).norm() * weights.row(k).cwiseAbs().maxCoeff();
    if (part > share * C.rowwise().norm().maxCoeff()) found.others.push_back(row(k));
  }
  std::sort(found.others.begin(), found.others.end());
  // A dependent row stays unsatisfied where the independent ones are met to first order: a contradiction, if
  // by more than rounding.
  const VectorXd defect = c - C * least_squares(C, c);
  found.contradictory = (defect.cwiseAbs().array() > 1e-6 * size.array()).any();
  return found;
}

std::string describe(const DependentRows& found, const std::function<std::string(Eigen::Index)>& name_of) {
  const auto names_of = [&](const std::vector<Eigen::Index>& rows) {
    std::string names;
    for (const Eigen::Index row : rows) names += (names.empty() ? "" : ", ") + name_of(row);
    return names;
  };
  const bool several = found.rows.size() > 1;
  return fmt::format("{} constraint{}: {} {} already determined by {}; lock fewer degrees of freedom there",
                     found.contradictory ? "contradictory" : "redundant", several ? "s" : "",
                     names_of(found.rows), several ? "are" : "is", names_of(found.others));
}

}  // namespace kurbel
