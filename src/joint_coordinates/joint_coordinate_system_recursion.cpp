/// The equations linearized stage by stage.
#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"
#include "joint_coordinates/tree_elimination.hpp"

namespace kurbel {

template <class S>
class JointCoordinateSystem<S>::Recursion final : public LinearizedDae<S> {
 public:
  using typename LinearizedDae<S>::Blocks;
  using typename LinearizedDae<S>::Columns;
  using typename LinearizedDae<S>::ConstColumns;

  Recursion(const JointCoordinateSystem& system, const std::vector<bool>& is_paired)
      : system_(system), elimination_(system.tree_, is_paired) {}

  void linearize(const Instant& at, Workspace& workspace_in, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) override {
    differentiate(at, workspace_in);
    const TreeWorkspace& ws = system_.workspace(workspace_in);
    c = ws.constraints.c0;
    system_.project_forces(ws, f);
  }
  void differentiate(const Instant& at, Workspace& workspace_in) override {
    TreeWorkspace& ws = system_.workspace(workspace_in);
    const Instant of_bodies = system_.move(at, ws);
    system_.sum_forces(at.t, at.lambda, ws);
    system_.differentiate_forces(of_bodies, ws);
    system_.prepare_frames(ws);
    system_.differentiate_stages(ws, elimination_.own());
    elimination_.set_motion(ws.motion);
    for (int i = 0; i < static_cast<int>(system_.tree_.n_stages()); ++i)
      elimination_.set_force(i, ws.carried[static_cast<std::size_t>(i)]);
    const auto& stages = system_.tree_.stages();
    for (const BodyPair& pair : ws.pairs) {
      const auto [X, D] = system_.couplings(pair, ws);
      const bool is_on_carried = stages[static_cast<std::size_t>(pair.row)].parent == pair.col;
      auto& both = elimination_.pair(is_on_carried ? pair.row : pair.col);
      (is_on_carried ? both.on_carried : both.on_carrying) << X.transpose(), D.transpose();
    }
  }

  void forget() override {}
  bool factorize(const Blocks& blocks, double c_v, double c_x) override {
    return elimination_.factorize(blocks, c_v, c_x);
  }
  void solve(const Vec& rhs, Vec& solution) const override {
    solution = rhs;
    elimination_.solve(solution);
  }
  void solve(const Matrix& rhs, Matrix& solution) const override {
    solution = rhs;
    elimination_.solve(solution);
  }
  void solve_transposed(Vec& rhs, Vec& solution) const override {
    solution = rhs;
    elimination_.solve_transposed(solution);
  }
  void add_product(const ConstColumns& x, const ConstColumns& v, Columns f, Columns) const override {
    elimination_.add_product(x, v, f);
  }
  double kinetic_norm(const Segment& w) const override {
    return std::sqrt(std::max(0.0, real_part(elimination_.kinetic_product(w))));
  }
  void subtract_transposed_product(const Segment& mu, const Segment&, Eigen::Ref<Vec> x_bar,
                                   Eigen::Ref<Vec> v_bar) const override {
    elimination_.subtract_transposed_product(mu, x_bar, v_bar);
  }

 private:
  const JointCoordinateSystem& system_;
  TreeElimination<S> elimination_;
};

template <class S>
std::unique_ptr<LinearizedDae<S>> JointCoordinateSystem<S>::recursion() const {
  if (n_c() > 0) return nullptr;
  const auto& stages = tree_.stages();
  std::vector<bool> is_paired(stages.size(), false);
  const DaeJacobians<S> of_parts = cut_.make_part_jacobians();
  for (const auto& b : of_parts.f_x.blocks()) {
    if (b.row == b.col) continue;
    const int row = tree_.stage_of(body_at(b.row)), col = tree_.stage_of(body_at(b.col));
    const auto is_on = [&](int carried, int carrying) {
      return stages[static_cast<std::size_t>(carried)].parent == carrying;
    };
    if (!is_on(row, col) && !is_on(col, row)) return nullptr;
    is_paired[static_cast<std::size_t>(is_on(row, col) ? row : col)] = true;
  }
  return std::make_unique<Recursion>(*this, is_paired);
}

template <class S>
std::unique_ptr<LinearizedDae<S>> JointCoordinateSystem<S>::make_recursion() const {
  constexpr Eigen::Index fewest = 8;  // docs/theory_joint_coordinates.md, linear growth
  return n_v() < fewest ? nullptr : recursion();
}

#define KURBEL_INSTANTIATE(S)                                                             \
  template std::unique_ptr<LinearizedDae<S>> JointCoordinateSystem<S>::recursion() const; \
  template std::unique_ptr<LinearizedDae<S>> JointCoordinateSystem<S>::make_recursion() const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
