#include "sid/sid_identities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/symmetric_eigen.hpp"
#include "sid/sid_columns.hpp"
#include "sid/sid_comparison.hpp"
#include "sid/sid_info.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

SidIdentity symmetry(const std::string& name, const Taylor& t, const SidPrecision& precision) {
  Comparison c(name + " symmetric", precision);
  c.add(t.M0, t.M0.transpose());
  for (const MatrixXd& m : t.M1) c.add(m, m.transpose());
  for (const MatrixXd& m : t.Mn) c.add(m, m.transpose());
  return c.result();
}

std::size_t index(Index k) {
  return static_cast<std::size_t>(k);
}

SidIdentity identity_of_mdCM(const Sid& sid, const SidPrecision& precision) {
  Comparison c("mdCM.M1 = Ct^T", precision, std::sqrt(std::abs(sid.refmod.mass) * integral_of_Phi2(sid)));
  for (Index k = 0; k < static_cast<Index>(sid.mdCM.M1.size()); ++k)
    c.add(sid.mdCM.M1[index(k)], sid.Ct.M0.row(k).transpose());
  return c.result();
}

SidIdentity symmetry_of_Ct(const Sid& sid, const SidPrecision& precision) {
  Comparison c("Ct.M1 symmetric", precision);
  for (Index k = 0; k < sid.n_q(); ++k) {
    for (Index l = 0; l < sid.n_q(); ++l) c.add(sid.Ct.M1[index(k)].row(l), sid.Ct.M1[index(l)].row(k));
  }
  return c.result();
}

std::vector<SidIdentity> node_identities(const Sid& sid, const SidPrecision& precision) {
  Comparison origin("node origin.M1 = phi", precision), AP("node AP.M1 = psi~ AP", precision);
  for (const SidNode& node : sid.frame) {
    for (Index k = 0; k < sid.n_q(); ++k) {
      const std::size_t i = index(k);
      if (i < node.origin.M1.size()) origin.add(node.origin.M1[i], node.phi.M0.col(k));
      if (i < node.AP.M1.size()) AP.add(node.AP.M1[i], cross_matrix(node.psi.M0.col(k)) * node.AP.M0);
    }
  }
  if (sid.frame.empty()) return {};
  return {origin.result(), AP.result()};
}

SidIdentity inertia_is_physical(const Sid& sid, const SidPrecision& precision) {
  const Vector3d I = rigid_properties(sid).principal;
  const double largest = I.cwiseAbs().maxCoeff();
  const double excess = std::max({0.0, -I[0], I[2] - I[0] - I[1]});
  SidIdentity identity{"principal inertias of a real body"};
  if (!(largest > 0.0)) return identity;
  identity.violation = excess / largest;
  // J of the centre of mass is J less the mass times a square of its distance.
  const double J = sid.J.M0.cwiseAbs().maxCoeff();
  identity.tolerance += 6.0 * (precision.absolute + precision.relative * J) / largest;
  return identity;
}

MatrixXd mass_matrix(const Sid& sid) {
  const Index n_q = sid.n_q();
  MatrixXd M = MatrixXd::Zero(6 + n_q, 6 + n_q);
  const Matrix3d mc = cross_matrix(sid.mdCM.M0);
  M.topLeftCorner<3, 3>() = sid.refmod.mass * Matrix3d::Identity();
  M.block<3, 3>(3, 0) = mc;
  M.block<3, 3>(0, 3) = mc.transpose();
  M.block<3, 3>(3, 3) = sid.J.M0;
  if (n_q == 0) return M;
  M.block(6, 0, n_q, 3) = sid.Ct.M0;
  M.block(6, 3, n_q, 3) = sid.Cr.M0;
  M.topRightCorner(6, n_q) = M.bottomLeftCorner(n_q, 6).transpose();
  M.bottomRightCorner(n_q, n_q) = sid.Me.M0;
  return M;
}

/// Lengths s such that M_ij / (s_i s_j) has no units and a diagonal of 1 (or -1); where the diagonal vanishes
/// and the row does not, an entry of 1 beside it.
VectorXd diagonal_scales(const MatrixXd& M) {
  VectorXd s = M.diagonal().cwiseAbs().cwiseSqrt();
  for (Index i = 0; i < M.rows(); ++i) {
    if (s[i] > 0.0) continue;
    double largest = 0.0;
    for (Index j = 0; j < M.rows(); ++j) {
      if (M(j, j) != 0.0) largest = std::max(largest, std::abs(M(i, j)) / std::sqrt(std::abs(M(j, j))));
    }
    s[i] = largest > 0.0 ? largest : 1.0;
  }
  return s;
}

constexpr double largest_usable_violation = 1e-2;

void require_usable_columns(const char* member, const SidIdentity& given, const SidIdentity& reordered) {
  if (!given.compares || given.violation <= largest_usable_violation + given.tolerance) return;
  throw InputError(fmt::format(
      "the columns of {} fit neither order: {} is violated by {:.2g} of its size as they stand, by "
      "{:.2g} in the other order",
      member, given.name, given.violation, reordered.violation));
}

}  // namespace

SidIdentity identity_of_Gr(const Sid& sid, const SidPrecision& precision) {
  Comparison c("J.M1 = sym Gr.M0", precision, std::sqrt(integral_of_r2(sid) * integral_of_Phi2(sid)));
  for (Index k = 0; k < static_cast<Index>(sid.J.M1.size()); ++k) {
    const Matrix3d Gr_k = sid.Gr.M0.middleCols(3 * k, 3);
    c.add(sid.J.M1[index(k)], 0.5 * (Gr_k + Gr_k.transpose()));
  }
  return c.result();
}

SidIdentity identity_of_Ge(const Sid& sid, const SidPrecision& precision) {
  const bool second_order = !sid.Ct.M1.empty();  // of which Cr.M1 has a symmetric part
  Comparison c(second_order ? "Ge.M0 = Cr.M1 - its transpose" : "Ge.M0 = 2 Cr.M1", precision,
               integral_of_Phi2(sid));
  for (Index k = 0; k < static_cast<Index>(sid.Cr.M1.size()); ++k) {
    MatrixXd antisymmetric = 2.0 * sid.Cr.M1[index(k)];
    for (Index l = 0; l < sid.n_q() && second_order; ++l)
      antisymmetric.row(l) = sid.Cr.M1[index(k)].row(l) - sid.Cr.M1[index(l)].row(k);
    c.add(sid.Ge.M0.middleCols(3 * k, 3), antisymmetric);
  }
  return c.result();
}

SidIdentity identity_of_Oe(const Sid& sid, const SidPrecision& precision) {
  Comparison c("Oe.M0 = form of -Gr.M0/2", precision, std::sqrt(integral_of_r2(sid) * integral_of_Phi2(sid)));
  for (Index k = 0; k < sid.n_q(); ++k)
    c.add(sid.Oe.M0.row(k), quadratic_form(-0.5 * sid.Gr.M0.middleCols(3 * k, 3)));
  return c.result();
}

std::vector<SidIdentity> sid_identities(const Sid& sid, const SidPrecision& precision) {
  std::vector<SidIdentity> identities = {symmetry("J", sid.J, precision)};
  if (sid.n_q() > 0) {
    for (const auto& [name, taylor] : {std::pair{"Me", &sid.Me}, {"Ke", &sid.Ke}, {"De", &sid.De}}) {
      identities.push_back(symmetry(name, *taylor, precision));
    }
    identities.push_back(identity_of_mdCM(sid, precision));
    identities.push_back(identity_of_Ge(sid, precision));
    identities.push_back(identity_of_Gr(sid, precision));
    identities.push_back(identity_of_Oe(sid, precision));
    if (!sid.Ct.M1.empty()) identities.push_back(symmetry_of_Ct(sid, precision));
    for (SidIdentity& identity : node_identities(sid, precision)) identities.push_back(std::move(identity));
  }
  identities.push_back(inertia_is_physical(sid, precision));
  return identities;
}

MassDefiniteness mass_definiteness(const Sid& sid, const SidPrecision& precision) {
  const MatrixXd M = mass_matrix(sid);
  const VectorXd s = diagonal_scales(M);
  const auto scaled = [&](const MatrixXd& m) -> MatrixXd { return m.cwiseQuotient(s * s.transpose()); };
  const MatrixXd error = (precision.relative * M.cwiseAbs()).array() + precision.absolute;
  MassDefiniteness out;
  out.smallest = symmetric_eigenvalues(scaled(M))[0];
  out.tolerance += scaled(error).norm();  // no eigenvalue moves further
  return out;
}

void require_usable(const Sid& sid, const SidPrecision& precision, bool accept_indefinite) {
  if (sid.n_q() > 0) {
    Sid other = sid;
    order_by_direction(other.Gr, sid.n_q());
    order_by_direction(other.Ge, sid.n_q());
    exchange_last_columns(other.Oe);
    require_usable_columns("Gr", identity_of_Gr(sid, precision), identity_of_Gr(other, precision));
    require_usable_columns("Ge", identity_of_Ge(sid, precision), identity_of_Ge(other, precision));
    other.Gr = sid.Gr;
    require_usable_columns("Oe", identity_of_Oe(sid, precision), identity_of_Oe(other, precision));
  }
  const MassDefiniteness mass = mass_definiteness(sid, precision);
  if (accept_indefinite || !mass.indefinite()) return;
  std::vector<std::string> violated;
  for (const SidIdentity& identity : sid_identities(sid, precision)) {
    if (!identity.holds()) violated.push_back(identity.name);
  }
  throw InputError(fmt::format(
      "its mass matrix [m, mc, J, Ct, Cr, Me] is indefinite, with the eigenvalue {:.3g} where its diagonal "
      "is "
      "scaled to 1{}; accept_indefinite = true takes it as it is",
      mass.smallest, violated.empty() ? "" : fmt::format("; violated: {}", fmt::join(violated, ", "))));
}

}  // namespace kurbel
