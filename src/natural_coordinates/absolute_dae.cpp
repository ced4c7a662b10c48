#include "natural_coordinates/absolute_dae.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
class AbsoluteDae<S>::Work final : public ConstantMassWorkspace<S> {
 public:
  explicit Work(const AbsoluteDae& model)
      : ConstantMassWorkspace<S>(model.make_jacobians().C), of_system(model.system_.make_workspace()) {}
  std::unique_ptr<typename FirstOrderOde<S>::Workspace> of_system;
};

template <class S>
AbsoluteDae<S>::AbsoluteDae(AbsoluteSystem<S>& system)
    : system_(system), mass_(BlockMatrix<S>::dense(system.n_q(), system.n_q())) {
  mass_.block(0, 0, system.n_q(), system.n_q()) = system.mass_matrix();
}

template <class S>
void AbsoluteDae<S>::set_parameters(const Segment& p) {
  system_.set_parameters(p);
  mass_.block(0, 0, system_.n_q(), system_.n_q()) = system_.mass_matrix();
}

template <class S>
std::unique_ptr<typename AbsoluteDae<S>::Workspace> AbsoluteDae<S>::make_workspace() const {
  return std::make_unique<Work>(*this);
}

template <class S>
std::vector<double> AbsoluteDae<S>::jumps(double from, double to) const {
  std::vector<double> times;
  for (Eigen::Index i = 0; i < system_.controls().size(); ++i) {
    for (const double t : system_.controls().grid(i).jumps()) {
      if (t >= from && t < to) times.push_back(t);
    }
  }
  return times;
}

template <class S>
void AbsoluteDae<S>::force(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                           Eigen::Ref<Vec> F) const {
  system_.force(t, x, v, *static_cast<Work&>(ws).of_system, F);
}

template <class S>
void AbsoluteDae<S>::force_jacobians(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                                     DaeJacobians<S>& out) const {
  const Eigen::Index n = system_.n_q();
  auto& of_system = *static_cast<Work&>(ws).of_system;
  system_.linearize_force(t, x, v, Vec(), of_system);
  out.f_x.block(0, 0, n, n) = -system_.force_by_position(of_system);
  out.f_v.block(0, 0, n, n) = -system_.force_by_velocity(of_system);
}

template <class S>
void AbsoluteDae<S>::pullback_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                     const Segment& a, const Segment& w, Workspace& ws,
                                     Eigen::Ref<Vec> p_bar) const {
  auto& of_system = *static_cast<Work&>(ws).of_system;
  system_.linearize_force(t, x, v, a, of_system);
  system_.pullback_balance(of_system, w, p_bar);
}

template <class S>
void AbsoluteDae<S>::push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                         const Segment& a, const ConstColumns& p_dot, Workspace& ws,
                                         Columns out) const {
  auto& of_system = *static_cast<Work&>(ws).of_system;
  system_.linearize_force(t, x, v, a, of_system);
  system_.push_forward_balance(of_system, p_dot, out);
}

template <class S>
void AbsoluteDae<S>::given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const {
  Vec state(system_.n_x());
  system_.initial_state(state);
  x = state.head(n_x()), v = state.tail(n_x());
}

template <class S>
void AbsoluteDae<S>::push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const {
  system_.push_forward_initial(p_dot, x_dot);
}

template <class S>
void AbsoluteDae<S>::pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const {
  system_.pullback_initial(x_bar, p_bar);
}

template class AbsoluteDae<InstantiatedScalar>;

}  // namespace kurbel
