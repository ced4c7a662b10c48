#include "elements/director_beam.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

/// Places of the parameters.
enum Place : Eigen::Index { at_l, at_E, at_nu, at_rho, at_eta, at_dim, at_strain = 7 };

/// Columns [r_1 d_1 d_2 d_3 r_2 d_1 d_2 d_3].
template <class S>
using Nodes = Eigen::Matrix<S, 3, 8>;
template <class S>
using Jet4 = SectionJet<S>;
template <class S>
using Gradients = Eigen::Matrix<S, 24, 6>;

template <class S>
Eigen::Map<const Nodes<S>> as_nodes(const Eigen::Ref<const VectorX<S>>& q) {
  return Eigen::Map<const Nodes<S>>(q.data());
}

/// A term weight A_j . A_k.
struct Product {
  int j, k;
  double weight;
};

/// l (Gamma_i + delta_i1) and l K_i, bilinear in the nodes:
///
///     (r_2 - r_1) . (d_i + d_i*) / 2        (d_k . d_j* - d_j . d_k*) / 2,   (i, j, k) cyclic, * second node
const std::array<std::vector<Product>, 6>& strain_products() {
  static const std::array<std::vector<Product>, 6> products = [] {
    std::array<std::vector<Product>, 6> out;
    for (int i = 0; i < 3; ++i) {
      const int own = 1 + i, j = 1 + (i + 1) % 3, k = 1 + (i + 2) % 3;
      const auto at = static_cast<std::size_t>(i);
      out[at] = {{4, own, 0.5}, {4, own + 4, 0.5}, {0, own, -0.5}, {0, own + 4, -0.5}};
      out[at + 3] = {{k, j + 4, 0.5}, {j, k + 4, -0.5}};
    }
    return out;
  }();
  return products;
}

/// Strains, less delta_i1, and their gradients by q.
template <class S>
struct Strains {
  Vector6<S> s = Vector6<S>::Zero();
  Gradients<S> s_q = Gradients<S>::Zero();

  Strains(const Nodes<S>& A, const S& l) {
    for (std::size_t i = 0; i < 6; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      for (const auto& [j, k, weight] : strain_products()[i]) {
        const Vector3<S> a = A.col(j) * (weight / l), b = A.col(k) * (weight / l);
        s[row] += (A.col(j).transpose() * b).value();
        s_q.col(row).template segment<3>(3 * j) += b;
        s_q.col(row).template segment<3>(3 * k) += a;
      }
    }
    s[0] -= 1.0;
  }
};

/// K += sum of N_i d2 s_i / d q2
template <class S>
void add_hessian(const Vector6<S>& N, const S& l, Eigen::Matrix<S, 24, 24>& K) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (const auto& [j, k, weight] : strain_products()[i]) {
      const S entry = N[static_cast<Eigen::Index>(i)] * weight / l;
      K.template block<3, 3>(3 * j, 3 * k).diagonal().array() += entry;
      K.template block<3, 3>(3 * k, 3 * j).diagonal().array() += entry;
    }
  }
}

/// The parameters; those on which stiffnesses depend with derivatives by (E, nu, dimensions).
template <class S>
struct Parameters {
  S l, rho, eta;
  Vector6<S> s0;
  Jet4<S> E, nu, dim0, dim1, G;
  SectionProperties<Jet4<S>> section;

  Parameters(SectionShape shape, const typename ElementState<S>::Segment& xi)
      : l(xi[at_l]),
        rho(xi[at_rho]),
        eta(xi[at_eta]),
        s0(xi.template segment<6>(at_strain)),
        E(Jet4<S>::variable(xi[at_E], 0)),
        nu(Jet4<S>::variable(xi[at_nu], 1)),
        dim0(Jet4<S>::variable(xi[at_dim], 2)),
        dim1(Jet4<S>::variable(xi[at_dim + 1], 3)),
        G(E / (2.0 * nu + 2.0)),
        section(shape, dim0, dim1, nu) {}
  /// Indices of the parameters that the derivatives of a Jet4 belong to.
  static constexpr std::array<Eigen::Index, 4> places = {at_E, at_nu, at_dim, at_dim + 1};

  std::array<Jet4<S>, 6> stiffnesses() const {
    const Jet4<S> shear = section.k * G * section.A;
    return {E * section.A, shear, shear, G * section.J_t, E * section.I_y, E * section.I_z};
  }
  /// Mass per length of the columns r, d_1, d_2, d_3 of a node over rho.
  std::array<Jet4<S>, 4> inertias() const { return {section.A, Jet4<S>(S(0)), section.I_z, section.I_y}; }
};

template <class S>
Vector6<S> values(const std::array<Jet4<S>, 6>& C) {
  Vector6<S> out;
  for (std::size_t i = 0; i < 6; ++i) out[static_cast<Eigen::Index>(i)] = C[i].a;
  return out;
}

}  // namespace

template <class S>
Vector6<S> director_beam_strains(const Eigen::Ref<const VectorX<S>>& q, const S& l) {
  return Strains<S>(as_nodes<S>(q), l).s;
}

/// Neither l (Gamma_i + delta_i1) nor l K_i depends on l.
template <class S>
Vector6<S> director_beam_strain_variation(const Eigen::Ref<const VectorX<S>>& q,
                                          const Eigen::Ref<const VectorX<S>>& q_dot, const S& l,
                                          const S& l_dot) {
  const Strains<S> strains(as_nodes<S>(q), l);
  Vector6<S> by_length = strains.s;
  by_length[0] += 1.0;
  return strains.s_q.transpose() * q_dot - by_length * (l_dot / l);
}

template <class S>
void DirectorBeam<S>::add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const {
  const Parameters<S> b(shape_, xi);
  const auto inertias = b.inertias();
  for (int c = 0; c < 4; ++c) {
    const S m = b.rho * b.l * inertias[static_cast<std::size_t>(c)].a / 6.0;
    for (const int i : {c, c + 4}) {
      for (const int j : {c, c + 4}) {
        M.template block<3, 3>(3 * i, 3 * j).diagonal().array() += (i == j ? 2.0 : 1.0) * m;
      }
    }
  }
}

template <class S>
void DirectorBeam<S>::add_mass_derivative(const Segment& xi, const Segment& a,
                                          Eigen::Ref<Matrix> Ma_xi) const {
  const Parameters<S> b(shape_, xi);
  const auto inertias = b.inertias();
  for (int c = 0; c < 4; ++c) {
    const Jet4<S>& inertia = inertias[static_cast<std::size_t>(c)];
    for (const int i : {c, c + 4}) {
      const Vector3<S> both = a.template segment<3>(3 * c) + a.template segment<3>(3 * c + 12);
      const Vector3<S> mean = (a.template segment<3>(3 * i) + both) / 6.0;
      const auto add = [&](Eigen::Index index, const S& factor) {
        Ma_xi.col(index).template segment<3>(3 * i) += factor * mean;
      };
      add(at_l, b.rho * inertia.a);
      add(at_rho, b.l * inertia.a);
      for (int p = 0; p < 4; ++p) add(b.places[static_cast<std::size_t>(p)], b.rho * b.l * inertia.d[p]);
    }
  }
}

template <class S>
void DirectorBeam<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Parameters<S> b(shape_, state.xi);
  const Strains<S> strains(as_nodes<S>(state.q), b.l);
  const Vector6<S> s_dot = strains.s_q.transpose() * state.v;
  const Vector6<S> N = values(b.stiffnesses()).cwiseProduct(strains.s - b.s0 + b.eta * s_dot);
  Q -= b.l * (strains.s_q * N);
  const Vector3<S> half = (0.5 * b.rho * b.section.A.a * b.l) * gravity_.template cast<S>();
  for (const int index : {0, 12}) Q.template segment<3>(index) += half;
}

template <class S>
void DirectorBeam<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Parameters<S> b(shape_, state.xi);
  const std::array<Jet4<S>, 6> stiffnesses = b.stiffnesses();
  const Vector6<S> C = values(stiffnesses);
  const Strains<S> strains(as_nodes<S>(state.q), b.l);
  const Gradients<S>& s_q = strains.s_q;
  const Gradients<S> s_dot_q = Strains<S>(as_nodes<S>(state.v), b.l).s_q;  // s is quadratic in q
  const Vector6<S> s_dot = s_q.transpose() * state.v, damped = strains.s - b.s0 + b.eta * s_dot;

  Eigen::Matrix<S, 24, 24> K = s_q * C.asDiagonal() * (s_q + b.eta * s_dot_q).transpose();
  add_hessian<S>(C.cwiseProduct(damped), b.l, K);
  out.Q_q -= b.l * K;
  out.Q_v -= (b.l * b.eta) * (s_q * C.asDiagonal() * s_q.transpose());

  // Neither l (Gamma_i + delta_i1, K_i) nor l s_q depends on l.
  Vector6<S> by_length = damped + b.s0;
  by_length[0] += 1.0;
  out.Q_xi.col(at_l) += s_q * C.cwiseProduct(by_length);
  out.Q_xi.col(at_eta) -= b.l * (s_q * C.cwiseProduct(s_dot));
  out.Q_xi.template middleCols<6>(at_strain) += b.l * (s_q * C.asDiagonal());
  for (int p = 0; p < 4; ++p) {
    Vector6<S> N;
    for (int i = 0; i < 6; ++i) N[i] = stiffnesses[static_cast<std::size_t>(i)].d[p] * damped[i];
    out.Q_xi.col(b.places[static_cast<std::size_t>(p)]) -= b.l * (s_q * N);
  }
  const Vector3<S> g = 0.5 * gravity_.template cast<S>();
  const Jet4<S>& A = b.section.A;
  for (const int index : {0, 12}) {
    out.Q_xi.col(at_l).template segment<3>(index) += b.rho * A.a * g;
    out.Q_xi.col(at_rho).template segment<3>(index) += b.l * A.a * g;
    for (int p = 0; p < 4; ++p) {
      const Eigen::Index column = b.places[static_cast<std::size_t>(p)];
      out.Q_xi.col(column).template segment<3>(index) += b.rho * b.l * A.d[p] * g;
    }
  }
}

template <class S>
S DirectorBeam<S>::potential(const ElementState<S>& state) const {
  const Parameters<S> b(shape_, state.xi);
  const Nodes<S> A = as_nodes<S>(state.q);
  const Vector6<S> s = Strains<S>(A, b.l).s - b.s0;
  const Vector3<S> g = gravity_.template cast<S>(), middle = 0.5 * (A.col(0) + A.col(4));
  const S elastic = 0.5 * (s.transpose() * values(b.stiffnesses()).cwiseProduct(s)).value();
  return b.l * (elastic - b.rho * b.section.A.a * (g.transpose() * middle).value());
}

/// U = l s . C s / 2, where l ds/dl = -(Gamma_i + delta_i1, K_i)
template <class S>
void DirectorBeam<S>::add_elastic_energy_derivative(const ElementState<S>& state,
                                                    Eigen::Ref<Vec> U_xi) const {
  const Parameters<S> b(shape_, state.xi);
  const std::array<Jet4<S>, 6> stiffnesses = b.stiffnesses();
  Vector6<S> by_length = Strains<S>(as_nodes<S>(state.q), b.l).s;
  const Vector6<S> s = by_length - b.s0, N = values(stiffnesses).cwiseProduct(s);
  by_length[0] += 1.0;
  U_xi[at_l] += (N.transpose() * (0.5 * s - by_length)).value();
  U_xi.template segment<6>(at_strain) -= b.l * N;
  for (int p = 0; p < 4; ++p) {
    for (int i = 0; i < 6; ++i)
      U_xi[b.places[static_cast<std::size_t>(p)]] +=
          0.5 * b.l * stiffnesses[static_cast<std::size_t>(i)].d[p] * s[i] * s[i];
  }
}

namespace {

/// s_min / E
constexpr double stress_rounding = 1e-9;

/// (sigma, tau_xy, tau_xz) = R s, rows of R with their derivatives.
template <class S>
using StressRows = std::array<std::array<Jet4<S>, 6>, 3>;

template <class S>
StressRows<S> stress_rows(const Parameters<S>& b, SectionShape shape, double eta, double zeta) {
  StressRows<S> R;
  R[0][0] = b.E, R[0][4] = zeta * b.section.c_z * b.E, R[0][5] = -eta * b.section.c_y * b.E;
  const auto [by_twist_y, by_twist_z] = torsional_shear(shape, b.dim0, b.dim1, eta, zeta);
  const Jet4<S> force = b.G * b.section.k * peak_of_shear(shape, b.dim0, b.dim1);
  R[1][1] = (1.0 - eta * eta) * force, R[1][3] = b.G * by_twist_y;
  R[2][2] = (1.0 - zeta * zeta) * force, R[2][3] = b.G * by_twist_z;
  return R;
}

/// sigma_V and its derivatives by (sigma, tau_xy, tau_xz) and by s_min.
template <class S>
struct VonMises {
  S value, by_min;
  Vector3<S> by_stress;

  VonMises(const Vector3<S>& stress, const S& s_min) {
    using std::sqrt;
    const Vector3<S> weighted(stress[0], 3.0 * stress[1], 3.0 * stress[2]);
    const S square = (stress.transpose() * weighted).value(), root = sqrt(square + s_min * s_min);
    value = square / (root + s_min);
    by_min = s_min / root - 1.0;
    by_stress = weighted / root;
  }
};

template <class S>
Vector3<S> times(const StressRows<S>& R, const Vector6<S>& s) {
  Vector3<S> out = Vector3<S>::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 6; ++k)
      out[i] += R[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].a * s[k];
  }
  return out;
}

/// The point of the outline where the stress is largest.
template <class S>
SectionPoint most_stressed(const Parameters<S>& b, SectionShape shape, const Vector6<S>& strains) {
  const auto real = [](const Jet4<S>& x) { return real_part(x.a); };
  const double E = real(b.E), G = real(b.G), c_y = real(b.section.c_y), c_z = real(b.section.c_z);
  const double by_shear = real(b.section.k * peak_of_shear(shape, b.dim0, b.dim1));
  const Vector6<double> s = strains.real();
  return largest_on_outline(shape, [&](const SectionPoint& point) {
    const auto [eta, zeta] = point;
    const auto [y, z] = torsional_shear<S>(shape, b.dim0.a, b.dim1.a, eta, zeta);
    const double sigma = E * (s[0] + zeta * c_z * s[4] - eta * c_y * s[5]);
    const double tau_xy = G * (real_part(y) * s[3] + (1.0 - eta * eta) * by_shear * s[1]);
    const double tau_xz = G * (real_part(z) * s[3] + (1.0 - zeta * zeta) * by_shear * s[2]);
    return sigma * sigma + 3.0 * (tau_xy * tau_xy + tau_xz * tau_xz);
  });
}

}  // namespace

template <class S>
void DirectorStress<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  const Parameters<S> b(shape_, state.xi);
  const Vector6<S> s = Strains<S>(as_nodes<S>(state.q), b.l).s - b.s0;
  const S s_min = stress_rounding * b.E.a;
  const auto [eta, zeta] = point_ ? *point_ : most_stressed(b, shape_, s);
  h[0] = VonMises<S>(times<S>(stress_rows(b, shape_, eta, zeta), s), s_min).value;
}

template <class S>
void DirectorStress<S>::add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const {
  const Parameters<S> b(shape_, state.xi);
  const Strains<S> strains(as_nodes<S>(state.q), b.l);
  const Vector6<S> s = strains.s - b.s0;
  const auto [eta, zeta] = point_ ? *point_ : most_stressed(b, shape_, s);
  const StressRows<S> R = stress_rows(b, shape_, eta, zeta);
  const VonMises<S> stress(times<S>(R, s), S(stress_rounding * b.E.a));

  Vector6<S> by_s = Vector6<S>::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 6; ++k) {
      const Jet4<S>& entry = R[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      by_s[k] += stress.by_stress[i] * entry.a;
      for (int p = 0; p < 4; ++p) {
        out.h_xi(0, b.places[static_cast<std::size_t>(p)]) += stress.by_stress[i] * entry.d[p] * s[k];
      }
    }
  }
  Vector6<S> by_length = strains.s;
  by_length[0] += 1.0;
  out.h_q.row(0) += (strains.s_q * by_s).transpose();
  out.h_xi(0, at_l) -= (by_s.transpose() * by_length).value() / b.l;
  out.h_xi(0, at_E) += stress.by_min * stress_rounding;
  out.h_xi.template block<1, 6>(0, at_strain) -= by_s.transpose();
}

using Scalar = InstantiatedScalar;
template class DirectorBeam<Scalar>;
template class DirectorStress<Scalar>;
template Vector6<Scalar> director_beam_strains(const Eigen::Ref<const VectorX<Scalar>>&, const Scalar&);
template Vector6<Scalar> director_beam_strain_variation(const Eigen::Ref<const VectorX<Scalar>>&,
                                                        const Eigen::Ref<const VectorX<Scalar>>&,
                                                        const Scalar&, const Scalar&);

}  // namespace kurbel
