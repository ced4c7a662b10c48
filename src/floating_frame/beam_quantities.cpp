#include "floating_frame/beam_quantities.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "elements/beam_stress.hpp"

namespace kurbel {

template <class S>
BeamFunction<S>::BeamFunction(const MultibodySystem<S>& system, std::size_t element,
                              std::shared_ptr<const StateFunction<S>> function)
    : system_(system),
      element_(element),
      first_(system.first_node() + system.beams().first_node(element)),
      function_(std::move(function)) {
  derivatives_.resize(function_->n_rows(), function_->n_q(), function_->n_xi());
}

template <class S>
typename PosedBeams<S>::Nodes BeamFunction<S>::nodes(const Instant& at) const {
  typename PosedBeams<S>::Nodes nodes;
  for (std::size_t i = 0; i < 2; ++i) {
    const Pose<S> pose = system_.pose(at.x, first_ + i);
    nodes.r[i] = pose.r, nodes.R[i] = rotation_matrix<S>(pose.e);
  }
  return nodes;
}

template <class S>
Rows<S> BeamFunction<S>::value(const Instant& at) const {
  const Eigen::Matrix<S, 24, 1> q = PosedBeams<S>::coordinates(nodes(at)), at_rest = 0.0 * q;
  const auto xi = system_.beams().parameters(element_);
  Rows<S> h = Rows<S>::Zero(function_->n_rows());
  function_->value({q, at_rest, VectorX<S>(), xi}, h);
  return h;
}

template <class S>
void BeamFunction<S>::add_partials(const Instant& at, const Rows<S>& h_bar, Bar& bar,
                                   Eigen::Ref<VectorX<S>> p_bar) const {
  const auto ends = nodes(at);
  const Eigen::Matrix<S, 24, 1> q = PosedBeams<S>::coordinates(ends), at_rest = 0.0 * q;
  const auto xi = system_.beams().parameters(element_);
  for (auto* A : {&derivatives_.h_q, &derivatives_.h_v, &derivatives_.h_xi}) A->setZero();
  function_->add_derivatives({q, at_rest, VectorX<S>(), xi}, derivatives_);
  const Eigen::Matrix<S, 24, 1> q_bar = derivatives_.h_q.transpose() * h_bar;
  bar.x.template segment<12>(system_.v_offset(first_)) += PosedBeams<S>::pull_back_coordinates(ends, q_bar);
  system_.beams().pull_back(element_, derivatives_.h_xi.transpose() * h_bar, p_bar);
}

template <class S>
std::vector<std::shared_ptr<const Observable<S>>> beam_stresses(const MultibodySystem<S>& system,
                                                                const CriterionTerm& term) {
  const std::vector<BeamSpec>& beams = system.spec().beams;
  const auto found = std::ranges::find(beams, term.beam, &BeamSpec::name);
  if (found == beams.end()) throw InputError("there is no beam " + term.beam);
  const auto beam = static_cast<std::size_t>(found - beams.begin());
  std::vector<std::shared_ptr<const Observable<S>>> all;
  for (int i = 0; i < found->n_elements; ++i) {
    if (term.along && i != element_at(*found, *term.along)) continue;
    all.push_back(std::make_shared<BeamFunction<S>>(system, system.beams().element(beam, i),
                                                    director_stress<S>(*found, term)));
  }
  return all;
}

#define KURBEL_INSTANTIATE(S)                                                                         \
  template class BeamFunction<S>;                                                                     \
  template std::vector<std::shared_ptr<const Observable<S>>> beam_stresses(const MultibodySystem<S>&, \
                                                                           const CriterionTerm&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
