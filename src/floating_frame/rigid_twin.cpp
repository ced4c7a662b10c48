#include "floating_frame/rigid_twin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/vector_quantities.hpp"
#include "integration/generalized_alpha.hpp"
#include "mechanism/table.hpp"

namespace kurbel {

namespace {

MarkerQuantityKind kind_of(Quantity quantity) {
  if (quantity == Quantity::velocity) return MarkerQuantityKind::velocity;
  if (quantity == Quantity::acceleration) return MarkerQuantityKind::acceleration;
  return MarkerQuantityKind::position;
}

}  // namespace

SystemSpec rigid_twin(const SystemSpec& spec) {
  SystemSpec twin = spec;
  for (BodySpec& body : twin.bodies) {
    const Sid elastic = body.sid;
    body.sid = Sid::zeros({}, {});
    body.sid.refmod.mass = elastic.refmod.mass;
    body.sid.mdCM.M0 = elastic.mdCM.M0;
    body.sid.J.M0 = elastic.J.M0;
    for (const SidNode& node : elastic.frame)
      body.sid.frame.push_back(make_sid_node(node.name, node.origin.M0, node.AP.M0, 0));
    body.initial.q.resize(0), body.initial.q_dot.resize(0);
  }
  return twin;
}

int n_free_dofs(const SystemSpec& spec) {
  auto n = static_cast<std::ptrdiff_t>(6 * spec.bodies.size());
  for (const JointSpec& joint : spec.joints) {
    n -= std::count(joint.locked.begin(), joint.locked.end(), true);
    n -= static_cast<std::ptrdiff_t>(joint.drives.size()) + joint.length.has_value();
    n += std::count(joint.redundant.begin(), joint.redundant.end(), true);
  }
  return static_cast<int>(n);
}

Status set_rigid_targets(const SystemSpec& spec, const IntegratorOptions& options,
                         const std::vector<CriterionTerm*>& terms) {
  const auto is_relative = [](const CriterionTerm* term) { return term->relative_to_rigid_twin; };
  if (std::none_of(terms.begin(), terms.end(), is_relative)) return {};
  SystemSpec rigid = rigid_twin(spec);
  set_redundant_aside(rigid, options.t0);
  if (const int n = n_free_dofs(rigid); n > 0) {
    throw InputError(
        fmt::format("a rigid twin as target needs joints and drives that determine its motion; "
                    "these leave {} degree{} of freedom",
                    n, n > 1 ? "s" : ""));
  }
  const MultibodySystem<double> twin(rigid);
  GeneralizedAlpha<double> integrator(twin, options);
  Trajectory<double> trajectory;
  if (Status s = simulate<double>(integrator, trajectory); s.failed()) return s;
  if (Status s = check_redundant(rigid, integrator.layout(), trajectory); s.failed()) return s;
  const std::vector<double> t(trajectory.t.begin(), trajectory.t.end());
  for (CriterionTerm* term : terms) {
    if (!is_relative(term)) continue;
    const MarkerQuantity<double> motion(twin, term->marker, kind_of(term->quantity));
    std::array<std::vector<double>, 3> time_history;
    for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k) {
      const Vector3d z =
          motion.value(integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k)));
      for (std::size_t i = 0; i < 3; ++i) time_history[i].push_back(z[static_cast<Eigen::Index>(i)]);
    }
    for (std::size_t i = 0; i < 3; ++i) term->target[i] = table(t, time_history[i]);
  }
  return {};
}

}  // namespace kurbel
