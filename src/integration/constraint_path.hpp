/// @file
/// Tells whether constraints lead from one position to another by a short way.
///
/// A walk from x_0 at t_0 towards x_1 at t_1 takes short steps ds of s from 0 to 1, with t = t_0 + s (t_1 - t_0) and
/// C^+ = M^-1 C^T (C M^-1 C^T)^-1, where M are constant masses of the coordinates:
///
///     delta = ds / (1 - s) log(x^-1 x_1)
///     xi = delta - C^+ (C delta + dc/dt dt),    x <- x o exp(xi),    t <- t + dt
///     x <- x o exp(-C^+ c)                      until c = 0
///
/// A step is so short that its corrections are small beside it, and converge with the C of its beginning.
/// The walk stays on the branch of x_0 where two branches of a closed loop come close to each other, and goes straight on
/// where they cross. Forces do not matter: whatever moves along the constraints arrives.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <memory>
#include <optional>
#include <vector>

#include "integration/second_order_dae.hpp"

namespace kurbel {

class ConstraintPath {
 public:
  struct Place {
    double t;  ///< s
    VectorXd x;
  };

  /// @param system  lent
  /// @param usual   where masses are taken, and constraints that depend on others are removed
  ConstraintPath(const SecondOrderDae<double>& system, const Place& usual);

  /// The root of the mass of a coordinate times its entry of log(x_0^-1 x_1).
  VectorXd way(const VectorXd& x_0, const VectorXd& x_1) const;

  /// ln of the volume between the rows of C, with rows of unit length in the metric of the mass. It falls without bound where
  /// constraints come to depend on each other, as at a dead centre. Rows that always nearly depend on each other only shift it.
  double log_volume(const MatrixXd& C);

  /// The way that is left to `to` at the end of a walk, or nothing if the walk cannot go on.
  std::optional<VectorXd> way_left(const Place& from, const Place& to);

 private:
  void factorize(const MatrixXd& C);
  /// C^+ of rows, in coordinates times roots of masses.
  VectorXd least(const VectorXd& c) const;
  VectorXd kept_rows(const VectorXd& c) const;
  bool advance(Place& at, const VectorXd& delta, double dt);
  bool cross(const Place& earlier, Place& at);
  bool correct(Place& at, double size, bool renewed);

  const SecondOrderDae<double>& system_;
  std::unique_ptr<SecondOrderDae<double>::Workspace> ws_;
  ConstraintDerivatives<double> constraints_;
  VectorXd mass_roots_, rest_, no_lambda_;
  std::vector<Eigen::Index> rows_;  ///< of C, independent ones
  VectorXd row_scale_;
  MatrixXd C_;                  ///< those rows of C M^-1/2, of unit length
  Eigen::LDLT<MatrixXd> gram_;  ///< C_ C_^T
  Eigen::HouseholderQR<MatrixXd> volume_;
  double correction_ = 0.0;  ///< of the last step, beside its own way
};

}  // namespace kurbel
