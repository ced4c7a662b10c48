#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/control_commands.hpp"
#include "app/criteria_report.hpp"
#include "app/design_check.hpp"
#include "app/gradient_of_files.hpp"
#include "app/results.hpp"
#include "evaluation/adjoint_error.hpp"
#include "output/log.hpp"

namespace kurbel {

int run_gradient(const CommandLine& args) {
  TomlDocument document = read_document(args);
  if (is_control_problem(document)) return gradient_controls(std::move(document), args);
  const Problem problem = read_problem(std::move(document));
  if (problem.design.bodies.empty() && problem.design.variables.empty()) {
    const std::vector<std::optional<AugmentedSid>> files = augmented_files(problem);
    const bool any =
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.has_value(); });
    if (any) return run_gradient_of_files(args, problem, files);
  }
  require_gradient_problem(problem);
  RunDirectory folder = run_directory(args, input_files(args, problem));
  EvaluationChain chain(problem);
  const DesignSpace space = evaluation_space(chain, args);
  const VectorXd x = space.start();
  const Design design = space.at(x);

  ChainResult result;
  if (Status s = chain.reduce(design, result)) return fail(*s);
  if (Status s = chain.simulate(result)) return fail(*s);
  // A check looks at the constraints, too.
  std::vector<Design> bars(1);
  if (Status s = args.check > 0 ? chain.gradients(result, bars) : chain.gradient(result, bars.front()))
    return fail(*s);
  if (Status s = measure_adjoint_errors(chain, space, x, result, bars)) return fail(*s);
  const Design& bar = bars.front();
  const VectorXd gradient = space.pullback(x, bar);

  folder.begin();
  open_log_file(folder.log());
  log_reduction(chain, result);
  log_info(fmt::format("psi = {:.12g}{}", result.psi, volume_of(space, design)));
  log_info(fmt::format(
      "gradient over {} design variables: norm {:.6g}, largest entry {:.6g}; Phi^T Phi_bar {:.1e}",
      gradient.size(), gradient.norm(), gradient.cwiseAbs().maxCoeff(), result.invariance_defect));
  if (!space.bodies().empty()) {
    std::vector<FieldArray> fields = design_arrays(space, design);
    fields.push_back(cell_array("sensitivity", space, bar.densities()));
    fields.push_back(cell_array("design_sensitivity", space, space.scatter(gradient)));
    write_vtu(folder.gradient_vtu(), design_grid(chain, space, design), fields);
    if (problem.output.picture)
      write_pictures(folder, folder.sensitivity_png(), chain, space, design, bar.densities(),
                     write_signed_png);
  }
  nlohmann::json numbers{{"psi", result.psi},
                         {"volume_fraction", space.volume_fraction(design)},
                         {"gradient_norm", gradient.norm()},
                         {"gradient_max", gradient.cwiseAbs().maxCoeff()},
                         {"invariance_defect", result.invariance_defect},
                         {"cg_iterations", result.cg_iterations},
                         {"seconds", to_json(result.times)}};
  if (result.adjoint_errors.size() > 0) numbers["adjoint_error"] = result.adjoint_errors.maxCoeff();
  report_criteria(problem, result.values, numbers);
  if (space.variables().size() > 0) {
    const VariableTable table = space.variable_table(x);
    const VectorXd by_variables = space.variables().pullback(bar);
    write_variables(folder.variables_csv(), table);
    write_gradient_table(folder.gradient_csv(), table, by_variables);
    report_variables(space, table, by_variables, numbers);
  }
  const int exit_code = args.check > 0 ? check_design_gradients(chain, space, x, bars, args, numbers) : 0;
  warn_of_oscillation(problem);
  warn_of_inexact_gradient(problem, result);
  write_json(args, std::move(numbers));
  folder.finish("finished");
  log_info(fmt::format("results are in {}", folder.path().string()));
  return exit_code;
}

}  // namespace kurbel
