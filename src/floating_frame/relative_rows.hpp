/// @file
/// Relative marker kinematics as scalar rows, with the derivatives that joints and springs need.
///
/// A row is a bilinear form in vectors carried by the markers "from" (f) and "to" (t):
///
///     translation   a_k^t . (p^t - p^f) - s(t)                 row k of d^s           [P0, eq. 33]
///     rotation      sum of coefficient * a_i^f . a_j^t         entries of B^s         [P0, eq. 34]
///     in space      e_k . (p^t - p^f)                          the distance along the inertial axes, three rows
///     half square   (p^t - p^f) . (p^t - p^f) / 2
///     distance      ((p^t - p^f) . (p^t - p^f) / L - L) / 2,  L a parameter; its multiplier is the force in
///                   the rod, positive in tension, where the row is zero
///
/// with p = r + S (R + Phi q) [P0, eq. 7] and a = S (E + (Psi q)~) A0 e_k [P0, eqs 8-9]. A rotational drive
/// turns the axes of "from": A0^f(t) = A0^f R_k(angle(t)). Tangent coordinates and velocities are (delta r,
/// delta theta, delta q) in the body's frame; those of a pair are stacked "to" first, then "from"; the ground
/// has none.
#pragma once

#include <optional>
#include <utility>

#include "floating_frame/parameters.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

/// A marker with its body resolved to indices. body < 0 is the ground.
struct MarkerPlace {
  int body = -1;
  Eigen::Index n_q = 0;
  MarkerLayout layout;     ///< unused for the origin of a body and of the ground
  bool is_origin = false;  ///< the reference frame itself: R, Phi, Psi vanish
  Matrix3d A0 = Matrix3d::Identity();
  Eigen::Index n_tangent() const { return body < 0 ? 0 : 6 + n_q; }
};

/// Position-level kinematics of a body, and references to its motion. v and v_dot may be any vectors of the
/// size (virtual displacements, adjoint variables).
template <class Scalar>
struct BodyKinematics {
  Vector3<Scalar> r = Vector3<Scalar>::Zero();
  Matrix3<Scalar> S = Matrix3<Scalar>::Identity();
  const Scalar* q = nullptr;
  const Scalar* v = nullptr;
  const Scalar* v_dot = nullptr;
  const Scalar* shapes = nullptr;  ///< Phi at q of the markers of second order, MarkerLayout::shapes
};

/// Motion of a rigid body in inertial axes: its frame (r, A), its twist V about the point rho, and the derivative of V about a
/// point at rest that is rho at this instant. The ground rests.
template <class Scalar>
struct RigidMotion {
  Vector3<Scalar> r = Vector3<Scalar>::Zero();
  Matrix3<Scalar> A = Matrix3<Scalar>::Identity();
  Vector3<Scalar> rho = Vector3<Scalar>::Zero();
  Vector6<Scalar> V = Vector6<Scalar>::Zero(), acceleration = Vector6<Scalar>::Zero();
};

/// One term of a rotation row: coefficient * a_i^f . a_j^t.
struct RotationTerm {
  int row, i, j;
  double coefficient;
};

/// Scratch memory of a pair of markers; allocated once.
template <class Scalar>
struct RowsWorkspace {
  using Field = Eigen::Matrix<Scalar, 3, Eigen::Dynamic>;

  /// A vector y in the inertial frame with its time derivatives and their Jacobians by x and by v.
  struct Jet {
    Vector3<Scalar> y[3];
    Field x[3], v[3];
    void resize(Eigen::Index n) {
      for (int k = 0; k < 3; ++k) x[k].setZero(3, n), v[k].setZero(3, n);
    }
  };

  explicit RowsWorkspace(Eigen::Index n);
  Field D1, D2, D3;                              ///< variations of single vectors
  Field DF_t, DM_t, Dtau_t, DF_f, DM_f, Dtau_f;  ///< variations of the wrenches at the two ends
  Jet factors[10];                               ///< vectors whose products the rows are
};

/// The rows of one pair of markers.
template <class Scalar>
class RelativeRows {
 public:
  class RigidPair;  // rigid_rows.hpp
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Columns = Eigen::Ref<Matrix>;
  using ConstColumns = Eigen::Ref<const Matrix>;
  using Workspace = RowsWorkspace<Scalar>;

  /// The two ends at one instant.
  struct Ends {
    BodyKinematics<Scalar> to, from;
    TimeValueOf<Scalar> angle;         ///< of the rotational drive, rad
    const TimeValueOf<Scalar>* shift;  ///< s(t) per axis (3 values), m
  };

  RelativeRows(MarkerPlace to, MarkerPlace from) : to_(std::move(to)), from_(std::move(from)) {}

  /// Appends the row of a displacement along axis k of "to".
  void add_translation(int k);
  /// Appends the rows that lock the rotations about the marked axes, one, two or three of them.
  /// @param redundant  axes whose rows are not appended; the other rows do not change
  void add_rotations(const std::array<bool, 3>& locked, const std::array<bool, 3>& redundant = {});
  /// Appends the entry (i, j) of B^s as a row.
  void add_direction_cosine(int i, int j);
  /// Appends the three components of p^t - p^f along the inertial axes.
  void add_distance_in_space();
  void add_half_square();
  /// @param length  index of L among the parameters; the pair has no other distance or half square
  void add_distance(Eigen::Index length);
  void set_rotational_drive(int axis) { drive_axis_ = axis; }
  /// Returns G = dc/d(angle) of the rotational drive as rows of the same pair: in each product e_k x e_i replaces an
  /// axis i of "from".
  RelativeRows by_angle() const;

  Eigen::Index n_rows() const { return n_rows_; }
  Eigen::Index n_tangent() const { return to_.n_tangent() + from_.n_tangent(); }
  const MarkerPlace& to() const { return to_; }
  const MarkerPlace& from() const { return from_; }

  /// c (n_rows)
  void values(const Scalar* p, const Ends& ends, Eigen::Ref<Vec> c) const;

  /// C = dc/dx (n_rows x n_tangent)    [P0, eq. 55]
  void jacobian(const Scalar* p, const Ends& ends, Eigen::Ref<Matrix> C) const;

  /// Finds the two at once, from one evaluation of the markers.
  void values_and_jacobian(const Scalar* p, const Ends& ends, Eigen::Ref<Vec> c, Eigen::Ref<Matrix> C) const;

  /// K = d(C^T lambda)/dx (n_tangent square; not symmetric, for the tangent coordinates are
  /// left-trivialised).
  void reaction_jacobian(const Scalar* p, const Ends& ends, const Scalar* lambda, Workspace& ws,
                         Eigen::Ref<Matrix> K) const;

  /// c, its total time derivatives, and their Jacobians by x and by v; d c_ddot / d v_dot = C.
  /// [P0, eqs 53-56]
  struct Derivatives {
    Vec c, c_dot, c_ddot;
    Matrix c_x, c_dot_x, c_ddot_x, c_ddot_v;
  };
  void derivatives(const Scalar* p, const Ends& ends, Workspace& ws, Derivatives& out) const;

  /// Computes c, c_dot and c_ddot without Jacobians.
  /// @param out  (n_rows x 3)   overwritten
  void time_derivatives(const Scalar* p, const Ends& ends, Columns out) const;

  /// Computes the rows and their total time derivatives without the terms -s(t) and -L/2, which do not depend on the
  /// motion.
  /// @param out  (n_rows x 3)   overwritten
  void rates(const Scalar* p, const Ends& ends, Columns out) const;

  /// p_bar += d(w0.c + w1.c_dot + w2.c_ddot)/dp. Weights (n_rows) may be nullptr for none.    [P0, eqs 57-62]
  void pullback(const Scalar* p, const Ends& ends, const Scalar* w0, const Scalar* w1, const Scalar* w2,
                Scalar* p_bar) const;

  /// Derivatives of c, c_dot and c_ddot along directions p_dot (n_p x m) of parameter space, n_rows x m each.
  /// [P0, eqs 57-62]
  void push_forward(const Scalar* p, const ConstColumns& p_dot, const Ends& ends, Columns c, Columns c_dot,
                    Columns c_ddot) const;

  /// (dC/dp p_dot)^T lambda (n_tangent x m).    [P0, eqs 61, 65]
  void push_forward_reaction(const Scalar* p, const ConstColumns& p_dot, const Ends& ends,
                             const Scalar* lambda, Columns out) const;

 private:
  struct End;
  struct Pair;
  struct Factors;
  class Reaction;
  class ReactionDerivative;
  void values(const Scalar* p, const Ends& ends, const Pair& pair, Eigen::Ref<Vec> c) const;
  void jacobian(const Scalar* p, const Pair& pair, Eigen::Ref<Matrix> C) const;
  template <class Action>
  void for_each_product(const Scalar* p, const Action& act) const;
  Scalar square_weight(const Scalar* p) const { return length_ < 0 ? Scalar(1) : 1.0 / p[length_]; }
  void axis_jet(const End& end, const BodyKinematics<Scalar>& body, int axis, Eigen::Index column,
                typename Workspace::Jet& jet) const;
  void add_second_order_jet(const End& end, const BodyKinematics<Scalar>& body, const Vector3<Scalar>& omega,
                            const Matrix3<Scalar>& Q, Eigen::Index column,
                            typename Workspace::Jet& jet) const;
  void distance_jet(const Pair& pair, const Ends& ends, typename Workspace::Jet& jet) const;

  MarkerPlace to_, from_;
  int drive_axis_ = -1;
  Eigen::Index n_rows_ = 0;
  std::array<int, 3> translation_row_ = {-1, -1, -1};
  std::vector<RotationTerm> rotation_terms_;
  int half_square_row_ = -1;
  int in_space_row_ = -1;     ///< the first of three
  Eigen::Index length_ = -1;  ///< index of L in p; -1: the row is no distance
};

}  // namespace kurbel
