#include "evaluation/mode_convergence.hpp"

#include <fmt/format.h>

#include <limits>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

namespace {

bool has_values(const Problem& problem) {
  return problem.integrator.step != 0.0 && !problem.objective.empty();
}

ModeConvergenceRow reduce_to(const Problem& problem, const Design& design, int n_modes) {
  ModeConvergenceRow row{n_modes, {}, {}, {}};
  const auto n_functions = static_cast<Eigen::Index>(problem.constraints.criteria.size());
  if (has_values(problem)) row.values.setConstant(1 + n_functions, std::numeric_limits<double>::quiet_NaN());
  EvaluationChain chain(problem);
  ChainResult result;
  if (const Status s = chain.reduce(design, result); s.failed()) {
    row.failure = s.message();
    return row;
  }
  std::vector<double> frequencies;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) frequencies.push_back(result.reduced[i].frequencies_hz[n_modes - 1]);
  }
  row.frequencies_hz =
      Eigen::Map<const VectorXd>(frequencies.data(), static_cast<Eigen::Index>(frequencies.size()));
  if (!has_values(problem)) return row;
  if (const Status s = chain.simulate(result); s.failed()) {
    row.failure = s.message();
  } else {
    for (Eigen::Index i = 0; i <= n_functions; ++i)
      row.values[i] = result.values[static_cast<std::size_t>(i)].value;
  }
  return row;
}

}  // namespace

std::vector<ModeConvergenceRow> mode_convergence(const Problem& problem, const Design& design, int n_most) {
  for (const ProblemBody& body : problem.bodies) {
    if (body.flexible.damping_modal.size() <= 1) continue;
    throw problem.error(fmt::format("bodies.{}.damping.modal", body.name),
                        "must be one ratio for all where the number of modes varies (--convergence)");
  }
  std::vector<ModeConvergenceRow> rows;
  Problem with_modes = problem;
  for (int n = 1; n <= n_most; ++n) {
    for (ProblemBody& body : with_modes.bodies) {
      body.flexible.n_normal_modes = n;
      body.flexible.mode_list.clear();
      body.flexible.modes_up_to.reset();
    }
    rows.push_back(reduce_to(with_modes, design, n));
  }
  return rows;
}

}  // namespace kurbel
