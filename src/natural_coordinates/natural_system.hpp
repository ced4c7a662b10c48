/// @file
/// A mechanism of rigid bodies, masses in points and beams in natural coordinates, as a DAE with a constant mass
/// matrix.                                                                                           [P1, P2]
///
///     q = vectors of R^3 in the inertial frame: (r, e1, e2, e3) of a rigid body or of a cross-section of a spatial
///         beam, (r, r_x) of a node of a cable, (r, r_x, r_y) of one of a planar beam, r of a mass in a point
///     M q_ddot = F(t, q, q_dot) - C^T lambda,     c(t, q) = 0: axes orthonormal, joints, rods, drives
///
/// Parameters are those of the mechanism, as in the floating frame (floating_frame/parameters.hpp).
#pragma once

#include "elements/element.hpp"
#include "floating_frame/multibody_system.hpp"
#include "integration/constant_mass_dae.hpp"
#include "natural_coordinates/cable_weld.hpp"
#include "natural_coordinates/planar_places.hpp"

namespace kurbel {

/// An element on forms: it sees their values one below the other, some parameters, and some inputs.
template <class Scalar>
struct PlacedElement {
  std::shared_ptr<const DynamicElement<Scalar>> element;
  std::vector<VectorForm> forms;
  std::vector<Eigen::Index> parameters;  ///< among the extended ones
  std::vector<int> inputs;
  int per_point = 0;                  ///< of what has mass: a point, and the vectors that turn with it
  int dimension = 3;                  ///< numbers that it sees of each form; 2: those in the plane z = 0
  std::vector<std::size_t> blocks{};  ///< of f_x, f_v and M, by pairs of terms
  /// The place at which each form begins among the coordinates, if the element depends on these directly; else -1.
  std::vector<Eigen::Index> direct{};

  bool is_point(std::size_t form) const { return form % static_cast<std::size_t>(per_point) == 0; }
  /// Index of the first number of a form.
  Eigen::Index place(std::size_t form) const { return dimension * static_cast<Eigen::Index>(form); }
  /// Puts a vector in the place of a form, or gets it.
  template <class Q>
  void put(const Vector3<Scalar>& y, std::size_t form, Q& q) const {
    if (dimension == 3) {
      q.template segment<3>(place(form)) = y;
    } else {
      q.template segment<2>(place(form)) = y.template head<2>();
    }
  }
  template <class Q>
  Vector3<Scalar> get(std::size_t form, const Q& q) const {
    if (dimension == 3) return q.template segment<3>(place(form));
    return {q[place(form)], q[place(form) + 1], Scalar(0)};
  }
};

/// An input of the mechanism: a control, or a function of time.
struct NaturalInput {
  int control = -1;  ///< index in SystemSpec::controls
  double factor = 1.0;
  TimeFunctionPtr function{};  ///< if it is no control
};

/// A joint's rows: the first one, and how many.
struct NaturalJoint {
  std::string name;
  Eigen::Index first = 0, count = 0;
  Eigen::Index n_before = 0;  ///< rows before the first that prescribe the direction of a driven rotation
  /// Its rows hold the displacement of "to" against "from" along the inertial axes.
  bool along_inertial_axes = false;
  /// True where the position or the axes have no rows, because coordinates are shared.
  bool shares_place = false, shares_axes = false;
  CarriedFrame to{}, from{};
  std::vector<RelativeDof> dofs{};
};

template <class Scalar>
class NaturalSystem final : public ConstantMassDae<Scalar> {
 public:
  using Base = ConstantMassDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Instant;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @throws InputError naming what natural coordinates can not describe, or names that do not exist
  explicit NaturalSystem(const SystemSpec& spec);

  const SystemSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  const CarriedFrames& frames() const { return frames_; }
  /// True if there are neither beams nor masses in points, and so the same mechanism exists in the floating frame.
  bool has_bodies_alone() const { return bodies_.has_value(); }
  /// The mechanism in the floating frame, with the same parameters.
  const MultibodySystem<Scalar>& bodies() const { return *bodies_; }
  const Vec& parameters() const override { return p_; }
  Eigen::Index end_parameter() const override { return layout_.end(); }
  void set_parameters(const Vec& p);
  /// True if no choice depends on where parts start: which coordinates joints share, and what welds of cables hold, do.
  bool is_of_every_design() const {
    return spec_.beams.empty() && std::ranges::none_of(spec_.joints, &JointSpec::shares_coordinates);
  }
  /// Other values of the same mechanism, as MultibodySystem::change(), of a system of every design.
  template <class Set>
  void change(const Set& set) {
    set(spec_);
    if (end_parameter() >= 0) follow_end();
    if (bodies_) bodies_->change(set);
    set_parameters(layout_.values(spec_).template cast<Scalar>());
  }
  /// Parameters, and what follows of them: lengths of elements, strains of arcs, what welds of cables keep.
  const Vec& extended_parameters() const { return extended_; }
  /// Place of the length of an element of a beam there; of spatial beams six strains per element follow it.
  Eigen::Index element_length(std::size_t beam) const { return derived_[beam]; }
  Eigen::Index reference_strains(std::size_t beam, int element) const {
    return derived_[beam] + 1 + 6 * element;
  }
  /// Adds what bars of the extended parameters (all of them) are to the parameters.
  void pull_back_extended(const Segment& extended_bar, Eigen::Ref<Vec> p_bar) const;

  /// Derivatives of the equations of motion by parameters that are zero in all of these directions are no longer found
  /// where that saves work: without constraints, where no weights are parameters.
  /// @param p_dot  (n_p x directions)
  void differentiate_by(const SparseMatrix& p_dot);

  Eigen::Index n_x() const override { return frames_.map().n_coordinates(); }
  using Base::n_v;
  Eigen::Index n_c() const override { return std::ssize(rows_); }
  const std::vector<ProductRow>& rows() const { return rows_; }
  /// @throws InputError if no joint has that name
  const NaturalJoint& joint(const std::string& name) const;
  /// The joint that a constraint belongs to; nullptr for those that hold axes orthonormal.
  const NaturalJoint* joint_of_row(Eigen::Index row) const;
  /// The element of a beam.
  const PlacedElement<Scalar>& beam_element(std::size_t beam, int element) const {
    return elements_[first_beam_element_[beam] + static_cast<std::size_t>(element)];
  }
  const PlacedElement<Scalar>& spring(std::size_t i) const { return elements_[first_spring_ + i]; }
  const PlacedElement<Scalar>& planar_element(std::size_t beam, std::size_t element) const {
    return elements_[first_planar_element_[beam] + element];
  }
  /// Joints of planar beams at places that parameters move by different ways.
  const std::vector<PlacedGap>& gaps() const { return planar_.gaps; }

  std::unique_ptr<Workspace> make_workspace() const override;
  std::vector<double> jumps(double from, double to) const override;
  DaeJacobians<Scalar> make_jacobians() const override;
  const BlockMatrix<Scalar>& mass() const override { return M_; }
  VectorXd coordinate_units(const Segment& x) const override;
  void force(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
             Eigen::Ref<Vec> F) const override;
  void force_jacobians(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                       DaeJacobians<Scalar>& out) const override;
  /// Takes the increments dx and dv, from which the forces of beams are found with less rounding than from x and v.
  void refine(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& dx, const Segment& dv,
              Workspace& ws) const override;
  void constraints(double t, const Segment& x, Workspace& ws, Eigen::Ref<Vec> c,
                   BlockMatrix<Scalar>& C) const override;
  void constraint_rate(double t, Workspace& ws, Eigen::Ref<Vec> c_t) const override;
  void constraint_acceleration(double t, Workspace& ws, Eigen::Ref<Vec> c_tt) const override;
  void add_reaction_jacobian(const Segment& x, const Segment& a, double weight, Workspace& ws,
                             BlockMatrix<Scalar>& K) const override;
  void pullback_motion(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                       const Segment& w, Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void pullback_motions(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                        const ConstColumns& w, Workspace& ws, Columns p_bar) const override;
  void push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                           const ConstColumns& p_dot, Workspace& ws, Columns out) const override;
  void pullback_positions(double t, const Segment& x, const Segment& mu, const Segment& w, const Segment& a,
                          Workspace& ws, Eigen::Ref<Vec> p_bar) const override;
  void pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1, const Segment& w2,
                            Workspace& ws, Eigen::Ref<Vec> p_bar) const override;

  /// StartOfBodies; with beams, ConstantMassStart or ConstantMassEquilibrium.
  std::unique_ptr<Start<Scalar>> make_start() const override;
  /// Directions of driven rotations, which follow from the bodies where these satisfy the constraints, into x; or
  /// their rates, or variations, into v.
  void put_directions(Eigen::Ref<Vec> x) const;
  void put_direction_rates(Eigen::Ref<Vec> v) const;
  /// Sensitivities by directions, or their rates, to such by the bodies.
  void pull_back_directions(Eigen::Ref<Vec> bar) const;
  void given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const override;
  /// The start of all carried vectors, but for directions of driven rotations.
  void carried_start(Vec& x, Vec& v) const;
  void push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const override {
    push_forward_given(false, p_dot, x_dot);
  }
  void pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const override {
    pullback_given(false, x_bar, p_bar);
  }
  void push_forward_given_velocity(const Segment&, const ConstColumns& p_dot, Columns v_dot) const override {
    push_forward_given(true, p_dot, v_dot);
  }
  void pullback_given_velocity(const Segment&, const Segment& v_bar, Eigen::Ref<Vec> p_bar) const override {
    pullback_given(true, v_bar, p_bar);
  }
  std::string coordinate_name(Eigen::Index i) const override;
  std::string coordinate_label(Eigen::Index i) const override;
  std::string constraint_name(Eigen::Index i) const override;

  /// J; the elements' potentials include gravity.
  Scalar kinetic_energy(const Segment& v) const;
  Scalar potential_energy(const Segment& x, Workspace& ws) const;
  /// Adds weight times the derivatives of the kinetic energy.
  void add_kinetic_energy_partials(const Segment& v, double weight, Workspace& ws, Eigen::Ref<Vec> v_bar,
                                   Eigen::Ref<Vec> p_bar) const;
  /// An element that has mass, and how many equal ones it stands for.
  struct MassiveElement {
    std::size_t element = 0;
    double count = 1.0;
  };
  /// The elements of a body, a beam, a mass in a point or one at a marker.
  /// @throws InputError if nothing with a mass has the name
  std::vector<MassiveElement> massive_elements(const std::string& name) const;
  /// Mass of these elements, kg, and its derivatives.                                             [P2, eq. 62]
  Scalar mass_of(const std::vector<MassiveElement>& part) const;
  void pull_back_mass_of(const std::vector<MassiveElement>& part, double weight, Eigen::Ref<Vec> p_bar) const;
  /// Linear momentum, and angular momentum about the inertial origin.
  struct Momentum {
    Vector3<Scalar> linear, angular;
  };
  Momentum momentum(const Segment& x, const Segment& v) const;

 private:
  class NaturalWorkspace;
  template <class>
  friend class NaturalAssembler;

  NaturalWorkspace& workspace(Workspace& ws) const;
  /// Relative loads and drives in the motion of the specification.
  void follow_end();
  bool is_beam_element(std::size_t i) const {
    return !first_beam_element_.empty() && first_beam_element_.front() <= i && i < first_spring_;
  }
  /// Mass of an element that has some, v^T M v of a translation by 1 m/s, and adds its derivatives.
  Scalar mass_of(const PlacedElement<Scalar>& placed) const;
  void pull_back_mass_of(const PlacedElement<Scalar>& placed, double weight, Vec& extended_bar) const;
  void put_planar_start(Vec& x, Vec& v) const;
  /// Derivatives of the start as it is given: positions, or velocities.
  void push_forward_given(bool of_rates, const ConstColumns& p_dot, Columns out) const;
  void pullback_given(bool of_rates, const Segment& x_bar, Eigen::Ref<Vec> p_bar) const;
  /// Real parts of the parameters and of the coordinates at the start as it is given, for decisions.
  std::pair<VectorXd, VectorXd> real_start() const;
  /// Chooses the coordinates, less those that a planar mechanism lacks and joints share.
  void choose_coordinates();
  void update_inputs(const OneSidedTime& t, NaturalWorkspace& ws) const;
  bool is_planar() const { return frames_.map().is_planar(); }
  int common_size() const { return frames_.map().common_size(); }
  /// xi of an element.
  Vec parameters_of(const PlacedElement<Scalar>& placed) const { return extended_(placed.parameters); }
  void derive();
  void derive_welds();
  void group_rows();
  void find_blocks();
  void assemble_mass();
  void add_mass_pullback(const PlacedElement<Scalar>& placed, const Segment& a, const Segment& w,
                         NaturalWorkspace& ws) const;
  void evaluate_elements(const OneSidedTime& t, const Segment& x, const Segment& v, bool with_derivatives,
                         NaturalWorkspace& ws) const;
  void add_force_pullback(std::size_t element, const Segment& x, const Segment& v, const Segment& w,
                          NaturalWorkspace& ws, Eigen::Ref<Vec> p_bar) const;
  /// Makes the active parameters those that vary.
  void choose_active(const std::vector<bool>& varies);
  void scatter_column(const PlacedElement<Scalar>& placed, const Eigen::Ref<const Vec>& y,
                      Eigen::Ref<Vec> out) const;
  /// d(M a - F) / d(active parameters) and d(controls), of one element and of all.
  void add_by_parameters(std::size_t element, const Segment& a, NaturalWorkspace& ws) const;
  void find_by_parameters(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                          NaturalWorkspace& ws) const;
  /// Directions of the extended parameters from those of the mechanism's parameters.
  void push_forward_extended(const ConstColumns& p_dot, Matrix& extended_dot) const;

  SystemSpec spec_;
  ParameterLayout layout_;
  CarriedFrames frames_;
  std::optional<MultibodySystem<Scalar>> bodies_{};
  std::vector<Eigen::Index> derived_;      ///< by beam: index of what follows of its numbers
  std::vector<Matrix> derived_by_places_;  ///< by beam: derivatives() of its BeamShape
  std::vector<CableWeld> welds_;
  /// Derivatives of their numbers, which are the last of the extended parameters.
  Eigen::SparseMatrix<Scalar> welds_by_p_;
  Eigen::Index n_extended_ = 0;
  Eigen::Index zero_ = 0;  ///< index of a zero among the extended parameters
  std::vector<PlacedElement<Scalar>> elements_;
  std::vector<std::size_t> first_beam_element_, first_planar_element_;
  std::size_t first_spring_ = 0, first_point_mass_ = 0, first_attached_mass_ = 0;
  PlanarPlaces planar_;
  std::vector<NaturalInput> inputs_;
  std::vector<ProductRow> rows_;
  std::vector<std::size_t> gradient_blocks_, reaction_blocks_;  ///< of C and f_x, as the rows call for them
  std::vector<Eigen::Index> row_groups_;                        ///< where blocks of C begin, and n_c
  std::vector<std::string> row_names_;
  std::vector<NaturalJoint> joints_;
  /// Directions of driven rotations: coordinates, and the axis of "to" that these are.
  std::vector<std::pair<VectorForm::Term, VectorForm>> directions_;
  std::vector<bool> shares_place_, shares_axes_;  ///< by joint
  bool has_varied_weights_ = false;         ///< whether elements see vectors by weights that are parameters
  std::vector<Eigen::Index> active_;        ///< extended parameters by which motions are differentiated
  std::vector<Eigen::Index> active_index_;  ///< by extended parameter, its index there or -1
  Vec p_, extended_;
  long revision_ = 0;  ///< of the parameters
  BlockMatrix<Scalar> M_;
};

}  // namespace kurbel
