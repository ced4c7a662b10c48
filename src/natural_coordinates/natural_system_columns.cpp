/// Derivatives of the balance M a - F by the parameters, along several directions at once.
#include "base/instantiate.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

template <class S>
void NaturalSystem<S>::find_by_parameters(std::size_t index, const Segment& a, NaturalWorkspace& ws) const {
  const PlacedElement<S>& placed = elements_[index];
  const Element<S>& element = *placed.element;
  auto& at = ws.elements[index];
  gather_rates<S>(placed, extended_.data(), a, ws.a.head(element.n_q()));
  ws.by_parameters.setZero(element.n_q(), element.n_xi());
  element.add_mass_derivative(at.xi, ws.a.head(element.n_q()), ws.by_parameters);
  ws.by_parameters -= at.derivatives.Q_xi;
}

/// With W what the element sees of w: by its own parameters, by inputs, and by where what it sees stands.
template <class S>
void NaturalSystem<S>::pull_back_columns(std::size_t index, const ConstColumns& w, NaturalWorkspace& ws,
                                         Columns p_bar) const {
  const PlacedElement<S>& placed = elements_[index];
  const ForceDerivatives<S>& derivatives = ws.elements[index].derivatives;
  const S* p = extended_.data();
  auto W = ws.own_columns.topRows(placed.element->n_q());
  W.setZero();
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    for (const VectorForm::Term& term : placed.forms[k].terms) {
      term.parts.for_each([&](int part, int place) {
        if (part < placed.dimension)
          W.row(placed.place(k) + part) += term.weight(p) * w.row(term.first + place);
      });
    }
  }
  for (std::size_t k = 0; k < placed.parameters.size(); ++k)
    ws.extended_columns.row(placed.parameters[k]).noalias() +=
        ws.by_parameters.col(static_cast<Eigen::Index>(k)).transpose() * W;
  for (std::size_t k = 0; k < placed.inputs.size(); ++k) {
    const NaturalInput& input = inputs_[static_cast<std::size_t>(placed.inputs[k])];
    if (input.control < 0) continue;
    const auto c = static_cast<std::size_t>(input.control);
    const auto by_input = derivatives.Q_u.col(static_cast<Eigen::Index>(k));
    ws.input_row.noalias() = -input.factor * (by_input.transpose() * W);
    p_bar.middleRows(layout_.control(c).offset, ws.weights[c].size()).noalias() +=
        ws.weights[c].transpose().template cast<S>() * ws.input_row;
  }
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    const VectorForm& form = placed.forms[k];
    if (!form.has_parameters()) continue;
    const MatrixX<S> y_bar = -derivatives.Q_q.middleCols(placed.place(k), placed.dimension).transpose() * W;
    for (const VectorForm::Place& place : form.places)
      ws.extended_columns.middleRows(place.parameter, placed.dimension) += place.factor * y_bar;
    for (const VectorForm::Reach& reach : form.reaches)
      ws.extended_columns.row(reach.parameter) +=
          reach.direction.head(placed.dimension).template cast<S>().transpose() * y_bar;
  }
}

template <class S>
void NaturalSystem<S>::pullback_motions(const OneSidedTime& t, const Segment& x, const Segment& v,
                                        const Segment& a, const ConstColumns& w,
                                        Workspace& workspace_of_caller, Columns p_bar) const {
  if (has_varied_weights_ || w.cols() == 1)
    return Base::pullback_motions(t, x, v, a, w, workspace_of_caller, p_bar);
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  evaluate_elements(t, x, v, true, ws);
  ws.own_columns.resize(ws.a.size(), w.cols());
  ws.extended_columns.setZero(n_extended_, w.cols());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    find_by_parameters(i, a, ws);
    pull_back_columns(i, w, ws, p_bar);
  }
  if (derived_.empty() && welds_.empty()) {
    p_bar += ws.extended_columns.topRows(p_.size());
    return;
  }
  for (Eigen::Index j = 0; j < w.cols(); ++j) pull_back_extended(ws.extended_columns.col(j), p_bar.col(j));
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

/// Forwards through the same parts.
template <class S>
void NaturalSystem<S>::push_forward_columns(std::size_t index, const ConstColumns& p_dot,
                                            NaturalWorkspace& ws, Columns out) const {
  const PlacedElement<S>& placed = elements_[index];
  const ForceDerivatives<S>& derivatives = ws.elements[index].derivatives;
  auto own = ws.own_columns.topRows(placed.element->n_q());
  own.setZero();
  for (std::size_t k = 0; k < placed.parameters.size(); ++k)
    own.noalias() +=
        ws.by_parameters.col(static_cast<Eigen::Index>(k)) * ws.extended_columns.row(placed.parameters[k]);
  for (std::size_t k = 0; k < placed.inputs.size(); ++k) {
    const NaturalInput& input = inputs_[static_cast<std::size_t>(placed.inputs[k])];
    if (input.control < 0) continue;
    const auto c = static_cast<std::size_t>(input.control);
    ws.input_row.noalias() =
        input.factor * (ws.weights[c].template cast<S>() *
                        p_dot.middleRows(layout_.control(c).offset, ws.weights[c].size()));
    own.noalias() -= derivatives.Q_u.col(static_cast<Eigen::Index>(k)) * ws.input_row;
  }
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    const VectorForm& form = placed.forms[k];
    if (!form.has_parameters()) continue;
    MatrixX<S> y_dot = MatrixX<S>::Zero(placed.dimension, p_dot.cols());
    for (const VectorForm::Place& place : form.places)
      y_dot += place.factor * ws.extended_columns.middleRows(place.parameter, placed.dimension);
    for (const VectorForm::Reach& reach : form.reaches)
      y_dot += reach.direction.head(placed.dimension).template cast<S>() *
               ws.extended_columns.row(reach.parameter);
    own.noalias() -= derivatives.Q_q.middleCols(placed.place(k), placed.dimension) * y_dot;
  }
  const S* p = extended_.data();
  for (std::size_t k = 0; k < placed.forms.size(); ++k) {
    for (const VectorForm::Term& term : placed.forms[k].terms) {
      term.parts.for_each([&](int part, int place) {
        if (part < placed.dimension)
          out.row(term.first + place) += term.weight(p) * own.row(placed.place(k) + part);
      });
    }
  }
}

template <class S>
void NaturalSystem<S>::push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                           const Segment& a, const ConstColumns& p_dot,
                                           Workspace& workspace_of_caller, Columns out) const {
  if (has_varied_weights_) return Base::push_forward_motion(t, x, v, a, p_dot, workspace_of_caller, out);
  NaturalWorkspace& ws = workspace(workspace_of_caller);
  evaluate_elements(t, x, v, true, ws);
  ws.own_columns.resize(ws.a.size(), p_dot.cols());
  push_forward_extended(p_dot, ws.extended_columns);
  out.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    find_by_parameters(i, a, ws);
    push_forward_columns(i, p_dot, ws, out);
  }
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void NaturalSystem<S>::pullback_motions(const OneSidedTime&, const Segment&, const Segment&,      \
                                                   const Segment&, const ConstColumns&, Workspace&, Columns) \
      const;                                                                                                 \
  template void NaturalSystem<S>::push_forward_motion(const OneSidedTime&, const Segment&, const Segment&,   \
                                                      const Segment&, const ConstColumns&, Workspace&,       \
                                                      Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
