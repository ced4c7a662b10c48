/// @file
/// Vectors that criteria are made of, and what makes a number of them.
#pragma once

#include "mechanism/criterion_spec.hpp"
#include "sensitivity/integrand.hpp"

namespace kurbel {

/// Up to three numbers, without allocation.
template <class Scalar>
using Rows = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, 0, 3, 1>;

/// z(t, x, v, v_dot, lambda; p) in R^n, n <= 3.
template <class Scalar>
class Observable {
 public:
  using Instant = DaeInstant<Scalar>;
  using Bar = DaeInstantBar<Scalar>;
  virtual ~Observable() = default;
  virtual Rows<Scalar> value(const Instant& at) const = 0;
  /// Adds (dz)^T z_bar.
  virtual void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                            Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;
  /// Integrand::in_the_middle()
  virtual bool in_the_middle() const { return false; }
};

/// A row of z and where it should be, s(t); nullptr is zero.
struct TargetedRow {
  Eigen::Index row;
  TimeFunctionPtr target;
};

/// Makes a number of some rows of an observable, less their targets:
///     signed_value   F = z_i - s_i(t) of the only row               dF = dz_i
///     magnitude      F = sqrt(sum_i (z_i - s_i(t))^2)               dF = sum_i (z_i - s_i) dz_i / F
///     half_square    F = sum_i (z_i - s_i(t))^2 / 2                 dF = sum_i (z_i - s_i) dz_i
/// The magnitude has a kink at F = 0. There dF counts as zero, which is the least of its subgradients.
template <class Scalar>
class DeviationIntegrand final : public Integrand<Scalar> {
 public:
  /// @param rows  exactly one of a signed value
  DeviationIntegrand(std::shared_ptr<const Observable<Scalar>> observable, CriterionForm form,
                     std::vector<TargetedRow> rows)
      : observable_(std::move(observable)), form_(form), rows_(std::move(rows)) {}
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;
  bool in_the_middle() const override { return observable_->in_the_middle(); }

 private:
  Scalar deviation(const TargetedRow& row, const Rows<Scalar>& z, double t) const;
  /// sum_i (z_i - s_i(t))^2
  Scalar square(const Rows<Scalar>& z, double t) const;

  std::shared_ptr<const Observable<Scalar>> observable_;
  CriterionForm form_;
  std::vector<TargetedRow> rows_;
};

/// The integrand that a term makes of an observable, without its functional over time.
/// @param axis_of_row  0, 1 or 2 for each row of a vector; empty for a number
template <class Scalar>
std::shared_ptr<const Integrand<Scalar>> make_deviation(std::shared_ptr<const Observable<Scalar>> observable,
                                                        const CriterionTerm& term,
                                                        const std::vector<int>& axis_of_row);

}  // namespace kurbel
