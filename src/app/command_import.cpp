#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "base/files.hpp"
#include "output/log.hpp"
#include "robots/robot_problem.hpp"

namespace kurbel {

int run_import(const CommandLine& args) {
  const std::filesystem::path file = args.file;
  const std::filesystem::path output =
      args.output.empty() ? file.filename().replace_extension(".toml") : args.output;
  const Robot robot = read_robot(file);
  if (std::filesystem::exists(output) && !args.overwrite)
    throw InputError(fmt::format("{} exists; give another --output, or --overwrite", output.string()));
  if (std::filesystem::exists(output) && std::filesystem::equivalent(file, output))
    throw InputError(fmt::format("--output {} is the file that is imported", output.string()));
  require_writable(output);
  require_json_is_no_input(args, {file, output});
  RobotProblem problem;
  try {
    problem = robot_problem(robot, file.filename().string());
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  write_text_file(output, problem.text);
  Report report = console_report(args);
  report.say("robot {}: rigid bodies {}, joints {}, {:.6g} kg, written to {}", named("name", robot.name),
             named("bodies", problem.n_bodies), named("joints", problem.n_joints),
             named("mass", problem.mass), named("file", output.string()));
  report["warnings"] = problem.warnings;
  for (const std::string& warning : problem.warnings) log_warning(warning);
  write_json(args, report);
  return 0;
}

}  // namespace kurbel
