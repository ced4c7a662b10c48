#include "parts/step_entities.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/spelling.hpp"

namespace kurbel {

namespace {

using Kinds = std::vector<std::string_view>;

constexpr std::string_view any = "";  // or one of several

/// The kinds to which a kind refers, in this order; the last one holds for all further references.
const std::map<std::string_view, Kinds>& needed_kinds() {
  static const std::map<std::string_view, Kinds> needed = {
      {"VECTOR", {"DIRECTION"}},
      {"LINE", {"CARTESIAN_POINT", "VECTOR"}},
      {"AXIS1_PLACEMENT", {"CARTESIAN_POINT", "DIRECTION"}},
      {"AXIS2_PLACEMENT_2D", {"CARTESIAN_POINT", "DIRECTION"}},
      {"AXIS2_PLACEMENT_3D", {"CARTESIAN_POINT", "DIRECTION"}},
      {"PLANE", {"AXIS2_PLACEMENT_3D"}},
      {"CYLINDRICAL_SURFACE", {"AXIS2_PLACEMENT_3D"}},
      {"CONICAL_SURFACE", {"AXIS2_PLACEMENT_3D"}},
      {"SPHERICAL_SURFACE", {"AXIS2_PLACEMENT_3D"}},
      {"TOROIDAL_SURFACE", {"AXIS2_PLACEMENT_3D"}},
      {"SURFACE_OF_REVOLUTION", {any, "AXIS1_PLACEMENT"}},
      {"SURFACE_OF_LINEAR_EXTRUSION", {any, "VECTOR"}},
      {"B_SPLINE_CURVE_WITH_KNOTS", {"CARTESIAN_POINT"}},
      {"B_SPLINE_SURFACE_WITH_KNOTS", {"CARTESIAN_POINT"}},
      {"EDGE_CURVE", {"VERTEX_POINT", "VERTEX_POINT", any}},
      {"ORIENTED_EDGE", {"EDGE_CURVE"}},
      {"EDGE_LOOP", {"ORIENTED_EDGE"}}};
  return needed;
}

/// Further kinds that files of shapes have.
const Kinds& further_kinds() {
  static const Kinds further = {"ADVANCED_BREP_SHAPE_REPRESENTATION",
                                "ADVANCED_FACE",
                                "APPLICATION_CONTEXT",
                                "APPLICATION_PROTOCOL_DEFINITION",
                                "BOUNDED_CURVE",
                                "BOUNDED_SURFACE",
                                "BREP_WITH_VOIDS",
                                "B_SPLINE_CURVE",
                                "B_SPLINE_SURFACE",
                                "CARTESIAN_POINT",
                                "CIRCLE",
                                "CLOSED_SHELL",
                                "COLOUR_RGB",
                                "CONVERSION_BASED_UNIT",
                                "CURVE",
                                "CURVE_STYLE",
                                "DEFINITIONAL_REPRESENTATION",
                                "DIMENSIONAL_EXPONENTS",
                                "DIRECTION",
                                "DRAUGHTING_PRE_DEFINED_COLOUR",
                                "DRAUGHTING_PRE_DEFINED_CURVE_FONT",
                                "ELLIPSE",
                                "FACE_BOUND",
                                "FACE_OUTER_BOUND",
                                "FACE_SURFACE",
                                "FILL_AREA_STYLE",
                                "FILL_AREA_STYLE_COLOUR",
                                "GEOMETRIC_REPRESENTATION_CONTEXT",
                                "GEOMETRIC_REPRESENTATION_ITEM",
                                "GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT",
                                "GLOBAL_UNIT_ASSIGNED_CONTEXT",
                                "HYPERBOLA",
                                "ITEM_DEFINED_TRANSFORMATION",
                                "LENGTH_MEASURE_WITH_UNIT",
                                "LENGTH_UNIT",
                                "MANIFOLD_SOLID_BREP",
                                "MEASURE_WITH_UNIT",
                                "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION",
                                "NAMED_UNIT",
                                "NEXT_ASSEMBLY_USAGE_OCCURRENCE",
                                "OPEN_SHELL",
                                "ORIENTED_CLOSED_SHELL",
                                "PARABOLA",
                                "PARAMETRIC_REPRESENTATION_CONTEXT",
                                "PCURVE",
                                "PLANE_ANGLE_MEASURE_WITH_UNIT",
                                "PLANE_ANGLE_UNIT",
                                "PRESENTATION_LAYER_ASSIGNMENT",
                                "PRESENTATION_STYLE_ASSIGNMENT",
                                "PRODUCT",
                                "PRODUCT_CATEGORY",
                                "PRODUCT_CONTEXT",
                                "PRODUCT_DEFINITION",
                                "PRODUCT_DEFINITION_CONTEXT",
                                "PRODUCT_DEFINITION_FORMATION",
                                "PRODUCT_DEFINITION_SHAPE",
                                "PRODUCT_RELATED_PRODUCT_CATEGORY",
                                "QUASI_UNIFORM_CURVE",
                                "QUASI_UNIFORM_SURFACE",
                                "RATIONAL_B_SPLINE_CURVE",
                                "RATIONAL_B_SPLINE_SURFACE",
                                "REPRESENTATION",
                                "REPRESENTATION_CONTEXT",
                                "REPRESENTATION_ITEM",
                                "REPRESENTATION_RELATIONSHIP",
                                "SEAM_CURVE",
                                "SHAPE_DEFINITION_REPRESENTATION",
                                "SHAPE_REPRESENTATION",
                                "SHAPE_REPRESENTATION_RELATIONSHIP",
                                "SHELL_BASED_SURFACE_MODEL",
                                "SI_UNIT",
                                "SOLID_ANGLE_UNIT",
                                "STYLED_ITEM",
                                "SUBFACE",
                                "SURFACE",
                                "SURFACE_CURVE",
                                "SURFACE_SIDE_STYLE",
                                "SURFACE_STYLE_FILL_AREA",
                                "SURFACE_STYLE_USAGE",
                                "TRIMMED_CURVE",
                                "UNCERTAINTY_MEASURE_WITH_UNIT",
                                "VERTEX_LOOP",
                                "VERTEX_POINT"};
  return further;
}

const std::set<std::string, std::less<>>& known_kinds() {
  static const std::set<std::string, std::less<>> known = [] {
    std::set<std::string, std::less<>> all(further_kinds().begin(), further_kinds().end());
    for (const auto& [kind, to] : needed_kinds()) all.emplace(kind);
    return all;
  }();
  return known;
}

}  // namespace

std::optional<std::string_view> kind_needed(std::string_view kind, int place) {
  const auto found = needed_kinds().find(kind);
  if (found == needed_kinds().end()) return {};
  const Kinds& to = found->second;
  const std::string_view needed = to[std::min(static_cast<std::size_t>(place), to.size() - 1)];
  return needed == any ? std::optional<std::string_view>{} : needed;
}

std::optional<std::string> misspelled_kind(std::string_view kind) {
  if (known_kinds().contains(kind)) return {};
  const auto near = std::ranges::find_if(
      known_kinds(), [&](const std::string& known) { return edit_distance(kind, known) == 1; });
  return near == known_kinds().end() ? std::optional<std::string>{} : *near;
}

}  // namespace kurbel
