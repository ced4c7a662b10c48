/// @file
/// The boundary of what is solid in a field of densities.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "results/unstructured_grid.hpp"

namespace kurbel {

/// A design has no shape that can be made, or one that cannot be meshed. The program then ends with exit code 3.
class ShapeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The share of a cell in a shape.
enum class CellRole {
  varied,  ///< as much as its density says
  solid,   ///< all of it: its faces stay where they are
  empty    ///< nothing
};

/// A body as densities on a mesh.
struct DensityField {
  UnstructuredGrid mesh;     ///< flat if its cells are triangles and quadrilaterals, in a plane z = constant
  VectorXd density, volume;  ///< of each cell; m^3
  std::vector<CellRole> role;  ///< of each cell
  std::vector<bool> is_held;   ///< points of clamps and markers, which stay like those of solid cells
  /// Tells whether a point is in the place that is to be solid, whose border may run through cells. Without it, this border
  /// is that of the solid cells.
  std::function<bool(const Vector3d&)> is_in_solid_place = nullptr;
  /// The same of the place that is to be empty. Points on a border that both places have are in both.
  std::function<bool(const Vector3d&)> is_in_void_place = nullptr;
};

/// A mesh as triangles (flat) or tetrahedra, with densities of points.
struct Simplices {
  /// A face (edge) by the simplex that it is to bound, and the corner of this that it does not have.
  struct Face {
    Eigen::Index simplex;
    int opposite;
    bool is_outer;  ///< no other simplex has it
  };
  MatrixXd points = MatrixXd(3, 0);  ///< m
  Eigen::MatrixXi corners;           ///< 3 or 4 x n
  std::vector<CellRole> role;        ///< of each; none is empty in the end
  std::vector<Eigen::Index> cell;    ///< of which each is a part
  /// Faces of one simplex alone, and those between solid and varied ones.
  std::vector<Face> faces;
  VectorXd density;           ///< of the points: the mean of the varied cells around, weighted by volume
  std::vector<bool> is_held;  ///< points
  /// Points on the border of the solid place that the mesh did not have there. The boundary may round the corner in which
  /// varied material meets this border.
  std::vector<bool> is_blended;
  /// Points on the border of the void place. They stay, and hold no piece of material.
  std::vector<bool> is_walled;
  /// The points in the middles of edges that are curved and held (not of hexahedra), by the ends of these, the smaller number first.
  std::map<std::pair<int, int>, int> middles;
  bool is_flat() const { return corners.rows() == 3; }
};

/// Divides cells so that neighbours meet in whole faces, without the empty ones. Quadratic cells are taken by their
/// corners; the middles of their curved edges are listed.
Simplices divide(const DensityField& field);

/// Makes the border of a solid or void place one of simplices: points close to it move there, simplices that it crosses are
/// divided. What is inside gets the role of the place, and the rest of cells with this role becomes varied, with the density
/// beside them. Cells with this role that are not of the place keep their faces.
/// @param role  of the place: solid or empty
/// @pre  the simplices have their faces; these belong to the former simplices then
void follow_place(Simplices& simplices, const std::function<bool(const Vector3d&)>& is_inside, CellRole role);

/// Faces around what is solid: triangles, counterclockwise as seen from outside; of a flat mesh edges, with the solid to
/// their left.
struct Boundary {
  /// Ends of the edge of the mesh on which a point lies. Both are the same point where it is one of the mesh, and -1 where
  /// it is new.
  struct Ends {
    int inside, outside;
  };
  MatrixXd points = MatrixXd(3, 0);  ///< m
  Eigen::MatrixXi faces;             ///< 2 or 3 x n
  Eigen::MatrixXi inner;             ///< 3 x n, of a flat mesh: triangles between the edges, counterclockwise
  /// Faces at which a density has the level, or that blend the border of the solid place into these; others are faces of
  /// the mesh.
  std::vector<bool> is_cut;
  std::vector<bool> is_held;  ///< points
  std::vector<Ends> ends;     ///< of points
  int n_crumbs = 0;           ///< omitted pieces
  /// Points of the mesh at edges of more than two faces: parts touch in a line there. Flat bodies have none.
  std::vector<int> crowded;
};

/// The boundary of the solid simplices and of those parts of the varied ones in which the density, linear between
/// points, is at least the level. It is closed: what two simplices share is cut at the same points. Cuts stay away from
/// corners by a thousandth of the edge, so that every face has an area. Pieces without a point that is held are left out
/// where they are crumbs: with less than a tenth of the points inside.
/// @param solid  points of the mesh that are inside whatever their density
Boundary cut_at(const Simplices& simplices, double level, const std::vector<int>& solid = {});

/// Moves points to the mean of their neighbours and back, `passes` times, which takes out the steps of elements and
/// keeps the volume but for what it rounds [G. Taubin, SIGGRAPH 1995]. Points that are held stay; points on faces of the
/// mesh stay in these, and none leaves the box. Other points within a flat mesh follow.
void smooth(Boundary& boundary, int passes, const Eigen::AlignedBox3d& box);

/// Points of the mesh that are to be solid so that smoothing does not make faces pass through each other there: those within
/// gaps or members narrower than an element.
/// @param before  the points before smoothing, whose faces do not cross
std::set<int> narrow_points(const Boundary& boundary, const MatrixXd& before);

/// Takes smoothing back step by step where faces pass through each other, or where triangles in a plane are turned over and
/// no other diagonal helps.
/// @param before  the points before it, whose faces do not cross
void untangle(Boundary& boundary, const MatrixXd& before);

/// A place where faces pass through each other.
struct Crossing {
  Vector3d place;   ///< m
  bool is_of_mesh;  ///< Faces of the mesh alone do so, whatever the densities are.
};
/// A place where a density has the level, if there is one; else one of the mesh.
std::optional<Crossing> find_crossing(const Boundary& boundary);

/// Lets the boundary pass through the middles of curved edges that are held, so that round walls of quadratic triangles,
/// quadrilaterals and tetrahedra have twice as many faces around. Faces at such an edge are divided.
void round_curved_edges(Boundary& boundary, const Simplices& simplices);

}  // namespace kurbel
