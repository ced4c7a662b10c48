/// @file
/// Systems in absolute coordinates with a mass matrix that is constant in q:
///
///     M(xi) q_ddot = Q(q, v, u, xi),    x = (q, v)                                        [P2, eqs 28-30]
///
/// assembled from elements. Some coordinates may be held at their initial values; the state has the others.
#pragma once

#include <Eigen/LU>
#include <string>
#include <vector>

#include "absolute_coordinates/element.hpp"
#include "integration/first_order_ode.hpp"

namespace kurbel {

/// A parameter of an element: a constant, or a multiple of one entry of xi.
struct ParameterSlot {
  double constant = 0.0;
  int variable = -1;    ///< entry of xi; -1: none
  double factor = 1.0;  ///< of that entry
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

  /// @param xi  parameters, to begin with; q0 of the coordinates belongs to these values
  AbsoluteSystem(std::vector<Coordinate> coordinates, Eigen::Index n_u, const Vec& xi);

  void add(std::shared_ptr<const Element<Scalar>> element, Binding binding);
  /// To be called after the last add(): assembles and factorizes M.
  /// @throws InputError naming a coordinate that has no mass
  void complete();

  Eigen::Index n_q() const { return n_q_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }

  Eigen::Index n_x() const override { return 2 * n_q_; }
  Eigen::Index n_u() const override { return n_u_; }
  const Vec& parameters() const override { return xi_; }
  void set_parameters(const Segment& xi) override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void initial_state(Eigen::Ref<Vec> x0) const override;
  void pullback_initial(const ConstColumns& x_bar, Columns xi_bar) const override;
  void push_forward_initial(const ConstColumns& xi_dot, Columns x_dot) const override;
  void right_hand_side(const Segment& x, const Segment& u, Workspace& ws, Eigen::Ref<Vec> f) const override;
  void linearize(const Segment& x, const Segment& u, Workspace& ws) const override;
  void pullback(Workspace& ws, const ConstColumns& f_bar, Columns x_bar, Columns u_bar,
                Columns xi_bar) const override;
  void push_forward(Workspace& ws, const ConstColumns& x_dot, const ConstColumns& u_dot,
                    const ConstColumns& xi_dot, Columns f_dot) const override;
  bool factorize(double gamma, Workspace& ws) const override;
  void solve(Workspace& ws, Columns b) const override;
  void solve_transposed(Workspace& ws, Columns b) const override;
  std::string state_name(Eigen::Index i) const override;

  /// M (n_q x n_q) of the free coordinates.
  const Matrix& mass_matrix() const { return M_; }
  /// v^T M v / 2 and the elements' potentials, J.
  Scalar kinetic_energy(const Segment& x) const;
  Scalar potential_energy(const Segment& x) const;

  /// The parts of the state that a binding names; held coordinates at their initial values, at rest.
  void gather(const Binding& binding, const Segment& x, Eigen::Ref<Vec> q, Eigen::Ref<Vec> v) const;
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
  void assemble_force(const Segment& x, const Segment& u, Work& w) const;
  void scatter_derivatives(const Part& part, const Scratch& scratch, Work& w) const;
  ElementState<Scalar> state_of(const Part& part, Scratch& scratch, const Segment& x, const Segment& u) const;

  std::vector<Coordinate> coordinates_;
  std::vector<int> free_index_;
  Eigen::Index n_q_ = 0, n_u_;
  Vec xi_, xi_start_;
  std::vector<Part> parts_;
  Matrix M_;
  Eigen::PartialPivLU<Matrix> M_lu_;
};

}  // namespace kurbel
