#include "sid/sid_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "base/symmetric_eigen.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

using Text = std::back_insert_iterator<std::string>;

std::string vector_text(const VectorXd& v) {
  std::string text;
  for (Index i = 0; i < v.size(); ++i) text += fmt::format("{}{:.6g}", i ? ", " : "", v[i]);
  return "(" + text + ")";
}

void describe_rigid(Text out, const RigidProperties& p) {
  fmt::format_to(out, "  mass                {:.9g} kg\n", p.mass);
  fmt::format_to(out, "  centre of mass      {} m\n", vector_text(p.centre_of_mass));
  fmt::format_to(out, "  inertia about it    xx yy zz {}, xy yz xz {} kg m^2\n",
                 vector_text(p.inertia.diagonal()),
                 vector_text(Vector3d(p.inertia(0, 1), p.inertia(1, 2), p.inertia(0, 2))));
  fmt::format_to(out, "  principal moments   {} kg m^2\n", vector_text(p.principal));
}

void describe_elastic(Text out, const Sid& sid) {
  fmt::format_to(out, "  elastic coordinates {}\n", sid.n_q());
  if (sid.n_q() == 0) return;
  const VectorXd frequencies = natural_frequencies(sid);
  if (frequencies.size() == 0) {
    fmt::format_to(out, "  frequencies         none: Me is not positive definite\n");
    return;
  }
  fmt::format_to(out, "  frequencies, {}:\n",
                 frame_conditions(sid).mean_axes ? "free in space" : "held at the reference frame");
  for (Index i = 0; i < frequencies.size(); ++i)
    fmt::format_to(out, "    {:>3}  {:.6g} Hz\n", i + 1, frequencies[i]);
  fmt::format_to(out, "  modal masses        {}\n", vector_text(sid.Me.M0.diagonal()));
  fmt::format_to(out, "  coordinates         ");
  for (Index i = 0; i < sid.n_q(); ++i) {
    fmt::format_to(out, "{}{}", i ? ", " : "", sid.refmod.ielastq[static_cast<std::size_t>(i)]);
  }
  fmt::format_to(out, "\n");
}

void describe_frame(Text out, const Sid& sid) {
  const FrameConditions conditions = frame_conditions(sid);
  if (!conditions.rframes.empty())
    fmt::format_to(out, "  reference frame     {}\n", fmt::join(conditions.rframes, ", "));
  if (sid.n_q() == 0) return;
  fmt::format_to(out, "  boundary conditions {}\n",
                 conditions.mean_axes ? "free shapes in a mean-axis frame: Ct and Cr vanish"
                                      : "shapes held in the frame: Ct or Cr does not vanish");
  if (!conditions.clamped.empty())
    fmt::format_to(out, "    clamped markers   {}\n", fmt::join(conditions.clamped, ", "));
  if (!conditions.pinned.empty())
    fmt::format_to(out, "    pinned markers    {}\n", fmt::join(conditions.pinned, ", "));
}

}  // namespace

double integral_of_r2(const Sid& sid) {
  return 0.5 * std::abs(sid.J.M0.trace());
}

double integral_of_Phi2(const Sid& sid) {
  return sid.Me.M0.diagonal().cwiseAbs().maxCoeff();
}

RigidProperties rigid_properties(const Sid& sid) {
  RigidProperties p;
  p.mass = sid.refmod.mass;
  if (p.mass > 0.0) p.centre_of_mass = sid.mdCM.M0 / p.mass;
  const Vector3d& c = p.centre_of_mass;
  p.inertia = sid.J.M0 - p.mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  p.principal = Eigen::SelfAdjointEigenSolver<Matrix3d>(p.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  return p;
}

VectorXd natural_frequencies(const Sid& sid) {
  if (sid.n_q() == 0 || Eigen::LLT<MatrixXd>(sid.Me.M0).info() != Eigen::Success) return {};
  return symmetric_eigen(sid.Ke.M0, sid.Me.M0).values.unaryExpr([](double lambda) {
    return std::copysign(std::sqrt(std::abs(lambda)), lambda) / (2.0 * std::numbers::pi);
  });
}

FrameConditions frame_conditions(const Sid& sid) {
  FrameConditions out;
  double phi_scale = 0.0, psi_scale = 0.0;
  for (const SidNode& node : sid.frame) {
    if (std::find(out.rframes.begin(), out.rframes.end(), node.rframe) == out.rframes.end())
      out.rframes.push_back(node.rframe);
    if (sid.n_q() == 0) continue;
    phi_scale = std::max(phi_scale, node.phi.M0.cwiseAbs().maxCoeff());
    psi_scale = std::max(psi_scale, node.psi.M0.cwiseAbs().maxCoeff());
  }
  if (sid.n_q() == 0) return out;
  constexpr double rounding = 1e-9;
  const double Phi2 = integral_of_Phi2(sid);
  out.mean_axes = sid.Ct.M0.cwiseAbs().maxCoeff() <= rounding * std::sqrt(std::abs(sid.refmod.mass) * Phi2) &&
                  sid.Cr.M0.cwiseAbs().maxCoeff() <= rounding * std::sqrt(integral_of_r2(sid) * Phi2);
  for (const SidNode& node : sid.frame) {
    if (node.phi.M0.cwiseAbs().maxCoeff() > rounding * phi_scale) continue;
    const bool turns = node.psi.M0.cwiseAbs().maxCoeff() > rounding * psi_scale;
    (turns ? out.pinned : out.clamped).push_back(node.name);
  }
  return out;
}

std::string describe_sid(const std::string& name, const Sid& sid, const SidPrecision& precision) {
  std::string text;
  Text out(text);
  fmt::format_to(out, "body {} ({})\n", name, sid.n_q() > 0 ? "flexible" : "rigid");
  describe_rigid(out, rigid_properties(sid));
  describe_elastic(out, sid);
  describe_frame(out, sid);
  fmt::format_to(out, "  markers             {}\n", sid.frame.empty() ? "none" : "");
  for (const SidNode& node : sid.frame) {
    fmt::format_to(out, "    {:<16} at {} m\n", node.name, vector_text(node.origin.M0));
  }
  fmt::format_to(out, "  checks\n");
  for (const SidIdentity& identity : sid_identities(sid, precision)) {
    fmt::format_to(out, "    {:<36} {} ({:.1e})\n", identity.name, identity.holds() ? "holds" : "VIOLATED",
                   identity.violation);
  }
  const MassDefiniteness mass = mass_definiteness(sid, precision);
  fmt::format_to(out, "    {:<36} {} (smallest eigenvalue {:.3g}, diagonal scaled to 1)\n", "mass matrix",
                 mass.indefinite() ? "INDEFINITE" : "not indefinite", mass.smallest);
  return text;
}

}  // namespace kurbel
