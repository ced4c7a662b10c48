#include "app/body_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <variant>

#include "base/errors.hpp"
#include "evaluation/body_mesh.hpp"
#include "fem/design_map.hpp"
#include "fem/faces.hpp"
#include "fem/frame.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

constexpr double solid_from = 0.5;  ///< density

/// True if the place depends on a set or surface of a mesh, so that coordinates alone do not tell if a point is inside.
bool has_name(const fem::Place& place) {
  if (const auto* all = std::get_if<fem::AllOf>(&place.shape))
    return std::ranges::any_of(all->places, has_name);
  if (const auto* any = std::get_if<fem::AnyOf>(&place.shape))
    return std::ranges::any_of(any->places, has_name);
  if (const auto* none = std::get_if<fem::Not>(&place.shape)) return has_name(none->place.front());
  return std::holds_alternative<fem::SetName>(place.shape) ||
         std::holds_alternative<fem::SurfaceNumber>(place.shape);
}

/// A region with its elements.
struct MeshedRegion {
  const fem::Region* region;
  std::vector<int> elements;
};

/// From small to large. Shapes of regions without common elements may still overlap between the centres of these: the
/// smaller one has such points.
std::vector<MeshedRegion> by_size(const fem::FlexibleBody& body) {
  std::vector<MeshedRegion> regions;
  for (const fem::Region& region : body.spec().regions)
    regions.push_back({&region, body.mesh().elements_in(region.place)});
  std::ranges::stable_sort(regions, {}, [](const MeshedRegion& one) { return one.elements.size(); });
  return regions;
}

/// The regions that are solid or void as a whole and stated by their shapes, which tell whether a point is inside. A void one
/// beside solid elements that no shape states is none of them: its round border would take from these.
class ShapedRegions {
 public:
  ShapedRegions(const fem::FlexibleBody& body, const VectorXd& density)
      : tolerance_(1e-6 * body.mesh().element_size().head(body.mesh().dim()).minCoeff()) {
    std::set<int> others;  // nodes of regions with solid elements that no shape states
    for (const auto& [region, elements] : by_size(body)) {
      std::vector<int> nodes;
      for (const int e : elements) {
        for (const int node : body.mesh().nodes_of(e)) nodes.push_back(node);
      }
      const bool is_solid = is_alike(*region, elements, density, true),
                 is_void = is_alike(*region, elements, density, false);
      const auto is_of_others = [&](int node) { return others.contains(node); };
      if (!has_name(region->place) && (is_solid || (is_void && std::ranges::none_of(nodes, is_of_others))))
        regions_.push_back({region->place, is_solid});
      else if (!is_void)
        others.insert(nodes.begin(), nodes.end());
    }
  }

  /// Tells whether a point is in such a region of this kind, or on its border; nothing if there are none.
  std::function<bool(const Vector3d&)> place_of(bool is_solid) const {
    const auto is_of_kind = [&](const One& one) { return one.is_solid == is_solid; };
    if (std::ranges::none_of(regions_, is_of_kind)) return nullptr;
    return [regions = regions_, tolerance = tolerance_, is_solid](const Vector3d& x) {
      for (const One& one : regions) {
        const double distance = fem::distance_to(one.place, x);
        if (one.is_solid == is_solid && distance <= tolerance) return true;
        if (one.is_solid != is_solid && distance < -tolerance) return false;
      }
      return false;
    };
  }

 private:
  struct One {
    fem::Place place;
    bool is_solid;
  };

  static bool is_alike(const fem::Region& region, const std::vector<int>& elements, const VectorXd& density,
                       bool is_solid) {
    if (region.kind == fem::Region::Kind::solid) return is_solid;
    if (region.kind == fem::Region::Kind::voided) return !is_solid;
    const auto has_kind = [&](int e) { return (density[e] >= solid_from) == is_solid; };
    return !elements.empty() && std::ranges::all_of(elements, has_kind);
  }

  double tolerance_;
  std::vector<One> regions_;  ///< the first one that has a point decides
};

}  // namespace

DensityField density_field(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  const fem::FlexibleBodySpec& spec = body.spec();
  DensityField field{design_mesh(body, design), design.density, element_volumes(spec, design), {}, {}};
  // Regions are stated on the mesh as it is given; where the design stretches it, their elements count.
  if (field.mesh.points == body.mesh().positions()) {
    const ShapedRegions regions(body, design.density);
    field.is_in_solid_place = regions.place_of(true), field.is_in_void_place = regions.place_of(false);
  }
  for (const double p : design.density)
    field.role.push_back(p >= solid_from ? CellRole::solid : CellRole::empty);
  const fem::PassiveElements elements(body.mesh(), spec.regions, spec.simp.p_min, design.density);
  for (const Eigen::Index e : elements.active()) field.role[static_cast<std::size_t>(e)] = CellRole::varied;

  field.is_held.assign(static_cast<std::size_t>(body.mesh().n_nodes()), false);
  const auto hold = [&](const auto& nodes) {
    for (const int node : nodes) field.is_held[static_cast<std::size_t>(node)] = true;
  };
  hold(fem::clamped_nodes(spec, body.mesh()));
  for (const fem::SupportSpec& support : spec.supports) hold(body.mesh().nodes_in(support.place));
  for (const fem::MarkerSpec& marker : spec.markers) hold(fem::marker_nodes(marker, body.mesh()).nodes);
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

namespace {

/// The surface of the mesh as it is, by the corners of its elements.
Shape shape_of_mesh(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  DensityField field{design_mesh(body, design),
                     VectorXd::Ones(body.n_elements()),
                     element_volumes(body.spec(), design),
                     {},
                     {}};
  field.role.assign(static_cast<std::size_t>(body.n_elements()), CellRole::solid);
  field.is_held.assign(static_cast<std::size_t>(body.mesh().n_nodes()), true);
  return make_shape(field, shape_options(body, design));
}

}  // namespace

ShapesOfResult::ShapesOfResult(const Study& study)
    : study_(study),
      grey_(study.space().at(study.space().start())),
      cut_(cut_to_solid_and_void(study.chain().bodies(), grey_)) {
  for (std::size_t i = 0; i < study.chain().n_bodies(); ++i) {
    const fem::FlexibleBody* body = study.chain().body(i);
    if (body && body->spec().surface) cut_.bodies.push_back({.body = i});
  }
  if (cut_.bodies.empty())
    throw InputError(
        "neither densities nor a surface vary in this run, so that there is no shape of a result");
}

Shape ShapesOfResult::make(const CutBody& body) const {
  if (model(body).spec().surface) return shape_of_mesh(model(body), grey_.bodies[body.body]);
  const fem::BodyDesign &grey = grey_.bodies[body.body], &cut = cut_.design.bodies[body.body];
  const ShapeOptions options = shape_options(model(body), cut);
  if (options.volume == 0.0) {
    throw ShapeFailure(
        fmt::format("body {}: no element of the cut is solid, so that it has no shape. Raise "
                    "constraints.volume_fraction, and optimize again",
                    model(body).spec().name));
  }
  return make_shape(density_field(model(body), grey), options);
}

double ShapesOfResult::thickness(const CutBody& body) const {
  return shape_options(model(body), cut_.design.bodies[body.body]).thickness;
}

std::optional<std::string> fault_of(const Shape& shape) {
  if (shape.crossing) return crossing_message(shape);
  const SurfaceFaults faults = find_faults(shape.surface);
  if (faults.is_closed()) return {};
  const Vector3d& x = faults.place;
  return fmt::format(
      "its surface is not that of a solid: {} open edges, {} of more than two triangles, {} where triangles "
      "are turned, such as at ({:.4g}, {:.4g}, {:.4g}) m. The mesh of the part or a border of its regions "
      "touches itself there: change these",
      faults.open_edges, faults.crowded_edges, faults.turned_edges, x.x(), x.y(), x.z());
}

void warn_of(const std::string& name, const Shape& shape) {
  if (const auto fault = fault_of(shape)) log_warning(fmt::format("body {}: {}", name, *fault));
  constexpr double much = 0.001;
  if (shape.lost > much * shape.volume)
    log_warning(fmt::format(
        "body {}: {:.2g} % of the solid is in members of one element, which the shape lacks. Raise "
        "filter.radius, or refine the mesh, and optimize again",
        name, 100.0 * shape.lost / shape.volume));
  if (shape.n_crumbs > 0)
    log_warning(fmt::format(
        "body {}: {} that nothing holds {} omitted from its shape. A larger filter.radius or a "
        "finer mesh avoids such pieces",
        name, shape.n_crumbs == 1 ? "a small piece" : fmt::format("{} small pieces", shape.n_crumbs),
        shape.n_crumbs == 1 ? "is" : "are"));
  if (const int pieces = count_pieces(shape.surface); pieces > 1)
    log_warning(fmt::format("body {}: its shape consists of {} pieces that do not touch", name, pieces));
}

}  // namespace kurbel
