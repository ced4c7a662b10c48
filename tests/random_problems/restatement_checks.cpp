#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "examination.hpp"

namespace kurbel::random_problems {

void Examination::examine_restatements() {
  const auto at = functions_->evaluate(functions_->start(), false);
  if (!at) throw std::runtime_error("at the start of the design: " + functions_->failure());
  const Vector3d axis = Vector3d(random_.between(-1.0, 1.0), random_.between(-1.0, 1.0), 1.5).normalized();
  const Matrix3d A = Eigen::AngleAxisd(random_.between(0.3, 2.5), axis).toRotationMatrix();
  const Vector3d r(random_.between(-1.0, 1.0), random_.between(-1.0, 1.0), random_.between(-1.0, 1.0));
  // In vectors, the axes decide which of the coordinates are the independent ones.
  if (!(problem_.has("formulation=natural-coordinates") && problem_.has("integrator=trapezoidal")))
    compare_with("turned", placed(problem_.input, A, Vector3d::Zero()), *at, Units{},
                 [](const FunctionInfo& f) { return !f.uses_axes; });
  compare_with("shifted", placed(problem_.input, Matrix3d::Identity(), r), *at, Units{},
               [](const FunctionInfo& f) { return !f.uses_origin; });
  compare_with("reordered", reordered(problem_.input, random_), *at, Units{},
               [](const FunctionInfo&) { return true; });
  if (problem_.has("initial=q")) return;                  // in the unit of a basis
  if (problem_.has("integrator=dormand-prince")) return;  // whose tolerance is in that of length
  const Units units{1000.0, random_.chance(0.5) ? 1e-3 : 1e3};
  std::vector<SidSource> sids = problem_.sids;
  for (SidSource& sid : sids) sid.input = converted(sid.input, units);
  write_sids(sids);
  compare_with("converted", converted(problem_.input, units), *at, units,
               [](const FunctionInfo&) { return true; });
  write_sids(problem_.sids);
}

bool Examination::fails_by_part_of_step(double share) const {
  ProblemFunctions refined(to_toml(problem_.input), folder_,
                           {discrete, fmt::format("integrator.step={:.17g}", share * problem_.step)});
  return !refined.evaluate(refined.start(), false);
}

void Examination::compare_with(const std::string& check, const Table& input, const FunctionValues& at,
                               const Units& units,
                               const std::function<bool(const FunctionInfo&)>& is_compared) {
  Worst worst(check);
  const std::string text = to_toml(input);
  try {
    ProblemFunctions restated(text, folder_, {discrete});
    const auto other = restated.evaluate(restated.start(), false);
    if (!other) {
      const bool fails = fails_by_part_of_step(0.5);
      worst.add(fails ? Verdict::cannot_tell : Verdict::differs,
                (fails ? "fails only then, but also by half of the step: " : "fails only then: ") +
                    restated.failure());
    } else {
      for (const FunctionInfo& info : problem_.functions) {
        if (is_compared(info)) compare_function(info, at, restated, *other, units, worst);
      }
    }
  } catch (const InputError& error) {
    worst.add(Verdict::differs, std::string("is refused only then: ") + error.what());
  }
  findings_.push_back(worst.finding());
  if (findings_.back().verdict == Verdict::differs && falls_with_the_step(text, units, is_compared))
    findings_.back().verdict = Verdict::cannot_tell, findings_.back().detail += "; not by short steps";
  if (findings_.back().verdict == Verdict::differs && chooses_by_rounding(at))
    findings_.back().verdict = Verdict::cannot_tell,
    findings_.back().detail += "; a turn in the last digits changes it, too";
  // A step that is far too long has several solutions, or none by parts of it.
  if (findings_.back().verdict == Verdict::differs && fails_by_part_of_step(0.25))
    findings_.back().verdict = Verdict::cannot_tell,
    findings_.back().detail += "; fails by quarters of the step";
  if (findings_.back().verdict == Verdict::differs) findings_.back().restated = text;
}

bool Examination::chooses_by_rounding(const FunctionValues& at) const {
  constexpr double last_digits = 1e-12, noticeable = 1e-6;
  for (const double angle : {last_digits, -last_digits}) {
    for (int axis = 0; axis < 3; ++axis) {
      const Matrix3d A = Eigen::AngleAxisd(angle, Vector3d::Unit(axis)).toRotationMatrix();
      ProblemFunctions turned(to_toml(placed(problem_.input, A, Vector3d::Zero())), folder_, {discrete});
      const auto other = turned.evaluate(turned.start(), false);
      if (!other) return true;
      for (const FunctionInfo& info : problem_.functions) {
        const double value = at.values[index_of(info, *functions_)],
                     again = other->values[index_of(info, turned)];
        if (std::abs(value - again) >
            noticeable * std::max(std::abs(value), std::abs(again)) + 1e-8 * info.typical)
          return true;
      }
    }
  }
  return false;
}

bool Examination::falls_with_the_step(const std::string& text, const Units& units,
                                      const std::function<bool(const FunctionInfo&)>& is_compared) const {
  if (!problem_.has("integrator=trapezoidal")) return false;
  constexpr double little = 0.1;
  double off[2] = {0.0, 0.0};
  for (int k = 0; k < 2; ++k) {
    const std::vector<std::string> overrides = {
        discrete, fmt::format("integrator.step={:.17g}", (k == 0 ? 1.0 : 0.0625) * problem_.step)};
    ProblemFunctions own(to_toml(problem_.input), folder_, overrides), other(text, folder_, overrides);
    const auto at = own.evaluate(own.start(), false), there = other.evaluate(other.start(), false);
    if (!at || !there) return false;
    for (const FunctionInfo& info : problem_.functions) {
      if (!is_compared(info)) continue;
      const double value = at->values[index_of(info, own)],
                   again = there->values[index_of(info, other)] / units.factor(info.dimension);
      off[k] = std::max(off[k], std::abs(value - again) / (std::abs(value) + 1e-3 * info.typical));
    }
  }
  return off[1] <= little * off[0];
}

Index Examination::index_of(const FunctionInfo& info, const ProblemFunctions& functions) {
  const auto& names = functions.names();
  const auto found = std::find(names.begin(), names.end(), info.name);
  if (found == names.end()) throw std::logic_error("there is no function " + info.name);
  return static_cast<Index>(found - names.begin());
}

void Examination::compare_function(const FunctionInfo& info, const FunctionValues& at,
                                   const ProblemFunctions& restated, const FunctionValues& other,
                                   const Units& units, Worst& worst) {
  const Index j = index_of(info, *functions_);
  const double value = at.values[j];
  const double again = other.values[index_of(info, restated)] / units.factor(info.dimension);
  const double off = std::abs(value - again);
  if (off <= 1e-6 * std::max(std::abs(value), std::abs(again)) + 1e-8 * info.typical) return;
  add_unless_noise(functions_->start(), at.values, j,
                   fmt::format("{}: {:.12g} becomes {:.12g}", info.name, value, again), worst);
}

}  // namespace kurbel::random_problems
