#include "natural_coordinates/bodies_of_vectors.hpp"

#include "base/instantiate.hpp"
#include "natural_coordinates/frame_of_body.hpp"

namespace kurbel {

namespace {

template <class S>
FrameOfBody<S> frame_at(const NaturalSystem<S>& system, const DaeInstant<S>& at, std::size_t i) {
  const CarriedFrames& frames = system.frames();
  const S* p = system.extended_parameters().data();
  Eigen::Matrix<S, 12, 1> q, q_dot;
  frames.gather(frames.body(i), p, at.x, q);
  frames.gather_rates(frames.body(i), p, at.v, q_dot);
  return FrameOfBody<S>(q, q_dot);
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
                                   DaeInstantBar<S>& bar, Eigen::Ref<Vec> p_bar) const {
  const CarriedFrames& frames = system_.frames();
  const S* p = system_.extended_parameters().data();
  for (std::size_t i = 0; i < system_.bodies().n_bodies(); ++i) {
    const Eigen::Index index = system_.bodies().v_offset(i);
    Eigen::Matrix<S, 12, 1> q_bar = Eigen::Matrix<S, 12, 1>::Zero(), q_dot_bar = q_bar;
    frame_at(system_, vectors, i)
        .pull_back(of_bodies.x.segment(index, 6), of_bodies.v.segment(index, 6), q_bar, q_dot_bar);
    for (int k = 0; k < 4; ++k) {
      const VectorForm& form = frames.map().form(frames.body(i) + k);
      const Vector3<S> by_q = q_bar.template segment<3>(3 * k),
                       by_q_dot = q_dot_bar.template segment<3>(3 * k);
      form.add_transposed(p, by_q, bar.x);
      form.add_transposed(p, by_q_dot, bar.v);
      form.pull_back(by_q, vectors.x, p_bar.data());
      form.pull_back_linear(by_q_dot, vectors.v, p_bar.data());
    }
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
  bodies_.pull_back(at, of_bodies, bar, p_bar);
}

template class BodiesOfVectors<InstantiatedScalar>;
template class FrameIntegrand<InstantiatedScalar>;

}  // namespace kurbel
