/// @file
/// Places points and planar beams, and makes joints between them share or hold coordinates.
#pragma once

#include "base/errors.hpp"
#include "natural_coordinates/carried_frames.hpp"

namespace kurbel {

/// A mechanism that does not fit together; `key` is the part at fault, e.g. "joints.elbow.from".
class SpecError : public InputError {
 public:
  SpecError(std::string key_path, const std::string& what)
      : InputError(key_path + " " + what), key(std::move(key_path)), message(what) {}
  std::string key, message;
};

/// Two places that a joint makes one, and that follow from the parameters by different ways.
struct PlacedGap {
  std::string joint;
  VectorForm gap;  ///< from one to the other, of parameters alone
  bool is_to_ground;
};

/// The start of carried vectors, as forms in parameters alone.
struct PlanarPlaces {
  std::vector<std::pair<int, VectorForm>> starts{};
  std::vector<PlacedGap> gaps{};
};

/// Places beams from where they start along their joints, which share or hold their coordinates: of a revolute joint the
/// place, of a fixed one the section r_y as well.
/// @param p  real parameters, for decisions
/// @throws SpecError if a beam has no place, or joints do not meet
PlanarPlaces place_planar_parts(const SystemSpec& spec, const ParameterLayout& layout, const VectorXd& p,
                                CarriedFrames& frames);

/// True if a joint is at the end of a planar beam, so that it shares or holds coordinates instead of having rows.
bool is_of_planar_beam(const SystemSpec& spec, const JointSpec& joint);

}  // namespace kurbel
