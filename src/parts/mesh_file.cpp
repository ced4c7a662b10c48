#include "parts/mesh_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/errors.hpp"
#include "fem/element.hpp"
#include "fem/selection.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using fem::ElementKind;

/// The order of the nodes of a plane element that is turned over.
std::vector<int> turned_over(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
      return {0, 2, 1};
    case ElementKind::quad4:
      return {0, 3, 2, 1};
    case ElementKind::tri6:
      return {0, 2, 1, 5, 4, 3};
    default:
      return {0, 3, 2, 1, 7, 6, 5, 4};
  }
}

double signed_area(const fem::Mesh::Points& x, int n_corners) {
  double twice = 0.0;
  for (Index a = 0; a < n_corners; ++a) {
    const Index b = (a + 1) % n_corners;
    twice += x(0, a) * x(1, b) - x(0, b) * x(1, a);
  }
  return 0.5 * twice;
}

class MeshMaker {
 public:
  MeshMaker(const MeshFile& content, const std::string& file) : content_(content), file_(file) {
    choose_blocks();
    require_known_types();
    positions_ = content.positions;
    if (!positions_.allFinite()) fail("a coordinate of a node is not a number");
    if (dim_ == 2) lay_in_plane();
    require_right_shapes();
    number_nodes();
    require_single_nodes();
  }

  std::shared_ptr<const fem::Mesh> make(double thickness) {
    fem::Mesh mesh(dim_, own_positions_, merged_blocks(), thickness);
    fem::MeshParts parts = find_parts(mesh);
    return std::make_shared<const fem::Mesh>(std::move(mesh).with_parts(std::move(parts)));
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: {}", file_, message));
  }

  const FileBlock& block(std::size_t b) const { return content_.blocks[b]; }

  void choose_blocks() {
    const auto is_empty = [](const FileBlock& one) { return one.tags.empty(); };
    for (const FileBlock& one : content_.blocks) {
      if (!is_empty(one)) dim_ = std::max(dim_, one.dim);
    }
    if (dim_ < 2) fail("there are no elements, and no surface or volume that could be meshed");
    std::set<std::size_t> in_groups;
    for (const FileGroup& group : content_.groups) {
      if (group.dim == dim_) in_groups.insert(group.blocks.begin(), group.blocks.end());
    }
    for (std::size_t b = 0; b < content_.blocks.size(); ++b) {
      if (block(b).dim == dim_ && !is_empty(block(b)) && (in_groups.empty() || in_groups.contains(b)))
        chosen_.push_back(b);
    }
    std::ranges::stable_sort(chosen_, {}, [&](std::size_t b) { return block(b).kind; });
  }

  void require_known_types() const {
    for (const std::size_t b : chosen_) {
      if (block(b).kind) continue;
      std::vector<std::string> names;
      for (const fem::ElementTopology& known : fem::element_kinds()) {
        if (known.dim == dim_) names.emplace_back(known.name);
      }
      fail(fmt::format("element {} is a \"{}\", which kurbel does not have; it has {}", block(b).tags.front(),
                       block(b).type, fmt::join(names, ", ")));
    }
  }

  void lay_in_plane() {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    Eigen::AlignedBox3d box;
    for (const std::size_t b : chosen_) {
      for (const int node : block(b).nodes.reshaped()) {
        box.extend(positions_.col(node));
        low = std::min(low, positions_(2, node)), high = std::max(high, positions_(2, node));
      }
    }
    constexpr double flat = 1e-9;
    if (high - low > flat * box.diagonal().norm())
      fail(fmt::format(
          "its surface elements do not lie in a plane z = const, but from z = {:.6g} to {:.6g} m; a "
          "solid needs volume elements",
          low, high));
    positions_.row(2).setZero();
    for (const std::size_t b : chosen_) {
      double sum = 0.0;
      for (Index e = 0; e < block(b).nodes.cols(); ++e)
        sum += signed_area(positions_(Eigen::all, block(b).nodes.col(e)), block(b).n_corners);
      if (sum < 0.0) is_turned_.insert(b);
    }
  }

  /// The nodes of an element; of surfaces that are seen from below in the other direction.
  Eigen::VectorXi nodes_of(std::size_t b, Index e) const {
    if (!is_turned_.contains(b)) return block(b).nodes.col(e);
    return block(b).nodes.col(e)(turned_over(*block(b).kind));
  }

  void require_right_shapes() const {
    for (const std::size_t b : chosen_) {
      for (Index e = 0; e < block(b).nodes.cols(); ++e) {
        fem::Corners x = positions_(Eigen::all, nodes_of(b, e));
        const Vector3d first = x.col(0);
        x.colwise() -= first;
        if (fem::element_measure(*block(b).kind, x) > 0.0) continue;
        const std::string message = fmt::format(
            "{}: element {} ({}) at ({:.6g}, {:.6g}, {:.6g}) m is inverted or degenerate", file_,
            block(b).tags[static_cast<std::size_t>(e)], block(b).type, first[0], first[1], first[2]);
        if (!fem::topology(*block(b).kind).has_middle_nodes()) throw InputError(message);
        throw FoldedElement(message +
                            ". Reduce mesh.size, or Mesh.MeshSizeMax in a .geo file, so that curved elements "
                            "do not fold");
      }
    }
  }

  /// Numbers the nodes that elements of the body have, in the order of the file.
  void number_nodes() {
    number_.assign(static_cast<std::size_t>(positions_.cols()), -1);
    for (const std::size_t b : chosen_) {
      for (const int node : block(b).nodes.reshaped()) number_[static_cast<std::size_t>(node)] = 0;
    }
    std::vector<Index> used;
    for (std::size_t node = 0; node < number_.size(); ++node) {
      if (number_[node] < 0) continue;
      number_[node] = static_cast<int>(used.size());
      used.push_back(static_cast<Index>(node));
    }
    own_positions_ = positions_(Eigen::all, used);
    for (const Index node : used) own_tags_.push_back(content_.tags[static_cast<std::size_t>(node)]);
  }

  /// Nodes are one if their places, in units of 1e-9 of the part, round alike.
  void require_single_nodes() const {
    const Vector3d low = own_positions_.rowwise().minCoeff();
    const double unit = 1e-9 * (own_positions_.rowwise().maxCoeff() - low).maxCoeff();
    std::vector<std::pair<std::array<long long, 3>, Index>> places;
    for (Index i = 0; i < own_positions_.cols(); ++i) {
      const Vector3d x = (own_positions_.col(i) - low) / unit;
      places.emplace_back(std::array{std::llround(x[0]), std::llround(x[1]), std::llround(x[2])}, i);
    }
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i].first != places[i - 1].first) continue;
      const Vector3d x = own_positions_.col(places[i].second);
      fail(fmt::format(
          "nodes {} and {} are both at ({:.6g}, {:.6g}, {:.6g}) m, so that what they belong to is not "
          "joined there; merge them (Coherence Mesh in Gmsh)",
          own_tags_[static_cast<std::size_t>(places[i - 1].second)],
          own_tags_[static_cast<std::size_t>(places[i].second)], x[0], x[1], x[2]));
    }
  }

  /// One block for each kind.
  std::vector<fem::ElementBlock> merged_blocks() {
    std::vector<fem::ElementBlock> blocks;
    int n = 0;
    for (const std::size_t b : chosen_) {
      if (blocks.empty() || blocks.back().kind != *block(b).kind)
        blocks.push_back({*block(b).kind, Eigen::MatrixXi(block(b).nodes.rows(), 0)});
      Eigen::MatrixXi& nodes = blocks.back().nodes;
      const Index first = nodes.cols();
      nodes.conservativeResize(Eigen::NoChange, first + block(b).nodes.cols());
      for (Index e = 0; e < block(b).nodes.cols(); ++e) {
        nodes.col(first + e) =
            nodes_of(b, e).unaryExpr([&](int node) { return number_[static_cast<std::size_t>(node)]; });
      }
      first_element_[b] = n;
      n += static_cast<int>(block(b).nodes.cols());
    }
    return blocks;
  }

  using Corners = std::vector<int>;

  std::map<Corners, fem::FacePlace> surface_by_corners(const fem::Mesh& mesh) const {
    std::map<Corners, fem::FacePlace> faces;
    for (const fem::ElementFace& face : fem::surface_faces(mesh)) {
      Corners corners;
      std::ranges::copy_if(face.corners, std::back_inserter(corners), [](int node) { return node >= 0; });
      std::ranges::sort(corners);
      faces[corners] = {static_cast<int>(face.element), static_cast<int>(face.index)};
    }
    return faces;
  }

  /// Adds the face of the surface that an element of one dimension less meshes, if there is one.
  void add_face(const FileBlock& faces, Index e, std::vector<fem::FacePlace>& found) const {
    Corners corners;
    for (const int node : faces.nodes.col(e).head(faces.n_corners))
      corners.push_back(number_[static_cast<std::size_t>(node)]);
    std::ranges::sort(corners);
    if (const auto face = faces_.find(corners); face != faces_.end()) found.push_back(face->second);
  }

  fem::MeshParts find_parts(const fem::Mesh& mesh) {
    faces_ = surface_by_corners(mesh);
    fem::MeshParts parts;
    for (const FileGroup& group : content_.groups) add_group(group, parts.sets);
    for (fem::MeshSet& set : parts.sets) {
      for (std::vector<int>* numbers : {&set.nodes, &set.elements}) make_unique(*numbers);
      make_unique(set.faces);
    }
    std::map<int, std::vector<fem::FacePlace>> by_entity;
    for (const FileBlock& one : content_.blocks) {
      if (one.dim != dim_ - 1) continue;
      for (Index e = 0; e < one.nodes.cols(); ++e) add_face(one, e, by_entity[one.entity]);
    }
    std::size_t n = 0;
    for (auto& [entity, faces] : by_entity) {
      make_unique(faces);
      n += faces.size();
      if (!faces.empty()) parts.surfaces.push_back(std::move(faces));
    }
    if (n != faces_.size()) parts.surfaces.clear();  // the file tells of some alone
    return parts;
  }

  template <class T>
  static void make_unique(std::vector<T>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  void add_group(const FileGroup& group, std::vector<fem::MeshSet>& sets) const {
    auto set = std::ranges::find(sets, group.name, &fem::MeshSet::name);
    if (set == sets.end()) set = sets.insert(sets.end(), {group.name, {}});
    const auto add_node = [&](int node) {
      const int number = number_[static_cast<std::size_t>(node)];
      if (number >= 0) set->nodes.push_back(number);
    };
    for (const int node : group.nodes) add_node(node);
    const auto add_element = [&](std::size_t b, Index e) {
      for (const int node : block(b).nodes.col(e)) add_node(node);
      if (block(b).dim == dim_ - 1) add_face(block(b), e, set->faces);
      if (const auto first = first_element_.find(b); first != first_element_.end())
        set->elements.push_back(first->second + static_cast<int>(e));
    };
    for (const auto& [b, e] : group.elements) add_element(b, e);
    for (const std::size_t b : group.blocks) {
      for (Index e = 0; e < block(b).nodes.cols(); ++e) add_element(b, e);
    }
  }

  const MeshFile& content_;
  const std::string& file_;
  int dim_ = 0;
  std::vector<std::size_t> chosen_;  ///< blocks of the body, by kind
  std::set<std::size_t> is_turned_;  ///< blocks whose elements are clockwise
  fem::Mesh::Points positions_, own_positions_;
  std::vector<int> number_;            ///< of a node of the file in the mesh, -1: not in it
  std::vector<std::size_t> own_tags_;  ///< of the nodes of the mesh in the file
  std::map<std::size_t, int> first_element_;
  std::map<Corners, fem::FacePlace> faces_;
};

}  // namespace

std::shared_ptr<const fem::Mesh> make_mesh(const MeshFile& content, const std::string& file,
                                           double thickness) {
  return MeshMaker(content, file).make(thickness);
}

}  // namespace kurbel
