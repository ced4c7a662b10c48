#include "sid/taylor.hpp"

namespace kurbel {

Taylor Taylor::zero(Eigen::Index nrow, Eigen::Index ncol, Eigen::Index n_q, int order) {
  Taylor t;
  t.M0 = MatrixXd::Zero(nrow, ncol);
  if (order >= 1) t.M1.assign(n_q, t.M0);
  if (order >= 2) t.Mn.assign(n_q * n_q, t.M0);
  return t;
}

}  // namespace kurbel
