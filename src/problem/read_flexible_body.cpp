#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

Vector3d read_lengths(const TomlTable& table, const std::string& key) {
  const std::vector<double> values = table.numbers(key);
  Vector3d out = Vector3d::Zero();
  for (std::size_t d = 0; d < values.size(); ++d) out[static_cast<Eigen::Index>(d)] = values[d];
  return out;
}

fem::MeshSpec read_mesh(const TomlTable& table) {
  fem::MeshSpec mesh;
  mesh.dim = table.choice<int>("shape", {{"rectangle", 2}, {"box", 3}});
  mesh.origin = read_lengths(table, "origin");
  mesh.size = read_lengths(table, "size");
  const TomlTable divisions = table.list("divisions");
  for (int d = 0; d < mesh.dim; ++d) {
    mesh.divisions[static_cast<std::size_t>(d)] = divisions.integer(std::to_string(d));
  }
  if (mesh.dim == 2) mesh.thickness = table.number("thickness");
  mesh.element = table.choice_or(
      "element", mesh.element,
      {{"standard", fem::ElementType::standard}, {"incompatible", fem::ElementType::incompatible}});
  return mesh;
}

fem::Material read_material(const TomlTable& table) {
  return {.youngs_modulus = table.number("youngs_modulus"),
          .poisson_ratio = table.number("poisson_ratio"),
          .density = table.number("density")};
}

fem::Simp read_simp(const TomlTable& table) {
  fem::Simp simp;
  simp.c = table.number_or("c", simp.c);
  simp.q = table.number_or("q", simp.q);
  simp.s = table.number_or("s", simp.s);
  simp.p_min = table.number_or("p_min", simp.p_min);
  simp.threshold = table.number_or("threshold", simp.threshold);
  const double jump = simp.c * std::pow(simp.threshold, simp.q - 1.0) - 1.0;
  if (simp.threshold > simp.p_min && std::abs(jump) > 1e-6) {
    table.fail(
        "", fmt::format("lets the mass jump at threshold = {}: c threshold^(q - 1) is {:.6g} and must be 1; "
                        "threshold = 0 turns the law for low densities off",
                        simp.threshold, jump + 1.0));
  }
  return simp;
}

std::vector<fem::Region> read_regions(const TomlTable& regions, int dim) {
  using Kind = fem::Region::Kind;
  std::vector<fem::Region> out;
  for (const TomlTable& table : regions.children()) {
    const Kind kind = table.choice<Kind>(
        "kind", {{"solid", Kind::solid}, {"void", Kind::voided}, {"frozen", Kind::frozen}});
    out.push_back({read_name(table), kind, read_box(table, dim)});
  }
  return out;
}

/// [bodies.*.frame] and, for the tangent frame, [bodies.*.clamp].
void read_frame(const TomlTable& body, fem::FlexibleBodySpec& spec) {
  using Type = fem::FrameSpec::Type;
  const TomlTable frame = body.table_or_empty("frame");
  spec.frame.type =
      frame.choice_or<Type>("type", Type::tangent,
                            {{"tangent", Type::tangent}, {"chord", Type::chord}, {"buckens", Type::buckens}});
  if (spec.frame.type == Type::tangent) {
    spec.clamp = read_box(body.table("clamp"), spec.mesh.dim);
    return;
  }
  if (body.has("clamp")) body.fail("clamp", "belongs to a frame of type \"tangent\"");
  if (spec.frame.type != Type::chord) return;
  spec.frame.origin = frame.text("origin");
  spec.frame.end = frame.text("end");
  if (spec.mesh.dim == 3) spec.frame.third = frame.text_or("third", "");
}

/// One of modes.normal (how many), modes.up_to (Hz) and modes.list (which).
void read_mode_choice(const TomlTable& modes, fem::FlexibleBodySpec& spec) {
  if (!modes.has("normal") && !modes.has("up_to") && !modes.has("list")) {
    for (const char* choice : {"normal", "up_to", "list"}) modes.refuse_misspelling(choice);
    modes.fail("", "needs one of normal (how many), up_to (Hz) and list (which)");
  }
  if (modes.has("normal")) spec.n_normal_modes = modes.integer("normal");
  if (modes.has("up_to")) spec.modes_up_to = modes.number("up_to");
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
  spec.damping_alpha = damping.number_or("alpha", spec.damping_alpha);
  spec.damping_beta = damping.number_or("beta", spec.damping_beta);
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

}  // namespace

fem::Box read_box(const TomlTable& table, int dim) {
  constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
  fem::Box box;
  bool bounded = false;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
    if (!table.has(axes[d])) continue;
    bounded = true;
    if (!table.is_list(axes[d])) {
      box.lower[d] = box.upper[d] = table.number(axes[d]);
      continue;
    }
    const std::vector<double> ends = table.numbers(axes[d]);
    if (ends[0] > ends[1]) table.refuse(axes[d], "must be [lower, upper]");
    if (std::isfinite(ends[0])) box.lower[d] = ends[0];
    if (std::isfinite(ends[1])) box.upper[d] = ends[1];
  }
  if (!bounded) {
    table.fail(
        "", fmt::format("has no bounds; give x, y{} as a number or [lower, upper]", dim == 3 ? " or z" : ""));
  }
  return box;
}

fem::FlexibleBodySpec read_flexible_body(const TomlTable& body, bool& attachment_modes) {
  fem::FlexibleBodySpec spec;
  spec.name = body.name();
  spec.mesh = read_mesh(body.table("mesh"));
  spec.material = read_material(body.table("material"));
  spec.simp = read_simp(body.table_or_empty("simp"));
  spec.regions = read_regions(body.table_or_empty("regions"), spec.mesh.dim);
  read_frame(body, spec);
  for (const TomlTable& marker : body.table_or_empty("markers").children()) {
    spec.markers.push_back({read_name(marker, "origin"), read_box(marker, spec.mesh.dim)});
  }
  const TomlTable modes = body.table("modes");
  read_mode_choice(modes, spec);
  spec.basis = modes.choice_or<fem::BasisType>(
      "basis", spec.basis,
      {{"normal", fem::BasisType::normal}, {"craig-bampton", fem::BasisType::craig_bampton}});
  attachment_modes = modes.boolean_or("attachment", attachment_modes);
  read_damping(body.table_or_empty("damping"), spec);
  spec.geometric_stiffening = body.boolean_or("geometric_stiffening", spec.geometric_stiffening);
  return spec;
}

}  // namespace kurbel
