/// @file
/// Scalar functions of a discrete trajectory, with their partial derivatives.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "integration/step_residual.hpp"

namespace kurbel {

/// psi(y_0, ..., y_N; p).
template <class Scalar>
class Objective {
 public:
  virtual ~Objective() = default;

  virtual Scalar value(const Trajectory<Scalar>& trajectory) const = 0;

  /// Adds the partial derivatives by y_k and, through y_k, by p.
  /// @param y_bar (n_tangent)     @param p_bar (n_parameters)
  virtual void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory,
                            Eigen::Ref<VectorX<Scalar>> y_bar, Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;

  /// The first k on whose y_k the value depends.
  virtual Eigen::Index first_step() const { return 0; }

  /// The last k on whose y_k the value depends: the adjoint variables are zero after it.
  /// [P2, section 5.1.2]
  virtual Eigen::Index last_step() const { return std::numeric_limits<Eigen::Index>::max(); }
};

/// Objectives in the order in which they are requested, with the steps between which they have partials.
template <class Scalar>
class ObjectiveSpans {
 public:
  using Index = Eigen::Index;

  explicit ObjectiveSpans(const std::vector<const Objective<Scalar>*>& objectives) : objectives_(objectives) {
    for (Index j = 0; j < size(); ++j) {
      const Objective<Scalar>& objective = (*this)[j];
      first_.push_back(objective.first_step());
      last_.push_back(objective.last_step());
      if (first_.back() == last_.back()) {
        of_one_step_.emplace_back(first_.back(), j);
      } else {
        of_several_.push_back(j);
      }
    }
    std::ranges::sort(of_one_step_);
  }

  Index size() const { return static_cast<Index>(objectives_.size()); }
  const Objective<Scalar>& operator[](Index j) const { return *objectives_[static_cast<std::size_t>(j)]; }
  Index last_step(Index j) const { return last_[static_cast<std::size_t>(j)]; }
  /// act(j) for every objective that depends on y_k.
  template <class Act>
  void for_each_at(Index k, const Act& act) const {
    for (const Index j : of_several_) {
      if (contains(j, k)) act(j);
    }
    const auto of_step = std::ranges::equal_range(of_one_step_, k, {}, &std::pair<Index, Index>::first);
    for (const auto& [step, j] : of_step) act(j);
  }

 private:
  bool contains(Index j, Index k) const {
    return first_[static_cast<std::size_t>(j)] <= k && k <= last_[static_cast<std::size_t>(j)];
  }

  std::vector<const Objective<Scalar>*> objectives_;
  std::vector<Index> first_, last_;
  std::vector<Index> of_several_;                       ///< steps
  std::vector<std::pair<Index, Index>> of_one_step_{};  ///< step and objective, by steps
};

}  // namespace kurbel
