/// @file
/// The equations of a SecondOrderDae linearized at an instant, and the systems that implicit steps make of them,
///
///     K = [M + c_v f_v + c_x f_x T,  C^T;  C T,  0]        T = d(x o exp(xi))/dxi
///
/// however they are stored and solved: as blocks with their factors, or by a recursion that the model knows.
#pragma once

#include <algorithm>
#include <cmath>

#include "integration/saddle_point_solver.hpp"

namespace kurbel {

template <class Scalar>
class LinearizedDae {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;
  using ConstColumns = Eigen::Ref<const Matrix>;
  using Instant = DaeInstant<Scalar>;
  using Workspace = typename SecondOrderDae<Scalar>::Workspace;
  using Blocks = std::vector<RetractionBlock<Scalar>>;

  virtual ~LinearizedDae() = default;

  /// Linearizes, with f and c.
  virtual void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) = 0;
  /// Without f and c.
  virtual void differentiate(const Instant& at, Workspace& ws) = 0;

  /// Forgets what of former factorizations serves the next ones, as SaddlePointSolver::forget().
  virtual void forget() = 0;
  /// @return whether K is regular
  virtual bool factorize(const Blocks& blocks, double c_v, double c_x) = 0;
  /// K solution = rhs, one column or several.
  virtual void solve(const Vec& rhs, Vec& solution) const = 0;
  virtual void solve(const Matrix& rhs, Matrix& solution) const = 0;
  /// K^T solution = rhs; rhs serves as memory.
  virtual void solve_transposed(Vec& rhs, Vec& solution) const = 0;

  /// f += f_x x + f_v v,   c += C x
  virtual void add_product(const ConstColumns& x, const ConstColumns& v, Columns f, Columns c) const = 0;
  /// sqrt(w^T M w), the size of velocities or of accelerations (kinetic_norm() below).
  virtual double kinetic_norm(const Segment& w) const = 0;
  /// x_bar -= f_x^T mu + C^T nu,   v_bar -= f_v^T mu
  virtual void subtract_transposed_product(const Segment& mu, const Segment& nu, Eigen::Ref<Vec> x_bar,
                                           Eigen::Ref<Vec> v_bar) const = 0;
};

/// sqrt(w^T M w), of its real part. Displacements, rotations and elastic coordinates count alike in it, in whatever units and
/// axes they are measured.
/// @param M_w  scratch memory
template <class Scalar>
double kinetic_norm(const BlockMatrix<Scalar>& M, const Eigen::Ref<const VectorX<Scalar>>& w,
                    VectorX<Scalar>& M_w) {
  M_w.setZero(w.size());
  M.add_product(1.0, w, M_w);
  const Scalar square = w.transpose() * M_w;
  return std::sqrt(std::max(0.0, real_part(square)));
}

/// Models that linearize without a matrix of all coordinates.
template <class Scalar>
class RecursiveDae {
 public:
  virtual ~RecursiveDae() = default;
  /// nullptr: blocks are faster, or the recursion does not hold all that acts.
  virtual std::unique_ptr<LinearizedDae<Scalar>> make_recursion() const = 0;
};

/// A recursion if the model has one and the form is left open; else blocks.
/// @param model  must outlive it
template <class Scalar>
std::unique_ptr<LinearizedDae<Scalar>> make_linearized_dae(const SecondOrderDae<Scalar>& model,
                                                           LinearSolver form);

}  // namespace kurbel
