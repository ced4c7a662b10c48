#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/control_commands.hpp"
#include "app/gradient_of_files.hpp"
#include "app/gradient_report.hpp"
#include "app/results.hpp"
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

}  // namespace

int run_gradient(const CommandLine& args) {
  TomlDocument document = TomlDocument::read(args.file, args.overrides);
  if (is_control_problem(document)) return gradient_controls(std::move(document), args);
  refuse_variables(args);
  const Problem problem = read_problem(std::move(document));
  if (problem.design.bodies.empty()) {
    const std::vector<std::optional<AugmentedSid>> files = augmented_files(problem);
    const bool any =
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.has_value(); });
    if (any) return run_gradient_of_files(args, problem, files);
  }
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
  report_criteria(problem, result, numbers);
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
    name_variables(rows, [&](Eigen::Index variable) {
      const auto [body, element] = space.element_of(variable);
      return fmt::format("{} {}", problem.bodies[body].name, element);
    });
    exit_code = report_gradient_check(rows, args, numbers);
  }
  write_json(args, std::move(numbers));
  log_info(fmt::format("results are in {}", folder.path().string()));
  return exit_code;
}

}  // namespace kurbel
