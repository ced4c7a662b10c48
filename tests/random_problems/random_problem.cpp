#include "random_problem.hpp"

#include <fmt/format.h>

#include "draft.hpp"

namespace kurbel::random_problems {

std::string Draft::choose(const std::string& kind, const std::vector<std::pair<std::string, double>>& words) {
  double sum = 0.0;
  for (const auto& [word, weight] : words) sum += weight;
  double rest = random.uniform() * sum;
  const std::string* chosen = &words.back().first;
  for (const auto& [word, weight] : words) {
    rest -= weight;
    if (rest >= 0.0) continue;
    chosen = &word;
    break;
  }
  mark(kind + "=" + *chosen);
  return *chosen;
}

TimeHistory random_time_history(Draft& draft, double value, double rate, bool may_start_elsewhere) {
  using Type = TimeHistory::Type;
  Random& random = draft.random;
  const double t0 = draft.t0, T = draft.duration;
  std::vector<std::pair<std::string, double>> words = {{"constant-rate", 3.0}, {"polynomial", 3.0}};
  if (value == 0.0 && t0 == 0.0) words.emplace_back("spin-up", 2.0);
  if (may_start_elsewhere) words.emplace_back("table", 1.0);
  const std::string type = draft.choose("history", words);
  if (type == "constant-rate") return {Type::constant_rate, {t0}, {value, rate}, {}};
  if (type == "spin-up") return {Type::spin_up, {as_written(1.2 * T)}, {rate}, {}};
  if (type == "polynomial") {
    const double start = random.chance(0.5) ? 0.0 : rate;
    const double end = t0 + as_written(random.between(0.6, 1.4) * T);
    return {Type::polynomial,
            {t0, end},
            {value, start, 0.0},
            {value + as_written(rate * 0.5 * (end - t0)), rate, 0.0}};
  }
  TimeHistory table{Type::table, {}, {}, {}};
  for (int i = 0; i <= 4; ++i) {
    table.t.push_back(t0 + as_written(0.25 * i * T));
    table.values.push_back(value + (i == 0 ? 0.0 : as_written(rate * T * random.between(0.2, 1.0))));
  }
  return table;
}

TimeHistory random_amplitude(Draft& draft, double size) {
  using Type = TimeHistory::Type;
  Random& random = draft.random;
  const double value = random.sign() * as_written(size * random.between(0.2, 1.0));
  const std::string type = draft.choose(
      "amplitude", {{"constant", 3.0}, {"constant-rate", 1.0}, {"polynomial", 1.0}, {"table", 1.0}});
  if (type == "constant") return {Type::constant, {}, {value}, {}};
  if (type == "constant-rate")
    return {Type::constant_rate, {draft.t0}, {value, as_written(value / draft.duration)}, {}};
  if (type == "polynomial") {
    return {Type::polynomial, {draft.t0, draft.t0 + draft.duration}, {0.0, 0.0}, {value, 0.0}};
  }
  TimeHistory table{Type::table, {}, {}, {}};
  for (int i = 0; i < 4; ++i) {
    table.t.push_back(draft.t0 + as_written(draft.duration * i / 3.0));
    table.values.push_back(as_written(value * random.between(-1.0, 1.0)));
  }
  return table;
}

namespace {

RandomProblem make_problem(Draft draft, bool with_additions = false) {
  draft.duration = draft.random.pick<double>({0.02, 0.04, 0.06, 0.1});
  if (draft.random.chance(0.1)) {
    draft.t0 = draft.random.pick<double>({-0.5, 0.25});
    draft.mark("time=later");
  }
  add_mechanism(draft);
  add_forces(draft);
  if (draft.rigid_only) add_controls(draft);
  add_start(draft);
  add_design(draft);
  add_criteria(draft);
  if (with_additions) add_additions(draft);
  if (draft.rigid_only) add_formulation(draft);
  return std::move(draft.problem);
}

}  // namespace

RandomProblem random_problem(std::uint64_t seed) {
  return make_problem(Draft(seed));
}

RandomProblem random_rigid_problem(std::uint64_t seed) {
  return make_problem(Draft(seed, true));
}

RandomProblem random_problem_with_additions(std::uint64_t seed) {
  return make_problem(Draft(seed, true), true);
}

const std::vector<Formulation>& formulations_of_rigid_bodies() {
  static const std::vector<Formulation> all = {{"floating-frame", "generalized-alpha"},
                                               {"floating-frame", "trapezoidal"},
                                               {"semi-recursive", "generalized-alpha"},
                                               {"semi-recursive", "trapezoidal"},
                                               {"joint-hamiltonian", "runge-kutta-4"},
                                               {"joint-hamiltonian", "dormand-prince"},
                                               {"hamiltonian", "runge-kutta-4"},
                                               {"hamiltonian", "dormand-prince"},
                                               {"natural-coordinates", "variational-midpoint"},
                                               {"natural-coordinates", "generalized-alpha"},
                                               {"natural-coordinates", "trapezoidal"}};
  return all;
}

std::vector<std::string> Formulation::overrides() const {
  return {fmt::format("formulation=\"{}\"", name), fmt::format("integrator.method=\"{}\"", method)};
}

void add_formulation(Draft& draft) {
  const Formulation& chosen = draft.random.pick(formulations_of_rigid_bodies());
  draft.mark("bodies=rigid");
  draft.mark("formulation=" + chosen.name);
  draft.mark("integrator=" + chosen.method);
  set(draft.root(), "formulation", chosen.name);
  Table& integrator = draft.section("integrator");
  set(integrator, "method", chosen.method);
  if (chosen.method != "generalized-alpha")
    std::erase_if(integrator, [](const Entry& entry) { return entry.key == "rho_inf"; });
  // Differences of steps whose lengths adapt are as exact as the steps.
  if (chosen.method == "dormand-prince") set(integrator, "tolerance", Scalar{1e-11});
  if (chosen.name == "semi-recursive" && draft.random.chance(0.4))
    set(integrator, "recursion", draft.choose("recursion", {{"RTdyn0", 1.0}, {"RTdyn1", 1.0}}));
}

}  // namespace kurbel::random_problems
