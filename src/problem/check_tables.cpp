/// Whether functions of time suit the analysis: tables cover the motion, and excitations belong to a frequency response.
#include <fmt/format.h>

#include <algorithm>

#include "problem/checks.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

/// @param table  key of the table
void check_range(const Problem& problem, const TimeRange& range, const std::string& table) {
  const std::string key = table + (problem.document->find(table + ".file") ? ".file" : ".t");
  const double t0 = problem.integrator.t0;
  const double t1 = is_about_rest(problem.analysis) ? t0 : problem.integrator.t1;
  const double rounding = 1e-9 * (t1 - t0);
  const auto refuse = [&](const char* end, double of_table, double of_motion) {
    throw problem.error(key,
                        "{0}s at {1:g} s, but the motion {0}s at {2:g} s. Extend the table, or set "
                        "beyond = \"hold\" or \"repeat\"",
                        end, of_table, of_motion);
  };
  if (range.begin > t0 + rounding) refuse("begin", range.begin, t0);
  if (range.end < t1 - rounding) refuse("end", range.end, t1);
}

/// A target is one function, or one for each of the axes that are observed.
void check_target(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const std::string key = path + ".target";
  const TomlValue* at = problem.document->find(key);
  const std::vector<int> observed = axes_of(term);
  for (std::size_t axis = 0; axis < term.target.size(); ++axis) {
    if (!term.target[axis]) continue;
    const auto index = std::ranges::find(observed, static_cast<int>(axis)) - observed.begin();
    check_range(problem, term.target[axis]->range(),
                at && at->array() ? fmt::format("{}.{}", key, index) : key);
  }
}

void check_excitation(const Problem& problem, const TimeFunctionPtr& function, const std::string& key) {
  if (problem.analysis != Analysis::frequency_response) {
    if (function->is_excitation())
      throw problem.error(key + ".frequency", "is missing; it must be a number above 0");
  } else if (!function->is_excitation() && !function->is_constant()) {
    throw problem.error(key,
                        "is a function of time; with analysis = \"frequency-response\" it is a number, or of "
                        "type = \"harmonic\" without a frequency");
  }
}

void check_excitations(const Problem& problem) {
  for (const KeyedFunction& one : functions_of_time(problem)) {
    if (!one.is_over_angle) check_excitation(problem, one.function, one.key);
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    for (const TimeFunctionPtr& target : term.target) {
      if (target && target->is_excitation()) throw problem.error(path + ".target", "needs a frequency");
    }
  });
}

}  // namespace

bool lacks_excitation(const Problem& problem) {
  const auto excites = [](const KeyedFunction& one) { return one.function->is_excitation(); };
  return problem.analysis == Analysis::frequency_response &&
         std::ranges::none_of(functions_of_time(problem), excites);
}

void check_tables(const Problem& problem) {
  check_excitations(problem);
  if (problem.integrator.step == 0.0) return;
  for (const auto& [function, key, is_over_angle] : functions_of_time(problem))
    check_range(problem, function->range(), key);
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    check_target(problem, term, path);
  });
}

}  // namespace kurbel
