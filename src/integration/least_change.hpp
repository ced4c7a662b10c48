/// @file
/// Corrections of tangent coordinates that constraints ask for, by the least change in the metric of the
/// mass.
///
/// The coordinates have ranks 1, 2, ...: those of a rank move only along constraint directions that the ranks
/// before it cannot satisfy. With M_l the mass of the coordinates of rank l and C_l their columns of C,
///
///     M_l xi_l + C_l^T kappa_l = 0,    C_m^T kappa_l = 0 for m < l
///
/// This is the limit eps -> 0 of the least sum_l eps^(2 - 2 l) xi_l^T M_l xi_l under a condition C xi = b.
/// Its solutions are xi = D y, with as many y as there are constraints. They are smooth in M and C as long as the
/// matrices keep their ranks. They do not depend on units, because columns of C are scaled by the mass and rows by
/// their norm in these units.
///
/// Everything is evaluated at one position x at rest. There M xi + C^T kappa = f(x, 0, xi, kappa) - f(x, 0, 0, 0), so
/// the model supplies the derivatives.
#pragma once

#include "integration/assembled_dae.hpp"

namespace kurbel {

template <class Scalar>
class LeastChange {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Model = AssembledDae<Scalar>;
  using Workspace = typename Model::Workspace;
  using Coordinates = std::vector<Eigen::Index>;
  using Ranks = std::vector<Coordinates>;  ///< every tangent coordinate at most once

  LeastChange(const Model& model, double t, Vec x, const Ranks& ranks, Workspace& ws);

  /// Returns whether the coordinates can satisfy every constraint, to first order.
  bool complete() const { return n_directions_ == model_->n_c(); }
  /// D, n_v x n_c where complete
  const Matrix& D() const { return D_; }
  /// Scales of coordinates, 1 over the root of the mass (n_v), and of constraints, 1 over the norm of a row of C in
  /// coordinates so scaled (n_c).
  const VectorXd& column_scale() const { return column_scale_; }
  const VectorXd& row_scale() const { return row_scale_; }
  const Vec& x() const { return x_; }
  const Matrix& C() const { return C_; }
  const Matrix& M() const { return M_; }
  /// Constraint directions left to the last rank, n_c x s.
  const Matrix& last_directions() const { return parts_.back().U; }
  /// First column of D that belongs to them.
  Eigen::Index last_column() const { return parts_.back().first; }

  /// Sets y. The derivatives below are those of xi = D y and its multipliers.
  void set(const Vec& y);
  /// Returns whether D y changes with the position and the parameters. It does not where y is zero.
  bool moves() const;

  /// Returns the change of D y with y fixed, along m directions of parameter space and displacements of x.
  /// @param p_dot  (n_p x m)   null: the parameters are fixed
  /// @param x_dot  (n_v x m)
  /// @return       (n_v x m)
  Matrix push_forward(const Matrix* p_dot, const Matrix& x_dot, Workspace& ws) const;
  /// Its transpose: x_bar += ..., p_bar += ...
  void pullback(const Vec& xi_bar, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> p_bar, Workspace& ws) const;

 private:
  /// One rank.
  struct Part {
    Coordinates at;
    Eigen::Index first = 0;  ///< column of D
    Matrix U;                ///< n_c x s: kappa = U y
    MatrixXd seen;           ///< n x s: the scaled C_l^T U, until its inverse is needed
    MatrixXd inverse;        ///< s x n: left inverse of that; empty if no rank follows that has directions
    Eigen::PartialPivLU<Matrix> mass;  ///< of M_l
    Vec xi, kappa;                     ///< n_v (zero elsewhere, and where the metric is constant), n_c
    bool moves() const { return U.cols() > 0 && !kappa.isZero(0.0); }
    void invert();
  };

  void find_metric();
  void add_part(const Coordinates& at, MatrixXd& open, double tolerance);
  void split(const Ranks& ranks, double tolerance);
  DaeInstant<Scalar> instant(const Vec& w, const Vec& kappa) const { return {t_, x_, rest_, w, kappa}; }
  Matrix variation(const Vec& w, const Vec& kappa, const Matrix* p_dot, const Matrix& x_dot,
                   Workspace& ws) const;
  void pullback_variation(const Vec& w, const Vec& kappa, const Vec& mu, Eigen::Ref<Vec> x_bar,
                          Eigen::Ref<Vec> p_bar, Workspace& ws) const;

  const Model* model_;
  double t_;
  Vec x_, rest_, no_kappa_;
  Matrix M_, C_, D_;
  VectorXd column_scale_, row_scale_;
  std::vector<bool> constant_;  ///< coordinates of bodies whose mass matrix is no metric
  std::vector<Part> parts_;
  Eigen::Index n_directions_ = 0;
};

}  // namespace kurbel
