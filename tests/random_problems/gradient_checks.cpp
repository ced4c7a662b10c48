#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "examination.hpp"

namespace kurbel::random_problems {

VectorXd Examination::random_direction(const VectorXd& x, const VariableGroup& group) {
  VectorXd direction = VectorXd::Zero(x.size());
  for (const Index i : group.variables)
    direction[i] = (functions_->upper()[i] - functions_->lower()[i]) * (2.0 * random_.uniform() - 1.0);
  if (group.variables.size() == 1) direction[group.variables[0]] = 1.0;
  return direction;
}

void Examination::check_gradients(const VectorXd& x, const FunctionValues& at) {
  Worst worst("gradient");
  for (const VariableGroup& group : functions_->groups()) {
    const VectorXd direction = random_direction(x, group);
    DifferenceSteps steps;
    while (steps.largest > 1e-4 &&
           !functions_->is_smooth_between(x - steps.largest * direction, x + steps.largest * direction))
      steps.largest *= 0.5;
    const auto f = [&](const VectorXd& y) { return values_at(y); };
    const DirectionalDerivative first = differentiate(f, x, direction, steps);
    std::optional<DirectionalDerivative> second;
    std::vector<DirectionalDerivative> nearby;
    for (std::size_t j = 0; j < functions_->names().size(); ++j) {
      const std::string name = fmt::format("{} by {}", functions_->names()[j], group.name);
      auto [verdict, detail] = compare(at, direction, first, j);
      if (verdict != Verdict::agrees) {
        // Neighbours in a tableau may agree by chance; those of other steps do not at the same place.
        if (!second) second = differentiate(f, x, direction, {0.37 * steps.largest, 2.0, 5});
        const Verdict again = compare(at, direction, *second, j).first;
        if (again != verdict) verdict = again == Verdict::agrees ? again : Verdict::cannot_tell;
      }
      if (verdict == Verdict::differs) {
        // Beyond a kink, as where another point of a beam becomes the most stressed one, the derivative is another; the
        // smaller the steps, the more noise of stiff beams is in the differences.
        if (nearby.empty()) {
          for (const double share : {0.02, 0.01, 2e-3})
            nearby.push_back(differentiate(f, x, direction, {share * steps.largest, 2.0, 4}));
        }
        const auto agrees = [&](const DirectionalDerivative& d) {
          return compare(at, direction, d, j).first == Verdict::agrees;
        };
        const auto n_agree = std::ranges::count_if(nearby, agrees);
        if (n_agree > 0) verdict = n_agree > 1 ? Verdict::agrees : Verdict::cannot_tell;
      }
      // A motion that lets rounding grow until it decides has slopes that differences of any steps do not show.
      if (verdict == Verdict::differs && depends_on_rounding(x, at.values, static_cast<Index>(j)))
        verdict = Verdict::cannot_tell, detail += ", depends on rounding";
      // Explicit steps go on where the mechanism locks, along no motion of it.
      if (verdict == Verdict::differs && functions_->leaves_joints(x))
        verdict = Verdict::cannot_tell, detail += ", its steps leave the joints";
      worst.add(verdict, name + ": " + detail);
    }
  }
  findings_.push_back(worst.finding());
}

std::pair<Verdict, std::string> Examination::compare(const FunctionValues& at, const VectorXd& direction,
                                                     const DirectionalDerivative& by_differences,
                                                     std::size_t function) const {
  const auto j = static_cast<Index>(function);
  if (by_differences.value.size() == 0) return {Verdict::cannot_tell, "cannot be evaluated nearby"};
  const double exact = at.gradients.row(j).dot(direction), difference = by_differences.value[j],
               error = by_differences.error[j];
  const double size = std::max({std::abs(exact), std::abs(difference),
                                at.gradients.row(j).transpose().cwiseProduct(direction).norm()});
  const std::string detail = fmt::format("{:.9g}, by differences {:.9g} +- {:.1g}", exact, difference, error);
  switch (judge(exact, difference, error, size, 1e-8 * typical(function))) {
    case Judgement::agrees:
      return {Verdict::agrees, ""};
    case Judgement::differs:
      return {Verdict::differs, detail};
    case Judgement::cannot_tell:
      break;
  }
  return {Verdict::cannot_tell, detail};
}

void Examination::check_methods(const VectorXd& x, const FunctionValues& at) {
  for (const char* method : {"direct", "continuous-adjoint"}) {
    const bool exact = std::string(method) == "direct";
    if (!exact && !problem_.has("method=continuous-adjoint")) continue;
    ProblemFunctions other(to_toml(problem_.input), folder_,
                           {fmt::format("sensitivity.method=\"{}\"", method)});
    const auto by_other = other.evaluate(x, true);
    if (!by_other) {
      findings_.push_back({"methods", Verdict::differs, std::string(method) + ": " + other.failure()});
      return;
    }
    if (!by_other->gradients.allFinite()) {
      findings_.push_back({"methods", Verdict::differs, std::string(method) + " is not finite"});
      return;
    }
    if (!exact) continue;
    Worst worst("methods");
    for (Index j = 0; j < at.gradients.rows(); ++j) {
      // Both solve with the same factors, whose condition costs half of the digits. What is independent of a variable has a
      // slope that is the rounding of the function.
      const double off = size_over_ranges(at.gradients.row(j) - by_other->gradients.row(j)),
                   size = size_over_ranges(at.gradients.row(j));
      if (off <= 1e-7 * size + 1e-10 * typical(static_cast<std::size_t>(j)) + 1e-12 * std::abs(at.values[j]))
        continue;
      const std::string detail =
          fmt::format("{}: {:.2g} of {:.3g}", functions_->names()[static_cast<std::size_t>(j)], off, size);
      if (gradient_depends_on_rounding(x, at, j, off)) {
        worst.add(Verdict::cannot_tell, "the gradient depends on rounding: " + detail);
      } else {
        add_unless_noise(x, at.values, j, detail, worst);
      }
    }
    findings_.push_back(worst.finding());
  }
}

bool Examination::gradient_depends_on_rounding(const VectorXd& x, const FunctionValues& at, Index j,
                                               double off) {
  const auto again = functions_->evaluate(moved_in_last_digits(x), true);
  return !again || size_over_ranges(at.gradients.row(j) - again->gradients.row(j)) > 0.1 * off;
}

}  // namespace kurbel::random_problems
