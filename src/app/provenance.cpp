#include "app/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "app/named_files.hpp"
#include "base/digest.hpp"
#include "base/version.hpp"
#include "keys/toml_parser.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

constexpr std::array<std::string_view, 3> free_keys = {"title", "optimizer.stop", "output"};
constexpr std::string_view program = "program", build_key = "build", content = "content ";
constexpr std::size_t digest_size = 32;

bool is_free(const std::string& path) {
  return std::any_of(free_keys.begin(), free_keys.end(), [&](std::string_view key) { return path == key; });
}

bool holds_tables(const TomlValue::Array& array) {
  return std::any_of(array.begin(), array.end(), [](const TomlValue& value) { return value.table(); });
}

/// 5 and 5.0 are the same number.
std::string canonical(const TomlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return fmt::format("{}", static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value.data)) return fmt::format("{}", *number);
  const TomlValue::Array* array = value.array();
  if (!array) return value.to_toml();
  std::string out;
  for (const TomlValue& element : *array) out += (out.empty() ? "" : ", ") + canonical(element);
  return "[" + out + "]";
}

using Files = std::map<std::string, std::filesystem::path>;

/// By the keys that name them.
Files files_of(const Problem& problem) {
  Files files = files_of_columns(*problem.document);
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::sid) files[fmt::format("bodies.{}.file", body.name)] = body.sid_file;
  }
  if (!problem.design.start_file.empty()) files["design.start"] = problem.design.start_file;
  if (!problem.design.variables_file.empty()) files["design.start_variables"] = problem.design.variables_file;
  return files;
}

void add_keys(const TomlValue& value, const std::string& path, const Files& files,
              std::vector<ProvenancePart>& parts) {
  if (is_free(path)) return;
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (const TomlValue::Table* table = value.table()) {
    for (const TomlEntry& entry : *table) add_keys(entry.value, inner(entry.key), files, parts);
  } else if (const TomlValue::Array* array = value.array(); array && holds_tables(*array)) {
    for (std::size_t i = 0; i < array->size(); ++i)
      add_keys((*array)[i], inner(std::to_string(i)), files, parts);
  } else if (const auto file = files.find(path); file != files.end()) {
    parts.push_back({path, fmt::format("{}{} {}", content, digest_of_file(file->second), canonical(value))});
  } else {
    parts.push_back({path, canonical(value)});
  }
}

using Values = std::map<std::string_view, std::string_view>;

Values by_name(const std::vector<ProvenancePart>& parts) {
  Values values;
  for (const ProvenancePart& part : parts) values.emplace(part.name, part.value);
  return values;
}

bool is_content(std::string_view value) {
  return value.starts_with(content) && value.size() > content.size() + digest_size;
}

/// The file's name without its digest; any other value as it is.
std::string_view shown(std::string_view value) {
  return is_content(value) ? value.substr(content.size() + digest_size + 1) : value;
}

/// Files agree if their contents do, wherever they are.
bool agree(std::string_view a, std::string_view b) {
  const std::size_t compared = content.size() + digest_size;
  return is_content(a) && is_content(b) ? a.substr(0, compared) == b.substr(0, compared) : a == b;
}

std::string difference(std::string_view name, std::string_view was, std::string_view is) {
  if (is_content(was) && is_content(is) && shown(was) == shown(is))
    return fmt::format("{} = {} has another content", name, shown(is));
  return fmt::format("{} = {} (was {})", name, shown(is), shown(was));
}

}  // namespace

std::vector<ProvenancePart> provenance_of(const Problem& problem) {
  std::vector<ProvenancePart> parts = {{std::string(program), fmt::format("kurbel {}", version())},
                                       {std::string(build_key), digest_of_file("/proc/self/exe")}};
  add_keys(problem.document->root, "", files_of(problem), parts);
  return parts;
}

std::vector<std::string> differences(const std::vector<ProvenancePart>& stored,
                                     const std::vector<ProvenancePart>& now) {
  const Values old_values = by_name(stored), new_values = by_name(now);
  std::vector<std::string> found;
  for (const auto& [name, value] : new_values) {
    if (name == build_key) continue;
    const auto was = old_values.find(name);
    if (was == old_values.end()) {
      found.push_back(fmt::format("{} = {} (was not given)", name, shown(value)));
    } else if (!agree(was->second, value)) {
      found.push_back(difference(name, was->second, value));
    }
  }
  for (const auto& [name, value] : old_values) {
    if (name != build_key && !new_values.contains(name))
      found.push_back(fmt::format("{} is not given (was {})", name, shown(value)));
  }
  return found;
}

void require_same_provenance(const std::filesystem::path& folder, const RunReader& run,
                             const std::vector<ProvenancePart>& now) {
  const std::vector<ProvenancePart> stored = run.provenance();
  if (stored.empty()) {
    throw InputError(
        fmt::format("cannot resume {}: its run.h5, written by kurbel {}, has no record of what its "
                    "evaluations depend on. Begin a "
                    "new run from its design, by --density or --variables and with another --output",
                    folder.string(), run.header().version));
  }
  const std::vector<std::string> differing = differences(stored, now);
  if (!differing.empty()) {
    throw InputError(
        fmt::format("cannot resume {}: its evaluations are not those of this problem: {}; a new run "
                    "may start from its designs (--density or --variables, with another --output)",
                    folder.string(), fmt::join(differing, "; ")));
  }
  if (by_name(stored)[build_key] != by_name(now)[build_key]) {
    log_warning(
        fmt::format("{} was computed by another build of kurbel: the result may differ from that of an "
                    "uninterrupted run by rounding errors",
                    folder.string()));
  }
}

}  // namespace kurbel
