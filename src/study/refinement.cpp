#include "study/refinement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "fem/cell_grid.hpp"
#include "parts/mesh_file.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

int times(int n, double factor) {
  return static_cast<int>(std::lround(factor * n));
}

/// The largest edge that a geometry's mesh is asked for, a number in m or a text with a unit.
/// @return  m; nothing without such a key
std::optional<double> size_of(const TomlValue* value) {
  if (!value) return {};
  if (const auto* number = std::get_if<double>(&value->data)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data)) return static_cast<double>(*whole);
  const auto [number, unit] = split_quantity(std::get<std::string>(value->data));
  return parse_unit("m")->from(parse_unit(unit).value(), parse_number(number).value());
}

/// Calls act(key path, table) on a table and all tables within it.
template <class Act>
void for_each_table(const TomlValue& value, const std::string& path, const Act& act) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (const TomlValue::Array* array = value.array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      for_each_table((*array)[i], below(std::to_string(i)), act);
  }
  const TomlValue::Table* table = value.table();
  if (!table) return;
  act(path, value);
  for (const TomlEntry& entry : *table) for_each_table(entry.value, below(entry.key), act);
}

/// Elements near surfaces become smaller, too, over the same distance.
void refine_places(const TomlValue& near, const std::string& key, double factor, Refinement& finer) {
  for_each_table(near, key, [&](const std::string& path, const TomlValue& table) {
    const std::optional<double> size = size_of(table.find("size"));
    if (!size) return;
    finer.overrides.push_back(fmt::format("{}.size={:.17g}", path, *size / factor));
    if (!table.find("distance"))
      finer.overrides.push_back(
          fmt::format("{}.distance={:.17g}", path, FinerPlace::default_distance * *size));
  });
}

void refine_mesh(const Problem& problem, const ProblemBody& body, double factor, Refinement& finer) {
  const fem::MeshSpec& mesh = body.flexible.mesh;
  const std::string key = fmt::format("bodies.{}.mesh", body.name);
  if (!mesh.given) {
    std::vector<int> divisions;
    for (int d = 0; d < mesh.dim; ++d)
      divisions.push_back(times(mesh.divisions[static_cast<std::size_t>(d)], factor));
    finer.overrides.push_back(fmt::format("{}.divisions=[{}]", key, fmt::join(divisions, ",")));
    return;
  }
  const std::optional<double> size = size_of(problem.document->find(key + ".size"));
  if (!size) {
    finer.coarse.push_back(fmt::format("the mesh of {} is that of a file", body.name));
    return;
  }
  finer.overrides.push_back(fmt::format("{}.size={:.17g}", key, *size / factor));
  if (const TomlValue* near = problem.document->find(key + ".near"))
    refine_places(*near, key + ".near", factor, finer);
}

}  // namespace

Refinement finer_meshes(const Problem& problem, double factor) {
  Refinement finer;
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::flexible) refine_mesh(problem, body, factor, finer);
    if (body.type == ProblemBody::Type::sid)
      finer.coarse.push_back(fmt::format("{} has its data from a file", body.name));
  }
  const auto refine_beams = [&](const auto& beams) {
    for (const auto& beam : beams)
      finer.overrides.push_back(
          fmt::format("beams.{}.elements={}", beam.name, times(static_cast<int>(beam.n_elements), factor)));
  };
  refine_beams(problem.system.beams);
  refine_beams(problem.system.planar_beams);
  return finer;
}

Refinement more_modes(const Problem& problem, double factor) {
  Refinement more;
  for (const ProblemBody& body : problem.bodies) {
    if (body.type != ProblemBody::Type::flexible) continue;
    const fem::FlexibleBodySpec& spec = body.flexible;
    const std::string key = fmt::format("bodies.{}.modes", body.name);
    if (spec.modes_up_to) {
      more.overrides.push_back(fmt::format("{}.up_to={:.17g}", key, factor * *spec.modes_up_to));
    } else if (!spec.mode_list.empty()) {
      more.coarse.push_back(fmt::format("{}.list chooses the modes of {}", key, body.name));
    } else if (spec.n_normal_modes > 0) {
      more.overrides.push_back(
          fmt::format("{}.normal={}", key, static_cast<int>(std::ceil(factor * spec.n_normal_modes))));
    }
  }
  return more;
}

Refinement shorter_steps(const Problem& problem, int factor) {
  Refinement shorter;
  if (problem.integrator.step == 0.0) return shorter;
  shorter.overrides.push_back(fmt::format("integrator.step={:.17g}", problem.integrator.step / factor));
  for_each_table(problem.document->root, "", [&](const std::string& path, const TomlValue& table) {
    const TomlValue *time = table.find("time"), *every = table.find("every");
    const auto* word = time ? std::get_if<std::string>(&time->data) : nullptr;
    const auto* steps = every ? std::get_if<std::int64_t>(&every->data) : nullptr;
    if (word && *word == "instants" && steps)
      shorter.overrides.push_back(fmt::format("{}.every={}", path, factor * *steps));
  });
  return shorter;
}

VectorXd values_on_mesh(const fem::Mesh& from, const VectorXd& values, const fem::Mesh& to) {
  double size = 0.0;  // the largest distance of a place within an element from its centre
  for (Index e = 0; e < from.n_elements(); ++e) {
    for (const int node : from.nodes_of(e))
      size = std::max(size, (from.positions().col(node) - from.centres().col(e)).norm());
  }
  const fem::CellGrid grid(from.centres(), size);
  VectorXd found(to.n_elements());
  for (Index e = 0; e < to.n_elements(); ++e) {
    const Vector3d centre = to.centres().col(e);
    double least = std::numeric_limits<double>::infinity();
    int nearest = -1;
    grid.find(centre, [&](int j) {
      const double distance = (from.centres().col(j) - centre).squaredNorm();
      if (distance < least) least = distance, nearest = j;
      return false;
    });
    if (nearest < 0) (from.centres().colwise() - centre).colwise().squaredNorm().minCoeff(&nearest);
    found[e] = values[nearest];
  }
  return found;
}

BodyFields fields_on_meshes(const FlexibleBodies& from, const BodyFields& fields, const FlexibleBodies& to) {
  BodyFields moved(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].size() > 0) moved[i] = values_on_mesh(from[i]->mesh(), fields[i], to[i]->mesh());
  }
  return moved;
}

}  // namespace kurbel
