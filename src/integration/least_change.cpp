/// @file
/// Splits the constraint directions among the ranks, and differentiates the least change.
///
/// least_change.hpp has the equations of rank l with M_l, C_l, xi_l and kappa_l. Letters of the code:
///
///     part, before   the rank at hand, and those before it; at: coordinates of a rank
///     CT             C_l^T with rows scaled by the mass and columns by the constraints
///     open           orthonormal directions, in scaled constraints, that no rank has satisfied yet, n_c x r
///     s              number of directions that a rank satisfies
///     U              n_c x s, kappa_l = U y_l; in add_part() at first for scaled constraints
///     seen           C_l^T U with rows scaled by the mass, n x s; inverse: its left inverse
///     D              columns -M_l^-1 C_l^T U of all ranks, xi = D y
///     w, kappa       accelerations and multipliers at rest, in place of xi and kappa: M w + C^T kappa
///     m, x_dot, p_dot   number of directions; directions of position and of parameters
///     load           change of M_l xi_l + C_l^T kappa_l with xi_l fixed
///     mu, X_bar      weights of the equations; adjoint seed of X
#include "integration/least_change.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "base/orthogonal.hpp"
#include "integration/dependent_constraints.hpp"
#include "integration/indices.hpp"
#include "integration/saddle_point_solver.hpp"

namespace kurbel {

namespace {

/// Thresholds of constraint directions in scaled rows and columns. A rank leaves directions below `weak` to the next
/// one. If some remain after the last rank, all are split again with `dependent`.
constexpr double weak = 1e-6, dependent = 1e-10;

/// Least eigenvalue at which a mass matrix with unit diagonal counts as a metric.
constexpr double smallest_eigenvalue = 1e-12;

/// Returns the power of two next to a value. Small changes of the value hardly ever change it.
double power_of_two(double value) {
  return std::exp2(std::round(std::log2(value)));
}

/// Returns whether m, scaled to unit diagonal, is positive definite.
bool is_metric(const MatrixXd& m) {
  if (m.size() > 0 && m.diagonal().minCoeff() <= 0.0) return false;
  const VectorXd scale = m.diagonal().cwiseSqrt().cwiseInverse();
  MatrixXd scaled = scale.asDiagonal() * (0.5 * (m + m.transpose())) * scale.asDiagonal();
  scaled.diagonal().array() -= smallest_eigenvalue;
  return scaled.llt().info() == Eigen::Success;
}

/// Allocates Jacobians for products with them.
template <class S>
DaeJacobians<S> jacobians_of(const SecondOrderDae<S>& model) {
  DaeJacobians<S> jacobians = model.make_jacobians();
  if (!is_sparse(jacobians)) jacobians.store_full();
  return jacobians;
}

/// diag(rows) m diag(columns)
template <class Matrix>
Matrix scaled(const VectorXd& rows, const Matrix& m, const VectorXd& columns) {
  return rows.asDiagonal() * m * columns.asDiagonal();
}

}  // namespace

template <class S>
LeastChange<S>::LeastChange(const Model& model, double t, Vec x, const Ranks& ranks, Workspace& ws)
    : model_(&model),
      t_(t),
      x_(std::move(x)),
      rest_(Vec::Zero(model.n_v())),
      no_kappa_(Vec::Zero(model.n_c())) {
  DaeJacobians<S> jacobians = jacobians_of(model);
  model.jacobians(instant(rest_, no_kappa_), ws, jacobians);
  M_ = jacobians.M.to_dense(), C_ = jacobians.C.to_dense();
  find_metric();
  const MatrixXd scaled = real_matrix<S>(C_) * column_scale_.asDiagonal();
  row_scale_ = scaled.rowwise().norm();
  for (double& s : row_scale_) s = s > 0.0 ? 1.0 / s : 1.0;
  split(ranks, weak);
  if (!complete()) split(ranks, dependent);
  set(Vec::Zero(D_.cols()));
}

/// Finds the metric. A body whose mass matrix is not positive definite has constants in its place: the powers of two
/// next to the diagonal, or 1 where that is zero.
template <class S>
void LeastChange<S>::find_metric() {
  const Eigen::Index n = model_->n_v();
  constant_.assign(static_cast<std::size_t>(n), false);
  std::vector<RetractionBlock<S>> blocks;
  model_->retraction_derivative(rest_, blocks);
  std::vector<Eigen::Index> bodies = {0};
  for (const auto& block : blocks) {
    if (block.offset > 0) bodies.push_back(block.offset);
  }
  bodies.push_back(n);
  const MatrixXd M = real_matrix<S>(M_);
  for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
    const Eigen::Index o = bodies[b], size = bodies[b + 1] - o;
    if (is_metric(M.block(o, o, size, size))) continue;
    for (Eigen::Index i = o; i < o + size; ++i) {
      M_.row(i).setZero(), M_.col(i).setZero();
      const double own = std::abs(M(i, i));
      M_(i, i) = own > 0.0 ? power_of_two(own) : 1.0;
      constant_[static_cast<std::size_t>(i)] = true;
    }
  }
  column_scale_ = real_matrix<S>(M_).diagonal().cwiseSqrt().cwiseInverse();
}

template <class S>
void LeastChange<S>::split(const Ranks& ranks, double tolerance) {
  const Eigen::Index n_c = model_->n_c();
  parts_.clear();
  D_.setZero(model_->n_v(), n_c);
  n_directions_ = 0;
  MatrixXd open = MatrixXd::Identity(n_c, n_c);
  for (const Coordinates& at : ranks) add_part(at, open, tolerance);
  D_.conservativeResize(Eigen::NoChange, n_directions_);
}

/// Adds a rank with the directions that its coordinates satisfy.
/// @param open  (n_c x r)   orthonormal directions that no rank before has satisfied; on return, those that remain
template <class S>
void LeastChange<S>::add_part(const Coordinates& at, MatrixXd& open, double tolerance) {
  Part part;
  part.at = at, part.first = n_directions_;
  if (!at.empty()) {
    Matrix M_at;
    gather(M_, at, at, M_at);
    part.mass.compute(M_at);
  }
  // C_l^T in units of the mass (rows) and of the constraints (columns).
  const Matrix CT_at = columns_of(C_, at).transpose();
  const Matrix CT = scaled(rows_of(column_scale_, at), CT_at, row_scale_);
  Eigen::Index s = 0;
  Matrix U(open.rows(), 0);
  const bool is_first = parts_.empty();  // then `open` is the unit matrix
  const MatrixXd left = is_first ? MatrixXd(real_matrix<S>(CT).transpose())
                                 : MatrixXd(open.transpose() * real_matrix<S>(CT).transpose());
  bool takes_all = false;  // U is the unit matrix
  if (open.cols() > 0 && are_independent(left)) {
    s = open.cols();
    takes_all = is_first;
    U = open.template cast<S>();
    open.resize(Eigen::NoChange, 0);
  } else if (open.cols() > 0 && !at.empty()) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(left);
    const auto pivots = qr.matrixQR().diagonal().cwiseAbs();
    while (s < pivots.size() && pivots[s] > tolerance) ++s;
    const MatrixXd Q = orthonormal_factor(qr), turned = is_first ? Q : MatrixXd(open * Q);
    U = turned.leftCols(s).template cast<S>();
    open = turned.rightCols(turned.cols() - s).eval();
  }
  // Real bases satisfy C_m^T U = 0 except for the imaginary parts of a complex step. These are removed here.
  for (Part& before : parts_) {
    if (before.U.cols() == 0 || s == 0) continue;
    before.invert();
    const Matrix CT_before = columns_of(C_, before.at).transpose();
    const Matrix seen = scaled(rows_of(column_scale_, before.at), CT_before, row_scale_) * U;
    const Matrix kappa = before.U * (before.inverse.template cast<S>() * seen);
    U -= row_scale_.cwiseInverse().asDiagonal() * kappa;
  }
  if (s > 0) part.seen = real_matrix<S>(takes_all ? CT : Matrix(CT * U));
  part.U = row_scale_.template cast<S>().asDiagonal() * U;
  if (s > 0) {
    const Matrix D =
        part.mass.solve(takes_all ? Matrix(CT_at * row_scale_.asDiagonal()) : Matrix(CT_at * part.U));
    add_to_rows(-1.0, D, at, D_.middleCols(n_directions_, s));
  }
  n_directions_ += s;
  parts_.push_back(std::move(part));
}

template <class S>
void LeastChange<S>::Part::invert() {
  if (inverse.size() > 0) return;
  inverse = left_inverse(seen);
  seen.resize(0, 0);
}

template <class S>
void LeastChange<S>::set(const Vec& y) {
  for (Part& part : parts_) {
    const auto of_part = y.segment(part.first, part.U.cols());
    part.kappa = part.U * of_part;
    part.xi.setZero(model_->n_v());
    for (const Eigen::Index i : part.at) {
      if (constant_[static_cast<std::size_t>(i)]) continue;
      part.xi[i] = (D_.row(i).segment(part.first, part.U.cols()) * of_part).value();
    }
  }
}

template <class S>
bool LeastChange<S>::moves() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.moves(); });
}

/// Returns the change of M w + C^T kappa with w and kappa fixed.
template <class S>
typename LeastChange<S>::Matrix LeastChange<S>::variation(const Vec& w, const Vec& kappa, const Matrix* p_dot,
                                                          const Matrix& x_dot, Workspace& ws) const {
  const Eigen::Index m = x_dot.cols();
  DaeJacobians<S> jacobians = jacobians_of(*model_);
  const auto at = [&](const Vec& accelerations, const Vec& multipliers) {
    model_->jacobians(instant(accelerations, multipliers), ws, jacobians);
    Matrix out = Matrix::Zero(x_dot.rows(), m);
    jacobians.f_x.add_product(1.0, x_dot, out);
    if (!p_dot) return out;
    Matrix f(model_->n_v(), m), c(model_->n_c(), m);
    model_->push_forward(instant(accelerations, multipliers), *p_dot, ws, f, c);
    out += f;
    return out;
  };
  return at(w, kappa) - at(rest_, no_kappa_);
}

template <class S>
void LeastChange<S>::pullback_variation(const Vec& w, const Vec& kappa, const Vec& mu, Eigen::Ref<Vec> x_bar,
                                        Eigen::Ref<Vec> p_bar, Workspace& ws) const {
  DaeJacobians<S> jacobians = jacobians_of(*model_);
  const auto add = [&](const Vec& accelerations, const Vec& multipliers, const Vec& weights) {
    model_->pullback(instant(accelerations, multipliers), weights, no_kappa_, ws, p_bar);
    model_->jacobians(instant(accelerations, multipliers), ws, jacobians);
    jacobians.f_x.add_transposed_product(1.0, weights, x_bar);
  };
  add(w, kappa, mu);
  add(rest_, no_kappa_, -mu);
}

/// Differentiates M_l xi_l + C_l^T kappa_l = 0. The change of kappa_l keeps C_m^T kappa_l = 0 for the ranks m before l.
template <class S>
typename LeastChange<S>::Matrix LeastChange<S>::push_forward(const Matrix* p_dot, const Matrix& x_dot,
                                                             Workspace& ws) const {
  const Eigen::Index m = x_dot.cols();
  Matrix out = Matrix::Zero(model_->n_v(), m);
  for (std::size_t l = 0; l < parts_.size(); ++l) {
    const Part& part = parts_[l];
    if (!part.moves()) continue;
    Matrix load = rows_of(variation(part.xi, part.kappa, p_dot, x_dot, ws), part.at);
    if (l > 0) {
      const Matrix reaction = variation(rest_, part.kappa, p_dot, x_dot, ws);
      Matrix kappa = Matrix::Zero(model_->n_c(), m);
      for (std::size_t b = 0; b < l; ++b) {
        const Part& before = parts_[b];
        if (before.U.cols() == 0) continue;
        Matrix seen = rows_of(reaction, before.at);
        seen.noalias() += columns_of(C_, before.at).transpose() * kappa;
        seen = rows_of(column_scale_, before.at).asDiagonal() * seen;
        kappa -= before.U * (before.inverse.template cast<S>() * seen);
      }
      load.noalias() += columns_of(C_, part.at).transpose() * kappa;
    }
    add_to_rows(-1.0, Matrix(part.mass.solve(load)), part.at, out);
  }
  return out;
}

template <class S>
void LeastChange<S>::pullback(const Vec& xi_bar, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> p_bar,
                              Workspace& ws) const {
  for (std::size_t l = 0; l < parts_.size(); ++l) {
    const Part& part = parts_[l];
    if (!part.moves()) continue;
    Vec load_bar = part.mass.transpose().solve(rows_of(xi_bar, part.at));
    load_bar *= -1.0;
    Vec mu = Vec::Zero(model_->n_v());
    add_to_rows(1.0, load_bar, part.at, mu);
    pullback_variation(part.xi, part.kappa, mu, x_bar, p_bar, ws);
    if (l == 0) continue;
    Vec kappa_bar = columns_of(C_, part.at) * load_bar;
    mu.setZero();
    for (std::size_t b = l; b-- > 0;) {
      const Part& before = parts_[b];
      if (before.U.cols() == 0) continue;
      const Vec y_bar = before.U.transpose() * kappa_bar;
      const Vec unscaled = before.inverse.transpose().template cast<S>() * y_bar;
      const Vec seen_bar = rows_of(column_scale_, before.at).asDiagonal() * unscaled;
      add_to_rows(-1.0, seen_bar, before.at, mu);
      kappa_bar -= columns_of(C_, before.at) * seen_bar;
    }
    pullback_variation(rest_, part.kappa, mu, x_bar, p_bar, ws);
  }
}

template class LeastChange<InstantiatedScalar>;

}  // namespace kurbel
