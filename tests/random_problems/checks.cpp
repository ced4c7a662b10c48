#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "examination.hpp"

namespace kurbel::random_problems {

std::vector<Finding> Examination::run() {
  try {
    write_sids(problem_.sids);
    functions_ = std::make_unique<ProblemFunctions>(to_toml(problem_.input), folder_,
                                                    std::vector<std::string>{discrete});
    examine_at_a_point();
    examine_restatements();
    if (problem_.has("bodies=rigid") || problem_.has("beams")) examine_formulations();
  } catch (const InputError& error) {
    return {{"input", Verdict::refused, error.what()}};
  } catch (const std::runtime_error& error) {
    return {{"motion", Verdict::refused, error.what()}};
  }
  return findings_;
}

void Examination::write_sids(const std::vector<SidSource>& sids) const {
  for (const SidSource& sid : sids) write_sid_of(sid, folder_);
}

FunctionInfo Examination::info(std::size_t function) const {
  for (const FunctionInfo& info : problem_.functions) {
    if (info.name == functions_->names()[function]) return info;
  }
  return {};
}

VectorXd Examination::random_point() {
  VectorXd x = functions_->start();
  for (Index i = 0; i < x.size(); ++i) {
    const double lower = functions_->lower()[i], upper = functions_->upper()[i], range = upper - lower;
    x[i] = std::clamp(x[i] + 0.15 * range * (2.0 * random_.uniform() - 1.0), lower + 0.12 * range,
                      upper - 0.12 * range);
  }
  return x;
}

void Examination::examine_at_a_point() {
  const VectorXd x = random_point();
  use_threads(1);
  const auto at = functions_->evaluate(x, true);
  if (!at) throw std::runtime_error(functions_->failure());
  if (!at->values.allFinite() || !at->gradients.allFinite()) {
    findings_.push_back({"gradient", Verdict::differs, "not finite"});
    return;
  }
  check_gradients(x, *at);
  check_methods(x, *at);
  check_threads(x, *at);
  check_span(at->invariance_defect);
  const std::string defect = functions_->defect_of_program(x, *at);
  findings_.push_back({"program", defect.empty() ? Verdict::agrees : Verdict::differs, defect});
}

std::optional<VectorXd> Examination::values_at(const VectorXd& x) {
  auto at = functions_->evaluate(x, false);
  if (!at) return {};
  return std::move(at->values);
}

VectorXd Examination::moved_in_last_digits(VectorXd x) {
  constexpr double last_digits = 1e-13;
  for (Index i = 0; i < x.size(); ++i) x[i] *= 1.0 + (i % 2 == 0 ? last_digits : -last_digits);
  return x;
}

bool Examination::depends_on_rounding(const VectorXd& x, const VectorXd& values, Index j) {
  constexpr double noticeable = 1e-8;
  const auto again = values_at(moved_in_last_digits(x));
  return !again || std::abs((*again)[j] - values[j]) >
                       noticeable * std::abs(values[j]) + 1e-10 * typical(static_cast<std::size_t>(j));
}

double Examination::size_over_ranges(const Eigen::RowVectorXd& gradient) const {
  return gradient.transpose().cwiseProduct(functions_->upper() - functions_->lower()).norm();
}

void Examination::add_unless_noise(const VectorXd& x, const VectorXd& values, Index j,
                                   const std::string& detail, Worst& worst) {
  const bool is_noise = depends_on_rounding(x, values, j);
  worst.add(is_noise ? Verdict::cannot_tell : Verdict::differs,
            is_noise ? "depends on rounding: " + detail : detail);
}

void Examination::check_span(double defect) {
  const bool gradient_agrees = findings_.front().verdict == Verdict::agrees;
  const Verdict verdict = defect < 1e-6     ? Verdict::agrees
                          : gradient_agrees ? Verdict::cannot_tell
                                            : Verdict::differs;
  findings_.push_back({"span", verdict, fmt::format("{:.1e}", defect)});
}

void Examination::check_threads(const VectorXd& x, const FunctionValues& at) {
  use_threads(2);
  const auto by_two = functions_->evaluate(x, true);
  use_threads(1);
  const bool same = by_two && by_two->values == at.values && by_two->gradients == at.gradients;
  findings_.push_back({"threads", same ? Verdict::agrees : Verdict::differs,
                       same     ? ""
                       : by_two ? fmt::format("gradients differ by {:.1g}",
                                              (by_two->gradients - at.gradients).cwiseAbs().maxCoeff())
                                : functions_->failure()});
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::differs:
      return "differs";
    case Verdict::cannot_tell:
      return "cannot-tell";
    case Verdict::refused:
      return "refused";
  }
  return "";
}

std::vector<Finding> examine(const RandomProblem& problem, std::uint64_t seed,
                             const std::filesystem::path& folder) {
  return Examination(problem, seed, folder).run();
}

}  // namespace kurbel::random_problems
