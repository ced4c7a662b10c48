/// Refuses keys that belong to a motion and have no meaning for bodies at rest.
#include <fmt/format.h>

#include "problem/checks.hpp"
#include "problem/named_parts.hpp"
#include "problem/part_tables.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

constexpr const char* of_motions = "belongs to a motion, analysis = \"motion\"";

/// Statics knows no time: a load is a number.
void refuse_loads_over_time(const TomlTable& load) {
  const char* const message = "is a function of time; with analysis = \"static\" a load is a number";
  for (const char* key : {"force", "torque", "pressure"}) refuse_functions_of_time(load, key, message);
}

/// Files of a motion, which other analyses do not write.
void refuse_output_of_motions(const TomlTable& output) {
  refuse_keys(output,
              {"motion", "motion_frames", "deformation_scale", "solid_above", "trajectory", "adjoint"},
              of_motions);
}

/// Modes take a state of rest from the motion's start, and nothing from its course.
void refuse_keys_of_time(const TomlTable& root, Analysis analysis) {
  const std::string why =
      fmt::format("has no meaning with analysis = \"{}\", which examines only the start of the mechanism",
                  word_of(analysis));
  refuse_keys(root, {"integrator", "controls"}, why);
  if (analysis != Analysis::frequency_response) refuse_keys(root, {"outputs"}, why);
  refuse_keys(root.table_or_empty("output"), {"trajectory", "adjoint"}, of_motions);
}

void check_about_rest(const Problem& problem) {
  const char* const analysis = word_of(problem.analysis);
  using Method = SensitivityOptions::Method;
  if (has_momenta(problem.formulation))
    throw problem.error("formulation",
                        "= \"{}\" has momenta in place of velocities, and does not go with analysis = "
                        "\"{}\"; take \"{}\"",
                        word_of(problem.formulation), analysis,
                        word_of(has_joint_coordinates(problem.formulation) ? Formulation::semi_recursive
                                                                           : Formulation::floating_frame));
  const Method method = problem.sensitivity.method;
  if (method == Method::continuous_adjoint || method == Method::direct)
    throw problem.error("sensitivity.method",
                        "= \"{}\" does not go with analysis = \"{}\", which has no motion over time; "
                        "remove it",
                        method == Method::direct ? "direct" : "continuous-adjoint", analysis);
  for (const DesignVariable& variable : problem.design.variables) {
    if (!is_end_of_motion(variable)) continue;
    throw problem.error(path_of(variable) + ".quantity",
                        "= \"integrator.t1\" is the end of a motion, and analysis = \"{}\" has none",
                        analysis);
  }
}

/// Refuses buckling loads of a body whose surface moves: their derivatives by the positions of its nodes are unknown.
void refuse_buckling_of_moved_surface(const Problem& problem, const std::string& body,
                                      const DesignVariable& variable) {
  const auto refuse = [&](const Problem& own) {
    for_each_term(own, [&](const CriterionTerm& term, const std::string& path) {
      if (term.quantity == Quantity::buckling_load && term.body == body)
        throw problem.error(path_of(variable) + ".quantity",
                            "moves the surface of {}, by which {} has no derivatives; remove either", body,
                            path);
    });
  };
  refuse(problem);
  for (const ProblemCase& own : problem.cases) refuse(*own.problem);
}

}  // namespace

void check_analysis(const Problem& problem) {
  if (is_about_rest(problem.analysis)) return check_about_rest(problem);
  if (problem.analysis == Analysis::motion) return;
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (load.marker.marker != "origin") continue;
    throw problem.error(fmt::format("loads.{}.marker", load.name),
                        "= \"{}\" is the frame of a body at rest; name a marker", load.marker.body);
  }
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* element = std::get_if<ElementQuantity>(&variable.quantity);
    if (element && element->kind == ElementQuantity::Kind::mesh_surface)
      refuse_buckling_of_moved_surface(problem, problem.bodies[element->body].name, variable);
    if (element && element->kind != ElementQuantity::Kind::mesh_size) continue;
    throw problem.error(path_of(variable) + ".quantity",
                        "does not vary with analysis = \"{}\", which varies densities, surfaces of meshes, "
                        "and moduli, densities of the solid and thicknesses of elements",
                        word_of(problem.analysis));
  }
}

void refuse_keys_of_other_analyses(const TomlTable& root, Analysis analysis) {
  if (is_about_rest(analysis)) return refuse_keys_of_time(root, analysis);
  if (analysis == Analysis::motion) return;
  const std::string why = fmt::format(
      "has no meaning with analysis = \"{}\", which asks about flexible bodies alone", word_of(analysis));
  refuse_keys(root,
              {"formulation", "coordinates", "ground", "points", "beams", "joints", "road", "initial",
               "controls", "integrator", "outputs", "sensitivity"},
              why);
  for (const PartSection& part : part_sections()) refuse_keys(root, {part.key.name.c_str()}, why);
  if (analysis == Analysis::eigenfrequency) refuse_keys(root, {"loads", "gravity"}, why);
  for (const TomlTable& load : root.table_or_empty("loads").children()) refuse_loads_over_time(load);
  refuse_output_of_motions(root.table_or_empty("output"));
}

}  // namespace kurbel
