/// @file
/// Gmsh's functions, as plain data and with errors as ours. Only gmsh_library.cpp knows Gmsh.
///
/// The library is loaded when a part is first read, and keeps its symbols to itself: it has templates of Eigen compiled with
/// another alignment than ours, which must not take each other's place, and starting a program need not load CAD.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Gmsh between initialize() and finalize(), silent, with an empty model. Its state is global: one at a time.
/// @throws InputError  all functions, with the first error that Gmsh logged
class Gmsh {
 public:
  /// Dimension and number of a part of the model.
  using Entity = std::pair<int, int>;
  struct Nodes {
    std::vector<std::size_t> tags;
    std::vector<double> coordinates;  ///< three each
  };
  struct Elements {
    int type;
    std::vector<std::size_t> tags, nodes;
  };
  struct Type {
    std::string name;
    int dim = 0, n_nodes = 0, n_corners = 0;
  };

  Gmsh();
  ~Gmsh();
  Gmsh(const Gmsh&) = delete;
  Gmsh& operator=(const Gmsh&) = delete;

  void set(const char* option, double value) const;
  void set(const char* option, const char* value) const;
  void open(const std::string& file) const;
  /// Writes the file in the format of its ending.
  void write(const std::string& file) const;

  int dimension() const;
  /// Edge lengths of the box around the model.
  Vector3d extent() const;
  /// Area of all surfaces of CAD in planes z = constant, in the unit of the model, squared. They are filled with triangles:
  /// OpenCASCADE's own integral is off by 1 % where a surface ends at long splines.
  /// @param edge  of the triangles, at most
  double level_area(double edge) const;
  std::vector<Entity> entities(int dim = -1) const;
  std::vector<Entity> groups() const;
  std::string group_name(Entity group) const;
  std::vector<int> entities_of(Entity group) const;

  bool has_elements(int dim) const;
  Nodes nodes() const;
  std::vector<std::size_t> nodes_of_group(Entity group) const;
  std::vector<Elements> elements(Entity entity) const;
  Type type(int number) const;

  /// Growth of elements from a place: their longest edges there and from `distance` on.
  struct Growth {
    double size, far_size, distance;
  };
  /// A field of sizes, by its number.
  int add_growing_size(int dim, const std::vector<int>& entities, const Growth& growth) const;
  void take_smallest_size(const std::vector<int>& fields) const;
  /// Bounds edges by a function of the place.
  /// @param size_at  lives as long as this
  void set_size_at(const std::function<double(const Vector3d&)>& size_at) const;
  void generate(int dim) const;
  void set_order(int order) const;
  /// Divides a surface of triangles into surfaces that end where it turns by an angle, rad.
  void divide_surface(double angle) const;
  /// Makes geometries of divided surfaces, which are meshed anew. Those that cannot be laid in a plane become several, which
  /// keep the numbers of their elements.
  void take_as_geometry(double angle) const;
  /// Closed surfaces become the boundary of a volume.
  void fill_surfaces() const;
};

}  // namespace kurbel
