/// @file
/// What the optimizer varies: the active design variables of all design bodies as one vector, and the maps to
/// the densities of every body and back.
#pragma once

#include <filesystem>

#include "app/evaluation_chain.hpp"
#include "fem/design_map.hpp"

namespace kurbel {

class DesignSpace {
 public:
  /// The space of the problem: filter, projection, passive regions. A density file, unless empty, replaces
  /// the start of the only design body.
  /// @throws InputError if the file does not fit, there are several design bodies, or nothing is active
  static DesignSpace of_problem(const EvaluationChain& chain, const std::filesystem::path& density_file);

  /// The densities themselves are the variables: no filter, no projection, nothing passive in the design
  /// bodies.
  static DesignSpace of_densities(const EvaluationChain& chain, const std::filesystem::path& density_file);

  Eigen::Index n_variables() const { return start_.size(); }
  const VectorXd& lower() const { return lower_; }
  const VectorXd& upper() const { return upper_; }
  const VectorXd& start() const { return start_; }

  /// Densities of all bodies with a mesh.
  BodyFields densities(const VectorXd& x) const;
  /// The design variables of the design bodies as fields, one value per element.
  BodyFields design(const VectorXd& x) const;
  /// A vector over the variables as fields of the design bodies, zero on passive elements.
  BodyFields scatter(const VectorXd& v) const;

  /// (d densities / d x)^T density_bar.
  VectorXd pullback(const VectorXd& x, const BodyFields& density_bar) const;
  /// The gradient as the optimizer gets it; other than pullback() only with the sensitivity filter.
  VectorXd search_gradient(const VectorXd& x, const BodyFields& density_bar) const;

  /// Replaces the steepness of the projection.
  void set_beta(double beta);

  /// sum(V_e rho_e) / sum(V_e) over the design bodies, and its derivative.
  double volume_fraction(const BodyFields& densities) const;
  BodyFields volume_fraction_bar() const;

  /// Mass of the design bodies, kg, of the material as SIMP counts it in the limit rho = p rho0.
  double mass(const BodyFields& densities) const;
  BodyFields mass_bar() const;

  /// Position of the design body that variable i belongs to, and its element.
  std::pair<std::size_t, Eigen::Index> element_of(Eigen::Index variable) const;
  const std::vector<std::size_t>& bodies() const { return bodies_; }

 private:
  enum class Kind { problem, densities };
  DesignSpace(const EvaluationChain& chain, const std::filesystem::path& density_file, Kind kind);
  template <class Action>
  void for_each_body(const Action& act) const;

  const EvaluationChain* chain_;
  std::vector<std::size_t> bodies_;                           ///< design bodies
  std::vector<std::unique_ptr<fem::DensityDesign>> designs_;  ///< in the order of bodies_
  BodyFields fixed_;                                          ///< densities of the other flexible bodies
  VectorXd lower_, upper_, start_;
};

}  // namespace kurbel
