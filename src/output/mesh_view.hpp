/// @file
/// A field on a mesh as seen from one side, as pixels.
#pragma once

#include <functional>

#include "base/types.hpp"
#include "output/png_file.hpp"
#include "output/shown_surface.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

/// A mesh with a value on each cell. It is flat if its cells are triangles and quadrilaterals, in a plane z = constant.
struct MeshField {
  UnstructuredGrid grid;
  VectorXd values;  ///< one per cell

  bool is_flat() const;
};

/// The box around the points of a mesh, m.
struct MeshBox {
  Vector3d origin = Vector3d::Zero(), size = Vector3d::Zero();
};
MeshBox box_around(const UnstructuredGrid& grid);

/// A rectangle seen along an axis.
struct MeshView {
  RgbImage image;
  int first = 0, second = 1;  ///< the axes to the right and upwards
};

using ColorOf = std::function<Color(double)>;

/// Pixels per metre with which the longest of some edges has about so many pixels, and elements of the size of the
/// first one a whole number.
double pixels_per_metre(const UnstructuredGrid& grid, const std::vector<int>& axes, int length);

/// Values of a flat field from above, NaN outside; of several cells at a place the value that is largest in magnitude.
/// For a field in space, the mean along the axis over the cells that a line of sight passes.
struct ValueView {
  MatrixXd values;  ///< (pixels to the right) x (pixels upwards)
  int first = 0, second = 1;
};
ValueView seen_values(const MeshField& field, double pixels_per_metre);
/// Colours of the values, and a line around the mesh, so that its void regions are told from what is outside.
MeshView coloured(const ValueView& seen, const ColorOf& color_of);

/// A surface in a box, looked at against one axis, as if lit from the viewer's left shoulder; darker the farther it is.
MeshView shaded_view(const ShownSurface& shown, const MeshBox& box, int along, double pixels_per_metre);

Color blend(const Color& from, const Color& to, double weight);

}  // namespace kurbel
