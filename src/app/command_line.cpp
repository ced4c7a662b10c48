#include "app/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

#include "app/command_help.hpp"
#include "app/command_options.hpp"
#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "base/version.hpp"

namespace kurbel {

namespace {

/// The words of all commands.
constexpr std::pair<Command, const char*> command_names[] = {
    {Command::optimize, "optimize"}, {Command::gradient, "gradient"},   {Command::simulate, "simulate"},
    {Command::reduce, "reduce"},     {Command::check, "check"},         {Command::export_shape, "export"},
    {Command::verify, "verify"},     {Command::report, "report"},       {Command::study, "study"},
    {Command::converge, "converge"}, {Command::import_robot, "import"}, {Command::examples, "examples"},
    {Command::new_problem, "new"},   {Command::info, "info"},           {Command::schema, "schema"},
};
static_assert(std::size(command_names) == static_cast<std::size_t>(Command::schema) + 1);

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

/// Refuses what has no meaning beside an option that goes on from a run.
void require_alone(const CLI::App& app, const char* option, const char* what,
                   std::initializer_list<std::pair<bool, const char*>> others) {
  for (const auto& [is_given, other] : others) {
    if (is_given) throw error_in(app, fmt::format("{} goes on with {}; leave out {}", option, what, other));
  }
}

void check_source(const CLI::App& app, const CommandLine& line) {
  if (line.command != Command::optimize) return;
  if (!line.resume.empty())
    return require_alone(app, "--resume", "the input and the folder of its run",
                         {{!line.file.empty(), "FILE"},
                          {!line.shape.empty(), "--shape"},
                          {!line.finer.empty(), "--finer"},
                          {!line.output.empty(), "--output"},
                          {!line.density.empty(), "--density"},
                          {!line.variables.empty(), "--variables"},
                          {line.overwrite, "--overwrite"}});
  if (!line.shape.empty())
    return require_alone(app, "--shape", "the input and the result of a run",
                         {{!line.file.empty(), "FILE"},
                          {!line.finer.empty(), "--finer"},
                          {!line.density.empty(), "--density"},
                          {!line.variables.empty(), "--variables"}});
  if (!line.finer.empty())
    return require_alone(app, "--finer", "the input and the result of a run",
                         {{!line.file.empty(), "FILE"},
                          {!line.density.empty(), "--density"},
                          {!line.variables.empty(), "--variables"}});
  if (line.file.empty())
    throw error_in(app, "FILE is missing; give a problem file, or --resume DIR, --shape DIR or --finer DIR");
}

/// One or two meshes, the second one finer than the first.
void check_mesh_factors(const CLI::App& app, const CommandLine& line) {
  const std::vector<double>& factors = line.mesh_factors;
  if (factors.size() > 2 || (factors.size() == 2 && factors[0] >= factors[1]))
    throw error_in(app, "--mesh takes one or two numbers above 1, ascending");
}

}  // namespace

const char* name_of(Command command) {
  const auto* const found =
      std::ranges::find(command_names, command, &std::pair<Command, const char*>::first);
  return found->second;
}

std::optional<CommandLine> parse_command_line(int argc, const char* const* argv, std::ostream& out) {
  CommandLine line;
  CLI::App app(help::description, "kurbel");
  app.footer(help::footer);
  app.set_version_flag("--version", std::string("kurbel ") + version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  add_commands(app, line);

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
  for (const auto& [command, name] : command_names) {
    if (app.got_subcommand(name)) line.command = command;
  }
  check_source(app, line);
  check_reduce(app, line);
  check_mesh_factors(app, line);
  return line;
}

}  // namespace kurbel
