#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/results.hpp"
#include "base/files.hpp"
#include "evaluation/augmented_export.hpp"
#include "evaluation/mode_convergence.hpp"
#include "output/console.hpp"
#include "output/log.hpp"
#include "sid/sid_text.hpp"

namespace kurbel {

namespace {

/// The files of this run, by body; none without --format.
std::vector<std::filesystem::path> text_files(const CommandLine& args, const RunDirectory& folder,
                                              const EvaluationChain& chain) {
  std::vector<std::filesystem::path> files(chain.n_bodies());
  if (args.format == SidFormat::hdf5) return files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!chain.body(i)) continue;
    files[i] = folder.sid_text(chain.problem().bodies[i].name);
    const bool ours = !std::filesystem::exists(files[i]) || is_own_sid_text(files[i]);
    if (!ours || !folder.may_replace(files[i])) {
      throw InputError(fmt::format(
          "{}: was not written by a run of kurbel here and is not replaced; choose another folder",
          files[i].string()));
    }
  }
  return files;
}

nlohmann::json numbers_of(const EvaluationChain& chain, const ChainResult& result) {
  nlohmann::json bodies;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (!chain.body(i)) continue;
    const fem::ReducedBody& reduced = result.reduced[i];
    bodies[chain.problem().bodies[i].name] = {
        {"mass", chain.body(i)->mass(result.design.bodies[i])},
        {"frequencies_hz", std::vector<double>(reduced.frequencies_hz.begin(), reduced.frequencies_hz.end())},
        {"next_frequency_hz", reduced.next_frequency_hz},
        {"frame", fem::describe_frame(chain.body(i)->spec().frame)},
        {"basis", chain.body(i)->spec().basis == fem::BasisType::normal ? "normal" : "craig-bampton"}};
  }
  return bodies;
}

/// Prints the table and writes it as convergence.csv.
void report_convergence(const EvaluationChain& chain, const std::vector<ModeConvergenceRow>& rows,
                        const std::filesystem::path& csv, nlohmann::json& table) {
  // What the others are compared with: the row with most modes that has an objective.
  double reference = std::numeric_limits<double>::quiet_NaN();
  for (const ModeConvergenceRow& row : rows) {
    if (std::isfinite(row.psi)) reference = row.psi;
  }
  Console& console = Console::standard();
  std::string names, header = "modes";
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (!chain.body(i)) continue;
    names += fmt::format(" {:>14}", chain.body(i)->spec().name);
    header += fmt::format(",{}_hz", chain.body(i)->spec().name);
  }
  console.print(fmt::format("{:>5}{} {:>18} {:>12}", "modes", names, "psi", "rel. change"));
  std::string text = header + ",psi,relative_change\n";
  for (const ModeConvergenceRow& row : rows) {
    if (!row.failure.empty()) {
      console.print(fmt::format("{:>5}  {}", row.n_modes, row.failure));
      continue;
    }
    const double change = row.psi == reference ? 0.0 : row.psi / reference - 1.0;
    std::string line = fmt::format("{:>5}", row.n_modes), cells = fmt::format("{}", row.n_modes);
    for (const double f : row.frequencies_hz)
      line += fmt::format(" {:>11.6g} Hz", f), cells += fmt::format(",{}", f);
    console.print(line + (std::isnan(row.psi) ? "" : fmt::format(" {:>18.12g} {:>12.2e}", row.psi, change)));
    text += fmt::format("{},{},{}\n", cells, row.psi, change);
    table.push_back({{"modes", row.n_modes}, {"psi", row.psi}, {"relative_change", change}});
  }
  write_text_file(csv, text);
}

}  // namespace

int run_reduce(const CommandLine& args) {
  const Problem problem = read_problem(read_document(args));
  if (problem.bodies.empty())
    throw problem.error("formulation", "has no bodies to reduce; modes belong to the floating frame");
  RunDirectory folder = run_directory(args, input_files(args, problem));
  EvaluationChain chain(problem);
  const std::vector<std::filesystem::path> texts = text_files(args, folder, chain);
  const DesignSpace space = evaluation_space(chain, args);
  ChainResult result;
  if (Status s = chain.reduce(space.at(space.start()), result)) return fail(*s);

  std::vector<std::optional<BodyAugmentation>> augmentations;
  if (args.derivatives) {
    const DerivativeRequest request{args.coefficients, args.by, args.drop_below};
    if (Status s = prepare_augmentations(chain, request, result, augmentations)) return fail(*s);
    for (const std::string& line : describe_augmentations(chain, augmentations)) log_info(line);
  }

  folder.begin();
  open_log_file(folder.log());
  for (const std::string& line : describe_augmentations(chain, augmentations)) log_detail(line);
  log_reduction(chain, result);
  if (args.format != SidFormat::text) {
    const FileHeader header = file_header(problem, "sid", "reduce");
    if (args.derivatives) {
      write_augmented_sids(folder.sid_h5(), chain, result, augmentations, header);
    } else {
      write_sids(folder.sid_h5(), chain, result, header);
    }
    log_info(fmt::format("standard input data are in {}", folder.sid_h5().string()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    folder.claim(texts[i]);
    write_sid_text_file(texts[i], result.reduced[i].sid);
    log_info(fmt::format("standard input data of {} as text are in {}", problem.bodies[i].name,
                         texts[i].string()));
  }
  nlohmann::json numbers{{"bodies", numbers_of(chain, result)}, {"seconds", to_json(result.times)}};
  if (args.convergence > 0) {
    numbers["convergence"] = nlohmann::json::array();
    report_convergence(chain, mode_convergence(problem, result.design, args.convergence),
                       folder.convergence_csv(), numbers["convergence"]);
  }
  write_json(args, std::move(numbers));
  folder.finish("finished");
  return 0;
}

}  // namespace kurbel
