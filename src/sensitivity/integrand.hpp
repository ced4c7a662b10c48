/// @file
/// Integrands of criteria: functions of the state at one instant, and of the parameters alone.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "integration/dae_instant.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

template <class Scalar>
class TimeHistoryIntegrand;

/// A function F(t, x, v, v_dot, lambda; p) of the state at one instant.    [P0, eq. 2]
template <class Scalar>
class Integrand {
 public:
  virtual ~Integrand() = default;
  virtual Scalar value(const DaeInstant<Scalar>& at) const = 0;
  /// Adds weight * dF.
  virtual void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                            Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;
  /// The largest part of one that aggregates parts; else the value.
  virtual double largest(const DaeInstant<Scalar>& at) const { return real_part(value(at)); }
  /// True if the integrand is taken where accelerations and reactions balance, in the middle of steps that have one
  /// (DaeStateLayout::middle), and so over time by the midpoint rule.
  virtual bool in_the_middle() const { return false; }
  /// This, if its instants are to be evaluated together.
  virtual const TimeHistoryIntegrand<Scalar>* as_time_history() const { return nullptr; }
};

/// F(z; s) of some coordinates z among x, whose instants are evaluated together; it aggregates parts, of
/// which there is a largest one. The motion does not depend on s, so that d psi / d s is explicit.
template <class Scalar>
class TimeHistoryIntegrand : public Integrand<Scalar> {
 public:
  const TimeHistoryIntegrand* as_time_history() const final { return this; }

  /// z at some steps of a trajectory, (n_z x steps); of their middles if it is in_the_middle().
  virtual MatrixX<Scalar> coordinates(const Trajectory<Scalar>& trajectory,
                                      const std::vector<Eigen::Index>& steps) const = 0;
  /// Index of the first entry of z among the tangent coordinates x of an instant.
  virtual Eigen::Index tangent_offset() const = 0;
  /// F of every column of z and, if they are requested, dF/dz of each and its largest part.
  virtual VectorX<Scalar> time_history(const MatrixX<Scalar>& z, MatrixX<Scalar>* F_z,
                                       VectorXd* largest) const = 0;
  /// sum_k weights_k dF(z_k)/ds, in the shape of s.
  virtual MatrixX<Scalar> pull_back(const MatrixX<Scalar>& z, const VectorX<Scalar>& weights) const = 0;
};

/// F = sum_j weight_j F_j; where steps have middles, all F_j are taken there or none.
template <class Scalar>
class IntegrandSum final : public Integrand<Scalar> {
 public:
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand) {
    terms_.emplace_back(weight, std::move(integrand));
  }
  Scalar value(const DaeInstant<Scalar>& at) const override {
    Scalar F(0);
    for (const auto& [weight, integrand] : terms_) F += weight * integrand->value(at);
    return F;
  }
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    for (const auto& [own, integrand] : terms_) integrand->add_partials(at, own * weight, bar, p_bar);
  }
  bool in_the_middle() const override { return !terms_.empty() && terms_.front().second->in_the_middle(); }

 private:
  std::vector<std::pair<double, std::shared_ptr<const Integrand<Scalar>>>> terms_;
};

/// A function of the parameters alone, of which nothing is made over time.
template <class Scalar>
class ParameterFunction {
 public:
  virtual ~ParameterFunction() = default;
  virtual Scalar value() const = 0;
  /// Adds weight * dF/dp.
  virtual void add_partials(double weight, Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;
};

/// The time from a start that is given to an end that is a parameter, s.
template <class Scalar>
class Duration final : public ParameterFunction<Scalar> {
 public:
  /// @param p  parameters of the mechanism, whose values it reads at every call
  Duration(double t0, Eigen::Index end, const VectorX<Scalar>& p) : t0_(t0), end_(end), p_(p) {}
  Scalar value() const override { return p_[end_] - t0_; }
  void add_partials(double weight, Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    p_bar[end_] += weight;
  }

 private:
  double t0_;
  Eigen::Index end_;
  const VectorX<Scalar>& p_;
};

/// The duration of a motion whose end is a parameter.
template <class System>
auto duration_of(const System& system) {
  using Scalar = typename std::decay_t<decltype(system.parameters())>::Scalar;
  return std::shared_ptr<const ParameterFunction<Scalar>>(
      std::make_shared<Duration<Scalar>>(system.spec().time.t0, system.end_parameter(), system.parameters()));
}

}  // namespace kurbel
