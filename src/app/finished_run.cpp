#include "app/finished_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_context.hpp"
#include "problem/toml_parser.hpp"

namespace kurbel {

namespace {

std::filesystem::path densities_of(const std::filesystem::path& folder) {
  return folder / "final.vtu";
}

/// Tells whether a variable is the surface of a body, whose result stands in variables.csv.
bool moves_surface(const TomlDocument& document) {
  const TomlValue* variables = document.root.find("variables");
  return variables && variables->table() &&
         std::ranges::any_of(*variables->table(), [](const TomlEntry& entry) {
           const TomlValue* quantity = entry.value.find("quantity");
           const auto* path = quantity ? std::get_if<std::string>(&quantity->data) : nullptr;
           return path && path->ends_with(".mesh.surface");
         });
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
  TomlDocument document = document_with_variables(folder, std::move(overrides));
  if (!std::filesystem::exists(densities_of(folder)) && !moves_surface(document)) {
    throw InputError(
        fmt::format("cannot {} {}: there is no final.vtu, which an optimization of densities leaves "
                    "when it ends. Let it end, by --resume if it was interrupted",
                    what_for, folder.string()));
  }
  return document;
}

Study study_of_result(const std::filesystem::path& folder, const char* what_for,
                      std::vector<std::string> overrides) {
  const std::filesystem::path densities = densities_of(folder);
  return Study(read_problem(document_of_result(folder, what_for, std::move(overrides))),
               Study::Variables::to_evaluate,
               std::filesystem::exists(densities) ? densities.string() : std::string());
}

void claim_all(RunDirectory& folder, const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    if (!folder.may_replace(file))
      throw InputError(fmt::format("{} was not written by kurbel; move it elsewhere", file.string()));
  }
  for (const std::filesystem::path& file : files) folder.claim(file);
}

}  // namespace kurbel
