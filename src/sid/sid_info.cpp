#include "sid/sid_info.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/symmetric_eigen.hpp"

namespace kurbel {

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

}  // namespace kurbel
