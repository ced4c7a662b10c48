#include "joint_coordinates/spanning_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"

namespace kurbel {

namespace {

/// Place of a body among nodes, of which the ground is the last one.
std::size_t node_of(const std::string& body, const SystemSpec& spec) {
  std::size_t i = 0;
  while (i < spec.bodies.size() && spec.bodies[i].name != body) ++i;
  return i;
}

long n_locked(const JointSpec& joint) {
  return std::ranges::count(joint.locked, true);
}

/// Sets of nodes, each named by one of them.
class Components {
 public:
  explicit Components(std::size_t n) : name_(n) { std::iota(name_.begin(), name_.end(), 0); }
  std::size_t name(std::size_t node) const {
    while (name_[node] != node) node = name_[node];
    return node;
  }
  bool merge(std::size_t a, std::size_t b) {
    const std::size_t of_a = name(a), of_b = name(b);
    name_[of_a] = of_b;
    return of_a != of_b;
  }

 private:
  std::vector<std::size_t> name_;
};

struct Edge {
  int joint;  ///< -1: free
  std::size_t from, to;
};

/// Kruskal's algorithm.
std::vector<Edge> tree_edges(const SystemSpec& spec) {
  const std::size_t ground = spec.bodies.size();
  std::vector<int> order(spec.joints.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int j) { return !can_carry(spec.joints[static_cast<std::size_t>(j)]); });
  std::ranges::sort(order, {}, [&](int j) {
    const JointSpec& joint = spec.joints[static_cast<std::size_t>(j)];
    return std::pair(-n_locked(joint), joint.name);
  });
  Components components(ground + 1);
  std::vector<Edge> edges;
  for (const int j : order) {
    const JointSpec& joint = spec.joints[static_cast<std::size_t>(j)];
    const std::size_t from = node_of(joint.from.body, spec), to = node_of(joint.to.body, spec);
    if (components.merge(from, to)) edges.push_back({j, from, to});
  }
  std::vector<std::size_t> leaders(ground);
  std::iota(leaders.begin(), leaders.end(), 0);
  std::ranges::sort(leaders, {}, [&](std::size_t body) {
    const std::string& name = spec.bodies[body].name;
    const auto is_of = [&](const JointSpec& joint) {
      return joint.from.body == name || joint.to.body == name;
    };
    return std::pair(-std::ranges::count_if(spec.joints, is_of), name);
  });
  for (const std::size_t body : leaders) {
    if (components.merge(body, ground)) edges.push_back({-1, ground, body});
  }
  return edges;
}

}  // namespace

bool can_carry(const JointSpec& joint) {
  const auto& locked = joint.locked;
  const long free_rotations = std::count(locked.begin() + 3, locked.end(), false);
  return n_locked(joint) > 0 && (free_rotations != 2 || locked[5]);
}

std::vector<TreeLink> choose_spanning_tree(const SystemSpec& spec) {
  for (const BodySpec& body : spec.bodies) {
    if (body.sid.n_q() == 0) continue;
    throw InputError(
        fmt::format("body {} is flexible; joint coordinates carry rigid bodies only, use formulation = "
                    "\"floating-frame\"",
                    body.name));
  }
  const std::size_t ground = spec.bodies.size();
  std::vector<Edge> edges = tree_edges(spec);
  std::vector<TreeLink> tree;
  std::vector<bool> is_reached(ground + 1, false);
  is_reached[ground] = true;
  while (!edges.empty()) {
    const auto next = std::ranges::find_if(
        edges, [&](const Edge& edge) { return is_reached[edge.from] || is_reached[edge.to]; });
    const bool is_reversed = is_reached[next->to];
    const std::size_t child = is_reversed ? next->from : next->to,
                      parent = is_reversed ? next->to : next->from;
    tree.push_back({child, parent == ground ? -1 : static_cast<int>(parent), next->joint, is_reversed});
    is_reached[child] = true;
    edges.erase(next);
  }
  return tree;
}

SystemSpec without_tree_joints(SystemSpec spec, const std::vector<TreeLink>& tree) {
  for (const TreeLink& link : tree) {
    if (link.joint < 0) continue;
    JointSpec& joint = spec.joints[static_cast<std::size_t>(link.joint)];
    for (std::size_t dof = 0; dof < 6; ++dof)
      joint.redundant[dof] = joint.redundant[dof] || joint.locked[dof];
  }
  return spec;
}

}  // namespace kurbel
