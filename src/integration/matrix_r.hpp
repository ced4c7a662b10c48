/// @file
/// Matrix R: the implicit trapezoidal rule on independent coordinates of a SecondOrderDae.  [P4, eqs 5-29, 48-52]
///
/// Some of the velocities are independent, v_I; with all constraints at all levels the others follow. A step from
/// 0 to 1, with x_1 = x_0 o exp(xi):
///
///     c(t_1, x_1) = 0                        xi_I = h/2 (v_0 + v_1)_I
///     c_dot(t_1, x_1, v_1) = 0               v_1,I = v_0,I + h/2 (w_0 + w_1)_I
///     c_ddot(t_1, x_1, v_1, w_1) = 0         f(t_1, x_1, v_1, w_1, lambda_1) = 0
///
/// With C_D the columns of dependent velocities, R = [-C_D^-1 C_I; 1] spans what the constraints allow and S =
/// [C_D^-1; 0] is their right inverse, so that one small system is left of Newton's equations, of the
/// linearized motion and of its adjoint alike:
///
///     A = R^T (f_x X + f_v V + M W),   (X, V, W): what w_1,I moves of x_1, v_1, w_1
///
/// and R^T f does not contain the reactions. Without constraints R = 1, X = h^2/4 T, V = h/2, W = 1, and A has
/// the structure that the model gives it (linearized_dae.hpp).
///
/// A rank-revealing QR factorization of C, in the metric of the mass, chooses the dependent velocities; the others are
/// independent. It prefers displacements of bodies as dependent ones and elastic coordinates as independent ones, so
/// that angles are integrated, as in joint coordinates. Among displacements, and among rotations, it prefers axes that
/// turn fast as dependent ones: in the axes of a spinning wheel a displacement oscillates with it.
///
/// The choice is made anew when a unit of an independent velocity comes to move others by much, before C_D is
/// ill-conditioned. It does not follow changes in turning: every other choice changes the error of the steps, and a
/// criterion would jump from design to design. Since x, v and w meet all constraints, the motion does not jump, and the
/// gradient of the steps taken is exact. Redundant rows of C are removed; their multipliers are zero.
///
/// The factors of a step serve the steps after it as long as the iteration contracts fast enough with them. Such an iteration
/// ends where the remaining errors of accelerations and multipliers are as small as after an iteration of Newton's. Such
/// steps begin with accelerations and multipliers that are extrapolated from the last two steps.
///
/// The method is of second order and does not damp. Its state is y = (x, v, w, lambda). Integrals over time are by the
/// trapezoidal rule.
#pragma once

#include <Eigen/LU>
#include <limits>
#include <optional>
#include <vector>

#include "integration/accelerated_steps.hpp"
#include "integration/linearized_dae.hpp"

namespace kurbel {

template <class Scalar>
class MatrixR final : public AcceleratedSteps<Scalar> {
 public:
  using Base = AcceleratedSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using Indices = std::vector<Eigen::Index>;

  /// @param independent  indices of the independent velocities, instead of a choice; empty: chosen
  MatrixR(Shared<const SecondOrderDae<Scalar>> model, const IntegratorOptions& options,
          Indices independent = {});

  Status initial_state(Eigen::Ref<Vec> y0) override;
  /// Chooses the independent velocities at a y_0 that did not come from initial_state().
  void begin(const Segment& y0);

  /// Names the independent velocities that are not given, and the time from which on they are.
  std::vector<std::string> choices() const override;
  /// Names given velocities that turn back on the way, or move others by far more at one time than at another.
  std::vector<std::string> warnings() const override;

  /// Independent velocities of the step to t_k.
  const Indices& independent(Eigen::Index k) const {
    return choices_[choice_of_step_[static_cast<std::size_t>(k)]].free;
  }

 private:
  using Base::h_;
  using Base::layout_;
  using Base::model_;
  using Base::n_steps_;
  using Base::newton_iterations_;
  using Base::options_;
  using Base::ws_;

  Status advance(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pull_back_advance(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                         Columns p_bar) override;
  void push_forward_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                            const ConstColumns& p_dot, Columns y_dot) override;

  /// Rows of C that are kept, and its columns of dependent and of free (independent) velocities; ascending.
  struct Choice {
    Indices rows, dependent, free;
    double limit = std::numeric_limits<double>::infinity();  ///< largest leverage() before a new choice
  };
  /// Directions of the state at the end of a step, a column each; and scratch memory.
  struct Directions {
    void set_zero(Eigen::Index n, Eigen::Index m) {
      for (Matrix* part : {&xi, &x, &v, &w}) part->setZero(n, m);
    }
    Matrix xi, x, v, w;
    Matrix turned, residual, kept, free, dependent;
  };
  /// Adjoint variables of the residuals of a step, and adjoint seeds of its state.
  struct Bars {
    Matrix phi, alpha, gamma, epsilon;  ///< of f, c, c_dot and c_ddot
    Matrix xi_free, v_free, w_free;     ///< of xi_I, v_I and w_I
    Matrix x, v, w, turned, kept, dependent, reduced, scratch;
  };
  /// Data that a step of the backward sweep passes to the next one.
  struct Sweep {
    Eigen::Index step = 0;      ///< 0: none
    bool serves = false;        ///< A of reduced_lu_ is close to that of the next step
    Matrix phi, phi_of_former;  ///< at free velocities, and that of the step before
  };
  using Lu = Eigen::PartialPivLU<Matrix>;

  enum class Outcome { converged, astray, ill_conditioned, singular };

  Choice choose(const Segment& v);
  /// Returns whether C_D of a choice is square. With given coordinates fewer columns may be left than there are rows.
  static bool determines(const Choice& chosen) { return chosen.dependent.size() == chosen.rows.size(); }
  void adopt(Choice choice);
  bool factorize(const Segment& xi);
  bool factorize_constraints(const Segment& xi);
  void relate();
  void find_mass_roots();
  double leverage();
  double leverage(std::size_t free) const;
  void watch_given(Eigen::Index k);
  void find_poses();
  double turning(Eigen::Index i, const Segment& v) const;
  VectorXd preference(const Segment& v) const;
  void evaluate(const DaeInstant<Scalar>& at);
  void complete(const ConstColumns& c0, const ConstColumns& c1, const ConstColumns& c2, Directions& d) const;
  bool reduce();
  double kinetic_norm(const Segment& w);
  void balance(Directions& d);
  void project(const Matrix& of_all, Matrix& reduced) const;
  const Choice& choice() const { return choices_[current_]; }
  void linearize(Eigen::Index k, const Segment& y_prev, const Segment& y);
  void eliminate(const Columns& y_bar);
  void add_to_phi(const Matrix& d_phi);
  void correct_phi();
  double contract_phi(const Columns& y_bar);
  void solve_adjoint(Eigen::Index k, const Columns& y_bar);
  void pull_back_without_constraints(const DaeInstant<Scalar>& at, const Segment& y_prev, Columns y_bar,
                                     Columns p_bar);
  void pull_back_length(const Segment& y_prev, const Segment& w, const Matrix& xi_bar, const Matrix& v_bar,
                        Columns p_bar);
  // Derivatives of xi_I and of v_1,I by w_1,I.
  double by_x() const { return 0.25 * h_ * h_; }
  double by_v() const { return 0.5 * h_; }
  void guess(const Segment& y_prev, Eigen::Ref<Vec> y, bool extrapolates);
  Outcome iterate(double t, const Segment& y_prev, Eigen::Ref<Vec> y, bool may_leave, bool is_linearized);
  bool is_linearized(Eigen::Index k);
  Outcome iterate_anew(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y);

  /// Leverage of a given coordinate over the steps: the least and the largest, but at least 1, and their times.
  struct Watched {
    double growth() const { return largest / least; }
    double least = std::numeric_limits<double>::infinity(), largest = 1.0;
    double time_of_least = 0.0, time_of_largest = 0.0;
  };
  /// Step within which det C_D changed its sign, and the given coordinate whose leverage has grown most.
  struct TurnedBack {
    std::size_t given = 0;
    double from = 0.0, to = 0.0;
  };

  Indices given_;
  std::vector<Watched> watched_;  ///< of given_
  std::optional<TurnedBack> turned_back_;
  double orientation_ = 0.0;        ///< sign of det C_D in the step before; zero before the first
  std::size_t watched_choice_ = 0;  ///< of that step
  Indices pose_of_;                 ///< by velocity: where those of its frame begin, six; -1: it has none
  std::vector<Choice> choices_;
  std::vector<std::size_t> choice_of_step_;
  std::size_t current_ = 0;
  Eigen::Index linearized_ = 0;  ///< step whose factors serve the next one; 0: none
  int iterations_ = 0;           ///< of the step taken last

  std::unique_ptr<LinearizedDae<Scalar>> unconstrained_;  ///< if there are no constraints; else what follows
  DaeJacobians<Scalar> jacobians_;
  ConstraintDerivatives<Scalar> constraints_;
  std::vector<RetractionBlock<Scalar>> blocks_;
  Lu position_lu_, velocity_lu_, reduced_lu_;  ///< of (C T)_D, C_D and A
  Matrix CT_, C_free_, CT_free_;               ///< C T; columns I of C and of C T
  Matrix R_;                                   ///< dependent rows of R
  Matrix G_, A_;                               ///< f_x X + f_v V + M W, and R^T of it
  Directions moved_;                           ///< those that w_1,I moves
  Directions correction_;                      ///< of an iteration
  Bars bars_;
  Sweep sweep_;
  Matrix none_, square_, unbalanced_, reduced_, w_free_;
  VectorXd mass_roots_;
  VectorXd largest_in_row_;  ///< find_mass_roots(): of a row of C, entries divided by roots of masses
  Vec f_, c_, xi_, no_multipliers_, phi_, M_w_;
};

}  // namespace kurbel
