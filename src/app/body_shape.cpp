#include "app/body_shape.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "evaluation/body_mesh.hpp"
#include "fem/design_map.hpp"
#include "fem/faces.hpp"
#include "fem/frame.hpp"

namespace kurbel {

namespace {

constexpr double solid_from = 0.5;  ///< of a cut, which has little else than 1 and the least density

}  // namespace

DensityField density_field(const fem::FlexibleBody& body, const fem::BodyDesign& grey,
                           const fem::BodyDesign& cut) {
  const fem::FlexibleBodySpec& spec = body.spec();
  DensityField field{design_mesh(body, grey), grey.density, element_volumes(spec, grey), {}, {}};
  for (const double p : cut.density)
    field.role.push_back(p >= solid_from ? CellRole::solid : CellRole::empty);
  const fem::PassiveElements elements(body.mesh(), spec.regions, spec.simp.p_min, grey.density);
  for (const Eigen::Index e : elements.active()) field.role[static_cast<std::size_t>(e)] = CellRole::varied;

  field.is_held.assign(static_cast<std::size_t>(body.mesh().n_nodes()), false);
  const auto hold = [&](const auto& nodes) {
    for (const int node : nodes) field.is_held[static_cast<std::size_t>(node)] = true;
  };
  hold(fem::clamped_nodes(spec, body.mesh()));
  for (const fem::MarkerSpec& marker : spec.markers) hold(fem::marker_nodes(marker, body.mesh()).nodes);
  for (Eigen::Index e = 0; e < body.n_elements(); ++e) {
    if (field.role[static_cast<std::size_t>(e)] == CellRole::solid) hold(body.mesh().nodes_of(e));
  }
  return field;
}

ShapeOptions shape_options(const fem::FlexibleBody& body, const fem::BodyDesign& cut) {
  ShapeOptions options;
  const VectorXd volume = element_volumes(body.spec(), cut);
  for (Eigen::Index e = 0; e < volume.size(); ++e) {
    if (cut.density[e] >= solid_from) options.volume += volume[e];
  }
  if (cut.thickness.size() == 0) return options;
  options.thickness = cut.thickness[0];
  if (!cut.thickness.isConstant(options.thickness, 1e-9)) {
    throw InputError(
        fmt::format("body {}: its elements differ in thickness, and a shape has one to be extruded by",
                    body.spec().name));
  }
  return options;
}

}  // namespace kurbel
