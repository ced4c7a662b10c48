#include "app/command_context.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "app/finished_run.hpp"
#include "app/named_files.hpp"
#include "base/files.hpp"
#include "evaluation/adjoint_error.hpp"
#include "fem/processes.hpp"
#include "keys/toml_parser.hpp"
#include "keys/toml_sources.hpp"
#include "optimizers/verdict.hpp"
#include "output/log.hpp"
#include "output/run_file.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "problem/damping.hpp"
#include "problem/formulation.hpp"

namespace kurbel {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored) ||
         std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

std::vector<std::filesystem::path> input_files(const CommandLine& args, const TomlDocument& document) {
  std::vector<std::filesystem::path> files;
  if (args.resume.empty() && args.shape.empty() && args.finer.empty()) {
    files = toml_sources(document.file);
  } else {
    files.push_back(document.directory / std::filesystem::path(document.file).filename());
  }
  for (const std::filesystem::path& file : {args.density, args.variables}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

std::vector<std::filesystem::path> input_files(const CommandLine& args, const Problem& problem) {
  std::vector<std::filesystem::path> files = input_files(args, *problem.document);
  const std::vector<std::filesystem::path> named = named_files(problem);
  files.insert(files.end(), named.begin(), named.end());
  return files;
}

RunDirectory run_directory(const CommandLine& args, const std::vector<std::filesystem::path>& inputs) {
  const std::string command = name_of(args.command);
  const std::filesystem::path by_default = !args.shape.empty()   ? folder_beside(args.shape, "_shape")
                                           : !args.finer.empty() ? folder_beside(args.finer, "_finer")
                                                                 : default_run_folder(args.file, command);
  RunDirectory folder(args.output.empty() ? by_default : args.output, {command, args.overwrite});
  folder.spare(inputs);
  require_usable_json(args, folder, inputs);
  return folder;
}

void require_json_is_no_input(const CommandLine& args, const std::vector<std::filesystem::path>& inputs) {
  if (args.json.empty()) return;
  if (std::any_of(inputs.begin(), inputs.end(),
                  [&](const auto& file) { return same_file(file, args.json); })) {
    throw InputError(
        fmt::format("--json {}: the run reads this file; choose another name", args.json.string()));
  }
  require_writable(args.json);
}

void require_usable_json(const CommandLine& args, const RunDirectory& folder,
                         const std::vector<std::filesystem::path>& inputs) {
  if (!args.json.empty() && folder.is_name_of_run(args.json)) {
    throw InputError(fmt::format("--json {}: the run writes a file of this name; choose another name",
                                 args.json.string()));
  }
  require_json_is_no_input(args, inputs);
}

void require_motion(const Problem& problem, const std::string& command) {
  if (problem.analysis == Analysis::motion) return;
  throw problem.error("analysis",
                      fmt::format("= \"{}\": `kurbel {}` is for motions; use simulate, gradient, optimize, "
                                  "verify, report or check",
                                  word_of(problem.analysis), command));
}

Study evaluation_study(Problem problem, const CommandLine& args) {
  Study study(std::move(problem), Study::Variables::to_evaluate, args.density);
  for (const std::string& origin : study.space().origins()) log_info(origin);
  return study;
}

namespace {

bool has_flexible_body(const TomlDocument& document) {
  const TomlValue* bodies = document.root.find("bodies");
  if (!bodies || !bodies->table()) return false;
  return std::ranges::any_of(*bodies->table(), [](const TomlEntry& body) {
    const TomlValue* type = body.value.find("type");
    const auto* word = type ? std::get_if<std::string>(&type->data) : nullptr;
    return word && *word == "flexible";
  });
}

}  // namespace

TomlDocument read_document(const CommandLine& args) {
  TomlDocument document = TomlDocument::read(args.file, args.overrides);
  const bool has_numbers = document.root.find("variables") || document.root.find("controls");
  if (!args.density.empty() && !has_flexible_body(document)) {
    throw InputError(
        fmt::format("--density belongs to problems with flexible bodies; {} has none: here, --variables FILE "
                    "gives a start",
                    document.file));
  }
  if (args.variables.empty()) return document;
  if (!has_numbers) {
    throw InputError(fmt::format(
        "--variables: {} has no [variables]; --density FILE gives densities to start from", document.file));
  }
  std::vector<std::string> overrides = args.overrides;
  overrides.push_back(
      text_override("design.start_variables", std::filesystem::absolute(args.variables).string()));
  return TomlDocument::read(args.file, overrides);
}

TomlDocument document_of_run(const std::filesystem::path& folder, const std::vector<std::string>& overrides) {
  const FileHeader header = RunReader(folder / "run.h5").header();
  std::vector<std::string> all = header.overrides;
  all.insert(all.end(), overrides.begin(), overrides.end());
  // Messages name the text that is read, which the file of that name may not have any more.
  const std::string shown = fmt::format("{} ({})", (folder / "run.h5").string(), header.input_name);
  TomlDocument document = TomlDocument::parse(header.input_text, shown, header.input_directory, all);
  document.file = header.input_name;
  return document;
}

std::string volume_of(const DesignSpace& space, const Design& design) {
  if (space.bodies().empty()) return "";
  return fmt::format(", volume fraction {:.6g}", space.volume_fraction(design));
}

Report log_report() {
  return Report(log_info);
}

Report console_report(const CommandLine& args) {
  return Report([quiet = args.quiet](const std::string& line) {
    if (!quiet) Console::standard().print(line);
  });
}

namespace {

/// Says if a variable stands at one of its bounds.
const char* place_among_bounds(const VariableTable& table, Eigen::Index place) {
  const double range = table.upper[place] - table.lower[place], near = 1e-6 * range;
  if (!std::isfinite(range) || range <= 0.0) return "";
  if (table.value[place] <= table.lower[place] + near) return ", at its lower bound";
  return table.value[place] >= table.upper[place] - near ? ", at its upper bound" : "";
}

}  // namespace

void report_variables(const Problem& problem, const DesignSpace& space, const VariableTable& table,
                      const VectorXd& gradient, Report& report) {
  const std::string unit_of_psi = unit_of(problem, problem.objective);
  for (const auto& [name, place] : space.variables().scalars()) {
    const std::string& unit = table.units[static_cast<std::size_t>(place)];
    Report own = report.part("variables", name);
    std::string slope;
    if (gradient.size() > 0) {
      own["gradient"] = gradient[place];
      const std::string by = unit_of_derivative(unit_of_psi, unit);
      slope = fmt::format(", d psi / d {} = {:.9g}{}{}", name, gradient[place], by.empty() ? "" : " ", by);
    }
    own.say("{} = {:.9g} in [{:g}, {:g}]{}{}{}{}", name, named("value", table.value[place]),
            table.lower[place], table.upper[place], unit.empty() ? "" : " ", unit,
            place_among_bounds(table, place), slope);
  }
}

const char* name_of(SensitivityOptions::Method method) {
  using Method = SensitivityOptions::Method;
  switch (method) {
    case Method::discrete_adjoint:
      return "discrete adjoint";
    case Method::direct:
      return "direct differentiation";
    case Method::continuous_adjoint:
      return "continuous adjoint";
    case Method::finite_differences:
      return "finite differences";
    case Method::automatic:
      break;
  }
  return "automatic";
}

int fail(const Failure& failure) {
  log_error(failure.message());
  return 3;
}

std::string outcome_of(const OptimizerResult& result) {
  return result.reason == StopReason::interrupted ? "interrupted"
         : result.reason == StopReason::failure   ? "failed"
                                                  : "finished";
}

std::string status_of(const OptimizerResult& result, const std::string& way_on) {
  const std::string outcome = outcome_of(result), verdict = verdict_on(result, true, way_on).text;
  const bool says_so = verdict.starts_with(outcome);  // "interrupted ..."
  return says_so ? verdict : fmt::format("{}, {}", outcome, verdict);
}

nlohmann::json to_json(const ChainTimes& times) {
  return {{"reduction", times.reduction},
          {"simulation", times.simulation},
          {"adjoint", times.adjoint},
          {"pullback", times.pullback}};
}

void write_json(const CommandLine& args, const nlohmann::json& of_command) {
  if (args.json.empty()) return;
  nlohmann::json numbers = of_command;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  numbers["command"] = name_of(args.command);
  numbers["peak_memory_bytes"] = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  // Names may come from files of others, in any encoding.
  write_text_file(args.json, numbers.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void warn_of_oscillation(const Problem& problem) {
  if (const auto warning = warning_of_oscillation(problem)) log_warning(*warning);
}

void log_warnings(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) log_warning(text);
}

void warn_of_idle_processes(const Problem& problem) {
  const int n = fem::n_processes();
  const bool have_work = std::ranges::any_of(problem.bodies, [](const ProblemBody& body) {
    return body.type == ProblemBody::Type::flexible && body.flexible.solver == fem::SolverType::petsc;
  });
  if (n == 1 || have_work) return;
  log_warning(
      fmt::format("{} processes were started, and one works: no flexible body has solver = \"petsc\"", n));
}

void report_adjoint_error(const std::string& function, double error, const IntegratorOptions& integrator) {
  const AdjointErrorText found = describe_adjoint_error(function, error, integrator);
  found.is_tolerable ? log_info(found.text) : log_warning(found.text);
}

void warn_of_inexact_gradient(const EvaluationChain& chain, const ChainResult& result) {
  if (!result.adjoint_not_measured.empty())
    log_info("the error of the continuous adjoint is not measured: " + result.adjoint_not_measured);
  if (result.adjoint_errors.size() > 0) {
    Eigen::Index worst = 0;
    const double error = result.adjoint_errors.maxCoeff(&worst);
    report_adjoint_error(worst == 0 ? "psi" : chain.function(static_cast<std::size_t>(worst - 1)).label(),
                         error, chain.problem().integrator);
  }
  const bool continuous =
      chain.problem().sensitivity.method == SensitivityOptions::Method::continuous_adjoint;
  const double usual = continuous ? 0.1 : 1e-6;
  if (result.invariance_defect < usual) return;
  log_warning(fmt::format(
      "the gradient is not to be trusted: Phi^T Phi_bar is {:.1e}, and zero where it is exact{}",
      result.invariance_defect,
      continuous ? "; take sensitivity.method = \"discrete-adjoint\" or a smaller integrator.step" : ""));
}

void log_criteria(const Problem& problem) {
  const auto log_sum = [&](const std::string& what, const std::vector<CriterionTerm>& terms) {
    const std::vector<std::string> lines = lines_of(problem, terms);
    for (std::size_t i = 0; i < lines.size(); ++i) log_info((i == 0 ? what : "") + lines[i]);
  };
  if (!problem.objective.empty()) log_sum("objective: ", problem.objective);
  for (const std::string& warning : warnings_of_signed_targets(problem)) log_warning(warning);
  if (!problem.objective.empty() && !problem.cases.empty())
    log_info("  of which psi is " + text_of_cases(problem));
  std::string last;
  for (const CriterionConstraint& constraint : problem.constraints.criteria) {
    if (constraint.time_history_name() == last) continue;
    last = constraint.time_history_name();
    log_sum(fmt::format("constraint {}{}: ", last, constraint.sum_over_cases ? ", the sum over cases" : ""),
            constraint.terms);
  }
}

void log_reduction(const EvaluationChain& chain, const ChainResult& result) {
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    const fem::FlexibleBody* body = chain.body(i);
    if (!body) continue;
    const fem::ReducedBody& reduced = result.reduced[i];
    const bool is_reduced = body->spec().is_reduced;
    log_info(fmt::format("body {}: {} elements, {} nodes, mass {:.6g} kg{}", body->spec().name,
                         body->n_elements(), body->mesh().n_nodes(), body->mass(result.design.bodies[i]),
                         is_reduced ? fmt::format(", {} elastic coordinates", body->n_q()) : ""));
    const bool fixed = body->spec().basis == fem::BasisType::craig_bampton;
    if (!is_reduced) continue;
    log_info(fmt::format("body {}: reference frame {}, {} basis", body->spec().name,
                         fem::describe_frame(body->spec().frame), fixed ? "Craig-Bampton" : "normal-mode"));
    if (reduced.frequencies_hz.size() > 0) {
      log_info(fmt::format("body {}: {} modes at {:.6g} Hz; the next one at {:.6g} Hz", body->spec().name,
                           fixed ? "fixed-interface" : "normal", fmt::join(reduced.frequencies_hz, ", "),
                           reduced.next_frequency_hz));
    }
  }
  if (!result.motion) return;
  const Eigen::Index n = result.trajectory.n_stored > 0 ? result.trajectory.y.rows() : 0;
  const StartReport start =
      result.motion->start_report(result.trajectory.y.leftCols(1).topRows(n).reshaped());
  for (const std::string& redundant : start.redundant) log_info(redundant);
  for (const std::string& correction : start.corrections) log_info(correction);
  for (const std::string& lost : start.lost) log_warning(lost);
  for (const std::string& choice : result.motion->choices()) log_info(choice);
  for (const std::string& beyond : result.motion->warnings(result.trajectory)) log_warning(beyond);
}

}  // namespace kurbel
