#include "app/named_files.hpp"

#include "keys/toml_document.hpp"

namespace kurbel {

namespace {

void add_files_of_columns(const TomlValue& value, const std::string& path,
                          const std::filesystem::path& directory,
                          std::map<std::string, std::filesystem::path>& files) {
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (const TomlValue::Table* table = value.table()) {
    const TomlValue* file = value.find("file");
    const auto* name = file && value.find("column") ? std::get_if<std::string>(&file->data) : nullptr;
    if (name) files[inner("file")] = directory / *name;
    for (const TomlEntry& entry : *table)
      add_files_of_columns(entry.value, inner(entry.key), directory, files);
  } else if (const TomlValue::Array* array = value.array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      add_files_of_columns((*array)[i], inner(std::to_string(i)), directory, files);
  }
}

}  // namespace

std::map<std::string, std::filesystem::path> files_of_columns(const TomlDocument& document) {
  std::map<std::string, std::filesystem::path> files;
  add_files_of_columns(document.root, "", document.directory, files);
  return files;
}

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
  for (const auto& [key, file] : files_of_columns(*problem.document)) files.push_back(file);
  return files;
}

}  // namespace kurbel
