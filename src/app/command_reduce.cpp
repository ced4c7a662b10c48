#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/results.hpp"
#include "base/files.hpp"
#include "evaluation/augmented_export.hpp"
#include "evaluation/mode_convergence.hpp"
#include "output/console.hpp"
#include "output/csv_title.hpp"
#include "output/log.hpp"
#include "problem/criterion_units.hpp"
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

/// The table of mode_convergence() for console, convergence.csv and --json. Changes are relative to the row
/// with most modes that has values.
class ConvergenceTable {
 public:
  ConvergenceTable(const EvaluationChain& chain, const std::vector<ModeConvergenceRow>& rows) : rows_(rows) {
    const Problem& problem = chain.problem();
    for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
      if (chain.body(i)) bodies_.push_back(chain.body(i)->spec().name);
    }
    functions_.push_back({"psi", unit_of(problem, problem.objective)});
    for (const CriterionConstraint& c : problem.constraints.criteria)
      functions_.push_back({name_in_tables(c.label()), unit_of(problem, c.terms)});
    for (const ModeConvergenceRow& row : rows) {
      if (row.values.size() == 0) functions_.clear();
      if (reference_.size() == 0 || (row.values.size() > 0 && row.values.allFinite()))
        reference_ = row.values;
    }
  }

  void print() const {
    std::string header = "modes";
    for (const std::string& body : bodies_) header += fmt::format(" {:>14}", body);
    for (const TableColumn& function : functions_)
      header += fmt::format(" {:>18} {:>12}", function.name, "rel. change");
    Console::standard().print(header);
    for (const ModeConvergenceRow& row : rows_) {
      std::string line = fmt::format("{:>5}", row.n_modes);
      for (const double f : row.frequencies_hz) line += fmt::format(" {:>11.6g} Hz", f);
      for (Eigen::Index i = 0; row.failure.empty() && i < row.values.size(); ++i)
        line += fmt::format(" {:>18.12g} {:>12.2e}", row.values[i], change(row, i));
      Console::standard().print(row.failure.empty() ? line
                                                    : fmt::format("{:>5}  {}", row.n_modes, row.failure));
    }
  }

  std::string csv() const {
    std::string text = "modes";
    for (const std::string& body : bodies_) text += "," + csv_title({body, "Hz"});
    for (const TableColumn& function : functions_)
      text += "," + csv_title(function) + "," + csv_title({function.name + "_relative_change"});
    text += "\n";
    for (const ModeConvergenceRow& row : rows_) {
      if (!row.failure.empty()) continue;
      text += std::to_string(row.n_modes);
      for (const double f : row.frequencies_hz) text += fmt::format(",{}", f);
      for (Eigen::Index i = 0; i < row.values.size(); ++i)
        text += fmt::format(",{},{}", row.values[i], change(row, i));
      text += "\n";
    }
    return text;
  }

  nlohmann::json numbers() const {
    nlohmann::json table = nlohmann::json::array();
    for (const ModeConvergenceRow& row : rows_) {
      if (!row.failure.empty()) continue;
      nlohmann::json entry = {{"modes", row.n_modes}};
      for (Eigen::Index i = 0; i < row.values.size(); ++i) {
        const std::string& name = functions_[static_cast<std::size_t>(i)].name;
        entry[name] = row.values[i];
        entry[i == 0 ? "relative_change" : name + "_relative_change"] = change(row, i);
      }
      table.push_back(std::move(entry));
    }
    return table;
  }

 private:
  double change(const ModeConvergenceRow& row, Eigen::Index i) const {
    return row.values[i] == reference_[i] ? 0.0 : row.values[i] / reference_[i] - 1.0;
  }

  const std::vector<ModeConvergenceRow>& rows_;
  std::vector<std::string> bodies_;
  std::vector<TableColumn> functions_;
  VectorXd reference_;
};

}  // namespace

int run_reduce(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  if (read.bodies.empty())
    throw read.error("formulation", "has no bodies to reduce; modes belong to the floating frame");
  RunDirectory folder = run_directory(args, input_files(args, read));
  Study study = evaluation_study(std::move(read), args);
  const Problem& problem = study.problem();
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();
  const std::vector<std::filesystem::path> texts = text_files(args, folder, chain);
  ChainResult result;
  if (Status s = chain.reduce(space.at(space.start()), result); s.failed()) return fail(s.failure());

  std::vector<std::optional<BodyAugmentation>> augmentations;
  if (args.derivatives) {
    const DerivativeRequest request{args.coefficients, args.by, args.drop_below};
    if (Status s = prepare_augmentations(chain, request, result, augmentations); s.failed())
      return fail(s.failure());
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
    const std::vector<ModeConvergenceRow> rows = mode_convergence(problem, result.design, args.convergence);
    const ConvergenceTable table(chain, rows);
    table.print();
    write_text_file(folder.convergence_csv(), table.csv());
    numbers["convergence"] = table.numbers();
  }
  write_json(args, std::move(numbers));
  folder.finish("finished");
  return 0;
}

}  // namespace kurbel
