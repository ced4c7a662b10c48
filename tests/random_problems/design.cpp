#include <fmt/format.h>

#include <cmath>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

/// A number of the input that [variables] may vary.
struct Candidate {
  std::string quantity, kind, component;
  double start, half_range;
  Dimension dimension;
  bool positive = false, of_elements = false, moves_twin = false;
};

double number_at(Table& table, const std::string& key) {
  return std::get<Scalar>(find(table, key)->data).value;
}

double number_at(Table& table, const std::string& key, std::size_t i) {
  return std::get<Scalar>(std::get<List>(find(table, key)->data)[i].data).value;
}

void add_of_rigid(Draft& draft, const DraftBody& body, std::vector<Candidate>& out) {
  Random& random = draft.random;
  const std::string path = "bodies." + body.name + ".";
  Table& table = draft.body_table(body);
  out.push_back({path + "mass", "mass", "", body.mass, 0.4 * body.mass, mass, true});
  const auto axis = static_cast<std::size_t>(random.integer(0, 2));
  out.push_back({path + "centre_of_mass", "centre_of_mass", axes[axis],
                 number_at(table, "centre_of_mass", axis), 0.1 * body.length, length});
  const double J = number_at(table, "inertia", 1);
  out.push_back({path + "inertia", "inertia", "yy", J, 0.04 * J, inertia});
  out.push_back({path + "markers.pin.position", "marker", "x", body.length, 0.1 * body.length, length, false,
                 false, true});
}

void add_of_flexible(Draft& draft, const DraftBody& body, std::vector<Candidate>& out) {
  Random& random = draft.random;
  const std::string path = "bodies." + body.name + ".";
  Table& table = draft.body_table(body);
  Table& mesh = sub_table(table, "mesh");
  Table& material = sub_table(table, "material");
  const auto add = [&](const char* key, double start, Dimension dimension) {
    out.push_back({path + key, key, "", start, 0.5 * start, dimension, true, true});
  };
  add("material.youngs_modulus", number_at(material, "youngs_modulus"), stress);
  add("material.density", number_at(material, "density"), mass_density);
  if (body.dim == 2) add("mesh.thickness", number_at(mesh, "thickness"), length);
  if (!body.moves_with_size) return;
  const auto axis = static_cast<std::size_t>(random.integer(0, body.dim - 1));
  const double size = number_at(mesh, "size", axis);
  out.push_back({path + "mesh.size", "mesh.size", axes[axis], size, 0.3 * size, length, true, false, true});
}

/// The start of a body, as it is given.
void add_of_start(Draft& draft, const DraftBody& body, std::vector<Candidate>& out) {
  Table& initial = sub_table(draft.body_table(body), "initial");
  const std::string path = "bodies." + body.name + ".initial.";
  const auto axis = static_cast<std::size_t>(draft.random.integer(0, 2));
  for (const char* key : {"position", "velocity"}) {
    const Value* value = find(initial, key);
    if (!value) continue;
    const double start = std::get<Vector>(value->data).value[static_cast<Eigen::Index>(axis)];
    out.push_back(
        {path + key, fmt::format("initial.{}", key), axes[axis], start, 0.1, length, false, false, true});
  }
  if (find(initial, "angular_velocity"))
    out.push_back({path + "angular_velocity", "initial.angular_velocity", "z",
                   number_at(initial, "angular_velocity", 2), 1.0, number});
}

/// The values of drives by tables.
void add_of_drives(Draft& draft, std::vector<Candidate>& out) {
  if (!find(draft.root(), "joints")) return;
  for (Entry& joint : draft.section("joints")) {
    Value* drives = find(std::get<Table>(joint.value.data), "drive");
    if (!drives) continue;
    List& list = std::get<List>(drives->data);
    for (std::size_t i = 0; i < list.size(); ++i) {
      Table& drive = std::get<Table>(list[i].data);
      Value* values = find(drive, "values");
      if (!values || find(drive, "unit")) continue;
      double least = 0.0, most = 0.0;
      Dimension dimension;
      for (const Value& value : std::get<List>(values->data)) {
        const Scalar& v = std::get<Scalar>(value.data);
        least = std::min(least, v.value), most = std::max(most, v.value), dimension = v.dimension;
      }
      const std::string place = list.size() == 1 ? "drive" : fmt::format("drive.{}", i);
      out.push_back({fmt::format("joints.{}.{}.values", joint.key, place), "drive.values", "",
                     0.5 * (least + most), most - least, dimension, false, false, true});
    }
  }
}

std::vector<Candidate> candidates(Draft& draft) {
  Random& random = draft.random;
  std::vector<Candidate> out;
  for (const DraftBody& body : draft.bodies) {
    if (body.kind == DraftBody::Kind::rigid) add_of_rigid(draft, body, out);
    if (body.kind == DraftBody::Kind::flexible) add_of_flexible(draft, body, out);
    if (draft.rigid_only) add_of_start(draft, body, out);
  }
  if (draft.rigid_only) add_of_drives(draft, out);
  if (find(draft.root(), "ground")) {
    for (Entry& marker : sub_table(draft.section("ground"), "markers")) {
      const Vector& position = std::get<Vector>(find(std::get<Table>(marker.value.data), "position")->data);
      const int axis = random.integer(0, 2);
      out.push_back({"ground.markers." + marker.key + ".position", "ground-marker", axes[axis],
                     position.value[axis], 0.05, length, false, false, true});
    }
  }
  const auto add_forces = [&](const char* section,
                              const std::vector<std::pair<const char*, Dimension>>& keys) {
    if (!find(draft.root(), section)) return;
    for (Entry& spring : draft.section(section)) {
      for (const auto& [key, dimension] : keys) {
        Table& table = std::get<Table>(spring.value.data);
        if (!find(table, key)) continue;
        const double start = number_at(table, key);
        if (start == 0.0) continue;
        out.push_back({fmt::format("{}.{}.{}", section, spring.key, key), fmt::format("{}.{}", section, key),
                       "", start, 0.4 * std::abs(start), dimension});
      }
    }
  };
  add_forces("springs", {{"stiffness", stiffness}, {"damping", stiffness}, {"free_length", length}});
  add_forces("torsion_springs", {{"stiffness", moment}, {"damping", moment}, {"free_angle", number}});
  return out;
}

void add_variables(Draft& draft, int n) {
  Random& random = draft.random;
  std::vector<Candidate> all = candidates(draft);
  random.shuffle(all);
  for (int i = 0; i < n && i < static_cast<int>(all.size()); ++i) {
    const Candidate& c = all[static_cast<std::size_t>(i)];
    Table variable = {{"quantity", c.quantity}};
    if (!c.component.empty()) set(variable, "component", c.component);
    const double share = random.between(0.3, 0.7);
    set(variable, "lower", Scalar{c.start - 2.0 * share * c.half_range, c.dimension});
    set(variable, "upper", Scalar{c.start + 2.0 * (1.0 - share) * c.half_range, c.dimension});
    if (c.of_elements && random.chance(0.3)) {
      set(variable, "each_element", true);
      draft.mark("variable=each-element");
    }
    set(draft.section("variables"), fmt::format("v{}", i), std::move(variable));
    draft.mark("variable=" + c.kind);
    if (c.of_elements || c.kind == "mesh.size") {
      draft.mark("designs=mesh");
      draft.mark("variable=of-elements");
    }
    draft.moves_twin = draft.moves_twin || c.moves_twin;
  }
}

void add_densities(Draft& draft, std::vector<std::string> bodies) {
  Random& random = draft.random;
  if (bodies.size() > 1 && random.chance(0.3)) bodies.pop_back();
  if (bodies.size() > 1 && random.chance(0.3)) {
    std::swap(bodies.front(), bodies.back());
    draft.mark("designed-bodies=reordered");
  }
  List names;
  for (const std::string& body : bodies) names.emplace_back(body);
  set(draft.section("design"), "start", Scalar{random.between(0.4, 0.95)});
  set(draft.section("design"), "bodies", std::move(names));
  draft.mark("designs=densities");
  draft.mark("designs=mesh");
  const std::string filter = draft.choose("filter", {{"none", 0.5}, {"density", 0.3}, {"sensitivity", 0.2}});
  if (filter != "none") {
    set(draft.section("filter"), "type", filter);
    set(draft.section("filter"), "radius", Scalar{random.between(0.05, 0.2), length});
  }
  if (!random.chance(0.3)) return;
  draft.mark("projection=heaviside");
  Table& projection = draft.section("projection");
  set(projection, "type", std::string("heaviside"));
  set(projection, "eta", Scalar{random.between(0.3, 0.6)});
  set(projection, "beta_start", Scalar{random.pick<double>({1.0, 4.0, 8.0})});
}

void add_sensitivity(Draft& draft) {
  Random& random = draft.random;
  const std::string method = draft.choose(
      "method", {{"none", 0.6}, {"discrete-adjoint", 0.15}, {"direct", 0.15}, {"continuous-adjoint", 0.1}});
  if (method != "none") set(draft.section("sensitivity"), "method", method);
  // Its derivatives are those by the densities, in the normal basis, without stiffening.
  bool serves = draft.has("designs=densities") && !draft.has("variable=of-elements");
  for (const DraftBody& body : draft.bodies) serves = serves && !body.stiffens && !body.craig_bampton;
  if (serves && random.chance(0.15)) {
    set(draft.section("sensitivity"), "path", std::string("augmented-sid"));
    draft.mark("path=augmented-sid");
  }
}

}  // namespace

void add_design(Draft& draft) {
  Random& random = draft.random;
  std::vector<std::string> flexible;
  for (const DraftBody& body : draft.bodies) {
    if (body.kind == DraftBody::Kind::flexible) flexible.push_back(body.name);
  }
  const bool densities = !flexible.empty() && random.chance(0.85);
  if (densities) add_densities(draft, flexible);
  if (!densities || random.chance(0.5)) add_variables(draft, random.integer(1, 3));
  add_sensitivity(draft);
}

}  // namespace kurbel::random_problems
