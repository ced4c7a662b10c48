#include "sid/taylor.hpp"

#include <algorithm>

namespace kurbel {

Taylor Taylor::zero(Eigen::Index nrow, Eigen::Index ncol, Eigen::Index n_q, int order) {
  Taylor t;
  t.M0 = MatrixXd::Zero(nrow, ncol);
  if (order >= 1) t.M1.assign(n_q, t.M0);
  if (order >= 2) t.Mn.assign(n_q * n_q, t.M0);
  return t;
}

bool agrees_with_structure(Taylor::Structure structure, const MatrixXd& m) {
  const double tolerance = 1e-9 * (m.size() > 0 ? m.cwiseAbs().maxCoeff() : 0.0);
  const auto vanishes = [&](const MatrixXd& difference) {
    return difference.size() == 0 || difference.cwiseAbs().maxCoeff() <= tolerance;
  };
  switch (structure) {
    case Taylor::Structure::zero:
      return m.isZero(0.0);
    case Taylor::Structure::diagonal: {
      MatrixXd beside = m;  // which need not be square
      beside.diagonal().setZero();
      return vanishes(beside);
    }
    case Taylor::Structure::symmetric:
      return m.rows() == m.cols() && vanishes(m - m.transpose());
    case Taylor::Structure::full:
      return true;
    case Taylor::Structure::unit:
      return vanishes(m - MatrixXd::Identity(m.rows(), m.cols()));
  }
  return false;
}

void drop_vanishing_terms(Taylor& t) {
  if (std::all_of(t.M1.begin(), t.M1.end(), [](const MatrixXd& m) { return m.isZero(0.0); })) t.M1.clear();
}

void exchange_last_columns(Taylor& Oe) {
  const auto exchange = [](MatrixXd& m) { m.col(4).swap(m.col(5)); };
  exchange(Oe.M0);
  std::for_each(Oe.M1.begin(), Oe.M1.end(), exchange);
}

}  // namespace kurbel
