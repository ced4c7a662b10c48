#include "sid/sid_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace kurbel {
namespace {

using Eigen::Index;

/// Largest difference relative to the largest entry, or to a bound of it where that is larger: entries that
/// vanish by symmetry are rounding errors. Pairs are collected first, so that they share one scale.
class Comparison {
 public:
  explicit Comparison(std::string name, double bound = 0.0) : scale_(bound) {
    identity_.name = std::move(name);
  }
  void add(const MatrixXd& a, const MatrixXd& b) {
    if (a.size() == 0) return;
    difference_ = std::max(difference_, (a - b).cwiseAbs().maxCoeff());
    scale_ = std::max({scale_, a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()});
  }
  SidIdentity result() const {
    SidIdentity identity = identity_;
    identity.violation = scale_ > 0.0 ? difference_ / scale_ : 0.0;
    return identity;
  }

 private:
  SidIdentity identity_;
  double difference_ = 0.0, scale_;
};

SidIdentity symmetry(const std::string& name, const Taylor& t) {
  Comparison c(name + " symmetric");
  c.add(t.M0, t.M0.transpose());
  for (const MatrixXd& m : t.M1) c.add(m, m.transpose());
  for (const MatrixXd& m : t.Mn) c.add(m, m.transpose());
  return c.result();
}

/// The quadratic form w^T A w on the products (w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3).
Eigen::RowVectorXd quadratic_form(const Matrix3d& A) {
  Eigen::RowVectorXd row(6);
  row << A(0, 0), A(1, 1), A(2, 2), A(0, 1) + A(1, 0), A(1, 2) + A(2, 1), A(0, 2) + A(2, 0);
  return row;
}

Matrix3d skew(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

/// Integrals of r^2 and of the largest Phi_k^2, for bounds by the inequality of Cauchy and Schwarz.
double integral_of_r2(const Sid& sid) {
  return 0.5 * std::abs(sid.J.M0.trace());
}
double integral_of_Phi2(const Sid& sid) {
  return sid.Me.M0.diagonal().cwiseAbs().maxCoeff();
}

std::vector<SidIdentity> shape_identities(const Sid& sid) {
  const double Phi2 = integral_of_Phi2(sid), r2 = integral_of_r2(sid);
  Comparison mdCM("mdCM.M1 = Ct^T", std::sqrt(std::abs(sid.refmod.mass) * Phi2));
  const bool second_order = !sid.Ct.M1.empty();  // of which Cr.M1 has a symmetric part
  Comparison Ge(second_order ? "Ge.M0 = Cr.M1 - its transpose" : "Ge.M0 = 2 Cr.M1", Phi2);
  Comparison Ct("Ct.M1 symmetric");
  Comparison J("J.M1 = sym Gr.M0", std::sqrt(r2 * Phi2));
  Comparison Oe("Oe.M0 = form of -Gr.M0/2", std::sqrt(r2 * Phi2));
  Comparison origin("node origin.M1 = phi"), AP("node AP.M1 = psi~ AP");
  const Index n_q = sid.n_q();
  for (Index k = 0; k < n_q; ++k) {
    const std::size_t i = static_cast<std::size_t>(k);
    const Matrix3d Gr_k = sid.Gr.M0.middleCols(3 * k, 3);
    if (i < sid.mdCM.M1.size()) mdCM.add(sid.mdCM.M1[i], sid.Ct.M0.row(k).transpose());
    if (i < sid.Cr.M1.size()) {
      MatrixXd antisymmetric = 2.0 * sid.Cr.M1[i];
      for (Index l = 0; l < n_q && second_order; ++l) {
        antisymmetric.row(l) = sid.Cr.M1[i].row(l) - sid.Cr.M1[static_cast<std::size_t>(l)].row(k);
        Ct.add(sid.Ct.M1[i].row(l), sid.Ct.M1[static_cast<std::size_t>(l)].row(k));
      }
      Ge.add(sid.Ge.M0.middleCols(3 * k, 3), antisymmetric);
    }
    if (i < sid.J.M1.size()) J.add(sid.J.M1[i], 0.5 * (Gr_k + Gr_k.transpose()));
    Oe.add(sid.Oe.M0.row(k), quadratic_form(-0.5 * Gr_k));
    for (const SidNode& node : sid.frame) {
      if (i < node.origin.M1.size()) origin.add(node.origin.M1[i], node.phi.M0.col(k));
      if (i < node.AP.M1.size()) AP.add(node.AP.M1[i], skew(node.psi.M0.col(k)) * node.AP.M0);
    }
  }
  std::vector<SidIdentity> identities = {mdCM.result(), Ge.result(), J.result(), Oe.result()};
  if (second_order) identities.push_back(Ct.result());
  if (!sid.frame.empty()) identities.insert(identities.end(), {origin.result(), AP.result()});
  return identities;
}

SidIdentity inertia_is_physical(const RigidProperties& p) {
  const Vector3d& I = p.principal;
  const double largest = I.cwiseAbs().maxCoeff();
  const double excess = std::max({0.0, -I[0], I[2] - I[0] - I[1]});
  return {"principal inertias of a real body", largest > 0.0 ? excess / largest : 0.0};
}

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
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(sid.Ke.M0, sid.Me.M0,
                                                                  Eigen::EigenvaluesOnly);
  return solver.eigenvalues().unaryExpr([](double lambda) {
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

std::vector<SidIdentity> sid_identities(const Sid& sid) {
  std::vector<SidIdentity> identities = {symmetry("J", sid.J)};
  if (sid.n_q() > 0) {
    for (const auto& [name, taylor] : {std::pair{"Me", &sid.Me}, {"Ke", &sid.Ke}, {"De", &sid.De}}) {
      identities.push_back(symmetry(name, *taylor));
    }
    const std::vector<SidIdentity> more = shape_identities(sid);
    identities.insert(identities.end(), more.begin(), more.end());
  }
  identities.push_back(inertia_is_physical(rigid_properties(sid)));
  return identities;
}

std::string describe_sid(const std::string& name, const Sid& sid) {
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
  for (const SidIdentity& identity : sid_identities(sid)) {
    fmt::format_to(out, "    {:<36} {} ({:.1e})\n", identity.name, identity.holds() ? "holds" : "VIOLATED",
                   identity.violation);
  }
  return text;
}

}  // namespace kurbel
