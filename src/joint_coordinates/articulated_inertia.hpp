/// @file
/// The mass matrix of a tree, M = sum over bodies of B_b^T M_b B_b, factorized without being formed.
///
/// Inwards, with I_i the inertia of the body of a stage, s_i its columns, T_c the change of points to a carried
/// stage c:
///
///     I^_i = I_i + sum_c T_c^T (I^_c - U_c D_c^-1 U_c^T) T_c,    U_i = I^_i s_i,    D_i = s_i^T U_i
///
/// is the inertia that a stage feels of all that it carries, whose joints are free to move; M^-1 b takes a sweep
/// inwards and one outwards. All is O(n).
#pragma once

#include "joint_coordinates/tree_motion.hpp"

namespace kurbel {

template <class S>
class ArticulatedInertia {
 public:
  /// @param tree  must outlive this
  explicit ArticulatedInertia(const JointTree& tree) : tree_(tree), stages_(tree.n_stages()) {}

  /// @param own  I_i by stage, about its point in inertial axes
  /// @return     the first velocity that moves no inertia; -1 if there is none
  Eigen::Index factorize(const TreeMotion<S>& motion, const std::vector<Matrix6<S>>& own);

  /// b <- M^-1 b,   (n_v x m)
  void solve(const TreeMotion<S>& motion, Eigen::Ref<MatrixX<S>> b) const;

 private:
  using Small = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  struct Stage {
    Matrix6<S> inertia;
    Columns6<S> U;
    Small D_inverse;
  };

  template <int n>
  static Eigen::Index free_joint(const Columns6<S>& columns, bool is_carried, Stage& stage);

  const JointTree& tree_;
  std::vector<Stage> stages_;
  mutable std::vector<Vector6<S>> moved_;  ///< impulses, then twists, of each stage in solve()
};

}  // namespace kurbel
