/// @file
/// Scratch memory of JointCoordinateSystem. Internal to joint_coordinate_system*.cpp.
#pragma once

#include <algorithm>
#include <optional>

#include "floating_frame/body_dynamics.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "joint_coordinates/spatial_inertia.hpp"
#include "joint_coordinates/tree_elimination.hpp"

namespace kurbel {

/// Calls act(place of R among the parameters, whether it is the point "in") for the points of a stage.
template <class Action>
void for_each_point(const TreeStage& stage, const Action& act) {
  if (!stage.in.is_origin) act(stage.in.layout.R.offset, true);
  if (!stage.out.is_origin) act(stage.out.layout.R.offset, false);
}

/// Blocks of the parts' df_b/dx and df_b/dv between two bodies, and the stages that move these.
template <class Scalar>
struct JointCoordinateSystem<Scalar>::BodyPair {
  using Block = typename BlockMatrix<Scalar>::Block;
  int row, col;
  Block f_x;
  std::optional<Block> f_v;
};

template <class Scalar>
class JointCoordinateSystem<Scalar>::TreeWorkspace : public Base::Workspace {
 public:
  using RigidBody = typename MultibodySystem<Scalar>::RigidBody;

  explicit TreeWorkspace(const JointCoordinateSystem& system)
      : motion(system.tree_, system.cut_.layout(), system.point_),
        of_bodies(system.cut_.make_workspace()),
        x(Vec::Zero(system.cut_.n_x())),
        v(Vec::Zero(system.cut_.n_v())),
        v_dot(v),
        mu(v),
        inertias(system.tree_.n_stages()),
        body(0),
        own(system.tree_.n_stages(), Vector6<Scalar>::Zero()),
        carried(own),
        virtual_before(own),
        virtual_after(own),
        to_body(system.tree_.n_stages()),
        variations(system.tree_.n_stages()),
        composites(system.tree_.n_stages()),
        bars(system.tree_.n_stages()),
        moved(system.tree_.n_stages()),
        moved_before(system.tree_.n_stages()),
        of_x(v),
        of_v(v),
        of_v_dot(v),
        no_rows(Vec::Zero(system.cut_.n_c())),
        bodies(rigid_bodies(system, own)) {
    jacobians = system.cut_.make_part_jacobians();
    constraints.resize(system.cut_.n_v(), system.cut_.n_c());
    for (const auto& b : jacobians.f_x.blocks()) {
      if (b.row == b.col) continue;
      const auto same = std::ranges::find_if(jacobians.f_v.blocks(), [&](const auto& other) {
        return other.row == b.row && other.col == b.col;
      });
      BodyPair pair{system.tree_.stage_of(body_at(b.row)), system.tree_.stage_of(body_at(b.col)), b, {}};
      if (same != jacobians.f_v.blocks().end()) pair.f_v = *same;
      pairs.push_back(pair);
    }
  }

  /// The instant that the bodies were moved to last, and what was found there.
  struct Known {
    bool is_moved = false, placed = false, bodies = false, variations = false, forces = false,
         jacobians = false, constraints = false;
    long revision = 0;
    OneSidedTime t;
    Vec x, v, v_dot, lambda;

    bool is_of(long now, const Instant& at) const {
      const auto same = [](const auto& a, const Vec& b) { return a.size() == b.size() && a == b; };
      return is_moved && now == revision && at.t.is(t) && same(at.x, x) && same(at.v, v) &&
             same(at.v_dot, v_dot) && same(at.lambda, lambda);
    }
    void begin(long now, const Instant& at) {
      is_moved = true, revision = now;
      t = at.t, x = at.x, v = at.v, v_dot = at.v_dot, lambda = at.lambda;
    }
    void forget() { is_moved = placed = bodies = variations = forces = jacobians = constraints = false; }
  };

  /// Variations by the coordinates of a stage, beside eta = s.
  struct StageVariations {
    Columns6<Scalar> u, a;  ///< by position
    Columns6<Scalar> a_v;   ///< by velocity, whose u is s
  };
  /// Derivatives of the wrench on the body of a stage, or on all that it carries, by eta, u and a; transposed.
  using Composite = typename TreeElimination<Scalar>::OfState;
  static auto by_x(const Composite& c) { return c.template topRows<6>().transpose(); }
  static auto by_v(const Composite& c) { return c.template middleRows<6>(6).transpose(); }
  static auto by_M(const Composite& c) { return c.template bottomRows<6>().transpose(); }

  /// The bodies of a mechanism as they move here, with a wrench for each stage.
  std::vector<RigidBody> rigid_bodies(const JointCoordinateSystem& system,
                                      std::vector<Vector6<Scalar>>& wrenches) const {
    std::vector<RigidBody> all(system.cut_.n_bodies());
    for (std::size_t i = 0; i < system.tree_.n_stages(); ++i) {
      const int body = system.tree_.stages()[i].body;
      if (body >= 0) all[static_cast<std::size_t>(body)] = {&motion[static_cast<int>(i)], &wrenches[i]};
    }
    return all;
  }

  Known known;
  TreeMotion<Scalar> motion;
  std::unique_ptr<typename Base::Workspace> of_bodies;
  Vec x, v,
      v_dot;  ///< of all bodies, if known.bodies; if known.placed, v and v_dot of those that are acted on
  Vec mu;     ///< virtual velocities of all bodies
  std::vector<SpatialInertia<Scalar>> inertias;                ///< of the body of a stage, about its point
  BodyWorkspace<Scalar> body;                                  ///< of one that is rigid
  std::vector<Vector6<Scalar>> own, carried;                   ///< f_b of a stage, and of all that it carries
  std::vector<Vector6<Scalar>> virtual_before, virtual_after;  ///< sums of s mu
  std::vector<Matrix6<Scalar>> to_body;                        ///< FrameChange::to_body() of bodies acted on
  std::vector<StageVariations> variations;
  std::vector<BodyPair> pairs;
  std::vector<Composite> composites;
  std::vector<VariationBar<Scalar>> bars;
  std::vector<Variation<Scalar>> moved,
      moved_before;                ///< by points of joints, of a stage and before its motion
  Vec of_x, of_v, of_v_dot;        ///< directions, or sensitivities, of x, v and v_dot of all bodies
  Vec no_rows;                     ///< of constraints, zero
  std::vector<RigidBody> bodies;   ///< with the wrenches `own`
  DaeJacobians<Scalar> jacobians;  ///< of the parts
  ConstraintDerivatives<Scalar> constraints;  ///< c, c_dot and c_ddot also if known.forces
};

template <class Scalar>
typename JointCoordinateSystem<Scalar>::TreeWorkspace& JointCoordinateSystem<Scalar>::workspace(
    Workspace& ws) const {
  return static_cast<TreeWorkspace&>(ws);
}

}  // namespace kurbel
