#include "evaluation/control_nlp.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/timer.hpp"

namespace kurbel {

namespace {

/// Concatenates one value per parameter and per control node, in the order of z.
template <class OfParameter, class OfNode>
VectorXd in_order_of_z(const ControlProblem& problem, const OfParameter& of_parameter,
                       const OfNode& of_node) {
  std::vector<double> z;
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) z.push_back(of_parameter(i));
  for (const ControlCurve& curve : problem.controls) {
    for (std::size_t j = 0; j < curve.start.size(); ++j) z.push_back(of_node(curve, j));
  }
  return Eigen::Map<const VectorXd>(z.data(), static_cast<Eigen::Index>(z.size()));
}

}  // namespace

VectorXd start_of(const ControlProblem& problem) {
  return in_order_of_z(
      problem, [&](std::size_t i) { return problem.system.xi[static_cast<Eigen::Index>(i)]; },
      [](const ControlCurve& curve, std::size_t j) { return curve.start[j]; });
}

std::pair<VectorXd, VectorXd> bounds_of(const ControlProblem& problem) {
  return {in_order_of_z(
              problem, [&](std::size_t i) { return problem.parameters[i].lower; },
              [](const ControlCurve& curve, std::size_t) { return curve.lower; }),
          in_order_of_z(
              problem, [&](std::size_t i) { return problem.parameters[i].upper; },
              [](const ControlCurve& curve, std::size_t) { return curve.upper; })};
}

std::vector<std::string> variable_names(const ControlProblem& problem) {
  std::vector<std::string> names;
  for (const ParameterBounds& parameter : problem.parameters) names.push_back(parameter.name);
  for (const ControlCurve& curve : problem.controls) {
    for (std::string& name : curve.node_names(problem.integrator)) names.push_back(std::move(name));
  }
  return names;
}

ControlNlp::ControlNlp(const ControlProblem& problem, const ControlStage& stage, const VectorXd& z,
                       const std::atomic<bool>& interrupted)
    : interrupted_(interrupted), model_(problem, stage), method_(problem.sensitivity), z_(z) {
  const auto n_xi = static_cast<Eigen::Index>(problem.parameters.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const bool varies = stage.vary == Vary::all || (stage.vary == Vary::parameters) == (i < n_xi);
    if (varies) varying_.push_back(i);
  }
  const auto [lower, upper] = bounds_of(problem);
  const VectorXd l = lower(varying_), u = upper(varying_);
  const auto bounded = (l.array().isFinite() && u.array().isFinite() && l.array() < u.array()).eval();
  offset_ = bounded.select(l, VectorXd::Zero(l.size()));
  range_ = bounded.select(u - l, VectorXd::Ones(l.size()));
  lower_ = (l - offset_).cwiseQuotient(range_);
  upper_ = (u - offset_).cwiseQuotient(range_);
  check_start(problem);
}

/// The state at t_0 changes with lengths at most; a limit that it violates otherwise can not be met.
void ControlNlp::check_start(const ControlProblem& problem) {
  for (const Coordinate& c : model_.assembly().system->coordinates()) {
    if (!c.q0_xi.empty()) return;
  }
  Trajectory<double> start;
  start.y.resize(model_.integrator().n_state(), model_.integrator().n_steps() + 1);
  start.y.setZero();
  model_.assembly().system->set_parameters(z_);
  static_cast<void>(model_.integrator().initial_state(start.y.col(0)));
  for (const ConstraintRow& row : model_.rows()) {
    if (row.step != 0) continue;
    const PathConstraint& c = problem.constraints[row.constraint];
    const double h = model_.assembly().functions[c.output].value(start.y.col(0))[row.row];
    if (h >= c.lower[row.row] && h <= c.upper[row.row]) continue;
    throw problem.error(
        "constraints." + c.name,
        fmt::format("is violated by the initial state, where {} = {:.8g}; nothing changes that",
                    problem.system.functions[c.output].name, h));
  }
}

/// A row at t_k depends on the nodes that are felt until then.
std::vector<std::pair<int, int>> ControlNlp::constraint_sparsity() const {
  const RungeKutta<double>& integrator = model_.integrator();
  const AbsoluteSystem<double>& system = *model_.assembly().system;
  const Controls& controls = system.controls();
  VectorXd first_felt =
      VectorXd::Constant(integrator.n_parameters(), std::numeric_limits<double>::infinity());
  first_felt.head(system.n_xi()).setConstant(-1.0);
  for (Eigen::Index i = 0; i < controls.size(); ++i) {
    for (Eigen::Index k = integrator.n_steps(); k >= 0; --k) {
      for (const bool from_left : {false, true}) {
        const Eigen::RowVectorXd w = controls.grid(i).weights(integrator.time(k), from_left);
        for (Eigen::Index j = 0; j < w.size(); ++j) {
          if (w[j] != 0.0) first_felt[system.control_offset(i) + j] = static_cast<double>(k);
        }
      }
    }
  }
  std::vector<std::pair<int, int>> entries;
  for (std::size_t r = 0; r < model_.rows().size(); ++r) {
    for (std::size_t v = 0; v < varying_.size(); ++v) {
      const double felt = first_felt[varying_[v]];
      const int step = model_.rows()[r].step;
      if (felt < 0.0 || (step > 0 && felt <= step)) {
        entries.emplace_back(static_cast<int>(r), static_cast<int>(v));
      }
    }
  }
  return entries;
}

VectorXd ControlNlp::reduced(const VectorXd& z) const {
  const VectorXd varying = z(varying_);
  return (varying - offset_).cwiseQuotient(range_);
}

VectorXd ControlNlp::full(const VectorXd& x) const {
  VectorXd z = z_;
  z(varying_) = offset_ + range_.cwiseProduct(x);
  return z;
}

Status ControlNlp::evaluate(const VectorXd& x, Evaluation& out) {
  const Timer simulation;
  if (Status s = model_.simulate(full(x), trajectory_)) return s;
  simulation_seconds_ += simulation.seconds();
  out.objective = model_.cost(trajectory_);
  out.constraints = model_.constraints(trajectory_);
  const Timer gradient;
  const MatrixXd gradients = model_.gradients(method_, trajectory_);
  gradient_seconds_ += gradient.seconds();
  const MatrixXd reduced = range_.asDiagonal() * gradients(varying_, Eigen::all);
  out.gradient = reduced.col(0);
  out.constraint_gradients = reduced.rightCols(n_constraints()).transpose();
  return {};
}

}  // namespace kurbel
