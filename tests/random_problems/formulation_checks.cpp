#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "examination.hpp"

namespace kurbel::random_problems {

Table Examination::for_method(Table root, const std::string& method) {
  std::erase_if(sub_table(root, "integrator"), [&](const Entry& entry) {
    return entry.key == "recursion" || entry.key == "tolerance" ||
           (entry.key == "rho_inf" && method != "generalized-alpha");
  });
  return root;
}

ProblemFunctions Examination::with_step(const Formulation& formulation, double share) const {
  std::vector<std::string> overrides = formulation.overrides();
  overrides.push_back(discrete);
  // The error of steps that a tolerance chooses does not fall with the step of the input.
  if (formulation.method == "dormand-prince") overrides.emplace_back("integrator.tolerance=1e-11");
  // After a jump of the forces' rate reactions ring with rho_inf^n, which with 0.95 outlasts these runs.
  if (formulation.method == "generalized-alpha") overrides.emplace_back("integrator.rho_inf=0.5");
  overrides.push_back(fmt::format("integrator.step={:.17g}", share * problem_.step));
  return {to_toml(for_method(problem_.input, formulation.method)), folder_, overrides};
}

std::optional<std::vector<FunctionValues>> Examination::refined(const Formulation& formulation,
                                                                std::string& why,
                                                                const std::vector<double>& shares) const {
  std::vector<FunctionValues> out;
  for (const double share : shares) {
    ProblemFunctions functions = with_step(formulation, share);
    auto at = functions.evaluate(functions.start(), false);
    if (!at) {
      why = functions.failure();
      return {};
    }
    out.push_back(std::move(*at));
  }
  return out;
}

std::vector<Formulation> Examination::compared_formulations() const {
  std::vector<Formulation> all =
      problem_.has("beams") ? formulations_of_beams() : formulations_of_rigid_bodies();
  if (problem_.has("beam=cable"))
    std::erase_if(all, [](const Formulation& f) { return f.name != "natural-coordinates"; });
  return all;
}

bool Examination::agree_by_short_steps(const Formulation& a, const Formulation& b) const {
  const std::vector<double> shares = {0.0625, 1.0 / 64.0, 1.0 / 256.0};
  std::string why;
  const auto by_a = refined(a, why, shares), by_b = refined(b, why, shares);
  return by_a && by_b && compare_all(b.name, *by_a, *by_b).verdict != Verdict::differs;
}

bool Examination::leaves_joints(const Formulation& formulation, const std::vector<double>& shares) const {
  return std::ranges::any_of(shares, [&](double share) {
    ProblemFunctions functions = with_step(formulation, share);
    return functions.leaves_joints(functions.start());
  });
}

void Examination::examine_formulations() {
  const std::vector<Formulation> all = compared_formulations();
  Worst worst("formulations");
  std::string why;
  bool is_compared = false;
  std::optional<std::vector<FunctionValues>> own;
  try {
    own = refined(all.front(), why);
  } catch (const InputError& error) {
    why = error.what();
  }
  for (int n = 0; n < 3; ++n) {
    const Formulation& other =
        all[static_cast<std::size_t>(random_.integer(1, static_cast<int>(all.size()) - 1))];
    const std::string name = other.name + ", " + other.method;
    try {
      const auto by_other = refined(other, why);
      if (!own || !by_other) {
        if (own || by_other) worst.add(Verdict::cannot_tell, name + ": " + why);
        continue;
      }
      is_compared = true;
      Finding finding = compare_all(name, *own, *by_other);
      // After a kink within the last steps a method may be off to first order. Another method on the same equations then
      // agrees with the other formulation; if those equations were wrong, it would not.
      const Formulation& third = all[1];
      if (finding.verdict == Verdict::differs && &third != &other && third.name == all.front().name) {
        const auto by_third = refined(third, why);
        if (by_third && compare_all(name, *by_third, *by_other).verdict == Verdict::agrees)
          finding.verdict = Verdict::cannot_tell,
          finding.detail += "; as by " + third.name + ", " + third.method;
      }
      if (finding.verdict == Verdict::differs && agree_by_short_steps(all.front(), other))
        finding.verdict = Verdict::cannot_tell, finding.detail += "; not by steps of h/256";
      if (finding.verdict == Verdict::differs && (leaves_joints(all.front()) || leaves_joints(other)))
        finding.verdict = Verdict::cannot_tell, finding.detail += "; the steps leave the joints";
      worst.add(finding.verdict, finding.detail);
    } catch (const InputError& error) {
      worst.add(Verdict::cannot_tell, name + ": " + error.what());
    }
  }
  if (!is_compared) worst.add(Verdict::cannot_tell, "nothing is compared: " + why);
  findings_.push_back(worst.finding());
}

Finding Examination::compare_all(const std::string& name, const std::vector<FunctionValues>& own,
                                 const std::vector<FunctionValues>& other) const {
  Worst worst("formulations");
  for (std::size_t j = 0; j < functions_->names().size(); ++j) compare_refined(name, j, own, other, worst);
  return worst.finding();
}

void Examination::compare_refined(const std::string& name, std::size_t function,
                                  const std::vector<FunctionValues>& own,
                                  const std::vector<FunctionValues>& other, Worst& worst) const {
  const auto j = static_cast<Index>(function);
  const double size = std::max(std::abs(own.back().values[j]), 1e-3 * typical(function));
  double off[3];
  for (std::size_t k = 0; k < 3; ++k) off[k] = std::abs(own[k].values[j] - other[k].values[j]);
  if (off[2] <= 1e-6 * size || (off[2] <= 0.35 * off[0] && off[2] <= 1e-2 * size)) return;
  if (info(function).of_reactions && own.back().n_redundant + other.back().n_redundant > 0) {
    worst.add(Verdict::cannot_tell,
              fmt::format("{}: {} is a reaction around redundant constraints, which is not unique", name,
                          functions_->names()[function]));
    return;
  }
  const bool falls = off[2] <= 0.35 * off[0];
  // An error of first order, as that of peaks of reactions after a start, is as large as the last change. A difference far beyond
  // any change with the step is no error of the steps, be it large or small.
  const double of_steps =
      std::abs(own[1].values[j] - own[2].values[j]) + std::abs(other[1].values[j] - other[2].values[j]);
  const bool differs = off[2] > 1e-2 * size ? !falls && off[2] > 2.0 * of_steps
                                            : off[2] > 1e-5 * size && off[2] > 20.0 * of_steps;
  const Verdict verdict = differs ? Verdict::differs : Verdict::cannot_tell;
  worst.add(
      verdict,
      fmt::format("{}: {} is {:.9g}, there {:.9g}; differences at h/4, h/8, h/16 {:.2g}, {:.2g}, {:.2g}",
                  name, functions_->names()[function], own.back().values[j], other.back().values[j], off[0],
                  off[1], off[2]));
}

}  // namespace kurbel::random_problems
