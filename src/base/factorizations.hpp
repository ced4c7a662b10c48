/// @file
/// Eigen's factorizations of dense matrices, compiled once: a file that compiles its own takes seconds longer.
/// LLT has compute() of a plain matrix alone: LLT(MatrixXd(expression)).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace Eigen {

extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template class PartialPivLU<MatrixXd>;
extern template class HouseholderQR<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;

}  // namespace Eigen
