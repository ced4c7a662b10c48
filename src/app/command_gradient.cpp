#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/design_check.hpp"
#include "app/gradient_of_files.hpp"
#include "app/gradient_over_time.hpp"
#include "app/histories.hpp"
#include "app/results.hpp"
#include "evaluation/adjoint_error.hpp"
#include "output/log.hpp"
#include "output/variables_writer.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

/// gradient.csv: d psi / d variable, and the same of every function that [constraints] bounds.
void write_gradients(const std::filesystem::path& path, const EvaluationChain& chain,
                     const DesignSpace& space, const VariableTable& table, const std::vector<Design>& bars) {
  const Problem& problem = chain.problem();
  std::vector<GradientColumn> gradients = {
      {{"gradient", unit_of(problem, problem.objective)}, space.variables().pullback(bars.front())}};
  for (std::size_t j = 1; j < bars.size(); ++j) {
    const CriterionConstraint& function = chain.function(j - 1);
    gradients.push_back(
        {{function.label(), unit_of(problem, function.terms)}, space.variables().pullback(bars[j])});
  }
  write_gradient_table(path, table, gradients);
}

/// A function with its derivatives by densities and by the variables.
struct NamedGradient {
  std::string name, unit;
  const Design& bar;
  VectorXd by_variables;
};

/// Of psi, and of every function that [constraints] bounds but those at one of several instants.
std::vector<NamedGradient> named_gradients(const EvaluationChain& chain, const DesignSpace& space,
                                           const VectorXd& x, const std::vector<Design>& bars) {
  const Problem& problem = chain.problem();
  std::vector<NamedGradient> all;
  const auto add = [&](const std::string& name, const std::vector<CriterionTerm>& terms, const Design& bar) {
    all.push_back({name, unit_of(problem, terms), bar, space.pullback(x, bar)});
  };
  add("psi", problem.objective, bars.front());
  for (std::size_t j = 1; j < bars.size(); ++j) {
    const CriterionConstraint& function = chain.function(j - 1);
    if (!function.instant) add(function.label(), function.terms, bars[j]);
  }
  return all;
}

/// Norms of d psi / d variable by kinds of variables, whose units differ; single numbers stand below.
void report_norms(const DesignSpace& space, const NamedGradient& of) {
  const DesignVariables& variables = space.variables();
  const VectorXd& gradient = of.by_variables;
  const Eigen::Index first = gradient.size() - variables.size();
  const auto report = [&](const char* kind, const VectorXd& part) {
    if (part.size() == 0) return;
    log_info(with_unit(fmt::format("d {} / d {} ({}): norm {:.6g}, largest {:.6g}", of.name, kind,
                                   part.size(), part.norm(), part.cwiseAbs().maxCoeff()),
                       of.unit));
  };
  std::vector<Eigen::Index> nodes;
  for (Eigen::Index i = 0; i < variables.size(); ++i) {
    if (variables.is_node(i)) nodes.push_back(first + i);
  }
  report("design variables of elements, each from 0 to 1", gradient.head(first));
  report("nodes of controls, per N or N m", gradient(nodes));
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
  const Design design = space.at(x);

  ChainResult result;
  if (Status s = chain.reduce(design, result); s.failed()) return fail(s.failure());
  if (Status s = chain.simulate(result); s.failed()) return fail(s.failure());
  std::vector<Design> bars;
  if (Status s = chain.gradients(result, bars); s.failed()) return fail(s.failure());
  if (Status s = measure_adjoint_errors(chain, space, x, result, bars); s.failed()) return fail(s.failure());
  MotionTables tables;
  if (Status s = find_tables(result, tables); s.failed()) return fail(s.failure());
  const Design& bar = bars.front();

  folder.begin();
  open_log_file(folder.log());
  log_reduction(chain, result);
  log_criteria(problem);
  log_info(fmt::format("psi = {:.12g}{}", result.psi, volume_of(space, design)));
  const std::vector<NamedGradient> gradients = named_gradients(chain, space, x, bars);
  for (const NamedGradient& one : gradients) report_norms(space, one);
  if (chain.n_bodies() > 0) log_info(fmt::format("Phi^T Phi_bar {:.1e}", result.invariance_defect));
  if (!space.bodies().empty()) {
    std::vector<FieldArray> fields = design_arrays(space, design);
    for (const NamedGradient& one : gradients) {
      const std::string of = &one == &gradients.front() ? "" : "_" + one.name;
      fields.push_back(cell_array("sensitivity" + of, space, one.bar.densities(), one.unit));
      fields.push_back(
          cell_array("design_sensitivity" + of, space, space.scatter(one.by_variables), one.unit));
    }
    write_design_fields(folder.gradient_vtu(),
                        {chain, space, design, result.motion->start_poses(result.trajectory)},
                        std::move(fields));
    if (problem.output.picture)
      write_pictures(folder, folder.sensitivity_png(), chain,
                     {space, design, bar.densities(),
                      with_unit(problem.title + ": d psi / d density", gradients.front().unit)},
                     write_signed_png);
  }
  nlohmann::json numbers{{"psi", result.psi},
                         {"volume_fraction", space.volume_fraction(design)},
                         {"gradient_norm", gradients.front().by_variables.norm()},
                         {"gradient_max", gradients.front().by_variables.cwiseAbs().maxCoeff()},
                         {"invariance_defect", result.invariance_defect},
                         {"cg_iterations", result.cg_iterations},
                         {"seconds", to_json(result.times)}};
  if (result.adjoint_errors.size() > 0) numbers["adjoint_error"] = result.adjoint_errors.maxCoeff();
  report_criteria(chain, space, design, result.values, numbers);
  log_info(fmt::format("gradients of {} functions by {} variables: {}, {:.3g} s", bars.size(), x.size(),
                       name_of(chain.method(result)), result.times.adjoint));
  numbers["functions"] = bars.size();
  if (space.variables().size() > 0) {
    const VariableTable table = space.variable_table(x);
    write_variables(folder.variables_csv(), table);
    write_gradients(folder.gradient_csv(), chain, space, table, bars);
    report_variables(problem, space, table, space.variables().pullback(bar), numbers);
  }
  write_histories(folder, chain, result, tables);
  if (args.over_time) {
    if (Status s = write_gradient_over_time(folder, chain, space, result); s.failed()) {
      folder.finish("failed");
      return fail(s.failure());
    }
  }
  write_adjoint(folder, chain, result, ConstraintRows(chain));
  write_adjoint_constraints(folder, chain, result);
  const int exit_code = args.check > 0 ? check_design_gradients(chain, space, x, bars, args, numbers) : 0;
  warn_of_oscillation(problem);
  warn_of_inexact_gradient(chain, result);
  write_json(args, std::move(numbers));
  folder.finish("finished");
  log_info(fmt::format("results are in {}", folder.path().string()));
  return exit_code;
}

}  // namespace kurbel
