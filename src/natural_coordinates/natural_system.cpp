#include "natural_coordinates/natural_system.hpp"

#include <fmt/format.h>

#include <map>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "mechanism/motion_end.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

template <class S>
NaturalSystem<S>::NaturalSystem(const SystemSpec& spec)
    : spec_(spec), layout_(spec_), frames_(spec_, layout_), p_(layout_.values(spec_).template cast<S>()) {
  n_extended_ = layout_.size();
  for (const BeamSpec& beam : spec_.beams) {
    derived_.push_back(n_extended_);
    n_extended_ += 1 + (beam.kind == BeamSpec::Kind::spatial ? 6 * beam.n_elements : 0);
  }
  zero_ = n_extended_++;
  derive();
  choose_coordinates();
  NaturalAssembler<S>(*this).assemble();
  if (!welds_.empty()) derive();
  group_rows();
  find_blocks();
  choose_active(std::vector<bool>(static_cast<std::size_t>(n_extended_), true));
  const bool bodies_alone = spec_.beams.empty() && spec_.planar_beams.empty() && spec_.point_masses.empty() &&
                            spec_.attached_masses.empty();
  if (bodies_alone) bodies_.emplace(spec_);
  assemble_mass();
}

template <class S>
void NaturalSystem<S>::set_parameters(const Vec& p) {
  p_ = p;
  if (bodies_) bodies_->set_parameters(p);
  ++revision_;
  derive();
  assemble_mass();
}

template <class S>
void NaturalSystem<S>::follow_end() {
  for (NaturalInput& input : inputs_) follow_motion(spec_.time, input.function);
  for (ProductRow& row : rows_) {
    if (row.motion) follow_motion(spec_.time, row.motion->drive.motion);
  }
}

template <class S>
auto NaturalSystem<S>::workspace(Workspace& ws) const -> NaturalWorkspace& {
  return static_cast<NaturalWorkspace&>(ws);
}

template <class S>
auto NaturalSystem<S>::make_workspace() const -> std::unique_ptr<Workspace> {
  return std::make_unique<NaturalWorkspace>(*this);
}

template <class S>
const NaturalJoint& NaturalSystem<S>::joint(const std::string& name) const {
  const auto found = std::ranges::find(joints_, name, &NaturalJoint::name);
  if (found == joints_.end()) throw InputError(fmt::format("there is no joint {}", name));
  return *found;
}

template <class S>
const NaturalJoint* NaturalSystem<S>::joint_of_row(Eigen::Index row) const {
  const auto holds = [&](const NaturalJoint& joint) {
    return joint.first - joint.n_before <= row && row < joint.first + joint.count;
  };
  const auto found = std::ranges::find_if(joints_, holds);
  return found == joints_.end() ? nullptr : &*found;
}

/// Rows of a joint, which concern the same vectors, stand in blocks of up to three; so do those of axes.
template <class S>
void NaturalSystem<S>::group_rows() {
  constexpr Eigen::Index largest = 3;
  const NaturalJoint* last = nullptr;
  for (Eigen::Index row = 0; row < n_c(); ++row) {
    const NaturalJoint* joint = joint_of_row(row);
    if (row == 0 || joint != last || row == row_groups_.back() + largest) row_groups_.push_back(row);
    last = joint;
  }
  row_groups_.push_back(n_c());
}

template <class S>
DaeJacobians<S> NaturalSystem<S>::make_jacobians() const {
  DaeJacobians<S> out{{n_v(), n_v()}, {n_v(), n_v()}, {n_v(), n_v()}, {n_c(), n_v()}};
  for (const PlacedElement<S>& placed : elements_) {
    for_each_pair(placed, [&](auto, auto, const VectorForm::Term& a, const VectorForm::Term& b) {
      for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.M})
        matrix->add_block(a.first, b.first, a.size(), b.size());
    });
  }
  for (std::size_t group = 0; group + 1 < row_groups_.size(); ++group) {
    const Eigen::Index first = row_groups_[group], count = row_groups_[group + 1] - first;
    for (Eigen::Index row = first; row < first + count; ++row) {
      const ProductRow& r = rows_[static_cast<std::size_t>(row)];
      for (const ProductTerm& product : r.products) {
        for (const VectorForm* form : {&product.a, &product.b}) {
          for (const VectorForm::Term& i : form->terms) out.C.add_block(first, i.first, count, i.size());
        }
      }
      r.second_derivative(extended_.data(), [&](const auto& i, const auto& j, const S&) {
        out.f_x.add_block(i.first, j.first, i.size(), j.size());
      });
    }
  }
  return out;
}

namespace {

/// Indices of blocks in a matrix, by the coordinates with which they begin.
template <class S>
std::map<std::pair<Eigen::Index, Eigen::Index>, std::size_t> indices_of_blocks(const BlockMatrix<S>& A) {
  std::map<std::pair<Eigen::Index, Eigen::Index>, std::size_t> at;
  for (const auto& block : A.blocks()) at.emplace(std::pair(block.row, block.col), at.size());
  return at;
}

}  // namespace

/// Blocks of elements come first in f_x, f_v and M, and in the same order.
template <class S>
void NaturalSystem<S>::find_blocks() {
  const DaeJacobians<S> jacobians = make_jacobians();
  M_ = jacobians.M;
  const auto of_elements = indices_of_blocks(M_), of_forces = indices_of_blocks(jacobians.f_x),
             of_rows = indices_of_blocks(jacobians.C);
  for (PlacedElement<S>& placed : elements_) {
    for_each_pair(placed, [&](auto, auto, const VectorForm::Term& a, const VectorForm::Term& b) {
      placed.blocks.push_back(of_elements.at({a.first, b.first}));
    });
  }
  for (PlacedElement<S>& placed : elements_) {
    if (std::ranges::any_of(placed.forms, &VectorForm::has_varied_weights)) has_varied_weights_ = true;
    const Parts seen = placed.dimension == 2 ? Parts::plane() : Parts();
    for (const VectorForm& form : placed.forms)
      placed.direct.push_back(form.is_vector_of(seen) ? form.terms.front().first : -1);
  }
  const Vec x = Vec::Zero(n_x());
  for (std::size_t group = 0; group + 1 < row_groups_.size(); ++group) {
    for (Eigen::Index row = row_groups_[group]; row < row_groups_[group + 1]; ++row) {
      const ProductRow& r = rows_[static_cast<std::size_t>(row)];
      r.gradient(extended_.data(), x, [&](const auto& i, const Vector3<S>&) {
        gradient_blocks_.push_back(of_rows.at({row_groups_[group], i.first}));
      });
      r.second_derivative(extended_.data(), [&](const auto& i, const auto& j, const S&) {
        reaction_blocks_.push_back(of_forces.at({i.first, j.first}));
      });
    }
  }
}

template <class S>
void NaturalSystem<S>::assemble_mass() {
  M_.set_zero();
  MatrixX<S> mass;
  Vec xi;
  for (const PlacedElement<S>& placed : elements_) {
    const Eigen::Index n = placed.element->n_q();
    mass.setZero(n, n);
    xi = parameters_of(placed);
    placed.element->add_mass(xi, mass);
    if (!mass.isZero(0.0)) scatter_matrix(placed, common_size(), extended_.data(), 1.0, mass, M_);
  }
}

template <class S>
std::vector<double> NaturalSystem<S>::jumps(double from, double to) const {
  std::vector<double> times;
  for (const NamedJump& jump : jumps_of(spec_, from, to)) times.push_back(jump.t);
  return times;
}

template <class S>
void NaturalSystem<S>::update_inputs(const OneSidedTime& t, NaturalWorkspace& ws) const {
  if (ws.revision_of_inputs == revision_ && ws.time_of_inputs.is(t)) return;
  ws.revision_of_inputs = revision_, ws.time_of_inputs = t;
  for (std::size_t i = 0; i < spec_.controls.size(); ++i) spec_.controls[i].grid.weights(t, ws.weights[i]);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    S& u = ws.inputs[static_cast<Eigen::Index>(i)];
    if (inputs_[i].control < 0) {
      u = inputs_[i].function->value(t);
      continue;
    }
    const auto c = static_cast<std::size_t>(inputs_[i].control);
    u = S(0);
    for (Eigen::Index j = 0; j < ws.weights[c].size(); ++j)
      u += ws.weights[c][j] * p_[layout_.control(c).offset + j];
    u *= inputs_[i].factor;
  }
}

/// Forces of all elements, and their derivatives if these are wanted, in parallel.
template <class S>
void NaturalSystem<S>::evaluate_elements(const OneSidedTime& t, const Segment& x, const Segment& v,
                                         bool with_derivatives, NaturalWorkspace& ws) const {
  constexpr Eigen::Index elements_per_chunk = 32;  // less work than to wake a thread
  auto& at = ws.evaluated_at;
  update_inputs(t, ws);
  at.move_to(revision_, t, x, v);
  const bool force = !at.has_forces, derive = with_derivatives && !at.has_derivatives;
  if (!force && !derive) return;
  const auto evaluate = [&](Eigen::Index begin, Eigen::Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const DynamicElement<S>& element = *elements_[i].element;
      const ElementState<S> state = ws.state(*this, i, x, v);
      auto& own = ws.elements[i];
      if (at.is_refined && is_beam_element(i)) ws.refine(*this, i);
      if (force) {
        own.Q.setZero();
        element.add_force(state, own.Q);
      }
      if (derive) {
        own.derivatives.resize(element.n_q(), element.n_u(), element.n_xi());
        element.add_derivatives(state, own.derivatives);
      }
    }
  };
  if (std::ssize(elements_) <= elements_per_chunk) {
    evaluate(0, std::ssize(elements_));
  } else {
    parallel_for(std::ssize(elements_), elements_per_chunk, std::cref(evaluate));
  }
  at.has_forces = true, at.has_derivatives = with_derivatives;
}

template <class S>
void NaturalSystem<S>::refine(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& dx,
                              const Segment& dv, Workspace& workspace_of_caller) const {
  auto& at = workspace(workspace_of_caller).evaluated_at;
  at.move_to(revision_, t, x, v);
  at.dx = dx, at.dv = dv;
  at.is_refined = true, at.has_forces = at.has_derivatives = false;
}

template <class S>
void NaturalSystem<S>::force(const OneSidedTime& t, const Segment& x, const Segment& v,
                             Workspace& workspace_of_caller, Eigen::Ref<Vec> F) const {
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  evaluate_elements(t, x, v, false, ws);
  F.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const PlacedElement<S>& placed = elements_[i];
    const Vec& Q = ws.elements[i].Q;
    for (std::size_t k = 0; k < placed.forms.size(); ++k) {
      if (const Eigen::Index first = placed.direct[k]; first >= 0) {
        for (int d = 0; d < placed.dimension; ++d) F[first + d] += Q[placed.place(k) + d];
      } else {
        placed.forms[k].add_transposed(extended_.data(), placed.get(k, Q), F);
      }
    }
  }
}

template <class S>
void NaturalSystem<S>::force_jacobians(const OneSidedTime& t, const Segment& x, const Segment& v,
                                       Workspace& workspace_of_caller, DaeJacobians<S>& out) const {
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  evaluate_elements(t, x, v, true, ws);
  out.f_x.set_zero(), out.f_v.set_zero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ForceDerivatives<S>& derivatives = ws.elements[i].derivatives;
    scatter_matrix(elements_[i], common_size(), extended_.data(), -1.0, derivatives.Q_q, out.f_x);
    scatter_matrix(elements_[i], common_size(), extended_.data(), -1.0, derivatives.Q_v, out.f_v);
  }
}

template <class S>
void NaturalSystem<S>::constraints(double t, const Segment& x, Workspace&, Eigen::Ref<Vec> c,
                                   BlockMatrix<S>& C) const {
  C.set_zero();
  const std::size_t* place = gradient_blocks_.data();
  for (Eigen::Index row = 0; row < n_c(); ++row) {
    const ProductRow& r = rows_[static_cast<std::size_t>(row)];
    c[row] = r.value<S>(t, extended_.data(), x);
    r.gradient(extended_.data(), x, [&](const auto& term, const Vector3<S>& g) {
      const auto& block = C.blocks()[*place++];
      S* entries = C.values().data() + block.first + (row - block.row);
      term.parts.for_each([&](int part, int at) { entries[at * block.stride] += g[part]; });
    });
  }
}

template <class S>
void NaturalSystem<S>::constraint_rate(double t, Workspace&, Eigen::Ref<Vec> c_t) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    c_t[static_cast<Eigen::Index>(i)] = -rows_[i].motion_at(t, p_.data()).rate;
}

template <class S>
void NaturalSystem<S>::constraint_acceleration(double t, Workspace&, Eigen::Ref<Vec> c_tt) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    c_tt[static_cast<Eigen::Index>(i)] = -rows_[i].motion_at(t, p_.data()).acceleration;
}

template <class S>
void NaturalSystem<S>::add_reaction_jacobian(const Segment&, const Segment& a, double weight, Workspace&,
                                             BlockMatrix<S>& K) const {
  const std::size_t* place = reaction_blocks_.data();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const S scale = weight * a[static_cast<Eigen::Index>(row)];
    rows_[row].second_derivative(extended_.data(), [&](const auto& a, const auto& b, const S& h) {
      const auto& block = K.blocks()[*place++];
      S* entries = K.values().data() + block.first;
      for_common_parts(a, b, [&](int i, int j) { entries[i + j * block.stride] += scale * h; });
    });
  }
}

template <class S>
S NaturalSystem<S>::kinetic_energy(const Segment& v) const {
  Vec Mv = Vec::Zero(n_v());
  M_.add_product(1.0, v, Mv);
  return 0.5 * (v.transpose() * Mv).value();
}

template <class S>
S NaturalSystem<S>::potential_energy(const Segment& x, Workspace& workspace_of_caller) const {
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  S energy(0);
  for (std::size_t i = 0; i < elements_.size(); ++i)
    energy += elements_[i].element->potential(ws.state(*this, i, x, ws.zero));
  return energy;
}

template <class S>
auto NaturalSystem<S>::momentum(const Segment& x, const Segment& v) const -> Momentum {
  Momentum total{Vector3<S>::Zero(), Vector3<S>::Zero()};
  Vec xi, rates;
  MatrixX<S> mass;
  for (const PlacedElement<S>& placed : elements_) {
    if (placed.per_point == 0) continue;
    xi = parameters_of(placed);
    rates.resize(placed.element->n_q());
    mass.setZero(rates.size(), rates.size());
    placed.element->add_mass(xi, mass);
    gather_rates<S>(placed, extended_.data(), v, rates);
    const Vec momenta = mass * rates;
    for (std::size_t k = 0; k < placed.forms.size(); ++k) {
      const Vector3<S> p = placed.get(k, momenta), q = placed.forms[k].template at<S>(extended_.data(), x);
      if (placed.is_point(k)) total.linear += p;
      total.angular += cross(q, p);
    }
  }
  return total;
}

template <class S>
std::string NaturalSystem<S>::coordinate_name(Eigen::Index i) const {
  const CarriedFrames::Name& name = frames_.name(frames_.map().vector_of(i));
  return fmt::format("{}, {}", name.owner, name.vector);
}

template <class S>
std::string NaturalSystem<S>::coordinate_label(Eigen::Index i) const {
  const int vector = frames_.map().vector_of(i);
  const CarriedFrames::Name& name = frames_.name(vector);
  const char part = "xyz"[frames_.map().part_of(i)];
  if (!frames_.is_of_point_or_planar_beam(vector))
    return fmt::format("{}.{}.{}", name.owner, name.vector, part);
  return fmt::format("{}.{}{}", name.owner, part, name.vector.substr(1));
}

template <class S>
std::string NaturalSystem<S>::constraint_name(Eigen::Index i) const {
  return row_names_[static_cast<std::size_t>(i)];
}

template class NaturalSystem<InstantiatedScalar>;

}  // namespace kurbel
