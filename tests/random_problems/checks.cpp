#include "checks.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "differences.hpp"
#include "problem_functions.hpp"
#include "restated.hpp"

namespace kurbel::random_problems {

namespace {

using Eigen::Index;

const std::string discrete = "sensitivity.method=\"discrete-adjoint\"";

/// The worst of several findings of one check, in the order of the enumeration but for `refused`.
class Worst {
 public:
  explicit Worst(std::string check) : finding_{std::move(check)} {}
  void add(Verdict verdict, const std::string& detail) {
    const auto badness = [](Verdict v) {
      return v == Verdict::differs ? 2 : v == Verdict::cannot_tell ? 1 : 0;
    };
    if (badness(verdict) > badness(finding_.verdict)) finding_.verdict = verdict, finding_.detail = detail;
  }
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

class Examination {
 public:
  Examination(const RandomProblem& problem, std::uint64_t seed, const std::filesystem::path& folder)
      : problem_(problem), folder_(folder), random_(seed ^ 0x5DEECE66Dull) {}

  std::vector<Finding> run() {
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

 private:
  void write_sids(const std::vector<SidSource>& sids) const {
    for (const SidSource& sid : sids) write_sid_of(sid, folder_);
  }

  FunctionInfo info(std::size_t function) const {
    for (const FunctionInfo& info : problem_.functions) {
      if (info.name == functions_->names()[function]) return info;
    }
    return {};
  }
  double typical(std::size_t function) const { return info(function).typical; }

  VectorXd random_point() {
    VectorXd x = functions_->start();
    for (Index i = 0; i < x.size(); ++i) {
      const double lower = functions_->lower()[i], upper = functions_->upper()[i], range = upper - lower;
      x[i] = std::clamp(x[i] + 0.15 * range * (2.0 * random_.uniform() - 1.0), lower + 0.12 * range,
                        upper - 0.12 * range);
    }
    return x;
  }

  void examine_at_a_point() {
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

  std::optional<VectorXd> values_at(const VectorXd& x) {
    auto at = functions_->evaluate(x, false);
    if (!at) return {};
    return std::move(at->values);
  }

  VectorXd random_direction(const VectorXd& x, const VariableGroup& group) {
    VectorXd direction = VectorXd::Zero(x.size());
    for (const Index i : group.variables)
      direction[i] = (functions_->upper()[i] - functions_->lower()[i]) * (2.0 * random_.uniform() - 1.0);
    if (group.variables.size() == 1) direction[group.variables[0]] = 1.0;
    return direction;
  }

  void check_gradients(const VectorXd& x, const FunctionValues& at) {
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
        worst.add(verdict, name + ": " + detail);
      }
    }
    findings_.push_back(worst.finding());
  }

  /// Errors relative to the larger one of both derivatives, and to the size of the gradient in that
  /// direction.
  std::pair<Verdict, std::string> compare(const FunctionValues& at, const VectorXd& direction,
                                          const DirectionalDerivative& by_differences,
                                          std::size_t function) const {
    const auto j = static_cast<Index>(function);
    if (by_differences.value.size() == 0) return {Verdict::cannot_tell, "cannot be evaluated nearby"};
    const double exact = at.gradients.row(j).dot(direction), difference = by_differences.value[j],
                 error = by_differences.error[j];
    const double size = std::max({std::abs(exact), std::abs(difference),
                                  at.gradients.row(j).transpose().cwiseProduct(direction).norm()});
    const std::string detail =
        fmt::format("{:.9g}, by differences {:.9g} +- {:.1g}", exact, difference, error);
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

  void check_methods(const VectorXd& x, const FunctionValues& at) {
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
        if (off <=
            1e-7 * size + 1e-10 * typical(static_cast<std::size_t>(j)) + 1e-12 * std::abs(at.values[j]))
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

  /// A design that differs in its last digits.
  static VectorXd moved_in_last_digits(VectorXd x) {
    constexpr double last_digits = 1e-13;
    for (Index i = 0; i < x.size(); ++i) x[i] *= 1.0 + (i % 2 == 0 ? last_digits : -last_digits);
    return x;
  }

  /// Returns whether changes of a design in its last digits change a function noticeably. Motions that are unstable, as that
  /// of a soft beam that buckles, let rounding grow until it decides.
  bool depends_on_rounding(const VectorXd& x, const VectorXd& values, Index j) {
    constexpr double noticeable = 1e-8;
    const auto again = values_at(moved_in_last_digits(x));
    return !again || std::abs((*again)[j] - values[j]) >
                         noticeable * std::abs(values[j]) + 1e-10 * typical(static_cast<std::size_t>(j));
  }

  /// Returns whether such changes change a gradient, per range of each variable, by a tenth of a difference, as close to a
  /// dead centre.
  bool gradient_depends_on_rounding(const VectorXd& x, const FunctionValues& at, Index j, double off) {
    const auto again = functions_->evaluate(moved_in_last_digits(x), true);
    return !again || size_over_ranges(at.gradients.row(j) - again->gradients.row(j)) > 0.1 * off;
  }

  double size_over_ranges(const Eigen::RowVectorXd& gradient) const {
    return gradient.transpose().cwiseProduct(functions_->upper() - functions_->lower()).norm();
  }

  void add_unless_noise(const VectorXd& x, const VectorXd& values, Index j, const std::string& detail,
                        Worst& worst) {
    const bool is_noise = depends_on_rounding(x, values, j);
    worst.add(is_noise ? Verdict::cannot_tell : Verdict::differs,
              is_noise ? "depends on rounding: " + detail : detail);
  }

  /// The program warns from 1e-6 on. Where a function does not depend on a body, the defect is one rounding
  /// error over another, and the gradient agrees all the same.
  void check_span(double defect) {
    const bool gradient_agrees = findings_.front().verdict == Verdict::agrees;
    const Verdict verdict = defect < 1e-6     ? Verdict::agrees
                            : gradient_agrees ? Verdict::cannot_tell
                                              : Verdict::differs;
    findings_.push_back({"span", verdict, fmt::format("{:.1e}", defect)});
  }

  void check_threads(const VectorXd& x, const FunctionValues& at) {
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

  void examine_restatements() {
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

  /// Returns whether the problem as it is fails with part of its step. Newton's iteration of very stiff beams may fail or not
  /// by the rounding of a choice between equals.
  bool fails_by_part_of_step(double share) const {
    ProblemFunctions refined(to_toml(problem_.input), folder_,
                             {discrete, fmt::format("integrator.step={:.17g}", share * problem_.step)});
    return !refined.evaluate(refined.start(), false);
  }

  template <class Compared>
  void compare_with(const std::string& check, const Table& input, const FunctionValues& at,
                    const Units& units, const Compared& is_compared) {
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
    // A step that is far too long has several solutions, or none by parts of it.
    if (findings_.back().verdict == Verdict::differs && fails_by_part_of_step(0.25))
      findings_.back().verdict = Verdict::cannot_tell,
      findings_.back().detail += "; fails by quarters of the step";
    if (findings_.back().verdict == Verdict::differs) findings_.back().restated = text;
  }

  /// Returns whether a sixteenth of the step leaves next to nothing of a difference. Matrix R chooses its
  /// coordinates anew where an iterate makes them poor ones, which rounding and units may decide; each choice has an error of
  /// second order of its own.
  template <class Compared>
  bool falls_with_the_step(const std::string& text, const Units& units, const Compared& is_compared) const {
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

  static Index index_of(const FunctionInfo& info, const ProblemFunctions& functions) {
    const auto& names = functions.names();
    const auto found = std::find(names.begin(), names.end(), info.name);
    if (found == names.end()) throw std::logic_error("there is no function " + info.name);
    return static_cast<Index>(found - names.begin());
  }

  void compare_function(const FunctionInfo& info, const FunctionValues& at, const ProblemFunctions& restated,
                        const FunctionValues& other, const Units& units, Worst& worst) {
    const Index j = index_of(info, *functions_);
    const double value = at.values[j];
    const double again = other.values[index_of(info, restated)] / units.factor(info.dimension);
    const double off = std::abs(value - again);
    if (off <= 1e-6 * std::max(std::abs(value), std::abs(again)) + 1e-8 * info.typical) return;
    add_unless_noise(functions_->start(), at.values, j,
                     fmt::format("{}: {:.12g} becomes {:.12g}", info.name, value, again), worst);
  }

  /// The input without what belongs to other methods.
  static Table for_method(Table root, const std::string& method) {
    std::erase_if(sub_table(root, "integrator"), [&](const Entry& entry) {
      return entry.key == "recursion" || entry.key == "tolerance" ||
             (entry.key == "rho_inf" && method != "generalized-alpha");
    });
    return root;
  }

  /// Values with parts of the step of the input, a quarter, an eighth and a sixteenth if not given; nothing where one cannot be
  /// had.
  std::optional<std::vector<FunctionValues>> refined(const Formulation& formulation, std::string& why,
                                                     const std::vector<double>& shares = {0.25, 0.125,
                                                                                          0.0625}) const {
    std::vector<FunctionValues> out;
    for (const double share : shares) {
      std::vector<std::string> overrides = formulation.overrides();
      overrides.push_back(discrete);
      // After a jump of the forces' rate reactions ring with rho_inf^n, which with 0.95 outlasts these runs.
      if (formulation.method == "generalized-alpha") overrides.emplace_back("integrator.rho_inf=0.5");
      overrides.push_back(fmt::format("integrator.step={:.17g}", share * problem_.step));
      ProblemFunctions functions(to_toml(for_method(problem_.input, formulation.method)), folder_, overrides);
      auto at = functions.evaluate(functions.start(), false);
      if (!at) {
        why = functions.failure();
        return {};
      }
      out.push_back(std::move(*at));
    }
    return out;
  }

  /// Cables move in natural coordinates alone.
  std::vector<Formulation> compared_formulations() const {
    std::vector<Formulation> all =
        problem_.has("beams") ? formulations_of_beams() : formulations_of_rigid_bodies();
    if (problem_.has("beam=cable"))
      std::erase_if(all, [](const Formulation& f) { return f.name != "natural-coordinates"; });
    return all;
  }

  /// Returns whether two methods come closer to each other once steps are so short that they resolve what rho_inf = 0.5 damps at
  /// h/16, as vibrations along stiff cables.
  bool agree_by_short_steps(const Formulation& a, const Formulation& b) const {
    const std::vector<double> shares = {0.0625, 1.0 / 64.0, 1.0 / 256.0};
    std::string why;
    const auto by_a = refined(a, why, shares), by_b = refined(b, why, shares);
    return by_a && by_b && compare_all(b.name, *by_a, *by_b).verdict != Verdict::differs;
  }

  /// Three others against the first, of rigid bodies the floating frame by generalized-alpha: all of them over many problems.
  void examine_formulations() {
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
        worst.add(finding.verdict, finding.detail);
      } catch (const InputError& error) {
        worst.add(Verdict::cannot_tell, name + ": " + error.what());
      }
    }
    if (!is_compared) worst.add(Verdict::cannot_tell, "nothing is compared: " + why);
    findings_.push_back(worst.finding());
  }

  /// The worst of all functions.
  Finding compare_all(const std::string& name, const std::vector<FunctionValues>& own,
                      const std::vector<FunctionValues>& other) const {
    Worst worst("formulations");
    for (std::size_t j = 0; j < functions_->names().size(); ++j) compare_refined(name, j, own, other, worst);
    return worst.finding();
  }

  /// Differences of O(h^2), or less where time functions have kinks between two instants.
  void compare_refined(const std::string& name, std::size_t function, const std::vector<FunctionValues>& own,
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
    // Of first order, the error is as large as the last change: that of peaks of reactions after a start.
    const double of_steps =
        std::abs(own[1].values[j] - own[2].values[j]) + std::abs(other[1].values[j] - other[2].values[j]);
    const Verdict verdict =
        off[2] > 1e-2 * size && !falls && off[2] > 2.0 * of_steps ? Verdict::differs : Verdict::cannot_tell;
    worst.add(
        verdict,
        fmt::format("{}: {} is {:.9g}, there {:.9g}; differences at h/4, h/8, h/16 {:.2g}, {:.2g}, {:.2g}",
                    name, functions_->names()[function], own.back().values[j], other.back().values[j], off[0],
                    off[1], off[2]));
  }

  const RandomProblem& problem_;
  std::filesystem::path folder_;
  Random random_;
  std::unique_ptr<ProblemFunctions> functions_;
  std::vector<Finding> findings_;
};

}  // namespace

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
