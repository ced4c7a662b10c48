#include "app/motion_trial.hpp"

#include <algorithm>

#include "base/timer.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

/// The same body with fewer elements; the densities of a file belong to the mesh that it has.
bool coarsen(Problem& problem, double most_bytes) {
  bool is_coarser = false;
  for (ProblemBody& body : problem.bodies) {
    fem::MeshSpec& mesh = body.flexible.mesh;
    if (body.type != ProblemBody::Type::flexible) continue;
    const auto is_large = [&] {
      return least_memory(mesh) > most_bytes &&
             std::ranges::any_of(mesh.divisions, [](int n) { return n > 1; });
    };
    while (is_large()) {
      for (int& n : mesh.divisions) n = std::max(1, n * 4 / 5);
      is_coarser = true;
    }
  }
  if (is_coarser) problem.design.start_file.clear();
  return is_coarser;
}

/// The first steps, as many as a tenth of a second has, or a hundred.
void make_steps(const Motion& motion, MotionTrial& trial) {
  constexpr double long_enough = 0.1;
  constexpr Eigen::Index most = 100;
  StepResidual<double>& steps = motion.steps();
  VectorXd y(steps.n_state()), next(steps.n_state());
  trial.n_state = steps.n_state();
  if (trial.status = steps.initial_state(y); trial.status.failed()) return;
  if (trial.status = check_finite<double>(steps, 0, y); trial.status.failed()) return;
  motion.check_lines(y);
  const Timer timer;
  for (Eigen::Index k = 1; k <= std::min(most, steps.n_steps()) && timer.seconds() < long_enough; ++k) {
    if (trial.status = steps.step(k, y, next); trial.status.failed()) break;
    if (trial.status = check_finite<double>(steps, k, next); trial.status.failed()) break;
    y.swap(next);
    ++trial.n_steps;
  }
  trial.step_seconds = timer.seconds() / std::max(1, trial.n_steps);
}

void build(const Problem& problem, MotionTrial& trial) {
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::to_evaluate(chain.bodies(), {});
  ChainResult result;
  if (trial.status = chain.reduce(space.at(space.start()), result); trial.status.failed()) return;
  trial.reduction_seconds = result.times.reduction;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    trial.n_elastic.push_back(chain.body(i) ? chain.body(i)->n_q() : problem.system.bodies[i].sid.n_q());
  }
  if (trial.status = chain.make_motion(result); trial.status.failed()) return;
  try {
    trial.start = result.motion->start_report();
    if (problem.integrator.step > 0.0) make_steps(*result.motion, trial);
  } catch (const InputError& error) {
    trial.fault = error.what();
  }
}

}  // namespace

MotionTrial try_motion(const Problem& problem, double most_bytes) {
  MotionTrial trial;
  Problem small = problem;
  if (!coarsen(small, most_bytes)) {
    build(problem, trial);
    return trial;
  }
  try {
    build(small, trial);
  } catch (const InputError& error) {
    trial.not_built = error.what();
    return trial;
  }
  for (std::size_t i = 0; i < small.bodies.size(); ++i) {
    const auto &coarse = small.bodies[i].flexible.mesh, &fine = problem.bodies[i].flexible.mesh;
    const bool is_coarse = coarse.divisions != fine.divisions;
    trial.coarse_elements.push_back(is_coarse ? fem::Mesh(coarse).n_elements() : 0);
  }
  return trial;
}

}  // namespace kurbel
