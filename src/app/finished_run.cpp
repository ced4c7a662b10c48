#include "app/finished_run.hpp"

#include <fmt/format.h>

#include "app/command_context.hpp"
#include "problem/toml_parser.hpp"

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

}  // namespace kurbel
