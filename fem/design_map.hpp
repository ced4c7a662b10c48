/// @file
/// The map from the optimizer's variables to the density of every element, and its pull-back for gradients.
///
///     active design -> full design -> mirrored means -> density filter -> manufacturing -> projection -> passive overwrite -> rho
#pragma once

#include <memory>
#include <vector>

#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// A differentiable map between vectors: one link of the chain.
class DesignMap {
 public:
  virtual ~DesignMap() = default;
  virtual VectorXd value(const VectorXd& in) const = 0;
  /// (d out / d in)^T out_bar at `in`.
  virtual VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const = 0;
};

/// Smoothed Heaviside step between `low` and 1: with s = (x - low) / (1 - low),
///
///     out = low + (1 - low) (tanh(beta eta) + tanh(beta (s - eta)))
///                         / (tanh(beta eta) + tanh(beta (1 - eta))).
///
/// low and 1 are kept; beta = 0 is the identity.
class HeavisideProjection : public DesignMap {
 public:
  /// @param beta  steepness, >= 0
  /// @param eta   threshold in (0, 1)
  /// @param low   lowest density, in [0, 1)
  /// @throws InputError outside of these ranges
  HeavisideProjection(double beta, double eta, double low);
  VectorXd value(const VectorXd& in) const override;
  VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  double beta_, eta_, low_;
};

/// Sigmund's mesh-independency heuristic: (1 / max(x_e, 1e-3)) sum_f H_ef x_f g_f. It smooths a gradient and
/// leaves the densities as they are. The result is the gradient of no function: an optimizer that trusts its
/// line search or its convergence test may be misled.
class SensitivityFilter {
 public:
  SensitivityFilter(const Mesh& mesh, double radius);
  VectorXd smooth(const VectorXd& x, const VectorXd& gradient) const;

 private:
  std::unique_ptr<DesignMap> weights_;  ///< the density filter
};

/// Elements with a density of their own, which the optimizer neither varies nor sees. Regions of different kinds have no
/// common elements (find_problem() refuses them).
class PassiveElements {
 public:
  /// @param start  n_elements: what frozen elements keep
  PassiveElements(const Mesh& mesh, const std::vector<Region>& regions, double p_min, const VectorXd& start);

  Eigen::Index n_elements() const { return fixed_.size(); }
  Eigen::Index n_active() const { return static_cast<Eigen::Index>(active_.size()); }
  /// Element numbers, ascending.
  const std::vector<Eigen::Index>& active() const { return active_; }

  /// n_elements -> n_active.
  VectorXd gather(const VectorXd& full) const { return full(active_); }
  /// n_active -> n_elements, with the fixed densities in between.
  VectorXd scatter(const VectorXd& active) const;
  /// Sets the fixed densities.
  void overwrite(VectorXd& rho) const;

 private:
  VectorXd fixed_;  // NaN where active
  std::vector<Eigen::Index> active_;
};

/// The filter and its radius in m (unused without a filter).
struct FilterSpec {
  enum class Kind { none, density, sensitivity };
  enum class Kernel {
    cone,
    helmholtz
  };  ///< by distance, or by a differential equation (helmholtz_filter.hpp)
  Kind kind;
  double radius;
  Kernel kernel = Kernel::cone;  ///< of a density filter
};

/// The whole chain of one body. The optimizer's vector holds the active elements only.
class DensityDesign : public DesignMap {
 public:
  /// @param beta, eta  of the projection; beta = 0 for none
  /// @param start      n_elements, the start of the full design; regions override it
  /// @throws InputError if its length is wrong, nothing is active, or an option is out of range
  DensityDesign(const Mesh& mesh, const std::vector<Region>& regions, double p_min, const FilterSpec& filter,
                double beta, double eta, const VectorXd& start);

  Eigen::Index n_active() const { return passive_.n_active(); }
  const PassiveElements& elements() const { return passive_; }

  /// Full design (n_elements) -> what the optimizer starts from (n_active).
  VectorXd active_part(const VectorXd& full) const { return passive_.gather(full); }
  /// Full design, e.g. for output: n_active -> n_elements.
  VectorXd full_design(const VectorXd& active) const { return passive_.scatter(active); }

  /// n_active -> rho, n_elements.
  VectorXd value(const VectorXd& active) const override { return value(active, 0.0); }
  /// The exact transpose; the sensitivity filter has no part in it.
  VectorXd pullback(const VectorXd& active, const VectorXd& rho_bar) const override {
    return pullback(active, rho_bar, 0.0);
  }
  /// The same design made too thin or too thick: with eta + shift as the threshold of the projection.
  VectorXd value(const VectorXd& active, double shift) const;
  VectorXd pullback(const VectorXd& active, const VectorXd& rho_bar, double shift) const;
  /// The gradient that the optimizer gets of the objective: the pull-back, smoothed if the filter is the sensitivity
  /// filter.
  VectorXd search_gradient(const VectorXd& active, const VectorXd& rho_bar, double shift = 0.0) const;

  /// Puts mirrored means before the filter.
  /// @throws InputError  as SymmetricDensities
  void make_symmetric(const Mesh& mesh, const std::vector<SymmetryPlane>& planes);
  /// Puts the maps of manufacturing.hpp behind the filter.
  void make_manufacturable(const Mesh& mesh, const ManufacturingSpec& spec);

  /// Continuation: replaces the steepness of the projection.
  void set_beta(double beta);

 private:
  VectorXd symmetric(const VectorXd& active) const;
  VectorXd filtered(const VectorXd& full) const;
  VectorXd manufacturable(const VectorXd& filtered) const;
  VectorXd to_filtered(const VectorXd& active, const VectorXd& rho_bar, double shift) const;
  HeavisideProjection projection(double shift) const { return {beta_, eta_ + shift, p_min_}; }

  PassiveElements passive_;
  double p_min_, beta_, eta_;
  std::unique_ptr<DesignMap> symmetry_;
  std::unique_ptr<DesignMap> density_filter_;
  std::unique_ptr<SensitivityFilter> sensitivity_filter_;
  std::unique_ptr<DesignMap> manufacturing_;
};

}  // namespace kurbel::fem
