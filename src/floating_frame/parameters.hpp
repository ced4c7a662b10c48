/// @file
/// The parameters of a mechanism as one flat vector: SID coefficients of every body, the numbers of all other parts
/// (part_numbers.hpp), positions of the markers of the ground, numbers of planar beams; and of those whose
/// specification says so, initial states of bodies and values of the tables of drives.
///
/// The mechanics never sees a density, only these numbers; its adjoint answers with d psi / d (each of them).
#pragma once

#include <string>
#include <vector>

#include "mechanism/part_numbers.hpp"

namespace kurbel {

/// A dense matrix (column major) inside the flat vector.
struct ParameterBlock {
  Eigen::Index offset = 0, rows = 0, cols = 0;
  Eigen::Index size() const { return rows * cols; }
};

/// View of a block, read-only or writable.
template <int Rows = Eigen::Dynamic, class Scalar>
auto view(const ParameterBlock& b, const Scalar* p) {
  return Eigen::Map<const Eigen::Matrix<Scalar, Rows, Eigen::Dynamic>>(p + b.offset, b.rows, b.cols);
}
template <int Rows = Eigen::Dynamic, class Scalar>
auto view(const ParameterBlock& b, Scalar* p) {
  return Eigen::Map<Eigen::Matrix<Scalar, Rows, Eigen::Dynamic>>(p + b.offset, b.rows, b.cols);
}

/// Marker coefficients: R (3 x 1), Phi and Psi (3 x n_q), and Phi1, no size unless the marker's displacement
/// is of second order: one column per q_l, the column-major entries of a 3 x n_q matrix.
struct MarkerLayout {
  ParameterBlock R, Phi, Psi;
  ParameterBlock Phi1{};
  Eigen::Index shapes = 0;  ///< with Phi1: where Phi at q stands among those of the body

  bool second_order() const { return Phi1.size() > 0; }
};

/// SID coefficients of a body. First- and second-order coefficients hold one column per q_k (or q_k q_l,
/// column k n_q + l): the column-major entries of the Taylor coefficient.
struct BodyLayout {
  Eigen::Index n_q = 0;
  ParameterBlock all;                 ///< every coefficient, those of the markers among them
  ParameterBlock mass;                ///< 1
  ParameterBlock mdCM0, mdCM1;        ///< 3 x 1, 3 x n_q
  ParameterBlock J0, J1, Jn;          ///< 9 x 1, 9 x n_q, 9 x n_q^2
  ParameterBlock Ct0, Ct1;            ///< n_q x 3, 3 n_q x n_q (no size without a second-order displacement)
  ParameterBlock Cr0, Cr1;            ///< n_q x 3, 3 n_q x n_q
  ParameterBlock Me;                  ///< n_q x n_q
  ParameterBlock Gr0, Gr1;            ///< 9 x n_q (column k: block k), 9 n_q x n_q
  ParameterBlock Ge;                  ///< 3 n_q x n_q (column l: block l, n_q x 3)
  ParameterBlock Oe0, Oe1;            ///< n_q x 6, 6 n_q x n_q
  ParameterBlock ksigma;              ///< n_q x 1
  ParameterBlock Ke, De;              ///< n_q x n_q
  std::vector<MarkerLayout> markers;  ///< in the order of Sid::frame

  Eigen::Index n_shapes = 0;  ///< room for Phi at q of the markers of second order
  /// Displacements are Phi q + q^T Gamma q / 2.
  bool second_order() const { return Ct1.size() > 0; }
};

/// Stiffness, damping, free length (or angle).
struct SpringLayout {
  Eigen::Index stiffness = 0, damping = 0, free_length = 0;
};

/// The six numbers of a tyre, from `first` on.
struct TyreLayout {
  Eigen::Index first = 0;
  Eigen::Index radius() const { return first; }
  Eigen::Index stiffness() const { return first + 1; }
  Eigen::Index damping() const { return first + 2; }
  Eigen::Index friction() const { return first + 3; }
  Eigen::Index slope() const { return first + 4; }
  Eigen::Index shape() const { return first + 5; }
};

/// The numbers of a planar beam: PlanarBeamSpec::Quantity of its first element, then of the next ones.
struct PlanarBeamLayout {
  Eigen::Index first = 0;
  Eigen::Index number(std::size_t element, int quantity) const {
    return first + PlanarBeamSpec::n_quantities * static_cast<Eigen::Index>(element) + quantity;
  }
};

/// The fifteen numbers of a beam, from `first` on. Those of `through` are 0 and without effect unless it is an arc.
struct BeamLayout {
  Eigen::Index first = 0;
  Eigen::Index start() const { return first; }           ///< three
  Eigen::Index end() const { return first + 3; }         ///< three
  Eigen::Index through() const { return first + 6; }     ///< three
  Eigen::Index dimensions() const { return first + 9; }  ///< two
  Eigen::Index youngs_modulus() const { return first + 11; }
  Eigen::Index poisson_ratio() const { return first + 12; }
  Eigen::Index density() const { return first + 13; }
  Eigen::Index damping() const { return first + 14; }
  /// Start, end and through, one behind the other.
  Eigen::Index places() const { return first; }
  static constexpr int n_places = 9;
};

/// Parts of the initial state of a body: first of three numbers each, or -1 where they are no parameters.
/// A rotation is its rotation vector; all are as InitialState has them.
struct InitialLayout {
  Eigen::Index position = -1, rotation = -1, velocity = -1, angular_velocity = -1;
};

/// A part of an initial state in its three forms.
struct InitialPart {
  Eigen::Index InitialLayout::*place;
  Vector3d InitialState::*value;
  bool InitialState::Parts::*flag;
};
inline constexpr InitialPart initial_position{&InitialLayout::position, &InitialState::position,
                                              &InitialState::Parts::position},
    initial_rotation{&InitialLayout::rotation, &InitialState::rotation, &InitialState::Parts::rotation},
    initial_velocity{&InitialLayout::velocity, &InitialState::velocity, &InitialState::Parts::velocity},
    initial_angular_velocity{&InitialLayout::angular_velocity, &InitialState::angular_velocity,
                             &InitialState::Parts::angular_velocity};
inline constexpr std::array initial_parts = {initial_position, initial_rotation, initial_velocity,
                                             initial_angular_velocity};

/// The index of each parameter of a mechanism in the flat vector.
class ParameterLayout {
 public:
  explicit ParameterLayout(const SystemSpec& spec);

  Eigen::Index size() const { return size_; }
  const BodyLayout& body(std::size_t i) const { return bodies_[i]; }
  /// Parameters of a row of part_numbers(), n x 1.
  const ParameterBlock& number(std::size_t row, std::size_t part) const { return numbers_[row][part]; }
  /// The same by its member: number<&SpringSpec::stiffness>(i).
  template <auto member>
  const ParameterBlock& number(std::size_t part) const {
    return number(row_of<member>(), part);
  }
  /// All numbers of a part of a kind, n x 1.
  template <class Part>
  ParameterBlock numbers_of(std::size_t part) const {
    ParameterBlock all{-1, 0, 1};
    for (std::size_t row = 0; row < numbers_.size(); ++row) {
      if (part_numbers()[row].n_parts != &detail::count<Part>) continue;
      if (all.rows == 0) all.offset = numbers_[row][part].offset;
      all.rows += numbers_[row][part].rows;
    }
    return all;
  }
  SpringLayout spring(std::size_t i) const { return spring_from(number<&SpringSpec::stiffness>(i)); }
  SpringLayout torsion_spring(std::size_t i) const {
    return spring_from(number<&TorsionSpringSpec::stiffness>(i));
  }
  /// A marker of the ground, without shapes.
  const MarkerLayout& ground(std::size_t i) const { return ground_[i]; }
  TyreLayout tyre(std::size_t i) const { return {number<&TyreSpec::radius>(i).offset}; }
  BeamLayout beam(std::size_t i) const { return {number<&BeamSpec::start>(i).offset}; }
  const PlanarBeamLayout& planar_beam(std::size_t i) const { return planar_beams_[i]; }
  /// Masses of points, and those that are attached to markers.
  Eigen::Index point_mass(std::size_t i) const { return number<&PointMassSpec::mass>(i).offset; }
  Eigen::Index attached_mass(std::size_t i) const { return number<&AttachedMassSpec::mass>(i).offset; }
  /// Length of a joint that is a rod.
  Eigen::Index rod_length(std::size_t joint) const {
    const ParameterBlock& length = number<&JointSpec::length>(joint);
    return length.size() > 0 ? length.offset : -1;
  }
  const InitialLayout& initial(std::size_t body) const { return initial_[body]; }
  /// Values of the table of a drive of a joint (times x 1); no size if they are no parameters.
  const ParameterBlock& drive(std::size_t joint, std::size_t drive) const { return drives_[joint][drive]; }
  /// The end of the motion; -1: it is no parameter.
  Eigen::Index end() const { return end_; }
  /// u_bar of a control (nodes x 1).
  const ParameterBlock& control(std::size_t i) const { return number<&ControlSpec::nodes>(i); }

  /// All parameters of the specification.
  /// @throws InputError if a SID does not have the shapes this layout was made for
  VectorXd values(const SystemSpec& spec) const;

  /// d psi / d p of one body, in the shape of its SID.
  /// @param bars  (body(i).all.size())
  Sid sid_bar(std::size_t body, const SystemSpec& spec, const VectorXd& bars) const;

 private:
  void add_part_numbers(const SystemSpec& spec);
  void set_part_numbers(const SystemSpec& spec, VectorXd& p) const;

  static SpringLayout spring_from(const ParameterBlock& stiffness) {
    return {stiffness.offset, stiffness.offset + 1, stiffness.offset + 2};
  }

  std::vector<BodyLayout> bodies_;
  std::vector<std::vector<ParameterBlock>> numbers_;  ///< by row of part_numbers(), and part
  std::vector<MarkerLayout> ground_;
  std::vector<PlanarBeamLayout> planar_beams_;
  std::vector<InitialLayout> initial_;
  std::vector<std::vector<ParameterBlock>> drives_;  ///< by joint
  Eigen::Index end_ = -1;
  Eigen::Index size_ = 0;
};

}  // namespace kurbel
