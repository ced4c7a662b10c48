#include "app/gradient_of_files.hpp"

#include <fmt/format.h>

#include "app/command_context.hpp"
#include "base/files.hpp"
#include "evaluation/adjoint_error.hpp"
#include "input/sid_file.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

void require_usable(const CommandLine& args, const Problem& problem) {
  require_simulation_problem(problem);
  if (problem.objective.empty())
    throw problem.error("objective", "is missing; give a table with type and body");
  const char* option = args.check > 0 ? "--check" : !args.density.empty() ? "--density" : nullptr;
  if (option) {
    throw InputError(fmt::format("{} needs a flexible body with a mesh; the bodies of {} come from SID files",
                                 option, args.file));
  }
}

/// One line per design variable: body, its name or number, d psi / d variable.
std::string table_of(const std::string& body, const AugmentedSid& file, const VectorXd& gradient) {
  std::string text;
  for (Eigen::Index v = 0; v < gradient.size(); ++v) {
    const std::string name =
        file.variables.empty() ? fmt::format("{}", v) : file.variables[static_cast<std::size_t>(v)];
    text += fmt::format("{},{},{:.17g}\n", body, name, gradient[v]);
  }
  return text;
}

}  // namespace

std::vector<std::optional<AugmentedSid>> augmented_files(const Problem& problem) {
  std::vector<std::optional<AugmentedSid>> files;
  for (const ProblemBody& body : problem.bodies) {
    files.push_back(body.type == ProblemBody::Type::sid
                        ? read_augmented_sid_file(body.sid_file, body.sid_name)
                        : std::nullopt);
  }
  return files;
}

int run_gradient_of_files(const CommandLine& args, const Problem& problem,
                          const std::vector<std::optional<AugmentedSid>>& files) {
  require_usable(args, problem);
  RunDirectory folder = run_directory(args, input_files(args, problem));
  Study study(problem, Study::Variables::to_evaluate);
  EvaluationChain& chain = study.chain();
  ChainResult result;
  if (Status s = chain.simulate(result); s.failed()) return fail(s.failure());
  using Method = SensitivityOptions::Method;
  const bool measure = problem.sensitivity.method == Method::continuous_adjoint;
  std::vector<Sid> exact_bars;
  if (measure) exact_bars = chain.sid_adjoint(result, Method::discrete_adjoint);
  const std::vector<Sid> sid_bars = chain.sid_adjoint(result);
  std::vector<VectorXd> gradients(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]) continue;
    gradients[i] = assemble_gradient(*files[i], sid_bars[i]);
    if (gradients[i].allFinite()) continue;
    return fail({.what = "the derivative of psi is not a finite number",
                 .where = "body " + problem.bodies[i].name,
                 .advice = "check the numbers of the input for extreme values, or reduce integrator.step",
                 .time = result.motion->adjoint_not_finite(result.trajectory, chain.requested())});
  }

  folder.begin();
  open_log_file(folder / "run.log");
  Report report = log_report();
  report.say("psi = {:.12g}", named("psi", result.psi));
  report["seconds"] = to_json(result.times);
  std::string table = "body,variable,sensitivity\n";
  double largest_error = 0.0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]) continue;
    const std::string& body = problem.bodies[i].name;
    const VectorXd& gradient = gradients[i];
    table += table_of(body, *files[i], gradient);
    if (measure) {
      const VectorXd exact = assemble_gradient(*files[i], exact_bars[i]);
      largest_error = std::max(largest_error, adjoint_error(gradient, exact, result.psi));
    }
    report.part("gradient_norm")
        .say("body {}: gradient over {} design variables of its file: norm {:.6g}, largest entry {:.6g}",
             body, gradient.size(), named(body.c_str(), gradient.norm()), gradient.cwiseAbs().maxCoeff());
    if (!files[i]->dropped.empty()) {
      report.say("body {}: without the {} coefficients whose derivatives the file leaves out", body,
                 files[i]->dropped.size());
    }
  }
  write_text_file(folder / "gradient.csv", table);
  warn_of_oscillation(problem);
  if (measure) report_adjoint_error("psi", largest_error, problem.integrator);
  write_json(args, report);
  folder.finish("finished");
  report.say("results are in {}", folder.path().string());
  return 0;
}

}  // namespace kurbel
