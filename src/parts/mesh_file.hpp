/// @file
/// A meshed part as its file has it, before it is checked and becomes the mesh of a body.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "fem/mesh.hpp"

namespace kurbel {

/// Smaller elements at a surface of a geometry, in the plane at a curve.
struct FinerPlace {
  static constexpr double default_distance = 10.0;  ///< by their own size

  std::string set{};      ///< name of its physical group
  int surface = 0;        ///< or its number; 0: by name
  double size = 0.0;      ///< longest edge of the elements there, m
  double distance = 0.0;  ///< at which they have the size of the part, m
};

/// A part that somebody drew or meshed, and what is to be made of it.
struct PartFile {
  std::filesystem::path path;
  /// The longest edge of elements, m, where the file has a geometry to be meshed; none: as the file says.
  std::optional<double> size{};
  std::optional<int> order{};    ///< of the elements; none: 2 for a geometry, that of the file for a mesh
  std::optional<double> unit{};  ///< m; none: that of a STEP file, or 1
  std::vector<FinerPlace> near{};
  /// Least number of elements around a full turn of a curve or surface of a geometry; 0: none.
  int least_per_turn = 0;
  /// True if nothing refers to surfaces by their numbers: a surface of triangles that cannot be meshed is tried again with fewer
  /// edges, and then with its own triangles.
  bool edges_may_change = false;
};

/// Elements of one type in a mesh file.
struct FileBlock {
  int dim = 0;
  std::string type;  ///< "tet10", or the file's name of a type that kurbel does not have
  std::optional<fem::ElementKind> kind{};  ///< of elements that a body may have
  int n_corners = 0;
  std::vector<std::size_t> tags{};  ///< numbers of the elements in the file
  Eigen::MatrixXi nodes{};          ///< indices of their nodes in MeshFile::positions, as numbered in VTK
  int entity = 0;  ///< the part of the model that they mesh, by its number within the dimension
};

/// A named group. Where blocks of the highest dimension are in groups, the body is what those groups have.
struct FileGroup {
  std::string name;
  int dim = 0;                                                   ///< of the blocks
  std::vector<std::size_t> blocks{};                             ///< all their elements
  std::vector<std::pair<std::size_t, Eigen::Index>> elements{};  ///< block, index in it
  std::vector<int> nodes{};                                      ///< indices in MeshFile::positions
};

struct MeshFile {
  fem::Mesh::Points positions;    ///< 3 x n, m
  std::vector<std::size_t> tags;  ///< numbers of the nodes in the file
  std::vector<FileBlock> blocks;
  std::vector<FileGroup> groups;
};

/// An element with middle nodes that is inverted or degenerate: on curved surfaces, large elements fold.
class FoldedElement : public InputError {
 public:
  using InputError::InputError;
};

/// The mesh of a body: the elements of the highest dimension, of those in groups alone if any is in one. A mesh of
/// triangles and quadrilaterals has to lie in a plane z = const, and is moved to z = 0.
/// @param file  names it in messages
/// @throws InputError, with the file and its number of an element or node, if there are no elements, some of a type that
/// kurbel does not have, inverted or degenerate ones, nodes twice at one place, or elements that do not lie in a plane
/// @throws FoldedElement, an InputError, if an inverted or degenerate element has middle nodes
std::shared_ptr<const fem::Mesh> make_mesh(const MeshFile& content, const std::string& file,
                                           double thickness);

}  // namespace kurbel
