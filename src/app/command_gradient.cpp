#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/results.hpp"
#include "optimizers/gradient_check.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

/// psi at a vector of variables, without its gradient.
std::optional<double> objective_at(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x) {
  ChainResult result;
  if (chain.reduce(space.densities(x), result)) return std::nullopt;
  if (chain.simulate(result)) return std::nullopt;
  return result.psi;
}

/// Largest relative error with which a row passes.
double tolerance_of(const GradientCheckRow& row, const CommandLine& args) {
  constexpr double usual = 1e-6, safety = 10.0;
  return args.tolerance ? *args.tolerance : std::max(usual, safety * row.uncertainty);
}

/// Prints the table; false if a row fails.
bool report_check(const std::vector<GradientCheckRow>& rows, const CommandLine& args, nlohmann::json& table) {
  Console& console = Console::standard();
  console.print(fmt::format("{:<16} {:>20} {:>20} {:>12} {:>12}  {}", "", "adjoint", "differences",
                            "rel. error", "uncertainty", "verdict"));
  bool all_passed = true;
  for (const GradientCheckRow& row : rows) {
    const bool passed = row.relative_error <= tolerance_of(row, args);
    all_passed = all_passed && passed;
    console.print(fmt::format("{:<16} {:>20.12e} {:>20.12e} {:>12.2e} {:>12.2e}  {}", row.label, row.adjoint,
                              row.difference, row.relative_error, row.uncertainty,
                              passed ? "agrees" : "DIFFERS"));
    table.push_back({{"label", row.label},
                     {"adjoint", row.adjoint},
                     {"difference", row.difference},
                     {"relative_error", row.relative_error},
                     {"uncertainty", row.uncertainty},
                     {"passed", passed}});
  }
  return all_passed;
}

/// The labels of the check, "element 17", in terms of the bodies' elements.
void name_elements(const DesignSpace& space, const Problem& problem, std::vector<GradientCheckRow>& rows) {
  for (GradientCheckRow& row : rows) {
    Eigen::Index variable = 0;
    if (std::sscanf(row.label.c_str(), "element %ld", &variable) != 1) continue;
    const auto [body, element] = space.element_of(variable);
    row.label = fmt::format("{} {}", problem.bodies[body].name, element);
  }
}

}  // namespace

int run_gradient(const CommandLine& args) {
  const Problem problem = read_problem(args.file, args.overrides);
  require_gradient_problem(problem);
  RunDirectory folder(run_folder(args));
  EvaluationChain chain(problem);
  const DesignSpace space = evaluation_space(chain, args);
  const VectorXd x = space.start();
  const BodyFields densities = space.densities(x);

  ChainResult result;
  if (Status s = chain.reduce(densities, result)) return fail(*s);
  if (Status s = chain.simulate(result)) return fail(*s);
  BodyFields density_bar;
  if (Status s = chain.gradient(densities, result, density_bar)) return fail(*s);
  const VectorXd gradient = space.pullback(x, density_bar);

  folder.begin();
  open_log_file(folder.log());
  log_reduction(chain, result, densities);
  log_info(
      fmt::format("psi = {:.12g}, volume fraction {:.6g}", result.psi, space.volume_fraction(densities)));
  log_info(fmt::format(
      "gradient over {} design variables: norm {:.6g}, largest entry {:.6g}; Phi^T Phi_bar {:.1e}",
      gradient.size(), gradient.norm(), gradient.cwiseAbs().maxCoeff(), result.invariance_defect));
  write_vtu(folder.gradient_vtu(), design_grid(chain, space),
            {cell_array("density", space, densities), cell_array("sensitivity", space, density_bar),
             cell_array("design_sensitivity", space, space.scatter(gradient))});
  if (problem.output.picture)
    write_pictures(folder.sensitivity_png(), chain, space, density_bar, write_signed_png);
  nlohmann::json numbers{{"psi", result.psi},
                         {"volume_fraction", space.volume_fraction(densities)},
                         {"gradient_norm", gradient.norm()},
                         {"gradient_max", gradient.cwiseAbs().maxCoeff()},
                         {"invariance_defect", result.invariance_defect},
                         {"cg_iterations", result.cg_iterations},
                         {"seconds", to_json(result.times)}};
  int exit_code = 0;
  if (args.check > 0) {
    GradientCheckOptions options;
    options.n_elements = args.check;
    options.seed = args.seed;
    // psi carries the rounding errors of the finite-element solution, some 1e-10 of it on fine meshes: large
    // steps, and extrapolation for their truncation error.
    options.largest_step = 0.1, options.step_ratio = 2.0;
    auto rows = check_gradient([&](const VectorXd& at) { return objective_at(chain, space, at); }, x,
                               gradient, space.lower(), space.upper(), options);
    name_elements(space, problem, rows);
    numbers["check"] = nlohmann::json::array();
    const bool passed = report_check(rows, args, numbers["check"]);
    numbers["worst_relative_error"] = worst_relative_error(rows);
    exit_code = passed ? 0 : 1;
    log_info(fmt::format("largest relative error {:.2e}: {}", worst_relative_error(rows),
                         passed ? "the gradient agrees with the differences"
                                : "the gradient DIFFERS by more than the tolerance"));
  }
  write_json(args, std::move(numbers));
  log_info(fmt::format("results are in {}", folder.path().string()));
  return exit_code;
}

}  // namespace kurbel
