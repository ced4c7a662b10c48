/// @file
/// The assembled position that is nearest to a given one.    [P0, eq. 1a]
///
///     x = x_given o exp(xi),    xi = D(x) y + shift,    c(t0, x) = 0
///
/// D are the directions of least change (least_change.hpp) at the assembled position itself, where no
/// violation of the constraints is left to mislead them: what a rank before could do is not left to the next
/// one, however far from assembled the given position is. A shift is what else moves it, here into an
/// equilibrium.
///
/// Newton's iteration goes along the constraints, which are satisfied after each step; with V = d(D y)/dx, T
/// the derivative of the retraction and A = 1 - V T:
///
///     A dxi = D dy - (xi - shift - D y),    C T dxi = 0
///
/// It begins at an assembled position that is found by steps of least change, by rank. Where it fails from
/// there, the violation of the given position is taken down little
/// by little, c = left c(x_given) with left from 1 to 0: the given position is nearest to itself, and each of
/// these positions begins the iteration for the next one. As a last resort it begins where steps of least
/// change of all coordinates together lead.
#pragma once

#include <Eigen/LU>
#include <optional>

#include "integration/least_change.hpp"

namespace kurbel {

template <class Scalar>
class InitialPosition {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Model = AssembledDae<Scalar>;
  using Workspace = typename Model::Workspace;
  using Directions = LeastChange<Scalar>;
  using Ranks = typename Directions::Ranks;

  InitialPosition(const Model& model, Workspace& ws);

  /// @throws InputError naming joints and degrees of freedom if constraints are redundant or contradict each
  /// other
  Status assemble(double t0, const Vec& x_given, const Ranks& ranks);
  /// Forgets the given position: x is it from now on.
  /// @return whether the constraints can be satisfied from there
  bool begin_at(const Vec& x);
  /// Begins from another xi, to end with another shift.
  /// @return false if no assembled position is found
  bool displace(const Vec& xi, const Vec& shift);

  const Vec& x() const { return x_; }
  const Vec& xi() const { return xi_; }
  const Vec& shift() const { return shift_; }
  /// Displacements in lengths of the mechanism and radians are scale() times coordinates, n_v.
  const VectorXd& scale() const { return scale_; }
  /// The largest of them.
  double measure(const Vec& xi) const;

  /// Variations of x by those of the parameters and of the shift; null: these stay as they are.
  /// @param p_dot  (n_p x m)   @param shift_dot  (n_v x m)
  /// @return       (n_v x m)
  Matrix push_forward(const Matrix* p_dot, const Matrix* shift_dot);
  /// p_bar += (dx/dp)^T x_bar
  /// @return the sensitivity by the shift
  Vec pullback(const Vec& x_bar, Eigen::Ref<Vec> p_bar);

 private:
  DaeInstant<Scalar> at(const Vec& x) const { return {t0_, x, rest_, rest_, no_lambda_}; }
  void find_scales(const Directions& at);
  void check_constraints(const Directions& at, const Vec& c) const;
  void move_to(const Vec& xi);
  using Derivative = typename RetractionBlock<Scalar>::Derivative RetractionBlock<Scalar>::*;
  Matrix retracted(Derivative derivative, Matrix m) const;
  Vec pulled_back(Derivative derivative, Vec bar) const;
  bool linearize();
  double distance() const { return (column_scale_.cwiseInverse().asDiagonal() * left_).norm(); }
  bool close(double enough);
  std::optional<double> step_to_constraints(const Ranks& ranks);
  bool walk(const Ranks& ranks, double size);
  bool satisfy_constraints();
  bool follow(const Vec& given_violation);
  /// Violation of the constraints, less what is aimed at, scaled.
  Vec violation() const { return row_scale_.asDiagonal() * (constraints_.c0 - target_); }
  bool is_satisfied() const;

  const Model& model_;
  Workspace& ws_;
  double t0_ = 0.0;
  Ranks ranks_, together_;             ///< the latter: all coordinates in one rank
  VectorXd scale_;                     ///< n_v
  VectorXd row_scale_, column_scale_;  ///< of the constraints and by mass, at the given position
  Vec x_given_, shift_, xi_, x_;
  Vec target_;  ///< n_c: the violation that is aimed at, zero in the end
  bool depends_on_given_ = true;
  Vec rest_, no_lambda_;  ///< zeros

  // At x:
  ConstraintDerivatives<Scalar> constraints_;
  std::vector<RetractionBlock<Scalar>> blocks_;
  std::optional<Directions> change_;
  Vec left_;                             ///< xi - shift - D y, n_v
  Matrix V_;                             ///< n_v x n_v
  Eigen::PartialPivLU<Matrix> moving_;   ///< of 1 - T V
  Matrix directions_;                    ///< (1 - T V)^-1 T D, n_v x n_c
  Eigen::PartialPivLU<Matrix> closing_;  ///< of C times these, scaled rows
};

}  // namespace kurbel
