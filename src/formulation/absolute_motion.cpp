#include "formulation/absolute_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "natural_coordinates/point_elements.hpp"
#include "natural_coordinates/system_function.hpp"

namespace kurbel {

namespace {

/// The first step at which each parameter counts; nodes that only the left or only the right side of an
/// instant feels count at it, those that it feels in its middle at the end of a step.
/// @param alpha  of the variational step
VectorXd first_steps(const AbsoluteModel<double>& model, double alpha) {
  const AbsoluteSystem<double>& system = *model.assembly().system;
  const Controls& controls = system.controls();
  VectorXd first = VectorXd::Constant(model.integrator().n_parameters(), -1.0);
  first.tail(controls.n_nodes()).setConstant(std::numeric_limits<double>::infinity());
  for (Eigen::Index i = 0; i < controls.size(); ++i) {
    const auto feel = [&](Eigen::Index k, const OneSidedTime& t) {
      const Eigen::RowVectorXd w = controls.grid(i).weights(t);
      for (Eigen::Index j = 0; j < w.size(); ++j) {
        if (w[j] != 0.0) first[system.control_offset(i) + j] = static_cast<double>(k);
      }
    };
    for (Eigen::Index k = model.integrator().n_steps(); k >= 0; --k) {
      const double t = model.integrator().time(k), h = k > 0 ? t - model.integrator().time(k - 1) : 0.0;
      for (const double share : {1.0, 0.5, alpha}) {
        for (const bool from_left : {false, true}) feel(k, {t - (1.0 - share) * h, from_left});
      }
    }
  }
  return first;
}

/// The step after which the motion does not count for the terms any more.
int last_step(const std::vector<CriterionTerm>& terms, int n_steps) {
  int last = 0;
  for (const CriterionTerm& term : terms)
    last = std::max(last, term.time == TimeFunctional::instants ? term.steps.back() : n_steps);
  return last;
}

bool has_control_energy(const std::vector<CriterionTerm>& terms) {
  return std::ranges::any_of(
      terms, [](const CriterionTerm& term) { return term.quantity == Quantity::control_energy; });
}

}  // namespace

AbsoluteMotionModel::AbsoluteMotionModel(const Problem& problem)
    : MotionModel(problem),
      varied_(problem),
      model_(std::make_shared<AbsoluteModel<double>>(problem)),
      first_felt_(first_steps(*model_, problem.integrator.alpha)) {
  const AbsoluteSystem<double>& system = *model_->assembly().system;
  Eigen::Index next = 0;  // entry of xi
  for (const std::vector<TiedQuantity>& tied : varied_.quantities()) {
    set_.emplace_back();
    bool is_entry = false;
    for (const auto& [quantity, sign, offset] : tied) {
      if (quantity.kind != SystemQuantity::Kind::control_node) {
        is_entry = true;
      } else {
        const Eigen::Index first = system.control_offset(static_cast<Eigen::Index>(quantity.owner));
        set_.back().push_back({first + quantity.component, sign, offset});
      }
    }
    if (is_entry) set_.back().push_back({next++, 1.0, 0.0});
  }
}

VectorXd AbsoluteMotionModel::parameters(const VectorXd& numbers) const {
  VectorXd p(model_->integrator().n_parameters());
  for (std::size_t k = 0; k < set_.size(); ++k) {
    for (const auto& [place, sign, offset] : set_[k])
      p[place] = sign * numbers[static_cast<Eigen::Index>(k)] + offset;
  }
  return p;
}

DesignDirections AbsoluteMotionModel::directions() const {
  DesignDirections all;
  std::vector<Eigen::Triplet<double>> entries;
  for (const std::vector<SetParameter>& of_number : set_) {
    for (const auto& [place, sign, offset] : of_number) entries.emplace_back(place, all.n_numbers, sign);
    ++all.n_numbers;
  }
  all.p_dot.resize(model_->integrator().n_parameters(), all.n_numbers);
  all.p_dot.setFromTriplets(entries.begin(), entries.end());
  return all;
}

Status AbsoluteMotionModel::make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  out = std::make_unique<AbsoluteMotion>(*this, model_, parameters(values.numbers));
  return {};
}

bool AbsoluteMotionModel::depends(std::size_t function, Eigen::Index number) const {
  const std::vector<CriterionTerm>& terms = functions()[function].terms;
  const int last = last_step(terms, problem_.integrator.n_steps());
  double felt = std::numeric_limits<double>::infinity();
  for (const SetParameter& set : set_[static_cast<std::size_t>(number)])
    felt = std::min(felt, first_felt_[set.place]);
  return felt < 0.0 || has_control_energy(terms) || (last > 0 && felt <= last);
}

void AbsoluteMotionModel::require_possible_start(const VectorXd& numbers, const AskedFunctions& asked) {
  for (const Coordinate& c : model_->assembly().system->coordinates()) {
    if (!c.q0_xi.empty()) return;
  }
  Trajectory<double> start;
  start.y = MatrixXd::Zero(model_->integrator().n_state(), model_->integrator().n_steps() + 1);
  start.t = VectorXd::Constant(start.y.cols(), problem_.integrator.t0);
  model_->set_parameters(parameters(numbers));
  static_cast<void>(model_->integrator().initial_state(start.y.col(0)));
  for (const std::size_t i : asked.functions) {
    const CriterionConstraint& c = functions()[i];
    if (last_step(c.terms, problem_.integrator.n_steps()) > 0) continue;
    const Criterion<double> criterion = model_->criterion(c.terms);
    VectorXd y_bar = VectorXd::Zero(start.y.rows()),
             p_bar = VectorXd::Zero(model_->integrator().n_parameters());
    LinearizedCriterion(criterion, start).add_partials(0, start, y_bar, p_bar);
    const double h = criterion.value(start);
    if (!p_bar.isZero(0.0) || c.equals || excess(c, h) <= 0.0) continue;
    throw problem_.error(
        "constraints.criteria." + c.name,
        fmt::format("is violated by the initial state, where {} = {:.8g}; nothing changes that",
                    c.time_history_name(), h));
  }
}

AbsoluteModel<double>& AbsoluteMotion::model() const {
  model_->set_parameters(p_);
  return *model_;
}

/// Forces between two places are no part of absolute coordinates.
std::vector<double> AbsoluteMotion::line_lengths(const Eigen::Ref<const VectorXd>& y) const {
  const AbsoluteModel<double>& of_motion = model();
  const absolute::Assembly<double>& assembly = of_motion.assembly();
  const auto at = of_motion.layout().instant<double>(problem_.integrator.t0, y);
  const auto distance = std::make_shared<PointDistance<double>>();
  std::vector<double> lengths;
  for (const Binding& spring : assembly.springs)
    lengths.push_back(
        SystemFunction<double>(*assembly.system, distance, {spring.coordinates, {}, {}}).value(at)[0]);
  return lengths;
}

MotionSummary AbsoluteMotion::summarize(const Trajectory<double>& trajectory) const {
  const AbsoluteSystem<double>& system = *model().assembly().system;
  const auto state = [&](Eigen::Index k) { return trajectory.y.col(k).head(system.n_x()); };
  const auto first = state(0), last = state(trajectory.n_stored - 1);
  const double T = system.kinetic_energy(last), V = system.potential_energy(last);
  return {
      {fmt::format("energy at the start and at the end, J: kinetic {:.6g}, {:.6g}; potential {:.6g}, {:.6g}",
                   system.kinetic_energy(first), T, system.potential_energy(first), V)},
      {{"kinetic_energy", T}, {"potential_energy", V}}};
}

std::vector<std::string> AbsoluteMotion::state_names() const {
  std::vector<std::string> names;
  const AbsoluteSystem<double>& system = *model_->assembly().system;
  for (Eigen::Index i = 0; i < system.n_x(); ++i) names.push_back(system.state_name(i));
  return names;
}

std::vector<std::string> AbsoluteMotion::state_units() const {
  std::vector<std::string> units;
  const AbsoluteSystem<double>& system = *model_->assembly().system;
  for (Eigen::Index i = 0; i < system.n_x(); ++i) units.push_back(system.state_unit(i));
  return units;
}

}  // namespace kurbel
