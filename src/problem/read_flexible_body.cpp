#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

Vector3d read_lengths(const TomlTable& table, const std::string& key, int dim, const Range& range) {
  const auto n = static_cast<std::size_t>(dim);
  const std::vector<double> values = table.numbers(key, n, n, range);
  Vector3d out = Vector3d::Zero();
  for (std::size_t d = 0; d < n; ++d) out[static_cast<Eigen::Index>(d)] = values[d];
  return out;
}

fem::MeshSpec read_mesh(const TomlTable& table) {
  fem::MeshSpec mesh;
  mesh.dim = table.choice<int>("shape", {{"rectangle", 2}, {"box", 3}});
  mesh.origin = read_lengths(table, "origin", mesh.dim, Range::any());
  mesh.size = read_lengths(table, "size", mesh.dim, Range::positive());
  const TomlTable divisions = table.list("divisions", static_cast<std::size_t>(mesh.dim));
  for (int d = 0; d < mesh.dim; ++d) {
    mesh.divisions[static_cast<std::size_t>(d)] = divisions.integer(std::to_string(d), Range::at_least(1));
  }
  if (mesh.dim == 2) mesh.thickness = table.number("thickness", Range::positive());
  mesh.element = table.choice_or(
      "element", mesh.element,
      {{"standard", fem::ElementType::standard}, {"incompatible", fem::ElementType::incompatible}});
  return mesh;
}

fem::Material read_material(const TomlTable& table) {
  return {.youngs_modulus = table.number("youngs_modulus", Range::positive()),
          .poisson_ratio = table.number("poisson_ratio", Range::open(-1.0, 0.5)),
          .density = table.number("density", Range::positive())};
}

fem::Simp read_simp(const TomlTable& table) {
  fem::Simp simp;
  simp.c = table.number_or("c", simp.c, Range::positive());
  simp.q = table.number_or("q", simp.q, Range::at_least(1.0));
  simp.s = table.number_or("s", simp.s, Range::at_least(1.0));
  simp.p_min = table.number_or("p_min", simp.p_min, Range::open(0.0, 1.0));
  simp.threshold = table.number_or("threshold", simp.threshold, Range::closed(0.0, 1.0));
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
  const int n_given = modes.has("normal") + modes.has("up_to") + modes.has("list");
  if (n_given != 1) {
    modes.fail("", fmt::format("{} of normal (how many), up_to (Hz) and list (which)",
                               n_given == 0 ? "needs one" : "has more than one"));
  }
  if (modes.has("normal")) spec.n_normal_modes = modes.integer("normal", Range::at_least(0));
  if (modes.has("up_to")) spec.modes_up_to = modes.number("up_to", Range::positive());
  if (!modes.has("list")) return;
  const std::vector<double> numbers = modes.numbers("list", 1, 200, Range::closed(1.0, 200.0));
  for (const double number : numbers) {
    const bool follows = spec.mode_list.empty() || number > spec.mode_list.back();
    if (number != std::round(number) || !follows)
      modes.refuse("list", "must be mode numbers from 1 in ascending order");
    spec.mode_list.push_back(static_cast<int>(number));
  }
  spec.n_normal_modes = static_cast<int>(numbers.size());
}

void read_damping(const TomlTable& damping, fem::FlexibleBodySpec& spec) {
  spec.damping_alpha = damping.number_or("alpha", spec.damping_alpha, Range::at_least(0.0));
  spec.damping_beta = damping.number_or("beta", spec.damping_beta, Range::at_least(0.0));
  if (!damping.has("modal")) return;
  if (!damping.is_list("modal")) {
    spec.damping_modal = {damping.number("modal", Range::at_least(0.0))};
    return;
  }
  spec.damping_modal = damping.numbers("modal", 1, std::string::npos, Range::at_least(0.0));
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
    Range range;
    range.infinite = true;
    const std::vector<double> ends = table.numbers(axes[d], 2, 2, range);
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
