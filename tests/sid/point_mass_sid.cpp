#include "tests/sid/point_mass_sid.hpp"

#include <fmt/format.h>

#include <cstring>

namespace kurbel {
namespace {

using Eigen::Index;

Matrix3d tilde_of(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

Eigen::RowVectorXd form(const Matrix3d& A) {
  Eigen::RowVectorXd row(6);
  row << A(0, 0), A(1, 1), A(2, 2), A(0, 1) + A(1, 0), A(1, 2) + A(2, 1), A(0, 2) + A(2, 0);
  return row;
}

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// The contribution of one mass; R and P(k) are r~ and Phi_k~.
void add_mass(Sid& sid, double mass, const Vector3d& r, const MatrixXd& Phi) {
  const Index n_q = sid.n_q();
  const Matrix3d R = tilde_of(r);
  const auto P = [&](Index k) { return tilde_of(Phi.col(k)); };
  sid.refmod.mass += mass;
  sid.mdCM.M0 += mass * r;
  sid.J.M0 += mass * R * R.transpose();
  sid.Ct.M0 += mass * Phi.transpose();
  sid.Me.M0 += mass * Phi.transpose() * Phi;
  for (Index k = 0; k < n_q; ++k) {
    sid.mdCM.M1[at(k)] += mass * Phi.col(k);
    sid.J.M1[at(k)] += mass * (R * P(k).transpose() + P(k) * R.transpose());
    sid.Cr.M0.row(k) += mass * r.cross(Vector3d(Phi.col(k))).transpose();
    sid.Gr.M0.middleCols(3 * k, 3) += 2.0 * mass * R * P(k).transpose();
    sid.Oe.M0.row(k) += mass * form(P(k) * R);
    for (Index l = 0; l < n_q; ++l) {
      sid.J.Mn[at(k * n_q + l)] += 0.5 * mass * (P(k) * P(l).transpose() + P(l) * P(k).transpose());
      sid.Cr.M1[at(l)].row(k) += mass * Vector3d(Phi.col(l)).cross(Vector3d(Phi.col(k))).transpose();
      sid.Gr.M1[at(l)].middleCols(3 * k, 3) += 2.0 * mass * P(l) * P(k).transpose();
      sid.Ge.M0.block(k, 3 * l, 1, 3) += 2.0 * mass * Phi.col(k).transpose() * P(l).transpose();
      sid.Oe.M1[at(l)].row(k) += mass * form(P(k) * P(l));
    }
  }
}

SidNode node_at(const std::string& name, const Vector3d& r, const MatrixXd& Phi, const MatrixXd& Psi) {
  SidNode node = make_sid_node(name, r, Matrix3d::Identity(), Phi.cols());
  node.phi.M0 = Phi;
  node.psi.M0 = Psi;
  for (Index k = 0; k < Phi.cols(); ++k) {
    node.origin.M1[at(k)] = Phi.col(k);
    node.AP.M1[at(k)] = tilde_of(Psi.col(k));
  }
  return node;
}

bool same_bits(const std::vector<MatrixXd>& a, const std::vector<MatrixXd>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(a[i].size());
    if (a[i].rows() != b[i].rows() || a[i].cols() != b[i].cols()) return false;
    if (bytes > 0 && std::memcmp(a[i].data(), b[i].data(), bytes) != 0) return false;
  }
  return true;
}

bool identical(const Taylor& a, const Taylor& b) {
  return a.structure == b.structure && same_bits({a.M0}, {b.M0}) && same_bits(a.M1, b.M1) &&
         same_bits(a.Mn, b.Mn);
}

bool identical(const SidNode& a, const SidNode& b) {
  return a.name == b.name && a.rframe == b.rframe && identical(a.origin, b.origin) &&
         identical(a.phi, b.phi) && identical(a.psi, b.psi) && identical(a.AP, b.AP);
}

}  // namespace

Sid point_mass_sid(const VectorXd& masses, const MatrixXd& r, const std::vector<MatrixXd>& Phi,
                   const MatrixXd& K) {
  std::vector<std::string> names;
  for (Index k = 0; k < K.rows(); ++k) names.push_back(fmt::format("q{}", k + 1));
  Sid sid = Sid::zeros(names, {});
  for (Index i = 0; i < masses.size(); ++i) add_mass(sid, masses[i], r.col(i), Phi[at(i)]);
  sid.Ke.M0 = K;
  sid.De.M0 = 0.1 * sid.Me.M0 + 1e-5 * K;
  return sid;
}

void add_second_order_displacement(Sid& sid, const VectorXd& masses, const MatrixXd& r,
                                   const std::vector<MatrixXd>& Gamma) {
  const Index n_q = sid.n_q();
  sid.Ct.M1.assign(at(n_q), MatrixXd::Zero(n_q, 3));
  for (Index i = 0; i < masses.size(); ++i) {
    const Matrix3d R = tilde_of(r.col(i));
    for (Index k = 0; k < n_q; ++k) {
      for (Index l = 0; l < n_q; ++l) {
        const Vector3d Gamma_kl = Gamma[at(i)].col(k * n_q + l);
        const Matrix3d G = tilde_of(Gamma_kl);
        sid.Ct.M1[at(l)].row(k) += masses[i] * Gamma_kl.transpose();
        sid.Cr.M1[at(l)].row(k) += masses[i] * (R * Gamma_kl).transpose();
        sid.Oe.M1[at(l)].row(k) += masses[i] * form(G * R);
        sid.Gr.M1[at(l)].middleCols(3 * k, 3) += 2.0 * masses[i] * R * G.transpose();
        sid.J.Mn[at(k * n_q + l)] += 0.5 * masses[i] * (R * G.transpose() + G * R.transpose());
      }
    }
  }
}

std::vector<MatrixXd> random_second_order_shapes(Index n, Index n_q, double size, unsigned seed) {
  std::srand(seed);
  std::vector<MatrixXd> Gamma;
  for (Index i = 0; i < n; ++i) {
    Gamma.push_back(size * MatrixXd::Random(3, n_q * n_q));
    for (Index k = 0; k < n_q; ++k) {
      for (Index l = 0; l < k; ++l) Gamma.back().col(k * n_q + l) = Gamma.back().col(l * n_q + k);
    }
  }
  return Gamma;
}

Sid random_sid(Index n_q, unsigned seed) {
  std::srand(seed);
  const Index n = 7;
  std::vector<MatrixXd> Phi;
  for (Index i = 0; i < n; ++i) Phi.push_back(MatrixXd::Random(3, n_q));
  const MatrixXd root = MatrixXd::Random(n_q, n_q);
  const MatrixXd r = MatrixXd::Random(3, n);
  const VectorXd masses = VectorXd::Random(n).array() + 1.5;
  Sid sid = point_mass_sid(masses, r, Phi, 1e6 * root * root.transpose());
  sid.ksigma.M0 = MatrixXd::Random(n_q, 1);
  sid.frame.push_back(node_at("pin", r.col(0), Phi[0], MatrixXd::Random(3, n_q)));
  sid.frame.push_back(node_at("tip", r.col(1), Phi[1], MatrixXd::Random(3, n_q)));
  sid.frame[1].rframe = "another frame";
  return sid;
}

Sid random_stiffened_sid(Index n_q, unsigned seed) {
  Sid sid = random_sid(n_q, seed);
  const VectorXd masses = VectorXd::LinSpaced(5, 0.5, 1.5);
  const std::vector<MatrixXd> Gamma = random_second_order_shapes(5, n_q, 1.0, seed + 1);
  add_second_order_displacement(sid, masses, MatrixXd::Random(3, 5), Gamma);
  for (Index l = 0; l < n_q; ++l) sid.frame[1].phi.M1.push_back(MatrixXd::Random(3, n_q));
  return sid;
}

bool identical(const Sid& a, const Sid& b) {
  if (std::memcmp(&a.refmod.mass, &b.refmod.mass, sizeof(double)) != 0) return false;
  if (a.refmod.ielastq != b.refmod.ielastq || a.frame.size() != b.frame.size()) return false;
  for (std::size_t i = 0; i < a.frame.size(); ++i) {
    if (!identical(a.frame[i], b.frame[i])) return false;
  }
  for (const auto member : {&Sid::mdCM, &Sid::J, &Sid::Ct, &Sid::Cr, &Sid::Me, &Sid::Gr, &Sid::Ge, &Sid::Oe,
                            &Sid::ksigma, &Sid::Ke, &Sid::De}) {
    if (!identical(a.*member, b.*member)) return false;
  }
  return true;
}

}  // namespace kurbel
