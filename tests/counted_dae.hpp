/// @file
/// A SecondOrderDae that counts how often its Jacobians are found.
#pragma once

#include "integration/second_order_dae.hpp"

namespace kurbel::test {

class CountedDae final : public SecondOrderDae<double> {
 public:
  /// @param model  must outlive it
  explicit CountedDae(const SecondOrderDae<double>& model) : model_(model) {}

  mutable long n_jacobians = 0;

  Eigen::Index n_x() const override { return model_.n_x(); }
  Eigen::Index n_v() const override { return model_.n_v(); }
  Eigen::Index n_c() const override { return model_.n_c(); }
  const Vec& parameters() const override { return model_.parameters(); }
  std::unique_ptr<Workspace> make_workspace() const override { return model_.make_workspace(); }
  std::vector<double> jumps(double from, double to) const override { return model_.jumps(from, to); }
  void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const override {
    model_.residual(at, ws, f, c);
  }
  void jacobians(const Instant& at, Workspace& ws, DaeJacobians<double>& out) const override {
    ++n_jacobians;
    model_.jacobians(at, ws, out);
  }
  void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                 DaeJacobians<double>& out) const override {
    ++n_jacobians;
    model_.linearize(at, ws, f, c, out);
  }
  bool has_cheap_jacobians() const override { return model_.has_cheap_jacobians(); }
  DaeJacobians<double> make_jacobians() const override { return model_.make_jacobians(); }
  void pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                Eigen::Ref<Vec> p_bar) const override {
    model_.pullback(at, mu_f, mu_c, ws, p_bar);
  }
  void push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                    Columns c_p) const override {
    model_.push_forward(at, p_dot, ws, f_p, c_p);
  }
  void constraint_derivatives(const Instant& at, Workspace& ws,
                              ConstraintDerivatives<double>& out) const override {
    model_.constraint_derivatives(at, ws, out);
  }
  void constraint_values(const Instant& at, Workspace& ws,
                         ConstraintDerivatives<double>& out) const override {
    model_.constraint_values(at, ws, out);
  }
  void pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1, const Segment& w2,
                            Workspace& ws, Eigen::Ref<Vec> p_bar) const override {
    model_.pullback_constraints(at, w0, w1, w2, ws, p_bar);
  }
  void push_forward_constraints(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                ConstraintDirections<double>& out) const override {
    model_.push_forward_constraints(at, p_dot, ws, out);
  }
  void retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const override {
    model_.retract(x, xi, x_new);
  }
  void increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const override {
    model_.increment(x, x_new, xi);
  }
  void retraction_derivative(const Segment& xi, std::vector<RetractionBlock<double>>& blocks) const override {
    model_.retraction_derivative(xi, blocks);
  }
  std::unique_ptr<Start<double>> make_start() const override { return model_.make_start(); }
  std::string coordinate_name(Eigen::Index i) const override { return model_.coordinate_name(i); }
  std::string coordinate_label(Eigen::Index i) const override { return model_.coordinate_label(i); }
  std::string constraint_name(Eigen::Index i) const override { return model_.constraint_name(i); }

 private:
  const SecondOrderDae<double>& model_;
};

}  // namespace kurbel::test
