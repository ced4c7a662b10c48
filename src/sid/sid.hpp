/// @file
/// Standard input data of a body (SID): all that a multibody simulation needs to know of it.
///
/// The classes are those of Wallrapp's standard [P0, Tables 2-5]; docs/theory.md tells of the body
/// integrals [P0, Table 1] behind each coefficient. A rigid body is the case of no elastic coordinates (n_q =
/// 0). The same structure also carries sensitivities: a `Sid` whose entries are d psi / d (entry), taken as
/// independent, is called sid_bar.
#pragma once

#include <string>
#include <vector>

#include "sid/taylor.hpp"

namespace kurbel {

/// Class `node`: a marker of the body. All vectors are in the body's reference frame.
struct SidNode {
  std::string name;
  std::string rframe = "body ref";  ///< the frame the node refers to
  Taylor origin;                    ///< 3 x 1    position: M0 = R (m), M1[k] = column k of Phi
  Taylor
      phi;  ///< 3 x n_q  displacement shapes Phi of the marker; M1[l] column k, where there is one: Gamma_kl
  Taylor psi;  ///< 3 x n_q  rotation shapes Psi of the marker
  Taylor AP;   ///< 3 x 3    orientation: M0, and M1[k] = (Psi_k)~ M0
};

/// Class `refmod`.
struct SidRefmod {
  double mass = 0.0;                 ///< kg
  std::vector<std::string> ielastq;  ///< a name per elastic coordinate, n_q of them
  Eigen::Index nelastq() const { return static_cast<Eigen::Index>(ielastq.size()); }
};

/// Class `modal`: a body. Shapes for n_q elastic coordinates; units SI.
struct Sid {
  SidRefmod refmod;
  std::vector<SidNode> frame;

  Taylor mdCM;  ///< 3 x 1      int rho r dV; M1[k] = column k of Ct^T
  Taylor J;     ///< 3 x 3      int rho r~ r~^T dV; M1, Mn
  /// n_q x 3    int rho Phi^T dV. M1, where there is one, says that the displacement is Phi q + q^T Gamma q /
  /// 2, M1[l] row k = int rho Gamma_kl^T dV: geometric stiffening and foreshortening (docs/theory.md).
  Taylor Ct;
  Taylor Cr;  ///< n_q x 3    int rho (r x Phi^k)^T dV; M1
  Taylor Me;  ///< n_q x n_q  int rho Phi^T Phi dV
  Taylor Gr;  ///< 3 x 3 n_q  block k: 2 int rho r~ Phi_k~^T dV; M1            [P0, eq. 70b]
  Taylor Ge;  ///< n_q x 3 n_q  block l, row k: 2 int rho Phi_k^T Phi_l~^T dV  [P0, eq. 70c]
  /// n_q x 6: int rho Phi_k^T omega~ omega~ r dV on (w1^2, w2^2, w3^2, w1w2, w2w3, w1w3); M1. It enters
  /// h_omega with +; the middle term of [P0, eq. 70c] as printed has the other sign.
  Taylor Oe;
  Taylor ksigma;  ///< n_q x 1    generalized stresses of the undeformed state
  Taylor Ke;      ///< n_q x n_q  Phi^T K Phi
  Taylor De;      ///< n_q x n_q  alpha Me + beta Ke, or given

  Eigen::Index n_q() const { return refmod.nelastq(); }

  /// The node of that name; nullptr when the body has none.
  const SidNode* find_node(const std::string& name) const;

  /// All shapes right, all entries zero: the form of a sid_bar, and the start of an assembly.
  static Sid zeros(std::vector<std::string> elastic_coordinates, const std::vector<std::string>& node_names);
};

/// Adds the entries of a sid_bar of the same body.
void add(Sid& to, const Sid& bar);

/// A node at position R (m) with orientation A0 (3 x 3) on a body with n_q elastic coordinates, without
/// shapes.
SidNode make_sid_node(const std::string& name, const Vector3d& R, const Matrix3d& A0, Eigen::Index n_q);

/// A rigid body as SID.
/// @param mass  kg
/// @param com   centre of mass in the body's frame, m
/// @param J_com inertia about the centre of mass, axes of the body's frame, kg m^2
Sid make_rigid_sid(double mass, const Vector3d& com, const Matrix3d& J_com, std::vector<SidNode> nodes);

}  // namespace kurbel
