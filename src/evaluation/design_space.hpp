/// @file
/// The variables of the optimizer as one vector: the active densities of all design bodies, and behind them
/// [variables], each scaled to [0, 1] between its bounds if it has both; with the map to a Design and back.
#pragma once

#include <filesystem>

#include "evaluation/design_variables.hpp"
#include "evaluation/given_densities.hpp"
#include "fem/design_map.hpp"
#include "fem/largest_members.hpp"

namespace kurbel {

/// The options of a filter as finite elements take them.
fem::FilterSpec filter_spec(const FilterOptions& options);

class DesignSpace {
 public:
  /// The space of the problem: filter, projection, passive regions. A file of densities gives the start by its
  /// variables, `design`, or without them by its densities.
  /// @param density_file  in place of design.start; or empty
  /// @throws InputError if the file does not fit, or nothing is active
  static DesignSpace of_problem(const FlexibleBodies& models, const std::filesystem::path& density_file);

  /// The densities themselves are the variables, without filter, projection and passive regions in the design
  /// bodies. A file gives the densities, `density`.
  /// @param density_file, throws  as for of_problem()
  static DesignSpace of_densities(const FlexibleBodies& models, const std::filesystem::path& density_file);

  /// The space for commands that do not optimize: of_densities() if a file gives them, here or by design.start; else
  /// of_problem(). The evaluated densities are then those of the file.
  static DesignSpace to_evaluate(const FlexibleBodies& models, const std::filesystem::path& density_file);

  Eigen::Index n_variables() const { return start_.size(); }
  Eigen::Index n_densities() const { return start_.size() - variables_.size(); }
  const VectorXd& lower() const { return lower_; }
  const VectorXd& upper() const { return upper_; }
  const VectorXd& start() const { return start_; }

  /// @param shift  of the threshold of the projection: the design made too thin (above 0) or too thick
  Design at(const VectorXd& x, double shift = 0.0) const;
  /// Densities of all bodies with a mesh.
  BodyFields densities(const VectorXd& x, double shift = 0.0) const;
  /// The density variables of the design bodies as fields, one value per element.
  BodyFields design(const VectorXd& x) const;
  /// x with the density variables of fields as design() gives them.
  VectorXd with_design(const VectorXd& x, const BodyFields& fields) const;
  /// The part over the densities of a vector over the variables as fields of bodies(), zero elsewhere.
  BodyFields scatter(const VectorXd& v) const;

  /// (d design / d x)^T bar.
  VectorXd pullback(const VectorXd& x, const Design& bar, double shift = 0.0) const;
  /// The gradient for the optimizer; it differs from pullback() only with the sensitivity filter.
  VectorXd search_gradient(const VectorXd& x, const Design& bar, double shift = 0.0) const;

  /// A sentence per body, for the log: how the densities of a file were read.
  const std::vector<std::string>& origins() const { return origins_; }

  const DesignVariables& variables() const { return variables_; }
  /// [variables] at x, in their units.
  VariableTable variable_table(const VectorXd& x) const;

  /// Replaces the steepness of the projection.
  void set_beta(double beta);

  /// sum(V_e p_e) over the bodies with a mesh that are designed, relative to their volume as the input has
  /// it; and its derivative.
  double volume_fraction(const Design& design) const;
  Design volume_fraction_bar(const Design& design) const;
  /// 4 sum(V rho (1 - rho)) / sum(V): 0 where all elements are solid or void, 1 where all are half of it.
  /// [Sigmund 2007]
  double grey_level(const Design& design) const;
  Design grey_level_bar(const Design& design) const;

  /// Mass of these bodies, kg, as their finite elements have it: c p^q rho0 per volume in voids.
  double mass(const Design& design) const;
  Design mass_bar(const Design& design) const;

  /// Bodies with a [bodies.*.manufacturing] maximum_member.
  std::vector<std::size_t> bodies_with_bounded_members() const;
  /// Excess of their members over that (fem/largest_members.hpp); 0 for other bodies.
  double excess_of_members(const Design& design, std::size_t body) const;
  Design excess_of_members_bar(const Design& design, std::size_t body) const;
  /// Distortion of the mesh of a body whose surface moves (fem/moved_mesh.hpp).
  double distortion(const Design& design, std::size_t body) const;
  Design distortion_bar(const Design& design, std::size_t body) const;

  /// "crank 17" for a density, and the name of any other variable.
  std::string name_of(Eigen::Index variable) const;
  /// Bodies with a mesh that are designed, by densities or by variables.
  const std::vector<std::size_t>& bodies() const { return bodies_; }

 private:
  enum class Kind { problem, densities };
  DesignSpace(const FlexibleBodies& models, const GivenDensities& given, Kind kind);
  void add_densities(std::size_t body, const GivenDensities& given, Kind kind, std::vector<double>& lower,
                     std::vector<double>& start);
  void tell_origin(std::size_t body, const GivenDensities& given, const DensitiesOfBody& of,
                   const fem::DensityDesign* map);
  void make_symmetric(const fem::FlexibleBody& body, fem::DensityDesign& map) const;
  struct DensityBody;
  /// Takes the widest that members of the body may be.
  /// @throws InputError if the mesh is too coarse for it, or it contradicts projection.robust
  void bound_members(DensityBody& body) const;
  void fix_densities(std::size_t body, const GivenDensities& given);
  void add_variables();
  /// Starts controls with a motion from point to point (point_to_point.hpp).
  void start_point_to_point();
  /// Starts with as much material as the bounds on volume fraction, mass and widths of members allow.
  void start_within_bounds();
  /// Starts all bodies at a density, those that are cast at a ramp around it: it rises by 1 from the opening of the mould to its far side.
  void start_at(double density);
  /// Values of [variables] for the optimizer, within their bounds.
  VectorXd scaled(const VectorXd& value) const;
  const fem::FlexibleBody& model(std::size_t body) const { return *models_[body]; }
  /// nullptr for bodies without a bound.
  const fem::LargestMembers* largest_members(std::size_t body) const;
  template <class Action>
  void for_each_density_body(const Action& act) const;
  template <class PerBody>
  Design sum_bar(const Design& design, const PerBody& act) const;

  /// A body whose densities vary.
  struct DensityBody {
    std::size_t body;  ///< position in Problem::bodies
    std::unique_ptr<fem::DensityDesign> map;
    std::unique_ptr<fem::LargestMembers> largest_members{};  ///< or none
  };

  FlexibleBodies models_;
  DesignVariables variables_;
  std::vector<std::size_t> bodies_;
  std::vector<DensityBody> density_bodies_;  ///< in the order of the problem's bodies, as their variables are
  BodyFields fixed_;                         ///< densities of the other flexible bodies
  VectorXd lower_, upper_, start_;
  std::vector<std::string> origins_;
  VectorXd offset_, range_;  ///< of [variables]: value = offset + range x
};

}  // namespace kurbel
