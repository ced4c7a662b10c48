#include "app/shipped_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {

namespace fs = std::filesystem;

fs::path examples_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = program.parent_path() / KURBEL_EXAMPLES,
                 sources = program.parent_path() / "inputs";
  for (const fs::path& folder : {installed, sources})
    if (fs::is_regular_file(folder / "flexible_crank.toml")) return folder;
  throw InputError(fmt::format("the shipped inputs are neither in {} nor in {}; install kurbel again",
                               installed.string(), sources.string()));
}

std::string purpose_of_input(const std::string& text) {
  std::istringstream lines(text);
  std::string comment;
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");)
    comment += (comment.empty() ? "" : " ") + line.substr(2);
  std::smatch match;
  static const std::regex sentence(R"re(^(.*?[.?])(?: |$))re"), title(R"re((?:^|\n)title = "([^"]*)")re");
  if (std::regex_search(comment, match, sentence)) return match[1];
  if (!comment.empty()) return comment;
  return std::regex_search(text, match, title) ? match[1].str() : std::string();
}

std::vector<ShippedInput> shipped_inputs(const fs::path& folder) {
  std::vector<ShippedInput> inputs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    inputs.push_back(
        {entry.path().lexically_relative(folder), purpose_of_input(read_text_file(entry.path()))});
  }
  std::ranges::sort(
      inputs, {}, [](const ShippedInput& input) { return std::pair(input.file.parent_path(), input.file); });
  return inputs;
}

}  // namespace kurbel
