/// @file
/// Vectors that criteria are made of: motions of markers, reactions of joints, centres of mass.
#pragma once

#include <array>

#include "floating_frame/multibody_system.hpp"
#include "floating_frame/observed_pair.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// Quantities of a marker on a body, y = r + S (R + Phi q):                                     [P0, eqs 7, 12-25]
///     displacement  Phi q, by which the body's elasticity moves it, in the body's frame, m
///     rotation      Psi q, by which it turns it, rad
///     position      y in the inertial frame, m; velocity y_dot, m/s; acceleration y_ddot, m/s^2
enum class MarkerQuantityKind { displacement, rotation, position, velocity, acceleration };

template <class Scalar>
class MarkerQuantity final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such marker, it is on the ground, or it has no elastic displacement
  MarkerQuantity(const MultibodySystem<Scalar>& system, const MarkerRef& marker, MarkerQuantityKind kind);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  BodyKinematics<Scalar> kinematics(const Instant& at) const;

  const MultibodySystem<Scalar>& system_;
  MarkerPlace place_;
  MarkerQuantityKind kind_;
};

/// Position of a marker M as seen from another one F, along the axes of F:
///     z_k = a_k^F . (p^M - p^F),   a_k = S (E + (Psi q)~) A0 e_k,   m                       [P0, eqs 7-9, 33]
template <class Scalar>
class RelativePosition final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @param from  F, perhaps on the ground
  /// @throws InputError if there is no such marker
  RelativePosition(const MultibodySystem<Scalar>& system, const MarkerRef& marker, const MarkerRef& from);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  ObservedPair<Scalar> pair_;  ///< -z: displacements of F from M along the axes of F
};

/// The force or moment that a joint with its drives exerts on its "to" body along or about the axes of its "to" marker,
/// -lambda of the row that holds the axis, zero where none does.                                       [P0, eq. 65]
/// About an axis it is the moment as long as the axes of both markers agree; of a universal joint the
/// multiplier of the product of its two axes.
enum class ReactionKind { force, moment };  ///< N, N m

template <class Scalar>
class JointReaction final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such joint or it holds no axis in this way
  JointReaction(const MultibodySystem<Scalar>& system, const std::string& joint, ReactionKind kind);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  std::array<Eigen::Index, 3> rows_ = {-1, -1, -1};
};

/// Force in a joint that is a rod, positive in tension: its multiplier, N. Zero if it is redundant.
template <class Scalar>
class RodForce final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such joint or it is no rod
  RodForce(const MultibodySystem<Scalar>& system, const std::string& joint);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  Eigen::Index row_ = -1;
};

/// Centre of mass of a body in its reference frame, mdCM(q) / m, m.
template <class Scalar>
class CentreOfMass final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such body
  CentreOfMass(const MultibodySystem<Scalar>& system, const std::string& body);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  std::size_t body_;
};

}  // namespace kurbel
