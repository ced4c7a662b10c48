/// @file
/// Signal energy of controls, u.u / 2 over time.    [P2, eqs 55, 61]
#pragma once

#include "integration/controls.hpp"
#include "sensitivity/integrand.hpp"

namespace kurbel {

/// A control among the parameters: its nodes are p[offset ...].
struct ControlNodes {
  ControlGrid grid;
  Eigen::Index offset;
};

/// F = sum u^2 / 2 at one instant; at a jump of u, that before it.
template <class Scalar>
class ControlEnergyIntegrand final : public Integrand<Scalar> {
 public:
  /// @param p  parameters of the mechanism, whose values it reads at every call
  ControlEnergyIntegrand(std::vector<ControlNodes> controls, const VectorX<Scalar>& p);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  Scalar control(std::size_t i, const OneSidedTime& t) const;

  std::vector<ControlNodes> controls_;
  const VectorX<Scalar>& p_;
  mutable std::vector<Eigen::RowVectorXd> weights_;  ///< scratch: an integrand is for one thread
};

/// 1/2 int u^T u dt = sum u_bar^T A u_bar / 2, exact.
template <class Scalar>
class ControlEnergy final : public ParameterFunction<Scalar> {
 public:
  /// @param p  parameters of the mechanism, whose values it reads at every call
  ControlEnergy(const std::vector<ControlNodes>& controls, const VectorX<Scalar>& p);
  /// Tells that the time over which it is integrated varies with a parameter, its end.
  /// @param span  that time, s
  void grow_with(Eigen::Index end, double span) { end_ = end, span_ = span; }
  Scalar value() const override;
  void add_partials(double weight, Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  struct Part {
    Eigen::Index offset;
    MatrixXd A;
  };
  std::vector<Part> parts_;
  const VectorX<Scalar>& p_;
  Eigen::Index end_ = -1;
  double span_ = 0.0;
};

}  // namespace kurbel
