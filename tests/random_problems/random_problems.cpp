/// @file
/// random_problems [KIND] SEED: prints the input file of that seed.
/// random_problems [KIND] SEED FOLDER: examines the problem of a seed and prints a line for each check,
///
///     seed <tab> check <tab> verdict <tab> detail
///
/// and a last one with its features. A problem with a finding "differs" is kept as FOLDER/SEED.toml,
/// and where it was stated in another way as FOLDER/SEED_CHECK.toml. KIND is --rigid for mechanisms of
/// rigid bodies in all formulations, --additions for such with rods, cases and more, --beams for cables and beams.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>

#include "base/files.hpp"
#include "checks.hpp"
#include "problem_functions.hpp"

namespace {

using namespace kurbel::random_problems;

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

void run(const RandomProblem& problem, std::uint64_t seed, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / fmt::format("{}.toml", seed);
  // Kept before anything is computed, so that a crash leaves it behind.
  const std::string text = to_toml(problem.input);
  const std::string features = fmt::format("{}", fmt::join(problem.features, " "));
  kurbel::write_text_file(file, text);
  std::string findings;
  bool keep = false;
  for (const Finding& finding : examine(problem, seed, folder)) {
    const std::string line =
        fmt::format("{}\t{}\t{}", finding.check, name_of(finding.verdict), on_one_line(finding.detail));
    fmt::print("{}\t{}\n", seed, line);
    if (finding.verdict != Verdict::differs) continue;
    keep = true;
    if (!finding.restated.empty())
      kurbel::write_text_file(folder / fmt::format("{}_{}.toml", seed, finding.check), finding.restated);
    findings += "# " + line + "\n";
  }
  fmt::print("{}\tfeatures\t-\t{}\n", seed, features);
  if (keep) {
    kurbel::write_text_file(file, findings + "# " + features + "\n" + text);
  } else {
    std::filesystem::remove(file);
    for (const SidSource& sid : problem.sids) std::filesystem::remove(folder / sid.file);
  }
}

}  // namespace

int main(int n_arguments, char** arguments) {
  const std::map<std::string, RandomProblem (*)(std::uint64_t)> kinds = {
      {"--rigid", random_rigid_problem},
      {"--additions", random_problem_with_additions},
      {"--beams", random_beam_problem}};
  const auto kind = n_arguments > 1 ? kinds.find(arguments[1]) : kinds.end();
  if (kind != kinds.end()) --n_arguments, ++arguments;
  char* end = nullptr;
  const bool fits = n_arguments == 2 || n_arguments == 3;
  const std::uint64_t seed = fits ? std::strtoull(arguments[1], &end, 10) : 0;
  if (!fits || end == arguments[1] || *end != '\0') {
    fmt::print(stderr, "usage: random_problems [--rigid | --additions | --beams] SEED [FOLDER]\n");
    return 2;
  }
  const RandomProblem problem = kind != kinds.end() ? kind->second(seed) : random_problem(seed);
  if (n_arguments == 2) {
    fmt::print("{}", to_toml(problem.input));
  } else {
    run(problem, seed, arguments[2]);
  }
  return 0;
}
