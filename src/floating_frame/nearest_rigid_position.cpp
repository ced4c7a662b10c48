#include "floating_frame/nearest_rigid_position.hpp"

#include <numeric>

#include "floating_frame/redundant_constraints.hpp"

namespace kurbel {

namespace {

SystemSpec independent_twin(const SystemSpec& spec, double t0) {
  SystemSpec twin = rigid_twin(spec);
  try {
    set_redundant_aside(twin, t0);
  } catch (const InputError&) {
    return rigid_twin(spec);  // singular at the start: there is no position there, but along the way
  }
  return twin;
}

}  // namespace

NearestRigidPosition::NearestRigidPosition(const SystemSpec& spec, double t0)
    : twin_(independent_twin(spec, t0)), ws_(twin_.make_workspace()), position_(twin_, *ws_) {}

std::optional<VectorXd> NearestRigidPosition::find(const MultibodySystem<double>& system, double t,
                                                   const VectorXd& x) {
  constexpr double near = 0.5;  // lengths of the mechanism, rad
  VectorXd frames(twin_.n_x());
  for (std::size_t i = 0; i < twin_.n_bodies(); ++i)
    frames.segment<7>(twin_.x_offset(i)) = x.segment<7>(system.x_offset(i));
  InitialPosition<double>::Ranks all(1);
  all[0].resize(static_cast<std::size_t>(twin_.n_v()));
  std::iota(all[0].begin(), all[0].end(), 0);
  try {
    if (position_.assemble(t, frames, all).failed()) return {};
  } catch (const InputError&) {
    return {};
  }
  if (position_.measure(position_.xi()) > near) return {};
  return position_.x();
}

}  // namespace kurbel
