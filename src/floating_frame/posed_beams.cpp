/// @file
/// Evaluates beam elements between two poses: equations, derivatives, energies and momenta.
///
/// posed_beams.hpp has the equations. Letters:
///
///     i, k      node of an element (0, 1); part of its coordinates: position r (0), directors d_k = R E_k (1, 2, 3)
///     q         (r, d_1, d_2, d_3) of both nodes, 24, in the inertial frame
///     v, v_dot  twists of both nodes in their own frames and their rates, 12
///     B         24 x 12: q_dot = B v
///     g         gravity at the positions of both nodes, 24
///     a         q_ddot - g
///     z         M a - Q, so that f = B^T z
///     mu, w     weights of f, and B mu
///     xi        parameters of DirectorBeam, 13
///     M_xi      d(M a)/dxi, also less dQ/dxi (update_parameter_derivatives())
///     X_x, X_v  derivatives by displacements of the nodes in their frames, and by v
#include "floating_frame/posed_beams.hpp"

#include "base/instantiate.hpp"
#include "elements/beam_shape.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

namespace {

template <class S>
using Vector24 = Eigen::Matrix<S, 24, 1>;
template <class S>
using ByNodes = Eigen::Matrix<S, 24, 12>;

/// Indices in xi of l and of (Gamma_0, K_0). indices_of() has the indices in p of the six parameters between them.
constexpr Eigen::Index at_length = 0, at_strains = 7;
std::array<Eigen::Index, 6> indices_of(const BeamLayout& beam) {
  return {beam.youngs_modulus(), beam.poisson_ratio(), beam.density(),
          beam.damping(),        beam.dimensions(),    beam.dimensions() + 1};
}

/// Computes q, q_dot and q_ddot from two poses, with their derivatives. B is the derivative of q by displacements, of
/// q_dot by v and of q_ddot by v_dot.
template <class S>
struct Directors {
  using Nodes = typename PosedBeams<S>::Nodes;
  explicit Directors(const Nodes& nodes) : nodes_(nodes) {}

  Vector24<S> q() const {
    Vector24<S> q;
    for (int i = 0; i < 2; ++i) {
      q.template segment<3>(12 * i) = nodes_.r[static_cast<std::size_t>(i)];
      for (int k = 0; k < 3; ++k) q.template segment<3>(12 * i + 3 + 3 * k) = R(i).col(k);
    }
    return q;
  }
  Vector24<S> rates() const {
    return turned([&](int i, int k) { return rate(i, k); });
  }
  Vector24<S> accelerations() const {
    return turned([&](int i, int k) { return acceleration(i, k); });
  }
  ByNodes<S> B() const {
    return blocks([&](int, int k, auto by_place, auto by_turn) {
      if (k == 0) {
        by_place.setIdentity();
      } else {
        by_turn = -tilde(unit(k));
      }
    });
  }
  ByNodes<S> rates_x() const {
    return blocks([&](int i, int k, auto, auto by_turn) { by_turn = -tilde(rate(i, k)); });
  }
  ByNodes<S> accelerations_x() const {
    return blocks([&](int i, int k, auto, auto by_turn) { by_turn = -tilde(acceleration(i, k)); });
  }
  ByNodes<S> accelerations_v() const {
    return blocks([&](int i, int k, auto by_place, auto by_turn) {
      by_turn = -tilde(rate(i, k));
      if (k == 0) {
        by_place = tilde(omega(i));
      } else {
        by_turn -= tilde(omega(i)) * tilde(unit(k));
      }
    });
  }
  /// d(B^T z)/dx of a constant z.
  typename PosedBeams<S>::Square forces_x(const Vector24<S>& z) const {
    typename PosedBeams<S>::Square K = PosedBeams<S>::Square::Zero();
    for (int i = 0; i < 2; ++i) {
      const auto in_frame = [&](int k) {
        return Vector3<S>(R(i).transpose() * z.template segment<3>(12 * i + 3 * k));
      };
      K.template block<3, 3>(6 * i, 6 * i + 3) = tilde(in_frame(0));
      for (int k = 1; k < 4; ++k)
        K.template block<3, 3>(6 * i + 3, 6 * i + 3) += tilde(unit(k)) * tilde(in_frame(k));
    }
    return K;
  }

 private:
  const Matrix3<S>& R(int i) const { return nodes_.R[static_cast<std::size_t>(i)]; }
  static Vector3<S> unit(int k) { return Vector3<S>::Unit(k - 1); }
  Vector3<S> omega(int i) const { return nodes_.v.template segment<3>(6 * i + 3); }
  /// Rate of part k of node i in its frame: v, or omega x E_k.
  Vector3<S> rate(int i, int k) const {
    return k == 0 ? Vector3<S>(nodes_.v.template segment<3>(6 * i)) : cross(omega(i), unit(k));
  }
  Vector3<S> acceleration(int i, int k) const {
    const Vector3<S> turning = cross(omega(i), rate(i, k));
    return k == 0 ? Vector3<S>(nodes_.v_dot.template segment<3>(6 * i) + turning)
                  : Vector3<S>(cross(nodes_.v_dot.template segment<3>(6 * i + 3), unit(k)) + turning);
  }
  /// Turns vectors from the nodes' frames into the inertial frame.
  template <class InFrame>
  Vector24<S> turned(const InFrame& in_frame) const {
    Vector24<S> out;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 4; ++k) out.template segment<3>(12 * i + 3 * k) = R(i) * in_frame(i, k);
    }
    return out;
  }
  template <class Fill>
  ByNodes<S> blocks(const Fill& fill) const {
    ByNodes<S> out = ByNodes<S>::Zero();
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 4; ++k) {
        auto rows = out.template block<3, 6>(12 * i + 3 * k, 6 * i);
        fill(i, k, rows.template leftCols<3>(), rows.template rightCols<3>());
        rows = (R(i) * rows).eval();
      }
    }
    return out;
  }

  const Nodes& nodes_;
};

/// Returns g at the positions of both nodes, and zero at their directors.
template <class S>
Vector24<S> field(const Vector3<S>& g) {
  Vector24<S> out = Vector24<S>::Zero();
  out.template head<3>() = g, out.template segment<3>(12) = g;
  return out;
}

}  // namespace

template <class S>
PosedBeams<S>::Workspace::Workspace() : mass(24, 24), M_xi(24, 13) {
  Q.resize(24, 0, 13);
}

template <class S>
PosedBeams<S>::PosedBeams(const SystemSpec& spec, const ParameterLayout& layout, const Vec& p)
    : specs_(spec.beams), gravity_(spec.gravity.template cast<S>()) {
  std::size_t node = 0;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    layouts_.push_back(layout.beam(i));
    beams_.emplace_back(Vector3d::Zero(), static_cast<SectionShape>(specs_[i].shape));
    first_.push_back(places_.size());
    for (int k = 0; k < specs_[i].n_elements; ++k) places_.push_back({i, node++});
    ++node;
  }
  set_parameters(p);
}

template <class S>
void PosedBeams<S>::set_parameters(const Vec& p) {
  xi_.resize(13, static_cast<Eigen::Index>(places_.size()));
  shape_by_places_.resize(specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const BeamShape<S> shape(specs_[i], p.data() + layouts_[i].places());
    shape_by_places_[i] = shape.derivatives();
    for (int k = 0; k < specs_[i].n_elements; ++k) {
      auto xi = xi_.col(static_cast<Eigen::Index>(element(i, k)));
      xi[at_length] = shape.element_length();
      Eigen::Index at = at_length;
      for (const Eigen::Index index : indices_of(layouts_[i])) xi[++at] = p[index];
      xi.template segment<6>(at_strains) = shape.strains(k);
    }
  }
}

template <class S>
void PosedBeams<S>::pull_back(std::size_t element, const Parameters& xi_bar, Eigen::Ref<Vec> p_bar) const {
  const std::size_t beam = places_[element].beam;
  const BeamLayout& layout = layouts_[beam];
  auto places_bar = p_bar.template segment<BeamLayout::n_places>(layout.places());
  const MatrixX<S>& by_places = shape_by_places_[beam];
  places_bar += by_places.row(0).transpose() * xi_bar[at_length];
  if (specs_[beam].through)
    places_bar += by_places.template middleRows<6>(strains_in_shape(element)).transpose() *
                  xi_bar.template segment<6>(at_strains);
  Eigen::Index at = at_length;
  for (const Eigen::Index index : indices_of(layout)) p_bar[index] += xi_bar[++at];
}

template <class S>
void PosedBeams<S>::update_mass(std::size_t element, Workspace& ws) const {
  ws.mass.setZero();
  beam_of(element).add_mass(parameters(element), ws.mass);
}

template <class S>
void PosedBeams<S>::update_derivatives(std::size_t element, const Nodes& nodes, Workspace& ws) const {
  const Directors<S> directors(nodes);
  const Vector24<S> q = directors.q(), q_dot = directors.rates();
  const Parameters xi = parameters(element);
  ws.Q.resize(24, 0, 13);
  beam_of(element).add_derivatives({q, q_dot, Vec(), xi}, ws.Q);
}

template <class S>
void PosedBeams<S>::residual(std::size_t element, const Nodes& nodes, Workspace& ws, Twists& f) const {
  const Directors<S> directors(nodes);
  const Vector24<S> q = directors.q(), q_dot = directors.rates();
  const Parameters xi = parameters(element);
  update_mass(element, ws);
  Vector24<S> Q = Vector24<S>::Zero();
  beam_of(element).add_force({q, q_dot, Vec(), xi}, Q);
  f = directors.B().transpose() * (ws.mass * (directors.accelerations() - field(gravity_)) - Q);
}

template <class S>
void PosedBeams<S>::jacobians(std::size_t element, const Nodes& nodes, Workspace& ws, Square& f_x,
                              Square& f_v, Square& M) const {
  const Directors<S> directors(nodes);
  const Vector24<S> q = directors.q(), q_dot = directors.rates();
  const Parameters xi = parameters(element);
  update_mass(element, ws);
  update_derivatives(element, nodes, ws);
  Vector24<S> z = Vector24<S>::Zero();
  beam_of(element).add_force({q, q_dot, Vec(), xi}, z);
  z = ws.mass * (directors.accelerations() - field(gravity_)) - z;

  const ByNodes<S> B = directors.B();
  const Eigen::Matrix<S, 12, 24> BM = B.transpose() * ws.mass;
  ByNodes<S> z_x = -ws.Q.Q_q * B;
  z_x.noalias() -= ws.Q.Q_v * directors.rates_x();
  f_x = directors.forces_x(z) + B.transpose() * z_x + BM * directors.accelerations_x();
  const ByNodes<S> z_v = -ws.Q.Q_v * B;
  f_v = B.transpose() * z_v + BM * directors.accelerations_v();
  M = BM * B;
}

template <class S>
void PosedBeams<S>::update_parameter_derivatives(std::size_t element, const Nodes& nodes,
                                                 Workspace& ws) const {
  update_derivatives(element, nodes, ws);
  const Vector24<S> a = Directors<S>(nodes).accelerations() - field(gravity_);
  ws.M_xi = -ws.Q.Q_xi;
  beam_of(element).add_mass_derivative(parameters(element), a, ws.M_xi);
}

template <class S>
void PosedBeams<S>::pullback(std::size_t element, const Nodes& nodes, const Twists& mu, Workspace& ws,
                             Eigen::Ref<Vec> p_bar) const {
  update_parameter_derivatives(element, nodes, ws);
  const Vector24<S> w = Directors<S>(nodes).B() * mu;
  pull_back(element, ws.M_xi.transpose() * w, p_bar);
}

template <class S>
auto PosedBeams<S>::push_forward(std::size_t element, const Nodes& nodes, const Eigen::Ref<const Vec>& p_dot,
                                 Workspace& ws) const -> Twists {
  const std::size_t beam = places_[element].beam;
  const BeamLayout& layout = layouts_[beam];
  const auto places_dot = p_dot.template segment<BeamLayout::n_places>(layout.places());
  const MatrixX<S>& by_places = shape_by_places_[beam];
  Parameters xi_dot = Parameters::Zero();
  xi_dot[at_length] = by_places.row(0) * places_dot;
  if (specs_[beam].through)
    xi_dot.template segment<6>(at_strains) =
        by_places.template middleRows<6>(strains_in_shape(element)) * places_dot;
  Eigen::Index at = at_length;
  for (const Eigen::Index index : indices_of(layout)) xi_dot[++at] = p_dot[index];
  update_parameter_derivatives(element, nodes, ws);
  const Vector24<S> z_dot = ws.M_xi * xi_dot;
  return Directors<S>(nodes).B().transpose() * z_dot;
}

template <class S>
BodyEnergy<S> PosedBeams<S>::energy(std::size_t element, const Nodes& nodes, Workspace& ws) const {
  const Directors<S> directors(nodes);
  const Vector24<S> q = directors.q(), q_dot = directors.rates();
  const Parameters xi = parameters(element);
  update_mass(element, ws);
  return {0.5 * dot(q_dot, Vector24<S>(ws.mass * q_dot)), beam_of(element).potential({q, q_dot, Vec(), xi}),
          -dot(q, Vector24<S>(ws.mass * field(gravity_)))};
}

template <class S>
void PosedBeams<S>::add_energy_partials(std::size_t element, const Nodes& nodes, const EnergyWeights& weights,
                                        Workspace& ws, Twists& x_bar, Twists& v_bar,
                                        Eigen::Ref<Vec> p_bar) const {
  const Directors<S> directors(nodes);
  const Vector24<S> q = directors.q(), q_dot = directors.rates(), g = field(gravity_);
  const Parameters xi = parameters(element);
  const DirectorBeam<S>& beam = beam_of(element);
  const ByNodes<S> B = directors.B();
  update_mass(element, ws);
  const Vector24<S> momentum = weights.kinetic * (ws.mass * q_dot);
  v_bar += B.transpose() * momentum;
  Vector24<S> q_bar = -weights.gravitational * (ws.mass * g), Q = Vector24<S>::Zero();
  beam.add_force({q, Vector24<S>::Zero(), Vec(), xi}, Q);
  q_bar -= weights.elastic * Q;
  x_bar += directors.rates_x().transpose() * momentum + B.transpose() * q_bar;

  Parameters xi_bar = Parameters::Zero();
  beam.add_elastic_energy_derivative({q, q_dot, Vec(), xi}, xi_bar);
  xi_bar *= weights.elastic;
  const auto add_mass = [&](const Vector24<S>& a, const Vector24<S>& w, double weight) {
    ws.M_xi.setZero();
    beam.add_mass_derivative(xi, a, ws.M_xi);
    xi_bar += weight * (ws.M_xi.transpose() * w);
  };
  add_mass(q_dot, q_dot, 0.5 * weights.kinetic);
  add_mass(g, q, -weights.gravitational);
  pull_back(element, xi_bar, p_bar);
}

template <class S>
void PosedBeams<S>::add_momentum(std::size_t element, const Nodes& nodes, Workspace& ws, Vector3<S>& linear,
                                 Vector3<S>& angular) const {
  const Directors<S> directors(nodes);
  update_mass(element, ws);
  const Vector24<S> q = directors.q(), momentum = ws.mass * directors.rates();
  for (int k = 0; k < 8; ++k) {
    const Vector3<S> own = momentum.template segment<3>(3 * k);
    if (k % 4 == 0) linear += own;
    angular += cross(q.template segment<3>(3 * k), own);
  }
}

/// Sums v^T M v over the elements, whose masses are equal, in a translation at 1 m/s.
template <class S>
S PosedBeams<S>::mass(std::size_t beam) const {
  const Vector24<S> v = field<S>(Vector3<S>::UnitX());
  MatrixX<S> M = MatrixX<S>::Zero(24, 24);
  beams_[beam].add_mass(parameters(first_[beam]), M);
  return double(specs_[beam].n_elements) * dot(v, Vector24<S>(M * v));
}

template <class S>
void PosedBeams<S>::pull_back_mass(std::size_t beam, const S& mass_bar, Eigen::Ref<Vec> p_bar) const {
  const Vector24<S> v = field<S>(Vector3<S>::UnitX());
  MatrixX<S> Mv_xi = MatrixX<S>::Zero(24, 13);
  beams_[beam].add_mass_derivative(parameters(first_[beam]), v, Mv_xi);
  pull_back(first_[beam], mass_bar * double(specs_[beam].n_elements) * (Mv_xi.transpose() * v), p_bar);
}

template <class S>
auto PosedBeams<S>::coordinates(const Nodes& nodes) -> Vector24<S> {
  return Directors<S>(nodes).q();
}

template <class S>
auto PosedBeams<S>::pull_back_coordinates(const Nodes& nodes, const Vector24<S>& q_bar) -> Twists {
  return Directors<S>(nodes).B().transpose() * q_bar;
}

template class PosedBeams<InstantiatedScalar>;

}  // namespace kurbel
