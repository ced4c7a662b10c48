#include "natural_coordinates/ancf_beam.hpp"

#include <array>

#include "base/instantiate.hpp"
#include "natural_coordinates/ancf_section.hpp"
#include "natural_coordinates/gauss_rule.hpp"

namespace kurbel {

using namespace ancf;

namespace {

template <class S>
using NodeWeights = Eigen::Matrix<S, 6, 1>;

/// K += weight L^T H L but for the blocks of complete_symmetric, with the section map L: d2Psi / dA2 from H =
/// d2Psi / dZ2. p depends on r and r_x; q and t depend on r_y.
template <class S>
void add_congruent(double weight, const SectionMap<S>& L, const Matrix6<S>& H, Eigen::Matrix<S, 12, 12>& K) {
  struct Row {
    int node;
    S p;
  };
  const std::array<Row, 4> axis = {{{0, -L.r}, {1, L.r_x1}, {3, L.r}, {4, L.r_x2}}};
  struct SlopeRow {
    int node;
    S q, t;
  };
  const std::array<SlopeRow, 2> slopes = {{{2, -L.taper, L.r_y1}, {5, L.taper, L.r_y2}}};
  for (const Row& j : axis) {
    const Matrix2<S> H_j = (weight * j.p) * H.template topLeftCorner<2, 2>();
    for (const Row& i : axis) K.template block<2, 2>(2 * i.node, 2 * j.node) += i.p * H_j;
  }
  for (const SlopeRow& j : slopes) {
    const S q = weight * j.q, t = weight * j.t;
    const Eigen::Matrix<S, 6, 2> H_j = q * H.template middleCols<2>(2) + t * H.template rightCols<2>();
    for (const Row& i : axis)
      K.template block<2, 2>(2 * i.node, 2 * j.node) += i.p * H_j.template topRows<2>();
    for (const SlopeRow& i : slopes) {
      K.template block<2, 2>(2 * i.node, 2 * j.node) +=
          i.q * H_j.template middleRows<2>(2) + i.t * H_j.template bottomRows<2>();
    }
  }
}

/// Adds what add_congruent omits: the rows of r_y, columns of r and r_x.
template <class S>
void complete_symmetric(Eigen::Matrix<S, 12, 12>& K) {
  for (const int j : {0, 2, 6, 8}) {
    for (const int i : {4, 10}) {
      K.template block<2, 2>(i, j) = K.template block<2, 2>(j, i).transpose();
    }
  }
}

/// Mean of S over the element, for gravity, and its derivative by l.
template <class S>
struct MeanShape {
  NodeWeights<S> s, s_l;
  explicit MeanShape(const S& l) {
    s << S(0.5), l / 12.0, S(0), S(0.5), -l / 12.0, S(0);
    s_l << S(0), S(1.0 / 12.0), S(0), S(0), S(-1.0 / 12.0), S(0);
  }
};

/// Mean of s_i s_j over an element of unit length and height.
Eigen::Matrix<double, 6, 6> unit_mass() {
  constexpr double m = mean_zeta2;
  Eigen::Matrix<double, 6, 6> M;
  M << 156.0, 22.0, 0.0, 54.0, -13.0, 0.0,      //
      22.0, 4.0, 0.0, 13.0, -3.0, 0.0,          //
      0.0, 0.0, 140.0 * m, 0.0, 0.0, 70.0 * m,  //
      54.0, 13.0, 0.0, 156.0, -22.0, 0.0,       //
      -13.0, -3.0, 0.0, -22.0, 4.0, 0.0,        //
      0.0, 0.0, 70.0 * m, 0.0, 0.0, 140.0 * m;
  return M / 420.0;
}

/// Mean of s_i s_j = d_i (unit mass)_ij d_j with d = (1, l, h, 1, l, h).
template <class S>
NodeWeights<S> mass_scales(const BeamParameters<S>& b) {
  NodeWeights<S> d;
  d << S(1), b.l, b.h, S(1), b.l, b.h;
  return d;
}

}  // namespace

template <class S>
void AncfBeam<S>::add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const {
  const BeamParameters<S> b(xi);
  const NodeWeights<S> d = mass_scales(b);
  const Eigen::Matrix<S, 6, 6> m =
      b.rho * b.volume() * (d.asDiagonal() * unit_mass().template cast<S>() * d.asDiagonal());
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) M(2 * i, 2 * j) += m(i, j), M(2 * i + 1, 2 * j + 1) += m(i, j);
  }
}

template <class S>
void AncfBeam<S>::add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const {
  const BeamParameters<S> b(xi);
  const NodeWeights<S> d = mass_scales(b);
  NodeWeights<S> d_h, d_l;
  d_h << S(0), S(0), S(1), S(0), S(0), S(1);
  d_l << S(0), S(1), S(0), S(0), S(1), S(0);
  const Eigen::Matrix<S, 6, 6> unit = unit_mass().template cast<S>();
  const PlanarNodes<S> A = as_planar_nodes<S>(a);
  const PlanarNodes<S> m = A * d.asDiagonal() * unit;
  const PlanarNodes<S> mean = m * d.asDiagonal(), mass = b.rho * mean;
  const auto derivative = [&](const NodeWeights<S>& d_k) -> PlanarNodes<S> {
    return b.rho * (m * d_k.asDiagonal() + (A * d_k.asDiagonal() * unit) * d.asDiagonal());
  };
  const auto column = [&Ma_xi](Eigen::Index k) { return Eigen::Map<PlanarNodes<S>>(Ma_xi.col(k).data()); };
  column(0) += b.h * b.l * mass;
  column(1) += b.w * b.l * mass + b.volume() * derivative(d_h);
  column(2) += b.w * b.h * mass + b.volume() * derivative(d_l);
  column(5) += b.volume() * mean;
}

template <class S>
void AncfBeam<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const BeamParameters<S> b(state.xi);
  const Stiffness<S> C = stiffness(coupling_, b);
  const PlanarNodes<S> A = as_planar_nodes<S>(state.q);
  PlanarNodes<S> Psi_A = PlanarNodes<S>::Zero();
  for (const GaussPoint& point : gauss_points) {  // the energy has degree 8 in xi
    const SectionMap<S> L(point.xi, b);
    const SectionVectors<S> Z = L(A);
    const SectionVectors<S> Psi_Z = point.weight * (Z * resultants(C, SectionStrain<S>(Z)));
    L.add_transposed(Psi_Z, Psi_A);
  }
  const Vector2<S> g = gravity_.template cast<S>();
  Eigen::Map<PlanarNodes<S>>(Q.data()) += b.volume() * (b.rho * g * MeanShape<S>(b.l).s.transpose() - Psi_A);
}

template <class S>
S AncfBeam<S>::potential(const ElementState<S>& state) const {
  const BeamParameters<S> b(state.xi);
  const Stiffness<S> C = stiffness(coupling_, b);
  const PlanarNodes<S> A = as_planar_nodes<S>(state.q);
  S Psi(0);
  for (const GaussPoint& point : gauss_points) {
    const SectionVectors<S> Z = SectionMap<S>(point.xi, b)(A);
    const SectionStrain<S> strain(Z);
    Psi += point.weight * energy(resultants(C, strain), strain);
  }
  const Vector2<S> g = gravity_.template cast<S>(), mean = A * MeanShape<S>(b.l).s;
  return b.volume() * (Psi - b.rho * (g.transpose() * mean).value());
}

template <class S>
void AncfBeam<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const BeamParameters<S> b(state.xi);
  const Stiffness<S> C = stiffness(coupling_, b), C_nu = stiffness_nu(coupling_, b);
  const PlanarNodes<S> A = as_planar_nodes<S>(state.q);
  Eigen::Matrix<S, 12, 12> Psi_AA = Eigen::Matrix<S, 12, 12>::Zero();
  PlanarNodes<S> Psi_A = PlanarNodes<S>::Zero(), Psi_Ah = Psi_A, Psi_Al = Psi_A, Psi_Anu = Psi_A;
  for (const GaussPoint& point : gauss_points) {
    const SectionMap<S> L(point.xi, b), L_h = L.by_h(b), L_l = L.by_l(b);
    const SectionVectors<S> Z = L(A);
    const SectionStrain<S> strain(Z);
    const Matrix3<S> N = resultants(C, strain);
    const Matrix6<S> H = energy_hessian(C, Z, N);
    const SectionVectors<S> Psi_Z = point.weight * (Z * N);
    L.add_transposed(Psi_Z, Psi_A);
    L_h.add_transposed(Psi_Z, Psi_Ah);
    L_l.add_transposed(Psi_Z, Psi_Al);
    L.add_transposed(point.weight * apply<S>(H, L_h(A)), Psi_Ah);
    L.add_transposed(point.weight * apply<S>(H, L_l(A)), Psi_Al);
    L.add_transposed(point.weight * (Z * resultants(C_nu, strain)), Psi_Anu);
    add_congruent(point.weight, L, H, Psi_AA);
  }
  complete_symmetric(Psi_AA);
  out.Q_q -= b.volume() * Psi_AA;

  const MeanShape<S> mean(b.l);
  const Vector2<S> g = gravity_.template cast<S>();
  const PlanarNodes<S> weight = g * mean.s.transpose(), per_volume = b.rho * weight - Psi_A;
  const auto column = [&out](Eigen::Index k) { return Eigen::Map<PlanarNodes<S>>(out.Q_xi.col(k).data()); };
  column(0) += b.h * b.l * per_volume;
  column(1) += b.w * b.l * per_volume - b.volume() * Psi_Ah;
  column(2) += b.w * b.h * per_volume + b.volume() * (b.rho * g * mean.s_l.transpose() - Psi_Al);
  column(3) -= b.volume() / b.E * Psi_A;
  column(4) -= b.volume() * Psi_Anu;
  column(5) += b.volume() * weight;
}

namespace {

/// s_min / E
constexpr double stress_rounding = 1e-9;

/// S and sigma_V at a point.
template <class S>
struct PointStress {
  Vector2<S> r_x;
  S eps_xx, eps_axis, eps_yy, gamma;
  Vector3<S> stress, s_S;  ///< S_xx, S_yy, S_xy and the derivative of s^2 / 2 by them
  S root, sigma;           ///< sqrt(s^2 + s_min^2), sigma_V

  PointStress(const Stiffness<S>& C, const S& E, const SectionVectors<S>& Z, double zeta)
      : r_x(Z.col(0) + zeta * Z.col(1)) {
    using std::sqrt;
    const SectionStrain<S> e(Z);
    eps_xx = e.e0 + zeta * (e.e1 + zeta * e.e2), eps_axis = e.e0, eps_yy = e.ey, gamma = e.g0 + zeta * e.g1;
    stress = stress_of(C);
    s_S << stress[0] - 0.5 * stress[1], stress[1] - 0.5 * stress[0], 3.0 * stress[2];
    const S s2 = (s_S.transpose() * stress).value(), s_min = stress_rounding * E;
    root = sqrt(s2 + s_min * s_min);
    sigma = s2 / (root + s_min);
  }

  Vector3<S> stress_of(const Stiffness<S>& C) const {
    return {C.bending * eps_xx + (C.axial - C.bending) * eps_axis + C.poisson * eps_yy,
            C.coupling * eps_xx + (C.poisson - C.coupling) * eps_axis + C.axial * eps_yy, C.shear * gamma};
  }

  /// d sigma_V / d Z
  SectionVectors<S> gradient(const Stiffness<S>& C, const SectionVectors<S>& Z, double zeta) const {
    const Vector3<S> y = s_S / root;
    const S by_xx = y[0] * C.bending + y[1] * C.coupling;
    const S by_axis = y[0] * (C.axial - C.bending) + y[1] * (C.poisson - C.coupling);
    const S by_yy = y[0] * C.poisson + y[1] * C.axial, by_gamma = y[2] * C.shear;
    const Vector2<S> by_r_x = by_xx * r_x + by_gamma * Z.col(2);
    SectionVectors<S> out;
    out << by_r_x + by_axis * Z.col(0), zeta * by_r_x, by_yy * Z.col(2) + by_gamma * r_x;
    return out;
  }
};

}  // namespace

template <class S>
void AncfStress<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  const BeamParameters<S> b(state.xi);
  const SectionVectors<S> Z = SectionMap<S>(xi_, b)(as_planar_nodes<S>(state.q));
  h[0] = PointStress<S>(stiffness(coupling_, b), b.E, Z, zeta_).sigma;
}

template <class S>
void AncfStress<S>::add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const {
  const BeamParameters<S> b(state.xi);
  const Stiffness<S> C = stiffness(coupling_, b);
  const SectionMap<S> L(xi_, b);
  const PlanarNodes<S> A = as_planar_nodes<S>(state.q);
  const SectionVectors<S> Z = L(A);
  const PointStress<S> point(C, b.E, Z, zeta_);
  const SectionVectors<S> sigma_Z = point.gradient(C, Z, zeta_);
  PlanarNodes<S> sigma_A = PlanarNodes<S>::Zero();
  L.add_transposed(sigma_Z, sigma_A);
  out.h_q.row(0) += Eigen::Map<const Eigen::Matrix<S, 1, 12>>(sigma_A.data());
  out.h_xi(0, 1) += sigma_Z.cwiseProduct(L.by_h(b)(A)).sum();
  out.h_xi(0, 2) += sigma_Z.cwiseProduct(L.by_l(b)(A)).sum();
  out.h_xi(0, 3) += point.sigma / b.E;
  const Vector3<S> stress_nu = point.stress_of(stiffness_nu(coupling_, b));
  out.h_xi(0, 4) += (point.s_S.transpose() * stress_nu).value() / point.root;
}

template class AncfBeam<InstantiatedScalar>;
template class AncfStress<InstantiatedScalar>;

}  // namespace kurbel
