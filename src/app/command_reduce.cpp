#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/results.hpp"
#include "base/files.hpp"
#include "evaluation/augmented_export.hpp"
#include "evaluation/body_mesh.hpp"
#include "evaluation/mode_convergence.hpp"
#include "output/csv_tables.hpp"
#include "output/log.hpp"
#include "output/mode_writer.hpp"
#include "problem/criterion_units.hpp"
#include "sid_text/sid_text.hpp"

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

/// Files of mode shapes as arrays, by body; none without --modes.
std::vector<std::filesystem::path> mode_files(const CommandLine& args, const RunDirectory& folder,
                                              const EvaluationChain& chain) {
  std::vector<std::filesystem::path> files(chain.n_bodies());
  for (std::size_t i = 0; args.modes && i < files.size(); ++i) {
    if (!chain.body(i)) continue;
    files[i] = folder.path() / (chain.problem().bodies[i].name + "_modes.vtu");
    if (folder.may_replace(files[i])) continue;
    throw InputError(
        fmt::format("{}: was not written by a run of kurbel here and is not replaced; choose another folder",
                    files[i].string()));
  }
  return files;
}

/// The places of the bodies at the start of the motion; of several cases, whose starts differ, every body in its own frame.
Status find_places(EvaluationChain& chain, ChainResult& result, std::vector<MotionPose>& poses) {
  poses.resize(chain.n_bodies());
  if (!chain.problem().cases.empty()) return {};
  if (Status s = chain.make_motion(result); s.failed()) return s;
  VectorXd y0 = VectorXd::Zero(result.motion->steps().n_state());
  if (Status s = result.motion->initial_state(y0); s.failed()) return s;
  poses = result.motion->start_poses({y0, VectorXd::Constant(1, chain.problem().integrator.t0), 1});
  return {};
}

/// The bodies with a mesh.
Status find_modes(EvaluationChain& chain, ChainResult& result, std::vector<BodyModes>& modes) {
  std::vector<MotionPose> poses;
  if (Status s = find_places(chain, result, poses); s.failed()) return s;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (!chain.body(i)) continue;
    const fem::ReducedBody& reduced = result.reduced[i];
    const fem::BodyDesign& design = result.design.bodies[i];
    modes.push_back({chain.problem().bodies[i].name,
                     placed(design_mesh(*chain.body(i), design), poses[i].r, poses[i].S), design.density,
                     poses[i].S, reduced.shapes,
                     reduced.lambda.cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi)});
  }
  return {};
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

/// Frequencies and functions by the number of modes. Changes are relative to the row with most modes that has values.
ReportTable convergence_table(const EvaluationChain& chain, const std::vector<ModeConvergenceRow>& rows) {
  const Problem& problem = chain.problem();
  ReportTable table{{{"modes", "{}", "modes", "modes"}}, {}};
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (const fem::FlexibleBody* body = chain.body(i))
      table.columns.push_back({body->spec().name, "{:.6g} Hz", "", csv_title({body->spec().name, "Hz"}), 13});
  }
  const auto add_function = [&](const std::string& name, const std::vector<CriterionTerm>& terms,
                                const std::string& key) {
    table.columns.push_back({name, "{:.12g}", name, csv_title({name, unit_of(problem, terms)}), 17});
    table.columns.push_back({"rel. change", "{:.2e}", key, csv_title({name + "_relative_change"})});
  };
  if (std::ranges::all_of(rows, [](const ModeConvergenceRow& row) { return row.values.size() > 0; })) {
    add_function("psi", problem.objective, "relative_change");
    for (const CriterionConstraint& c : problem.constraints.criteria) {
      const std::string name = name_in_tables(c.label());
      add_function(name, c.terms, name + "_relative_change");
    }
  }
  VectorXd reference;
  for (const ModeConvergenceRow& row : rows) {
    if (reference.size() == 0 || (row.values.size() > 0 && row.values.allFinite())) reference = row.values;
  }
  for (const ModeConvergenceRow& row : rows) {
    if (!row.failure.empty()) continue;
    std::vector<nlohmann::json>& cells = table.rows.emplace_back();
    cells.push_back(row.n_modes);
    for (const double f : row.frequencies_hz) cells.push_back(f);
    for (Eigen::Index i = 0; i < row.values.size(); ++i) {
      const double value = row.values[i];
      cells.push_back(value), cells.push_back(value == reference[i] ? 0.0 : value / reference[i] - 1.0);
    }
    cells.resize(table.columns.size());
  }
  return table;
}

}  // namespace

int run_reduce(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  require_motion(read, "reduce");
  if (std::ranges::none_of(read.bodies,
                           [](const ProblemBody& body) { return body.type == ProblemBody::Type::flexible; }))
    throw read.error("bodies", "has no flexible body, so that there is nothing to reduce");
  RunDirectory folder = run_directory(args, input_files(args, read));
  Study study = evaluation_study(std::move(read), args);
  const Problem& problem = study.problem();
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();
  const std::vector<std::filesystem::path> texts = text_files(args, folder, chain);
  ChainResult result;
  if (Status s = chain.reduce(space.at(space.start()), result); s.failed()) return fail(s.failure());

  const std::vector<std::filesystem::path> arrays = mode_files(args, folder, chain);
  std::vector<BodyModes> modes;
  if (args.modes) {
    if (Status s = find_modes(chain, result, modes); s.failed()) return fail(s.failure());
  }

  std::vector<std::optional<BodyAugmentation>> augmentations;
  if (args.derivatives) {
    const DerivativeRequest request{args.coefficients, args.by, args.drop_below};
    if (Status s = prepare_augmentations(chain, request, result, augmentations); s.failed())
      return fail(s.failure());
    for (const std::string& line : describe_augmentations(chain, augmentations)) log_info(line);
  }

  folder.begin();
  open_log_file(folder / "run.log");
  for (const std::string& line : describe_augmentations(chain, augmentations)) log_detail(line);
  log_reduction(chain, result);
  Report report = log_report();
  if (args.format != SidFormat::text) {
    const FileHeader header = file_header(problem, "sid", "reduce");
    if (args.derivatives) {
      write_augmented_sids(folder / "sid.h5", chain, result, augmentations, header);
    } else {
      write_sids(folder / "sid.h5", chain, result, header);
    }
    report.say("standard input data are in {}", (folder / "sid.h5").string());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    folder.claim(texts[i]);
    write_sid_text_file(texts[i], result.reduced[i].sid);
    report.say("standard input data of {} as text are in {}", problem.bodies[i].name, texts[i].string());
  }
  if (args.modes) {
    write_mode_series(folder / "modes.pvd", modes);
    auto body = modes.begin();
    for (const std::filesystem::path& file : arrays) {
      if (file.empty()) continue;
      folder.claim(file);
      write_mode_arrays(file, *body++);
    }
    report.say("mode shapes are in {}", (folder / "modes.pvd").string());
  }
  report["bodies"] = numbers_of(chain, result);
  report["seconds"] = to_json(result.times);
  if (args.convergence > 0) {
    const std::vector<ModeConvergenceRow> rows = mode_convergence(problem, result.design, args.convergence);
    const ReportTable table = convergence_table(chain, rows);
    Report console = console_report(args);
    console.show(table);
    for (const ModeConvergenceRow& row : rows) {
      if (!row.failure.empty()) log_warning(fmt::format("{} modes: {}", row.n_modes, row.failure));
    }
    write_text_file(folder / "convergence.csv", table.csv());
    report["convergence"] = table.numbers();
  }
  write_json(args, report);
  folder.finish("finished");
  return 0;
}

}  // namespace kurbel
