/// `kurbel examples` and `kurbel new`: the inputs that come with the program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <system_error>

#include "app/commands.hpp"
#include "app/shipped_inputs.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/spelling.hpp"
#include "output/console.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

/// A shipped file, and what is written for it: where, and with which text.
struct Copy {
  fs::path from, to;
  std::string text;
};

/// Adds a file and all that it includes or reads and that is shipped. What lies outside of the file's own folder is
/// copied into that of the copy, whose text then names it there; so it names what is not shipped, and has to be made.
/// @param folder  of the examples
void add_copy(const fs::path& folder, const fs::path& from, const fs::path& to, std::vector<Copy>& copies) {
  if (std::ranges::find(copies, from, &Copy::from) != copies.end()) return;
  const std::size_t own = copies.size();
  copies.push_back({from, to, ""});
  static const std::regex reference(R"re(\b(?:include|file)\s*=\s*"([^"]+)")re");
  const std::string text = read_text_file(from);
  std::string copied;
  auto rest = text.cbegin();
  for (auto match = std::sregex_iterator(text.begin(), text.end(), reference);
       match != std::sregex_iterator(); ++match) {
    const fs::path named = (*match)[1].str(), other = (from.parent_path() / named).lexically_normal();
    const bool is_shipped = *other.lexically_relative(folder).begin() != ".." && fs::is_regular_file(other);
    fs::path beside = named;
    if (is_shipped && *named.begin() == "..") beside = named.filename();
    while (*beside.begin() == "..") beside = beside.lexically_relative("..");
    if (is_shipped) add_copy(folder, other, to.parent_path() / beside, copies);
    copied.append(rest, (*match)[1].first).append(beside.string());
    rest = (*match)[1].second;
  }
  copies[own].text = copied.append(rest, text.cend());
}

/// @throws InputError if another file of this name exists
void require_free(const Copy& copy, bool overwrite) {
  std::error_code ignored;
  if (overwrite || !fs::exists(copy.to, ignored)) return;
  if (fs::is_regular_file(copy.to) && read_text_file(copy.to) == copy.text) return;
  throw InputError(fmt::format("{} exists; give another FILE, or --overwrite", copy.to.string()));
}

}  // namespace

int run_examples(const CommandLine&) {
  std::string text;
  fs::path group;
  for (const ShippedInput& input : shipped_inputs(examples_folder())) {
    if (input.file.parent_path() != group) {
      group = input.file.parent_path();
      text += fmt::format("\n{}\n", group.string());
    }
    text += fmt::format("  {:<26}{}\n", input.name(), input.purpose);
  }
  text += fmt::format("\n`kurbel new NAME` copies one of {} to start from.", examples_folder().string());
  Console::standard().print(text);
  return 0;
}

int run_new(const CommandLine& args) {
  const fs::path folder = examples_folder();
  const std::vector<ShippedInput> inputs = shipped_inputs(folder);
  const auto input = std::ranges::find(inputs, args.file, &ShippedInput::name);
  if (input == inputs.end()) {
    std::vector<std::string> names, with_word;
    for (const ShippedInput& other : inputs) {
      names.push_back(other.name());
      if (!args.file.empty() && names.back().find(args.file) != std::string::npos)
        with_word.push_back(names.back());
    }
    if (!with_word.empty())
      throw InputError(fmt::format("there is no example {}; choose one of {} (see kurbel examples)",
                                   printable(args.file), fmt::join(with_word, ", ")));
    throw InputError(fmt::format("there is no example {}{} (see kurbel examples)", printable(args.file),
                                 spelling_advice(args.file, names)));
  }

  const fs::path output = args.output.empty() ? fs::path(args.file + ".toml") : args.output;
  std::vector<Copy> copies;
  add_copy(folder, folder / input->file, output, copies);
  if (std::ranges::count(copies, output, &Copy::to) > 1)
    throw InputError(fmt::format("{} is the name of a file that the example includes; give another FILE",
                                 output.string()));
  for (const Copy& copy : copies) require_free(copy, args.overwrite);
  for (const Copy& copy : copies) {
    std::error_code failed;
    if (copy.to.has_parent_path()) fs::create_directories(copy.to.parent_path(), failed);
    write_text_file(copy.to, copy.text);
    console_report(args).line(copy.to.string());
  }
  return 0;
}

}  // namespace kurbel
