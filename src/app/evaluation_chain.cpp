#include "app/evaluation_chain.hpp"

#include <fmt/format.h>

#include "app/timer.hpp"
#include "multibody/rigid_twin.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

EvaluationChain::EvaluationChain(const Problem& problem) : problem_(problem), objective_(problem.objective) {
  for (const CriterionConstraint& constraint : problem.constraints.criteria)
    constrained_.push_back(constraint.terms);
  for (const ProblemBody& body : problem.bodies) {
    bodies_.push_back(body.type == ProblemBody::Type::flexible
                          ? std::make_unique<fem::FlexibleBody>(body.flexible)
                          : nullptr);
  }
}

Status EvaluationChain::reduce(const BodyFields& densities, ChainResult& out) {
  const Timer timer;
  out.reduced.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    if (Status s = bodies_[i]->reduce(densities[i], out.reduced[i])) return s;
  }
  out.times.reduction = timer.seconds();
  return {};
}

Criterion<double> EvaluationChain::criterion(const ChainResult& at,
                                             const std::vector<CriterionTerm>& terms) const {
  return Criterion<double>(*at.integrator, *at.system, terms);
}

/// Once, for the rigid twin does not depend on the design.
Status EvaluationChain::find_rigid_targets(const SystemSpec& spec) {
  if (rigid_targets_known_) return {};
  std::vector<CriterionTerm*> terms;
  for (CriterionTerm& term : objective_) terms.push_back(&term);
  for (std::vector<CriterionTerm>& criterion : constrained_) {
    for (CriterionTerm& term : criterion) terms.push_back(&term);
  }
  if (Status s = set_rigid_targets(spec, problem_.integrator, terms)) return s;
  rigid_targets_known_ = true;
  return {};
}

Status EvaluationChain::simulate(ChainResult& out) {
  const Timer timer;
  SystemSpec spec = problem_.system;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i]) spec.bodies[i].sid = out.reduced[i].sid;
  }
  out.system = std::make_unique<MultibodySystem<double>>(spec);
  out.integrator = std::make_unique<GeneralizedAlpha<double>>(*out.system, problem_.integrator);
  if (Status s = kurbel::simulate<double>(*out.integrator, out.trajectory)) return s;
  if (Status s = find_rigid_targets(spec)) return s;
  out.psi = criterion(out, objective_).value(out.trajectory);
  out.criteria.resize(static_cast<Eigen::Index>(constrained_.size()));
  for (std::size_t i = 0; i < constrained_.size(); ++i)
    out.criteria[static_cast<Eigen::Index>(i)] = criterion(out, constrained_[i]).value(out.trajectory);
  out.times.simulation = timer.seconds();
  if (!std::isfinite(out.psi) || !out.criteria.allFinite()) {
    return Failure{.what = "the objective or a criterion is not a finite number",
                   .where = "simulation",
                   .advice = "reduce integrator.step"};
  }
  return {};
}

/// d psi / d (parameters of the mechanism) by the method of the problem: of the objective, and then of the
/// criteria of [constraints].
MatrixXd EvaluationChain::parameter_gradients(const ChainResult& at, bool with_constraints) const {
  std::vector<LinearizedCriterion> functions;
  functions.emplace_back(criterion(at, objective_), at.trajectory);
  if (with_constraints) {
    for (const std::vector<CriterionTerm>& terms : constrained_)
      functions.emplace_back(criterion(at, terms), at.trajectory);
  }
  std::vector<const Objective<double>*> objectives;
  std::vector<const Integrand<double>*> integrands;
  for (const LinearizedCriterion& function : functions) {
    objectives.push_back(&function);
    integrands.push_back(&function.integrand());
  }
  switch (problem_.sensitivity.method) {
    case SensitivityOptions::Method::direct:
      return direct_differentiation<double>(*at.integrator, at.trajectory, objectives);
    case SensitivityOptions::Method::continuous_adjoint:
      return continuous_adjoint(*at.system, at.integrator->layout(), at.trajectory, integrands,
                                problem_.sensitivity.substeps);
    case SensitivityOptions::Method::discrete_adjoint:
      break;
  }
  return discrete_adjoint<double>(*at.integrator, at.trajectory, objectives);
}

/// By function, and then by body.
std::vector<std::vector<Sid>> EvaluationChain::sid_adjoints(ChainResult& at, bool with_constraints) const {
  const Timer timer;
  const MatrixXd p_bars = parameter_gradients(at, with_constraints);
  std::vector<std::vector<Sid>> sid_bars(static_cast<std::size_t>(p_bars.cols()));
  for (std::size_t j = 0; j < sid_bars.size(); ++j) {
    const VectorXd p_bar = p_bars.col(static_cast<Eigen::Index>(j));
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      sid_bars[j].push_back(at.system->layout().sid_bar(i, at.system->spec(), p_bar));
  }
  at.times.adjoint = timer.seconds();
  return sid_bars;
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at) const {
  return sid_adjoints(at, false).front();
}

Status EvaluationChain::gradient(const BodyFields& densities, ChainResult& at, BodyFields& density_bar) {
  std::vector<BodyFields> density_bars;
  if (Status s = gradients(densities, at, false, density_bars)) return s;
  density_bar = std::move(density_bars.front());
  return {};
}

Status EvaluationChain::gradients(const BodyFields& densities, ChainResult& at,
                                  std::vector<BodyFields>& density_bars) {
  return gradients(densities, at, true, density_bars);
}

Status EvaluationChain::gradients(const BodyFields& densities, ChainResult& at, bool with_constraints,
                                  std::vector<BodyFields>& density_bars) {
  const std::vector<std::vector<Sid>> sid_bars = sid_adjoints(at, with_constraints);
  const Timer timer;
  density_bars.assign(sid_bars.size(), BodyFields(bodies_.size()));
  at.invariance_defect = 0.0, at.cg_iterations = 0, at.derivative_bytes = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    if (Status s = pullback(i, densities[i], sid_bars, at, density_bars)) return s;
  }
  at.times.pullback = timer.seconds();
  return {};
}

/// One body, all functions; adds to the numbers that `at` keeps of it.
Status EvaluationChain::pullback(std::size_t i, const VectorXd& density,
                                 const std::vector<std::vector<Sid>>& sid_bars, ChainResult& at,
                                 std::vector<BodyFields>& density_bars) {
  const bool by_arrays = problem_.sensitivity.path == SensitivityOptions::Path::augmented_sid;
  fem::SidDerivatives derivatives;
  if (by_arrays) {
    fem::PullbackReport report;
    if (Status s = bodies_[i]->derivatives(density, at.reduced[i], derivatives, &report)) return s;
    at.cg_iterations += report.cg_iterations;
    at.derivative_bytes += derivatives.bytes_of_arrays();
  }
  for (std::size_t j = 0; j < sid_bars.size(); ++j) {
    const Sid& sid_bar = sid_bars[j][i];
    fem::PullbackReport report;
    if (by_arrays) {
      density_bars[j][i] = derivatives.contract(sid_bar);
      report.invariance_defect = bodies_[i]->invariance_defect(at.reduced[i], sid_bar);
    } else if (Status s =
                   bodies_[i]->pullback(density, at.reduced[i], sid_bar, density_bars[j][i], &report)) {
      return s;
    }
    at.invariance_defect = std::max(at.invariance_defect, report.invariance_defect);
    at.cg_iterations += report.cg_iterations;
  }
  return {};
}

SimulationReport EvaluationChain::report(const ChainResult& result) const {
  const MultibodySystem<double>& system = *result.system;
  SimulationReport report;
  const Eigen::Index n = result.trajectory.n_stored;
  if (n > 1)
    report.newton_iterations_per_step = double(result.integrator->newton_iterations()) / double(n - 1);
  const auto ws = system.make_workspace();
  ConstraintDerivatives<double> constraints;
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at =
        result.integrator->layout().instant<double>(result.trajectory.t[k], result.trajectory.y.col(k));
    system.constraint_derivatives(at, *ws, constraints);
    if (system.n_c() == 0) break;
    report.position_defect = std::max(report.position_defect, constraints.c0.cwiseAbs().maxCoeff());
    report.velocity_drift = std::max(report.velocity_drift, constraints.c1.cwiseAbs().maxCoeff());
  }
  return report;
}

}  // namespace kurbel
