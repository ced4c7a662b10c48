#include "app/motion_trial.hpp"

#include <algorithm>
#include <cmath>

#include "base/timer.hpp"
#include "fem/mesh_source.hpp"
#include "problem/checks.hpp"
#include "study/study.hpp"

namespace kurbel {

namespace {

/// The same bodies with fewer elements and the same solver, but for those whose mesh is given; the densities of a file
/// belong to the mesh that a body has.
bool coarsen(Problem& problem, double most_bytes) {
  bool is_coarser = false;
  for (ProblemBody& body : problem.bodies) {
    fem::MeshSpec& mesh = body.flexible.mesh;
    if (body.type != ProblemBody::Type::flexible || mesh.given) continue;
    if (fem::is_by_multigrid(body.flexible)) body.flexible.solver = fem::SolverType::multigrid;
    const auto is_large = [&] {
      return least_memory(problem, body.flexible) > most_bytes &&
             std::ranges::any_of(mesh.divisions, [](int n) { return n > 1; });
    };
    while (is_large()) {
      for (int& n : mesh.divisions) n = std::max(1, n * 4 / 5);
      body.flexible.manufacturing.maximum_member.reset();  // which a coarse mesh does not resolve
      is_coarser = true;
    }
  }
  if (is_coarser) problem.design.start_file.clear();
  return is_coarser;
}

/// The first steps, as many as a tenth of a second has, or a hundred.
/// @param y  at the start
/// @return   seconds of a step
double make_steps(const Motion& motion, VectorXd y, MotionTrial& trial) {
  constexpr double long_enough = 0.1;
  constexpr Eigen::Index most = 100;
  StepResidual<double>& steps = motion.steps();
  VectorXd next(steps.n_state());
  if (trial.status = check_finite<double>(steps, 0, y); trial.status.failed()) return 0.0;
  motion.check_lines(y);
  const Timer timer;
  for (Eigen::Index k = 1; k <= std::min(most, steps.n_steps()) && timer.seconds() < long_enough; ++k) {
    if (trial.status = steps.step(k, y, next); trial.status.failed()) return 0.0;
    if (trial.status = check_finite<double>(steps, k, next); trial.status.failed()) return 0.0;
    y.swap(next);
    ++trial.n_steps;
  }
  return timer.seconds() / std::max(1, trial.n_steps);
}

/// Moves a reduced design, and keeps what is seen of it.
void move(Study& study, ChainResult& result, MotionTrial& trial) {
  trial.status = time_run(study, result, trial.times);
  if (result.trajectory.n_stored > 0) trial.n_steps = static_cast<int>(result.trajectory.n_stored) - 1;
  if (!trial.status.failed()) trial.criteria = result.criteria;
  if (result.motion) trial.deforming = examine_bodies(study.chain(), result);
}

/// The same with fewer steps.
void move_shortly(const Problem& problem, int n_steps, MotionTrial& trial) {
  Study study(with_steps(problem, n_steps), Study::Variables::to_evaluate);
  ChainResult result;
  if (trial.status = study.chain().reduce(study.space().at(study.start()), result); trial.status.failed())
    return;
  trial.times.share = static_cast<double>(n_steps) / problem.integrator.n_steps();
  move(study, result, trial);
  trial.criteria.resize(0);  // of another motion
}

void build(const Problem& problem, MotionTrial& trial) {
  constexpr double patience = 2.0;  // s, for the steps of a motion
  const WorkTimer timer;
  Study study(problem, Study::Variables::to_evaluate);
  EvaluationChain& chain = study.chain();
  trial.times.start = timer.seconds();
  ChainResult result;
  const WorkTimer of_reduction;
  if (trial.status = chain.reduce(study.space().at(study.start()), result); trial.status.failed()) return;
  trial.times.evaluation.reduction = of_reduction.seconds();
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    trial.n_elastic.push_back(chain.body(i) ? chain.body(i)->n_q() : problem.system.bodies[i].sid.n_q());
  }
  if (trial.status = chain.make_motion(result); trial.status.failed()) return;
  try {
    VectorXd y(result.motion->steps().n_state());
    const Status started = result.motion->initial_state(y);
    trial.start = result.motion->start_report(started.failed() ? VectorXd() : y);
    if (problem.integrator.step <= 0.0) return;
    trial.status = started, trial.n_state = y.size();
    const double step_seconds = started.failed() ? 0.0 : make_steps(*result.motion, std::move(y), trial);
    if (trial.status.failed()) {
      trial.deforming = examine_bodies(chain, result);
    } else if (const double affordable = patience / step_seconds; affordable < problem.integrator.n_steps()) {
      move_shortly(problem, std::max(trial.n_steps, static_cast<int>(affordable)), trial);
    } else {
      move(study, result, trial);
    }
  } catch (const InputError& error) {
    trial.fault = error.what();
  }
}

/// The time of a reduction, by a factor and modes solved with it or by multigrid, grows with this power of the number of
/// nodes.
double power_of_reduction(const fem::FlexibleBodySpec& body) {
  constexpr double in_plane = 1.25, in_space = 1.6;
  if (fem::is_by_multigrid(body)) return 1.0;
  return body.mesh.dim == 2 ? in_plane : in_space;
}

/// Powers of the numbers of nodes, added over the meshes.
template <class Power>
double sum_over_meshes(const Problem& problem, const Power& power) {
  double sum = 0.0;
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::flexible)
      sum += std::pow(fem::mesh_source(body.flexible.mesh)->n_nodes(), power(body.flexible));
  }
  return sum;
}

}  // namespace

MotionTrial try_motion(const Problem& problem, double most_bytes) {
  MotionTrial trial;
  Problem small = problem;
  if (!coarsen(small, most_bytes)) {
    build(small, trial);
    return trial;
  }
  try {
    build(small, trial);
  } catch (const InputError& error) {
    trial.not_built = error.what();
    return trial;
  }
  const auto larger = [&](const auto& power) {
    return sum_over_meshes(problem, power) / sum_over_meshes(small, power);
  };
  const double of_reduction = larger(power_of_reduction);
  for (double* of_mesh :
       {&trial.times.start, &trial.times.evaluation.reduction, &trial.times.evaluation.pullback})
    *of_mesh *= of_reduction;
  trial.times.files *= larger([](const fem::FlexibleBodySpec&) { return 1.0; });
  for (std::size_t i = 0; i < small.bodies.size(); ++i) {
    const auto &coarse = small.bodies[i].flexible.mesh, &fine = problem.bodies[i].flexible.mesh;
    const bool is_coarse = coarse.divisions != fine.divisions;
    trial.coarse_elements.push_back(is_coarse ? fem::make_mesh(coarse)->n_elements() : 0);
  }
  return trial;
}

}  // namespace kurbel
