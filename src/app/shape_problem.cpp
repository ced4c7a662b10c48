#include "app/shape_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_context.hpp"
#include "app/finished_run.hpp"
#include "app/fitted_problem.hpp"
#include "keys/toml_parser.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

namespace {

constexpr const char* what_for = "move the surface of";

/// A name for the variable of a body's surface that no other variable has.
std::string name_of_surface(const std::string& body, const Problem& problem) {
  std::string name = body + "_surface";
  const auto is_taken = [&](const DesignVariable& other) { return other.name == name; };
  while (std::ranges::any_of(problem.design.variables, is_taken)) name += "_shape";
  return name;
}

/// Offsets are up to half an edge of an element; more come by another round. Elements at edges of the shape are smaller than that:
/// each keeps a fifth of its size, so that the search goes on elsewhere where one becomes narrow. What lies on the surface of the
/// space in which the body was designed moves inward only.
std::string surface_override(const std::string& body, double edge, const std::vector<std::string>& outer_sets,
                             const Problem& problem) {
  constexpr double edges = 0.5, distortion = 4.0;
  std::string inward;
  for (const std::string& set : outer_sets)
    inward += fmt::format("{}{{set={}}}", inward.empty() ? "" : ",", toml_string(set));
  const bool takes_bounds = !why_unsuitable(problem.optimizer.method, 1, 0);
  return fmt::format("variables.{}={{quantity={},lower={:.4g},upper={:.4g}{}{}}}",
                     toml_string(name_of_surface(body, problem)),
                     toml_string("bodies." + body + ".mesh.surface"), -edges * edge, edges * edge,
                     takes_bounds ? fmt::format(",distortion={}", distortion) : "",
                     inward.empty() ? "" : ",inward=[" + inward + "]");
}

/// Takes out what belongs to densities.
void forget_densities(TomlValue& root) {
  erase_keys(root.find("design"), {"bodies"});
  TomlValue* optimizer = root.find("optimizer");
  const TomlValue* method = optimizer ? optimizer->find("method") : nullptr;
  const auto* word = method ? std::get_if<std::string>(&method->data) : nullptr;
  if (word && *word == "oc") erase_keys(optimizer, {"method"});
}

}  // namespace

TomlDocument shape_problem(const CommandLine& args) {
  RunDirectory folder = RunDirectory::of_run(args.shape, what_for);
  const Study designed = study_of_result(folder.path(), what_for);
  const ShapesOfResult shapes(designed);
  FittedProblem fitted(shapes, folder.path(), folder.path(), "shape");
  require_json_is_no_input(args, fitted.files());
  claim_all(folder, fitted.files());
  Report report = log_report();
  fitted.mesh(designed.problem().title, report);
  std::vector<std::string> overrides;
  for (std::size_t i = 0; i < fitted.names().size(); ++i)
    overrides.push_back(
        surface_override(fitted.names()[i], fitted.edges()[i], fitted.outer_sets()[i], designed.problem()));
  if (const auto bound = designed.problem().constraints.volume_fraction)
    overrides.push_back(fmt::format("constraints.volume_fraction={}", *bound / fitted.share_of_volume()));
  overrides.insert(overrides.end(), args.overrides.begin(), args.overrides.end());
  return fitted.document(what_for, overrides, forget_densities);
}

}  // namespace kurbel
