/// @file
/// Systems in absolute coordinates with a mass matrix that is constant in q:
///
///     M(xi) q_ddot = Q(q, v, u(t), xi),    x = (q, v),    p = (xi, u_bar)                 [P2, eqs 28-30]
///
/// assembled from elements. Some coordinates may be held at their initial values; the state has the others.
/// The controls u = C(t) u_bar are functions of time; their node values u_bar stand behind xi among the
/// parameters.
#pragma once

#include <Eigen/LU>
#include <string>
#include <vector>

#include "elements/element.hpp"
#include "integration/controls.hpp"
#include "integration/first_order_ode.hpp"

namespace kurbel {

/// A parameter of an element: a constant, or factor xi[variable] + offset.
struct ParameterSlot {
  double constant = 0.0;
  int variable = -1;  ///< entry of xi; -1: none
  double factor = 1.0, offset = 0.0;

  template <class Scalar>
  Scalar value(const VectorX<Scalar>& xi) const {
    return variable < 0 ? Scalar(constant) : Scalar(factor * xi[variable] + offset);
  }
};

/// Which coordinates, controls and parameters of the system an element sees: T_1, T_2, T_3.  [P2, eqs 33, 34]
struct Binding {
  std::vector<int> coordinates;
  std::vector<int> controls;
  std::vector<ParameterSlot> parameters;
};

/// A coordinate with its initial values.
struct Coordinate {
  std::string name;
  bool free = true;
  double q0 = 0.0, v0 = 0.0;
  std::vector<std::pair<int, double>> q0_xi;  ///< derivatives of q0 by entries of xi; none if held
  bool is_slope = false;                      ///< a number instead of m
};

template <class Scalar>
class AbsoluteSystem final : public FirstOrderOde<Scalar> {
 public:
  using Base = FirstOrderOde<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @param xi  parameters, to begin with; q0 of the coordinates belongs to these values. Nodes begin at
  /// zero.
  AbsoluteSystem(std::vector<Coordinate> coordinates, Controls controls, const Vec& xi);

  void add(std::shared_ptr<const Element<Scalar>> element, Binding binding);
  /// To be called after the last add(): assembles and factorizes M.
  /// @throws InputError naming a coordinate that has no mass
  void complete();

  Eigen::Index n_q() const { return n_q_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }

  Eigen::Index n_x() const override { return 2 * n_q_; }
  const Vec& parameters() const override { return p_; }
  void set_parameters(const Segment& p);
  std::unique_ptr<Workspace> make_workspace() const override;
  void initial_state(Eigen::Ref<Vec> x0) const override;
  void pullback_initial(const ConstColumns& x_bar, Columns p_bar) const override;
  void push_forward_initial(const ConstColumns& p_dot, Columns x_dot) const override;
  void right_hand_side(const OneSidedTime& at, const Segment& x, Workspace& ws,
                       Eigen::Ref<Vec> f) const override;
  void linearize(const OneSidedTime& at, const Segment& x, Workspace& ws) const override;
  void pullback(Workspace& ws, const ConstColumns& f_bar, Columns x_bar, Columns p_bar) const override;
  void push_forward(Workspace& ws, const ConstColumns& x_dot, const ConstColumns& p_dot,
                    Columns f_dot) const override;
  bool factorize(double gamma, Workspace& ws) const override;
  void solve(Workspace& ws, Columns b) const override;
  void solve_transposed(Workspace& ws, Columns b) const override;
  std::string state_name(Eigen::Index i) const override;
  /// "m", "m/s", or of slopes "" and "1/s".
  std::string state_unit(Eigen::Index i) const;

  // The equations as they stand, for methods that integrate those of second order.

  /// Q (n_q), overwritten.
  void force(const OneSidedTime& at, const Segment& q, const Segment& v, Workspace& ws,
             Eigen::Ref<Vec> Q) const;
  /// Evaluates the derivatives of Q, and with accelerations a (n_q; or none) those of M a - Q by the parameters; the
  /// functions below give or apply those of the last call.
  void linearize_force(const OneSidedTime& at, const Segment& q, const Segment& v, const Segment& a,
                       Workspace& ws) const;
  /// dQ/dq and dQ/dv (n_q x n_q).
  const Matrix& force_by_position(const Workspace& ws) const;
  const Matrix& force_by_velocity(const Workspace& ws) const;
  /// p_bar += d(w . (M a - Q))/dp
  void pullback_balance(Workspace& ws, const ConstColumns& w, Columns p_bar) const;
  /// out = d(M a - Q)/dp p_dot
  void push_forward_balance(Workspace& ws, const ConstColumns& p_dot, Columns out) const;

  const Controls& controls() const { return controls_; }
  Eigen::Index n_xi() const { return n_xi_; }
  /// Rows of p that hold the nodes of control i begin here.
  Eigen::Index control_offset(Eigen::Index i) const { return n_xi_ + controls_.offset(i); }
  /// u (number of controls), N or N m.
  Vec control(const OneSidedTime& at) const;

  /// M (n_q x n_q) of the free coordinates.
  const Matrix& mass_matrix() const { return M_; }
  /// v^T M v / 2 and the elements' potentials, J.
  Scalar kinetic_energy(const Segment& x) const;
  Scalar potential_energy(const Segment& x) const;

  /// v_bar += weight dT/dv,   p_bar += weight dT/dp of the kinetic energy T.
  void add_kinetic_energy_partials(const Segment& v, double weight, Eigen::Ref<Vec> v_bar,
                                   Eigen::Ref<Vec> p_bar) const;

  /// The parts of the state (q, v) that a binding names; held coordinates at their initial values, at rest.
  void gather(const Binding& binding, const Segment& q, const Segment& v, Eigen::Ref<Vec> own_q,
              Eigen::Ref<Vec> own_v) const;
  void gather_parameters(const Binding& binding, Eigen::Ref<Vec> xi) const;
  /// Entry of the state for a coordinate, or -1 if it is held; its rate stands n_q() further on.
  int state_index(int coordinate) const { return free_index_[static_cast<std::size_t>(coordinate)]; }

 private:
  struct Part {
    std::shared_ptr<const Element<Scalar>> element;
    Binding binding;
    std::vector<int> free;  ///< per coordinate of the element
    Vec xi;                 ///< its parameters now
  };
  struct Scratch;
  class Work;

  void assemble_mass();
  void set_controls(const OneSidedTime& at, Work& w) const;
  void assemble_force(const Segment& q, const Segment& v, Work& w) const;
  void differentiate(const Segment& q, const Segment& v, const Segment& a, Work& w) const;
  void scatter_derivatives(const Part& part, const Scratch& scratch, Work& w) const;
  ElementState<Scalar> state_of(const Part& part, Scratch& scratch, const Segment& q, const Segment& v,
                                const Vec& u) const;
  void pull_back_controls(Work& w, const ConstColumns& mu, double weight, Columns p_bar) const;
  typename Matrix::ColsBlockXpr rates_of_controls(Work& w, const ConstColumns& p_dot) const;

  std::vector<Coordinate> coordinates_;
  Controls controls_;
  std::vector<int> free_index_;
  Eigen::Index n_q_ = 0, n_xi_;
  Vec p_, xi_start_;
  std::vector<Part> parts_;
  /// out = M^-1 b, where masses in points alone make M diagonal.
  template <class B, class Out>
  void solve_mass(const B& b, Out&& out) const {
    if (is_diagonal_) {
      out = M_.diagonal().cwiseInverse().asDiagonal() * b;
    } else {
      out = M_lu_.solve(b);
    }
  }

  Matrix M_;
  Eigen::PartialPivLU<Matrix> M_lu_;
  bool is_diagonal_ = false;
};

}  // namespace kurbel
