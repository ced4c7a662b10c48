/// @file
/// The joints of a mechanism that carry its bodies, and those that close its loops.
///
/// Bodies and the ground are nodes, joints are edges. The tree holds joints that lock many degrees of freedom
/// before such that lock few, so that there are as few coordinates as may be; all others are cut, and their
/// constraints remain. What no joint of the tree ties to the ground floats freely, led by the body with the most
/// joints. Names decide where these do not, so that the order of an input does not matter.
#pragma once

#include <string>
#include <vector>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The joint that carries a body.
struct TreeLink {
  std::size_t body;          ///< index in SystemSpec::bodies
  int parent = -1;           ///< body that carries it; -1 is the ground
  int joint = -1;            ///< index in SystemSpec::joints; -1: it floats freely
  bool is_reversed = false;  ///< the joint leads from the body ("from") to what carries it ("to")
};

/// A link for each body, each after what carries it.
/// @throws InputError if a body is flexible
std::vector<TreeLink> choose_spanning_tree(const SystemSpec& spec);

/// The mechanism without what the joints of the tree lock; drives remain.
SystemSpec without_tree_joints(SystemSpec spec, const std::vector<TreeLink>& tree);

/// True if joint coordinates can describe what a joint leaves free: any displacements, with no rotation, one,
/// all three, or the two of a universal joint.
bool can_carry(const JointSpec& joint);

}  // namespace kurbel
