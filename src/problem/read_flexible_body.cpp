#include <cmath>

#include "parts/read_part.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

FinerPlace read_finer(const TomlTable& table) {
  FinerPlace near{.size = table.number("size")};
  if (table.has("set")) near.set = table.text("set");
  if (table.has("surface")) near.surface = table.integer("surface");
  if (table.has("set") == table.has("surface")) table.fail("", "needs either set or surface");
  near.distance = table.number_or("distance", FinerPlace::default_distance * near.size);
  return near;
}

/// A part from a file, which says whether it is plane or solid.
/// @param same  its mesh if it was read before
std::shared_ptr<const fem::Mesh> read_file(const TomlTable& table, const std::filesystem::path& directory,
                                           const fem::MeshSpec* same) {
  constexpr double inch = 0.0254, foot = 0.3048;
  PartFile part{.path = (directory / table.text("file")).lexically_normal()};
  if (table.has("size")) part.size = table.number("size");
  if (table.has("order")) part.order = table.integer("order");
  if (table.has("unit")) {
    part.unit = table.choice<double>(
        "unit", {{"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"in", inch}, {"ft", foot}});
  }
  for (const TomlTable& near : table.one_or_more("near")) part.near.push_back(read_finer(near));
  const double thickness = table.has("thickness") ? table.number("thickness") : 1.0;
  if (same && same->given) return same->given;
  try {
    return read_part(part, thickness);
  } catch (const InputError& error) {
    table.refuse("file", "cannot be used: {}", error.what());
  }
}

fem::MeshSpec read_mesh_of_file(const TomlTable& table, const std::filesystem::path& directory,
                                const fem::MeshSpec* same) {
  if (!table.has("file")) {
    table.refuse_misspelling("shape");
    table.refuse_misspelling("file");
    table.fail("", "needs shape = \"rectangle\" or \"box\", or the file of a part");
  }
  const auto mesh = read_file(table, directory, same);
  const bool has_thickness = table.has("thickness");
  if (mesh->dim() == 2 && !has_thickness)
    table.fail("thickness", "is missing: the part in the file is plane");
  if (mesh->dim() == 3 && has_thickness)
    table.fail("thickness", "belongs to a plane part; the one in the file is solid");
  if (mesh->dim() == 3 && table.has("plane"))
    table.fail("plane", "belongs to a plane part; the one in the file is solid");
  return fem::spec_of_given(mesh, has_thickness ? table.number("thickness") : 1.0);
}

fem::MeshSpec read_mesh(const TomlTable& table, const std::filesystem::path& directory,
                        const fem::MeshSpec* same) {
  enum class Shape { rectangle, box, file };
  const Shape shape = table.choice_or<Shape>(
      "shape", Shape::file, {{"rectangle", Shape::rectangle}, {"box", Shape::box}, {"file", Shape::file}});
  fem::MeshSpec mesh;
  if (shape == Shape::file) {
    mesh = read_mesh_of_file(table, directory, same);
  } else {
    mesh.dim = shape == Shape::rectangle ? 2 : 3;
    mesh.origin = read_vector(table, "origin");
    mesh.size = read_vector(table, "size");
    const TomlTable divisions = table.list("divisions");
    for (int d = 0; d < mesh.dim; ++d) {
      mesh.divisions[static_cast<std::size_t>(d)] = divisions.integer(std::to_string(d));
    }
  }
  if (same) mesh.made = same->made;
  keys::mesh().read(table, mesh);
  return mesh;
}

void check_simp(const TomlTable& table, const fem::Simp& simp) {
  if (simp.light_mass == fem::Simp::LightMass::smooth) {
    if (simp.threshold == 0.0)
      table.refuse("threshold", "= 0 leaves no light material for light_mass = \"smooth\"");
    return;
  }
  const double jump = simp.c * std::pow(simp.threshold, simp.q - 1.0) - 1.0;
  if (simp.threshold > simp.p_min && std::abs(jump) > 1e-6) {
    table.fail("",
               "lets the mass jump at threshold = {}: c threshold^(q - 1) is {:.6g} and must be 1; "
               "threshold = 0 turns the law for low densities off",
               simp.threshold, jump + 1.0);
  }
}

void read_symmetry(const TomlTable& body, fem::FlexibleBodySpec& spec) {
  for (const TomlTable& table : body.one_or_more("symmetry")) {
    fem::SymmetryPlane plane;
    if (table.has("point")) plane.point = read_vector(table, "point");
    plane.normal = read_vector(table, "normal");
    if (spec.mesh.dim == 2 && (plane.point[2] != 0.0 || plane.normal[2] != 0.0))
      table.refuse(plane.normal[2] != 0.0 ? "normal" : "point", "leaves the plane of the body, z = 0");
    if (plane.normal.isZero(0.0)) table.refuse("normal", "has no direction");
    spec.symmetry.push_back(plane);
  }
}

std::vector<fem::Region> read_regions(const TomlTable& regions, const fem::MeshSpec& mesh) {
  std::vector<fem::Region> out;
  for (const TomlTable& table : regions.children()) {
    out.push_back({.name = read_name(table), .place = read_place(table, mesh)});
    keys::region().read(table, out.back());
  }
  return out;
}

fem::MarkerSpec read_marker(const TomlTable& table, const fem::MeshSpec& mesh) {
  using Weights = fem::MarkerSpec::Weights;
  fem::MarkerSpec marker{read_name(table, "origin"), read_place(table, mesh),
                         mesh.given ? Weights::area : Weights::equal};
  keys::flexible_marker().read(table, marker);
  return marker;
}

std::vector<fem::SupportSpec> read_supports(const TomlTable& body, const fem::MeshSpec& mesh) {
  std::vector<fem::SupportSpec> supports;
  for (const TomlTable& table : body.table_or_empty("supports").children()) {
    fem::SupportSpec support{read_name(table), read_place(table, mesh)};
    for (const int axis : table.choices("fixed", keys::axis_indices)) {
      if (axis >= mesh.dim) table.refuse("fixed", "has z; the body is plane and moves along x and y alone");
      support.fixed[static_cast<std::size_t>(axis)] = true;
    }
    supports.push_back(std::move(support));
  }
  return supports;
}

/// Reads what of [bodies.*.frame] depends on other tables, and for the tangent frame [bodies.*.clamp].
void read_frame(const TomlTable& body, Analysis analysis, fem::FlexibleBodySpec& spec) {
  using Type = fem::FrameSpec::Type;
  spec.supports = read_supports(body, spec.mesh);
  if (!is_of_mechanism(analysis) && spec.supports.empty() && !body.has("clamp")) {
    for (const char* choice : {"clamp", "supports"}) body.refuse_misspelling(choice);
    body.fail("", "needs `supports` or `clamp`, which hold it at rest");
  }
  if (spec.frame.type == Type::tangent) {
    spec.is_clamped = body.has("clamp") || spec.supports.empty();
    if (!spec.is_clamped) return;
    spec.clamp = read_place(body.table("clamp"), spec.mesh);
    return;
  }
  if (spec.frame.type == Type::chord && spec.mesh.dim == 3)
    spec.frame.third = body.table("frame").text_or("third", "");
}

/// One of modes.normal (how many), modes.up_to (Hz) and modes.list (which).
void read_mode_choice(const TomlTable& modes, fem::FlexibleBodySpec& spec) {
  if (!modes.has("normal") && !modes.has("up_to") && !modes.has("list")) {
    for (const char* choice : {"normal", "up_to", "list"}) modes.refuse_misspelling(choice);
    modes.fail("", "needs one of normal (how many), up_to (Hz) and list (which)");
  }
  if (!modes.has("list")) return;
  const std::vector<double> numbers = modes.numbers("list");
  for (const double number : numbers) {
    const bool follows = spec.mode_list.empty() || number > spec.mode_list.back();
    if (number != std::round(number) || !follows)
      modes.refuse("list", "must be mode numbers from 1 in ascending order");
    spec.mode_list.push_back(static_cast<int>(number));
  }
  spec.n_normal_modes = static_cast<int>(numbers.size());
}

void read_damping(const TomlTable& damping, fem::FlexibleBodySpec& spec) {
  if (!damping.has("modal")) return;
  if (!damping.is_list("modal")) {
    spec.damping_modal = {damping.number("modal")};
    return;
  }
  spec.damping_modal = damping.numbers("modal");
  if (spec.modes_up_to) {
    damping.fail("modal",
                 "must be one ratio for all with modes.up_to, whose number of modes is counted later");
  }
}

/// Elastic coordinates, their frame and damping have no meaning without a motion.
void refuse_keys_of_motions(const TomlTable& body, const fem::FlexibleBodySpec& spec) {
  refuse_keys(body, {"modes", "damping", "geometric_stiffening", "initial"},
              "belongs to a motion, analysis = \"motion\"");
  if (spec.frame.type != fem::FrameSpec::Type::tangent)
    body.refuse("frame",
                "of this type belongs to a motion; a body at rest is held by `clamp` and `supports`");
}

}  // namespace

fem::FlexibleBodySpec read_flexible_body(const TomlTable& body, const std::filesystem::path& directory,
                                         const fem::MeshSpec* same, Analysis analysis,
                                         bool& attachment_modes) {
  fem::FlexibleBodySpec spec;
  spec.name = body.name();
  spec.mesh = read_mesh(body.table("mesh"), directory, same);
  keys::body().read(body, spec);
  check_simp(body.table_or_empty("simp"), spec.simp);
  spec.regions = read_regions(body.table_or_empty("regions"), spec.mesh);
  read_symmetry(body, spec);
  read_frame(body, analysis, spec);
  for (const TomlTable& marker : body.table_or_empty("markers").children()) {
    spec.markers.push_back(read_marker(marker, spec.mesh));
  }
  if (!is_of_mechanism(analysis)) {
    refuse_keys_of_motions(body, spec);
    spec.is_reduced = attachment_modes = false;
    return spec;
  }
  refuse_keys(body, {"supports"},
              "hold a body at rest; one that moves is held by its joints, its frame by `clamp`");
  const TomlTable modes = body.table("modes");
  read_mode_choice(modes, spec);
  attachment_modes = modes.boolean_or("attachment", attachment_modes);
  read_damping(body.table_or_empty("damping"), spec);
  return spec;
}

}  // namespace kurbel
