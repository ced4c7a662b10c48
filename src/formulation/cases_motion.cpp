#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <future>
#include <limits>
#include <stdexcept>

#include "base/parallel.hpp"
#include "formulation/cases_model.hpp"

namespace kurbel {

namespace {

/// Calls work(c) for every case, concurrently; the results in the order of the cases, or what the first of them
/// throws.
template <class Work>
auto of_each_case(std::size_t n, const Work& work) {
  using Result = decltype(work(std::size_t{0}));
  std::vector<std::packaged_task<Result()>> tasks;
  for (std::size_t c = 0; c < n; ++c) tasks.emplace_back([&work, c] { return work(c); });
  parallel_for(std::ssize(tasks), 1, [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index c = begin; c < end; ++c) tasks[static_cast<std::size_t>(c)]();
  });
  std::vector<Result> results;
  for (auto& task : tasks) results.push_back(task.get_future().get());
  return results;
}

/// Adds a function of a case, times its weight, to one of all cases.
void add_function(const DirectionalDerivatives& own, std::size_t from, double weight, std::size_t to,
                  DirectionalDerivatives& all) {
  all.along.col(static_cast<Eigen::Index>(to)) += weight * own.along.col(static_cast<Eigen::Index>(from));
  if (own.stress.empty()) return;
  std::vector<MatrixXd>& sets = all.stress[to];
  sets.resize(own.stress[from].size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const MatrixXd& bar = own.stress[from][s];
    if (bar.size() == 0) continue;
    if (sets[s].size() == 0) sets[s].setZero(bar.rows(), bar.cols());
    sets[s] += weight * bar;
  }
}

}  // namespace

CasesMotion::CasesMotion(const CasesModel& model, std::vector<std::unique_ptr<Motion>> motions)
    : Motion(model), model_(model), motions_(std::move(motions)), first_state_{0}, first_parameter_{0} {
  for (const auto& motion : motions_) {
    first_state_.push_back(first_state_.back() + motion->steps().n_state());
    first_parameter_.push_back(first_parameter_.back() + motion->steps().n_parameters());
  }
}

StepResidual<double>& CasesMotion::steps() const {
  throw std::logic_error("several cases have no steps in common");
}

Criterion<double> CasesMotion::criterion(const std::vector<CriterionTerm>&) const {
  throw std::logic_error("a criterion belongs to one of several cases");
}

std::vector<double> CasesMotion::line_lengths(const Eigen::Ref<const VectorXd>&) const {
  throw std::logic_error("a spring belongs to one of several cases");
}

void CasesMotion::check_lines(const Eigen::Ref<const VectorXd>& y0) const {
  for (std::size_t c = 0; c < size(); ++c)
    motions_[c]->check_lines(y0.segment(first_state_[c], first_state_[c + 1] - first_state_[c]));
}

Failure CasesMotion::function_not_finite(const Trajectory<double>& trajectory,
                                         const RequestedFunctions& requested) const {
  const std::vector<CasesModel::Part> parts = model_.parts(requested);
  for (std::size_t c = 0; c < size(); ++c) {
    const Trajectory<double> own = part(trajectory, c);
    const std::vector<CriterionValues> values = motions_[c]->values(own, parts[c].requested);
    if (std::ranges::all_of(values, [](const CriterionValues& v) { return std::isfinite(v.value); }))
      continue;
    Failure failure = motions_[c]->function_not_finite(own, parts[c].requested);
    failure.where += ", case " + name(c);
    return failure;
  }
  return {.what = "the objective over the cases is not a finite number",
          .advice = "check the weights of the cases for extreme values"};
}

double CasesMotion::adjoint_not_finite(const Trajectory<double>& trajectory,
                                       const RequestedFunctions& requested) {
  const std::vector<CasesModel::Part> parts = model_.parts(requested);
  for (std::size_t c = 0; c < size(); ++c) {
    const double instant = motions_[c]->adjoint_not_finite(part(trajectory, c), parts[c].requested);
    if (!std::isnan(instant)) return instant;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Status CasesMotion::require_smooth(const Trajectory<double>& trajectory,
                                   const RequestedFunctions& requested) const {
  const std::vector<CasesModel::Part> parts = model_.parts(requested);
  for (std::size_t c = 0; c < size(); ++c) {
    const Status status = motions_[c]->require_smooth(part(trajectory, c), parts[c].requested);
    if (!status.failed()) continue;
    Failure failure = status.failure();
    failure.where += (failure.where.empty() ? "case " : ", case ") + name(c);
    return failure;
  }
  return {};
}

VectorXd CasesMotion::weights() const {
  VectorXd w(static_cast<Eigen::Index>(size()));
  for (std::size_t c = 0; c < size(); ++c) w[static_cast<Eigen::Index>(c)] = model_.problem().cases[c].weight;
  return w;
}

Trajectory<double> CasesMotion::part(const Trajectory<double>& trajectory, std::size_t c) const {
  return {trajectory.y.middleRows(first_state_[c], first_state_[c + 1] - first_state_[c]), trajectory.t,
          trajectory.n_stored};
}

SparseMatrix CasesMotion::part(const SparseMatrix& p_dot, std::size_t c) const {
  return p_dot.middleRows(first_parameter_[c], first_parameter_[c + 1] - first_parameter_[c]);
}

Status CasesMotion::simulate(Trajectory<double>& trajectory) {
  return simulate_each([&](std::size_t c, Trajectory<double>& own) { return motions_[c]->simulate(own); },
                       trajectory);
}

Status CasesMotion::simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory) {
  return simulate_each(
      [&](std::size_t c, Trajectory<double>& own) {
        return motions_[c]->simulate_along(part(p_dot, c), own);
      },
      trajectory);
}

/// @param simulate_one  (case, its trajectory) -> status
template <class Simulate>
Status CasesMotion::simulate_each(const Simulate& simulate_one, Trajectory<double>& trajectory) {
  std::vector<Trajectory<double>> parts(size());
  const std::vector<Status> ends =
      of_each_case(size(), [&](std::size_t c) { return simulate_one(c, parts[c]); });
  trajectory.n_stored = parts[0].n_stored;
  for (const Trajectory<double>& of_case : parts)
    trajectory.n_stored = std::min(trajectory.n_stored, of_case.n_stored);
  for (std::size_t c = 0; c < size(); ++c) {
    if (parts[c].t.size() == 0) continue;
    trajectory.t = parts[c].t;
    trajectory.y.resize(first_state_.back(), parts[c].y.cols());
    break;
  }
  for (std::size_t c = 0; c < size() && trajectory.n_stored > 0; ++c)
    trajectory.y.middleRows(first_state_[c], parts[c].y.rows()) = parts[c].y;
  for (std::size_t c = 0; c < size(); ++c) {
    if (!ends[c].failed()) continue;
    Failure failure = ends[c].failure();
    failure.where += (failure.where.empty() ? "case " : ", case ") + name(c);
    return failure;
  }
  return {};
}

std::vector<CriterionValues> CasesMotion::values(const Trajectory<double>& trajectory,
                                                 const RequestedFunctions& requested) const {
  const std::vector<CasesModel::Part> parts = model_.parts(requested);
  const auto of_cases = of_each_case(
      size(), [&](std::size_t c) { return motions_[c]->values(part(trajectory, c), parts[c].requested); });
  std::vector<CriterionValues> all(1 + requested.functions.size());
  std::vector<CriterionValues> objectives;
  for (std::size_t c = 0; c < size(); ++c) {
    const std::vector<CriterionValues>& own = of_cases[c];
    objectives.push_back(own[0]);
    for (std::size_t l = 0; l < parts[c].to.size(); ++l) {
      const auto& [j, weight] = parts[c].to[l];
      all[1 + j].value += weight * own[1 + l].value;
      all[1 + j].low += weight * own[1 + l].low;
      all[1 + j].high += weight * own[1 + l].high;
    }
  }
  all[0] = joined_over_cases(model_.problem().over_cases, weights(), objectives);
  return all;
}

DirectionalDerivatives CasesMotion::gradients(const Trajectory<double>& trajectory,
                                              const RequestedFunctions& requested,
                                              SensitivityOptions::Method method, const SparseMatrix& p_dot) {
  const std::vector<CasesModel::Part> parts = model_.parts(requested);
  const OverCases& over = model_.problem().over_cases;
  const bool is_sum = over.functional == OverCases::Functional::sum;  // whose slopes are the weights
  struct OfCase {
    double psi;
    DirectionalDerivatives derivatives;
  };
  const auto of_cases = of_each_case(size(), [&](std::size_t c) {
    const Trajectory<double> own = part(trajectory, c);
    const double psi = is_sum ? 0.0 : motions_[c]->values(own, {requested.stage, {}}).front().value;
    return OfCase{psi, motions_[c]->gradients(own, parts[c].requested, method, part(p_dot, c))};
  });
  VectorXd psi(static_cast<Eigen::Index>(size())), slopes;
  for (std::size_t c = 0; c < size(); ++c) psi[static_cast<Eigen::Index>(c)] = of_cases[c].psi;
  over.value(weights(), psi, &slopes);

  DirectionalDerivatives all;
  const std::size_t n = 1 + requested.functions.size();
  all.along.setZero(p_dot.cols(), static_cast<Eigen::Index>(n));
  all.stress.resize(n);
  for (std::size_t c = 0; c < size(); ++c) {
    const DirectionalDerivatives& own = of_cases[c].derivatives;
    const auto add = [&](std::size_t from, std::size_t to, double weight) {
      add_function(own, from, weight, to, all);
    };
    add(0, 0, slopes[static_cast<Eigen::Index>(c)]);
    for (std::size_t l = 0; l < parts[c].to.size(); ++l)
      add(1 + l, 1 + parts[c].to[l].first, parts[c].to[l].second);
  }
  return all;
}

/// Outputs of the cases stand one case after the other, as in outputs().
DirectionalDerivatives CasesMotion::output_gradients(const Trajectory<double>& trajectory,
                                                     const OutputSeeds& seeds, const SparseMatrix& p_dot) {
  std::vector<std::size_t> first = {0};
  for (const auto& motion : motions_)
    first.push_back(first.back() + motion->model().problem().outputs.size());
  if (seeds.size() != first.back())
    throw InputError(fmt::format("there are {} seeds for {} outputs", seeds.size(), first.back()));
  const auto of_cases = of_each_case(size(), [&](std::size_t c) {
    const OutputSeeds own(seeds.begin() + std::ptrdiff_t(first[c]),
                          seeds.begin() + std::ptrdiff_t(first[c + 1]));
    return motions_[c]->output_gradients(part(trajectory, c), own, part(p_dot, c));
  });
  DirectionalDerivatives all;
  all.along.setZero(p_dot.cols(), 1);
  all.stress.resize(1);
  for (const DirectionalDerivatives& own : of_cases) add_function(own, 0, 1.0, 0, all);
  return all;
}

SensitivityOptions::Method CasesMotion::resolve(SensitivityOptions::Method method,
                                                const Trajectory<double>& trajectory,
                                                const RequestedFunctions& requested,
                                                Eigen::Index n_directions) {
  return motions_.front()->resolve(method, part(trajectory, 0), model_.parts(requested).front().requested,
                                   n_directions);
}

/// Directions are the same in all cases, whose parameters stand one behind the other.
DesignDirections CasesMotion::directions(const std::vector<bool>& with_sid) const {
  DesignDirections all;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t c = 0; c < size(); ++c) {
    const DesignDirections own = motions_[c]->directions(with_sid);
    for (Eigen::Index j = 0; j < own.p_dot.cols(); ++j) {
      for (SparseMatrix::InnerIterator entry(own.p_dot, j); entry; ++entry)
        entries.emplace_back(first_parameter_[c] + entry.row(), j, entry.value());
    }
    if (c > 0) continue;
    all.n_numbers = own.n_numbers, all.of_sid = own.of_sid;
    all.p_dot.resize(first_parameter_.back(), own.p_dot.cols());
  }
  all.p_dot.setFromTriplets(entries.begin(), entries.end());
  return all;
}

std::vector<OutputHistory> CasesMotion::outputs(const Trajectory<double>& trajectory) const {
  std::vector<OutputHistory> all;
  for (std::size_t c = 0; c < size(); ++c) {
    for (OutputHistory& own : motions_[c]->outputs(part(trajectory, c))) {
      own.name = name(c) + "." + own.name;
      all.push_back(std::move(own));
    }
  }
  return all;
}

std::vector<HistoryPanel> CasesMotion::histories(const Trajectory<double>& trajectory) const {
  std::vector<HistoryPanel> all;
  for (std::size_t c = 0; c < size(); ++c) {
    for (HistoryPanel& own : motions_[c]->histories(part(trajectory, c))) {
      own.name = name(c) + "." + own.name;
      all.push_back(std::move(own));
    }
  }
  return all;
}

std::vector<ResultTable> CasesMotion::tables() const {
  std::vector<ResultTable> all, curves;
  for (std::size_t c = 0; c < size(); ++c) {
    for (ResultTable& own : motions_[c]->tables()) {
      if (!own.has_curves) {
        own.name += "_" + name(c);
        all.push_back(std::move(own));
        continue;
      }
      for (std::size_t j = 1; j < own.columns.size(); ++j)
        own.columns[j].name = name(c) + "." + own.columns[j].name;
      const auto known = std::ranges::find(curves, own.name, &ResultTable::name);
      if (known == curves.end()) {
        curves.push_back(std::move(own));
        continue;
      }
      assert(own.values.col(0) == known->values.col(0));
      known->columns.insert(known->columns.end(), own.columns.begin() + 1, own.columns.end());
      const Eigen::Index before = known->values.cols();
      known->values.conservativeResize(Eigen::NoChange, before + own.values.cols() - 1);
      known->values.rightCols(own.values.cols() - 1) = own.values.rightCols(own.values.cols() - 1);
    }
  }
  std::ranges::move(curves, std::back_inserter(all));
  return all;
}

MotionSummary CasesMotion::summarize(const Trajectory<double>& trajectory) const {
  MotionSummary all;
  for (std::size_t c = 0; c < size(); ++c) {
    const MotionSummary own = motions_[c]->summarize(part(trajectory, c));
    for (const std::string& line : own.lines) all.lines.push_back(fmt::format("case {}: {}", name(c), line));
    for (const auto& [key, value] : own.numbers) all.numbers.emplace_back(name(c) + "." + key, value);
  }
  return all;
}

StartReport CasesMotion::start_report(const Eigen::Ref<const VectorXd>& y0) const {
  StartReport all;
  for (std::size_t c = 0; c < size(); ++c) {
    const Eigen::Index n = y0.size() > 0 ? first_state_[c + 1] - first_state_[c] : 0;
    const StartReport own = motions_[c]->start_report(y0.segment(n > 0 ? first_state_[c] : 0, n));
    for (const std::string& line : own.redundant)
      all.redundant.push_back(fmt::format("case {}: {}", name(c), line));
    for (const std::string& line : own.corrections)
      all.corrections.push_back(fmt::format("case {}: {}", name(c), line));
    for (const std::string& line : own.lost) all.lost.push_back(fmt::format("case {}: {}", name(c), line));
  }
  return all;
}

std::vector<std::string> CasesMotion::warnings(const Trajectory<double>& trajectory) const {
  std::vector<std::string> all;
  for (std::size_t c = 0; c < size(); ++c) {
    for (const std::string& line : motions_[c]->warnings(part(trajectory, c)))
      all.push_back(fmt::format("case {}: {}", name(c), line));
  }
  return all;
}

std::vector<std::string> CasesMotion::choices() const {
  std::vector<std::string> all;
  for (std::size_t c = 0; c < size(); ++c) {
    for (const std::string& line : motions_[c]->choices())
      all.push_back(fmt::format("case {}: {}", name(c), line));
  }
  return all;
}

std::optional<BodyTrajectories> CasesMotion::body_trajectories(const Trajectory<double>& trajectory) const {
  BodyTrajectories all;
  for (std::size_t c = 0; c < size(); ++c) {
    auto own = motions_[c]->body_trajectories(part(trajectory, c));
    if (!own) return {};
    all.times = own->times;
    for (BodyTrajectories::Body& body : own->bodies) {
      body.name = name(c) + "." + body.name;
      all.bodies.push_back(std::move(body));
    }
    for (const std::string& multiplier : own->multiplier_names)
      all.multiplier_names.push_back(name(c) + "." + multiplier);
    const Eigen::Index before = all.multipliers.rows();
    all.multipliers.conservativeResize(before + own->multipliers.rows(), own->multipliers.cols());
    all.multipliers.bottomRows(own->multipliers.rows()) = own->multipliers;
  }
  return all;
}

void CasesMotion::draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
                       const FramesReceiver& show) const {
  for (std::size_t c = 0; c < size(); ++c) {
    motions_[c]->draw(part(trajectory, c), meshes, [&](const std::string& own, MotionFrames& frames) {
      show(own.empty() ? name(c) : name(c) + "_" + own, frames);
    });
  }
}

}  // namespace kurbel
