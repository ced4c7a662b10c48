#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <ostream>

#include "base/errors.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "base/version.hpp"
#include "problem/range.hpp"

namespace kurbel {

namespace {

constexpr const char* description =
    R"(kurbel: topology optimization of flexible bodies inside their running mechanism

Examples
  kurbel optimize inputs/flexible_crank.toml
  kurbel optimize inputs/flexible_crank.toml --set constraints.volume_fraction=0.4 --output outputs/light
  kurbel optimize --resume outputs/light --set optimizer.stop.iterations=400
  kurbel gradient inputs/flexible_crank_small.toml --check 10
  kurbel simulate inputs/flexible_crank.toml --density outputs/flexible_crank/density/density_00050.vtu --json psi.json
  kurbel simulate inputs/flexible_crank.toml --density outputs/flexible_crank/final.vtu --cut
  kurbel export outputs/flexible_crank
  kurbel reduce inputs/flexible_crank.toml --output outputs/crank_sid
  kurbel reduce inputs/flexible_crank.toml --derivatives --drop-below 1e-4
  kurbel check inputs/four_bar.toml
  kurbel info outputs/crank_sid/sid.h5
  kurbel schema > kurbel.schema.json
  kurbel optimize inputs/spring_pendulum.toml
)";

constexpr const char* footer = R"(`kurbel COMMAND --help` explains the options of a command.

Exit codes
  0  done
  1  the gradient check found a difference, or cannot tell
  2  unusable input: a message says where; no earlier result is touched
  3  numerical failure: a message says when, where and what to try; or a file cannot be written (a full disk),
     or what check, info and schema print; all results so far are on disk
)";

constexpr const char* optimize_footer = R"(Writes to DIR
  density.pvd    densities of the iterations, for ParaView (arrays density, design, sensitivity, body)
  motion.pvd     the moving, deformed mechanism with the final design; of several cases motion_CASE.pvd
  final.vtu      the same arrays of the result
  density.png    picture of the final design
  cut.vtu, cut.png   the final design cut to solid and void at its own volume, as it was simulated
  history.csv    objective, criteria, volume, mass, grey level, change and [variables] per iteration
  convergence.png   objective, constraints, grey level and beta over the iterations, anew every ten of them
  variables.csv  [variables] and nodes of controls after the last iteration, for --variables
  histories.csv  energies, places, speeds and forces over time
  control.csv, states.csv, outputs.csv, adjoint.csv   the same of these, where there are such, and
                 pictures of all (.png)
  timing.csv     time per phase
  run.h5         input, standard input data, trajectory, designs: all that --resume needs
  run.log        what was said
Ctrl-C finishes the current evaluation, writes all of this and ends; --resume goes on from there.
A second run into DIR replaces the files of the first if that was finished. If it was not, or if others' files are in
the way, it is refused and nothing changes.
)";

constexpr const char* gradient_footer = R"(Writes to DIR
  gradient.vtu   density, sensitivity (by the density of each element) and design_sensitivity (by the design
                 variables, through filter and projection), for ParaView; with _NAME behind them those of
                 constraints
  sensitivity.png, histories.csv and .png, run.log
  gradient.csv   by [variables], where there are some, with variables.csv; or
                 instead of these for bodies of type "sid" with an augmented file (`kurbel reduce --derivatives`)
With --over-time, gradient_over_time.csv and .png: what the motion up to each instant contributes.
With --check, a table compares the gradients of psi and of all constraints with differences; exit code 1 if
one differs, or if the differences cannot tell.
)";

constexpr const char* simulate_footer = R"(Writes to DIR
  motion.pvd     the moving, deformed mechanism, for ParaView; of several cases motion_CASE.pvd
  histories.csv  energies, places, speeds and forces over time
  control.csv, states.csv, outputs.csv   the same of these, where there are such, and pictures of all (.png)
  cut.vtu, cut.png   with --cut
  run.h5         standard input data and trajectory
  run.log
A body of type "sid" takes its data from a file and needs no mesh.
)";

constexpr const char* reduce_footer = R"(Writes to DIR
  sid.h5         standard input data of all bodies: for `kurbel info`, for bodies of type "sid", for other programs
                 (with --derivatives augmented by dM0, dM1, dMn of each; the size is told before it is written)
  BODY.SID_FEM   the same of a body as text in the form of FEMBS and SIMPACK (--format text or both)
  convergence.csv  with --convergence
  run.log
)";

constexpr const char* check_footer =
    R"(Says of FILE: bodies, joints, degrees of freedom, redundant constraints, what varies, objective, constraints, steps,
memory. Writes nothing but --json and the pictures of --output. Large meshes are examined on a coarser one; a few time steps are made to time them.
)";

constexpr const char* export_footer =
    R"(Writes BODY.stl into RUN for every body whose densities vary: the surface of a solid, smoothed, that encloses the volume of
the design cut to solid and void. Clamps, markers and regions stay where they are. Flat bodies are extruded by their
thickness.
)";

constexpr const char* schema_footer =
    R"(Prints a JSON Schema (draft 7), by which editors complete and check problem files: kurbel schema > kurbel.schema.json,
and `#:schema ./kurbel.schema.json` as the first line of FILE.toml (Even Better TOML).
)";

constexpr const char* density_help =
    "start from / evaluate at the densities in this file: the final.vtu of a run, another .vtu file with the "
    "cell "
    "array `density`, or a text file with one value per element. They are physical densities, which are "
    "evaluated "
    "as they are. optimize starts from the variables (array `design`), or without them from the densities";

constexpr const char* variables_help = "start from / evaluate at the variables.csv that an earlier run left";

/// The text must be a number in the range, read as the numbers in files are.
CLI::Validator in_range(const Range& range) {
  const auto check = [range](const std::string& text) -> std::string {
    const std::optional<double> number = parse_number(text);
    if (!number) return fmt::format("{} is not a number", text);
    return range.contains(*number) ? "" : fmt::format("{} {}", text, range.complaint(*number));
  };
  return CLI::Validator(check, "");
}

/// A name of a file or folder.
CLI::Validator a_name() {
  const auto check = [](const std::string& text) -> std::string {
    if (text.empty()) return "is an empty name";
    return text.starts_with("--") ? text + " is an option and no name" : "";
  };
  return CLI::Validator(check, "");
}

CLI::App* add_command(CLI::App& app, Command command, const std::string& what, const std::string& files) {
  CLI::App* sub = app.add_subcommand(name_of(command), what);
  sub->footer(files);
  return sub;
}

/// Options that all commands on problem files have.
void add_common_options(CLI::App& sub, CommandLine& line, bool file_required) {
  sub.add_option("FILE", line.file, "problem file (TOML)")
      ->option_text(" ")
      ->required(file_required)
      ->check(a_name());
  sub.add_option(
         "-o,--output", line.output,
         "folder for the results; default: outputs/ and the name of FILE. The files of a finished run in it "
         "are replaced; files that no run wrote are neither removed nor replaced")
      ->option_text("DIR")
      ->check(a_name());
  sub.add_flag("--overwrite", line.overwrite,
               "replace an optimization in DIR that was not finished, instead of asking for --resume");
  sub.add_option("--set", line.overrides, "override a key of the file; may be given several times")
      ->option_text("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  sub.add_option("--density", line.density, density_help)->option_text("FILE")->check(a_name());
  sub.add_option("--variables", line.variables, variables_help)->option_text("FILE")->check(a_name());
  sub.add_option("--json", line.json, "write the numbers of the run to this file")
      ->option_text("FILE")
      ->check(a_name());
  sub.add_option("--threads", line.threads, "number of threads; default: one per processor")
      ->option_text("N")
      ->check(CLI::Range(1, 4096));
  sub.add_flag("-q,--quiet", line.quiet, "print errors only");
}

void add_optimize(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::optimize, "optimize the design", optimize_footer);
  add_common_options(*sub, line, false);
  sub->add_option("--resume", line.resume, "go on with the run in this folder, with the input that it keeps")
      ->option_text("DIR")
      ->check(a_name());
}

void add_gradient(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::gradient,
                              "evaluate the objective and its gradient by all densities", gradient_footer);
  add_common_options(*sub, line, true);
  CLI::Option* check = sub->add_option("--check", line.check,
                                       "compare N random variables and random directions with differences")
                           ->option_text("N")
                           ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  sub->add_option(
         "--tolerance", line.tolerance,
         "largest relative error, and uncertainty of the differences, that agrees; default: ten times that "
         "uncertainty, between 1e-6 and 1e-2")
      ->option_text("X")
      ->check(in_range(Range::positive()))
      ->needs(check);
  sub->add_flag(
      "--over-time", line.over_time,
      "also how the gradient by each of [variables] grows over time: gradient_over_time.csv and .png");
  sub->add_option("--seed", line.seed, fmt::format("of the random choice; default: {}", line.seed))
      ->option_text("N")
      ->needs(check);
}

void add_simulate(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::simulate, "simulate the mechanism", simulate_footer);
  add_common_options(*sub, line, true);
  sub->add_flag("--cut", line.cut,
                "simulate the design cut to solid and void, each body at its own volume, and compare both");
}

void add_reduce(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::reduce, "reduce the flexible bodies to standard input data", reduce_footer);
  add_common_options(*sub, line, true);
  static const std::map<std::string, SidFormat> formats = {
      {"hdf5", SidFormat::hdf5}, {"text", SidFormat::text}, {"both", SidFormat::both}};
  sub->add_option_function<std::string>(
         "--format", [&line](const std::string& name) { line.format = formats.at(name); },
         "hdf5 (sid.h5), text (BODY.SID_FEM) or both; default: hdf5")
      ->option_text("FORMAT")
      ->check(CLI::IsMember(formats));
  sub->add_option("--convergence", line.convergence,
                  "how many normal modes are enough: a table of 1 to N modes with frequencies and objective; "
                  "also convergence.csv")
      ->option_text("N")
      ->check(CLI::Range(1, 1000));
  CLI::Option* derivatives = sub->add_flag(
      "--derivatives", line.derivatives,
      "augment sid.h5 by the derivatives of every coefficient by the densities of all elements");
  sub->add_option("--coefficients", line.coefficients,
                  "derivatives of these coefficients only, e.g. mass,mdCM,J.M1,Ke,phi")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(derivatives);
  sub->add_option("--by", line.by,
                  "derivatives by these design variables only: names of regions (their densities together) "
                  "and element "
                  "numbers")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(derivatives);
  sub->add_option("--drop-below", line.drop_below,
                  "leave out coefficients whose share of the gradient of the objective is below X, measured "
                  "once through the adjoint")
      ->option_text("X")
      ->check(in_range(Range::at_least(0.0)))
      ->needs(derivatives);
}

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::check, "read and build a problem, and tell what it is", check_footer);
  sub->add_option("FILE", line.file, "problem file (TOML)")->option_text(" ")->required()->check(a_name());
  sub->add_option("-o,--output", line.output,
                  "folder for pictures of the numbered surfaces: surfaces.png and surfaces.vtu of a part, "
                  "BODY_surfaces.* of flexible bodies")
      ->option_text("DIR")
      ->check(a_name());
  sub->add_option("--set", line.overrides, "override a key of the file; may be given several times")
      ->option_text("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--json", line.json, "write the numbers to this file")
      ->option_text("FILE")
      ->check(a_name());
}

void add_export(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::export_shape,
                              "write the shape of a result for a workshop or printer", export_footer);
  sub->add_option("RUN", line.file, "folder of an optimization")
      ->option_text(" ")
      ->required()
      ->check(a_name());
  sub->add_flag_function(
      "--stl", [](std::int64_t) {}, "as triangles, which is the default");
  sub->add_option("--unit", line.unit, "of lengths in the file: mm or m; default: mm")
      ->option_text("UNIT")
      ->check(CLI::IsMember({"mm", "m"}));
  sub->add_option("--json", line.json, "write the numbers to this file")
      ->option_text("FILE")
      ->check(a_name());
}

void add_info(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::info, "describe a SID or run file", "");
  sub->add_option("FILE", line.file, "sid.h5, run.h5 or a SID_FEM text file")
      ->option_text(" ")
      ->required()
      ->check(a_name());
  sub->add_option("--json", line.json, "write the numbers to this file")
      ->option_text("FILE")
      ->check(a_name());
}

void add_schema(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::schema, "print what one may write in a problem file", schema_footer);
  sub->add_flag("--markdown", line.markdown, "as a page to read, docs/input_reference.md");
}

/// One line about arguments that mean nothing, with the nearest ones that do.
std::string unknown_argument(const CLI::App& app, const CLI::App* sub) {
  std::vector<std::string> known;
  if (!sub) {
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    const std::string word = app.remaining().front();
    const bool option = word.starts_with('-');
    return fmt::format("unknown {} {}{}", option ? "option" : "command", word, spelling_advice(word, known));
  }
  for (const CLI::Option* option : sub->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string word = sub->remaining().front();
  if (!word.starts_with('-')) return fmt::format("\"{}\" is one argument too many", word);
  const auto nearest = nearest_spelling(word.substr(0, word.find('=')), known);
  return fmt::format("unknown option {}{}", word, nearest ? fmt::format("; did you mean {}?", *nearest) : "");
}

const CLI::App* chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front();
}

InputError error_in(const CLI::App& app, const std::string& what) {
  const CLI::App* sub = chosen_command(app);
  const std::string command = sub ? "kurbel " + sub->get_name() : "kurbel";
  return InputError(fmt::format("{}: {} (see {} --help)", command, what, command));
}

void check_reduce(const CLI::App& app, const CommandLine& line) {
  if (line.derivatives && line.format == SidFormat::text) {
    throw error_in(app, "--derivatives go into sid.h5, which --format text leaves out; take hdf5 or both");
  }
}

void check_resume(const CLI::App& app, const CommandLine& line) {
  if (line.command != Command::optimize) return;
  if (line.resume.empty()) {
    if (line.file.empty()) throw error_in(app, "FILE is missing; give a problem file, or --resume DIR");
    return;
  }
  const char* conflict = !line.file.empty()        ? "FILE"
                         : !line.output.empty()    ? "--output"
                         : !line.density.empty()   ? "--density"
                         : !line.variables.empty() ? "--variables"
                         : line.overwrite          ? "--overwrite"
                                                   : nullptr;
  if (conflict) {
    throw error_in(app, fmt::format("--resume goes on with the input and the folder of its run; leave out {}",
                                    conflict));
  }
}

}  // namespace

const char* name_of(Command command) {
  switch (command) {
    case Command::optimize:
      return "optimize";
    case Command::gradient:
      return "gradient";
    case Command::simulate:
      return "simulate";
    case Command::reduce:
      return "reduce";
    case Command::check:
      return "check";
    case Command::export_shape:
      return "export";
    case Command::info:
      return "info";
    case Command::schema:
      return "schema";
  }
  return "";
}

std::optional<CommandLine> parse_command_line(int argc, const char* const* argv, std::ostream& out) {
  CommandLine line;
  CLI::App app(description, "kurbel");
  app.footer(footer);
  app.set_version_flag("--version", std::string("kurbel ") + version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  add_optimize(app, line);
  add_gradient(app, line);
  add_simulate(app, line);
  add_reduce(app, line);
  add_check(app, line);
  add_export(app, line);
  add_info(app, line);
  add_schema(app, line);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return {};
  } catch (const CLI::CallForVersion&) {
    out << "kurbel " << version() << "\n";
    return {};
  } catch (const CLI::ExtrasError&) {
    throw error_in(app, unknown_argument(app, chosen_command(app)));
  } catch (const CLI::ParseError& error) {
    if (!chosen_command(app) && !app.remaining().empty()) throw error_in(app, unknown_argument(app, nullptr));
    if (!chosen_command(app)) throw error_in(app, "a command is missing");
    throw error_in(app, error.what());
  }
  for (const Command command : {Command::optimize, Command::gradient, Command::simulate, Command::reduce,
                                Command::check, Command::export_shape, Command::info, Command::schema}) {
    if (app.got_subcommand(name_of(command))) line.command = command;
  }
  check_resume(app, line);
  check_reduce(app, line);
  return line;
}

}  // namespace kurbel
