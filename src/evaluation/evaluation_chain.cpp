#include "evaluation/evaluation_chain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/timer.hpp"
#include "evaluation/design_space.hpp"
#include "floating_frame/deformation.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "integration/dependent_constraints.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

namespace {

/// Varied inertias may leave what a body can have.
Status check_inertia(const std::vector<SystemQuantity>& varied, const SystemSpec& spec) {
  for (const SystemQuantity& quantity : varied) {
    if (quantity.kind != SystemQuantity::Kind::inertia) continue;
    const BodySpec& body = spec.bodies[quantity.owner];
    if (rigid_body_of(body.sid).inertia.llt().info() == Eigen::Success) continue;
    return Failure{.what = "the inertia about the centre of mass is not positive definite",
                   .where = "body " + body.name,
                   .advice = "narrow the bounds of the variables that change its inertia"};
  }
  return {};
}

/// An equilibrium in which a body deforms by more than small displacements describe is none of the mechanism.
Status check_equilibrium(const ChainResult& at) {
  if (at.system->spec().initial_equilibrium == InitialEquilibrium::none) return {};
  constexpr double meaningless = 0.5;
  for (const Deformation& start :
       largest_deformations(*at.system, at.integrator->layout(), at.trajectory, 0, 1)) {
    if (start.ratio < meaningless) continue;
    return Failure{
        .what = fmt::format("the body deforms by {:.2g} of its size before it is in equilibrium, far "
                            "beyond what linear elasticity describes",
                            start.ratio),
        .where = "body " + at.system->spec().bodies[start.body].name,
        .advice =
            "look for a void region that cuts it, a modulus in another unit, or use "
            "initial.state = \"given\"",
        .time = start.time};
  }
  return {};
}

/// The joint that a constraint belongs to.
const JointSpec& joint_of_row(const MultibodySystem<double>& system, Eigen::Index row) {
  const JointSpec* last = nullptr;
  for (const JointSpec& joint : system.spec().joints) {
    if (system.joint_rows(joint.name).first > row) break;
    last = &joint;
  }
  return *last;
}

/// "FILE:LINE: joints.A: redundant constraint: ...", with the places of the other joints in it.
InputError located(const DependentConstraints& error, const Problem& problem,
                   const MultibodySystem<double>& system) {
  const std::string first = joint_of_row(system, error.rows().rows.front()).name;
  std::set<std::string> mentioned = {first};
  std::string places;
  for (const auto* rows : {&error.rows().rows, &error.rows().others}) {
    for (const Eigen::Index row : *rows) {
      const std::string& name = joint_of_row(system, row).name;
      if (!mentioned.insert(name).second) continue;
      places += fmt::format("{}joints.{} at {}", places.empty() ? "" : ", ", name,
                            problem.document->place_of("joints." + name).text());
    }
  }
  return problem.error("joints." + first,
                       fmt::format(": {}{}", error.what(), places.empty() ? "" : " (" + places + ")"));
}

/// U^T U_bar relative to its terms, or, where these are nothing beside the value of the function, to what
/// would be noticed of it: a function that does not depend on a body has terms of rounding errors alone.
double noticeable_defect(const fem::PullbackReport& report, double value) {
  constexpr double noticed = 1e-9;
  const double least = noticed * std::abs(value);
  return report.invariance_defect * std::min(1.0, report.invariance_terms / std::max(least, 1e-300));
}

}  // namespace

EvaluationChain::EvaluationChain(const Problem& problem)
    : problem_(problem), objective_(problem.objective), stress_sets_(problem) {
  for (const CriterionConstraint& constraint : problem.constraints.criteria)
    constrained_.push_back(constraint.terms);
  only_densities_.assign(problem.bodies.size(), true);
  for (const DesignVariable& variable : problem.design.variables) {
    if (const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity)) {
      system_quantities_.push_back(*quantity);
    } else {
      only_densities_[std::get<ElementQuantity>(variable.quantity).body] = false;
    }
  }
  for (const ProblemBody& body : problem.bodies) {
    bodies_.push_back(body.type == ProblemBody::Type::flexible
                          ? std::make_unique<fem::FlexibleBody>(body.flexible)
                          : nullptr);
  }
}

Status EvaluationChain::count_modes() {
  const auto by_frequency = [](const ProblemBody& body) { return body.flexible.modes_up_to.has_value(); };
  if (!modes_counted_ && std::any_of(problem_.bodies.begin(), problem_.bodies.end(), by_frequency)) {
    const DesignSpace space = DesignSpace::of_problem(*this, {});
    const Design start = space.at(space.start());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i]) continue;
      if (Status s = bodies_[i]->count_modes(start.bodies[i])) return s;
    }
  }
  modes_counted_ = true;
  return {};
}

Design EvaluationChain::nominal(const BodyFields& densities) const {
  Design design;
  design.bodies.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i]) design.bodies[i] = bodies_[i]->nominal(densities[i]);
  }
  design.system.resize(static_cast<Eigen::Index>(system_quantities_.size()));
  for (std::size_t k = 0; k < system_quantities_.size(); ++k)
    design.system[static_cast<Eigen::Index>(k)] = value_of(system_quantities_[k], problem_.system);
  return design;
}

Status EvaluationChain::reduce(const Design& design, ChainResult& out) {
  const Timer timer;
  if (Status s = count_modes()) return s;
  out.design = design;
  out.reduced.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    if (Status s = bodies_[i]->reduce(design.bodies[i], out.reduced[i])) return s;
  }
  out.stress.resize(stress_sets_.size());
  for (std::size_t set = 0; set < stress_sets_.size(); ++set) {
    const std::size_t i = stress_sets_.body(set);
    out.stress[set] = std::make_shared<StressModes>(
        bodies_[i]->stress_modes(design.bodies[i], out.reduced[i], stress_sets_.points(set)));
  }
  out.times.reduction = timer.seconds();
  return {};
}

Criterion<double> EvaluationChain::criterion(const ChainResult& at,
                                             const std::vector<CriterionTerm>& terms) const {
  return Criterion<double>(*at.integrator, *at.system, stress_sets_.complete(terms, at.stress));
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

void EvaluationChain::evaluate_criteria(ChainResult& at) const {
  const std::vector<CriterionConstraint>& constraints = problem_.constraints.criteria;
  const CriterionValue<double> psi = criterion(at, objective_).evaluate(at.trajectory);
  at.psi = psi.psi;
  at.values = {{psi.psi, psi.peak, psi.peak}};
  at.criteria.resize(static_cast<Eigen::Index>(constrained_.size()));
  for (std::size_t i = 0; i < constrained_.size(); ++i) {
    const Criterion<double> own = criterion(at, constrained_[i]);
    const CriterionValue<double> value = own.evaluate(at.trajectory);
    CriterionValues values{value.psi, value.peak, value.peak};
    if (constraints[i].instant) {
      // The range is the same for all instants of a criterion.
      const bool repeats = i > 0 && constraints[i - 1].name == constraints[i].name;
      const ValueRange range =
          repeats ? ValueRange{at.values.back().low, at.values.back().high} : own.range(at.trajectory);
      values.low = range.low, values.high = range.high;
    }
    at.criteria[static_cast<Eigen::Index>(i)] = value.psi;
    at.values.push_back(values);
  }
}

Status EvaluationChain::simulate(ChainResult& out) {
  const Timer timer;
  SystemSpec spec = problem_.system;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i]) spec.bodies[i].sid = out.reduced[i].sid;
  }
  for (std::size_t k = 0; k < system_quantities_.size(); ++k)
    set_value(system_quantities_[k], out.design.system[static_cast<Eigen::Index>(k)], spec);
  if (Status s = check_inertia(system_quantities_, spec)) return s;
  out.system = std::make_unique<MultibodySystem<double>>(spec);
  out.integrator = std::make_unique<GeneralizedAlpha<double>>(*out.system, problem_.integrator);
  try {
    if (Status s = kurbel::simulate<double>(*out.integrator, out.trajectory)) return s;
  } catch (const DependentConstraints& error) {
    throw located(error, problem_, *out.system);
  }
  if (Status s = check_equilibrium(out)) return s;
  if (Status s = find_rigid_targets(spec)) return s;
  evaluate_criteria(out);
  out.times.simulation = timer.seconds();
  if (!std::isfinite(out.psi) || !out.criteria.allFinite()) {
    return Failure{.what = "the objective or a criterion is not a finite number",
                   .where = "simulation",
                   .advice = "reduce integrator.step"};
  }
  return {};
}

/// Of the objective, and then of the criteria of [constraints].
EvaluationChain::ParameterBars EvaluationChain::parameter_gradients(const ChainResult& at,
                                                                    bool with_constraints,
                                                                    SensitivityOptions::Method method) const {
  std::vector<LinearizedCriterion> functions;
  ParameterBars bars;
  const auto add = [&](const std::vector<CriterionTerm>& terms) {
    functions.emplace_back(criterion(at, terms), at.trajectory);
    bars.stress.push_back(stress_sets_.collect(terms, functions.back().stress_bars()));
  };
  add(objective_);
  if (with_constraints) {
    for (const std::vector<CriterionTerm>& terms : constrained_) add(terms);
  }
  std::vector<const Objective<double>*> objectives;
  std::vector<const Integrand<double>*> integrands, finals;
  for (const LinearizedCriterion& function : functions) {
    objectives.push_back(&function);
    integrands.push_back(&function.integrand());
    finals.push_back(&function.final_terms());
  }
  switch (method) {
    case SensitivityOptions::Method::direct:
      bars.p = direct_differentiation<double>(*at.integrator, at.trajectory, objectives);
      break;
    case SensitivityOptions::Method::continuous_adjoint:
      bars.p = continuous_adjoint(*at.system, at.integrator->layout(), at.trajectory, integrands,
                                  problem_.sensitivity.substeps, finals);
      break;
    case SensitivityOptions::Method::discrete_adjoint:
      bars.p = discrete_adjoint<double>(*at.integrator, at.trajectory, objectives);
      break;
  }
  return bars;
}

/// Of one body, as far as a function sees its stresses.
std::vector<fem::StressBar> EvaluationChain::stress_bars(std::size_t i, const ChainResult& at,
                                                         const std::vector<MatrixXd>& of_sets) const {
  std::vector<fem::StressBar> bars;
  for (std::size_t set = 0; set < of_sets.size(); ++set) {
    if (stress_sets_.body(set) == i && of_sets[set].size() > 0)
      bars.push_back({stress_sets_.points(set), *at.stress[set], of_sets[set]});
  }
  return bars;
}

Sid EvaluationChain::sid_bar(std::size_t i, const ChainResult& at, const VectorXd& p_bar) const {
  return at.system->layout().sid_bar(i, at.system->spec(), p_bar);
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at) const {
  return sid_adjoint(at, problem_.sensitivity.method);
}

std::vector<Sid> EvaluationChain::sid_adjoint(ChainResult& at, SensitivityOptions::Method method) const {
  const Timer timer;
  const MatrixXd p_bar = parameter_gradients(at, false, method).p;
  std::vector<Sid> bars;
  for (std::size_t i = 0; i < bodies_.size(); ++i) bars.push_back(sid_bar(i, at, p_bar));
  at.times.adjoint = timer.seconds();
  return bars;
}

Status EvaluationChain::gradient(ChainResult& at, Design& bar) {
  std::vector<Design> bars;
  if (Status s = gradients(at, false, problem_.sensitivity.method, bars)) return s;
  bar = std::move(bars.front());
  return {};
}

Status EvaluationChain::gradients(ChainResult& at, std::vector<Design>& bars) {
  return gradients(at, true, problem_.sensitivity.method, bars);
}

Status EvaluationChain::gradients(ChainResult& at, bool with_constraints, SensitivityOptions::Method method,
                                  std::vector<Design>& bars) {
  Timer timer;
  const ParameterBars of_functions = parameter_gradients(at, with_constraints, method);
  const MatrixXd& p_bars = of_functions.p;
  at.times.adjoint = timer.seconds();
  timer = Timer();
  bars.assign(static_cast<std::size_t>(p_bars.cols()),
              {std::vector<fem::BodyDesign>(bodies_.size()), VectorXd(at.design.system.size())});
  at.invariance_defect = 0.0, at.cg_iterations = 0, at.derivative_bytes = 0.0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    if (Status s = pullback(i, of_functions, at, bars)) return s;
  }
  for (std::size_t j = 0; j < bars.size(); ++j) {
    for (std::size_t k = 0; k < system_quantities_.size(); ++k) {
      bars[j].system[static_cast<Eigen::Index>(k)] =
          kurbel::pullback(system_quantities_[k], at.system->spec(), at.system->layout(),
                           p_bars.col(static_cast<Eigen::Index>(j)));
    }
  }
  at.times.pullback = timer.seconds();
  return {};
}

/// One body, all functions; adds to the numbers that `at` keeps of it.
Status EvaluationChain::pullback(std::size_t i, const ParameterBars& of_functions, ChainResult& at,
                                 std::vector<Design>& bars) {
  const bool by_arrays = problem_.sensitivity.path == SensitivityOptions::Path::augmented_sid;
  fem::SidDerivatives derivatives;
  if (by_arrays) {
    fem::PullbackReport report;
    if (Status s = bodies_[i]->derivatives(at.design.bodies[i].density, at.reduced[i], derivatives, &report))
      return s;
    at.cg_iterations += report.cg_iterations;
    at.derivative_bytes += derivatives.bytes_of_arrays();
  }
  for (std::size_t j = 0; j < bars.size(); ++j) {
    const Sid bar = sid_bar(i, at, of_functions.p.col(static_cast<Eigen::Index>(j)));
    const std::vector<fem::StressBar> stress = stress_bars(i, at, of_functions.stress[j]);
    fem::PullbackReport report;
    if (by_arrays) {
      bars[j].bodies[i].density = derivatives.contract(bar);
      const fem::Invariance invariance = bodies_[i]->invariance(at.reduced[i], bar);
      report.invariance_defect = invariance.defect, report.invariance_terms = invariance.terms;
    } else if (only_densities_[i]) {
      if (Status s = bodies_[i]->pullback(at.design.bodies[i].density, at.reduced[i], bar,
                                          bars[j].bodies[i].density, &report, stress))
        return s;
    } else if (Status s = bodies_[i]->pullback(at.design.bodies[i], at.reduced[i], bar, bars[j].bodies[i],
                                               &report, stress)) {
      return s;
    }
    const double value = j == 0 ? at.psi : at.criteria[static_cast<Eigen::Index>(j) - 1];
    at.invariance_defect = std::max(at.invariance_defect, noticeable_defect(report, value));
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
