#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/design_check.hpp"
#include "app/gradient_of_files.hpp"
#include "app/motion_records.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

/// Norms of d psi / d variable by kinds of variables, whose units differ; single numbers stand below.
void report_norms(const DesignSpace& space, const NamedGradient& of, Report& report) {
  const DesignVariables& variables = space.variables();
  const VectorXd& gradient = of.by_variables;
  const Eigen::Index first = gradient.size() - variables.size();
  const auto add = [&](const char* kind, const VectorXd& part) {
    if (part.size() == 0) return;
    report.line(with_unit(fmt::format("d {} / d {} ({}): norm {:.6g}, largest {:.6g}", of.name, kind,
                                      part.size(), part.norm(), part.cwiseAbs().maxCoeff()),
                          of.unit));
  };
  std::vector<Eigen::Index> nodes;
  for (Eigen::Index i = 0; i < variables.size(); ++i) {
    if (variables.is_node(i)) nodes.push_back(first + i);
  }
  add("design variables of elements, each from 0 to 1", gradient.head(first));
  add("nodes of controls, per N or N m", gradient(nodes));
}

}  // namespace

int run_gradient(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  if (read.design.bodies.empty() && read.design.variables.empty()) {
    const std::vector<std::optional<AugmentedSid>> files = augmented_files(read);
    const bool any =
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.has_value(); });
    if (any) return run_gradient_of_files(args, read, files);
  }
  require_gradient_problem(read);
  if (args.over_time) require_motion(read, "gradient --over-time");
  if (args.over_time && read.integrator.dense_output)
    throw read.error("integrator.dense_output",
                     "= true has no direct differentiation, which --over-time takes");
  if (args.over_time && !read.cases.empty())
    throw read.error("cases",
                     ": --over-time follows one motion; give the tables of a case to the problem itself");
  RunDirectory folder = run_directory(args, input_files(args, read));
  Study study = evaluation_study(std::move(read), args);
  const Problem& problem = study.problem();
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();
  const VectorXd x = space.start();
  GradientRecord record(study, folder, args.over_time);
  ChainResult result;
  std::vector<Design> bars;
  if (Status s = study.differentiate(x, record, result, bars); s.failed()) return fail(s.failure());

  Report report = log_report();
  report.say("psi = {:.12g}{}", named("psi", result.psi), volume_of(space, result.design));
  const std::vector<NamedGradient> gradients = named_gradients(chain, space, x, bars);
  for (const NamedGradient& one : gradients) report_norms(space, one, report);
  if (chain.has_motion() && chain.n_bodies() > 0)
    report.say("Phi^T Phi_bar {:.1e}", result.invariance_defect);
  report.add({{"volume_fraction", space.volume_fraction(result.design)},
              {"gradient_norm", gradients.front().by_variables.norm()},
              {"gradient_max", gradients.front().by_variables.cwiseAbs().maxCoeff()},
              {"invariance_defect", result.invariance_defect},
              {"cg_iterations", result.cg_iterations},
              {"seconds", to_json(result.times)}});
  if (result.adjoint_errors.size() > 0) report["adjoint_error"] = result.adjoint_errors.maxCoeff();
  report_criteria(chain, space, result.design, result.values, report);
  report.say("gradients of {} functions by {} variables: {}, {:.3g} s", named("functions", bars.size()),
             x.size(), chain.has_motion() ? name_of(chain.method(result)) : "adjoint", result.times.adjoint);
  report_variables(problem, space, space.variable_table(x), space.variables().pullback(bars.front()), report);
  if (record.status().failed()) {
    folder.finish("failed");
    return fail(record.status().failure());
  }
  const int exit_code = args.check > 0 ? check_design_gradients(chain, space, x, bars, args, report) : 0;
  warn_of_oscillation(problem);
  warn_of_idle_processes(problem);
  warn_of_inexact_gradient(chain, result);
  write_json(args, report);
  folder.finish("finished");
  report.say("results are in {}", folder.path().string());
  return exit_code;
}

}  // namespace kurbel
