#include <fmt/format.h>

#include <algorithm>

#include "base/instantiate.hpp"
#include "elements/beam_shape.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

template <class S>
void NaturalSystem<S>::derive() {
  extended_.setZero(n_extended_);
  extended_.head(p_.size()) = p_;
  derived_by_places_.resize(spec_.beams.size());
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const BeamShape<S> shape(spec_.beams[i], p_.data() + layout_.beam(i).places());
    derived_by_places_[i] = shape.derivatives();
    extended_[derived_[i]] = shape.element_length();
    if (spec_.beams[i].kind == BeamSpec::Kind::cable) continue;
    for (int k = 0; k < spec_.beams[i].n_elements; ++k)
      extended_.template segment<6>(reference_strains(i, k)) = shape.strains(k);
  }
  if (!welds_.empty()) derive_welds();
}

template <class S>
void NaturalSystem<S>::derive_welds() {
  const Eigen::Index first = welds_.front().first, n_p = p_.size();
  Vec x(n_x()), v(n_x());
  given_initial_state(x, v);
  std::vector<Eigen::Triplet<S>> by_p;
  for (const CableWeld& weld : welds_) {
    const Vec m = weld.products<S>(extended_.data(), x);
    extended_.segment(weld.first, weld.n_numbers()) = weld.numbers<S>(m);
    for (Eigen::Index k = 0; k < m.size(); ++k) {
      Vec x_bar = Vec::Zero(n_x()), m_by_p = Vec::Zero(n_p);
      weld.add_gradient<S>(k, extended_.data(), x, x_bar);
      pullback_given(false, x_bar, m_by_p);
      const Vec by_m = weld.variation<S>(m, Vec::Unit(m.size(), k));
      for (Eigen::Index i = 0; i < n_p; ++i) {
        if (m_by_p[i] == S(0)) continue;
        for (Eigen::Index row = 0; row < by_m.size(); ++row)
          by_p.emplace_back(weld.first - first + row, i, by_m[row] * m_by_p[i]);
      }
    }
  }
  welds_by_p_.resize(n_extended_ - first, n_p);
  welds_by_p_.setFromTriplets(by_p.begin(), by_p.end());
}

template <class S>
void NaturalSystem<S>::pull_back_extended(const Segment& extended_bar, Eigen::Ref<Vec> p_bar) const {
  p_bar += extended_bar.head(p_.size());
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const Matrix& by_places = derived_by_places_[i];
    p_bar.template segment<BeamLayout::n_places>(layout_.beam(i).places()).noalias() +=
        by_places.transpose() * extended_bar.segment(derived_[i], by_places.rows());
  }
  if (!welds_.empty()) p_bar.noalias() += welds_by_p_.transpose() * extended_bar.tail(welds_by_p_.rows());
}

template <class S>
void NaturalSystem<S>::add_mass_pullback(const PlacedElement<S>& placed, const Segment& a, const Segment& w,
                                         NaturalWorkspace& ws) const {
  const DynamicElement<S>& element = *placed.element;
  gather_rates<S>(placed, extended_.data(), a, ws.a);
  gather_rates<S>(placed, extended_.data(), w, ws.w);
  for (Eigen::Index k = 0; k < element.n_xi(); ++k)
    ws.xi[k] = extended_[placed.parameters[static_cast<std::size_t>(k)]];
  ws.Ma_xi.setZero(element.n_q(), element.n_xi());
  element.add_mass_derivative(ws.xi.head(element.n_xi()), ws.a.head(element.n_q()), ws.Ma_xi);
  for (Eigen::Index k = 0; k < element.n_xi(); ++k)
    ws.extended_bar[placed.parameters[static_cast<std::size_t>(k)]] +=
        (ws.w.head(element.n_q()).transpose() * ws.Ma_xi.col(k)).value();
  if (std::ranges::none_of(placed.forms, &VectorForm::has_parameters)) return;
  // By the weights with which it sees a and w.
  auto mass = ws.mass.topLeftCorner(element.n_q(), element.n_q());
  mass.setZero();
  element.add_mass(ws.xi.head(element.n_xi()), mass);
  ws.q_bar.head(element.n_q()).noalias() = mass * ws.w.head(element.n_q());
  ws.v_bar.head(element.n_q()).noalias() = mass * ws.a.head(element.n_q());
  for (std::size_t i = 0; i < placed.forms.size(); ++i) {
    placed.forms[i].pull_back_linear(placed.get(i, ws.q_bar), a, ws.extended_bar.data());
    placed.forms[i].pull_back_linear(placed.get(i, ws.v_bar), w, ws.extended_bar.data());
  }
}

/// Pulls -w . F back: to the element's own parameters, by inputs, and by the weights with which it sees the coordinates
/// and acts on them.
template <class S>
void NaturalSystem<S>::add_force_pullback(std::size_t index, const Segment& x, const Segment& v,
                                          const Segment& w, NaturalWorkspace& ws,
                                          Eigen::Ref<Vec> p_bar) const {
  const PlacedElement<S>& placed = elements_[index];
  const auto& Q = ws.elements[index].Q;
  const auto& derivatives = ws.elements[index].derivatives;
  const DynamicElement<S>& element = *placed.element;
  const Eigen::Index n = element.n_q();
  gather_rates<S>(placed, extended_.data(), w, ws.w);
  const auto own_w = ws.w.head(n);
  for (Eigen::Index k = 0; k < element.n_xi(); ++k)
    ws.extended_bar[placed.parameters[static_cast<std::size_t>(k)]] -=
        (own_w.transpose() * derivatives.Q_xi.col(k)).value();
  for (Eigen::Index k = 0; k < element.n_u(); ++k) {
    const NaturalInput& input = inputs_[static_cast<std::size_t>(placed.inputs[static_cast<std::size_t>(k)])];
    if (input.control < 0) continue;
    const auto c = static_cast<std::size_t>(input.control);
    const S u_bar = -input.factor * (own_w.transpose() * derivatives.Q_u.col(k)).value();
    for (Eigen::Index j = 0; j < ws.weights[c].size(); ++j)
      p_bar[layout_.control(c).offset + j] += ws.weights[c][j] * u_bar;
  }
  if (std::ranges::none_of(placed.forms, &VectorForm::has_parameters)) return;
  ws.q_bar.head(n).noalias() = derivatives.Q_q.transpose() * own_w;
  ws.v_bar.head(n).noalias() = derivatives.Q_v.transpose() * own_w;
  S* bar = ws.extended_bar.data();
  for (std::size_t i = 0; i < placed.forms.size(); ++i) {
    const auto part = [&](const Vec& of) { return Vector3<S>(-placed.get(i, of)); };
    placed.forms[i].pull_back_linear(part(Q), w, bar);
    placed.forms[i].pull_back(part(ws.q_bar), x, bar);
    placed.forms[i].pull_back_linear(part(ws.v_bar), v, bar);
  }
}

template <class S>
void NaturalSystem<S>::pullback_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                       const Segment& a, const Segment& w, Workspace& workspace_of_caller,
                                       Eigen::Ref<Vec> p_bar) const {
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  evaluate_elements(t, x, v, true, ws);
  ws.extended_bar.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    add_mass_pullback(elements_[i], a, w, ws);
    add_force_pullback(i, x, v, w, ws, p_bar);
  }
  pull_back_extended(ws.extended_bar, p_bar);
}

template <class S>
void NaturalSystem<S>::pullback_positions(double t, const Segment& x, const Segment& mu, const Segment& w,
                                          const Segment& a, Workspace& workspace_of_caller,
                                          Eigen::Ref<Vec> p_bar) const {
  Vec& bar = workspace(workspace_of_caller).extended_bar;
  bar.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    rows_[i].pull_back(extended_.data(), mu[row], x, a[row], w, S(0), w, bar.data());
    rows_[i].pull_back_motion(t, p_.data(), mu[row], S(0), S(0), bar.data());
  }
  pull_back_extended(bar, p_bar);
}

template <class S>
void NaturalSystem<S>::pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                            const Segment& w2, Workspace& workspace_of_caller,
                                            Eigen::Ref<Vec> p_bar) const {
  Vec& bar = workspace(workspace_of_caller).extended_bar;
  bar.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    rows_[i].pull_back(extended_.data(), w0[row], at.x, w1[row], at.v, w2[row], at.v, bar.data());
    rows_[i].pull_back(extended_.data(), S(0), at.x, w2[row], at.v_dot, S(0), at.v, bar.data());
    rows_[i].pull_back_motion(at.t, p_.data(), w0[row], w1[row], w2[row], bar.data());
  }
  pull_back_extended(bar, p_bar);
}

template <class S>
void NaturalSystem<S>::add_kinetic_energy_partials(const Segment& v, double weight,
                                                   Workspace& workspace_of_caller, Eigen::Ref<Vec> v_bar,
                                                   Eigen::Ref<Vec> p_bar) const {
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  M_.add_product(weight, v, v_bar);
  ws.extended_bar.setZero();
  const Vec half = 0.5 * weight * v;
  for (const PlacedElement<S>& placed : elements_) add_mass_pullback(placed, half, v, ws);
  pull_back_extended(ws.extended_bar, p_bar);
}

namespace {

/// A translation by 1 m/s, in the coordinates of an element that has mass.
template <class S>
VectorX<S> translation(const PlacedElement<S>& placed) {
  VectorX<S> v = VectorX<S>::Zero(placed.element->n_q());
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    if (placed.is_point(k)) v[placed.place(k)] = S(1);
  }
  return v;
}

}  // namespace

template <class S>
S NaturalSystem<S>::mass_of(const PlacedElement<S>& placed) const {
  const VectorX<S> v = translation<S>(placed);
  const Vec xi = parameters_of(placed);
  Matrix M = Matrix::Zero(v.size(), v.size());
  placed.element->add_mass(xi, M);
  return (v.transpose() * M * v).value();
}

template <class S>
void NaturalSystem<S>::pull_back_mass_of(const PlacedElement<S>& placed, double weight,
                                         Vec& extended_bar) const {
  const VectorX<S> v = translation<S>(placed);
  const Vec xi = parameters_of(placed);
  Matrix Mv_xi = Matrix::Zero(v.size(), xi.size());
  placed.element->add_mass_derivative(xi, v, Mv_xi);
  for (Eigen::Index k = 0; k < xi.size(); ++k)
    extended_bar[placed.parameters[static_cast<std::size_t>(k)]] +=
        weight * (v.transpose() * Mv_xi.col(k)).value();
}

template <class S>
std::vector<typename NaturalSystem<S>::MassiveElement> NaturalSystem<S>::massive_elements(
    const std::string& name) const {
  std::vector<MassiveElement> found;
  const auto find = [&](const auto& parts, const auto& add) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].name == name) add(i);
    }
  };
  find(spec_.bodies, [&](std::size_t i) { found.push_back({i}); });
  find(spec_.beams, [&](std::size_t i) {
    found.push_back({first_beam_element_[i], static_cast<double>(spec_.beams[i].n_elements)});
  });
  find(spec_.planar_beams, [&](std::size_t i) {
    for (std::size_t e = 0; e < spec_.planar_beams[i].n_elements; ++e)
      found.push_back({first_planar_element_[i] + e});
  });
  find(spec_.point_masses, [&](std::size_t i) { found.push_back({first_point_mass_ + i}); });
  find(spec_.attached_masses, [&](std::size_t i) { found.push_back({first_attached_mass_ + i}); });
  if (found.empty()) throw InputError(fmt::format("there is neither a body nor a beam nor a mass {}", name));
  return found;
}

template <class S>
S NaturalSystem<S>::mass_of(const std::vector<MassiveElement>& part) const {
  S mass(0);
  for (const auto& [element, count] : part) mass += count * mass_of(elements_[element]);
  return mass;
}

template <class S>
void NaturalSystem<S>::pull_back_mass_of(const std::vector<MassiveElement>& part, double weight,
                                         Eigen::Ref<Vec> p_bar) const {
  Vec extended_bar = Vec::Zero(n_extended_);
  for (const auto& [element, count] : part)
    pull_back_mass_of(elements_[element], weight * count, extended_bar);
  pull_back_extended(extended_bar, p_bar);
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void NaturalSystem<S>::derive();                                                                  \
  template void NaturalSystem<S>::derive_welds();                                                            \
  template void NaturalSystem<S>::pull_back_extended(const Segment&, Eigen::Ref<Vec>) const;                 \
  template void NaturalSystem<S>::pullback_motion(const OneSidedTime&, const Segment&, const Segment&,       \
                                                  const Segment&, const Segment&, Workspace&,                \
                                                  Eigen::Ref<Vec>) const;                                    \
  template void NaturalSystem<S>::pullback_positions(                                                        \
      double t, const Segment&, const Segment&, const Segment&, const Segment&, Workspace&, Eigen::Ref<Vec>) \
      const;                                                                                                 \
  template void NaturalSystem<S>::pullback_constraints(const Instant&, const Segment&, const Segment&,       \
                                                       const Segment&, Workspace&, Eigen::Ref<Vec>) const;   \
  template std::vector<NaturalSystem<S>::MassiveElement> NaturalSystem<S>::massive_elements(                 \
      const std::string&) const;                                                                             \
  template S NaturalSystem<S>::mass_of(const std::vector<MassiveElement>&) const;                            \
  template void NaturalSystem<S>::pull_back_mass_of(const std::vector<MassiveElement>&, double,              \
                                                    Eigen::Ref<Vec>) const;                                  \
  template void NaturalSystem<S>::add_kinetic_energy_partials(const Segment&, double, Workspace&,            \
                                                              Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
