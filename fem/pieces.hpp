/// @file
/// Connected pieces of a set of elements, and what holds them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// The nodes at which a body is held or joined to others.
struct Support {
  std::string name;  ///< "clamp", that of a marker, or that of a support which leaves some direction free
  std::vector<int> nodes;
  bool is_rigid = false;  ///< it holds its nodes together, as a clamp does; a marker is a mean of its nodes
};

/// Elements that are joined by faces, in 2D by edges; what shares a corner alone is apart.
struct Pieces {
  int n = 0;
  std::vector<int> of_element;  ///< piece of every element, -1 outside of the set
  /// Pieces that touch no node of any support: they have mass and nothing holds them.
  std::vector<int> islands;
  /// Pairs of supports that no piece connects, each support once, with the first one that it is apart from.
  /// Pieces at one rigid support count as connected. A support that no piece touches is apart from all others.
  std::vector<std::pair<std::string, std::string>> apart;

  /// One body for the mechanism: all is held, and all supports are connected.
  bool is_whole() const { return islands.empty() && apart.empty(); }
};

Pieces find_pieces(const Mesh& mesh, const ElementSet& set, const std::vector<Support>& supports);

}  // namespace kurbel::fem
