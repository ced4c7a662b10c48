#include "app/command_options.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "app/command_help.hpp"
#include "base/numbers.hpp"
#include "keys/range.hpp"

namespace kurbel {

namespace {

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

void add_threads(CLI::App& sub, CommandLine& line) {
  sub.add_option("--threads", line.threads, "number of threads; default: one per processor")
      ->option_text("N")
      ->check(CLI::Range(1, 4096));
}

void add_quiet(CLI::App& sub, CommandLine& line) {
  sub.add_flag("-q,--quiet", line.quiet, "print warnings and errors only");
}

/// The file of numbers that scripts read.
void add_json(CLI::App& sub, CommandLine& line) {
  sub.add_option("--json", line.json, "write the numbers to this file")->option_text("FILE")->check(a_name());
}

/// The finished run that a command works on.
void add_run(CLI::App& sub, CommandLine& line) {
  sub.add_option("RUN", line.file, "folder of an optimization")
      ->option_text(" ")
      ->required()
      ->check(a_name());
}

/// The folder for files that are made of a finished run.
void add_folder_of_files(CLI::App& sub, CommandLine& line) {
  sub.add_option("-o,--output", line.output, "folder for the files; default: RUN")
      ->option_text("DIR")
      ->check(a_name());
  sub.add_flag("--overwrite", line.overwrite, "replace files that exist in DIR");
}

/// Options that all commands on problem files have.
void add_common_options(CLI::App& sub, CommandLine& line, bool file_required) {
  sub.add_option("FILE", line.file, "problem file (TOML)")
      ->option_text(" ")
      ->required(file_required)
      ->check(a_name());
  sub.add_option("-o,--output", line.output,
                 "folder for the results; default: outputs/NAME for NAME.toml. A finished run in it is "
                 "replaced; other files stay")
      ->option_text("DIR")
      ->check(a_name());
  sub.add_flag("--overwrite", line.overwrite, "replace an unfinished optimization in DIR");
  sub.add_option("--set", line.overrides, "replace a key of the file; may be given several times")
      ->option_text("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  sub.add_option("--density", line.density, help::density_help)->option_text("FILE")->check(a_name());
  sub.add_option("--variables", line.variables, help::variables_help)->option_text("FILE")->check(a_name());
  sub.add_option("--json", line.json, "write the numbers of the run to this file")
      ->option_text("FILE")
      ->check(a_name());
  add_threads(sub, line);
  add_quiet(sub, line);
}

void add_optimize(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::optimize, "optimize the design", help::optimize_footer);
  add_common_options(*sub, line, false);
  sub->add_option("--resume", line.resume, "continue the run in this folder, with the input that it keeps")
      ->option_text("DIR")
      ->check(a_name());
  sub->add_option(
         "--finer", line.finer,
         "continue from the result in this folder on a mesh of half the edge length; results go to DIR_finer")
      ->option_text("DIR")
      ->check(a_name());
  sub->add_option(
         "--shape", line.shape,
         "mesh the shape of the result in this folder and optimize its surface; results go to DIR_shape")
      ->option_text("DIR")
      ->check(a_name());
}

void add_gradient(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::gradient, "evaluate the objective and all gradients", help::gradient_footer);
  add_common_options(*sub, line, true);
  CLI::Option* check =
      sub->add_option(
             "--check", line.check,
             "compare the gradients with differences, for N random variables and N random directions")
          ->option_text("N")
          ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  sub->add_option("--tolerance", line.tolerance,
                  "largest relative error that agrees, and largest uncertainty of the differences; default: "
                  "ten times that uncertainty, between 1e-6 and 1e-2")
      ->option_text("X")
      ->check(in_range(Range::positive()))
      ->needs(check);
  sub->add_flag("--over-time", line.over_time,
                "write how the gradient by each of [variables] grows over time");
  sub->add_option("--seed", line.seed, fmt::format("seed of the random choice; default: {}", line.seed))
      ->option_text("N")
      ->needs(check);
}

void add_simulate(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::simulate, "simulate the mechanism", help::simulate_footer);
  add_common_options(*sub, line, true);
  sub->add_flag("--cut", line.cut,
                "simulate the design cut to solid and void, each body at its own volume, and compare both");
}

void add_reduce(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::reduce, "reduce the flexible bodies to standard input data",
                              help::reduce_footer);
  add_common_options(*sub, line, true);
  static const std::map<std::string, SidFormat> formats = {
      {"hdf5", SidFormat::hdf5}, {"text", SidFormat::text}, {"both", SidFormat::both}};
  sub->add_option_function<std::string>(
         "--format", [&line](const std::string& name) { line.format = formats.at(name); },
         "hdf5 (sid.h5), text (BODY.SID_FEM) or both; default: hdf5")
      ->option_text("FORMAT")
      ->check(CLI::IsMember(formats));
  sub->add_option(
         "--convergence", line.convergence,
         "print a table of frequency and objective for 1 to N normal modes, which tells how many are enough")
      ->option_text("N")
      ->check(CLI::Range(1, 1000));
  sub->add_flag("--modes", line.modes, "write mode shapes for ParaView");
  CLI::Option* derivatives =
      sub->add_flag("--derivatives", line.derivatives,
                    "add to sid.h5 the derivatives of every coefficient by the densities of all elements");
  sub->add_option("--coefficients", line.coefficients,
                  "only derivatives of these coefficients, e.g. mass,mdCM,J.M1,Ke,phi")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(derivatives);
  sub->add_option("--by", line.by,
                  "only derivatives by these design variables: names of regions (their densities together) "
                  "and element numbers")
      ->option_text("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(derivatives);
  sub->add_option("--drop-below", line.drop_below,
                  "omit derivatives of coefficients whose share of the gradient of the objective is below X")
      ->option_text("X")
      ->check(in_range(Range::at_least(0.0)))
      ->needs(derivatives);
}

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::check, "build a problem and describe it", help::check_footer);
  sub->add_option("FILE", line.file, "problem file (TOML)")->option_text(" ")->required()->check(a_name());
  sub->add_option("-o,--output", line.output,
                  "folder for pictures of the numbered surfaces: surfaces.png and surfaces.vtp of a part, "
                  "BODY_surfaces.* of flexible bodies")
      ->option_text("DIR")
      ->check(a_name());
  sub->add_option("--set", line.overrides, "replace a key of the file; may be given several times")
      ->option_text("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  add_json(*sub, line);
  add_threads(*sub, line);
}

void add_export(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::export_shape,
                              "write the shape of a result for a workshop or printer", help::export_footer);
  add_run(*sub, line);
  add_folder_of_files(*sub, line);
  sub->add_flag("--stl", line.stl, "write triangles, BODY.stl; the default");
  sub->add_flag("--3mf", line.threemf, "write triangles with their unit, BODY.3mf");
  sub->add_flag("--step", line.step, "write flat bodies as solids of CAD with splines, BODY.step, in mm");
  sub->add_flag("--mesh", line.mesh,
                "write a mesh of quadratic triangles or tetrahedra that fits the shape, BODY.inp");
  sub->add_option("--unit", line.unit, "unit of lengths in the file: mm or m; default: mm")
      ->option_text("UNIT")
      ->check(CLI::IsMember({"mm", "m"}));
  add_json(*sub, line);
  add_threads(*sub, line);
  add_quiet(*sub, line);
}

void add_verify(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::verify, "mesh the shape of a result and simulate it beside the design",
                  help::verify_footer);
  add_run(*sub, line);
  add_folder_of_files(*sub, line);
  add_json(*sub, line);
  add_threads(*sub, line);
  add_quiet(*sub, line);
}

void add_import(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::import_robot, "write a problem file from a robot (URDF)",
                              help::import_footer);
  sub->add_option("FILE", line.file, "robot (.urdf)")->option_text(" ")->required()->check(a_name());
  sub->add_option("-o,--output", line.output,
                  "the problem file; default: the name of FILE with .toml, in this folder")
      ->option_text("FILE")
      ->check(a_name());
  sub->add_flag("--overwrite", line.overwrite, "replace the problem file if it exists");
  add_json(*sub, line);
  add_quiet(*sub, line);
}

void add_report(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::report, "write a run as a page for the browser", help::report_footer);
  add_run(*sub, line);
  sub->add_option("OTHER", line.other, "folder of a run to compare with")->option_text(" ")->check(a_name());
  sub->add_option("-o,--output", line.output, "the file; default: report.html in RUN")
      ->option_text("FILE")
      ->check(a_name());
  add_threads(*sub, line);
  add_quiet(*sub, line);
}

void add_study(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::study, "run variants of a problem", help::study_footer);
  sub->add_option("FILE", line.file, "study file (TOML)")->option_text(" ")->required()->check(a_name());
  sub->add_option("-o,--output", line.output, "folder for the runs; default: outputs/ and the name of FILE")
      ->option_text("DIR")
      ->check(a_name());
  sub->add_option("-j,--jobs", line.jobs,
                  "number of runs at a time; default: one per processor, as far as memory suffices")
      ->option_text("N")
      ->check(CLI::Range(1, 4096));
  sub->add_option("--array", line.array,
                  "run the K-th of N shares of the variants, for job arrays of a cluster")
      ->option_text("K/N")
      ->check(a_name());
  add_threads(*sub, line);
  add_quiet(*sub, line);
}

void add_converge(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::converge, "tell which digits of objective and constraints hold",
                              help::converge_footer);
  add_common_options(*sub, line, true);
  sub->add_option("--mesh", line.mesh_factors,
                  "factors of refinement; default: 2,3, in three dimensions 1.5,2")
      ->option_text("A,B")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(in_range({.lower = 1.0, .upper = 16.0, .lower_open = true}));
}

void add_examples(CLI::App& app) {
  add_command(app, Command::examples, "list the inputs that come with the program", "");
}

void add_new(CLI::App& app, CommandLine& line) {
  CLI::App* sub =
      add_command(app, Command::new_problem, "copy a shipped input to start from", help::new_footer);
  sub->add_option("NAME", line.file, "an input that `kurbel examples` lists")
      ->option_text(" ")
      ->required()
      ->check(a_name());
  sub->add_option("FILE,-o,--output", line.output, "the copy; default: NAME.toml in this folder")
      ->option_text(" ")
      ->check(a_name());
  sub->add_flag("--overwrite", line.overwrite, "replace files that exist");
  add_quiet(*sub, line);
}

void add_info(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::info, "describe a SID or run file", "");
  sub->add_option("FILE", line.file, "sid.h5, run.h5 or a SID_FEM text file")
      ->option_text(" ")
      ->required()
      ->check(a_name());
  add_json(*sub, line);
}

void add_schema(CLI::App& app, CommandLine& line) {
  CLI::App* sub = add_command(app, Command::schema, "print the keys of a problem file", help::schema_footer);
  sub->add_flag("--markdown", line.markdown, "print a page to read, docs/input_reference.md");
}

}  // namespace

void add_commands(CLI::App& app, CommandLine& line) {
  add_optimize(app, line);
  add_gradient(app, line);
  add_simulate(app, line);
  add_reduce(app, line);
  add_check(app, line);
  add_export(app, line);
  add_verify(app, line);
  add_report(app, line);
  add_study(app, line);
  add_converge(app, line);
  add_import(app, line);
  add_examples(app);
  add_new(app, line);
  add_info(app, line);
  add_schema(app, line);
}

}  // namespace kurbel
