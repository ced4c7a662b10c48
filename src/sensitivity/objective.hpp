/// @file
/// Scalar functions of a discrete trajectory, with their partial derivatives.
#pragma once

#include <limits>
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

/// Objectives in the order in which they are asked for, with the steps between which they have partials.
template <class Scalar>
class ObjectiveSpans {
 public:
  using Index = Eigen::Index;

  explicit ObjectiveSpans(const std::vector<const Objective<Scalar>*>& objectives) : objectives_(objectives) {
    for (const Objective<Scalar>* objective : objectives_) {
      first_.push_back(objective->first_step());
      last_.push_back(objective->last_step());
    }
  }

  Index size() const { return static_cast<Index>(objectives_.size()); }
  const Objective<Scalar>& operator[](Index j) const { return *objectives_[static_cast<std::size_t>(j)]; }
  Index last_step(Index j) const { return last_[static_cast<std::size_t>(j)]; }
  /// Whether objective j depends on y_k.
  bool contains(Index j, Index k) const {
    return first_[static_cast<std::size_t>(j)] <= k && k <= last_[static_cast<std::size_t>(j)];
  }

 private:
  std::vector<const Objective<Scalar>*> objectives_;
  std::vector<Index> first_, last_;
};

}  // namespace kurbel
