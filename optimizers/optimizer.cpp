#include "optimizers/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/letters.hpp"
#include "base/spelling.hpp"
#include "optimizers/backends.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

void check_method(const std::string& method) {
  if (std::find(optimizer_methods.begin(), optimizer_methods.end(), method) != optimizer_methods.end())
    return;
  throw InputError(fmt::format("unknown optimization method \"{}\"{}", method,
                               spelling_advice(lower_case(method), optimizer_methods, "\"")));
}

bool is_mma(const std::string& method) {
  return method == "mma" || method == "gcmma" || method == "mma-bfgs";
}

void check_range(const char* name, double value, bool allowed, const char* range) {
  if (!allowed) throw InputError(fmt::format("optimizer option {} = {:g} is outside {}", name, value, range));
}

void check(const OptimizerOptions& o) {
  check_method(o.method);
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

const std::vector<std::string> optimizer_methods = {"oc",        "mma",  "gcmma", "mma-bfgs", "ccsa",
                                                    "nlopt-mma", "bfgs", "lbfgs", "auglag",   "ipopt"};

bool remembers_values(const std::string& method) {
  return !is_mma(method);
}

std::optional<std::string> why_unsuitable(const std::string& method, Index n_constraints,
                                          Index n_equalities) {
  check_method(method);
  if (method == "oc" && (n_constraints != 1 || n_equalities != 0)) {
    return fmt::format(
        "optimality criteria (\"oc\") need exactly one constraint, an inequality such as the volume; this "
        "problem "
        "has {} equalities and {} inequalities; \"mma\" or \"ipopt\" can treat more",
        n_equalities, n_constraints - n_equalities);
  }
  if ((method == "ccsa" || method == "nlopt-mma") && n_equalities > 0) {
    return fmt::format(
        "\"{}\" treats inequalities only; this problem has {} equalities; \"mma\", \"ipopt\" and "
        "\"auglag\" can treat them",
        method, n_equalities);
  }
  if ((method == "bfgs" || method == "lbfgs") && n_constraints > 0) {
    return fmt::format(
        "\"{}\" treats bounds only; this problem has {} constraints; \"mma\", \"auglag\" and "
        "\"ipopt\" can treat them",
        method, n_constraints);
  }
  return {};
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options) {
  check(options);
  if (options.method == "oc") return make_optimality_criteria(options);
  if (options.method == "ipopt") return make_ipopt_optimizer(options);
  if (is_mma(options.method)) return make_mma_optimizer(options);
  return make_nlopt_optimizer(options);
}

}  // namespace kurbel
