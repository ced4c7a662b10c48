/// Derivatives by the state.
#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

/// What coordinates vary, and derivatives of the wrench on all that a stage carries:
///     x = sum T^-T f_b,x T^-1,   v = sum T^-T f_b,v T^-1 - M ad_V,   M = sum T^-T M_b T^-1
template <class S>
void JointCoordinateSystem<S>::prepare_composites(TreeWorkspace& ws) const {
  using Composite = typename TreeWorkspace::Composite;
  for (Composite& own : ws.composites) own.x.setZero(), own.v.setZero(), own.M.setZero();
  const auto add = [&](const BlockMatrix<S>& matrix, auto member) {
    for (const auto& b : matrix.blocks()) {
      if (b.row != b.col) continue;
      const int stage = tree_.stage_of(body_at(b.row));
      const Matrix6<S> T = ws.motion[stage].frame().to_body();
      (ws.composites[static_cast<std::size_t>(stage)].*member).noalias() +=
          T.transpose() * matrix.view(b) * T;
    }
  };
  add(ws.jacobians.f_x, &Composite::x);
  add(ws.jacobians.f_v, &Composite::v);
  add(ws.jacobians.M, &Composite::M);
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    Composite& own = ws.composites[static_cast<std::size_t>(i)];
    if (stage.body >= 0) own.v.noalias() -= own.M * ad_matrix<S>(ws.motion[i].V);
    auto& variations = ws.variations[static_cast<std::size_t>(i)];
    for (auto* columns : {&variations.u, &variations.a, &variations.a_v}) columns->resize(6, stage.n_v());
    for (Eigen::Index k = 0; k < stage.n_v(); ++k) {
      const Variation<S> position = ws.motion.by_position(i, k);
      variations.u.col(k) = position.u, variations.a.col(k) = position.a;
      variations.a_v.col(k) = ws.motion.by_velocity(i, k).a;
    }
  }
  for (int i = static_cast<int>(tree_.n_stages()) - 1; i > 0; --i) {
    const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    const Composite& own = ws.composites[static_cast<std::size_t>(i)];
    Composite& carrying = ws.composites[static_cast<std::size_t>(parent)];
    for (const auto member : {&Composite::x, &Composite::v, &Composite::M}) {
      if (ws.motion.has_common_point()) {
        carrying.*member += own.*member;
      } else {
        const Matrix6<S> T = ws.motion.matrix_from_parent(i);
        (carrying.*member).noalias() += T.transpose() * (own.*member) * T;
      }
    }
  }
}

/// Rows and columns of one stage with itself and with all stages that carry it.
template <class S>
void JointCoordinateSystem<S>::add_stage(int i, TreeWorkspace& ws, DaeJacobians<S>& out) const {
  const auto& stages = tree_.stages();
  const TreeStage& stage = stages[static_cast<std::size_t>(i)];
  const auto& composite = ws.composites[static_cast<std::size_t>(i)];
  const auto& own = ws.variations[static_cast<std::size_t>(i)];
  const Columns6<S>& s = ws.motion[i].s;
  const Eigen::Index n = stage.n_v();
  auto f_x = out.f_x.block(0, 0, n_v(), n_v()), f_v = out.f_v.block(0, 0, n_v(), n_v()),
       M = out.M.block(0, 0, n_v(), n_v());
  // Wrenches on all that is carried, by this stage's coordinates; and covectors of this stage's rows.
  Columns6<S> by_M = composite.M * s, by_v = composite.v * s + composite.M * own.a_v,
              by_x = composite.x * s + composite.v * own.u + composite.M * own.a;
  Columns6<S> row_x = composite.x.transpose() * s, row_v = composite.v.transpose() * s,
              row_M = composite.M.transpose() * s;
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

/// B^T of a block that couples two bodies.
/// @param is_by_velocity  a block of f_v, which positions reach by u; else one of f_x
template <class S>
template <class View>
void JointCoordinateSystem<S>::add_pair(int row_body, int col_body, const View& block, bool is_by_velocity,
                                        TreeWorkspace& ws, DaeJacobians<S>& out) const {
  const auto& stages = tree_.stages();
  const int row_stage = tree_.stage_of(row_body), col_stage = tree_.stage_of(col_body);
  const Matrix6<S> D =
      ws.motion[row_stage].frame().to_body().transpose() * block * ws.motion[col_stage].frame().to_body();
  auto f_x = out.f_x.block(0, 0, n_v(), n_v()), f_v = out.f_v.block(0, 0, n_v(), n_v());
  const auto to_rows = [&](Columns6<S> wrenches, auto& f, Eigen::Index column) {
    for (int child = -1, i = row_stage; i >= 0; child = i, i = stages[static_cast<std::size_t>(i)].parent) {
      if (child >= 0 && !ws.motion.has_common_point()) {
        for (Eigen::Index k = 0; k < wrenches.cols(); ++k)
          wrenches.col(k) = ws.motion.wrench_to_parent(child, Vector6<S>(wrenches.col(k)));
      }
      const TreeStage& stage = stages[static_cast<std::size_t>(i)];
      f.block(stage.v, column, stage.n_v(), wrenches.cols()).noalias() +=
          ws.motion[i].s.transpose() * wrenches;
    }
  };
  for (int j = col_stage; j >= 0; j = stages[static_cast<std::size_t>(j)].parent) {
    const TreeStage& stage = stages[static_cast<std::size_t>(j)];
    const auto carried = [&](Columns6<S> twists) {
      if (ws.motion.has_common_point()) return twists;
      for (Eigen::Index k = 0; k < twists.cols(); ++k)
        twists.col(k) = shifted_twist<S>(twists.col(k), ws.motion[col_stage].rho - ws.motion[j].rho);
      return twists;
    };
    const Columns6<S> by_s = D * carried(ws.motion[j].s);
    to_rows(is_by_velocity ? Columns6<S>(D * carried(ws.variations[static_cast<std::size_t>(j)].u)) : by_s,
            f_x, stage.v);
    if (is_by_velocity) to_rows(by_s, f_v, stage.v);
  }
}

template <class S>
void JointCoordinateSystem<S>::jacobians(const Instant& at, Workspace& workspace_in,
                                         DaeJacobians<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move(at, ws);
  sum_forces(of_bodies, ws, ws.c);
  cut_.jacobians(of_bodies, *ws.of_bodies, ws.jacobians);
  project_jacobians(ws, out);
}

template <class S>
void JointCoordinateSystem<S>::linearize(const Instant& at, Workspace& workspace_in, Eigen::Ref<Vec> f,
                                         Eigen::Ref<Vec> c, DaeJacobians<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move(at, ws);
  sum_forces(of_bodies, ws, c);
  project_forces(ws, f);
  cut_.jacobians(of_bodies, *ws.of_bodies, ws.jacobians);
  project_jacobians(ws, out);
}

/// From f_b and its derivatives.
template <class S>
void JointCoordinateSystem<S>::project_jacobians(TreeWorkspace& ws, DaeJacobians<S>& out) const {
  prepare_composites(ws);
  for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.M, &out.C}) matrix->set_zero();
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) add_stage(i, ws, out);
  for (const bool is_by_velocity : {false, true}) {
    const BlockMatrix<S>& matrix = is_by_velocity ? ws.jacobians.f_v : ws.jacobians.f_x;
    for (const auto& b : matrix.blocks()) {
      if (b.row != b.col) add_pair(body_at(b.row), body_at(b.col), matrix.view(b), is_by_velocity, ws, out);
    }
  }
  project(ws.jacobians.C, ws, out.C.block(0, 0, n_c(), n_v()));
}

/// C B
template <class S>
void JointCoordinateSystem<S>::project(const BlockMatrix<S>& C, TreeWorkspace& ws, Columns out) const {
  const auto& stages = tree_.stages();
  for (const auto& b : C.blocks()) {
    int i = tree_.stage_of(body_at(b.col));
    StageRows<S> rows = C.view(b) * ws.motion[i].frame().to_body();
    while (i >= 0) {
      const TreeStage& stage = stages[static_cast<std::size_t>(i)];
      out.block(b.row, stage.v, b.rows, stage.n_v()).noalias() += rows * ws.motion[i].s;
      if (stage.parent >= 0 && !ws.motion.has_common_point())
        rows = (rows * ws.motion.matrix_from_parent(i)).eval();
      i = stage.parent;
    }
  }
}

/// Sums over all that a stage carries of rows that multiply twists.
template <class S>
void JointCoordinateSystem<S>::accumulate_rows(const TreeWorkspace& ws,
                                               std::vector<StageRows<S>>& rows) const {
  for (int i = static_cast<int>(tree_.n_stages()) - 1; i > 0; --i) {
    const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    const StageRows<S>& carried = rows[static_cast<std::size_t>(i)];
    if (ws.motion.has_common_point()) {
      rows[static_cast<std::size_t>(parent)] += carried;
    } else {
      rows[static_cast<std::size_t>(parent)].noalias() += carried * ws.motion.matrix_from_parent(i);
    }
  }
}

/// C of the coordinates from that of the bodies.
template <class S>
void JointCoordinateSystem<S>::project_constraint_jacobian(TreeWorkspace& ws, Matrix& C) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    ws.C_rows[i].setZero();
    if (body < 0) continue;
    const Matrix6<S> T = ws.motion[static_cast<int>(i)].frame().to_body();
    ws.C_rows[i].noalias() =
        ws.constraints.C.template middleCols<6>(cut_.v_offset(static_cast<std::size_t>(body))) * T;
  }
  accumulate_rows(ws, ws.C_rows);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    C.middleCols(stage.v, stage.n_v()).noalias() = ws.C_rows[i] * ws.motion[static_cast<int>(i)].s;
  }
}

template <class S>
void JointCoordinateSystem<S>::constraint_values(const Instant& at, Workspace& workspace_in,
                                                 ConstraintDerivatives<S>& out) const {
  if (n_c() == 0) return;
  TreeWorkspace& ws = workspace(workspace_in);
  cut_.constraint_derivatives(move(at, ws), *ws.of_bodies, ws.constraints);
  out.c0 = ws.constraints.c0, out.c1 = ws.constraints.c1, out.c2 = ws.constraints.c2;
}

template <class S>
void JointCoordinateSystem<S>::constraint_derivatives(const Instant& at, Workspace& workspace_in,
                                                      ConstraintDerivatives<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  cut_.constraint_derivatives(move(at, ws), *ws.of_bodies, ws.constraints);
  const ConstraintDerivatives<S>& c = ws.constraints;
  out.resize(n_v(), n_c());
  out.c0 = c.c0, out.c1 = c.c1, out.c2 = c.c2;
  if (n_c() == 0) return;
  project_constraint_jacobian(ws, out.C);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    for (auto* rows : {&ws.c1_x_rows, &ws.c2_x_rows, &ws.c2_v_rows}) (*rows)[i].setZero();
    if (body < 0) continue;
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const Matrix6<S> T = m.frame().to_body();
    const Eigen::Index o = cut_.v_offset(static_cast<std::size_t>(body));
    const Matrix6<S> moved = T * ad_matrix<S>(m.V);
    ws.c1_x_rows[i].noalias() = c.c1_x.template middleCols<6>(o) * T;
    ws.c2_x_rows[i].noalias() = c.c2_x.template middleCols<6>(o) * T;
    ws.c2_v_rows[i].noalias() = c.c2_v.template middleCols<6>(o) * T;
    ws.c2_v_rows[i].noalias() -= c.C.template middleCols<6>(o) * moved;
  }
  for (auto* rows : {&ws.c1_x_rows, &ws.c2_x_rows, &ws.c2_v_rows}) accumulate_rows(ws, *rows);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    for (Eigen::Index k = 0; k < stage.n_v(); ++k) {
      const Variation<S> x = ws.motion.by_position(static_cast<int>(i), k),
                         v = ws.motion.by_velocity(static_cast<int>(i), k);
      const Eigen::Index column = stage.v + k;
      out.c1_x.col(column).noalias() = ws.c1_x_rows[i] * x.eta;
      out.c1_x.col(column).noalias() += ws.C_rows[i] * x.u;
      out.c2_x.col(column).noalias() = ws.c2_x_rows[i] * x.eta;
      out.c2_x.col(column).noalias() += ws.c2_v_rows[i] * x.u;
      out.c2_x.col(column).noalias() += ws.C_rows[i] * x.a;
      out.c2_v.col(column).noalias() = ws.c2_v_rows[i] * v.u;
      out.c2_v.col(column).noalias() += ws.C_rows[i] * v.a;
    }
  }
}

#define KURBEL_INSTANTIATE(S)                                                                            \
  template void JointCoordinateSystem<S>::jacobians(const Instant&, Workspace&, DaeJacobians<S>&) const; \
  template void JointCoordinateSystem<S>::linearize(const Instant&, Workspace&, Eigen::Ref<Vec>,         \
                                                    Eigen::Ref<Vec>, DaeJacobians<S>&) const;            \
  template void JointCoordinateSystem<S>::constraint_values(const Instant&, Workspace&,                  \
                                                            ConstraintDerivatives<S>&) const;            \
  template void JointCoordinateSystem<S>::project_constraint_jacobian(TreeWorkspace&, Matrix&) const;    \
  template void JointCoordinateSystem<S>::constraint_derivatives(const Instant&, Workspace&,             \
                                                                 ConstraintDerivatives<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
