#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "problem/criteria_reader.hpp"
#include "problem/key_groups.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

void check_vary(const TomlTable& table, Vary vary, const Problem& problem) {
  const auto& variables = problem.design.variables;
  const auto n_nodes = std::ranges::count_if(variables, is_control_node);
  const bool has_parameters = !problem.design.bodies.empty() || n_nodes < std::ssize(variables);
  if ((vary == Vary::controls && n_nodes == 0) || (vary == Vary::parameters && !has_parameters))
    table.refuse("vary", "has no effect: the problem has no such variables");
}

}  // namespace

std::vector<std::size_t> read_constraint_names(const TomlTable& table, const std::string& key,
                                               const Problem& problem) {
  const std::vector<std::string> known = names_of(problem.constraints.criteria);
  std::vector<std::size_t> found;
  const std::vector<std::string> names = table.texts(key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(known.begin(), known.end(), names[i]);
    if (at == known.end()) {
      std::vector<std::string> once = known;
      once.erase(std::unique(once.begin(), once.end()), once.end());
      table.list(key, names.size())
          .refuse(std::to_string(i), fmt::format("is none of [constraints.criteria.*]{}",
                                                 spelling_advice(names[i], once, "\"")));
    }
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      table.list(key, names.size()).refuse(std::to_string(i), "stands twice in the list");
    // A criterion of several rows or instants is a constraint for each of them.
    for (std::size_t index = 0; index < known.size(); ++index) {
      if (known[index] == names[i]) found.push_back(index);
    }
  }
  return found;
}

void read_stages(const TomlTable& stages, const CriteriaReader& criteria, Problem& problem) {
  for (const TomlTable& table : stages.children()) {
    Stage stage = keys::stage().read(table);
    stage.name = read_name(table);
    check_vary(table, stage.vary, problem);
    stage.objective = criteria.objective(table);
    if (stage.objective.empty()) table.fail("objective", "is missing");
    stage.constraints = read_constraint_names(table, "constraints", problem);
    stage.optimizer = problem.optimizer;
    if (table.has("iterations")) {
      stage.optimizer.max_iterations = table.integer("iterations");
      stage.optimizer.name_of_iterations =
          fmt::format("stages.{}.iterations = {}", stage.name, stage.optimizer.max_iterations);
    }
    problem.first_stages.push_back(std::move(stage));
  }
}

}  // namespace kurbel
