#include "natural_coordinates/start_of_bodies.hpp"

#include "base/instantiate.hpp"
#include "natural_coordinates/frame_of_body.hpp"

namespace kurbel {

namespace {

template <class S>
FrameOfBody<S> frame_of(const MultibodySystem<S>& bodies, const StartState<S>& state, std::size_t i) {
  return FrameOfBody<S>(bodies.pose(state.x, i), Vector6<S>(state.v.template segment<6>(bodies.v_offset(i))));
}

}  // namespace

template <class S>
StartOfBodies<S>::StartOfBodies(const NaturalSystem<S>& system)
    : system_(system), of_bodies_(system.bodies().make_start()), balance_(system) {}

template <class S>
Status StartOfBodies<S>::solve(double t0, State& state) {
  if (Status s = of_bodies_->solve(t0, bodies_); s.failed()) return s;
  const CarriedFrames& frames = system_.frames();
  Vec x = Vec::Zero(3 * frames.n_vectors()), v = x;
  for (std::size_t i = 0; i < system_.bodies().n_bodies(); ++i) {
    const Eigen::Index o = 3 * frames.body(i);
    frame_of(system_.bodies(), bodies_, i).write(x.segment(o, 12), v.segment(o, 12));
  }
  state.x.setZero(system_.n_x()), state.v.setZero(system_.n_v());
  frames.map().template collapse<S>(x, state.x);
  frames.map().template collapse<S>(v, state.v);
  system_.put_directions(state.x);
  system_.put_direction_rates(state.v);
  Vec c(system_.n_c());
  balance_.set_position(t0, state.x, c);
  if (!balance_.factorize()) {
    balance_.check_constraints();  // what is independent in space may not be so in a plane
    return balance_.singular();
  }
  return balance_.find_accelerations(state);
}

template <class S>
void StartOfBodies<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  const MultibodySystem<S>& bodies = system_.bodies();
  balance_.pullback(state, v_dot_bar, lambda_bar, x_bar, v_bar, p_bar);
  for (Vec* bar : {&x_bar, &v_bar}) {
    system_.pull_back_directions(*bar);
    const Vec of_coordinates = *bar;
    system_.frames().map().template spread<S>(of_coordinates, *bar);
  }
  Vec x_of_bodies(bodies.n_v()), v_of_bodies(bodies.n_v());
  for (std::size_t i = 0; i < bodies.n_bodies(); ++i) {
    const Eigen::Index o = 3 * system_.frames().body(i), place = bodies.v_offset(i);
    frame_of(bodies, bodies_, i)
        .pull_back_written(x_bar.segment(o, 12), v_bar.segment(o, 12), x_of_bodies.segment(place, 6),
                           v_of_bodies.segment(place, 6));
  }
  of_bodies_->pullback(bodies_, x_of_bodies, v_of_bodies, Vec::Zero(bodies.n_v()), Vec::Zero(bodies.n_c()),
                       p_bar);
}

template <class S>
void StartOfBodies<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                    StateDirections& out) {
  const MultibodySystem<S>& bodies = system_.bodies();
  StateDirections of_bodies;
  of_bodies_->push_forward(bodies_, p_dot, of_bodies);
  const CoordinateMap& map = system_.frames().map();
  Matrix x = Matrix::Zero(3 * system_.frames().n_vectors(), p_dot.cols()), v = x;
  for (std::size_t i = 0; i < bodies.n_bodies(); ++i) {
    const Eigen::Index o = 3 * system_.frames().body(i), place = bodies.v_offset(i);
    const FrameOfBody<S> frame = frame_of(bodies, bodies_, i);
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j)
      frame.push_forward(of_bodies.x.col(j).segment(place, 6), of_bodies.v.col(j).segment(place, 6),
                         x.col(j).segment(o, 12), v.col(j).segment(o, 12));
  }
  out.x.resize(system_.n_v(), p_dot.cols()), out.v.resize(system_.n_v(), p_dot.cols());
  for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
    map.template collapse<S>(x.col(j), out.x.col(j));
    map.template collapse<S>(v.col(j), out.v.col(j));
    system_.put_direction_rates(out.x.col(j));
    system_.put_direction_rates(out.v.col(j));
  }
  balance_.push_forward(state, p_dot, out);
}

template class StartOfBodies<InstantiatedScalar>;

}  // namespace kurbel
