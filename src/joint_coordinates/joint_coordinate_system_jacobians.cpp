/// @file
/// Differentiates the equations in joint coordinates by the state: f_x, f_v, M, C, and the derivatives of c_dot and
/// c_ddot.
///
/// joint_coordinate_system.hpp has the formula, tree_motion.hpp the variations eta = s, u and a. Twists, wrenches and
/// their derivatives are in inertial axes about the point of a stage. Letters:
///
///     s, s_a        columns of a stage, and of a stage that carries it: its twist by each velocity
///     n, m          numbers of their velocities
///     a_v           a by a velocity, whose eta is 0 and whose u is s
///     V             twist of a stage
///     T             to_body() of a stage's body, or matrix_from_parent(): either maps twists
///     x, v, M       of a Composite: derivatives of a wrench by eta, u and a
///     by_x, by_v, by_M     wrenches by the coordinates, velocities and accelerations of a stage
///     row_x, row_v, row_M  covectors of the rows of a stage: products with eta, u and a of the stages that carry it
///     X, D          f_b,x and f_b,v between two bodies, for twists of their stages
#include <array>
#include <utility>

#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

template <class S>
void JointCoordinateSystem<S>::prepare_frames(TreeWorkspace& ws) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (is_acted_on_[i]) ws.to_body[i] = ws.motion[static_cast<int>(i)].frame().to_body();
  }
}

/// Finds the frames of the bodies and the variations by each coordinate, unless they are known.
template <class S>
void JointCoordinateSystem<S>::prepare_variations(TreeWorkspace& ws) const {
  if (std::exchange(ws.known.variations, true)) return;
  prepare_frames(ws);
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    auto& variations = ws.variations[static_cast<std::size_t>(i)];
    for (auto* columns : {&variations.u, &variations.a, &variations.a_v}) columns->resize(6, stage.n_v());
    for (Eigen::Index k = 0; k < stage.n_v(); ++k) {
      const Variation<S> position = ws.motion.by_position(i, k);
      variations.u.col(k) = position.u, variations.a.col(k) = position.a;
      variations.a_v.col(k) = ws.motion.by_velocity(i, k).a;
    }
  }
}

/// Finds the derivatives of the wrench on the body of each stage: of its inertia and weight, and with T = to_body() those
/// of the parts, T^T f_b,x T and T^T f_b,v T.
template <class S>
void JointCoordinateSystem<S>::differentiate_stages(const TreeWorkspace& ws, OfWrench& K) const {
  const Vector3<S> g = gravity();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    K[i].setZero();
    if (tree_.stages()[i].body < 0) continue;
    const SpatialInertia<S>& inertia = ws.inertias[i];
    K[i].template middleRows<3>(3) = inertia.by_eta(g).transpose();
    K[i].template middleRows<3>(9) = inertia.by_u(ws.motion[static_cast<int>(i)].V).transpose();
    K[i].template bottomRows<6>() = inertia.matrix().transpose();
  }
  const auto add = [&](const BlockMatrix<S>& matrix, Eigen::Index row) {
    for (const auto& b : matrix.blocks()) {
      if (b.row != b.col) continue;
      const auto stage = static_cast<std::size_t>(tree_.stage_of(body_at(b.row)));
      const Matrix6<S> own = matrix.view(b), turned = own * ws.to_body[stage];
      K[stage].template middleRows<6>(row).noalias() += turned.transpose() * ws.to_body[stage];
    }
  };
  add(ws.jacobians.f_x, 0);
  add(ws.jacobians.f_v, 6);
}

/// Sums them inwards: derivatives of the wrench on all that a stage carries.
template <class S>
void JointCoordinateSystem<S>::prepare_composites(TreeWorkspace& ws) const {
  using Composite = typename TreeWorkspace::Composite;
  differentiate_stages(ws, ws.composites);
  for (int i = static_cast<int>(tree_.n_stages()) - 1; i > 0; --i) {
    const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    const Composite& own = ws.composites[static_cast<std::size_t>(i)];
    Composite& carrying = ws.composites[static_cast<std::size_t>(parent)];
    if (ws.motion.has_common_point()) {
      carrying += own;
      continue;
    }
    const Matrix6<S> T = ws.motion.matrix_from_parent(i);
    for (int k = 0; k < 18; k += 6)
      carrying.template middleRows<6>(k).noalias() += T.transpose() * own.template middleRows<6>(k) * T;
  }
}

/// Adds the rows and columns of one stage with itself and with all stages that carry it.
template <class S>
void JointCoordinateSystem<S>::add_stage(int i, TreeWorkspace& ws, DaeJacobians<S>& out) const {
  const auto& stages = tree_.stages();
  const TreeStage& stage = stages[static_cast<std::size_t>(i)];
  const auto& composite = ws.composites[static_cast<std::size_t>(i)];
  const auto K_x = TreeWorkspace::by_x(composite), K_v = TreeWorkspace::by_v(composite),
             K_M = TreeWorkspace::by_M(composite);
  const auto& own = ws.variations[static_cast<std::size_t>(i)];
  const Columns6<S>& s = ws.motion[i].s;
  const Eigen::Index n = stage.n_v();
  auto f_x = out.f_x.block(0, 0, n_v(), n_v()), f_v = out.f_v.block(0, 0, n_v(), n_v()),
       M = out.M.block(0, 0, n_v(), n_v());
  // by_*: wrenches on all that is carried, by this stage's coordinates. row_*: covectors of this stage's rows.
  Columns6<S> by_M = K_M * s, by_v = K_v * s + K_M * own.a_v, by_x = K_x * s + K_v * own.u + K_M * own.a;
  Columns6<S> row_x = K_x.transpose() * s, row_v = K_v.transpose() * s, row_M = K_M.transpose() * s;
  f_x.block(stage.v, stage.v, n, n).noalias() += s.transpose() * by_x;
  f_v.block(stage.v, stage.v, n, n).noalias() += s.transpose() * by_v;
  M.block(stage.v, stage.v, n, n).noalias() += s.transpose() * by_M;
  for (Eigen::Index k = 0; k < n; ++k)
    by_x.col(k) -= ad_transposed<S>(s.col(k), ws.carried[static_cast<std::size_t>(i)]);
  for (int child = i, a = stage.parent; a >= 0; child = a, a = stages[static_cast<std::size_t>(a)].parent) {
    if (!ws.motion.has_common_point()) {
      for (Columns6<S>* wrenches : {&by_M, &by_v, &by_x, &row_x, &row_v, &row_M}) {
        for (Eigen::Index k = 0; k < n; ++k)
          wrenches->col(k) = ws.motion.wrench_to_parent(child, Vector6<S>(wrenches->col(k)));
      }
    }
    const TreeStage& carrying = stages[static_cast<std::size_t>(a)];
    const auto& its = ws.variations[static_cast<std::size_t>(a)];
    const Columns6<S>& s_a = ws.motion[a].s;
    const Eigen::Index m = carrying.n_v();
    f_x.block(carrying.v, stage.v, m, n).noalias() += s_a.transpose() * by_x;
    f_v.block(carrying.v, stage.v, m, n).noalias() += s_a.transpose() * by_v;
    M.block(carrying.v, stage.v, m, n).noalias() += s_a.transpose() * by_M;
    f_x.block(stage.v, carrying.v, n, m).noalias() +=
        row_x.transpose() * s_a + row_v.transpose() * its.u + row_M.transpose() * its.a;
    f_v.block(stage.v, carrying.v, n, m).noalias() += row_v.transpose() * s_a + row_M.transpose() * its.a_v;
    M.block(stage.v, carrying.v, n, m).noalias() += row_M.transpose() * s_a;
  }
}

/// Returns f_b,x and f_b,v between two bodies, for twists of their stages.
template <class S>
auto JointCoordinateSystem<S>::couplings(const BodyPair& pair, const TreeWorkspace& ws) const
    -> std::pair<Matrix6<S>, Matrix6<S>> {
  const auto of_stages = [&](const BlockMatrix<S>& matrix, const typename BodyPair::Block& block) {
    const Matrix6<S> own = matrix.view(block), turned = own * ws.to_body[static_cast<std::size_t>(pair.col)];
    return Matrix6<S>(ws.to_body[static_cast<std::size_t>(pair.row)].transpose() * turned);
  };
  return {of_stages(ws.jacobians.f_x, pair.f_x),
          pair.f_v ? of_stages(ws.jacobians.f_v, *pair.f_v) : Matrix6<S>::Zero()};
}

/// Adds B^T (X s + D u) and B^T D s: the blocks that couple two bodies, by positions and by velocities.
template <class S>
void JointCoordinateSystem<S>::add_pair(const BodyPair& pair, TreeWorkspace& ws, DaeJacobians<S>& out) const {
  // A tyre acts on the wheel alone: its entries in the rows of the carrier are zero.
  if (ws.jacobians.f_x.view(pair.f_x).isZero(0.0) &&
      (!pair.f_v || ws.jacobians.f_v.view(*pair.f_v).isZero(0.0)))
    return;
  const auto& stages = tree_.stages();
  auto [X, D] = couplings(pair, ws);
  auto f_x = out.f_x.block(0, 0, n_v(), n_v()), f_v = out.f_v.block(0, 0, n_v(), n_v());
  for (int j = pair.col; j >= 0; j = stages[static_cast<std::size_t>(j)].parent) {
    const TreeStage& stage = stages[static_cast<std::size_t>(j)];
    with_velocities(stage, [&](auto count) {
      constexpr int n = decltype(count)::value;
      const auto s = ws.motion[j].s.template leftCols<n>();
      Eigen::Matrix<S, 6, n> by_x = X * s, by_v = Eigen::Matrix<S, 6, n>::Zero();
      if (pair.f_v) {
        by_x.noalias() += D * ws.variations[static_cast<std::size_t>(j)].u.template leftCols<n>();
        by_v.noalias() = D * s;
      }
      for (int child = -1, i = pair.row; i >= 0; child = i, i = stages[static_cast<std::size_t>(i)].parent) {
        if (child >= 0 && !ws.motion.has_common_point()) {
          for (int k = 0; k < n; ++k) {
            by_x.col(k) = ws.motion.wrench_to_parent(child, Vector6<S>(by_x.col(k)));
            if (pair.f_v) by_v.col(k) = ws.motion.wrench_to_parent(child, Vector6<S>(by_v.col(k)));
          }
        }
        const TreeStage& carrying = stages[static_cast<std::size_t>(i)];
        with_velocities(carrying, [&](auto count_i) {
          constexpr int m = decltype(count_i)::value;
          const auto s_i = ws.motion[i].s.template leftCols<m>();
          f_x.template block<m, n>(carrying.v, stage.v).noalias() += s_i.transpose() * by_x;
          if (pair.f_v) f_v.template block<m, n>(carrying.v, stage.v).noalias() += s_i.transpose() * by_v;
        });
      }
    });
    if (stage.parent < 0 || ws.motion.has_common_point()) continue;
    const Matrix6<S> T = ws.motion.matrix_from_parent(j);
    X = (X * T).eval();
    if (pair.f_v) D = (D * T).eval();
  }
}

template <class S>
void JointCoordinateSystem<S>::differentiate_forces(const Instant& of_bodies, TreeWorkspace& ws) const {
  if (std::exchange(ws.known.jacobians, true)) return;
  cut_.part_jacobians(of_bodies, *ws.of_bodies, ws.jacobians);
}

template <class S>
void JointCoordinateSystem<S>::differentiate_constraints(const Instant& of_bodies, TreeWorkspace& ws) const {
  if (std::exchange(ws.known.constraints, true)) return;
  cut_.placed_constraint_derivatives(of_bodies, *ws.of_bodies, ws.constraints);
}

template <class S>
void JointCoordinateSystem<S>::jacobians(const Instant& at, Workspace& workspace_in,
                                         DaeJacobians<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move(at, ws);
  sum_forces(at.t, at.lambda, ws);
  differentiate_forces(of_bodies, ws);
  project_jacobians(ws, out);
}

template <class S>
void JointCoordinateSystem<S>::linearize(const Instant& at, Workspace& workspace_in, Eigen::Ref<Vec> f,
                                         Eigen::Ref<Vec> c, DaeJacobians<S>& out) const {
  jacobians(at, workspace_in, out);
  const TreeWorkspace& ws = workspace(workspace_in);
  c = ws.constraints.c0;
  project_forces(ws, f);
}

/// Computes the Jacobians in joint coordinates from f_b and its derivatives, which ws holds.
template <class S>
void JointCoordinateSystem<S>::project_jacobians(TreeWorkspace& ws, DaeJacobians<S>& out) const {
  prepare_variations(ws);
  prepare_composites(ws);
  for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.M, &out.C}) matrix->set_zero();
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) add_stage(i, ws, out);
  for (const BodyPair& pair : ws.pairs) add_pair(pair, ws, out);
  project([&](const auto& b) { return ws.jacobians.C.view(b); }, ws, out.C.block(0, 0, n_c(), n_v()));
}

/// Calls act(stage, its number of velocities, rows about its point) for a stage and all that carry it.
/// @param rows  covectors of the twist of what the stage carries, a column each
template <class S>
template <int n_fields, class Action>
void JointCoordinateSystem<S>::for_each_carrying(int i, std::array<Columns6<S>, n_fields> rows,
                                                 const TreeWorkspace& ws, const Action& act) const {
  while (i >= 0) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    with_velocities(stage, [&](auto count) { act(i, count, rows); });
    if (stage.parent >= 0 && !ws.motion.has_common_point()) {
      for (Columns6<S>& field : rows) {
        for (Eigen::Index k = 0; k < field.cols(); ++k)
          field.col(k) = ws.motion.wrench_to_parent(i, Vector6<S>(field.col(k)));
      }
    }
    i = stage.parent;
  }
}

/// Adds C B to out, for rows C that concern one body each.
/// @param rows_of  (block) -> its rows in the frame of its body, (n_rows x 6)
template <class S>
template <class RowsOf>
void JointCoordinateSystem<S>::project(const RowsOf& rows_of, TreeWorkspace& ws, Columns out) const {
  for (const auto& b : ws.jacobians.C.blocks()) {
    const int own = tree_.stage_of(body_at(b.col));
    const Columns6<S> rows = ws.motion[own].frame().to_body().transpose() * rows_of(b).transpose();
    for_each_carrying<1>(own, {rows}, ws, [&](int i, auto count, const auto& row) {
      constexpr int n = decltype(count)::value;
      const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
      out.template middleCols<n>(stage.v).middleRows(b.row, b.rows).noalias() +=
          row[0].transpose() * ws.motion[i].s.template leftCols<n>();
    });
  }
}

template <class S>
void JointCoordinateSystem<S>::project_constraints(TreeWorkspace& ws, Columns C) const {
  C.setZero();
  project(
      [&](const auto& b) { return ws.constraints.C.template middleCols<6>(b.col).middleRows(b.row, b.rows); },
      ws, C);
}

template <class S>
void JointCoordinateSystem<S>::constraint_values(const Instant& at, Workspace& workspace_in,
                                                 ConstraintDerivatives<S>& out) const {
  if (n_c() == 0) return;
  TreeWorkspace& ws = workspace(workspace_in);
  move_tree(at, ws);
  if (!ws.known.constraints) sum_forces(at.t, at.lambda, ws);
  out.c0 = ws.constraints.c0, out.c1 = ws.constraints.c1, out.c2 = ws.constraints.c2;
}

template <class S>
void JointCoordinateSystem<S>::constraint_derivatives(const Instant& at, Workspace& workspace_in,
                                                      ConstraintDerivatives<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  differentiate_constraints(move(at, ws), ws);
  const ConstraintDerivatives<S>& c = ws.constraints;
  out.resize(n_v(), n_c());
  out.c0 = c.c0, out.c1 = c.c1, out.c2 = c.c2;
  if (n_c() == 0) return;
  prepare_variations(ws);
  for (const auto& b : ws.jacobians.C.blocks()) {
    const int own = tree_.stage_of(body_at(b.col));
    const Matrix6<S>& T = ws.to_body[static_cast<std::size_t>(own)];
    const auto turned = [&](const MatrixX<S>& of_bodies) {
      return Columns6<S>(T.transpose() *
                         of_bodies.template middleCols<6>(b.col).middleRows(b.row, b.rows).transpose());
    };
    std::array<Columns6<S>, 4> rows = {turned(c.C), turned(c.c1_x), turned(c.c2_x), turned(c.c2_v)};
    for (Eigen::Index k = 0; k < b.rows; ++k)
      rows[3].col(k) -= ad_transposed<S>(ws.motion[own].V, Vector6<S>(rows[0].col(k)));
    for_each_carrying<4>(own, rows, ws, [&](int i, auto count, const auto& row) {
      constexpr int n = decltype(count)::value;
      const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
      const auto& variations = ws.variations[static_cast<std::size_t>(i)];
      const auto s = ws.motion[i].s.template leftCols<n>(), u = variations.u.template leftCols<n>(),
                 a = variations.a.template leftCols<n>(), a_v = variations.a_v.template leftCols<n>();
      const auto own_rows = [&](MatrixX<S>& all) {
        return all.template middleCols<n>(stage.v).middleRows(b.row, b.rows);
      };
      const auto &C = row[0], &c1_x = row[1], &c2_x = row[2], &c2_v = row[3];
      own_rows(out.C).noalias() += C.transpose() * s;
      own_rows(out.c1_x).noalias() += c1_x.transpose() * s + C.transpose() * u;
      own_rows(out.c2_x).noalias() += c2_x.transpose() * s + c2_v.transpose() * u + C.transpose() * a;
      own_rows(out.c2_v).noalias() += c2_v.transpose() * s + C.transpose() * a_v;
    });
  }
}

#define KURBEL_INSTANTIATE(S)                                                                              \
  template void JointCoordinateSystem<S>::differentiate_forces(const Instant&, TreeWorkspace&) const;      \
  template void JointCoordinateSystem<S>::differentiate_constraints(const Instant&, TreeWorkspace&) const; \
  template void JointCoordinateSystem<S>::jacobians(const Instant&, Workspace&, DaeJacobians<S>&) const;   \
  template void JointCoordinateSystem<S>::linearize(const Instant&, Workspace&, Eigen::Ref<Vec>,           \
                                                    Eigen::Ref<Vec>, DaeJacobians<S>&) const;              \
  template void JointCoordinateSystem<S>::prepare_frames(TreeWorkspace&) const;                            \
  template void JointCoordinateSystem<S>::differentiate_stages(const TreeWorkspace&, OfWrench&) const;     \
  template auto JointCoordinateSystem<S>::couplings(const BodyPair&, const TreeWorkspace&)                 \
      const->std::pair<Matrix6<S>, Matrix6<S>>;                                                            \
  template void JointCoordinateSystem<S>::constraint_values(const Instant&, Workspace&,                    \
                                                            ConstraintDerivatives<S>&) const;              \
  template void JointCoordinateSystem<S>::project_constraints(TreeWorkspace&, Columns) const;              \
  template void JointCoordinateSystem<S>::constraint_derivatives(const Instant&, Workspace&,               \
                                                                 ConstraintDerivatives<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
