#include "app/run_times.hpp"

#include <algorithm>
#include <utility>

#include "app/motion_records.hpp"
#include "app/results.hpp"
#include "app/scratch_folder.hpp"
#include "base/timer.hpp"
#include "output/motion_writer.hpp"

namespace kurbel {

namespace {

constexpr double long_enough = 2.0;  // s

void scale_instants(std::vector<CriterionTerm>& terms, double factor) {
  for (CriterionTerm& term : terms) {
    for (int& step : term.steps) step = static_cast<int>(factor * step);
  }
}

bool is_by_differences(const Problem& problem) {
  return problem.sensitivity.method == SensitivityOptions::Method::finite_differences;
}

/// Differences take two simulations per number, and are not made here.
Status time_gradients(EvaluationChain& chain, ChainResult& result, RunTimes& times) {
  const Problem& problem = chain.problem();
  const bool varies = !problem.design.bodies.empty() || !problem.design.variables.empty();
  if (!varies || problem.objective.empty()) return {};
  times.has_gradient = true;
  if (is_by_differences(problem)) {
    result.times.adjoint = 2.0 * static_cast<double>(result.design.system.size()) * result.times.simulation;
    return {};
  }
  std::vector<Design> bars;
  return chain.gradients(result, bars);
}

/// The first frames of a motion.
class FirstFrames final : public MotionFrames {
 public:
  FirstFrames(MotionFrames& all, std::size_t n) : all_(all), n_(n) {}
  std::size_t n_frames() const override { return std::min(n_, all_.n_frames()); }
  double time(std::size_t frame) const override { return all_.time(frame); }
  const std::vector<NamedBlock>& blocks(std::size_t frame) override { return all_.blocks(frame); }

 private:
  MotionFrames& all_;
  std::size_t n_;
};

/// A few frames, times their number.
double seconds_of_frames(EvaluationChain& chain, const ChainResult& result,
                         const std::filesystem::path& folder) {
  constexpr std::size_t few = 2, more = 8;
  if (!result.motion || !chain.problem().output.motion) return 0.0;
  double seconds = 0.0;
  chain.draw(result, [&](const std::string&, MotionFrames& frames) {
    const auto seconds_of = [&](std::size_t n) {
      FirstFrames first(frames, n);
      const WorkTimer timer;
      write_motion(folder / "motion.pvd", first);
      return timer.seconds();
    };
    const std::size_t all = frames.n_frames();
    if (all < few) return;
    const double of_few = seconds_of(few);
    const double a_frame =
        all > more ? std::max(0.0, seconds_of(more) - of_few) / (more - few) : of_few / few;
    seconds += of_few + a_frame * static_cast<double>(all - few);
  });
  return seconds;
}

/// Writes the files of a motion but the moving picture.
/// @param n_instants  of the motion, the first of which are written
/// @param seconds     that it takes
Status time_tables(RunDirectory& folder, const Study& study, ChainResult& result, Eigen::Index n_instants,
                   double& seconds) {
  const WorkTimer timer;
  const Eigen::Index all = std::exchange(result.trajectory.n_stored, n_instants);
  MotionTables tables;
  const Status found = result.motion ? find_tables(result, tables) : Status{};
  if (!found.failed()) write_simulation(folder, study, {result, tables, {}});
  result.trajectory.n_stored = all;
  seconds = timer.seconds();
  return found;
}

/// Pictures have axes and letters whatever the number of instants. So what a shorter motion takes says what each further
/// instant does.
Status time_files(RunDirectory& folder, Study& study, ChainResult& result, RunTimes& times) {
  const Eigen::Index n = result.trajectory.n_stored;
  if (Status s = time_tables(folder, study, result, n, times.files); s.failed()) return s;
  constexpr Eigen::Index enough = 400;  // to tell instants from axes
  const Eigen::Index some = std::min(n, enough), half = some / 2;
  if (times.share < 1.0 && half > 1) {
    const bool is_long = n > 2 * enough;
    double of_less = 0.0, of_more = times.files;  // a long motion tells more than what is made once
    const Eigen::Index less = is_long ? some : half, more = is_long ? n : some;
    if (Status s = time_tables(folder, study, result, less, of_less); s.failed()) return s;
    if (!is_long) {
      if (Status s = time_tables(folder, study, result, more, of_more); s.failed()) return s;
    }
    const double an_instant = std::max(0.0, of_more - of_less) / static_cast<double>(more - less);
    times.files += an_instant * static_cast<double>(n) * (1.0 / times.share - 1.0);
  }
  times.files += seconds_of_frames(study.chain(), result, folder.path());
  return {};
}

}  // namespace

Problem with_steps(Problem problem, int n_steps) {
  IntegratorOptions& steps = problem.integrator;
  const double factor = static_cast<double>(n_steps) / steps.n_steps();
  steps.t1 = steps.t0 + n_steps * steps.step;
  scale_instants(problem.objective, factor);
  for (Stage& stage : problem.first_stages) scale_instants(stage.objective, factor);
  for (CriterionConstraint& constraint : problem.constraints.criteria)
    scale_instants(constraint.terms, factor);
  for (Output& output : problem.outputs) {
    for (int& step : output.observable.steps) step = static_cast<int>(factor * step);
  }
  return problem;
}

Status time_files(Study& study, ChainResult& result, RunTimes& times) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return {};
  const Eigen::Index n = result.trajectory.n_stored;
  try {
    RunDirectory folder(scratch.path(), {"simulate"});
    return time_files(folder, study, result, times);
  } catch (const WriteError&) {
    times.files = 0.0, result.trajectory.n_stored = n;
    return {};
  }
}

Status time_run(Study& study, ChainResult& result, RunTimes& times) {
  EvaluationChain& chain = study.chain();
  const double reduction = times.evaluation.reduction;
  WorkTimer of_simulation;
  if (Status s = chain.simulate(result); s.failed()) return s;
  if (result.times.simulation < long_enough) {
    // A second time, for what the first one made once; the first one counts for itself if it was long.
    of_simulation = WorkTimer();
    if (Status s = chain.simulate(result); s.failed()) return s;
  }
  result.times.simulation *= of_simulation.share();
  const WorkTimer of_gradients;
  if (Status s = time_gradients(chain, result, times); s.failed()) return s;
  const double share = of_gradients.share();
  times.evaluation = result.times;
  times.evaluation.reduction = reduction, times.evaluation.pullback *= share;
  // Those of differences follow from the time of a simulation.
  if (!is_by_differences(chain.problem())) times.evaluation.adjoint *= share;
  times.evaluation.simulation /= times.share, times.evaluation.adjoint /= times.share;
  return time_files(study, result, times);
}

}  // namespace kurbel
