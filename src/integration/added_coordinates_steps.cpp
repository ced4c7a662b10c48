#include "integration/added_coordinates_steps.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
AddedCoordinatesSteps<S>::AddedCoordinatesSteps(Shared<const SecondOrderDae<S>> model,
                                                std::shared_ptr<const SecondOrderDae<S>> functions,
                                                std::vector<std::string> labels,
                                                const IntegratorOptions& options)
    : Base(model, options, 1),
      system_(model, std::move(functions), std::move(labels)),
      steps_(system_, options, indices_of(options.independent, system_)),
      functions_ws_(system_.functions().make_workspace()),
      before_(steps_.n_state()),
      after_(steps_.n_state()),
      none_(Vec::Zero(system_.n_added())) {
  h_.resize(layout_.n_v, system_.n_added());
}

template <class S>
Status AddedCoordinatesSteps<S>::initial_state(Eigen::Ref<Vec> y0) {
  if (Status s = Base::initial_state(y0); s.failed()) return s;
  complete(0, y0, before_);
  steps_.begin(before_);
  return {};
}

template <class S>
DaeInstant<S> AddedCoordinatesSteps<S>::instant(Eigen::Index k, const Segment& y) const {
  return {this->time(k), layout_.x(y), layout_.v(y), layout_.w(y), none_};
}

template <class S>
void AddedCoordinatesSteps<S>::complete(Eigen::Index k, const Segment& y, Vec& all) {
  system_.functions().constraint_values(instant(k, y), *functions_ws_, h_);
  all << layout_.x(y), h_.c0, layout_.v(y), h_.c1, layout_.w(y), h_.c2, layout_.lambda(y), none_;
}

template <class S>
Status AddedCoordinatesSteps<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  complete(k - 1, y_prev, before_);
  const Status status = steps_.step(k, before_, after_);
  const DaeStateLayout& l = steps_.layout();
  y << l.x(after_).head(layout_.n_x), l.v(after_).head(layout_.n_v), l.w(after_).head(layout_.n_v),
      l.lambda(after_).head(layout_.n_c);
  this->newton_iterations_ = steps_.newton_iterations();
  return status;
}

/// s = h, s_dot = h_dot and s_ddot = h_ddot at the start of the step.
template <class S>
void AddedCoordinatesSteps<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                             Columns y_bar, Columns p_bar) {
  complete(k - 1, y_prev, before_);
  complete(k, y, after_);
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c, m = system_.n_added(), all = n + m;
  bars_.setZero(steps_.n_tangent(), y_bar.cols());
  for (Eigen::Index i = 0; i < 3; ++i) bars_.middleRows(i * all, n) = y_bar.middleRows(i * n, n);
  bars_.middleRows(3 * all, n_c) = y_bar.bottomRows(n_c);
  steps_.pullback_step(k, before_, after_, bars_, p_bar);
  const DaeInstant<S> start = instant(k - 1, y_prev);
  system_.functions().constraint_derivatives(start, *functions_ws_, h_);
  const auto added = [&](Eigen::Index i) { return bars_.middleRows(i * all + n, m); };
  for (Eigen::Index i = 0; i < 3; ++i) y_bar.middleRows(i * n, n) = bars_.middleRows(i * all, n);
  y_bar.bottomRows(n_c) = bars_.middleRows(3 * all, n_c);
  // s, s_dot and s_ddot by x, v and w.
  const auto add = [&](Eigen::Index to, const Matrix& derivative, Eigen::Index from) {
    y_bar.middleRows(to * n, n).noalias() += derivative.transpose() * added(from);
  };
  for (Eigen::Index i = 0; i < 3; ++i) add(i, h_.C, i);
  add(0, h_.c1_x, 1), add(0, h_.c2_x, 2), add(1, h_.c2_v, 2);
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j)
    system_.functions().pullback_constraints(start, added(0).col(j), added(1).col(j), added(2).col(j),
                                             *functions_ws_, p_bar.col(j));
}

template <class S>
void AddedCoordinatesSteps<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                                 const ConstColumns& p_dot, Columns y_dot) {
  complete(k - 1, y_prev, before_);
  complete(k, y, after_);
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c, m = system_.n_added(), all = n + m;
  const DaeInstant<S> start = instant(k - 1, y_prev);
  system_.functions().constraint_derivatives(start, *functions_ws_, h_);
  system_.functions().push_forward_constraints(start, p_dot, *functions_ws_, h_p_);
  const Matrix x = y_dot.topRows(n), v = y_dot.middleRows(n, n), w = y_dot.middleRows(2 * n, n);
  dots_.setZero(steps_.n_tangent(), y_dot.cols());
  for (Eigen::Index i = 0; i < 3; ++i) dots_.middleRows(i * all, n) = y_dot.middleRows(i * n, n);
  dots_.middleRows(3 * all, n_c) = y_dot.bottomRows(n_c);
  dots_.middleRows(n, m) = h_.C * x + h_p_.c0;
  dots_.middleRows(all + n, m) = h_.c1_x * x + h_.C * v + h_p_.c1;
  dots_.middleRows(2 * all + n, m) = h_.c2_x * x + h_.c2_v * v + h_.C * w + h_p_.c2;
  steps_.push_forward_step(k, before_, after_, p_dot, dots_);
  for (Eigen::Index i = 0; i < 3; ++i) y_dot.middleRows(i * n, n) = dots_.middleRows(i * all, n);
  y_dot.bottomRows(n_c) = dots_.middleRows(3 * all, n_c);
}

template class AddedCoordinatesSteps<InstantiatedScalar>;

}  // namespace kurbel
