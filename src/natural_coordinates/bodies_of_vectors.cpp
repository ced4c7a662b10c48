#include "natural_coordinates/bodies_of_vectors.hpp"

#include "base/instantiate.hpp"
#include "natural_coordinates/frame_of_body.hpp"

namespace kurbel {

namespace {

template <class S>
FrameOfBody<S> frame_at(const NaturalSystem<S>& system, const DaeInstant<S>& at, std::size_t i) {
  const Eigen::Index o = 3 * system.frames().body(i);
  return FrameOfBody<S>(at.x.segment(o, 12), at.v.segment(o, 12));
}

}  // namespace

template <class S>
BodiesOfVectors<S>::BodiesOfVectors(const NaturalSystem<S>& system)
    : system_(system),
      layout_{system.bodies().n_x(), system.bodies().n_v(), system.bodies().n_c(), 1},
      y_(Vec::Zero(layout_.n_state())) {}

template <class S>
auto BodiesOfVectors<S>::at(const Instant& vectors) -> Instant {
  const MultibodySystem<S>& bodies = system_.bodies();
  for (std::size_t i = 0; i < bodies.n_bodies(); ++i) {
    const FrameOfBody<S> frame = frame_at(system_, vectors, i);
    layout_.x(y_).template segment<7>(bodies.x_offset(i)) << frame.pose.r, frame.pose.e;
    layout_.v(y_).template segment<6>(bodies.v_offset(i)) << frame.v, frame.omega;
  }
  return layout_.template instant<S>(vectors.t, y_);
}

template <class S>
void BodiesOfVectors<S>::pull_back(const Instant& vectors, const DaeInstantBar<S>& of_bodies,
                                   DaeInstantBar<S>& bar) const {
  for (std::size_t i = 0; i < system_.bodies().n_bodies(); ++i) {
    const Eigen::Index o = 3 * system_.frames().body(i), place = system_.bodies().v_offset(i);
    frame_at(system_, vectors, i)
        .pull_back(of_bodies.x.segment(place, 6), of_bodies.v.segment(place, 6), bar.x.segment(o, 12),
                   bar.v.segment(o, 12));
  }
}

template <class S>
FrameIntegrand<S>::FrameIntegrand(const NaturalSystem<S>& system,
                                  std::shared_ptr<const Integrand<S>> of_bodies)
    : of_bodies_(std::move(of_bodies)), bodies_(system), y_bar_(bodies_.layout().n_tangent()) {}

template <class S>
S FrameIntegrand<S>::value(const DaeInstant<S>& at) const {
  return of_bodies_->value(bodies_.at(at));
}

template <class S>
void FrameIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                     Eigen::Ref<VectorX<S>> p_bar) const {
  y_bar_.setZero();
  DaeInstantBar<S> of_bodies(bodies_.layout(), y_bar_);
  of_bodies_->add_partials(bodies_.at(at), weight, of_bodies, p_bar);
  bodies_.pull_back(at, of_bodies, bar);
}

template class BodiesOfVectors<InstantiatedScalar>;
template class FrameIntegrand<InstantiatedScalar>;

}  // namespace kurbel
