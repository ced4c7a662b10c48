/// @file
/// A designed body as the field from which its shape is made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/cut_design.hpp"
#include "shape/shape.hpp"
#include "study/study.hpp"

namespace kurbel {

/// The densities of a body as a field, its regions as solid and empty cells; solid ones stated by a shape also as the
/// place whose border the shape follows. Points of clamps, supports and markers are held.
DensityField density_field(const fem::FlexibleBody& body, const fem::BodyDesign& design);

/// The volume of the cut and the thickness of the body.
/// @throws InputError if elements of a flat body differ in thickness
ShapeOptions shape_options(const fem::FlexibleBody& body, const fem::BodyDesign& cut);

/// The shapes of a result: of each body whose densities vary, from the design and its cut, and of each whose surface moves.
class ShapesOfResult {
 public:
  /// @throws InputError if neither densities nor surfaces vary
  explicit ShapesOfResult(const Study& study);

  const Study& study() const { return study_; }
  const Design& grey() const { return grey_; }
  const CutDesign& cut() const { return cut_; }
  const std::vector<CutBody>& bodies() const { return cut_.bodies; }
  const fem::FlexibleBody& model(const CutBody& body) const { return *study_.chain().body(body.body); }
  const std::string& name(const CutBody& body) const { return study_.problem().bodies[body.body].name; }
  /// @throws InputError as make_shape() and shape_options()
  Shape make(const CutBody& body) const;
  /// The thickness of a flat body, m; 0 of a solid.
  double thickness(const CutBody& body) const;

 private:
  const Study& study_;
  Design grey_;
  CutDesign cut_;  ///< also of the bodies whose surface moves, which it leaves as they are
};

/// The reason why the surface of a shape bounds no solid, and what to do about it; nothing if it bounds one.
std::optional<std::string> fault_of(const Shape& shape);

/// Warns of what a shape is not: closed, whole, or all of the solid.
void warn_of(const std::string& body, const Shape& shape);

}  // namespace kurbel
