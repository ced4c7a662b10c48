#include "sid/sid_columns.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

void reorder(Taylor& t, Index n_q, bool to_shape) {
  const auto reordered = [&](MatrixXd& m) {
    const MatrixXd given = m;
    for (Index k = 0; k < n_q; ++k) {
      for (Index d = 0; d < 3; ++d) {
        if (to_shape) m.col(3 * k + d) = given.col(d * n_q + k);
        if (!to_shape) m.col(d * n_q + k) = given.col(3 * k + d);
      }
    }
  };
  reordered(t.M0);
  for (MatrixXd& m : t.M1) reordered(m);
}

}  // namespace

void order_by_shape(Taylor& t, Index n_q) {
  reorder(t, n_q, true);
}

void order_by_direction(Taylor& t, Index n_q) {
  reorder(t, n_q, false);
}

}  // namespace kurbel
