/// @file
/// From a mechanism to its system in absolute coordinates: planar beams, masses, springs and joints that share
/// coordinates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "floating_frame/system_quantity.hpp"
#include "natural_coordinates/absolute_system.hpp"

namespace kurbel::absolute {

/// A mechanism that does not fit together; `key` is the part at fault, e.g. "joints.elbow.from".
class SpecError : public InputError {
 public:
  SpecError(std::string key_path, const std::string& what)
      : InputError(key_path + " " + what), key(std::move(key_path)), message(what) {}
  std::string key, message;
};

/// A number of the mechanism that varies: sign xi[variable] + offset. Numbers that are tied have one entry.
struct VariedQuantity {
  SystemQuantity quantity;
  int variable = 0;
  double sign = 1.0, offset = 0.0;
};

/// Each of them with an entry of its own.
std::vector<VariedQuantity> each_alone(const std::vector<SystemQuantity>& quantities);

/// What the parameters of elements are: numbers of the mechanism, or entries of xi where those vary.
class Slots {
 public:
  /// The mechanism must outlive the slots.
  /// @param varied  numbers of springs, masses and planar beams, the entries of xi ascending from 0
  Slots(const SystemSpec& spec, std::vector<VariedQuantity> varied)
      : spec_(spec), varied_(std::move(varied)) {}

  /// With the values of the mechanism.
  VectorXd xi() const;
  ParameterSlot operator()(SystemQuantity::Kind kind, std::size_t owner) const;
  ParameterSlot of_element(std::size_t beam, std::size_t element, PlanarBeamSpec::Quantity quantity) const;

 private:
  /// The entry of xi, if there is one.
  /// @param share  of the quantity
  ParameterSlot slot_of(const SystemQuantity& quantity, double share = 1.0) const;

  const SystemSpec& spec_;
  std::vector<VariedQuantity> varied_;
};

/// An element of a beam.
struct BeamElement {
  std::size_t beam, element;
  Binding binding;  ///< coordinates and parameters of AncfBeam
};

class Layout;

template <class Scalar>
struct Assembly {
  std::unique_ptr<AbsoluteSystem<Scalar>> system;
  std::shared_ptr<const Layout> layout;
  std::vector<BeamElement> beam_elements;
  std::vector<Binding> springs;  ///< coordinates and parameters of Spring, in the order of the mechanism
  /// Coordinates of masses in points, attached masses and joints, in the orders of the mechanism.
  std::vector<Binding> points, masses, joints;
  /// Factors of which the mass of beams consists, and of masses as far as these vary.
  std::vector<std::vector<ParameterSlot>> mass_products;
};

/// @param varied  xi, as Slots has it
/// @throws SpecError if names are unknown, parts do not fit together, or something has no mass
template <class Scalar>
Assembly<Scalar> assemble(const SystemSpec& spec, const std::vector<VariedQuantity>& varied = {});

}  // namespace kurbel::absolute
