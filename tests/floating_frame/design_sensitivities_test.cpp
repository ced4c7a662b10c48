/// Derivatives by the parameters of the marker kinematics, the relative kinematics, the constraints and the
/// kinetic equations, equation by equation: against the formulas of the paper, written out here, and against
/// complex step.    [P0, eqs 26-65]
#include <gtest/gtest.h>

#include <algorithm>

#include "floating_frame/marker_motion.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

constexpr double step = 1e-40;       // complex step: no subtraction, so no lower limit of use
constexpr double tolerance = 1e-13;  // round-off of some ten terms relative to the largest entry

template <class A, class B>
void expect_close(const A& actual, const B& expected, const char* what) {
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), tolerance * (1.0 + expected.cwiseAbs().maxCoeff()))
      << what;
}

/// Position and motion of a body.
template <class S>
struct MovingBody {
  Vector3<S> r;
  Matrix3<S> frame;
  VectorX<S> q, v, v_dot;
  BodyKinematics<S> kinematics() const { return {r, frame, q.data(), v.data(), v_dot.data()}; }
};

/// The bodies i ("to") and j ("from") of the paper, three and two elastic coordinates.
class DesignSensitivities : public ::testing::Test {
 protected:
  DesignSensitivities() {
    spec_.bodies = {{"i", test::random_flexible_sid(31, 3), {}}, {"j", test::random_flexible_sid(32, 2), {}}};
    layout_ = std::make_unique<ParameterLayout>(spec_);
    p_ = layout_->values(spec_);
    p_dot_ = random_.vector(p_.size());
    for (int body = 0; body < 2; ++body) {
      MovingBody<double>& b = moving_[body];
      const Eigen::Index n = layout_->body(body).n_q;
      b.r = random_.vector(3);
      b.frame = rotation_matrix(exp_quaternion<double>(random_.vector(3)));
      b.q = random_.vector(n), b.v = random_.vector(6 + n), b.v_dot = random_.vector(6 + n);
    }
  }

  MarkerPlace marker(int body) const {
    MarkerPlace place;
    place.body = body;
    place.n_q = layout_->body(body).n_q;
    place.layout = layout_->body(body).markers[0];
    return place;
  }
  MovingBody<Complex> complex_body(int body) const {
    const MovingBody<double>& b = moving_[body];
    return {b.r.cast<Complex>(), b.frame.cast<Complex>(), b.q.cast<Complex>(), b.v.cast<Complex>(),
            b.v_dot.cast<Complex>()};
  }
  /// p + i step p_dot
  VectorX<Complex> moved_parameters() const { return p_ + Complex(0.0, step) * p_dot_; }

  /// Markers turn without elastic rotation at p; the direction keeps its own.
  void remove_elastic_rotation(int body) { view<3>(marker(body).layout.Psi, p_.data()).setZero(); }
  /// Only the parameters of the "from" body vary.
  void vary_from_body_only() { p_dot_.head(layout_->body(1).mass.offset).setZero(); }

  Vector3d omega(int body) const { return moving_[body].v.segment<3>(3); }
  Vector3d omega_dot(int body) const { return moving_[body].v_dot.segment<3>(3); }

  SystemSpec spec_;
  std::unique_ptr<ParameterLayout> layout_;
  VectorXd p_, p_dot_;
  MovingBody<double> moving_[2];
  test::Random random_{37};
};

/// The auxiliary quantities of [P0, eqs 18, 19, 24, 25] and their derivatives, of one marker.
struct Auxiliary {
  Vector3d R, R_p;
  MatrixXd Phi, Phi_p, Psi, Psi_p, T_t, T_r, T_t_p, T_r_p;
  Vector3d rho_p, psi_p, zeta_t, zeta_r, zeta_t_p, zeta_r_p;

  Auxiliary(const MarkerLayout& layout, const VectorXd& p, const VectorXd& p_dot, const MovingBody<double>& b)
      : R(view<3>(layout.R, p.data())),
        R_p(view<3>(layout.R, p_dot.data())),
        Phi(view<3>(layout.Phi, p.data())),
        Phi_p(view<3>(layout.Phi, p_dot.data())),
        Psi(view<3>(layout.Psi, p.data())),
        Psi_p(view<3>(layout.Psi, p_dot.data())) {
    const Eigen::Index n = b.q.size();
    const Matrix3d E = Matrix3d::Identity(), omega = tilde(Vector3d(b.v.segment<3>(3)));
    const VectorXd q_dot = b.v.tail(n);
    const Vector3d r = R + Phi * b.q;
    T_t.setZero(3, 6 + n), T_r.setZero(3, 6 + n);
    T_t << E, -tilde(r), Phi;
    T_r.middleCols(3, 3) = E, T_r.rightCols(n) = Psi;
    zeta_t = omega * (b.v.head<3>() + 2.0 * Phi * q_dot + omega * r);
    zeta_r = omega * Psi * q_dot;
    rho_p = R_p + Phi_p * b.q;  // (26)
    psi_p = Psi_p * b.q;        // (27), the vector under the tilde
    T_t_p.setZero(3, 6 + n), T_r_p.setZero(3, 6 + n);
    T_t_p.middleCols(3, 3) = -tilde(rho_p);  // (28)
    T_t_p.rightCols(n) = Phi_p;
    T_r_p.rightCols(n) = Psi_p;                                      // (29)
    zeta_t_p = 2.0 * omega * Phi_p * q_dot + omega * omega * rho_p;  // (30)
    zeta_r_p = omega * Psi_p * q_dot;                                // (31)
  }
};

class MarkerKinematics : public DesignSensitivities {
 protected:
  MarkerMotion<double> derivative() const {
    return MarkerMotion<double>::derivative(marker(0), p_dot_.data(), moving_[0].kinematics(), axes0_,
                                            {true, true, true});
  }
  MarkerMotion<double> value() const { return value(p_.data(), moving_[0].kinematics()); }
  Auxiliary auxiliary() const { return {marker(0).layout, p_, p_dot_, moving_[0]}; }

  template <class S>
  MarkerMotion<S> value(const S* p, const BodyKinematics<S>& body) const {
    const Matrix3<S> axes0[3] = {Matrix3<S>::Identity(), Matrix3<S>::Zero(), Matrix3<S>::Zero()};
    return {marker(0), p, body, axes0, {true, true, true}};
  }
  const Matrix3d axes0_[3] = {Matrix3d::Identity(), Matrix3d::Zero(), Matrix3d::Zero()};
};

TEST_F(MarkerKinematics, DerivativesEqualComplexStep) {
  const VectorX<Complex> p = moved_parameters();
  const MovingBody<Complex> body = complex_body(0);
  const MarkerMotion<Complex> moved = value(p.data(), body.kinematics());
  const MarkerMotion<double> actual = derivative();
  for (int level = 0; level < 3; ++level) {
    expect_close(actual.point[level], Vector3d(moved.point[level].imag() / step), "point");
    for (int k = 0; k < 3; ++k) {
      expect_close(actual.axes[k][level], Vector3d(moved.axes[k][level].imag() / step), "axis");
    }
  }
}

TEST_F(MarkerKinematics, PositionAndOrientationFollowEquations26And27) {
  const Auxiliary a = auxiliary();
  const Matrix3d S = moving_[0].frame;
  expect_close(derivative().point[0], Vector3d(S * a.rho_p), "(26)");
  const Matrix3d S_p = S * tilde(a.psi_p);
  for (int k = 0; k < 3; ++k) expect_close(derivative().axes[k][0], Vector3d(S_p.col(k)), "(27)");
}

TEST_F(MarkerKinematics, VelocitiesFollowEquations28And29) {
  remove_elastic_rotation(0);  // to first order in it, the paper's angular velocity is that of the axes
  const Auxiliary a = auxiliary();
  const Matrix3d S = moving_[0].frame;
  const VectorXd& z = moving_[0].v;
  expect_close(value().point[1], Vector3d(S * a.T_t * z), "(15)");
  expect_close(derivative().point[1], Vector3d(S * a.T_t_p * z), "(28)");
  const Vector3d omega_p = a.T_r_p * z;
  for (int k = 0; k < 3; ++k) {
    const Vector3d e = Vector3d::Unit(k);
    const Vector3d rate_p = omega_p.cross(e) + omega(0).cross(a.psi_p.cross(e));
    expect_close(derivative().axes[k][1], Vector3d(S * rate_p), "(29)");
  }
}

TEST_F(MarkerKinematics, AccelerationsFollowEquations28To31) {
  remove_elastic_rotation(0);
  const Auxiliary a = auxiliary();
  const Matrix3d S = moving_[0].frame;
  const VectorXd &z = moving_[0].v, &z_dot = moving_[0].v_dot;
  expect_close(value().point[2], Vector3d(S * (a.T_t * z_dot + a.zeta_t)), "(22)");
  expect_close(derivative().point[2], Vector3d(S * (a.T_t_p * z_dot + a.zeta_t_p)), "(28), (30)");
  const Vector3d w = omega(0), w_p = a.T_r_p * z, alpha = a.T_r * z_dot + a.zeta_r,
                 alpha_p = a.T_r_p * z_dot + a.zeta_r_p;
  for (int k = 0; k < 3; ++k) {
    const Vector3d e = Vector3d::Unit(k), e_p = a.psi_p.cross(e);
    const Vector3d expected = alpha_p.cross(e) + alpha.cross(e_p) + w_p.cross(w.cross(e)) +
                              w.cross(w_p.cross(e)) + w.cross(w.cross(e_p));
    expect_close(derivative().axes[k][2], Vector3d(S * expected), "(29), (31)");
  }
}

/// Rows d^s and all nine entries of B^s, with the axes of the markers along those of the bodies.
class RelativeKinematics : public DesignSensitivities {
 protected:
  RelativeKinematics() {
    remove_elastic_rotation(0), remove_elastic_rotation(1);
    vary_from_body_only();  // as the paper does
    RelativeRows<double> rows(marker(0), marker(1));
    for (int k = 0; k < 3; ++k) rows.add_translation(k);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rows.add_direction_cosine(i, j);
    }
    const RelativeRows<double>::Ends ends{moving_[0].kinematics(), moving_[1].kinematics(), {}, shift_};
    RowsWorkspace<double> ws(rows.n_tangent());
    RelativeRows<double>::Derivatives values;
    rows.derivatives(p_.data(), ends, ws, values);
    c_[0] = values.c, c_[1] = values.c_dot, c_[2] = values.c_ddot;
    MatrixXd c_p[3];
    for (MatrixXd& level : c_p) level.resize(12, 1);
    rows.push_forward(p_.data(), p_dot_, ends, c_p[0], c_p[1], c_p[2]);
    for (int level = 0; level < 3; ++level) c_p_[level] = c_p[level];

    // The relative kinematics of the paper with D^t = D^f = E at p; Q = S^i^T S^j.
    const Auxiliary t(marker(0).layout, p_, p_dot_, moving_[0]), f(marker(1).layout, p_, p_dot_, moving_[1]);
    Q_ = moving_[0].frame.transpose() * moving_[1].frame;
    const VectorXd &z_i = moving_[0].v, &z_i_dot = moving_[0].v_dot, &z_j = moving_[1].v,
                   &z_j_dot = moving_[1].v_dot;
    d_ = c_[0].head<3>();
    const Vector3d w = omega(0);                          // (36)
    V_ = t.T_t * z_i - Q_ * f.T_t * z_j + tilde(d_) * w;  // (38)
    Omega_ = t.T_r * z_i - Q_ * f.T_r * z_j;              // (40)
    V_dot_ = t.T_t * z_i_dot + t.zeta_t + tilde(d_) * (t.T_r * z_i_dot + t.zeta_r) -
             Q_ * (f.T_t * z_j_dot + f.zeta_t) - tilde(w) * (2.0 * V_ + tilde(w) * d_);               // (41)
    Omega_dot_ = t.T_r * z_i_dot + t.zeta_r - Q_ * (f.T_r * z_j_dot + f.zeta_r) - tilde(w) * Omega_;  // (42)
    psi_f_p_ = f.psi_p;
    d_p_ = -Q_ * f.rho_p;                                   // (43)
    V_p_ = tilde(d_p_) * t.T_r * z_i - Q_ * f.T_t_p * z_j;  // (48)
    Omega_p_ = -Q_ * f.T_r_p * z_j;                         // (49)
    V_dot_p_ = tilde(d_p_) * (t.T_r * z_i_dot + t.zeta_r) - Q_ * (f.T_t_p * z_j_dot + f.zeta_t_p) -
               tilde(w) * (2.0 * V_p_ + tilde(w) * d_p_);                         // (50)
    Omega_dot_p_ = -Q_ * (f.T_r_p * z_j_dot + f.zeta_r_p) - tilde(w) * Omega_p_;  // (51)
  }

  /// The nine entries of B^s or of a derivative of it.
  static Matrix3d rotation(const VectorXd& rows) {
    return Eigen::Map<const Matrix3d>(rows.data() + 3).transpose();
  }

  const TimeValue shift_[3] = {};
  VectorXd c_[3], c_p_[3];  ///< values and derivatives by p of the rows and their first two rates
  Matrix3d Q_;
  Vector3d psi_f_p_, d_, V_, Omega_, V_dot_, Omega_dot_, d_p_, V_p_, Omega_p_, V_dot_p_, Omega_dot_p_;
};

TEST_F(RelativeKinematics, PositionFollowsEquation43) {
  // With S^j where the paper prints its transpose; compare its equation 33.
  expect_close(Vector3d(c_p_[0].head<3>()), d_p_, "(43)");
}

TEST_F(RelativeKinematics, OrientationFollowsEquation44) {
  // The rows are entries of B^s itself: no rotation parameters beta^s, no pseudo-inverse of (47).
  expect_close(rotation(c_[0]), Matrix3d(Q_.transpose()), "(34)");
  expect_close(rotation(c_p_[0]), Matrix3d(tilde(psi_f_p_).transpose() * Q_.transpose()), "(44)");
}

TEST_F(RelativeKinematics, VelocityFollowsEquation48) {
  expect_close(Vector3d(c_[1].head<3>()), V_, "(38)");
  expect_close(Vector3d(c_p_[1].head<3>()), V_p_, "(48)");
}

TEST_F(RelativeKinematics, AngularVelocityFollowsEquation49) {
  const Matrix3d B = rotation(c_[0]), B_p = rotation(c_p_[0]);
  expect_close(rotation(c_[1]), Matrix3d(B * tilde(Omega_)), "(40)");
  expect_close(rotation(c_p_[1]), Matrix3d(B_p * tilde(Omega_) + B * tilde(Omega_p_)), "(49)");
}

TEST_F(RelativeKinematics, AccelerationFollowsEquation50) {
  expect_close(Vector3d(c_[2].head<3>()), V_dot_, "(41)");
  expect_close(Vector3d(c_p_[2].head<3>()), V_dot_p_, "(50)");
}

TEST_F(RelativeKinematics, AngularAccelerationFollowsEquation51) {
  const Matrix3d B = rotation(c_[0]), B_p = rotation(c_p_[0]);
  const Matrix3d w = tilde(Omega_), w_p = tilde(Omega_p_);
  expect_close(rotation(c_[2]), Matrix3d(B * (tilde(Omega_dot_) + w * w)), "(42)");
  expect_close(rotation(c_p_[2]),
               Matrix3d(B_p * (tilde(Omega_dot_) + w * w) + B * (tilde(Omega_dot_p_) + w_p * w + w * w_p)),
               "(51)");
}

/// The rows of every type of joint, the last rotation that is held driven.
class Constraints : public DesignSensitivities, public ::testing::WithParamInterface<std::string> {
 protected:
  template <class S>
  RelativeRows<S> rows() const {
    std::array<bool, 6> locked{};
    EXPECT_TRUE(locked_dofs_of(GetParam(), locked));
    RelativeRows<S> rows(marker(0), marker(1));
    for (int k = 0; k < 3; ++k) {
      if (locked[k]) rows.add_translation(k);
    }
    rows.set_rotational_drive(2);
    rows.add_rotations({locked[3], locked[4], locked[5]});
    return rows;
  }
  template <class S>
  typename RelativeRows<S>::Ends ends(const MovingBody<S>& to, const MovingBody<S>& from) const {
    static const TimeValueOf<S> shift[3] = {{0.1, 0.2, 0.3}, {-0.2, 0.5, 0.1}, {0.3, -0.1, 0.6}};
    return {to.kinematics(), from.kinematics(), {0.4, -0.7, 1.1}, shift};
  }
};

TEST_P(Constraints, FollowEquations57And58And62AtPositionVelocityAndAccelerationLevel) {
  const RelativeRows<double> own = rows<double>();
  MatrixXd c_p[3];
  for (MatrixXd& level : c_p) level.resize(own.n_rows(), 1);
  own.push_forward(p_.data(), p_dot_, ends(moving_[0], moving_[1]), c_p[0], c_p[1], c_p[2]);

  const RelativeRows<Complex> moved = rows<Complex>();
  const MovingBody<Complex> to = complex_body(0), from = complex_body(1);
  RowsWorkspace<Complex> ws(moved.n_tangent());
  RelativeRows<Complex>::Derivatives d;
  const VectorX<Complex> p = moved_parameters();
  moved.derivatives(p.data(), ends(to, from), ws, d);
  expect_close(c_p[0], MatrixXd(d.c.imag() / step), "(57)");
  expect_close(c_p[1], MatrixXd(d.c_dot.imag() / step), "(58)");
  expect_close(c_p[2], MatrixXd(d.c_ddot.imag() / step), "(62)");

  // Backwards, the transpose of the same.
  test::Random random(41);
  const VectorXd w = random.vector(3 * own.n_rows());
  const double* w0 = w.data();
  VectorXd p_bar = VectorXd::Zero(p_.size());
  own.pullback(p_.data(), ends(moving_[0], moving_[1]), w0, w0 + own.n_rows(), w0 + 2 * own.n_rows(),
               p_bar.data());
  double expected = 0.0;
  for (int level = 0; level < 3; ++level)
    expected += w.segment(level * own.n_rows(), own.n_rows()).dot(c_p[level].col(0));
  EXPECT_NEAR(p_bar.dot(p_dot_), expected, 1e-12 * p_bar.norm() * p_dot_.norm());
}

TEST_P(Constraints, JacobianFollowsEquations60And61) {
  const RelativeRows<double> own = rows<double>();
  const RelativeRows<Complex> moved = rows<Complex>();
  const MovingBody<Complex> to = complex_body(0), from = complex_body(1);
  MatrixX<Complex> C(own.n_rows(), own.n_tangent());
  const VectorX<Complex> p = moved_parameters();
  moved.jacobian(p.data(), ends(to, from), C);
  const MatrixXd C_p = C.imag() / step;
  for (Eigen::Index row = 0; row < own.n_rows(); ++row) {
    const VectorXd lambda = VectorXd::Unit(own.n_rows(), row);
    MatrixXd reaction_p(own.n_tangent(), 1);
    own.push_forward_reaction(p_.data(), p_dot_, ends(moving_[0], moving_[1]), lambda.data(), reaction_p);
    expect_close(reaction_p, MatrixXd(C_p.row(row).transpose()), "(61)");
  }
  // (60): at velocity level without the drives, C_p applied to the velocities.
  MatrixXd c_p(own.n_rows(), 1), c_dot_p = c_p, c_ddot_p = c_p;
  RelativeRows<double>::Ends resting = ends(moving_[0], moving_[1]);
  resting.angle.rate = resting.angle.acceleration = 0.0;
  own.push_forward(p_.data(), p_dot_, resting, c_p, c_dot_p, c_ddot_p);
  VectorXd z(own.n_tangent());
  z << moving_[0].v, moving_[1].v;
  expect_close(c_dot_p, MatrixXd(C_p * z), "(60)");
}

INSTANTIATE_TEST_SUITE_P(JointTypes, Constraints, ::testing::ValuesIn(joint_type_names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Terms of [P0, eq. 65] on a mechanism that has every feature, off its constraints.
class KineticEquations : public ::testing::Test {
 protected:
  KineticEquations() {
    test::Random random(43);
    x_.setZero(real_.n_x());
    VectorXd v0(real_.n_v());
    real_.given_initial_state(x_, v0);
    const VectorXd start = x_;
    real_.retract(start, 0.7 * random.vector(real_.n_v()), x_);
    v_ = random.vector(real_.n_v()), v_dot_ = random.vector(real_.n_v());
    lambda_ = random.vector(real_.n_c());
    p_dot_ = random.vector(real_.parameters().size());
    complex_.set_parameters(complex_.parameters() + Complex(0.0, step) * p_dot_);
  }

  /// ds/dp p_dot at some accelerations and multipliers.
  VectorXd derivative(const VectorXd& v_dot, const VectorXd& lambda) const {
    MatrixXd f_p(real_.n_v(), 1), c_p(real_.n_c(), 1);
    const auto ws = real_.make_workspace();
    real_.push_forward({t_, x_, v_, v_dot, lambda}, p_dot_, *ws, f_p, c_p);
    return f_p;
  }
  DaeJacobians<Complex> complex_jacobians() const {
    DaeJacobians<Complex> jacobians = complex_.make_jacobians();
    const auto ws = complex_.make_workspace();
    const VectorX<Complex> x = x_.cast<Complex>(), v = v_.cast<Complex>(), v_dot = v_dot_.cast<Complex>(),
                           lambda = lambda_.cast<Complex>();
    complex_.jacobians({t_, x, v, v_dot, lambda}, *ws, jacobians);
    return jacobians;
  }

  MultibodySystem<double> real_{test::kitchen_sink()};
  MultibodySystem<Complex> complex_{test::kitchen_sink()};
  const double t_ = 0.4;
  VectorXd x_, v_, v_dot_, lambda_, p_dot_;
  const VectorXd rest_ = VectorXd::Zero(real_.n_v()), free_ = VectorXd::Zero(real_.n_c());
};

TEST_F(KineticEquations, MassMatrixTermOfEquation65) {
  const MatrixXd M_p = complex_jacobians().M.to_dense().imag() / step;
  expect_close(VectorXd(derivative(v_dot_, free_) - derivative(rest_, free_)), VectorXd(M_p * v_dot_), "M_p");
}

TEST_F(KineticEquations, ReactionTermOfEquation65) {
  // Reactions stand in f with a plus: the signs of the multipliers are opposite to the paper's.
  const MatrixXd C_p = complex_jacobians().C.to_dense().imag() / step;
  expect_close(VectorXd(derivative(rest_, lambda_) - derivative(rest_, free_)),
               VectorXd(C_p.transpose() * lambda_), "C_p^T lambda");
}

TEST_F(KineticEquations, ForceTermOfEquation65) {
  // Velocity-dependent inertia, elastic and applied forces, springs and gravity: f without M v_dot, C^T
  // lambda.
  const auto ws = complex_.make_workspace();
  VectorX<Complex> f(real_.n_v()), c(real_.n_c());
  const VectorX<Complex> x = x_.cast<Complex>(), v = v_.cast<Complex>(), rest = rest_.cast<Complex>(),
                         free = free_.cast<Complex>();
  complex_.residual({t_, x, v, rest, free}, *ws, f, c);
  expect_close(derivative(rest_, free_), VectorXd(f.imag() / step), "f_p");
}

}  // namespace
}  // namespace kurbel
