#include "app/evaluation_chain.hpp"

#include <fmt/format.h>

#include "app/timer.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

EvaluationChain::EvaluationChain(const Problem& problem) : problem_(problem) {
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

std::unique_ptr<TimeIntegral<double>> EvaluationChain::objective(const ChainResult& at) const {
  auto psi = std::make_unique<TimeIntegral<double>>(*at.integrator);
  for (const ObjectiveTerm& term : problem_.objective) {
    psi->add(term.weight, std::make_shared<ComplianceIntegrand<double>>(*at.system, term.body));
  }
  return psi;
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
  out.psi = objective(out)->value(out.trajectory);
  out.times.simulation = timer.seconds();
  if (!std::isfinite(out.psi)) {
    return Failure{.what = "the objective is not a finite number",
                   .where = "simulation",
                   .advice = "reduce integrator.step"};
  }
  return {};
}

/// d psi / d (parameters of the mechanism) by the method of the problem.
VectorXd EvaluationChain::parameter_gradient(const ChainResult& at) const {
  const auto psi = objective(at);
  switch (problem_.sensitivity.method) {
    case SensitivityOptions::Method::direct:
      return direct_differentiation<double>(*at.integrator, at.trajectory, {psi.get()});
    case SensitivityOptions::Method::continuous_adjoint:
      return continuous_adjoint(*at.system, at.integrator->layout(), at.trajectory, {&psi->integrand()},
                                problem_.sensitivity.substeps);
    case SensitivityOptions::Method::discrete_adjoint:
      break;
  }
  return discrete_adjoint<double>(*at.integrator, at.trajectory, {psi.get()});
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at) const {
  const Timer timer;
  const VectorXd p_bar = parameter_gradient(at);
  std::vector<Sid> sid_bars;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    sid_bars.push_back(at.system->layout().sid_bar(i, at.system->spec(), p_bar));
  at.times.adjoint = timer.seconds();
  return sid_bars;
}

Status EvaluationChain::gradient(const BodyFields& densities, ChainResult& at, BodyFields& density_bar) {
  const std::vector<Sid> sid_bars = sid_adjoint(at);
  const Timer timer;
  density_bar.resize(bodies_.size());
  at.invariance_defect = 0.0, at.cg_iterations = 0, at.derivative_bytes = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    fem::PullbackReport report;
    if (problem_.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
      fem::SidDerivatives derivatives;
      if (Status s = bodies_[i]->derivatives(densities[i], at.reduced[i], derivatives, &report)) return s;
      density_bar[i] = derivatives.contract(sid_bars[i]);
      report.invariance_defect = bodies_[i]->invariance_defect(at.reduced[i], sid_bars[i]);
      at.derivative_bytes += derivatives.bytes_of_arrays();
    } else if (Status s =
                   bodies_[i]->pullback(densities[i], at.reduced[i], sid_bars[i], density_bar[i], &report)) {
      return s;
    }
    at.invariance_defect = std::max(at.invariance_defect, report.invariance_defect);
    at.cg_iterations += report.cg_iterations;
  }
  at.times.pullback = timer.seconds();
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
