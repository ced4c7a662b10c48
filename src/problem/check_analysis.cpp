/// Refuses keys that belong to a motion and have no meaning for bodies at rest.
#include <fmt/format.h>

#include <algorithm>

#include "problem/checks.hpp"
#include "problem/keys.hpp"
#include "problem/part_tables.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

void refuse(const TomlTable& root, const std::string& key, Analysis analysis) {
  if (!root.has(key)) return;
  root.refuse(key,
              fmt::format("has no meaning with analysis = \"{}\", which asks about flexible bodies alone",
                          word_of(analysis)));
}

/// Statics knows no time: a load is a number.
void refuse_loads_over_time(const TomlTable& load) {
  const char* const message = "is a function of time; with analysis = \"static\" a load is a number";
  for (const char* key : {"force", "torque", "pressure"}) {
    if (!load.has(key)) continue;
    if (load.is_table(key)) load.refuse(key, message);
    if (!load.is_list(key)) continue;
    const TomlTable components = load.list(key, 3);
    for (const char* component : {"0", "1", "2"}) {
      if (components.is_table(component)) components.refuse(component, message);
    }
  }
}

}  // namespace

void check_analysis(const Problem& problem) {
  if (problem.analysis == Analysis::motion) return;
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (load.marker.marker != "origin") continue;
    throw problem.error(
        fmt::format("loads.{}.marker", load.name),
        fmt::format("= \"{}\" is the frame of a body at rest; name a marker", load.marker.body));
  }
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* element = std::get_if<ElementQuantity>(&variable.quantity);
    if (element && element->kind != ElementQuantity::Kind::mesh_size) continue;
    throw problem.error(
        "variables." + variable.name.substr(0, variable.name.find('(')) + ".quantity",
        fmt::format("does not vary with analysis = \"{}\", which varies densities, and moduli, "
                    "densities of the solid and thicknesses of elements",
                    word_of(problem.analysis)));
  }
}

void refuse_keys_of_other_analyses(const TomlTable& root, Analysis analysis) {
  if (analysis == Analysis::motion) return;
  for (const char* key : {"formulation", "coordinates", "ground", "points", "beams", "joints", "road",
                          "initial", "controls", "integrator", "outputs", "sensitivity"})
    refuse(root, key, analysis);
  for (const PartSection& part : part_sections()) refuse(root, part.key.name, analysis);
  for (const TomlTable& load : root.table_or_empty("loads").children()) refuse_loads_over_time(load);
}

}  // namespace kurbel
