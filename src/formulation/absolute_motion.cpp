#include "formulation/absolute_motion.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kurbel {

namespace {

const char* unit_of(const absolute::FunctionSpec& function) {
  switch (function.type) {
    case absolute::FunctionSpec::Type::velocity:
      return "m/s";
    case absolute::FunctionSpec::Type::spring_force:
      return "N";
    case absolute::FunctionSpec::Type::stress:
      return "N/m^2";
    case absolute::FunctionSpec::Type::position:
    case absolute::FunctionSpec::Type::distance:
      break;
  }
  return "m";
}

/// The first step at which each parameter counts; nodes that only the left or only the right side of an
/// instant feels count at it.
VectorXd first_steps(const AbsoluteModel<double>& model) {
  const AbsoluteSystem<double>& system = *model.assembly().system;
  const Controls& controls = system.controls();
  VectorXd first = VectorXd::Constant(model.integrator().n_parameters(), -1.0);
  first.tail(controls.n_nodes()).setConstant(std::numeric_limits<double>::infinity());
  for (Eigen::Index i = 0; i < controls.size(); ++i) {
    for (Eigen::Index k = model.integrator().n_steps(); k >= 0; --k) {
      for (const bool from_left : {false, true}) {
        const Eigen::RowVectorXd w = controls.grid(i).weights(model.integrator().time(k), from_left);
        for (Eigen::Index j = 0; j < w.size(); ++j) {
          if (w[j] != 0.0) first[system.control_offset(i) + j] = static_cast<double>(k);
        }
      }
    }
  }
  return first;
}

}  // namespace

std::vector<BoundedFunction> bounded_functions(const Problem& problem) {
  std::vector<BoundedFunction> functions;
  const auto finite = [](double bound) {
    return std::isfinite(bound) ? std::optional<double>(bound) : std::nullopt;
  };
  for (std::size_t i = 0; i < problem.constraints.paths.size(); ++i) {
    const PathConstraint& c = problem.constraints.paths[i];
    const absolute::FunctionSpec& output = problem.absolute.functions[c.output];
    const std::vector<std::string> axes = absolute::row_names(output);
    for (const int step : c.steps) {
      const double t = problem.integrator.t0 + step * problem.integrator.step;
      for (Eigen::Index row = 0; row < c.upper.size(); ++row) {
        const std::string axis = axes.empty() ? "" : "." + axes[static_cast<std::size_t>(row)];
        BoundedFunction function{fmt::format("{}: {}{} at {:.6g} s", c.name, output.name, axis, t), c.name,
                                 i};
        (c.equality ? function.equals : function.upper) = finite(c.upper[row]);
        if (!c.equality) function.lower = finite(c.lower[row]);
        function.scale = c.scale[row];
        function.step = step;
        functions.push_back(std::move(function));
      }
    }
  }
  return functions;
}

AbsoluteMotionModel::AbsoluteMotionModel(const Problem& problem)
    : problem_(problem), model_(std::make_shared<AbsoluteModel<double>>(problem)) {
  functions_ = bounded_functions(problem);
  first_felt_ = first_steps(*model_);
}

VectorXd AbsoluteMotionModel::numbers() const {
  VectorXd z(model_->integrator().n_parameters());
  for (const DesignVariable& variable : problem_.design.variables)
    z[std::get<AbsoluteQuantity>(variable.quantity).place] = variable.start;
  return z;
}

Status AbsoluteMotionModel::make(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  out = std::make_unique<AbsoluteMotion>(problem_, model_, values.numbers);
  return {};
}

bool AbsoluteMotionModel::depends(const BoundedFunction& function, Eigen::Index number) const {
  const double felt = first_felt_[number];
  return felt < 0.0 || (function.step > 0 && felt <= static_cast<double>(function.step));
}

void AbsoluteMotionModel::require_possible_start(const VectorXd& numbers, const AskedFunctions& asked) {
  for (const Coordinate& c : model_->assembly().system->coordinates()) {
    if (!c.q0_xi.empty()) return;
  }
  Trajectory<double> start;
  start.y = MatrixXd::Zero(model_->integrator().n_state(), model_->integrator().n_steps() + 1);
  model_->set_parameters(numbers);
  static_cast<void>(model_->integrator().initial_state(start.y.col(0)));
  for (const std::size_t i : asked.functions) {
    const BoundedFunction& function = functions_[i];
    if (function.step != 0) continue;
    const double h = model_->function(i).value(start);
    if (!(function.lower && h < *function.lower) && !(function.upper && h > *function.upper)) continue;
    const PathConstraint& c = problem_.constraints.paths[function.constraint];
    throw problem_.error(
        "constraints." + c.name,
        fmt::format("is violated by the initial state, where {} = {:.8g}; nothing changes that",
                    problem_.absolute.functions[c.output].name, h));
  }
}

AbsoluteModel<double>& AbsoluteMotion::model() const {
  model_->set_parameters(z_);
  return *model_;
}

std::vector<CriterionValues> AbsoluteMotion::values(const Trajectory<double>& trajectory,
                                                    const AskedFunctions& asked) {
  const AbsoluteModel<double>& own = model();
  std::vector<CriterionValues> values;
  const auto add = [&](double value) { values.push_back({value, value, value}); };
  add(own.cost(asked.stage).value(trajectory));
  for (const std::size_t i : asked.functions) add(own.function(i).value(trajectory));
  return values;
}

std::vector<std::shared_ptr<const Objective<double>>> AbsoluteMotion::objectives(
    const Trajectory<double>&, const AskedFunctions& asked) {
  std::vector<std::shared_ptr<const Objective<double>>> all;
  all.emplace_back(model_, &model_->cost(asked.stage));
  for (const std::size_t i : asked.functions) all.emplace_back(model_, &model_->function(i));
  return all;
}

MotionSummary AbsoluteMotion::summarize(const Trajectory<double>& trajectory) const {
  const AbsoluteSystem<double>& system = *model().assembly().system;
  const auto first = trajectory.y.col(0), last = trajectory.y.col(trajectory.n_stored - 1);
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

std::vector<OutputHistory> AbsoluteMotion::outputs(const Trajectory<double>& trajectory) const {
  std::vector<OutputHistory> outputs;
  const AbsoluteModel<double>& own = model();
  for (std::size_t i = 0; i < problem_.absolute.functions.size(); ++i) {
    const absolute::FunctionSpec& spec = problem_.absolute.functions[i];
    const SystemFunction<double>& function = own.assembly().functions[i];
    OutputHistory output{spec.name, unit_of(spec), absolute::row_names(spec), {}, {}};
    output.values.resize(function.n_rows(), trajectory.n_stored);
    for (Eigen::Index k = 0; k < trajectory.n_stored; ++k)
      output.values.col(k) = function.value(trajectory.y.col(k));
    for (const PathConstraint& c : problem_.constraints.paths) {
      if (c.output != i) continue;
      for (Eigen::Index row = 0; row < c.upper.size(); ++row) {
        output.limits.push_back(c.upper[row]);
        if (!c.equality) output.limits.push_back(c.lower[row]);
      }
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace kurbel
