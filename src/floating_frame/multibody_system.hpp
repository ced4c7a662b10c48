/// @file
/// A mechanism of flexible and rigid bodies as a second-order DAE of index 3, in the floating frame of
/// reference.
///
///     x = (r, quaternion, q) per body      v = (v, omega, q_dot) per body, in its frame    [P0, eq. 17]
///     f = sum over bodies of [P0, eq. 77] + springs - tyres - loads - controls + C^T lambda  [P0, eq. 1d]
///     c = locked relative degrees of freedom of all joints, distances less lengths of rods  [P0, eqs 1e, 52]
///
/// Nodes of spatial beams are bodies without mass behind the others (beam_nodes.hpp); their elements add to f, and
/// to the mass matrix, what posed_beams.hpp has.
#pragma once

#include "floating_frame/body_energy.hpp"
#include "floating_frame/drive.hpp"
#include "floating_frame/posed_beams.hpp"
#include "floating_frame/relative_rows.hpp"
#include "floating_frame/row_forces.hpp"
#include "floating_frame/tyre.hpp"
#include "integration/assembled_dae.hpp"

namespace kurbel {

template <class Scalar>
class MultibodySystem final : public AssembledDae<Scalar> {
 public:
  using Base = AssembledDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Instant;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @throws InputError if a name cannot be resolved, a drive acts on a locked degree of freedom, or a SID
  /// has
  ///         inconsistent shapes
  explicit MultibodySystem(const SystemSpec& spec);

  const SystemSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }

  /// All parameters at once, in the order of layout(); n_p as before.
  void set_parameters(const Vec& p) {
    p_ = p;
    beams_.set_parameters(p);
  }
  const Vec& parameters() const override { return p_; }
  Eigen::Index end_parameter() const override { return layout_.end(); }
  /// Other values of the same mechanism.
  /// @param set  changes numbers and SIDs of the specification that it is given, but no name, shape or choice
  template <class Set>
  void change(const Set& set) {
    set(spec_);
    if (end_parameter() >= 0) follow_end();
    set_parameters(layout_.values(spec_).template cast<Scalar>());
  }

  Eigen::Index n_x() const override { return n_x_; }
  Eigen::Index n_v() const override { return n_v_; }
  Eigen::Index n_c() const override { return n_c_; }
  /// The number of bodies, with the nodes of beams, which are the bodies from first_node() on.
  std::size_t n_bodies() const { return spec_.bodies.size(); }
  std::size_t first_node() const { return first_node_; }
  Eigen::Index x_offset(std::size_t body) const { return bodies_[body].x; }
  Eigen::Index v_offset(std::size_t body) const { return bodies_[body].v; }
  Eigen::Index n_q(std::size_t body) const { return layout_.body(body).n_q; }
  /// @throws InputError if no body has that name
  std::size_t body_index(const std::string& name) const;

  /// @param owner  what the marker belongs to, for the message
  /// @throws InputError if there is no such body or marker
  MarkerPlace resolve(const MarkerRef& ref, const std::string& owner) const;

  /// The indices of the multipliers of a joint: `first`, and from there one per degree of freedom that is
  /// locked or driven and not redundant.
  struct JointRows {
    Eigen::Index first;
    std::vector<RelativeDof> dofs;
    const JointSpec& spec;
  };
  /// @throws InputError if no joint has that name
  JointRows joint_rows(const std::string& name) const;

  /// Spring of that name: its index in SystemSpec::springs.
  /// @throws InputError if there is none
  std::size_t spring_index(const std::string& name) const;
  /// Length of a spring, m.
  Scalar spring_length(std::size_t spring, const Instant& at, Workspace& ws) const;

  /// The two markers of a pair at an instant, for its rows; valid until the workspace is used again.
  typename RelativeRows<Scalar>::Ends ends_at(const RelativeRows<Scalar>& rows, const Instant& at,
                                              Workspace& ws) const;

  /// @throws InputError if there is no tyre of that name
  std::size_t tyre_index(const std::string& name) const;
  TyreForces<Scalar> tyre_forces(std::size_t tyre, const Instant& at, Workspace& ws) const;
  /// Adds the partials of weights . (longitudinal, lateral, vertical).
  void add_tyre_force_partials(std::size_t tyre, const Instant& at, const Vector3<Scalar>& weights,
                               Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                               Eigen::Ref<Vec> p_bar) const;

  std::unique_ptr<Workspace> make_workspace() const override;
  std::vector<double> jumps(double from, double to) const override;
  std::vector<double> kinks(double from, double to) const override;
  void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const override;
  void jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const override;
  /// A block per body, and per pair of bodies that a joint or a force element connects.
  DaeJacobians<Scalar> make_jacobians() const override;

  // The parts alone, joints and all forces but inertia and weight, for formulations that know the motion of rigid bodies
  // otherwise. Bodies stand where place() has put them; Instant::x is not read, and v and v_dot at acts_on() alone.

  /// True for each body on which a joint, a force element, a tyre or a load acts.
  std::vector<bool> acts_on() const;
  /// Puts the frame of a body to r, with the axes A.
  void place(std::size_t body, const Vector3<Scalar>& r, const Matrix3<Scalar>& A, Workspace& ws) const;
  /// A rigid body: how it moves, and the wrench on it about RigidMotion::rho in inertial axes.
  struct RigidBody {
    const RigidMotion<Scalar>* motion = nullptr;
    Vector6<Scalar>* wrench = nullptr;
  };
  /// Adds the forces of the parts to the wrenches on all bodies, and finds c, c_dot and c_ddot; place() need not be called
  /// before.
  /// @param bodies  those at acts_on() are read alone
  void add_rigid_parts(const OneSidedTime& t, const Segment& lambda, const std::vector<RigidBody>& bodies,
                       Workspace& ws, ConstraintDerivatives<Scalar>& c) const;
  /// Their derivatives.
  /// @param out  of make_part_jacobians(); overwritten
  void part_jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const;
  /// Zeros where part_jacobians() has blocks: a square one for each body that is acted on, none in M.
  DaeJacobians<Scalar> make_part_jacobians() const;
  /// constraint_derivatives() of bodies that stand where place() has put them.
  void placed_constraint_derivatives(const Instant& at, Workspace& ws,
                                     ConstraintDerivatives<Scalar>& out) const;
  /// pullback() of the parts, and pullback_constraints(), likewise.
  void pullback_parts(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                      Eigen::Ref<Vec> p_bar) const;
  void pullback_placed_constraints(const Instant& at, const Segment& w0, const Segment& w1, const Segment& w2,
                                   Workspace& ws, Eigen::Ref<Vec> p_bar) const;
  void pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                Eigen::Ref<Vec> p_bar) const override;
  void push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                    Columns c_p) const override;
  void constraint_derivatives(const Instant& at, Workspace& ws,
                              ConstraintDerivatives<Scalar>& out) const override;
  void constraint_values(const Instant& at, Workspace& ws, ConstraintDerivatives<Scalar>& out) const override;
  void pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1, const Segment& w2,
                            Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void push_forward_constraints(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                ConstraintDirections<Scalar>& out) const override;
  void retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const override;
  void increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const override;
  void retraction_derivative(const Segment& xi, std::vector<RetractionBlock<Scalar>>& blocks) const override;
  /// Hamilton's equations of rigid bodies.
  std::shared_ptr<const CanonicalEquations<Scalar>> canonical() const override;
  void given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const override;
  void given_velocity(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const override;
  void push_forward_given_velocity(const Segment& x, const ConstColumns& p_dot, Columns v_dot) const override;
  void pullback_given_velocity(const Segment& x, const Segment& v_bar, Eigen::Ref<Vec> p_bar) const override;
  void push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const override;
  void pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const override;
  bool is_position_given(Eigen::Index i) const override;
  bool is_velocity_given(Eigen::Index i) const override;
  bool starts_in_equilibrium(Eigen::Index i) const override;
  bool is_rigid_coordinate(Eigen::Index i) const override;
  std::string coordinate_name(Eigen::Index i) const override;
  std::string coordinate_label(Eigen::Index i) const override;
  std::string constraint_name(Eigen::Index i) const override;

  /// J: kinetic, elastic (bodies and springs), and of gravity.
  using Energy = BodyEnergy<Scalar>;
  Energy energy(const Instant& at, Workspace& ws) const;
  /// The share of one body; springs belong to none.
  Energy energy(const Instant& at, std::size_t body, Workspace& ws) const;
  /// Adds the derivatives of a weighted sum of energies by x (tangent coordinates), v and p.
  /// @param body   whose share is meant; of the whole mechanism if not given
  /// @param x_bar, v_bar  (n_v)     @param p_bar  (n_p)
  void add_energy_partials(const Instant& at, const EnergyWeights& weights, std::optional<std::size_t> body,
                           Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                           Eigen::Ref<Vec> p_bar) const;

  /// Forces of springs, torsion springs and motors, in this order: N along the line, positive where they pull its ends
  /// together (of linear springs the component along it); N m where they turn, against the turn of "to".
  Vec element_forces(const Instant& at, Workspace& ws) const;

  /// Linear momentum and angular momentum about the inertial origin, in the inertial frame.
  struct Momentum {
    Vector3<Scalar> linear, angular;
  };
  Momentum momentum(const Instant& at, Workspace& ws) const;

  Pose<Scalar> pose(const Segment& x, std::size_t body) const;

  const PosedBeams<Scalar>& beams() const { return beams_; }
  using BeamNodes = typename PosedBeams<Scalar>::Nodes;
  using BeamTwists = typename PosedBeams<Scalar>::Twists;

 private:
  struct BodyOffsets {
    Eigen::Index x, v;
  };
  struct Joint {
    RelativeRows<Scalar> rows;
    Eigen::Index first_row;
    std::vector<RelativeDof> dofs;  ///< of each row
    std::vector<Drive<Scalar>> drives{};
    std::optional<RelativeRows<Scalar>> by_angle{};  ///< if the angle of a drive has parameters
  };
  /// A spring, a torsion spring, a motor or another law between two markers: a force on its rows (row_forces.hpp).
  struct ForceElement {
    RelativeRows<Scalar> rows;
    ParameterBlock numbers;  ///< k, d, s0 of a spring, or the numbers of law_of_pair; none of a motor
    bool is_angle = false;
    int control = -1;                  ///< u, if any
    SpringLaw law = SpringLaw::hooke;  ///< of a spring
    std::shared_ptr<const PairLaw<Scalar>> law_of_pair =
        nullptr;  ///< of a bushing or a stop; none for springs and motors
    bool is_in_space() const { return rows.n_rows() == 3; }  ///< rows p^t - p^f in place of a half square
  };
  struct TyrePair {
    Tyre<Scalar> tyre;
    RelativeRows<Scalar> pair;  ///< without rows: from the carrier to the wheel
  };
  /// The angle of a hinge that a component of a load is a function of.
  struct LoadAngle {
    RelativeRows<Scalar> rows;  ///< cosine and sine
    TimeFunctionPtr function;   ///< N or N m, over the angle
    double around;              ///< rad
    Vector3d force, torque;     ///< unit vectors of the component, or zero
    std::size_t index;          ///< among those of all loads
  };
  struct Load {
    MarkerPlace place;
    MarkerLoadSpec spec;
    std::vector<LoadAngle> angles;
  };
  struct AngleState;
  class SystemWorkspace;
  struct ForceState;

  /// Relative loads and drives in the motion of the specification.
  void follow_end();
  /// A joint whose rows follow those that there are.
  Joint held_axes(std::size_t joint) const;
  Joint rod(const JointSpec& spec, Eigen::Index length) const;
  void add_joint(Joint joint);
  std::size_t body_of(Eigen::Index tangent_coordinate) const;
  Vec static_load(std::size_t body, const Scalar* p) const;
  Eigen::PartialPivLU<Matrix> stiffness_of(std::size_t body) const;
  Vector3<Scalar> initial(std::size_t body, const InitialPart& part) const;
  Matrix3<Scalar> given_rotation(std::size_t body) const;
  Matrix3<Scalar> given_rotation_tangent(std::size_t body) const;
  SystemWorkspace& workspace(Workspace& ws) const;
  void update_bodies(const Instant& at, SystemWorkspace& ws) const;
  void update_controls(const OneSidedTime& t, SystemWorkspace& ws) const;
  BodyMotion<Scalar> motion(const Instant& at, const SystemWorkspace& ws, std::size_t body) const;
  void add_pair_blocks(DaeJacobians<Scalar>& out) const;
  void add_parts(const Instant& at, SystemWorkspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const;
  void add_part_jacobians(const Instant& at, SystemWorkspace& ws, DaeJacobians<Scalar>& out) const;
  using Ends = typename RelativeRows<Scalar>::Ends;
  Ends ends(const RelativeRows<Scalar>& rows, SystemWorkspace& ws, const Scalar* v,
            const Scalar* v_dot) const;
  Ends ends(const Joint& joint, double t, SystemWorkspace& ws, const Scalar* v, const Scalar* v_dot) const;
  void drive_rates(const Joint& joint, const Drive<Scalar>& drive, const Ends& ends, Columns G) const;
  void pullback_drives(const Joint& joint, double t, const Ends& ends, const Scalar* w0, const Scalar* w1,
                       const Scalar* w2, SystemWorkspace& ws, Scalar* p_bar) const;
  void pullback_reaction_of_drives(const Joint& joint, double t, const Ends& ends, const Scalar* mu_c,
                                   const Scalar* lambda, SystemWorkspace& ws, Scalar* p_bar) const;
  void push_forward_drives(const Joint& joint, double t, const ConstColumns& p_dot, const Ends& ends,
                           SystemWorkspace& ws, Columns c0, Columns c1, Columns c2) const;
  void push_forward_reaction_of_drives(const Joint& joint, const ConstColumns& p_dot, const Instant& at,
                                       const Ends& ends, SystemWorkspace& ws, Columns f_p) const;
  SpringNumbers<Scalar> numbers_of(const ForceElement& force) const;
  Scalar half_square(const ForceElement& line, const Vec& c) const;
  RowForces<Scalar> forces_on_rows(const ForceElement& force, const Vec& c, const Vec& c_dot,
                                   const Vec& controls) const;
  typename RelativeRows<Scalar>::Derivatives& rows_of(const ForceElement& force, SystemWorkspace& ws) const;
  void add_on_rows(const ForceElement& force, const typename RelativeRows<Scalar>::Derivatives& rows,
                   const PairVector<Scalar>& W, Eigen::Ref<Vec> f) const;
  ForceState force_state(const ForceElement& force, const Instant& at, SystemWorkspace& ws) const;
  void add_force_residual(const ForceElement& force, const Instant& at, SystemWorkspace& ws,
                          Eigen::Ref<Vec> f) const;
  void add_force_jacobians(const ForceElement& force, const Instant& at, SystemWorkspace& ws,
                           DaeJacobians<Scalar>& out) const;
  void pullback_force(const ForceElement& force, const Instant& at, const Segment& mu, SystemWorkspace& ws,
                      Scalar* p_bar) const;
  SpringEnergy<Scalar> energy_of(const ForceElement& force, const Vec& c) const;
  Scalar force_energy(const ForceElement& force, SystemWorkspace& ws) const;
  void add_force_energy_partials(const ForceElement& force, double weight, SystemWorkspace& ws,
                                 Eigen::Ref<Vec> x_bar, Scalar* p_bar) const;
  void push_forward_force(const ForceElement& force, const Instant& at, const ConstColumns& p_dot,
                          SystemWorkspace& ws, Columns f_p) const;
  void add_tyre_residual(const TyrePair& tyre, const Instant& at, SystemWorkspace& ws,
                         Eigen::Ref<Vec> f) const;
  void add_tyre_jacobians(const TyrePair& tyre, const Instant& at, SystemWorkspace& ws,
                          DaeJacobians<Scalar>& out) const;
  void pullback_tyre(const TyrePair& tyre, const Instant& at, const Segment& mu, SystemWorkspace& ws,
                     Scalar* p_bar) const;
  void push_forward_tyre(const TyrePair& tyre, const Instant& at, const ConstColumns& p_dot,
                         SystemWorkspace& ws, Columns f_p) const;
  /// (du/d nodes)^T u_bar
  void add_control_bar(const SystemWorkspace& ws, int control, const Scalar& u_bar, Scalar* p_bar) const;
  /// u along a direction of parameter space.
  Scalar control_direction(const SystemWorkspace& ws, int control, const Scalar* p_dot) const;
  Load make_load(const MarkerLoadSpec& spec);
  AngleState angle_state(const LoadAngle& angle, const Scalar& cosine, const Scalar& sine) const;
  AngleState angle_state(const LoadAngle& angle, SystemWorkspace& ws) const;
  Vector6<Scalar> load_over_angle(const LoadAngle& angle, const AngleState& at) const;
  Vector6<Scalar> load_over_angles(const Load& load, SystemWorkspace& ws) const;
  Vector6<Scalar> load_over_angles(const Load& load, const std::vector<RigidBody>& bodies,
                                   SystemWorkspace& ws) const;
  void add_load_residual(const Load& load, const Instant& at, SystemWorkspace& ws, Eigen::Ref<Vec> f) const;
  void add_angle_jacobian(const Load& load, const LoadAngle& angle, SystemWorkspace& ws,
                          BlockMatrix<Scalar>& f_x) const;
  Vector6<Scalar> load_on_rigid_body(const Load& load, const OneSidedTime& t,
                                     const std::vector<RigidBody>& bodies, SystemWorkspace& ws) const;
  void add_load_jacobian(const Load& load, const Instant& at, SystemWorkspace& ws,
                         BlockMatrix<Scalar>& f_x) const;
  void pullback_load(const Load& load, const Instant& at, const Segment& mu, SystemWorkspace& ws,
                     Scalar* p_bar) const;
  void push_forward_angle(const Load& load, const LoadAngle& angle, const ConstColumns& p_dot,
                          SystemWorkspace& ws, Columns f_p) const;
  void push_forward_load(const Load& load, const Instant& at, const ConstColumns& p_dot, SystemWorkspace& ws,
                         Columns f_p) const;
  BeamNodes element_nodes(std::size_t element, const Instant& at, const SystemWorkspace& ws) const;
  template <class Action>
  void for_each_element(const Instant& at, SystemWorkspace& ws, const Action& act) const;
  void add_beam_residual(const Instant& at, SystemWorkspace& ws, Eigen::Ref<Vec> f) const;
  void add_beam_blocks(BlockMatrix<Scalar>& matrix) const;
  void add_beam_jacobians(const Instant& at, SystemWorkspace& ws, DaeJacobians<Scalar>& out) const;
  void pullback_beams(const Instant& at, const Segment& mu, SystemWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  void push_forward_beams(const Instant& at, const ConstColumns& p_dot, SystemWorkspace& ws,
                          Columns f_p) const;
  void add_beam_energy(const Instant& at, SystemWorkspace& ws, Energy& sum) const;
  void add_beam_energy_partials(const Instant& at, const EnergyWeights& weights, SystemWorkspace& ws,
                                Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const;
  void add_beam_momentum(const Instant& at, SystemWorkspace& ws, Momentum& total) const;
  template <class Action>
  void for_each_node(const Action& act) const;
  void set_given_nodes(Eigen::Ref<Vec> x) const;
  void push_forward_given_nodes(const ConstColumns& p_dot, Columns x_dot) const;
  void pullback_given_nodes(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const;
  void set_given_node_rates(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const;
  void push_forward_given_node_rates(const Segment& x, const ConstColumns& p_dot, Columns v_dot) const;
  void pullback_given_node_rates(const Segment& x, const Segment& v_bar, Eigen::Ref<Vec> p_bar) const;
  Eigen::Index v_offset(const MarkerPlace& place) const { return place.body < 0 ? 0 : bodies_[place.body].v; }
  template <class Action>
  void for_each_end(const RelativeRows<Scalar>& rows, const Action& act) const;
  void add_block(const RelativeRows<Scalar>& rows, const Eigen::Ref<const Matrix>& local,
                 BlockMatrix<Scalar>& global) const;

  SystemSpec spec_;
  ParameterLayout layout_;
  Vec p_;
  PosedBeams<Scalar> beams_;
  std::size_t first_node_;
  std::vector<BodyOffsets> bodies_;
  std::vector<Joint> joints_;
  std::vector<ForceElement> forces_;
  std::vector<TyrePair> tyres_;
  std::vector<Load> loads_;
  Eigen::Index n_x_ = 0, n_v_ = 0, n_c_ = 0, n_pair_ = 0;
  std::size_t n_angles_ = 0;
};

}  // namespace kurbel
