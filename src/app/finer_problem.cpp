#include "app/finer_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/command_context.hpp"
#include "app/finished_run.hpp"
#include "app/results.hpp"
#include "input/density_reader.hpp"
#include "keys/toml_parser.hpp"
#include "output/log.hpp"
#include "output/run_file.hpp"
#include "study/refinement.hpp"

namespace kurbel {

namespace {

constexpr const char* what_for = "refine";
constexpr double half_the_edge = 2.0;

InputError refused(const RunDirectory& folder, const std::string& why) {
  return InputError(fmt::format("cannot refine {}: {}", folder.path().string(), why));
}

void require_densities(const Problem& problem, const RunDirectory& folder) {
  if (problem.design.bodies.empty()) throw refused(folder, "no densities vary in it");
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
    if (quantity && quantity->each_element)
      throw refused(folder, fmt::format("variables.{} has a value for each element of the coarse mesh",
                                        variable.name.substr(0, variable.name.find('('))));
  }
}

std::vector<std::string> refined(const Problem& problem, const RunDirectory& folder) {
  const Refinement finer = finer_meshes(problem, half_the_edge);
  if (!finer.coarse.empty()) throw refused(folder, fmt::format("{}", fmt::join(finer.coarse, "; ")));
  return finer.overrides;
}

/// The steepness of the projection with which the run ended.
std::optional<double> last_steepness(const RunDirectory& folder) {
  const RunReader run(folder / "run.h5");
  for (Eigen::Index row = run.n_evaluations() - 1; row >= 0; --row) {
    const RunEvaluation evaluation = run.evaluation(row);
    if (evaluation.failure.empty() && evaluation.steepness > 0.0) return evaluation.steepness;
  }
  return {};
}

/// Densities and density variables of the result by body; variables are empty where the file has none.
struct ResultFields {
  BodyFields density, design;
};

ResultFields fields_of_result(const Study& coarse, const RunDirectory& folder) {
  const DensityFile file(folder / "final.vtu");
  ResultFields fields{BodyFields(coarse.chain().n_bodies()), BodyFields(coarse.chain().n_bodies())};
  for (const std::size_t i : coarse.space().bodies()) {
    DensitiesOfBody own = file.of_body(coarse.problem().bodies[i].name, coarse.chain().body(i)->n_elements());
    fields.density[i] = std::move(own.density), fields.design[i] = std::move(own.design);
  }
  return fields;
}

void write_start(const std::filesystem::path& path, const Study& coarse, const ResultFields& fields,
                 const Study& fine) {
  const FlexibleBodies &from = coarse.chain().bodies(), &to = fine.chain().bodies();
  const BodyFields density = fields_on_meshes(from, fields.density, to),
                   design = fields_on_meshes(from, fields.design, to);
  std::vector<FieldArray> arrays = {cell_array("density", fine.space(), density)};
  const bool has_design =
      std::ranges::all_of(fine.space().bodies(), [&](std::size_t i) { return design[i].size() > 0; });
  if (has_design) arrays.push_back(cell_array("design", fine.space(), design));
  const Design at = fine.space().at(fine.space().start());
  write_design_fields(path, {fine.chain(), fine.space(), at, {}}, std::move(arrays));
}

}  // namespace

TomlDocument finer_problem(const CommandLine& args) {
  RunDirectory folder = RunDirectory::of_run(args.finer, what_for);
  const Study coarse = study_of_result(folder.path(), what_for);
  require_densities(coarse.problem(), folder);
  std::vector<std::string> overrides = refined(coarse.problem(), folder);
  if (const auto beta = last_steepness(folder)) {
    overrides.push_back(fmt::format("projection.beta_start={:.17g}", *beta));
  }
  const std::filesystem::path start = std::filesystem::absolute(folder.path() / "finer.vtu");
  require_json_is_no_input(args, {start});
  claim_all(folder, {start});

  std::vector<std::string> uniform = overrides;
  uniform.emplace_back("design.start=1.0");
  const Study fine(read_problem(document_of_result(folder.path(), what_for, uniform)));
  write_start(start, coarse, fields_of_result(coarse, folder), fine);
  log_info(fmt::format("the start is that of {}, carried to the finer mesh: {}", folder.path().string(),
                       start.string()));

  overrides.push_back(text_override("design.start", start.string()));
  overrides.insert(overrides.end(), args.overrides.begin(), args.overrides.end());
  return document_of_result(folder.path(), what_for, overrides);
}

}  // namespace kurbel
