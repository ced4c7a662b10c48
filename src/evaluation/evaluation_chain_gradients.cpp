/// Gradients of what the chain evaluates: back from the motion, or from the answer of a question, to the design.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/timer.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

namespace {

/// U^T U_bar relative to its terms, or, where these are nothing beside the value of the function, to what
/// would be noticed of it: a function that does not depend on a body has terms of rounding errors alone.
double noticeable_defect(const fem::PullbackReport& report, double value) {
  constexpr double noticed = 1e-9;
  const double least = noticed * std::abs(value);
  return report.invariance_defect * std::min(1.0, report.invariance_terms / std::max(least, 1e-300));
}

/// Empty in formulations without SIDs.
Sid sid_bar(const Motion& motion, std::size_t body, const DesignDirections& directions,
            const VectorXd& along) {
  if (directions.of_sid.empty()) return {};
  const DesignDirections::Range& range = directions.of_sid[body];
  return motion.sid_bar(body, along.segment(range.first, range.size));
}

}  // namespace

/// Sensitivities by the stresses of one body, as far as a function sees them.
std::vector<fem::StressBar> EvaluationChain::stress_bars(std::size_t i, const ChainResult& at,
                                                         const std::vector<MatrixXd>& of_sets) const {
  std::vector<fem::StressBar> bars;
  for (std::size_t set = 0; set < of_sets.size(); ++set) {
    if (stress_sets_->body(set) == i && of_sets[set].size() > 0)
      bars.push_back({stress_sets_->points(set), *at.stress[set], of_sets[set]});
  }
  return bars;
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at) const {
  return sid_adjoint(at, problem_.sensitivity.method);
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at, SensitivityOptions::Method method) const {
  const Timer timer;
  const DesignDirections directions = at.motion->directions(std::vector<bool>(bodies_.size(), true));
  const VectorXd along =
      at.motion->gradients(at.trajectory, requested(false), method, directions.p_dot).along;
  std::vector<Sid> bars;
  for (std::size_t i = 0; i < bodies_.size(); ++i) bars.push_back(sid_bar(*at.motion, i, directions, along));
  at.times.adjoint = timer.seconds();
  return bars;
}

Status EvaluationChain::gradient(ChainResult& at, Design& bar) {
  std::vector<Design> bars;
  if (Status s = gradients(at, false, problem_.sensitivity.method, bars); s.failed()) return s;
  bar = std::move(bars.front());
  return {};
}

Status EvaluationChain::gradients(ChainResult& at, std::vector<Design>& bars) {
  return gradients(at, true, problem_.sensitivity.method, bars);
}

Status EvaluationChain::gradients(ChainResult& at, bool with_constraints, SensitivityOptions::Method method,
                                  std::vector<Design>& bars) {
  if (!has_motion()) return gradients_of_answer(at, with_constraints, bars);
  const Timer timer;
  const DesignDirections directions = at.motion->directions(varied_);
  if (method == SensitivityOptions::Method::finite_differences) {
    if (Status s = differences(at, with_constraints, bars); s.failed()) return s;
    at.times.adjoint = timer.seconds();
    return check_gradients(at, with_constraints, bars);
  }
  if (Status s = at.motion->require_smooth(at.trajectory, requested(with_constraints)); s.failed()) return s;
  const DirectionalDerivatives of_functions =
      at.motion->gradients(at.trajectory, requested(with_constraints), method, directions.p_dot);
  at.times.adjoint = timer.seconds();
  if (Status s = pullback(directions, of_functions, at, bars); s.failed()) return s;
  return check_gradients(at, with_constraints, bars);
}

Status EvaluationChain::output_gradients(ChainResult& at, const OutputSeeds& seeds,
                                         std::vector<Design>& bars) {
  if (!has_motion() || is_about_rest(problem_.analysis))
    throw InputError("bodies and mechanisms at rest have no outputs over time");
  if (problem_.integrator.dense_output) {
    throw problem_.error(
        "integrator.dense_output",
        "= true has no steps from instant to instant, which derivatives of outputs need; set it to false");
  }
  const Timer timer;
  const DesignDirections directions = at.motion->directions(varied_);
  const DirectionalDerivatives derivatives =
      at.motion->output_gradients(at.trajectory, seeds, directions.p_dot);
  at.times.adjoint = timer.seconds();
  if (Status s = pullback(directions, derivatives, at, bars); s.failed()) return s;
  if (const auto number = number_not_finite(bars.front())) {
    return Failure{.what = "the derivative of a function of the outputs is not a finite number",
                   .where = *number,
                   .advice = "check the numbers of the input for extreme values, or reduce integrator.step"};
  }
  return {};
}

Status EvaluationChain::pullback(const DesignDirections& directions,
                                 const DirectionalDerivatives& of_functions, ChainResult& at,
                                 std::vector<Design>& bars) {
  const Timer timer;
  bars.assign(static_cast<std::size_t>(of_functions.along.cols()),
              {std::vector<fem::BodyDesign>(bodies_.size()), VectorXd(at.design.system.size())});
  at.invariance_defect = 0.0, at.cg_iterations = 0, at.derivative_bytes = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!varied_[i]) continue;
    if (Status s = pullback(i, directions, of_functions, at, bars); s.failed()) return s;
  }
  for (std::size_t j = 0; j < bars.size(); ++j)
    bars[j].system = of_functions.along.col(static_cast<Eigen::Index>(j)).head(directions.n_numbers);
  at.times.pullback = timer.seconds();
  return {};
}

Status EvaluationChain::gradients_of_answer(ChainResult& at, bool with_constraints,
                                            std::vector<Design>& bars) {
  const Timer timer;
  std::vector<std::vector<fem::BodyDesign>> of_bodies;
  if (Status s = at.answer->gradients(requested(with_constraints), of_bodies); s.failed()) return s;
  bars.clear();
  for (std::vector<fem::BodyDesign>& own : of_bodies)
    bars.push_back({std::move(own), VectorXd::Zero(at.design.system.size())});
  at.times.adjoint = timer.seconds(), at.times.pullback = 0.0;
  return check_gradients(at, with_constraints, bars);
}

SensitivityOptions::Method EvaluationChain::method(const ChainResult& at) const {
  if (!has_motion()) return problem_.sensitivity.method;
  return at.motion->resolve(problem_.sensitivity.method, at.trajectory, requested_,
                            at.motion->directions(varied_).p_dot.cols());
}

/// A failure that names the first function and number whose derivative is not finite.
Status EvaluationChain::check_gradients(ChainResult& at, bool with_constraints,
                                        const std::vector<Design>& bars) const {
  for (std::size_t j = 0; j < bars.size(); ++j) {
    const std::optional<std::string> number = number_not_finite(bars[j]);
    if (!number) continue;
    const RequestedFunctions failed = requested(with_constraints);
    return Failure{.what = fmt::format("the derivative of {} is not a finite number",
                                       j == 0 ? "psi" : functions()[failed.functions[j - 1]].label()),
                   .where = *number,
                   .advice = problem_.analysis == Analysis::motion
                                 ? "check the numbers of the input for extreme values, or reduce "
                                   "integrator.step"
                                 : "check the numbers of the input for extreme values",
                   .time = has_motion() ? at.motion->adjoint_not_finite(at.trajectory, failed)
                                        : std::numeric_limits<double>::quiet_NaN()};
  }
  return {};
}

std::optional<std::string> EvaluationChain::number_not_finite(const Design& bar) const {
  for (std::size_t i = 0; i < bar.bodies.size(); ++i) {
    const fem::BodyDesign& of_body = bar.bodies[i];
    for (const VectorXd* part : {&of_body.density, &of_body.youngs_modulus, &of_body.solid_density,
                                 &of_body.thickness, &of_body.offsets}) {
      if (!part->allFinite()) return "body " + problem_.bodies[i].name;
    }
    if (!of_body.size.allFinite()) return "body " + problem_.bodies[i].name;
  }
  Eigen::Index number = 0;
  for (const DesignVariable& variable : problem_.design.variables) {
    if (std::holds_alternative<ElementQuantity>(variable.quantity)) continue;
    if (!std::isfinite(bar.system[number++])) return variable.name;
  }
  return {};
}

/// A step of about the third root of the rounding unit balances truncation and rounding. What is zero counts
/// as of order one, nodes of controls at least.
Status EvaluationChain::differences(const ChainResult& at, bool with_constraints, std::vector<Design>& bars) {
  constexpr double relative_step = 2e-5;
  const std::size_t n = with_constraints ? 1 + requested_.functions.size() : 1;
  bars.assign(n, {std::vector<fem::BodyDesign>(bodies_.size()), VectorXd::Zero(at.design.system.size())});
  ChainResult shifted;
  shifted.design = at.design, shifted.reduced = at.reduced, shifted.stress = at.stress;
  for (Eigen::Index k = 0; k < at.design.system.size(); ++k) {
    const double size = std::abs(at.design.system[k]);
    const bool at_least_one = size == 0.0 || is_control_node(problem_.design.variables[k]);
    const double step = relative_step * (at_least_one ? std::max(1.0, size) : size);
    for (const double side : {1.0, -1.0}) {
      shifted.design.system[k] = at.design.system[k] + side * step;
      if (Status s = simulate(shifted); s.failed()) return s;
      bars[0].system[k] += side / (2.0 * step) * shifted.psi;
      for (std::size_t j = 1; j < n; ++j)
        bars[j].system[k] += side / (2.0 * step) * shifted.criteria[static_cast<Eigen::Index>(j) - 1];
    }
    shifted.design.system[k] = at.design.system[k];
  }
  return {};
}

/// One body, all functions by the arrays of derivatives of its coefficients.
Status EvaluationChain::contract(std::size_t i, const std::vector<fem::FunctionBar>& functions,
                                 ChainResult& at, std::vector<fem::BodyDesign>& of_body,
                                 std::vector<fem::PullbackReport>& reports) {
  fem::SidDerivatives derivatives;
  fem::PullbackReport report;
  if (Status s = bodies_[i]->derivatives(at.design.bodies[i].density, at.reduced[i], derivatives, &report);
      s.failed())
    return s;
  at.derivative_bytes += derivatives.bytes_of_arrays();
  for (const fem::FunctionBar& function : functions) {
    of_body.emplace_back();
    of_body.back().density = derivatives.contract(function.sid);
    const fem::Invariance invariance = bodies_[i]->invariance(at.reduced[i], function.sid);
    report.invariance_defect = invariance.defect, report.invariance_terms = invariance.terms;
    reports.push_back(report);
  }
  return {};
}

/// One body, all functions; adds to the numbers that `at` keeps of it.
Status EvaluationChain::pullback(std::size_t i, const DesignDirections& directions,
                                 const DirectionalDerivatives& of_functions, ChainResult& at,
                                 std::vector<Design>& bars) {
  std::vector<fem::FunctionBar> functions;
  for (std::size_t j = 0; j < bars.size(); ++j) {
    functions.push_back(
        {sid_bar(*at.motion, i, directions, of_functions.along.col(static_cast<Eigen::Index>(j))),
         stress_bars(i, at, of_functions.stress[j])});
  }
  std::vector<fem::BodyDesign> of_body;
  std::vector<fem::PullbackReport> reports;
  using Wanted = fem::FlexibleBody::Wanted;
  const Wanted wanted = only_densities_[i] ? Wanted::densities : Wanted::all;
  const Status status =
      problem_.sensitivity.path == SensitivityOptions::Path::augmented_sid
          ? contract(i, functions, at, of_body, reports)
          : bodies_[i]->pullback(at.design.bodies[i], at.reduced[i], functions, wanted, of_body, reports);
  if (status.failed()) return status;
  at.cg_iterations += reports.front().cg_iterations;
  for (std::size_t j = 0; j < bars.size(); ++j) {
    if (only_densities_[i]) {
      bars[j].bodies[i].density = std::move(of_body[j].density);
    } else {
      bars[j].bodies[i] = std::move(of_body[j]);
    }
    const double value = j == 0 ? at.psi : at.criteria[static_cast<Eigen::Index>(j) - 1];
    at.invariance_defect = std::max(at.invariance_defect, noticeable_defect(reports[j], value));
  }
  return {};
}

}  // namespace kurbel
