#include "app/convergence_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "app/command_context.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/results.hpp"

namespace kurbel {

using Eigen::Index;

namespace {

/// The numbers of one simulation, or why it failed.
struct Evaluated {
  std::vector<ConvergingQuantity> quantities{};
  std::vector<double> values{};
  std::string failure{};
};

bool has_functions(const Problem& problem) {
  return !problem.objective.empty() || !problem.constraints.criteria.empty();
}

Evaluated evaluate(Study& study, const Design& design) {
  EvaluationChain& chain = study.chain();
  ChainResult result;
  Status status = chain.reduce(design, result);
  if (!status.failed()) status = chain.simulate(result);
  Evaluated found;
  if (status.failed()) {
    found.failure = status.message();
    return found;
  }
  const auto add = [&](const std::string& name, const std::string& unit, double value) {
    found.quantities.push_back({name, unit});
    found.values.push_back(value);
  };
  if (!has_functions(study.problem())) {
    for (const auto& [name, value] : summary_of(result).numbers) add(name, "", value);
    return found;
  }
  for (const CriterionRow& row : criterion_rows(chain, study.space(), design, values_of_all(chain, result))) {
    if (row.name == "volume_fraction") continue;
    add(row.name, row.unit, row.value);
    if (row.peak) add(row.name + " (true peak)", row.unit, *row.peak);
  }
  return found;
}

/// Edge of an element relative to that of another mesh, by their numbers, as if they were refined uniformly; beams have
/// theirs refined by the factor.
double relative_size(const FlexibleBodies& coarse, const FlexibleBodies& fine, double factor) {
  double n_coarse = 0.0, n_fine = 0.0, dim = 0.0;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    if (!coarse[i]) continue;
    n_coarse += static_cast<double>(coarse[i]->n_elements()),
        n_fine += static_cast<double>(fine[i]->n_elements());
    dim = std::max(dim, static_cast<double>(coarse[i]->mesh().dim()));
  }
  return n_coarse > 0.0 ? std::pow(n_coarse / n_fine, 1.0 / dim) : 1.0 / factor;
}

std::string elements_of(const FlexibleBodies& bodies) {
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i]) numbers.push_back(bodies[i]->n_elements());
  }
  return numbers.empty() ? "" : fmt::format("{} elements", fmt::join(numbers, " + "));
}

std::optional<double> order_of(const IntegratorOptions& integrator) {
  if (integrator.method == IntegratorMethod::variational_midpoint && integrator.alpha != 0.5) return 1.0;
  const int order = traits_of(integrator.method).order;
  return order > 0 ? std::optional<double>(order) : std::nullopt;
}

std::vector<std::string> names_of(const Evaluated& found) {
  std::vector<std::string> names;
  for (const ConvergingQuantity& quantity : found.quantities) names.push_back(quantity.name);
  return names;
}

class Refiner {
 public:
  Refiner(const CommandLine& args, const std::function<void(const std::string&)>& tell)
      : args_(args), tell_(tell), file_(evaluation_study(read_problem(read_document(args)), args)) {
    file_.set_threads(args.threads);
    if (!has_functions(problem()) && problem().analysis == Analysis::motion)
      throw problem().error("objective",
                            "is missing, and there are no constraints. State an objective or a constraint");
    design_ = file_.space().at(file_.space().start());
  }

  const Problem& problem() const { return file_.problem(); }
  const Evaluated& at_file() { return at_file_ = evaluate(file_, design_); }

  /// Three meshes, or those of --mesh. In three dimensions a mesh of half the edge has eight times the elements.
  ConvergenceAxis mesh() {
    constexpr double order_of_energy = 2.0;  // of elements with linear displacements
    ConvergenceAxis axis{.name = "mesh", .best_order = order_of_energy};
    bool is_solid = false;
    for (const ProblemBody& body : problem().bodies)
      is_solid |= body.type == ProblemBody::Type::flexible && body.flexible.mesh.dim == 3;
    std::vector<double> factors = args_.mesh_factors;
    if (factors.empty()) factors = is_solid ? std::vector{1.5, 2.0} : std::vector{2.0, 3.0};
    const auto refinement = [&](double factor) { return finer_meshes(problem(), factor); };
    vary(axis, factors, refinement, "nothing has a mesh that can become finer");
    return axis;
  }

  ConvergenceAxis modes() {
    ConvergenceAxis axis{.name = "modes"};
    if (!is_of_mechanism(problem().analysis)) {
      axis.left_out = "a body at rest has all of its degrees of freedom";
      return axis;
    }
    const auto refinement = [&](double factor) { return more_modes(problem(), factor); };
    vary(axis, {2.0, 3.0}, refinement, "no body has normal modes by number or frequency");
    return axis;
  }

  ConvergenceAxis step() {
    const std::optional<double> order = order_of(problem().integrator);
    ConvergenceAxis axis{.name = order ? "step" : "tolerance", .best_order = order.value_or(0.0)};
    if (problem().analysis != Analysis::motion) {
      axis.left_out = "nothing moves";
    } else if (order) {
      const auto refinement = [&](double factor) {
        return shorter_steps(problem(), static_cast<int>(std::lround(factor)));
      };
      vary(axis, {2.0, 4.0}, refinement, "there are no steps");
    } else {
      const auto refinement = [&](double factor) {
        return Refinement{
            {fmt::format("integrator.tolerance={:.17g}", problem().integrator.tolerance / factor)}, {}};
      };
      vary(axis, {10.0, 100.0}, refinement, "");
    }
    return axis;
  }

 private:
  bool is_of_file() const { return !args_.density.empty() || !problem().design.start_file.empty(); }

  /// On a finer mesh, densities of a file are those of the elements of its mesh.
  Evaluated evaluate_refined(const ConvergenceAxis& axis, const std::vector<std::string>& overrides,
                             ConvergenceAxis::Level& level) {
    CommandLine args = args_;
    args.overrides.insert(args.overrides.end(), overrides.begin(), overrides.end());
    const bool is_mesh = axis.name == "mesh";
    if (is_mesh && is_of_file()) args.density.clear(), args.overrides.emplace_back("design.start=1.0");
    Study study(read_problem(read_document(args)), Study::Variables::to_evaluate, args.density);
    study.set_threads(args.threads);
    Design design = study.space().at(study.space().start());
    if (is_mesh && is_of_file()) {
      const BodyFields densities =
          fields_on_meshes(file_.chain().bodies(), design_.densities(), study.chain().bodies());
      for (std::size_t i = 0; i < densities.size(); ++i) design.bodies[i].density = densities[i];
      design.system = design_.system;
    }
    if (is_mesh) {
      level.size = relative_size(file_.chain().bodies(), study.chain().bodies(), level.factor);
      level.description = elements_of(study.chain().bodies());
    }
    tell_(fmt::format("{}: level {:g}{}{}", axis.name, level.factor, level.description.empty() ? "" : ", ",
                      level.description));
    return evaluate(study, design);
  }

  template <class Refine>
  void vary(ConvergenceAxis& axis, const std::vector<double>& factors, const Refine& refine,
            const char* nothing) {
    axis.levels.push_back({1.0, 1.0});
    if (axis.name == "mesh") axis.levels.back().description = elements_of(file_.chain().bodies());
    for (const double factor : factors) {
      const Refinement refinement = refine(factor);
      axis.notes = refinement.coarse;
      if (refinement.overrides.empty()) {
        axis.is_unknown = !axis.notes.empty();
        axis.left_out = axis.notes.empty() ? nothing : fmt::format("{}", fmt::join(axis.notes, "; "));
        return;
      }
      ConvergenceAxis::Level level{factor, 1.0 / factor};
      try {
        const Evaluated found = evaluate_refined(axis, refinement.overrides, level);
        axis.left_out = found.failure;
        if (found.failure.empty() && names_of(found) != names_of(at_file_))
          axis.left_out = fmt::format("level {:g} has other quantities than the file", factor);
        level.values = Eigen::Map<const VectorXd>(found.values.data(), std::ssize(found.values));
      } catch (const InputError& error) {
        axis.left_out = error.what();
      } catch (const std::bad_alloc&) {
        axis.left_out = fmt::format("level {:g} does not fit into memory", factor);
      }
      if (axis.left_out.empty() && !(level.size < axis.levels.back().size))
        axis.left_out =
            fmt::format("level {:g} has no finer mesh than the level before; take larger factors", factor);
      if (!axis.left_out.empty()) {
        axis.is_unknown = true;
        return;
      }
      axis.levels.push_back(std::move(level));
    }
  }

  const CommandLine& args_;
  const std::function<void(const std::string&)>& tell_;
  Study file_;
  Design design_;
  Evaluated at_file_;
};

void estimate(ConvergenceAxis& axis, const VectorXd& of_file) {
  if (!axis.left_out.empty()) return;
  axis.levels.front().values = of_file;
  const auto n = std::ssize(axis.levels);
  VectorXd h(n), f(n);
  for (Index quantity = 0; quantity < of_file.size(); ++quantity) {
    for (Index i = 0; i < n; ++i) {
      const ConvergenceAxis::Level& level = axis.levels[static_cast<std::size_t>(i)];
      h[i] = level.size, f[i] = level.values[quantity];
    }
    axis.estimates.push_back(axis.best_order > 0.0 ? estimate_convergence(h, f, axis.best_order)
                                                   : estimate_truncation(f));
  }
}

}  // namespace

VectorXd ConvergenceStudy::errors() const {
  VectorXd sum = VectorXd::Zero(values.size());
  for (const ConvergenceAxis& axis : axes) {
    if (axis.is_unknown) sum.setConstant(std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < axis.estimates.size(); ++i)
      sum[static_cast<Index>(i)] += axis.estimates[i].error;
  }
  return sum;
}

Status study_convergence(const CommandLine& args, const std::function<void(const std::string&)>& tell,
                         ConvergenceStudy& out) {
  Refiner refiner(args, tell);
  tell("the discretization of the file");
  const Evaluated& at_file = refiner.at_file();
  if (!at_file.failure.empty()) return Failure{.what = at_file.failure};
  out.quantities = at_file.quantities;
  out.values = Eigen::Map<const VectorXd>(at_file.values.data(), std::ssize(at_file.values));
  out.axes = {refiner.mesh(), refiner.modes(), refiner.step()};
  for (ConvergenceAxis& axis : out.axes) estimate(axis, out.values);
  return {};
}

}  // namespace kurbel
