#include "plausibility/body_trial.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>

#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"

namespace kurbel {

namespace {

void find_frequencies(const Sid& sid, BodyTrial& trial) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(sid.Ke.M0, sid.Me.M0);
  const VectorXd omegas = modes.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  trial.first_frequency = omegas[0] / turn, trial.last_frequency = omegas[omegas.size() - 1] / turn;
  const VectorXd first = modes.eigenvectors().col(0);
  if (sid.De.M0.size() > 0 && omegas[0] > 0.0)
    trial.first_damping = first.dot(sid.De.M0 * first) / (2.0 * omegas[0]);
}

/// Largest displacement of a node of the mesh, or of a marker of standard input data.
double deflection_of(const EvaluationChain& chain, const ChainResult& result, std::size_t body,
                     const Sid& sid, const MatrixXd& q) {
  constexpr Eigen::Index most_instants = 100;
  const auto largest = [](const MatrixXd& shapes, const VectorXd& at) {
    const VectorXd u = shapes * at;
    return Eigen::Map<const Eigen::Matrix3Xd>(u.data(), 3, u.size() / 3).colwise().norm().maxCoeff();
  };
  double most = 0.0;
  const Eigen::Index stride = std::max<Eigen::Index>(1, q.cols() / most_instants);
  for (Eigen::Index k = 0; k < q.cols(); k += stride) {
    if (chain.body(body)) {
      most = std::max(most, largest(result.reduced[body].shapes, q.col(k)));
      continue;
    }
    for (const SidNode& node : sid.frame) {
      if (node.phi.M0.size() > 0) most = std::max(most, largest(node.phi.M0, q.col(k)));
    }
  }
  return most;
}

/// Amplitude of the parts of a signal that turn by more than `cut` from sample to sample, by a discrete Fourier
/// transform behind the window of Hann.
double amplitude_above(double cut, VectorXd signal) {
  const auto n = static_cast<double>(signal.size());
  signal.array() -= signal.mean();
  double of_window = 0.0;
  for (Eigen::Index k = 0; k < signal.size(); ++k) {
    const double window = 0.5 - 0.5 * std::cos(turn * static_cast<double>(k) / n);
    signal[k] *= window, of_window += window * window;
  }
  double energy = signal.squaredNorm();
  for (double bin = 0.0; bin * turn / n < cut; ++bin) {
    std::complex<double> sum = 0.0;
    for (Eigen::Index k = 0; k < signal.size(); ++k)
      sum += signal[k] * std::polar(1.0, -turn * bin * static_cast<double>(k) / n);
    energy -= (bin == 0.0 ? 1.0 : 2.0) * std::norm(sum) / n;
  }
  return std::sqrt(2.0 * std::max(0.0, energy) / of_window);
}

/// The largest frequency of a coordinate with fewer than 20 steps in a period that still vibrates in the end, with a
/// tenth of the largest deflection or more. Steps that do not resolve omega turn it by 2 atan(omega h / 2) each, as the
/// trapezoidal rule does; what follows its forces without inertia is slower.
double unresolved_frequency(const Sid& sid, const MatrixXd& q, double h, double length) {
  constexpr double enough_steps = 20.0, noticeable = 0.1, rounding = 1e-12, beside = 0.7;
  constexpr Eigen::Index fewest = 16, most_instants = 256;
  const Eigen::Index n = std::min(q.cols() / 2, most_instants);
  const double most = q.cwiseAbs().maxCoeff();
  double frequency = 0.0;
  if (n < fewest || most * std::sqrt(1.0 / sid.refmod.mass) < rounding * length) return frequency;
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    const double omega = std::sqrt(std::max(0.0, sid.Ke.M0(i, i) / sid.Me.M0(i, i))), own = omega / turn;
    if (own * h * enough_steps <= 1.0 || own <= frequency) continue;
    const double cut = beside * 2.0 * std::atan(0.5 * omega * h);
    if (amplitude_above(cut, q.row(i).tail(n).transpose()) > noticeable * most) frequency = own;
  }
  return frequency;
}

/// The elastic coordinates q_s about which a body vibrates that starts undeformed while it moves. With the forces f of the
/// start
///     M q_ddot + K q = f,    K q_s = f,    so that    q_s - q = K^-1 M q_ddot .
/// @param length  of the body, by which turns become velocities
/// @return        n_q x 1; no column if the body starts deformed, or at less than a tenth of its largest velocity
MatrixXd missing_deformation(const Sid& sid, const BodyTrajectories::Body& body, double length) {
  constexpr double moving = 0.1, rounding = 1e-9;
  const VectorXd speeds =
      body.velocity.topRows<3>().colwise().norm() + length * body.velocity.middleRows<3>(3).colwise().norm();
  const VectorXd deformations = body.pose.bottomRows(sid.n_q()).colwise().norm();
  const bool starts_in_motion = speeds[0] > moving * speeds.maxCoeff(),
             starts_deformed = deformations[0] > rounding * deformations.maxCoeff();
  if (!starts_in_motion || starts_deformed) return MatrixXd(sid.n_q(), 0);
  return sid.Ke.M0.ldlt().solve(sid.Me.M0 * body.acceleration.col(0).tail(sid.n_q()));
}

}  // namespace

std::vector<BodyTrial> examine_bodies(const EvaluationChain& chain, const ChainResult& result) {
  std::vector<BodyTrial> trials;
  const std::vector<NamedSid> sids = result.motion->sids();
  std::optional<BodyTrajectories> motion;
  if (result.trajectory.n_stored > 0) motion = result.motion->body_trajectories(result.trajectory);
  for (std::size_t i = 0; i < chain.n_bodies() && i < sids.size(); ++i) {
    const Sid& sid = sids[i].sid;
    if (sid.n_q() == 0) continue;
    BodyTrial trial{.body = i};
    find_frequencies(sid, trial);
    if (motion && i < motion->bodies.size()) {
      const MatrixXd q = motion->bodies[i].pose.bottomRows(sid.n_q());
      trial.deflection = deflection_of(chain, result, i, sid, q);
      const double length = length_of_body(chain.problem(), i);
      trial.missing =
          deflection_of(chain, result, i, sid, missing_deformation(sid, motion->bodies[i], length));
      trial.unresolved = unresolved_frequency(sid, q, chain.problem().integrator.step, length);
    }
    trials.push_back(trial);
  }
  return trials;
}

}  // namespace kurbel
