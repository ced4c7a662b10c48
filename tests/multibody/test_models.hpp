/// @file
/// Mechanisms for tests: bodies with random but consistent standard input data.
#pragma once

#include <random>

#include "multibody/multibody_system.hpp"

namespace kurbel::test {

/// Standard normal numbers from a fixed seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return normal_(engine_); }
  MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) {
    return MatrixXd::NullaryExpr(rows, cols, [this] { return normal_(engine_); });
  }
  VectorXd vector(Eigen::Index n) { return matrix(n, 1); }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

/// A mass point of a flexible body with its mode shapes.
struct MassPoint {
  double m;
  Vector3d r;
  MatrixXd Phi;  ///< 3 x n_q
};

inline std::vector<MassPoint> random_mass_points(Random& random, Eigen::Index n_q) {
  std::vector<MassPoint> points;
  for (int i = 0; i < 12; ++i) {
    const double m = 0.1 + 0.05 * std::abs(random());
    const Vector3d r = 0.3 * random.vector(3);
    points.push_back({m, r, 0.5 * random.matrix(3, n_q)});
  }
  return points;
}

/// SID of a cloud of mass points with random mode shapes: every identity between coefficients holds exactly.
/// Markers "a" and "b".
inline Sid random_flexible_sid(unsigned seed, Eigen::Index n_q, double stiffness = 50.0) {
  Random random(seed);
  std::vector<std::string> names;
  for (Eigen::Index k = 0; k < n_q; ++k) names.push_back("q" + std::to_string(k + 1));
  Sid sid = Sid::zeros(names, {});
  for (const auto& [m, r, Phi] : random_mass_points(random, n_q)) {
    const Matrix3d r_t = tilde(r);
    sid.refmod.mass += m;
    sid.mdCM.M0 += m * r;
    sid.J.M0 += m * r_t * r_t.transpose();
    sid.Ct.M0 += m * Phi.transpose();
    sid.Me.M0 += m * Phi.transpose() * Phi;
    for (Eigen::Index k = 0; k < n_q; ++k) {
      const Vector3d phi_k = Phi.col(k);
      const Matrix3d phi_kt = tilde(phi_k);
      sid.mdCM.M1[k] += m * phi_k;
      sid.J.M1[k] += m * (r_t * phi_kt.transpose() + phi_kt * r_t.transpose());
      sid.Cr.M0.row(k) += m * cross(r, phi_k).transpose();
      sid.Gr.M0.middleCols(3 * k, 3) += 2.0 * m * r_t * phi_kt.transpose();
      const auto oe_row = [&](const Vector3d& s) {
        const Matrix3d K = phi_kt * tilde(s).transpose();
        Eigen::RowVectorXd row(6);
        row << K(0, 0), K(1, 1), K(2, 2), K(0, 1) + K(1, 0), K(1, 2) + K(2, 1), K(0, 2) + K(2, 0);
        return row;
      };
      sid.Oe.M0.row(k) += m * oe_row(r);
      for (Eigen::Index l = 0; l < n_q; ++l) {
        const Vector3d phi_l = Phi.col(l);
        const Matrix3d phi_lt = tilde(phi_l);
        sid.J.Mn[k * n_q + l] += 0.5 * m * (phi_kt * phi_lt.transpose() + phi_lt * phi_kt.transpose());
        sid.Cr.M1[l].row(k) += m * cross(phi_l, phi_k).transpose();
        sid.Gr.M1[l].middleCols(3 * k, 3) += 2.0 * m * phi_lt * phi_kt.transpose();
        sid.Ge.M0.block(k, 3 * l, 1, 3) += 2.0 * m * phi_k.transpose() * phi_lt.transpose();
        sid.Oe.M1[l].row(k) += m * oe_row(phi_l);
      }
    }
  }
  const MatrixXd root = random.matrix(n_q, n_q);
  sid.Ke.M0 = stiffness * (root * root.transpose() + MatrixXd::Identity(n_q, n_q));
  for (const char* name : {"a", "b"}) {
    const Vector3d R = 0.4 * random.vector(3);
    SidNode node = make_sid_node(name, R, rotation_matrix(exp_quaternion<double>(random.vector(3))), n_q);
    node.phi.M0 = 0.3 * random.matrix(3, n_q);
    node.psi.M0 = 0.3 * random.matrix(3, n_q);
    sid.frame.push_back(node);
  }
  return sid;
}

inline Sid rigid_sid_with_markers(double mass, const Vector3d& com, const Vector3d& inertia,
                                  const Vector3d& a, const Vector3d& b) {
  return make_rigid_sid(
      mass, com, inertia.asDiagonal().toDenseMatrix(),
      {make_sid_node("a", a, Matrix3d::Identity(), 0), make_sid_node("b", b, Matrix3d::Identity(), 0)});
}

/// Every feature at once: two flexible bodies and a rigid one, joints of several kinds with drives, springs,
/// loads.
inline SystemSpec kitchen_sink() {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {
      make_sid_node("post", {0.2, -0.1, 0.3}, rotation_matrix(exp_quaternion<double>({0.3, 0.1, -0.2})), 0)};
  spec.bodies = {{"one", random_flexible_sid(1, 3), {}},
                 {"two", random_flexible_sid(2, 2), {}},
                 {"rod",
                  rigid_sid_with_markers(1.3, {0.1, 0.02, 0.0}, {0.02, 0.05, 0.04}, {0, 0, 0}, {0.5, 0.1, 0}),
                  {}}};
  std::array<bool, 6> locked{};
  locked_dofs_of("revolute", locked);
  spec.joints.push_back({"base",
                         {"ground", "post"},
                         {"one", "a"},
                         locked,
                         {{RelativeDof::rz, polynomial({0.0, {0.0, 0.5}}, {2.0, {3.0, 1.0}})}}});
  locked_dofs_of("universal", locked);
  spec.joints.push_back({"elbow", {"one", "b"}, {"two", "a"}, locked, {}});
  spec.joints.push_back({"slide",
                         {"rod", "b"},
                         {"ground", "origin"},
                         {true, false, false, false, false, false},
                         {{RelativeDof::ty, constant_rate(0.1, 0.4)}}});
  spec.joints.push_back({"wrist", {"two", "b"}, {"rod", "a"}, {false, true, false, false, true, false}, {}});
  spec.springs.push_back({"coil", {"one", "b"}, {"rod", "b"}, 40.0, 1.5, 0.3});
  spec.springs.push_back({"tether", {"ground", "post"}, {"two", "b"}, 30.0, 0.7, 0.2});
  spec.torsion_springs.push_back({"twist", {"two", "a"}, {"rod", "a"}, 12.0, 0.4, 0.2});
  spec.torsion_springs.push_back({"hinge", {"ground", "post"}, {"one", "a"}, 2.0, 0.3, 5.0});
  MarkerLoadSpec push{"push", {"two", "b"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {constant_rate(1.0, 0.2), nullptr, constant_rate(-2.0, 0.0)};
  push.torque = {nullptr, constant_rate(0.5, 0.0), constant_rate(0.1, 0.3)};
  MarkerLoadSpec thrust = push;
  thrust.name = "thrust", thrust.marker = {"one", "b"}, thrust.frame = MarkerLoadSpec::Frame::body;
  spec.loads = {push, thrust};
  return spec;
}

}  // namespace kurbel::test
