/// @file
/// One number of many, which is not below the largest of them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sensitivity/observable.hpp"

namespace kurbel {

/// (sum_i |z_i|^P)^(1/P) of some numbers z_i, which is not below the largest |z_i|.
template <class Scalar>
class NormOfObservables final : public Integrand<Scalar> {
 public:
  using Numbers = std::vector<std::shared_ptr<const Observable<Scalar>>>;

  /// @param numbers  of one row each, at least one; all in the middle of steps or none
  NormOfObservables(Numbers numbers, double exponent) : numbers_(std::move(numbers)), exponent_(exponent) {}
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;
  double largest(const DaeInstant<Scalar>& at) const override;
  bool in_the_middle() const override { return numbers_.front()->in_the_middle(); }

 private:
  /// @return the largest |z_i|
  double look(const DaeInstant<Scalar>& at) const;
  Scalar norm(double largest) const;

  Numbers numbers_;
  double exponent_;
  mutable VectorX<Scalar> z_;  ///< of each, where it was last evaluated
};

}  // namespace kurbel
