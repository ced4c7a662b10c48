#include "optimizers/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/letters.hpp"
#include "base/spelling.hpp"
#include "optimizers/backends.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

/// The problems that a method treats, besides bounds.
enum class Treats { bounds_alone, one_inequality, inequalities, all };

/// A method: a row of the table from which its word and its limits follow.
struct Method {
  std::string name;
  Treats treats;
  bool remembers_values;  ///< as of remembers_values()
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions& options);
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {{"oc", Treats::one_inequality, true, &make_optimality_criteria},
                                          {"mma", Treats::all, false, &make_mma_optimizer},
                                          {"gcmma", Treats::all, false, &make_mma_optimizer},
                                          {"mma-bfgs", Treats::all, false, &make_mma_optimizer},
                                          {"ccsa", Treats::inequalities, true, &make_nlopt_optimizer},
                                          {"nlopt-mma", Treats::inequalities, true, &make_nlopt_optimizer},
                                          {"bfgs", Treats::bounds_alone, true, &make_nlopt_optimizer},
                                          {"lbfgs", Treats::bounds_alone, true, &make_nlopt_optimizer},
                                          {"auglag", Treats::all, true, &make_nlopt_optimizer},
                                          {"ipopt", Treats::all, true, &make_ipopt_optimizer}};
  return all;
}

const Method& method_of(const std::string& name) {
  const auto known = std::ranges::find(methods(), name, &Method::name);
  if (known != methods().end()) return *known;
  throw InputError(fmt::format("unknown optimization method \"{}\"{}", name,
                               spelling_advice(lower_case(name), optimizer_methods, "\"")));
}

void check_range(const char* name, double value, bool allowed, const char* range) {
  if (!allowed) throw InputError(fmt::format("optimizer option {} = {:g} is outside {}", name, value, range));
}

void check(const OptimizerOptions& o) {
  check_range("max_iterations", o.max_iterations, o.max_iterations >= 0, "[0, inf)");
  check_range("design_change", o.design_change, o.design_change >= 0.0, "[0, inf)");
  check_range("design_change_iterations", o.design_change_iterations, o.design_change_iterations >= 1,
              "[1, inf)");
  check_range("kkt_residual", o.kkt_residual, o.kkt_residual >= 0.0, "[0, inf)");
  check_range("wall_time", o.wall_time, o.wall_time >= 0.0, "[0, inf)");
  check_range("feasibility", o.feasibility, o.feasibility > 0.0, "(0, inf)");
  check_range("move_limit", o.move_limit, o.move_limit > 0.0, "(0, inf)");
  check_range("oc_damping", o.oc_damping, o.oc_damping > 0.0 && o.oc_damping <= 1.0, "(0, 1]");
}

}  // namespace

const std::vector<std::string> optimizer_methods = [] {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  return names;
}();

bool remembers_values(const std::string& method) {
  return method_of(method).remembers_values;
}

std::optional<std::string> why_unsuitable(const std::string& method, Index n_constraints,
                                          Index n_equalities) {
  switch (method_of(method).treats) {
    case Treats::one_inequality:
      if (n_constraints == 1 && n_equalities == 0) return {};
      return fmt::format(
          "optimality criteria (\"{}\") need exactly one constraint, an inequality such as the volume; this "
          "problem has {} equalities and {} inequalities; \"mma\" or \"ipopt\" can treat more",
          method, n_equalities, n_constraints - n_equalities);
    case Treats::inequalities:
      if (n_equalities == 0) return {};
      return fmt::format(
          "\"{}\" treats inequalities only; this problem has {} equalities; \"mma\", \"ipopt\" and "
          "\"auglag\" can treat them",
          method, n_equalities);
    case Treats::bounds_alone:
      if (n_constraints == 0) return {};
      return fmt::format(
          "\"{}\" treats bounds only; this problem has {} constraints; \"mma\", \"auglag\" and "
          "\"ipopt\" can treat them",
          method, n_constraints);
    case Treats::all:
      break;
  }
  return {};
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options) {
  const Method& method = method_of(options.method);
  check(options);
  return method.make(options);
}

}  // namespace kurbel
