#include "natural_coordinates/cable_beam.hpp"

#include "base/instantiate.hpp"
#include "natural_coordinates/cable_section.hpp"
#include "natural_coordinates/gauss_rule.hpp"

namespace kurbel {

using namespace cable;

namespace {

/// Places of the parameters.
enum Place : Eigen::Index { at_l, at_E, at_rho, at_eta, at_dim };

template <class S>
using LineWeights = Eigen::Matrix<S, 4, 1>;

template <class S>
struct Parameters {
  S l, E, rho, eta;
  SectionOutline<SectionJet<S>> section;
  SectionJet<S> A, I, R;

  Parameters(SectionShape shape, const typename ElementState<S>::Segment& xi)
      : l(xi[at_l]),
        E(xi[at_E]),
        rho(xi[at_rho]),
        eta(xi[at_eta]),
        section(shape, SectionJet<S>::variable(xi[at_dim], 2), SectionJet<S>::variable(xi[at_dim + 1], 3)),
        A(section.A),
        I(section.I_y),
        R(section.c_z) {}
  static S by_dim(const SectionJet<S>& x, int i) { return x.d[2 + i]; }
};

/// Means of S over the element times 12, and their derivative by l.                               [P1, eq. 35]
template <class S>
LineWeights<S> gravity_weights(const S& l) {
  return {S(6), l, S(6), -l};
}
template <class S>
LineWeights<S> gravity_weights_l() {
  return {S(0), S(1), S(0), S(-1)};
}

/// d cable_mass / d l
template <class S>
Eigen::Matrix<S, 4, 4> cable_mass_l(const S& rho_A, const S& l) {
  const S l2 = l * l;
  Eigen::Matrix<S, 4, 4> m;
  m << S(156), 44.0 * l, S(54), -26.0 * l,       //
      44.0 * l, 12.0 * l2, 26.0 * l, -9.0 * l2,  //
      S(54), 26.0 * l, S(156), -44.0 * l,        //
      -26.0 * l, -9.0 * l2, -44.0 * l, 12.0 * l2;
  return rho_A / 420.0 * m;
}

/// Integrals over the length of what is conjugate to the nodes, without stiffnesses.
template <class S>
struct Forces {
  Nodes<S> axial = Nodes<S>::Zero(), bending = Nodes<S>::Zero();          ///< per E A, E I; with damping
  Nodes<S> axial_eta = Nodes<S>::Zero(), bending_eta = Nodes<S>::Zero();  ///< their derivatives by eta

  void add(const S& weight, const S& eta, const Resultants<S>& at, const Local<S>& Z,
           const LocalMap<S>& map) {
    const auto add_to = [&](Nodes<S>& out, const Local<S>& force) {
      out += weight * (force * map.W.transpose());
    };
    const Local<S> viscous = at.bending_rate.force();
    add_to(axial, at.axial(at.strain.eps + eta * at.rate));
    add_to(bending, at.bending(Z) + eta * viscous);
    add_to(axial_eta, at.axial(at.rate));
    add_to(bending_eta, viscous);
  }
};

template <class S>
Local<S> apply(const Hessian<S>& H, const Local<S>& dZ) {
  const Eigen::Matrix<S, 9, 1> change = H * Eigen::Map<const Eigen::Matrix<S, 9, 1>>(dZ.data());
  return Eigen::Map<const Local<S>>(change.data());
}

}  // namespace

template <class S>
Eigen::Matrix<S, 4, 4> cable_mass(const S& rho_A, const S& l) {
  const S l2 = l * l;
  Eigen::Matrix<S, 4, 4> m;
  m << S(156), 22.0 * l, S(54), -13.0 * l,      //
      22.0 * l, 4.0 * l2, 13.0 * l, -3.0 * l2,  //
      S(54), 13.0 * l, S(156), -22.0 * l,       //
      -13.0 * l, -3.0 * l2, -22.0 * l, 4.0 * l2;
  return rho_A * l / 420.0 * m;
}

template <class S>
void CableBeam<S>::add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const {
  const Parameters<S> b(shape_, xi);
  const Eigen::Matrix<S, 4, 4> m = cable_mass<S>(b.rho * b.A.a, b.l);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) M.template block<3, 3>(3 * i, 3 * j).diagonal().array() += m(i, j);
  }
}

template <class S>
void CableBeam<S>::add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const {
  const Parameters<S> b(shape_, xi);
  const auto column = [&Ma_xi](Eigen::Index k) { return Eigen::Map<Nodes<S>>(Ma_xi.col(k).data()); };
  const Nodes<S> per_density = as_nodes<S>(a) * cable_mass<S>(S(1), b.l);
  column(at_l) += as_nodes<S>(a) * cable_mass_l<S>(b.rho * b.A.a, b.l);
  column(at_rho) += b.A.a * per_density;
  for (const int i : {0, 1}) column(at_dim + i) += b.rho * b.by_dim(b.A, i) * per_density;
}

template <class S>
void CableBeam<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Parameters<S> b(shape_, state.xi);
  const Nodes<S> A = as_nodes<S>(state.q), A_dot = as_nodes<S>(state.v);
  Forces<S> forces;
  for (const GaussPoint& point : gauss_points) {
    const LocalMap<S> map(point.xi, b.l);
    const Local<S> Z = A * map.W;
    forces.add(b.l * point.weight, b.eta, Resultants<S>(energy_, Z, A_dot * map.W), Z, map);
  }
  const Vector3<S> weight = (b.rho * b.A.a * b.l / 12.0) * gravity_.template cast<S>();
  Eigen::Map<Nodes<S>>(Q.data()) +=
      weight * gravity_weights<S>(b.l).transpose() - b.E * (b.A.a * forces.axial + b.I.a * forces.bending);
}

template <class S>
void CableBeam<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Parameters<S> b(shape_, state.xi);
  const Nodes<S> A = as_nodes<S>(state.q), A_dot = as_nodes<S>(state.v);
  const S EA = b.E * b.A.a, EI = b.E * b.I.a;
  Forces<S> forces;
  Nodes<S> by_l = Nodes<S>::Zero();
  Eigen::Matrix<S, 12, 12> K = Eigen::Matrix<S, 12, 12>::Zero(), D = K;
  for (const GaussPoint& point : gauss_points) {
    const LocalMap<S> map(point.xi, b.l);
    const Local<S> Z = A * map.W, Z_dot = A_dot * map.W;
    const Resultants<S> at(energy_, Z, Z_dot);
    const S weight = b.l * point.weight;
    forces.add(weight, b.eta, at, Z, map);
    Hessian<S> H = Hessian<S>::Zero(), H_dot = Hessian<S>::Zero();
    at.add_hessians(EA, EI, b.eta, Z, Z_dot, H, H_dot);
    map.add_congruent(weight, H, K);
    map.add_congruent(weight, H_dot, D);
    const Local<S> change = apply<S>(H, A * map.W_l) + apply<S>(H_dot, A_dot * map.W_l);
    const Local<S> force = EA * at.axial(at.strain.eps + b.eta * at.rate) +
                           EI * (at.bending(Z) + b.eta * at.bending_rate.force());
    by_l += weight * (change * map.W.transpose() + force * map.W_l.transpose());
  }
  out.Q_q -= K;
  out.Q_v -= D;

  const Nodes<S> elastic = b.A.a * forces.axial + b.I.a * forces.bending;
  const Vector3<S> g = gravity_.template cast<S>() / 12.0;
  const Nodes<S> weight = b.l * g * gravity_weights<S>(b.l).transpose();
  const auto column = [&out](Eigen::Index k) { return Eigen::Map<Nodes<S>>(out.Q_xi.col(k).data()); };
  column(at_l) += (b.rho * b.A.a) * (weight / b.l + b.l * g * gravity_weights_l<S>().transpose()) -
                  b.E / b.l * elastic - by_l;
  column(at_E) -= elastic;
  column(at_rho) += b.A.a * weight;
  column(at_eta) -= EA * forces.axial_eta + EI * forces.bending_eta;
  for (const int i : {0, 1}) {
    column(at_dim + i) +=
        b.by_dim(b.A, i) * (b.rho * weight - b.E * forces.axial) - b.by_dim(b.I, i) * b.E * forces.bending;
  }
}

template <class S>
S CableBeam<S>::potential(const ElementState<S>& state) const {
  const Parameters<S> b(shape_, state.xi);
  const Nodes<S> A = as_nodes<S>(state.q);
  S U(0);
  for (const GaussPoint& point : gauss_points) {
    const Local<S> Z = A * LocalMap<S>(point.xi, b.l).W;
    const S eps = AxialStrain<S>(energy_, Z).eps;
    U += 0.5 * point.weight * b.E * (b.A.a * eps * eps + b.I.a * SquaredCurvature<S>(energy_, Z).k);
  }
  const Vector3<S> g = gravity_.template cast<S>(), mean = A * gravity_weights<S>(b.l) / 12.0;
  return b.l * (U - b.rho * b.A.a * inner<S>(g, mean));
}

namespace {

/// R kappa_min
constexpr double strain_rounding = 1e-9;

/// kappa, rounded at zero, and its derivatives.
template <class S>
struct RoundedCurvature {
  S value, by_square, by_R;
  RoundedCurvature(const S& square, const S& R) {
    using std::sqrt;
    const S least = strain_rounding / R, root = sqrt(square + least * least);
    value = square / (root + least);
    by_square = 0.5 / root;
    by_R = value * least / (root * R);
  }
};

}  // namespace

template <class S>
void CableStress<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  const Parameters<S> b(shape_, state.xi);
  const Local<S> Z = as_nodes<S>(state.q) * LocalMap<S>(x_, b.l).W;
  const RoundedCurvature<S> kappa(SquaredCurvature<S>(energy_, Z).k, b.R.a);
  const S eps = AxialStrain<S>(energy_, Z).eps;
  h[0] = b.E * (eps + side(eps) * b.R.a * kappa.value);
}

template <class S>
void CableStress<S>::add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const {
  const Parameters<S> b(shape_, state.xi);
  const LocalMap<S> map(x_, b.l);
  const Nodes<S> A = as_nodes<S>(state.q);
  const Local<S> Z = A * map.W;
  const AxialStrain<S> strain(energy_, Z);
  const SquaredCurvature<S> square(energy_, Z);
  const RoundedCurvature<S> kappa(square.k, b.R.a);
  const double side = this->side(strain.eps);
  const S bending = side * b.E * b.R.a;
  Local<S> by_Z = bending * kappa.by_square * square.gradient(Z);
  by_Z.col(strain.of) += b.E * strain.by;
  const Nodes<S> by_A = by_Z * map.W.transpose();
  out.h_q.row(0) += Eigen::Map<const Eigen::Matrix<S, 1, 12>>(by_A.data());
  out.h_xi(0, at_l) += by_Z.cwiseProduct(A * map.W_l).sum();
  out.h_xi(0, at_E) += strain.eps + side * b.R.a * kappa.value;
  for (const int i : {0, 1}) {
    out.h_xi(0, at_dim + i) += side * b.E * (kappa.value + b.R.a * kappa.by_R) * b.by_dim(b.R, i);
  }
}

template class CableBeam<InstantiatedScalar>;
template class CableStress<InstantiatedScalar>;
template Eigen::Matrix<InstantiatedScalar, 4, 4> cable_mass(const InstantiatedScalar&,
                                                            const InstantiatedScalar&);

}  // namespace kurbel
