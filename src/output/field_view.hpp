/// @file
/// A field on a structured mesh as seen from one side, as pixels.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "base/types.hpp"
#include "output/png_file.hpp"

namespace kurbel {

/// Elements numbered x fastest, then y, then z; in 2D the third division is 1.
struct StructuredField {
  std::array<int, 3> divisions = {1, 1, 1};
  Vector3d size = Vector3d::Ones();    ///< edge lengths of the whole mesh, m; in 2D the third is ignored
  const VectorXd* values = nullptr;    ///< one per element; not owned
  Vector3d origin = Vector3d::Zero();  ///< its corner, m

  bool is_flat() const { return divisions[2] == 1; }
};

/// A flat field whose mesh was moved in its plane: what was at X is at r + S X.
struct PlacedField {
  StructuredField field;
  Vector3d r = Vector3d::Zero();      ///< m
  Matrix3d S = Matrix3d::Identity();  ///< about z
};

/// A rectangle seen along an axis.
struct FieldView {
  RgbImage image;
  int first = 0, second = 1;  ///< the axes to the right and upwards
};

using ColorOf = std::function<Color(double)>;

/// The mean along the shortest edge, in 2D along z.
MatrixXd mean_along_shortest_edge(const StructuredField& field);

/// The field by colours, from the side of mean_along_shortest_edge().
/// @param length  of the longer side, pixels; rounded to whole pixels per element unless there are more
///                elements than pixels, of which some are not seen then
FieldView coloured_view(const StructuredField& field, const MatrixXd& means, int length,
                        const ColorOf& color_of);

/// Origin and size of the box around flat fields, without values.
StructuredField box_around(const std::vector<PlacedField>& fields);

/// Flat fields from above, in the box around them; of several at a place the largest value.
/// @param length  of the longer side, pixels
FieldView placed_view(const std::vector<PlacedField>& fields, int length, const ColorOf& color_of);

/// The surface within which a density is 0.5 or more, looked at against one axis, as if lit from the viewer's
/// left shoulder; darker the farther it is.
FieldView shaded_view(const StructuredField& density, int along, double pixels_per_metre);

Color blend(const Color& from, const Color& to, double weight);

}  // namespace kurbel
