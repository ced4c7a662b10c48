/// `kurbel examples` and `kurbel new`: the inputs that come with the program.
#include <fmt/format.h>

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

/// A file and, beside it, all that it includes or reads and that is shipped, relative to the folder of examples.
void add_needed(const fs::path& folder, const fs::path& file, std::vector<fs::path>& needed) {
  if (std::ranges::find(needed, file) != needed.end()) return;
  needed.push_back(file);
  static const std::regex reference(R"re(\b(?:include|file)\s*=\s*"([^"]+)")re");
  const std::string text = read_text_file(folder / file);
  for (auto match = std::sregex_iterator(text.begin(), text.end(), reference);
       match != std::sregex_iterator(); ++match) {
    const fs::path other = (file.parent_path() / (*match)[1].str()).lexically_normal();
    const bool is_beside = !other.is_absolute() && *other.begin() != "..";
    if (is_beside && fs::is_regular_file(folder / other)) add_needed(folder, other, needed);
  }
}

/// @throws InputError if another file of this name exists
void require_free(const fs::path& from, const fs::path& to, bool overwrite) {
  std::error_code ignored;
  if (overwrite || !fs::exists(to, ignored)) return;
  if (fs::is_regular_file(to) && read_text_file(from) == read_text_file(to)) return;
  throw InputError(fmt::format("{} exists; give another FILE, or --overwrite", to.string()));
}

}  // namespace

int run_examples(const CommandLine&) {
  std::string text;
  for (const ShippedInput& input : shipped_inputs(examples_folder()))
    text += fmt::format("{:<26}{}\n", input.name, input.purpose);
  text += fmt::format("\n`kurbel new NAME` copies one of {} to start from.", examples_folder().string());
  Console::standard().print(text);
  return 0;
}

int run_new(const CommandLine& args) {
  const fs::path folder = examples_folder();
  std::vector<std::string> names;
  for (const ShippedInput& input : shipped_inputs(folder)) names.push_back(input.name);
  if (std::ranges::find(names, args.file) == names.end())
    throw InputError(fmt::format("there is no example {}{} (see kurbel examples)", printable(args.file),
                                 spelling_advice(args.file, names)));

  const fs::path output = args.output.empty() ? fs::path(args.file + ".toml") : args.output;
  std::vector<fs::path> needed;
  add_needed(folder, args.file + ".toml", needed);
  std::vector<fs::path> copies = {output};
  for (std::size_t i = 1; i < needed.size(); ++i) copies.push_back(output.parent_path() / needed[i]);
  if (std::find(copies.begin() + 1, copies.end(), output) != copies.end())
    throw InputError(fmt::format("{} is the name of a file that the example includes; give another FILE",
                                 output.string()));
  for (std::size_t i = 0; i < needed.size(); ++i) require_free(folder / needed[i], copies[i], args.overwrite);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    std::error_code failed;
    if (copies[i].has_parent_path()) fs::create_directories(copies[i].parent_path(), failed);
    write_text_file(copies[i], read_text_file(folder / needed[i]));
    Console::standard().print(copies[i].string());
  }
  return 0;
}

}  // namespace kurbel
