/// @file
/// What a system in absolute coordinates consists of, as a user states it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/point_elements.hpp"
#include "natural_coordinates/system_function.hpp"

namespace kurbel::absolute {

/// A specification that does not fit together; `key` is the part at fault, e.g. "joints.elbow.from".
class SpecError : public InputError {
 public:
  SpecError(std::string key_path, const std::string& what)
      : InputError(key_path + " " + what), key(std::move(key_path)), message(what) {}
  std::string key, message;
};

/// A place is named "ground", by a point's name, or as "beam.start" or "beam.end".
using Place = std::string;

struct PointSpec {
  std::string name;
  Vector3d position = Vector3d::Zero(), velocity = Vector3d::Zero();  ///< at t = 0; m, m/s
  std::array<bool, 3> free = {true, true, true};                      ///< directions in which it moves
  ParameterSlot mass;                                                 ///< kg
};

/// A straight row of ANCF elements in the plane z = 0, at rest and undeformed at t = 0.
struct BeamSpec {
  enum Quantity { width, height, length, youngs_modulus, poisson_ratio, density, n_quantities };
  std::string name;
  std::optional<Eigen::Vector2d> start;  ///< m; not given: where a joint puts it
  double angle = 0.0;                    ///< of its axis to the x axis, rad
  std::size_t n_elements = 1;
  std::array<std::vector<ParameterSlot>, n_quantities> elements;  ///< one value per element
  PoissonCoupling coupling = PoissonCoupling::full;
};

/// `revolute` shares the position of two places, `fixed` the cross-section (r_y) of two beams' ends as well;
/// with the ground, they are held.
struct BeamJointSpec {
  enum class Type { revolute, fixed };
  std::string name;
  Type type = Type::revolute;
  Place from, to;
  ParameterSlot damping;  ///< revolute only; N m s/rad
};

struct MassSpec {
  std::string name;
  Place at;
  ParameterSlot mass;  ///< kg
};

struct PointSpringSpec {
  std::string name;
  SpringLaw law = SpringLaw::hooke;
  Place from, to;
  ParameterSlot stiffness, damping, length;  ///< N/m, N s/m, m
};

/// A force at a place, or the torque of a revolute joint.
struct ControlSpec {
  std::string name;
  std::string joint;  ///< of a torque; empty: a force
  Place at;
  Vector3d direction = Vector3d::UnitX();
};

/// A function of the state.
struct FunctionSpec {
  enum class Type { position, velocity, distance, spring_force, stress };
  std::string key;  ///< where the input states it, "outputs.tool"
  Type type = Type::position;
  Place marker, from;       ///< position, velocity; distance: from `from` to `marker`
  std::vector<int> axes;    ///< position, velocity, spring_force
  std::string spring;       ///< spring_force
  std::string beam;         ///< stress
  std::size_t element = 0;  ///< stress: from 0 at the beam's start
  double along = 0.5,
         across = 0.5;  ///< stress: in [0, 1] of the element's length; in [-1/2, 1/2] of its height
};

struct SystemSpec {
  Vector3d gravity = Vector3d::Zero();  ///< m/s^2
  std::vector<PointSpec> points;
  std::vector<BeamSpec> beams;
  std::vector<BeamJointSpec> joints;
  std::vector<MassSpec> masses;
  std::vector<PointSpringSpec> springs;
  std::vector<ControlSpec> controls;
  std::vector<FunctionSpec> functions;
  VectorXd xi;  ///< values of the parameters that slots name

  /// The slots behind "beams.arm.height", "springs.s.stiffness", "joints.j.damping", "points.p.mass",
  /// "masses.m.mass"; of a beam, one per element.
  /// @throws SpecError with the key `for_key` if there is no such quantity
  std::vector<ParameterSlot*> slots(const std::string& quantity, const std::string& for_key);
};

/// An element of a beam, for drawing.
struct BeamElement {
  std::size_t beam, element;
  Binding binding;  ///< coordinates and parameters of AncfBeam
};

template <class Scalar>
struct Assembly {
  std::unique_ptr<AbsoluteSystem<Scalar>> system;
  /// In the order of SystemSpec::functions.
  std::vector<std::shared_ptr<const SystemFunction<Scalar>>> functions;
  std::vector<BeamElement> beam_elements;
  std::vector<Binding>
      springs;  ///< coordinates and parameters of Spring, in the order of SystemSpec::springs
  /// Coordinates of the places of points, masses and joints, in the orders of SystemSpec, for drawing.
  std::vector<Binding> points, masses, joints;
};

/// @param controls  how those of the specification run between their nodes, in its order
/// @throws SpecError if names are unknown, parts do not fit together, or something has no mass
template <class Scalar>
Assembly<Scalar> assemble(const SystemSpec& spec, const Controls& controls = {});

}  // namespace kurbel::absolute
