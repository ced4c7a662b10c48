#include "app/design_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/command_context.hpp"
#include "evaluation/constraint_rows.hpp"
#include "optimizers/gradient_check.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

/// Names of what was checked.
struct CheckedNames {
  struct Function {
    std::string group;  ///< functions of one group stand next to each other, one line for the worst of them
    std::string name;
  };
  std::vector<Function> functions;
  std::function<std::string(Eigen::Index)> variable;
};

std::string word_of(Agreement verdict) {
  switch (verdict) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::cannot_tell:
      return "cannot tell";
    case Agreement::differs:
      break;
  }
  return "differs";
}

/// A differing row is worse than one that cannot be judged; then the larger error counts.
bool is_worse(const GradientCheckRow& a, const GradientCheckRow& b, const std::optional<double>& tolerance) {
  const Agreement of_a = verdict_of(a, tolerance), of_b = verdict_of(b, tolerance);
  return of_a != of_b ? of_a > of_b : a.relative_error > b.relative_error;
}

using Iterator = std::vector<GradientCheckRow>::const_iterator;

class CheckTable {
 public:
  CheckTable(const CheckedNames& names, const CommandLine& args) : names_(names), args_(args) {}

  /// All rows, as numbers.
  ReportTable all(const std::vector<GradientCheckRow>& rows) const {
    ReportTable table = empty();
    for (const GradientCheckRow& row : rows) add(row, label(row), "", table);
    return table;
  }

  /// By groups, one line per variable and direction: that of the worst function.
  ReportTable by_groups(const std::vector<GradientCheckRow>& rows) const {
    ReportTable table = empty();
    for (auto first = rows.begin(); first != rows.end();) {
      const std::string& group = function(*first).group;
      const auto last =
          std::find_if(first, rows.end(), [&](const auto& row) { return function(row).group != group; });
      table.rows.push_back({group, {}, {}, {}, {}, {}, {}});
      add_group(first, last, table);
      first = last;
    }
    return table;
  }

 private:
  static ReportTable empty() {
    return {{{"", "{}", "label", "", 24, true},
             {"adjoint", "{:.12e}", "adjoint", "", 19},
             {"differences", "{:.12e}", "difference", "", 19},
             {"rel. error", "{:.2e}", "relative_error", "", 11},
             {"uncertainty", "{:.2e}", "uncertainty"},
             {"verdict", "{}", "verdict", "", 0, true},
             {.key = "function"}},
            {}};
  }
  std::string label(const GradientCheckRow& row) const {
    return row.variable ? names_.variable(*row.variable) : row.label();
  }
  const CheckedNames::Function& function(const GradientCheckRow& row) const {
    return names_.functions[static_cast<std::size_t>(row.function)];
  }

  /// @param note  behind the verdict
  void add(const GradientCheckRow& row, const std::string& name, const std::string& note,
           ReportTable& table) const {
    table.rows.push_back({name, row.adjoint, row.difference, row.relative_error, row.uncertainty,
                          word_of(verdict_of(row, args_.tolerance)) + note, function(row).name});
  }

  void add_group(Iterator first, Iterator last, ReportTable& table) const {
    const Iterator end_of_function =
        std::find_if(first, last, [&](const auto& row) { return row.function != first->function; });
    const std::ptrdiff_t n_lines = end_of_function - first;
    for (std::ptrdiff_t line = 0; line < n_lines; ++line) {
      const GradientCheckRow* worst = &first[line];
      for (std::ptrdiff_t k = line + n_lines; k < last - first; k += n_lines)
        if (is_worse(first[k], *worst, args_.tolerance)) worst = &first[k];
      const bool alone = last - first == n_lines;
      add(*worst, "  " + label(*worst), alone ? "" : fmt::format(" ({})", function(*worst).name), table);
    }
  }

  const CheckedNames& names_;
  const CommandLine& args_;
};

const char* conclusion(Agreement overall) {
  switch (overall) {
    case Agreement::agrees:
      return "the gradient agrees with the differences";
    case Agreement::cannot_tell:
      return "the differences CANNOT TELL whether the gradient is right. In the rows with this verdict, the "
             "function is too noisy, has a kink or jumps";
    case Agreement::differs:
      break;
  }
  return "the gradient DIFFERS by more than the tolerance";
}

/// Prints the table, keeps all rows with their verdicts in the report, and returns the exit code: 0 if every row agrees, 1 if one
/// differs or cannot be judged.
/// @param rows  of check_gradients(), in its order
int report_gradient_check(const std::vector<GradientCheckRow>& rows, const CheckedNames& names,
                          const CommandLine& args, Report& report) {
  const CheckTable table(names, args);
  console_report(args).show(table.by_groups(rows));
  report["check"] = table.all(rows).numbers();
  const Agreement overall = overall_verdict(rows, args.tolerance);
  report["verdict"] = word_of(overall);
  report.say("largest relative error {:.2e}: {}", named("worst_relative_error", worst_relative_error(rows)),
             conclusion(overall));
  if (args.quiet && overall != Agreement::agrees) log_warning(conclusion(overall));
  return overall == Agreement::agrees ? 0 : 1;
}

/// psi, the functions of the motion that are bounded, and volume, mass, members and distortion where they are bounded, as
/// functions of the variables.
class DesignFunctions {
 public:
  DesignFunctions(EvaluationChain& chain, const DesignSpace& space)
      : chain_(chain),
        space_(space),
        with_members_(space.bodies_with_bounded_members()),
        distortions_(distortion_bounds(chain.problem())) {
    const ConstraintOptions& constraints = chain.problem().constraints;
    const auto add = [&](const std::string& name) { names_.push_back({name, name}); };
    add("psi");
    for (std::size_t j = 0; j < chain.requested().functions.size(); ++j)
      names_.push_back({chain.function(j).name, chain.function(j).label()});
    n_of_motion_ = static_cast<Eigen::Index>(names_.size());
    if (constraints.volume_fraction) add("volume_fraction");
    if (constraints.mass) add("mass");
    for (const std::size_t body : with_members_) add(name_of_member_bound(chain.problem().bodies[body]));
    for (const DistortionBound& of : distortions_) add(of.name);
  }

  /// Functions of one constraint are a group.
  const std::vector<CheckedNames::Function>& names() const { return names_; }

  std::optional<VectorXd> values(const VectorXd& x) const {
    const Design design = space_.at(x);
    ChainResult result;
    if (chain_.reduce(design, result).failed()) return {};
    if (chain_.simulate(result).failed()) return {};
    VectorXd values(static_cast<Eigen::Index>(names_.size()));
    values[0] = result.psi;
    values.segment(1, n_of_motion_ - 1) = result.criteria;
    Eigen::Index next = n_of_motion_;
    const ConstraintOptions& constraints = chain_.problem().constraints;
    if (constraints.volume_fraction) values[next++] = space_.volume_fraction(design);
    if (constraints.mass) values[next++] = space_.mass(design);
    for (const std::size_t body : with_members_) values[next++] = space_.excess_of_members(design, body);
    for (const DistortionBound& of : distortions_) values[next++] = space_.distortion(design, of.body);
    return values;
  }

  MatrixXd gradients(const VectorXd& x, const std::vector<Design>& bars) const {
    MatrixXd gradients(x.size(), static_cast<Eigen::Index>(names_.size()));
    for (Eigen::Index j = 0; j < n_of_motion_; ++j)
      gradients.col(j) = space_.pullback(x, bars[static_cast<std::size_t>(j)]);
    Eigen::Index next = n_of_motion_;
    const Design design = space_.at(x);
    const ConstraintOptions& constraints = chain_.problem().constraints;
    if (constraints.volume_fraction)
      gradients.col(next++) = space_.pullback(x, space_.volume_fraction_bar(design));
    if (constraints.mass) gradients.col(next++) = space_.pullback(x, space_.mass_bar(design));
    for (const std::size_t body : with_members_)
      gradients.col(next++) = space_.pullback(x, space_.excess_of_members_bar(design, body));
    for (const DistortionBound& of : distortions_)
      gradients.col(next++) = space_.pullback(x, space_.distortion_bar(design, of.body));
    return gradients;
  }

 private:
  EvaluationChain& chain_;
  const DesignSpace& space_;
  std::vector<std::size_t> with_members_;  ///< bodies whose members are bounded
  std::vector<DistortionBound> distortions_;
  std::vector<CheckedNames::Function> names_;
  Eigen::Index n_of_motion_;
};

/// The law of the mass has a kink at simp.threshold: which densities are below it. A straight line of
/// variables lets each density rise or fall all along, so that its end tells of the whole line.
std::vector<bool> below_threshold(const EvaluationChain& chain, const BodyFields& densities) {
  std::vector<bool> below;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (!chain.body(i)) continue;
    for (const double p : densities[i]) below.push_back(p < chain.body(i)->spec().simp.threshold);
  }
  return below;
}

}  // namespace

int check_design_gradients(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                           const std::vector<Design>& bars, const CommandLine& args, Report& report) {
  const DesignFunctions functions(chain, space);
  GradientCheckOptions options;
  options.n_elements = args.check;
  options.seed = args.seed;
  // psi carries the rounding errors of the finite-element solution, some 1e-10 of it on fine meshes: large
  // steps first, and extrapolation for their truncation error; smaller ones only for what these do not tell.
  // No round number, for a function may take another branch where inputs are not round.
  options.largest_step = 0.0954, options.step_ratio = 2.0, options.n_steps = 10, options.sufficient = 1e-7;
  // Bounds may span decades, of which the largest steps know nothing.
  options.n_sweeps = 3, options.n_noise_samples = 3;
  const std::vector<bool> below = below_threshold(chain, space.densities(x));
  options.is_smooth_up_to = [&](const VectorXd& to) {
    return below_threshold(chain, space.densities(to)) == below;
  };
  for (const auto& [name, place] : space.variables().scalars())
    options.always.push_back(space.n_densities() + place);
  const auto rows = check_gradients([&](const VectorXd& at) { return functions.values(at); }, x,
                                    functions.gradients(x, bars), space.lower(), space.upper(), options);
  CheckedNames names;
  names.functions = functions.names();
  names.variable = [&](Eigen::Index variable) { return space.name_of(variable); };
  return report_gradient_check(rows, names, args, report);
}

}  // namespace kurbel
