/// @file
/// The nodes of spatial beams as bodies without mass: what joints, loads and the start know of a body serves them.
#pragma once

#include <string>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// "start", "node1", ..., "end": the markers of a beam, in the order of its nodes.
std::vector<std::string> node_names(const BeamSpec& beam);

/// The body "arm.node1" that a marker of the beam "arm" is the origin of.
inline std::string body_of_node(const std::string& beam, const std::string& node) {
  return beam + "." + node;
}

/// The mechanism with a body for every node behind the others, beam by beam; as it is, if it has them already.
/// @throws InputError if a beam is no spatial one
SystemSpec with_beam_nodes(SystemSpec spec);

/// Number of bodies that stand for the nodes of all beams.
std::size_t n_beam_nodes(const SystemSpec& spec);

}  // namespace kurbel
