#include "fem/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "fem/element.hpp"
#include "fem/mesh_source.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// Corners of the elements of a box, column by column.
std::vector<int> box_nodes(const MeshSpec& spec) {
  const std::array<int, 3>& n = spec.divisions;
  const int n_z = spec.dim == 3 ? n[2] : 1, n_corners = spec.dim == 2 ? 4 : 8;
  const int row = n[0] + 1, layer = row * (n[1] + 1);
  std::vector<int> nodes;
  nodes.reserve(static_cast<std::size_t>(n_corners) * static_cast<std::size_t>(n[0]) *
                static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n_z));
  for (int k = 0; k < n_z; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        for (int a = 0; a < n_corners; ++a) {
          const auto& [x, y, z] = corner_ends[static_cast<std::size_t>(a)];
          nodes.push_back(k * layer + j * row + i + x + row * y + layer * z);
        }
      }
    }
  }
  return nodes;
}

Vector3d extent_of(const Mesh::Points& positions) {
  return positions.rowwise().maxCoeff() - positions.rowwise().minCoeff();
}

std::vector<Index> runs(Index n_elements, Index length) {
  std::vector<Index> begin;
  for (Index e = 0; e < n_elements; e += length) begin.push_back(e);
  begin.push_back(n_elements);
  return begin;
}

}  // namespace

Mesh::Mesh(const MeshSpec& spec) : dim_(spec.dim) {
  const auto source = mesh_source(spec);
  if (!spec.given) {
    make_box(spec, *source);
    return;
  }
  *this = spec.given->moved(source->positions(spec.size));
  find_sizes(spec.thickness);
}

void Mesh::make_box(const MeshSpec& spec, const MeshSource& source) {
  const std::array<int, 3>& n = spec.divisions;
  const Index n_elements = static_cast<Index>(n[0]) * n[1] * (dim_ == 3 ? n[2] : 1);
  positions_ = source.positions(spec.size);
  element_size_ = source.element_size(spec.size);
  if (dim_ == 2) element_size_[2] = 1.0;
  ShapeClass shape{dim_ == 2 ? ElementKind::quad4 : ElementKind::hex8, {}, element_size_.prod()};
  if (dim_ == 2) element_size_[2] = spec.thickness;
  const Index n_corners = topology(shape.kind).n_nodes;
  shape.corners.resize(3, n_corners);
  for (Index a = 0; a < n_corners; ++a) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto axis = static_cast<Index>(d);
      shape.corners(axis, a) = corner_ends[static_cast<std::size_t>(a)][d] * element_size_[axis];
    }
  }
  classes_ = {std::move(shape)};
  class_of_.assign(static_cast<std::size_t>(n_elements), 0);
  element_begin_ = runs(n_corners * n_elements, n_corners);
  element_nodes_ = box_nodes(spec);
  centres_.resize(3, n_elements);
  for (Index e = 0; e < n_elements; ++e) {
    // The middle of a diagonal is rounded once, the mean over the corners more often.
    const Nodes nodes = nodes_of(e);
    centres_.col(e) = 0.5 * (positions_.col(nodes[0]) + positions_.col(nodes[dim_ == 3 ? 6 : 2]));
  }
  volumes_ = VectorXd::Constant(n_elements, element_size_.prod());
  colour(runs(n_elements, dim_ == 3 ? static_cast<Index>(n[0]) * n[1] : n[0]));
}

Mesh::Mesh(int dim, Points positions, const std::vector<ElementBlock>& blocks, double thickness)
    : dim_(dim), positions_(std::move(positions)) {
  for (const ElementBlock& block : blocks) add_block(block);
  require_usable();
  find_centres();
  find_sizes(thickness);
  constexpr Index run = 256;
  colour(runs(n_elements(), run));
}

void Mesh::add_block(const ElementBlock& block) {
  const ElementTopology& kind = topology(block.kind);
  const auto first_class = static_cast<int>(classes_.size());
  if (kind.dim != dim_) {
    throw InputError(fmt::format("mesh: elements of kind {} belong to {} dimensions, not to {}", kind.name,
                                 kind.dim, dim_));
  }
  for (Index i = 0; i < block.nodes.cols(); ++i) {
    const auto nodes = block.nodes.col(i);
    if (nodes.minCoeff() < 0 || nodes.maxCoeff() >= n_nodes()) {
      throw InputError(fmt::format("mesh: element {} has a node that does not exist; nodes are 0 to {}",
                                   n_elements(), n_nodes() - 1));
    }
    const int own =
        first_class +
        (block.shape_class.empty() ? static_cast<int>(i) : block.shape_class[static_cast<std::size_t>(i)]);
    if (own == std::ssize(classes_)) {
      Points corners = positions_(Eigen::all, nodes);
      corners.colwise() -= corners.col(0).eval();
      const double measure = element_measure(block.kind, corners);
      if (!(measure > 0.0)) {
        throw InputError(
            fmt::format("mesh: element {} ({}) is inverted or degenerate", n_elements(), kind.name));
      }
      classes_.push_back({block.kind, std::move(corners), measure});
    }
    element_nodes_.insert(element_nodes_.end(), nodes.begin(), nodes.end());
    element_begin_.push_back(std::ssize(element_nodes_));
    class_of_.push_back(own);
  }
}

void Mesh::require_usable() const {
  if (class_of_.empty()) throw InputError("mesh: there is no element");
  std::vector<bool> is_used(static_cast<std::size_t>(n_nodes()), false);
  for (const int node : element_nodes_) is_used[static_cast<std::size_t>(node)] = true;
  const auto unused = std::ranges::find(is_used, false);
  if (unused != is_used.end())
    throw InputError(fmt::format("mesh: node {} belongs to no element", unused - is_used.begin()));
}

void Mesh::find_centres() {
  centres_.resize(3, n_elements());
  for (Index e = 0; e < n_elements(); ++e) {
    const Index n_corners = topology(kind_of(e)).n_corners;
    centres_.col(e) = positions_(Eigen::all, nodes_of(e).head(n_corners)).rowwise().mean();
  }
}

void Mesh::find_sizes(double thickness) {
  volumes_ = measures();
  element_size_.setConstant(std::numeric_limits<double>::infinity());
  for (const ShapeClass& shape : classes_) element_size_ = element_size_.cwiseMin(extent_of(shape.corners));
  if (dim_ == 3) return;
  volumes_ *= thickness;
  element_size_[2] = thickness;
}

VectorXd Mesh::measures() const {
  return VectorXd::NullaryExpr(n_elements(), [this](Index e) { return classes_[class_at(e)].measure; });
}

void Mesh::colour(std::vector<Index> begin) {
  batches_.begin = std::move(begin);
  batches_.colours.clear();
  std::vector<std::vector<std::size_t>> taken(static_cast<std::size_t>(n_nodes()));  // colours at every node
  std::vector<bool> is_free;
  for (Index run = 0; run < batches_.size(); ++run) {
    const auto r = static_cast<std::size_t>(run);
    const auto first = element_nodes_.begin() + element_begin_[static_cast<std::size_t>(batches_.begin[r])];
    const auto end = element_nodes_.begin() + element_begin_[static_cast<std::size_t>(batches_.begin[r + 1])];
    is_free.assign(batches_.colours.size() + 1, true);
    for (auto node = first; node != end; ++node) {
      for (const std::size_t c : taken[static_cast<std::size_t>(*node)]) is_free[c] = false;
    }
    const auto own = static_cast<std::size_t>(std::ranges::find(is_free, true) - is_free.begin());
    if (own == batches_.colours.size()) batches_.colours.emplace_back();
    batches_.colours[own].push_back(run);
    for (auto node = first; node != end; ++node) {
      auto& at_node = taken[static_cast<std::size_t>(*node)];
      if (std::ranges::find(at_node, own) == at_node.end()) at_node.push_back(own);
    }
  }
}

Mesh Mesh::moved(Points positions) const {
  Mesh mesh = *this;
  mesh.positions_ = std::move(positions);
  std::vector<bool> is_done(classes_.size(), false);
  for (Index e = 0; e < n_elements(); ++e) {
    const std::size_t c = class_at(e);
    if (is_done[c]) continue;
    is_done[c] = true;
    ShapeClass& shape = mesh.classes_[c];
    shape.corners = mesh.positions_(Eigen::all, nodes_of(e));
    shape.corners.colwise() -= shape.corners.col(0).eval();
    shape.measure = element_measure(shape.kind, shape.corners);
  }
  mesh.find_centres();
  mesh.find_sizes(element_size_[2]);
  return mesh;
}

Mesh Mesh::with_parts(MeshParts parts) && {
  parts_ = std::move(parts);
  return std::move(*this);
}

std::vector<Mesh::Block> Mesh::blocks() const {
  std::vector<Block> blocks;
  for (Index first = 0, e = 1; e <= n_elements(); ++e) {
    if (e < n_elements() && kind_of(e) == kind_of(first)) continue;
    const Index n = topology(kind_of(first)).n_nodes;
    const int* nodes = element_nodes_.data() + element_begin_[static_cast<std::size_t>(first)];
    blocks.push_back({kind_of(first), first, e - first, {nodes, n, e - first}});
    first = e;
  }
  return blocks;
}

namespace {

/// Tells whether a mesh is the box of a specification: its elements fill the space between the same corners
/// with the same edges.
bool is_box_of(const Mesh& mesh, const MeshSpec& spec) {
  const std::array<int, 3>& n = spec.divisions;
  if (mesh.dim() != spec.dim || mesh.n_elements() != Index{n[0]} * n[1] * (spec.dim == 3 ? n[2] : 1))
    return false;
  for (int d = 0; d < spec.dim; ++d) {
    const double highest =
        spec.origin[d] + spec.size[d] * n[static_cast<std::size_t>(d)] / n[static_cast<std::size_t>(d)];
    if (mesh.positions()(d, 0) != spec.origin[d] || mesh.positions()(d, mesh.n_nodes() - 1) != highest)
      return false;
  }
  return mesh.element_size() == mesh_source(spec)->element_size(spec.size);
}

}  // namespace

std::shared_ptr<const Mesh> make_mesh(const MeshSpec& spec) {
  if (!spec.given && spec.made && is_box_of(*spec.made, spec)) return spec.made;
  if (spec.given && mesh_source(spec)->positions(spec.size) == spec.given->positions() &&
      (spec.dim == 3 || spec.given->volumes() == spec.given->measures() * spec.thickness)) {
    return spec.given;
  }
  return std::make_shared<const Mesh>(spec);
}

MeshSpec spec_of_given(std::shared_ptr<const Mesh> mesh, double thickness) {
  MeshSpec spec;
  spec.dim = mesh->dim();
  spec.origin = mesh->positions().rowwise().minCoeff();
  spec.size = extent_of(mesh->positions());
  spec.thickness = thickness;
  spec.given = std::move(mesh);
  return spec;
}

}  // namespace kurbel::fem
