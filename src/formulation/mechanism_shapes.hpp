/// @file
/// Drawn shapes of the parts of a mechanism without a mesh: rigid bodies, joints, springs, ground.
#pragma once

#include "formulation/drawn_motion.hpp"
#include "results/motion_body.hpp"

namespace kurbel {

/// Sizes of what stands for parts of a mechanism, in shares of its extent.
struct ShapeSizes {
  double extent;  ///< m

  double tube() const { return 0.008 * extent; }     ///< radius
  double pin() const { return 0.012 * extent; }      ///< radius of a hinge
  double coil() const { return 0.025 * extent; }     ///< radius
  double dashpot() const { return 0.015 * extent; }  ///< radius
  double box() const { return 0.045 * extent; }      ///< edge
  double support() const { return 0.035 * extent; }
};

/// Diagonal of the box around some points, m; 1 if they are one point.
double extent_of(const MatrixXd& points);

/// A body without a mesh: tubes along the shortest net that joins its markers, and its reference frame where
/// anything refers to that; where all these are one place, a box around the centre of mass, with a tube from
/// there if it is elsewhere. Tubes follow the displacements of their markers.
MotionBody shape_of_body(const SystemSpec& spec, const BodySpec& body, const ShapeSizes& sizes);

/// A joint in the axes of its marker: what it holds decides. The place but for one rotation, a pin along its axis; the
/// place but for several, a ball; what slides is a block; everything, no shape, and neither has a rod.
UnstructuredGrid shape_of_joint(const JointSpec& joint, const ShapeSizes& sizes);

/// A coil from a to b; without stiffness, a dashpot.
UnstructuredGrid shape_of_spring(double stiffness, const Vector3d& a, const Vector3d& b,
                                 const ShapeSizes& sizes);

/// The blocks "joints", "springs", "tyres", "ground" and "road" of a mechanism, those that are not empty.
class MechanismShapes {
 public:
  MechanismShapes(const SystemSpec& spec, const DrawnMotion& motion, const ShapeSizes& sizes);

  std::vector<NamedBlock> at(std::size_t frame) const;

 private:
  struct Attached {
    MarkerRef marker;
    UnstructuredGrid shape;  ///< in the marker's axes
  };
  UnstructuredGrid placed_shapes(const std::vector<Attached>& shapes, std::size_t frame) const;

  const SystemSpec& spec_;
  const DrawnMotion& motion_;
  ShapeSizes sizes_;
  std::vector<Attached> joints_, torsion_springs_, tyres_;
  UnstructuredGrid ground_, road_;
};

}  // namespace kurbel
