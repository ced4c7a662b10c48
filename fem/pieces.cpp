#include "fem/pieces.hpp"

#include <algorithm>
#include <set>

#include "base/joined_groups.hpp"

namespace kurbel::fem {

namespace {

/// Numbers the groups of the elements of a set in the order of their first elements.
void number_pieces(const Mesh& mesh, const ElementSet& set, Pieces& pieces) {
  JoinedGroups groups(set.size());
  const std::vector<ElementFace> faces = faces_of(mesh, set);
  for (std::size_t f = 1; f < faces.size(); ++f) {
    if (is_same_face(faces[f - 1], faces[f]))
      groups.join(static_cast<std::size_t>(faces[f - 1].element), static_cast<std::size_t>(faces[f].element));
  }
  pieces.of_element.assign(set.size(), -1);
  std::vector<int> number(set.size(), -1);
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set[e]) continue;
    int& of_group = number[groups.group_of(e)];
    if (of_group < 0) of_group = pieces.n++;
    pieces.of_element[e] = of_group;
  }
}

/// The pieces that have a node of the support.
std::set<std::size_t> touched_pieces(const Mesh& mesh, const Pieces& pieces, const Support& support) {
  std::vector<bool> is_node(static_cast<std::size_t>(mesh.n_nodes()), false);
  for (const int node : support.nodes) is_node[static_cast<std::size_t>(node)] = true;
  std::set<std::size_t> touched;
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const int piece = pieces.of_element[static_cast<std::size_t>(e)];
    if (piece < 0) continue;
    const Mesh::Nodes corners = mesh.nodes_of(e);
    if (std::any_of(corners.begin(), corners.end(),
                    [&](int node) { return is_node[static_cast<std::size_t>(node)]; }))
      touched.insert(static_cast<std::size_t>(piece));
  }
  return touched;
}

bool have_common(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::ranges::any_of(a, [&](std::size_t i) { return b.contains(i); });
}

}  // namespace

Pieces find_pieces(const Mesh& mesh, const ElementSet& set, const std::vector<Support>& supports) {
  Pieces pieces;
  number_pieces(mesh, set, pieces);

  JoinedGroups held_together(static_cast<std::size_t>(pieces.n));
  std::set<std::size_t> touched_by_any;
  std::vector<std::set<std::size_t>> touched;
  for (const Support& support : supports) {
    touched.push_back(touched_pieces(mesh, pieces, support));
    touched_by_any.insert(touched.back().begin(), touched.back().end());
    if (!support.is_rigid) continue;
    for (const std::size_t piece : touched.back()) held_together.join(piece, *touched.back().begin());
  }
  for (int piece = 0; piece < pieces.n; ++piece) {
    if (!touched_by_any.contains(static_cast<std::size_t>(piece))) pieces.islands.push_back(piece);
  }
  for (std::set<std::size_t>& of_support : touched) {
    std::set<std::size_t> groups;
    for (const std::size_t piece : of_support) groups.insert(held_together.group_of(piece));
    of_support = std::move(groups);
  }
  for (std::size_t j = 1; j < supports.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (have_common(touched[i], touched[j])) continue;
      pieces.apart.emplace_back(supports[i].name, supports[j].name);
      break;
    }
  }
  return pieces;
}

}  // namespace kurbel::fem
