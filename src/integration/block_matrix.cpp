#include "integration/block_matrix.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class Scalar>
template <class Columns>
void BlockMatrix<Scalar>::multiply(double factor, const Eigen::Ref<const Columns>& x,
                                   Eigen::Ref<Columns> y) const {
  if (is_full_) {
    y.noalias() += factor * full() * x;
    return;
  }
  for (const Block& b : blocks_) {
    with_view(b, [&](const auto& A, auto rows, auto cols) {
      y.middleRows(b.row, rows).noalias() += factor * A * x.middleRows(b.col, cols);
    });
  }
}

template <class Scalar>
template <class Columns>
void BlockMatrix<Scalar>::multiply_transposed(double factor, const Eigen::Ref<const Columns>& x,
                                              Eigen::Ref<Columns> y) const {
  if (is_full_) {
    y.noalias() += factor * full().transpose() * x;
    return;
  }
  for (const Block& b : blocks_) {
    with_view(b, [&](const auto& A, auto rows, auto cols) {
      y.middleRows(b.col, cols).noalias() += factor * A.transpose() * x.middleRows(b.row, rows);
    });
  }
}

#define KURBEL_INSTANTIATE(Columns)                                                                          \
  template void BlockMatrix<InstantiatedScalar>::multiply<Columns>(double, const Eigen::Ref<const Columns>&, \
                                                                   Eigen::Ref<Columns>) const;               \
  template void BlockMatrix<InstantiatedScalar>::multiply_transposed<Columns>(                               \
      double, const Eigen::Ref<const Columns>&, Eigen::Ref<Columns>) const;
KURBEL_INSTANTIATE(VectorX<InstantiatedScalar>)
KURBEL_INSTANTIATE(MatrixX<InstantiatedScalar>)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
