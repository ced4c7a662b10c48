/// @file
/// Solves the linearized equations of a tree by elimination from its ends to its roots, in O(n).
///
/// With the variations zeta = (eta, u, a) of a stage (tree_motion.hpp) and the wrench w on all that it carries, the
/// linearized recursion of a stage i on p reads, along dz, dz_dot, dz_ddot and with T the change of points from p,
///
///     zeta_i = T zeta_p + (s, u, a)_i dz + (0, s, a_v)_i dz_dot + (0, 0, s)_i dz_ddot
///     w_i    = K_i zeta_i + L_i zeta_p + sum over carried c of (T_c^T (w_c - ad^T_{s_c dz_c} F_c) + N_c zeta_c)
///     df_i   = s_i^T w_i
///
/// K_i: derivatives of the wrench on its body; L_i, N_i: of what acts between its body and that of p, on the former by
/// the latter and the other way round; F: the wrenches themselves. In a step dz = c_x T_i dy, dz_dot = c_v dy, dz_ddot =
/// dy, where T_i is the derivative of the retraction, so zeta_i = T zeta_p + sigma_i dy_i. From the ends inwards
/// w_i = A_i zeta_i + L_i zeta_p + b_i and
///
///     D_i = s_i^T A_i sigma_i,   H_i = A_i T + L_i,   P_i = D_i^-1 s_i^T H_i,
///     g_i = T^T (A_i sigma_i - ad^T_{c_x s_i T_i} F_i) + N_i sigma_i
///     A_p = K_p + sum over i of (T^T H_i + N_i T - g_i P_i)
///
/// Articulated inertias are found in this way, too; but here A is not symmetric and multiplies all of zeta. A solution
/// takes a sweep inwards, e_i = D_i^-1 (r_i - s_i^T b_i), b_p += T^T b_i + g_i e_i, and one outwards,
/// dy_i = e_i - P_i zeta_p.
#pragma once

#include "integration/retraction_block.hpp"
#include "joint_coordinates/tree_motion.hpp"

namespace kurbel {

template <class S>
class TreeElimination {
 public:
  using Vec = VectorX<S>;
  using Columns = Eigen::Ref<MatrixX<S>>;
  using Blocks = std::vector<RetractionBlock<S>>;
  using State = Eigen::Matrix<S, 18, 1>;  ///< zeta
  /// Factors of zeta, or of eta and u alone, in a wrench: a column per number of the wrench, so that columns are long.
  using OfState = Eigen::Matrix<S, 18, 6>;
  using OfPair = Eigen::Matrix<S, 12, 6>;
  /// L and N of the stage that the other one carries.
  struct Pair {
    OfPair on_carried, on_carrying;
  };

  /// @param tree       must outlive this
  /// @param is_paired  by stage, whether forces act between it and the one before
  TreeElimination(const JointTree& tree, const std::vector<bool>& is_paired);

  // Set what the equations are linearized about: motion, F, K, L and N.
  void set_motion(const TreeMotion<S>& motion);
  void set_force(int stage, const Vector6<S>& carried) { stages_[place(stage)].carried = carried; }
  std::vector<OfState>& own() { return own_; }
  Pair& pair(int stage) { return pairs_[static_cast<std::size_t>(stages_[place(stage)].pair)]; }

  /// Factorizes M + c_v f_v + c_x f_x T.
  /// @return whether it is regular: no pivot of a stage is a rounding error
  bool factorize(const Blocks& blocks, double c_v, double c_x);
  /// Solve with the factorized matrix, or with its transpose, in place.
  void solve(Columns b) const;
  void solve_transposed(Columns b) const;

  /// f += f_x x + f_v v
  void add_product(const Eigen::Ref<const MatrixX<S>>& x, const Eigen::Ref<const MatrixX<S>>& v,
                   Columns f) const;
  /// w^T M w
  S kinetic_product(const Eigen::Ref<const Vec>& w) const;
  /// x_bar -= f_x^T mu,   v_bar -= f_v^T mu
  void subtract_transposed_product(const Eigen::Ref<const Vec>& mu, Eigen::Ref<Vec> x_bar,
                                   Eigen::Ref<Vec> v_bar) const;

 private:
  struct Stage {
    Vector6<S> carried;  ///< F
    Vector3<S> offset;   ///< of its point from that of the stage before
    int pair = -1;       ///< in pairs_
    OfState A;           ///< while factorizing
  };
  template <int rows>
  using Flat = Eigen::Matrix<S, rows, Eigen::Dynamic>;  ///< a column per velocity

  static std::size_t place(int stage) { return static_cast<std::size_t>(stage); }
  const Pair* pair_of(const Stage& stage) const {
    return stage.pair < 0 ? nullptr : &pairs_[static_cast<std::size_t>(stage.pair)];
  }
  /// s of velocity i.
  auto axis(Eigen::Index i) const { return by_position_.template block<6, 1>(0, i); }
  template <int n>
  bool free_joint(const TreeStage& own, const RetractionBlock<S>* block, double c_v, double c_x,
                  Stage& stage);
  const OfState& contribution_to_parent(Stage& stage);
  template <int n>
  void set_sigma(Eigen::Index v, const RetractionBlock<S>* block, double c_v, double c_x);
  /// Changes of points between a stage and the one before.
  void shift_from_parent(const Stage& stage, State& zeta) const;
  void add_to_parent(const Stage& stage, const State& bar, State& sum) const;
  static Vector6<S> times(const OfState& of_state, const State& zeta);
  Vector6<S> wrench_to_parent(const Stage& stage, const Vector6<S>& w) const;
  Vector6<S> twist_from_parent(const Stage& stage, const Vector6<S>& V) const;

  const JointTree& tree_;
  bool shifts_ = false;  ///< true if points differ
  std::vector<Stage> stages_;
  std::vector<OfState> own_;  ///< K by stage
  std::vector<Pair> pairs_;
  OfState contribution_;  ///< scratch of contribution_to_parent()
  Flat<18> by_position_;  ///< (s, u, a)
  Flat<6> a_v_;
  Flat<18> sigma_, P_transposed_;
  Flat<6> g_, D_inverse_;
  mutable std::vector<State> states_;  ///< of the sweeps
  mutable std::vector<Vector6<S>> wrenches_;
};

}  // namespace kurbel
