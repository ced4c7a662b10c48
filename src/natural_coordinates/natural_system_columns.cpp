/// Derivatives of the balance M a - F by the parameters, along several directions at once.
#include "base/instantiate.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

template <class S>
void NaturalSystem<S>::differentiate_by(const SparseMatrix& p_dot) {
  std::vector<bool> varies(static_cast<std::size_t>(n_extended_), false);
  for (Eigen::Index column = 0; column < p_dot.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(p_dot, column); entry; ++entry)
      varies[static_cast<std::size_t>(entry.row())] = true;
  }
  // Behind the parameters stand numbers that follow from those of beams, and from all of them by welds.
  for (Eigen::Index k = p_.size(); k < n_extended_; ++k) varies[static_cast<std::size_t>(k)] = k != zero_;
  choose_active(varies);
}

template <class S>
void NaturalSystem<S>::choose_active(const std::vector<bool>& varies) {
  std::vector<bool> is_node(varies.size(), false);  // of a control, which are treated together
  for (std::size_t c = 0; c < spec_.controls.size(); ++c) {
    const ParameterBlock& nodes = layout_.control(c);
    std::fill_n(is_node.begin() + nodes.offset, nodes.size(), true);
  }
  active_.clear();
  active_index_.assign(varies.size(), -1);
  for (std::size_t k = 0; k < varies.size(); ++k) {
    if (!varies[k] || is_node[k]) continue;
    active_index_[k] = std::ssize(active_);
    active_.push_back(static_cast<Eigen::Index>(k));
  }
}

/// Adds T^T y, where T x are the coordinates of an element.
template <class S>
void NaturalSystem<S>::scatter_column(const PlacedElement<S>& placed, const Eigen::Ref<const Vec>& y,
                                      Eigen::Ref<Vec> out) const {
  for (std::size_t k = 0; k < placed.forms.size(); ++k)
    placed.forms[k].add_transposed(extended_.data(), placed.get(k, y), out);
}

/// Adds an element's derivatives: by its own parameters, by inputs, and by the places of its vectors.
template <class S>
void NaturalSystem<S>::add_by_parameters(std::size_t index, const Segment& a, NaturalWorkspace& ws) const {
  const PlacedElement<S>& placed = elements_[index];
  const DynamicElement<S>& element = *placed.element;
  auto& at = ws.elements[index];
  const auto column_of = [&](Eigen::Index parameter) {
    return active_index_[static_cast<std::size_t>(parameter)];
  };
  if (std::ranges::any_of(placed.parameters, [&](Eigen::Index k) { return column_of(k) >= 0; })) {
    gather_rates<S>(placed, extended_.data(), a, ws.a.head(element.n_q()));
    ws.Ma_xi.setZero(element.n_q(), element.n_xi());
    element.add_mass_derivative(at.xi, ws.a.head(element.n_q()), ws.Ma_xi);
    ws.Ma_xi -= at.derivatives.Q_xi;
    for (std::size_t k = 0; k < placed.parameters.size(); ++k) {
      const Eigen::Index column = column_of(placed.parameters[k]);
      if (column >= 0)
        scatter_column(placed, ws.Ma_xi.col(static_cast<Eigen::Index>(k)), ws.by_active.col(column));
    }
  }
  for (std::size_t k = 0; k < placed.inputs.size(); ++k) {
    const NaturalInput& input = inputs_[static_cast<std::size_t>(placed.inputs[k])];
    if (input.control < 0) continue;
    auto by_input = ws.q_bar.head(element.n_q());
    by_input = -input.factor * at.derivatives.Q_u.col(static_cast<Eigen::Index>(k));
    scatter_column(placed, by_input, ws.by_control.col(input.control));
  }
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    const auto by_form = at.derivatives.Q_q.middleCols(placed.place(k), placed.dimension);
    const auto add = [&](Eigen::Index parameter, const Vector3d& direction) {
      if (column_of(parameter) < 0) return;
      const Vec along = -by_form * direction.head(placed.dimension).template cast<S>();
      scatter_column(placed, along, ws.by_active.col(column_of(parameter)));
    };
    for (const VectorForm::Place& place : placed.forms[k].places) {
      for (int d = 0; d < 3; ++d) add(place.parameter + d, place.factor * Vector3d::Unit(d));
    }
    for (const VectorForm::Reach& reach : placed.forms[k].reaches) add(reach.parameter, reach.direction);
  }
}

template <class S>
void NaturalSystem<S>::find_by_parameters(const OneSidedTime& t, const Segment& x, const Segment& v,
                                          const Segment& a, NaturalWorkspace& ws) const {
  evaluate_elements(t, x, v, true, ws);
  ws.by_active.setZero(n_x(), std::ssize(active_));
  ws.by_control.setZero(n_x(), std::ssize(spec_.controls));
  for (std::size_t i = 0; i < elements_.size(); ++i) add_by_parameters(i, a, ws);
}

template <class S>
void NaturalSystem<S>::pullback_motions(const OneSidedTime& t, const Segment& x, const Segment& v,
                                        const Segment& a, const ConstColumns& w,
                                        Workspace& workspace_of_caller, Columns p_bar) const {
  if (has_varied_weights_) return Base::pullback_motions(t, x, v, a, w, workspace_of_caller, p_bar);
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  find_by_parameters(t, x, v, a, ws);
  ws.control_columns.noalias() = ws.by_control.transpose().lazyProduct(w);
  for (std::size_t c = 0; c < spec_.controls.size(); ++c)
    p_bar.middleRows(layout_.control(c).offset, ws.weights[c].size()).noalias() +=
        ws.weights[c].transpose().template cast<S>() * ws.control_columns.row(static_cast<Eigen::Index>(c));
  if (active_.empty()) return;
  ws.columns.noalias() = ws.by_active.transpose() * w;
  if (derived_.empty() && welds_.empty()) {
    for (std::size_t k = 0; k < active_.size() && active_[k] < p_.size(); ++k)
      p_bar.row(active_[k]) += ws.columns.row(static_cast<Eigen::Index>(k));
    return;
  }
  for (Eigen::Index j = 0; j < w.cols(); ++j) {
    ws.extended_bar.setZero();
    ws.extended_bar(active_) = ws.columns.col(j);
    pull_back_extended(ws.extended_bar, p_bar.col(j));
  }
}

template <class S>
void NaturalSystem<S>::push_forward_extended(const ConstColumns& p_dot, Matrix& extended_dot) const {
  extended_dot.setZero(n_extended_, p_dot.cols());
  extended_dot.topRows(p_.size()) = p_dot;
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const Matrix& by_places = derived_by_places_[i];
    extended_dot.middleRows(derived_[i], by_places.rows()).noalias() =
        by_places * p_dot.template middleRows<BeamLayout::n_places>(layout_.beam(i).places());
  }
  if (!welds_.empty()) extended_dot.bottomRows(welds_by_p_.rows()).noalias() = welds_by_p_ * p_dot;
}

template <class S>
void NaturalSystem<S>::push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                           const Segment& a, const ConstColumns& p_dot,
                                           Workspace& workspace_of_caller, Columns out) const {
  if (has_varied_weights_) return Base::push_forward_motion(t, x, v, a, p_dot, workspace_of_caller, out);
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  find_by_parameters(t, x, v, a, ws);
  ws.control_columns.resize(std::ssize(spec_.controls), p_dot.cols());
  for (std::size_t c = 0; c < spec_.controls.size(); ++c)
    ws.control_columns.row(static_cast<Eigen::Index>(c)).noalias() =
        ws.weights[c].template cast<S>() * p_dot.middleRows(layout_.control(c).offset, ws.weights[c].size());
  out.noalias() = ws.by_control.lazyProduct(ws.control_columns);
  if (active_.empty()) return;
  if (derived_.empty() && welds_.empty()) {
    for (std::size_t k = 0; k < active_.size() && active_[k] < p_.size(); ++k)
      out.noalias() += ws.by_active.col(static_cast<Eigen::Index>(k)) * p_dot.row(active_[k]);
    return;
  }
  push_forward_extended(p_dot, ws.columns);
  for (std::size_t k = 0; k < active_.size(); ++k)
    out.noalias() += ws.by_active.col(static_cast<Eigen::Index>(k)) * ws.columns.row(active_[k]);
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void NaturalSystem<S>::differentiate_by(const SparseMatrix&);                                     \
  template void NaturalSystem<S>::choose_active(const std::vector<bool>&);                                   \
  template void NaturalSystem<S>::pullback_motions(const OneSidedTime&, const Segment&, const Segment&,      \
                                                   const Segment&, const ConstColumns&, Workspace&, Columns) \
      const;                                                                                                 \
  template void NaturalSystem<S>::push_forward_motion(const OneSidedTime&, const Segment&, const Segment&,   \
                                                      const Segment&, const ConstColumns&, Workspace&,       \
                                                      Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
