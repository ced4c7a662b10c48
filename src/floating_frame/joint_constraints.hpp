/// @file
/// The constraints of all joints at rest, in lengths of the mechanism and radians.
#pragma once

#include "floating_frame/multibody_system.hpp"

namespace kurbel {

/// c and C at one position, for displacements w of about unit size.
struct ConstraintsAt {
  VectorXd c;  ///< n_c
  MatrixXd C;  ///< n_c x n_v

  /// C with rows of unit length; such of no length stay.
  MatrixXd unit_rows() const;
};

/// Tangent coordinates are scaled, xi = scale w: displacements by the mechanism's length, rotations in
/// radians, elastic coordinates by the displacement of their body's mass.
class JointConstraints {
 public:
  struct Row {
    std::size_t joint;  ///< index in SystemSpec::joints
    RelativeDof dof;
    bool is_driven;
  };

  /// @param t  of the instant that is meant where none is given, s
  JointConstraints(const SystemSpec& spec, double t);

  const MultibodySystem<double>& system() const { return system_; }
  Eigen::Index size() const { return system_.n_c(); }
  const Row& row(Eigen::Index i) const { return rows_[static_cast<std::size_t>(i)]; }
  /// The mechanism's: the largest distance of a marker, or radius of gyration, from its body's frame.
  double length() const { return length_; }

  std::vector<Eigen::Index> all() const;
  /// Degrees of freedom that are locked, displacements before rotations.
  std::vector<Eigen::Index> locked() const;
  /// Degrees of freedom that some joints lock, that the others lock, and that are driven.
  /// @param first  names of joints
  std::array<std::vector<Eigen::Index>, 3> by_preference(const std::vector<std::string>& first) const;

  VectorXd given() const;
  ConstraintsAt at(const VectorXd& x) const { return at(t_, x); }
  ConstraintsAt at(double t, const VectorXd& x) const;

  /// A position near x where these rows hold, by damped Gauss-Newton steps, which dependent rows do not
  /// disturb:   w = -C^T (C C^T + mu)^-1 c,   mu = |c|^2
  /// @return nothing where they lead to none
  std::optional<VectorXd> assemble(const VectorXd& x, const std::vector<Eigen::Index>& rows) const;

  /// Displacements of next_to(), in lengths of the mechanism and radians.
  static constexpr double distance_next_to = 1e-3;
  /// Another position of the mechanism near an assembled one, to which it moves when its drives are let go;
  /// x itself if it cannot move at all.
  /// @return nothing if displacements that the constraints allow to first order lead nowhere
  std::optional<VectorXd> next_to(const VectorXd& x) const;

  /// Positions that the mechanism can move to with its bodies as they are deformed, on a way through an
  /// assembled one with its drives let go: there and back by some lengths or turns.
  std::vector<VectorXd> around(const VectorXd& x) const;

 private:
  VectorXd moved(const VectorXd& x, const VectorXd& w) const;
  VectorXd any_direction() const;
  VectorXd free_part(const VectorXd& x, const std::vector<Eigen::Index>& coordinates,
                     const VectorXd& w) const;
  bool has_moved(const VectorXd& from, const VectorXd& to, const VectorXd& w) const;

  MultibodySystem<double> system_;
  std::unique_ptr<SecondOrderDae<double>::Workspace> ws_;
  double t_, length_;
  VectorXd scale_, row_scale_;  ///< n_v, n_c
  std::vector<Row> rows_;
};

}  // namespace kurbel
