#include "floating_frame/vehicle_quantities.hpp"

#include "base/angle_of.hpp"
#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
TyreForce<S>::TyreForce(const MultibodySystem<S>& system, const std::string& tyre)
    : system_(system), tyre_(system.tyre_index(tyre)), ws_(system.make_workspace()) {}

template <class S>
Rows<S> TyreForce<S>::value(const Instant& at) const {
  const TyreForces<S> forces = system_.tyre_forces(tyre_, at, *ws_);
  return Vector3<S>(forces.longitudinal, forces.lateral, forces.vertical);
}

template <class S>
void TyreForce<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                Eigen::Ref<VectorX<S>> p_bar) const {
  system_.add_tyre_force_partials(tyre_, at, z_bar, *ws_, bar.x, bar.v, p_bar);
}

/// Sines and cosines of roll and pitch from the last row of the rotation matrix, (-sin pitch, cos pitch sin roll,
/// cos pitch cos roll).
template <class S>
struct Attitude<S>::Trigonometry {
  explicit Trigonometry(const Matrix3<S>& R) {
    using std::sqrt;
    cos_pitch = sqrt(R(2, 1) * R(2, 1) + R(2, 2) * R(2, 2)), sin_pitch = -R(2, 0);
    sin_roll = R(2, 1) / cos_pitch, cos_roll = R(2, 2) / cos_pitch;
  }
  /// (roll, pitch, yaw)_dot = E omega
  Matrix3<S> rates() const {
    const S tan_pitch = sin_pitch / cos_pitch;
    Matrix3<S> E;
    E << S(1), tan_pitch * sin_roll, tan_pitch * cos_roll, S(0), cos_roll, -sin_roll, S(0),
        sin_roll / cos_pitch, cos_roll / cos_pitch;
    return E;
  }
  S sin_roll, cos_roll, sin_pitch, cos_pitch;
};

template <class S>
Attitude<S>::Attitude(const MultibodySystem<S>& system, const std::string& body, AttitudeKind kind)
    : system_(system), body_(system.body_index(body)), kind_(kind) {}

template <class S>
Rows<S> Attitude<S>::value(const Instant& at) const {
  const Matrix3<S> R = rotation_matrix<S>(system_.pose(at.x, body_).e);
  const Trigonometry of(R);
  if (kind_ == AttitudeKind::rates) return of.rates() * at.v.template segment<3>(system_.v_offset(body_) + 3);
  return Vector3<S>(angle_of(of.sin_roll, of.cos_roll), angle_of(of.sin_pitch, of.cos_pitch),
                    angle_of(R(1, 0), R(0, 0)));
}

/// A rotation of the body's frame by theta changes the angles by E theta.
template <class S>
void Attitude<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                               Eigen::Ref<VectorX<S>>) const {
  const Eigen::Index o = system_.v_offset(body_) + 3;
  const Trigonometry of(rotation_matrix<S>(system_.pose(at.x, body_).e));
  const Matrix3<S> E = of.rates();
  auto theta_bar = bar.x.template segment<3>(o);
  if (kind_ == AttitudeKind::angles) {
    theta_bar += E.transpose() * z_bar;
    return;
  }
  const Vector3<S> omega = at.v.template segment<3>(o);
  bar.v.template segment<3>(o) += E.transpose() * z_bar;
  const S across = of.sin_roll * omega[1] + of.cos_roll * omega[2],
          along = of.cos_roll * omega[1] - of.sin_roll * omega[2];
  const S tan_pitch = of.sin_pitch / of.cos_pitch, secant2 = S(1) / (of.cos_pitch * of.cos_pitch);
  const S by_roll = z_bar[0] * tan_pitch * along - z_bar[1] * across + z_bar[2] * along / of.cos_pitch;
  const S by_pitch = (z_bar[0] + z_bar[2] * of.sin_pitch) * across * secant2;
  theta_bar += E.row(0).transpose() * by_roll + E.row(1).transpose() * by_pitch;
}

template class TyreForce<InstantiatedScalar>;
template class Attitude<InstantiatedScalar>;

}  // namespace kurbel
