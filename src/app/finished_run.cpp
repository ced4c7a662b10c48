#include "app/finished_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_context.hpp"
#include "app/named_files.hpp"
#include "base/files.hpp"
#include "keys/toml_parser.hpp"

namespace kurbel {

namespace {

std::filesystem::path densities_of(const std::filesystem::path& folder) {
  return folder / "final.vtu";
}

}  // namespace

TomlDocument document_with_variables(const std::filesystem::path& folder,
                                     std::vector<std::string> overrides) {
  if (const auto variables = folder / "variables.csv"; std::filesystem::exists(variables)) {
    overrides.push_back(
        text_override("design.start_variables", std::filesystem::absolute(variables).string()));
  }
  return document_of_run(folder, overrides);
}

TomlDocument document_of_result(const std::filesystem::path& folder, const char* what_for,
                                std::vector<std::string> overrides) {
  if (!std::filesystem::exists(densities_of(folder))) {
    throw InputError(
        fmt::format("cannot {} {}: there is no final.vtu, which an optimization of densities "
                    "or of a surface leaves when it ends. Let it end, by --resume if it was interrupted",
                    what_for, folder.string()));
  }
  return document_with_variables(folder, std::move(overrides));
}

Study study_of_result(const std::filesystem::path& folder, const char* what_for,
                      std::vector<std::string> overrides) {
  Problem problem = read_problem(document_of_result(folder, what_for, std::move(overrides)));
  const bool has_densities = !problem.design.bodies.empty();
  return Study(std::move(problem), Study::Variables::to_evaluate,
               has_densities ? densities_of(folder).string() : std::string());
}

std::filesystem::path folder_beside(const std::filesystem::path& run, const char* suffix) {
  const bool is_relative_name = run.filename() == "." || run.filename() == "..";
  std::filesystem::path folder = (is_relative_name ? std::filesystem::absolute(run) : run).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.string() + suffix;
}

void claim_all(RunDirectory& folder, const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    if (!folder.may_replace(file))
      throw InputError(fmt::format("{} was not written by kurbel; move it elsewhere", file.string()));
  }
  for (const std::filesystem::path& file : files) folder.claim(file);
}

namespace {

bool names_another_folder(const CommandLine& args) {
  std::error_code ignored;
  return !args.output.empty() && !std::filesystem::equivalent(args.output, args.file, ignored);
}

RunDirectory locked(const CommandLine& args) {
  const char* command = name_of(args.command);
  return names_another_folder(args) ? RunDirectory::to_read(args.file, command)
                                    : RunDirectory::of_run(args.file, command);
}

}  // namespace

ResultFolder::ResultFolder(const CommandLine& args)
    : args_(args),
      run_(args.file),
      files_(args.file),
      locked_(locked(args)),
      is_beside_(names_another_folder(args)) {
  namespace fs = std::filesystem;
  if (!is_beside_) {
    require_usable_json(args, locked_, {});
    return;
  }
  files_ = args.output;
  const auto is_file = [](const fs::path& path) {
    std::error_code unknown;
    for (const char* ending : {".stl", ".3mf", ".step", ".inp"}) {
      if (path.extension() == ending) return !fs::is_directory(path, unknown);
    }
    return fs::exists(path, unknown) && !fs::is_directory(path, unknown);
  };
  if (is_file(files_))
    throw InputError(fmt::format(
        "--output {} names a file; name a folder, in which every body gets a file of its own name",
        files_.string()));
}

void ResultFolder::claim(const std::vector<std::filesystem::path>& files, const Problem& problem) {
  const std::vector<std::filesystem::path> inputs = named_files(problem);
  for (const std::filesystem::path& file : files) {
    if (std::ranges::any_of(inputs, [&](const auto& input) { return same_file(file, input); }))
      throw InputError(fmt::format("{}: the run reads this file; give another --output", file.string()));
  }
  require_json_is_no_input(args_, inputs);
  if (!is_beside_) {
    require_json_is_no_input(args_, files);
    return claim_all(locked_, files);
  }
  for (const std::filesystem::path& file : files) {
    std::error_code unknown;
    if (!args_.overwrite && std::filesystem::exists(file, unknown))
      throw InputError(fmt::format("{} exists; give another --output, or --overwrite", file.string()));
  }
  require_json_is_no_input(args_, files);
  std::error_code error;
  const std::filesystem::path run = std::filesystem::canonical(run_),
                              json = std::filesystem::weakly_canonical(args_.json);
  if (!args_.json.empty() && std::ranges::mismatch(run, json).in1 == run.end())
    throw InputError(fmt::format(
        "--json {} is in the folder of the run, which --output leaves as it is; give another path",
        args_.json.string()));
  std::filesystem::create_directories(files_, error);
  if (error)
    throw InputError(
        fmt::format("--output {}: cannot make this folder: {}", files_.string(), error.message()));
  for (const std::filesystem::path& file : files) require_writable(file);
}

}  // namespace kurbel
