/// @file
/// Functions of the position as further coordinates.  [P4, eqs 5-23]
///
/// To a SecondOrderDae with x, v and lambda come coordinates s with s = h(t, x; p), such as the places of
/// markers. They have neither mass nor forces, so that nothing moves otherwise and the multipliers of these
/// constraints are zero; but Matrix R may integrate them in place of other coordinates, z^i = h(z, rho).
#pragma once

#include "base/shared.hpp"
#include "integration/second_order_dae.hpp"

namespace kurbel {

template <class Scalar>
class AddedCoordinates final : public SecondOrderDae<Scalar> {
 public:
  using Base = SecondOrderDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Instant;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @param functions  of the same coordinates and parameters; its constraints are h
  /// @param labels     of the coordinates, one for each of these
  AddedCoordinates(Shared<const Base> model, std::shared_ptr<const Base> functions,
                   std::vector<std::string> labels);

  const Base& functions() const { return *functions_; }
  Eigen::Index n_added() const { return m_; }

  Eigen::Index n_x() const override { return model_.n_x() + m_; }
  Eigen::Index n_v() const override { return model_.n_v() + m_; }
  Eigen::Index n_c() const override { return model_.n_c() + m_; }
  const Vec& parameters() const override { return model_.parameters(); }
  Eigen::Index end_parameter() const override { return model_.end_parameter(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  std::vector<double> jumps(double from, double to) const override { return model_.jumps(from, to); }
  std::vector<double> kinks(double from, double to) const override { return model_.kinks(from, to); }

  void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const override;
  void jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const override;
  void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                 DaeJacobians<Scalar>& out) const override;
  DaeJacobians<Scalar> make_jacobians() const override;
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
  void retraction_derivative(const Segment& xi, std::vector<RetractionBlock<Scalar>>& blocks) const override {
    model_.retraction_derivative(xi.head(model_.n_v()), blocks);
  }
  /// None of its own: s follows from the start of the model.
  std::unique_ptr<Start<Scalar>> make_start() const override { return nullptr; }

  std::string coordinate_name(Eigen::Index i) const override;
  std::string coordinate_label(Eigen::Index i) const override;
  std::string constraint_name(Eigen::Index i) const override;

 private:
  struct Memory;
  static Memory& memory(Workspace& ws);
  Instant of_model(const Instant& at) const;
  /// The instant that h is a function of.
  Instant of_functions(const Instant& at, const Memory& memory) const;
  /// c, c_dot and c_ddot of the model, with h - s and its rates.
  void append_values(const Instant& at, const Memory& own, ConstraintDerivatives<Scalar>& out) const;
  void append_rows(const Matrix& of_c, const Matrix& of_h, Matrix& out) const;
  void store(const Instant& at, Memory& memory, DaeJacobians<Scalar>& out) const;

  Shared<const Base> shared_;
  const Base& model_;  ///< *shared_
  std::shared_ptr<const Base> functions_;
  std::vector<std::string> labels_;
  Eigen::Index m_;
};

}  // namespace kurbel
