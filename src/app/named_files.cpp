#include "app/named_files.hpp"

#include "keys/toml_document.hpp"

namespace kurbel {

std::vector<std::filesystem::path> named_files(const Problem& problem) {
  std::vector<std::filesystem::path> files;
  for (const ProblemBody& body : problem.bodies) {
    if (!body.sid_file.empty()) files.push_back(body.sid_file);
    const TomlValue* part = problem.document->find("bodies." + body.name + ".mesh.file");
    if (part) files.push_back(problem.document->directory / std::get<std::string>(part->data));
  }
  for (const std::filesystem::path& file : {problem.design.start_file, problem.design.variables_file}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

}  // namespace kurbel
