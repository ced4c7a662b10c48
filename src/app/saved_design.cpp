#include "app/saved_design.hpp"

#include "app/named_files.hpp"
#include "app/results.hpp"
#include "output/csv_tables.hpp"
#include "output/run_directory.hpp"
#include "output/run_file.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

double first_steepness(const Problem& problem) {
  return problem.projection.type == ProjectionOptions::Type::none ? 0.0 : problem.projection.beta_start;
}

void write_fields(const RunDirectory& folder, const Study& study, const VectorXd& x,
                  const Evaluation& evaluation, RunFile& run) {
  const DesignSpace& space = study.space();
  const Design design = space.at(x);
  std::vector<FieldArray> fields = design_arrays(space, design);
  fields.push_back(cell_array("design", space, space.design(x)));
  fields.push_back(cell_array("sensitivity", space, space.scatter(evaluation.gradient),
                              unit_of(study.problem(), study.problem().objective)));
  write_design_fields(folder / "final.vtu", {study.chain(), space, design, {}}, fields);
  for (const std::size_t i : space.bodies())
    run.add_density(study.problem().bodies[i].name, 0, design.bodies[i].density);
}

}  // namespace

Status save_design(Study& study, const VectorXd& x, std::optional<double> steepness,
                   const std::filesystem::path& path) {
  const Problem& problem = study.problem();
  RunDirectory folder(path, {"optimize", false});
  folder.spare(named_files(problem));
  Evaluation at;
  if (Status status = study.evaluate(x, at); status.failed()) return status;

  folder.begin();
  RunFile run = RunFile::create(folder / "run.h5", file_header(problem, "run", "optimize"));
  run.add_evaluation(0, {.design = x,
                         .objective = at.objective,
                         .gradient = at.gradient,
                         .constraints = at.constraints,
                         .constraint_gradients = at.constraint_gradients,
                         .failure = {},
                         .steepness = steepness.value_or(first_steepness(problem)),
                         .stage = static_cast<int>(study.program().stage()),
                         .diagnostics = at.diagnostics});
  if (!study.space().bodies().empty()) write_fields(folder, study, x, at, run);
  if (study.space().variables().size() > 0)
    write_variables(folder / "variables.csv", study.space().variable_table(x));
  run.set_status("finished, a design that was saved");
  run.checkpoint();
  folder.finish("finished");
  return {};
}

}  // namespace kurbel
