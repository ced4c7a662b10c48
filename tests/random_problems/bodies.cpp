#include <fmt/format.h>

#include <algorithm>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

Table box(const std::vector<std::pair<std::string, std::vector<double>>>& bounds) {
  Table table;
  for (const auto& [axis, ends] : bounds) {
    if (ends.size() == 1) {
      set(table, axis, Scalar{ends.front(), length});
    } else {
      set(table, axis, scalars(ends, length));
    }
  }
  return table;
}

void make_rigid(Draft& draft, DraftBody& body) {
  Random& random = draft.random;
  Table& table = draft.body_table(body);
  body.length = random.between(0.1, 0.5);
  body.mass = random.of_size(0.1, 3.0);
  set(table, "type", std::string("rigid"));
  set(table, "mass", Scalar{body.mass, mass});
  set(table, "centre_of_mass",
      scalars({as_written(random.between(0.2, 0.7) * body.length), random.between(-0.02, 0.02),
               random.chance(0.5) ? 0.0 : random.between(-0.02, 0.02)},
              length));
  const double J = as_written(body.mass * body.length * body.length * random.between(0.05, 0.15));
  std::vector<double> J_entries = {as_written(random.between(0.1, 0.3) * J), J, as_written(1.05 * J)};
  if (random.chance(0.4)) {
    draft.mark("inertia=full");
    for (const double share : {0.05, -0.03, 0.02}) J_entries.push_back(as_written(share * J));
  }
  set(table, "inertia", scalars(J_entries, inertia));
  Table& pin = sub_table(sub_table(table, "markers"), "pin");
  set(pin, "position", scalars({body.length, 0.0, 0.0}, length));
  body.root = body.name;
}

struct MeshDraft {
  std::vector<double> size;
  std::vector<int> divisions;
};

MeshDraft make_mesh(Draft& draft, DraftBody& body, Table& table) {
  Random& random = draft.random;
  body.dim = draft.choose("mesh", {{"rectangle", 0.65}, {"box", 0.35}}) == "box" ? 3 : 2;
  body.length = random.between(0.15, 0.5);
  body.height = as_written(body.length * random.between(0.07, 0.14));
  MeshDraft draft_mesh{{body.length, body.height}, {random.integer(3, 6), random.integer(1, 2)}};
  if (body.dim == 3) {
    draft_mesh.size.push_back(as_written(body.height * random.between(0.5, 1.2)));
    draft_mesh.divisions = {random.integer(3, 4), random.integer(1, 2), 1};
  } else if (random.chance(0.01)) {
    draft.mark("mesh=fine");
    draft_mesh.divisions = {60, 12};
  }
  Table& mesh = sub_table(table, "mesh");
  set(mesh, "shape", std::string(body.dim == 3 ? "box" : "rectangle"));
  std::vector<double> origin = {0.0, -0.5 * body.height};
  if (body.dim == 3) origin.push_back(-0.5 * draft_mesh.size[2]);
  set(mesh, "origin", scalars(origin, length));
  set(mesh, "size", scalars(draft_mesh.size, length));
  List divisions;
  for (const int n : draft_mesh.divisions) divisions.emplace_back(n);
  set(mesh, "divisions", std::move(divisions));
  double thickness = body.dim == 3 ? draft_mesh.size[2] : random.between(0.005, 0.02);
  if (body.dim == 2) set(mesh, "thickness", Scalar{thickness, length});
  if (random.chance(0.6)) {
    set(mesh, "element", draft.choose("element", {{"incompatible", 3.0}, {"standard", 1.0}}));
  }
  body.mass = 2500.0 * body.length * body.height * thickness;
  return draft_mesh;
}

void add_markers(DraftBody& body, Table& table, const MeshDraft& mesh) {
  Table& markers = sub_table(table, "markers");
  const double column = body.length / mesh.divisions[0];
  set(markers, "pin", box({{"x", {body.length}}}));
  if (body.root != body.name) set(markers, "root", box({{"x", {0.0}}}));
  const double middle = column * static_cast<double>(mesh.divisions[0] / 2);
  set(markers, "mid", box({{"x", {middle - 0.25 * column, middle + 0.25 * column}}}));
  set(markers, "side", box({{"x", {0.75 * column, body.length}}, {"y", {0.5 * body.height}}}));
  body.deformed = {"pin", "mid", "side"};
}

/// @return its type
std::string add_frame(Draft& draft, DraftBody& body, Table& table) {
  const std::string frame = draft.choose("frame", {{"tangent", 0.5}, {"chord", 0.22}, {"buckens", 0.28}});
  body.root = body.name;
  if (frame == "tangent") {
    set(table, "clamp", box({{"x", {0.0}}}));
    return frame;
  }
  body.root = body.name + ".root";
  Table& of_body = sub_table(table, "frame");
  set(of_body, "type", frame);
  if (frame != "chord") return frame;
  set(of_body, "origin", std::string("root"));
  set(of_body, "end", std::string("pin"));
  if (body.dim == 3 && draft.random.chance(0.5)) {
    set(of_body, "third", std::string("side"));
    draft.mark("frame=chord-with-third-marker");
  }
  return frame;
}

void add_modes(Draft& draft, DraftBody& body, Table& table, const std::string& frame, double first_hz) {
  Random& random = draft.random;
  const bool is_tangent = frame == "tangent";
  Table& modes = sub_table(table, "modes");
  const std::string by = draft.choose("modes", {{"normal", 0.6}, {"list", 0.2}, {"up_to", 0.2}});
  int count = 0;
  if (by == "normal") {
    count = random.integer(1, 4);
    set(modes, "normal", count);
  } else if (by == "list") {
    const int first = random.integer(1, 2);
    set(modes, "list", scalars({double(first), double(first + random.integer(1, 2))}, number));
    count = 2;
  } else {
    set(modes, "up_to", Scalar{as_written(first_hz * random.between(8.0, 25.0))});
  }
  if (frame != "buckens" && random.chance(0.15)) {
    set(modes, "basis", std::string("craig-bampton"));
    draft.mark("basis=craig-bampton");
    body.craig_bampton = true;
  } else if (random.chance(0.25)) {
    set(modes, "attachment", false);
    draft.mark("attachment=false");
  }
  const bool has_attachments = !find(modes, "attachment");
  if (is_tangent && !body.craig_bampton && random.chance(0.15)) {
    set(table, "geometric_stiffening", true);
    draft.mark("geometric-stiffening");
    body.stiffens = true;
  }
  body.moves_with_size = is_tangent && !body.craig_bampton && !body.stiffens;
  if (count > 0 && !has_attachments && random.chance(0.1)) {
    draft.mark("initial=q");
    std::vector<double> q;
    for (int i = 0; i < count; ++i) q.push_back(as_written(random.between(-1e-4, 1e-4)));
    set(sub_table(table, "initial"), random.chance(0.5) ? "q" : "q_dot", scalars(q, number));
  }
  if (!random.chance(0.6)) return;
  Table& damping = sub_table(table, "damping");
  if (random.chance(0.4)) set(damping, "alpha", Scalar{random.between(0.1, 3.0)});
  if (random.chance(0.6)) set(damping, "beta", Scalar{random.of_size(1e-6, 1e-4)});
  if (!random.chance(0.5)) return;
  if (count > 0 && !has_attachments && random.chance(0.5)) {
    draft.mark("damping=by-mode");
    std::vector<double> ratios;
    for (int i = 0; i < count; ++i) ratios.push_back(random.between(0.0, 0.1));
    set(damping, "modal", scalars(ratios, number));
  } else {
    draft.mark("damping=modal");
    set(damping, "modal", Scalar{random.between(0.002, 0.1)});
  }
}

void add_regions(Draft& draft, DraftBody& body, Table& table, const MeshDraft& mesh) {
  Random& random = draft.random;
  if (!random.chance(0.25)) return;
  const int n = mesh.divisions[0];
  const double column = body.length / n;
  const int first = random.integer(1, n - 1), last = random.integer(first, n - 1);
  Table& regions = sub_table(table, "regions");
  Table region = box({{"x", {column * first, column * (last + 1)}}});
  if (random.chance(0.4)) set(region, "y", scalars({0.0, body.height}, length));
  const std::string kind = draft.choose("region", {{"solid", 1.0}, {"void", 1.0}, {"frozen", 1.0}});
  set(region, "kind", kind);
  if (mesh.divisions[1] == 1 && find(region, "y"))
    set(region, "y", scalars({-body.height, body.height}, length));
  set(regions, "r1", std::move(region));
  body.left_out.emplace_back("r1");
  if (!random.chance(0.1)) return;
  Table other = box({{"x", {column * last, column * (last + 1)}}});
  const std::string other_kind = draft.choose("region", {{"solid", 1.0}, {"void", 1.0}});
  if (other_kind != kind) return;  // such an overlap is refused
  set(other, "kind", kind);
  set(regions, "r2", std::move(other));
  draft.mark("regions=overlapping");
}

void add_simp(Draft& draft, Table& table) {
  Random& random = draft.random;
  if (!random.chance(0.3)) return;
  draft.mark("simp=given");
  Table& simp = sub_table(table, "simp");
  set(simp, "s", Scalar{random.pick<double>({1.0, 2.0, 3.0})});
  if (random.chance(0.5)) set(simp, "threshold", Scalar{0.0});
  if (random.chance(0.5)) set(simp, "p_min", Scalar{random.pick<double>({0.001, 0.01, 0.05})});
}

void make_flexible(Draft& draft, DraftBody& body, Table& table) {
  Random& random = draft.random;
  set(table, "type", std::string("flexible"));
  const MeshDraft mesh = make_mesh(draft, body, table);
  const double E = random.of_size(2e8, 2e10), rho = random.between(2000.0, 2800.0);
  Table& material = sub_table(table, "material");
  set(material, "youngs_modulus", Scalar{E, stress});
  set(material, "poisson_ratio", Scalar{random.pick<double>({0.0, 0.2, 0.3, 0.45})});
  set(material, "density", Scalar{rho, mass_density});
  add_simp(draft, table);
  const std::string frame = add_frame(draft, body, table);
  add_markers(body, table, mesh);
  // A clamped beam, E I = E b h^3 / 12.
  const double first_hz =
      3.516 / (2.0 * EIGEN_PI) * body.height / (body.length * body.length) * std::sqrt(E / (12.0 * rho));
  add_modes(draft, body, table, frame, first_hz);
  add_regions(draft, body, table, mesh);
  body.left_out.emplace_back("pin");
}

/// A flexible body of its own, reduced for a force at its end.
void make_sid(Draft& draft, DraftBody& body) {
  SidSource source{
      fmt::format("{}_{}{}", draft.seed, body.name, draft.random.chance(0.5) ? ".h5" : ".SID_FEM"),
      body.name,
      {}};
  draft.mark(source.file.back() == '5' ? "sid=hdf5" : "sid=text");
  Draft other(0);
  other.random = draft.random;
  DraftBody inner = body;
  Table& table = sub_table(sub_table(source.input, "bodies"), body.name);
  make_flexible(other, inner, table);
  draft.random = other.random;
  for (const char* key : {"regions", "initial"}) {
    const auto is_it = [&](const Entry& e) { return e.key == key; };
    table.erase(std::remove_if(table.begin(), table.end(), is_it), table.end());
  }
  Table& joint = sub_table(sub_table(source.input, "joints"), "hold");
  joint = {{"type", std::string("fixed")}, {"from", std::string("ground")}, {"to", inner.root}};
  Table& load = sub_table(sub_table(source.input, "loads"), "pull");
  load = {{"marker", inner.name + ".pin"},
          {"force", Vector{Vector3d(1.0, 1.0, 1.0), Vector::Nature::direction, force}}};
  inner.left_out.clear();
  inner.kind = DraftBody::Kind::sid;
  inner.moves_with_size = false;
  body = inner;
  set(draft.body_table(body), "type", std::string("sid"));
  set(draft.body_table(body), "file", source.file);
  draft.problem.sids.push_back(std::move(source));
}

}  // namespace

DraftBody& add_body(Draft& draft, bool allow_sid) {
  using Kind = DraftBody::Kind;
  DraftBody body;
  body.name = fmt::format("b{}", draft.bodies.size() + 1);
  const std::string kind =
      draft.rigid_only
          ? "rigid"
          : draft.choose("body", {{"rigid", 0.35}, {"flexible", 0.57}, {"sid", allow_sid ? 0.08 : 0.0}});
  if (kind == "rigid") {
    make_rigid(draft, body);
  } else if (kind == "sid") {
    make_sid(draft, body);
  } else {
    body.kind = Kind::flexible;
    make_flexible(draft, body, draft.body_table(body));
  }
  body.pin = body.name + ".pin";
  draft.bodies.push_back(std::move(body));
  return draft.bodies.back();
}

std::string add_ground_marker(Draft& draft, const std::string& name, const Vector3d& position, double angle) {
  Table& markers = sub_table(draft.section("ground"), "markers");
  set(markers, name,
      Table{{"position", Vector{position, Vector::Nature::point, length}},
            {"rotation", Vector{Vector3d(0.0, 0.0, angle), Vector::Nature::attitude}}});
  return "ground." + name;
}

}  // namespace kurbel::random_problems
