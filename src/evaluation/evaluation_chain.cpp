#include "evaluation/evaluation_chain.hpp"

#include <cmath>

#include "analysis/modes_model.hpp"
#include "base/timer.hpp"
#include "evaluation/body_mesh.hpp"
#include "evaluation/design_space.hpp"
#include "formulation/cases_model.hpp"

namespace kurbel {

EvaluationChain::EvaluationChain(Problem problem)
    : EvaluationChain(std::make_shared<const Problem>(std::move(problem))) {}

EvaluationChain::EvaluationChain(std::shared_ptr<const Problem> owned)
    : owned_(std::move(owned)),
      problem_(*owned_),
      stress_sets_(std::make_shared<const StressSets>(owned_)),
      bodies_(owned_) {
  const Problem& problem = problem_;
  only_densities_.assign(problem.bodies.size(), true);
  for (const DesignVariable& variable : problem.design.variables) {
    if (const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity))
      only_densities_[quantity->body] = false;
  }
  for (bool only_densities : only_densities_) varied_.push_back(!only_densities);
  for (const std::string& name : problem.design.bodies) varied_[problem.find_body(name).value()] = true;
  std::vector<fem::FlexibleBody*> bodies;
  for (std::size_t i = 0; i < bodies_.size(); ++i) bodies.push_back(bodies_[i]);
  question_ = make_body_question(problem, bodies);
  if (is_about_rest(problem.analysis)) {
    const auto make = [](Shared<const Problem> of, Shared<const StressSets> stress) {
      return std::make_shared<ModesModel>(std::move(of), std::move(stress));
    };
    if (problem.cases.empty()) {
      model_ = make(owned_, stress_sets_);
    } else {
      model_ = std::make_shared<CasesModel>(owned_, stress_sets_, make);
    }
  } else if (!question_) {
    model_ = make_motion_model(owned_, stress_sets_);
  }
  ask(problem.first_stages.size());
}

void EvaluationChain::ask(std::size_t stage) {
  requested_ = {stage, problem_.stages()[stage].constraints};
}

RequestedFunctions EvaluationChain::requested(bool with_constraints) const {
  return with_constraints ? requested_ : RequestedFunctions{requested_.stage, {}};
}

Status EvaluationChain::count_modes() {
  const auto by_frequency = [](const ProblemBody& body) { return body.flexible.modes_up_to.has_value(); };
  if (!modes_counted_ && std::any_of(problem_.bodies.begin(), problem_.bodies.end(), by_frequency)) {
    const DesignSpace space = DesignSpace::of_problem(bodies_, {});
    const Design start = space.at(space.start());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i]) continue;
      if (Status s = bodies_[i]->count_modes(start.bodies[i]); s.failed()) return s;
    }
  }
  modes_counted_ = true;
  return {};
}

Design EvaluationChain::nominal(const BodyFields& densities) const {
  return {bodies_.nominal(densities), has_motion() ? model_->numbers() : VectorXd()};
}

Status EvaluationChain::reduce(const Design& design, ChainResult& out) {
  const Timer timer;
  if (Status s = count_modes(); s.failed()) return s;
  out.design = design;
  out.reduced.resize(bodies_.size());
  if (!has_motion()) return {};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    if (Status s = bodies_[i]->reduce(design.bodies[i], out.reduced[i]); s.failed()) return s;
  }
  out.stress.resize(stress_sets_->size());
  for (std::size_t set = 0; set < stress_sets_->size(); ++set) {
    const std::size_t i = stress_sets_->body(set);
    out.stress[set] = std::make_shared<StressModes>(
        bodies_[i]->stress_modes(design.bodies[i], out.reduced[i], stress_sets_->points(set)));
  }
  out.times.reduction = timer.seconds();
  return {};
}

Status EvaluationChain::simulate(ChainResult& out) {
  return simulate(out, false);
}

Status EvaluationChain::simulate_for_gradients(ChainResult& out) {
  return simulate(out, problem_.sensitivity.method == SensitivityOptions::Method::direct);
}

Status EvaluationChain::simulate(ChainResult& out, bool along_design) {
  const Timer timer;
  const Status evaluated = has_motion() ? evaluate_motion(out, along_design) : evaluate_answer(out);
  if (evaluated.failed()) return evaluated;
  out.times.simulation = timer.seconds();
  if (std::isfinite(out.psi) && out.criteria.allFinite()) return {};
  if (has_motion()) return out.motion->function_not_finite(out.trajectory, requested_);
  return Failure{.what = "the objective or a criterion is not a finite number",
                 .advice = "check the numbers of the input for extreme values"};
}

Status EvaluationChain::evaluate_answer(ChainResult& out) {
  if (Status s = question_->answer(out.design.bodies, out.answer); s.failed()) return s;
  take_values(out.answer->values(requested_), out);
  return {};
}

void EvaluationChain::take_values(std::vector<CriterionValues> values, ChainResult& out) const {
  out.values = std::move(values);
  out.psi = out.values.front().value;
  out.criteria.resize(static_cast<Eigen::Index>(requested_.functions.size()));
  for (std::size_t j = 0; j < requested_.functions.size(); ++j)
    out.criteria[static_cast<Eigen::Index>(j)] = out.values[j + 1].value;
}

Status EvaluationChain::make_motion(ChainResult& out) {
  std::vector<const Sid*> sids(bodies_.size(), nullptr);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i]) sids[i] = &out.reduced[i].sid;
  }
  return model_->make({out.design.system, sids, out.stress}, out.motion);
}

Status EvaluationChain::evaluate_motion(ChainResult& out, bool along_design) {
  if (Status s = make_motion(out); s.failed()) return s;
  const Status moved = along_design
                           ? out.motion->simulate_along(out.motion->directions(varied_).p_dot, out.trajectory)
                           : out.motion->simulate(out.trajectory);
  // A line without direction is why steps fail.
  if (out.trajectory.n_stored > 0) out.motion->check_lines(out.trajectory.y.col(0));
  if (moved.failed()) return moved;
  take_values(out.motion->values(out.trajectory, requested_), out);
  return {};
}

std::vector<std::string> EvaluationChain::draw(const ChainResult& at, const FramesReceiver& show) {
  if (!has_motion()) return {};
  std::vector<std::optional<MotionBody>> meshes(bodies_.size());
  std::vector<std::string> not_shown;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i]) continue;
    fem::FlexibleBody& body = *bodies_[i];
    const fem::BodyDesign& design = at.design.bodies[i];
    meshes[i] = {problem_.bodies[i].name, design_mesh(body, design), design.density, at.reduced[i].shapes};
    if (Status s = body.second_order_shapes(design, at.reduced[i], meshes[i]->second_order); s.failed())
      not_shown.push_back(s.message());
    if (const auto points = stress_sets_->to_show(i)) {
      meshes[i]->stress = body.stress_modes(design, at.reduced[i], *points);
      meshes[i]->stressed_cells = fem::elements_of_points(body.mesh(), *points);
    }
  }
  at.motion->draw(at.trajectory, std::move(meshes), show);
  return not_shown;
}

}  // namespace kurbel
