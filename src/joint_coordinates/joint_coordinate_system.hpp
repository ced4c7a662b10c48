/// @file
/// A mechanism of rigid bodies in the coordinates of its joints, as a second-order DAE.      [P4, eqs 1-7]
///
/// z: joint coordinates of a spanning tree. The equations of all bodies in their own frames, f_b(x, v, v_dot,
/// lambda) with the forces and the constraints c_b of the floating frame (MultibodySystem), are projected on
/// what the joints of the tree leave free, v = B(z) z_dot:
///
///     x = X(z),   f = B^T f_b,   c = c_b(X(z))                     [P4, eq. 4: M^d z_ddot - Q^d + Phi_z^T lambda]
///
/// so that every force, drive, motor and load of the floating frame acts here, too; inertia and weight are of the tree's own
/// (spatial_inertia.hpp). c holds what closes loops, and drives. All sums over what a stage carries are recursions; the mass
/// matrix is found from composite bodies. Derivatives are exact: with s_k of a stage that carries stage j, and F_j the sum of what acts there,
///
///     df_k/dz_j = s_k . (sum over bodies of j: f_b,x eta_j + f_b,v u_j + M_b (a_j - ad_V u_j)) - ad_{s_j} s_k . F_j
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/canonical_equations.hpp"
#include "integration/linearized_dae.hpp"
#include "joint_coordinates/tree_motion.hpp"

namespace kurbel {

template <class Scalar>
class JointCoordinateSystem final : public SecondOrderDae<Scalar>,
                                    public CanonicalEquations<Scalar>,
                                    public RecursiveDae<Scalar> {
 public:
  using Base = SecondOrderDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Instant;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @param system_of_bodies  the mechanism with all its joints; must outlive this
  /// @throws InputError if a body is flexible
  JointCoordinateSystem(const MultibodySystem<Scalar>& system_of_bodies, ReferencePoint point);
  /// @param links  the tree, in place of choose_spanning_tree()
  JointCoordinateSystem(const MultibodySystem<Scalar>& system_of_bodies, std::vector<TreeLink> links,
                        ReferencePoint point);

  /// Other values of the same mechanism, as MultibodySystem::change(); those of system_of_bodies() have changed before.
  template <class Set>
  void change(const Set& set) {
    cut_.change(set);
    ++revision_;
  }

  /// The mechanism with all joints, in the floating frame.
  const MultibodySystem<Scalar>& system_of_bodies() const { return system_of_bodies_; }
  /// The same without what the joints of the tree lock.
  const MultibodySystem<Scalar>& cut() const { return cut_; }
  const JointTree& tree() const { return tree_; }
  const std::vector<TreeLink>& links() const { return links_; }
  /// Indices of the multipliers of cut() among those of system_of_bodies().
  std::vector<Eigen::Index> indices_of_multipliers() const;
  ReferencePoint reference_point() const { return point_; }
  /// True if velocity i is a rotation, not a displacement.
  bool is_turning(Eigen::Index i) const { return dof_of(i) >= 3; }

  // The bodies, for what is observed of them (bodies_of_joints.hpp).

  /// Positions, velocities and accelerations of the bodies; valid until the workspace is used again.
  Instant bodies(const Instant& at, Workspace& ws) const { return move_bodies(at, workspace(ws)); }
  /// The sum of f_b over all that each stage carries, in the frame of its body.
  const std::vector<Vector6<Scalar>>& carried_forces(const Instant& at, Workspace& ws) const;
  /// Virtual velocities mu of all bodies (6 each) of a motion that opens joints: the body of each stage, and all
  /// that it carries, by a twist in the frame of the body.
  void open_joints(const Instant& at, const std::vector<std::pair<int, Vector6<Scalar>>>& openings,
                   Workspace& ws, Eigen::Ref<Vec> mu) const;
  /// Adds to bars of the coordinates and of the parameters what sensitivities by x, v and v_dot of the bodies
  /// are to them.
  void pull_back_bodies(const Instant& at, const Segment& x_bar, const Segment& v_bar,
                        const Segment& v_dot_bar, Workspace& ws, DaeInstantBar<Scalar>& bar,
                        Eigen::Ref<Vec> p_bar) const;

  Eigen::Index n_x() const override { return tree_.n_x(); }
  Eigen::Index n_v() const override { return tree_.n_v(); }
  Eigen::Index n_c() const override { return cut_.n_c(); }
  const Vec& parameters() const override { return cut_.parameters(); }
  Eigen::Index end_parameter() const override { return cut_.end_parameter(); }

  std::unique_ptr<Workspace> make_workspace() const override;
  std::vector<double> jumps(double from, double to) const override {
    return system_of_bodies_.jumps(from, to);
  }
  std::vector<double> kinks(double from, double to) const override {
    return system_of_bodies_.kinks(from, to);
  }
  void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const override;
  void jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const override;
  void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                 DaeJacobians<Scalar>& out) const override;
  void constraint_values(const Instant& at, Workspace& ws, ConstraintDerivatives<Scalar>& out) const override;
  void pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                Eigen::Ref<Vec> p_bar) const override;
  void pullback_levels(const Instant& at, const Segment& mu_f, const Segment& w0, const Segment& w1,
                       const Segment& w2, Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                    Columns c_p) const override;
  void constraint_derivatives(const Instant& at, Workspace& ws,
                              ConstraintDerivatives<Scalar>& out) const override;
  void pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1, const Segment& w2,
                            Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void push_forward_constraints(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                ConstraintDirections<Scalar>& out) const override;
  void retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const override;
  void increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const override;
  void retraction_derivative(const Segment& xi, std::vector<RetractionBlock<Scalar>>& blocks) const override;
  std::unique_ptr<Start<Scalar>> make_start() const override;
  std::string coordinate_name(Eigen::Index i) const override;
  std::string coordinate_label(Eigen::Index i) const override;
  std::string constraint_name(Eigen::Index i) const override { return cut_.constraint_name(i); }

  // Linearized without a matrix of all coordinates (tree_elimination.hpp).
  std::unique_ptr<LinearizedDae<Scalar>> make_recursion() const override;
  /// The same of any number of bodies; nullptr if constraints are left, or forces act between bodies that no single stage
  /// connects.
  std::unique_ptr<LinearizedDae<Scalar>> recursion() const;

  // Hamilton's equations; all in O(n) but what closes loops.            [P3, eqs 7-11]
  std::shared_ptr<const CanonicalEquations<Scalar>> canonical() const override {
    return {std::shared_ptr<void>(), this};
  }
  const SecondOrderDae<Scalar>& dae() const override { return *this; }
  std::unique_ptr<Workspace> make_canonical_workspace() const override;
  Eigen::Index set_position(const OneSidedTime& t, const Segment& x, Workspace& ws) const override;
  void solve(Workspace& ws, Columns b) const override;
  void momenta(const Segment& v, Workspace& ws, Eigen::Ref<Vec> p, Eigen::Ref<Vec> g) const override;
  void force(Workspace& ws, Eigen::Ref<Vec> f) const override;
  void pull_back_rate(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                      Eigen::Ref<Vec> p_bar) const override;
  void pull_back_momentum(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                          Eigen::Ref<Vec> p_bar) const override;
  const Vec& constraint_rates(const Workspace& ws) const override;
  void pull_back_constraint_rates(const Instant& at, const Segment& w1, const Segment& w2, Workspace& ws,
                                  Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                  Eigen::Ref<Vec> p_bar) const override;

 private:
  /// RelativeDof of velocity i, as a number.
  Eigen::Index dof_of(Eigen::Index i) const;
  class TreeWorkspace;
  class CanonicalWorkspace;
  class Recursion;
  CanonicalWorkspace& canonical(Workspace& ws) const;
  template <class Action>
  void for_each_body(const Action& act) const;
  void project_flow(bool has_eta, CanonicalWorkspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                    Eigen::Ref<Vec> p_bar) const;
  TreeWorkspace& workspace(Workspace& ws) const;
  void move_tree(const Instant& at, TreeWorkspace& ws) const;
  Instant move(const Instant& at, TreeWorkspace& ws) const;
  Instant move_bodies(const Instant& at, TreeWorkspace& ws) const;
  Instant move_all(const Instant& at, TreeWorkspace& ws) const;
  void set_inertias(TreeWorkspace& ws) const;
  void place_bodies(TreeWorkspace& ws) const;
  void set_rates(bool of_acted_on, TreeWorkspace& ws) const;
  void set_bodies(const Segment& z, TreeWorkspace& ws) const;
  // At the instant of the last move(); what is known there is not found again.
  void sum_forces(const OneSidedTime& t, const Segment& lambda, TreeWorkspace& ws) const;
  void differentiate_forces(const Instant& of_bodies, TreeWorkspace& ws) const;
  void differentiate_constraints(const Instant& of_bodies, TreeWorkspace& ws) const;
  Vector3<Scalar> gravity() const { return cut_.spec().gravity.template cast<Scalar>(); }
  void prepare_frames(TreeWorkspace& ws) const;
  void prepare_variations(TreeWorkspace& ws) const;

  /// Body of a row or column of the Jacobians of bodies.
  static int body_at(Eigen::Index i) { return static_cast<int>(i / 6); }
  void project_forces(const TreeWorkspace& ws, Eigen::Ref<Vec> f) const;
  void project_jacobians(TreeWorkspace& ws, DaeJacobians<Scalar>& out) const;
  /// Transposed derivatives of wrenches by eta, u and a, by stage.
  using OfWrench = std::vector<Eigen::Matrix<Scalar, 18, 6>>;
  void differentiate_stages(const TreeWorkspace& ws, OfWrench& K) const;
  void prepare_composites(TreeWorkspace& ws) const;
  void add_stage(int stage, TreeWorkspace& ws, DaeJacobians<Scalar>& out) const;
  struct BodyPair;
  std::pair<Matrix6<Scalar>, Matrix6<Scalar>> couplings(const BodyPair& pair, const TreeWorkspace& ws) const;
  void add_pair(const BodyPair& pair, TreeWorkspace& ws, DaeJacobians<Scalar>& out) const;
  template <class RowsOf>
  void project(const RowsOf& rows_of, TreeWorkspace& ws, Columns out) const;
  /// C of the coordinates from that of the bodies, ws.constraints.C.
  void project_constraints(TreeWorkspace& ws, Columns C) const;
  template <int n_fields, class Action>
  void for_each_carrying(int stage, std::array<Columns6<Scalar>, n_fields> rows, const TreeWorkspace& ws,
                         const Action& act) const;
  void virtual_motion(const Segment& mu, TreeWorkspace& ws) const;
  void add_point_bars(bool with_forces, TreeWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  void set_bars(const Segment& x_bar, const Segment& v_bar, const Segment& v_dot_bar,
                TreeWorkspace& ws) const;
  void add_inertia_bars(TreeWorkspace& ws) const;
  void pull_back_inertia(TreeWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  void project_bars(const TreeWorkspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar) const;
  void set_force_bars(const Instant& of_bodies, const Segment& mu_f, const Segment& mu_c, TreeWorkspace& ws,
                      Eigen::Ref<Vec> p_bar) const;
  void add_constraint_bars(const Instant& of_bodies, const Segment& w0, const Segment& w1, const Segment& w2,
                           TreeWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  void set_constraint_bars(const Instant& of_bodies, const Segment& w0, const Segment& w1, const Segment& w2,
                           TreeWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  bool has_moved_points(const Segment& p_dot) const;
  bool move_points(const Segment& p_dot, TreeWorkspace& ws) const;

  const MultibodySystem<Scalar>& system_of_bodies_;
  std::vector<TreeLink> links_;
  MultibodySystem<Scalar> cut_;
  JointTree tree_;
  ReferencePoint point_;
  std::vector<bool> is_acted_on_;  ///< by stage: whether a part acts on its body
  long revision_ = 0;              ///< of the parameters
};

}  // namespace kurbel
