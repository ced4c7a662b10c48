/// @file
/// Meshes of elements of several kinds. A box of equal elements is one way to make one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fem/batches.hpp"
#include "fem/body_spec.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// Elements of one kind.
struct ElementBlock {
  ElementKind kind;
  Eigen::MatrixXi nodes;  ///< nodes of the kind x n_elements, as numbered in VTK
  /// Elements with the same number have equal shape, up to a translation, and share their matrices; numbered from 0
  /// in the order in which they appear. Empty: every element has a shape of its own.
  std::vector<int> shape_class{};
};

/// Nodes with a weight each, by which a mean over them is taken; only the ratios of the weights count.
struct NodeSet {
  std::vector<int> nodes;
  std::vector<double> weights;
};

/// A face of an element, in 2D an edge, by its index in topology().faces.
struct FacePlace {
  int element;
  int index;
  auto operator<=>(const FacePlace&) const = default;
};

/// A part of a mesh under a name of its own: elements, or faces of the surface, or nodes alone.
struct MeshSet {
  std::string name;
  std::vector<int> nodes;          ///< of all that it has, ascending
  std::vector<int> elements{};     ///< ascending
  std::vector<FacePlace> faces{};  ///< ascending
};

/// The names and surfaces that a file gives to parts of its mesh.
struct MeshParts {
  std::vector<MeshSet> sets;
  /// Faces of the surface by the surfaces of the model that was meshed; none: surfaces() finds them by their normals.
  std::vector<std::vector<FacePlace>> surfaces;
};

class MeshSource;

/// Nodes, elements of all blocks, numbered block after block, and what follows from them. Immutable.
class Mesh {
 public:
  using Points = Eigen::Matrix<double, 3, Eigen::Dynamic>;
  using Nodes = Eigen::Map<const Eigen::VectorXi>;

  /// Makes the mesh of a specification. A box has its nodes and elements numbered x fastest, then y, then z, and one
  /// shape for all elements. A given mesh is moved and stretched to origin and size.
  /// @throws InputError if dim is not 2 or 3, a division is below 1, or a length is not positive
  explicit Mesh(const MeshSpec& spec);

  /// @param positions  3 x n_nodes, m; z = 0 in 2D
  /// @param thickness  m, 2D only
  /// @throws InputError, with the number of the element, if one has a node that does not exist, is of the other
  /// dimension, inverted or degenerate, or if a node belongs to no element
  Mesh(int dim, Points positions, const std::vector<ElementBlock>& blocks, double thickness = 1.0);

  int dim() const { return dim_; }
  Eigen::Index n_nodes() const { return positions_.cols(); }
  Eigen::Index n_elements() const { return static_cast<Eigen::Index>(class_of_.size()); }

  /// 3 x n_nodes, m; z = 0 in 2D.
  const Points& positions() const { return positions_; }
  /// The same elements with their nodes elsewhere. Elements that share a shape (class_of) have to share one there, too, as
  /// they do after an affine map.
  Mesh moved(Points positions) const;

  /// Numbers of the nodes of an element.
  Nodes nodes_of(Eigen::Index element) const {
    const auto first = element_begin_[static_cast<std::size_t>(element)];
    const auto end = element_begin_[static_cast<std::size_t>(element) + 1];
    return Nodes(element_nodes_.data() + first, end - first);
  }
  ElementKind kind_of(Eigen::Index element) const { return classes_[class_at(element)].kind; }
  /// The number of different shapes that elements have; classes are numbered over all blocks.
  Eigen::Index n_classes() const { return std::ssize(classes_); }
  const std::vector<int>& class_of() const { return class_of_; }
  ElementKind class_kind(Eigen::Index c) const { return classes_[static_cast<std::size_t>(c)].kind; }
  /// Places of the nodes of a class's elements, 3 x nodes, with the first in the origin, m.
  const Points& class_corners(Eigen::Index c) const { return classes_[static_cast<std::size_t>(c)].corners; }
  /// Successive elements of one kind.
  struct Block {
    ElementKind kind;
    Eigen::Index first, n_elements;
    Eigen::Map<const Eigen::MatrixXi> nodes;  ///< nodes of the kind x n_elements
  };
  std::vector<Block> blocks() const;

  /// Means over the corners, 3 x n_elements, m.
  const Points& centres() const { return centres_; }
  /// Areas (2D) or volumes, n_elements, m^2 or m^3.
  VectorXd measures() const;
  /// n_elements, m^3 (2D: area times thickness).
  const VectorXd& volumes() const { return volumes_; }
  /// The smallest extents of elements along the axes, m; in 2D the third is the thickness.
  const Vector3d& element_size() const { return element_size_; }
  const Batches& batches() const { return batches_; }

  /// The same mesh with names for its parts.
  Mesh with_parts(MeshParts parts) &&;
  const MeshParts& parts() const { return parts_; }

  /// Numbers, ascending, of the nodes (elements, by centre) in a place. Bounds of a box count as inside within 1e-4 of an
  /// element's extent, those of other shapes within 1e-4 of the smallest one. In 2D, z = 0. Of an element set the nodes of its
  /// elements are in it, of a surface those of its faces and no element.
  /// @throws InputError if the place names a set or surface that the mesh does not have
  std::vector<int> nodes_in(const Place& place) const;
  std::vector<int> elements_in(const Place& place) const;

 private:
  struct ShapeClass {
    ElementKind kind;
    Points corners;
    double measure;
  };

  void make_box(const MeshSpec& spec, const MeshSource& source);
  void add_block(const ElementBlock& block);
  void require_usable() const;
  void find_centres();
  void find_sizes(double thickness);
  void colour(std::vector<Eigen::Index> begin);
  std::size_t class_at(Eigen::Index element) const {
    return static_cast<std::size_t>(class_of_[static_cast<std::size_t>(element)]);
  }

  int dim_;
  Points positions_, centres_;
  std::vector<Eigen::Index> element_begin_{0};
  std::vector<int> element_nodes_, class_of_;
  std::vector<ShapeClass> classes_;
  VectorXd volumes_;
  Vector3d element_size_;
  Batches batches_;
  MeshParts parts_;
};

/// Makes the mesh of a specification. A given mesh that stays at its place is shared, not copied.
/// @throws InputError  as the constructor
std::shared_ptr<const Mesh> make_mesh(const MeshSpec& spec);

/// Makes a specification that takes the mesh as it is: origin and size are those of the box around it.
MeshSpec spec_of_given(std::shared_ptr<const Mesh> mesh, double thickness = 1.0);

}  // namespace kurbel::fem
