#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/modes_model.hpp"
#include "analysis/over_modes.hpp"
#include "integration/dae_steps.hpp"

namespace kurbel {

using Eigen::Index;
using Complex = std::complex<double>;

namespace {

/// g with d value = Re(g ds).
Complex slope_by_s(Quantity quantity, Complex s) {
  constexpr double turn = 2.0 * EIGEN_PI;
  const double size = std::abs(s);
  if (quantity == Quantity::frequency) return std::conj(s) / (turn * size);
  return -1.0 / size + s.real() * std::conj(s) / (size * size * size);
}

Index largest_entry(const VectorXd& values) {
  Index largest = 0;
  values.cwiseAbs().maxCoeff(&largest);
  return largest;
}

}  // namespace

ModesMotion::ModesMotion(const ModesModel& model, std::unique_ptr<Motion> motion)
    : Motion(model), own_(model), motion_(std::move(motion)) {}

Criterion<double> ModesMotion::criterion(const std::vector<CriterionTerm>&) const {
  throw std::logic_error("a criterion is one of modes, or of the start");
}

std::vector<double> ModesMotion::line_lengths(const Eigen::Ref<const VectorXd>&) const {
  throw std::logic_error("lines belong to the motion itself");
}

/// In every formulation that this analysis takes, steps are those of a SecondOrderDae.
Status ModesMotion::simulate(Trajectory<double>& trajectory) {
  const auto& steps = dynamic_cast<const DaeSteps<double>&>(motion_->steps());
  trajectory.n_stored = 0;
  response_.reset();
  trajectory.t = VectorXd::Constant(1, steps.time(0));
  trajectory.y.resize(steps.n_state(), 1);
  if (Status s = motion_->initial_state(trajectory.y.col(0)); s.failed()) return s;
  mechanism_.emplace(*motion_->equations(), steps.layout(), steps.time(0), trajectory.y.col(0));
  if (!mechanism_->is_finite()) {
    motion_->check_lines(trajectory.y.col(0));
    return Failure{.what = "the linearized equations are not finite",
                   .advice = "check the numbers of the input for extreme values"};
  }
  if (Status s = require_rest(); s.failed()) return s;
  const QuadraticPencil pencil = mechanism_->reduced();
  if (Status s = require_equilibrium(pencil); s.failed()) return s;
  int n = own_.n_modes();
  do {
    if (Status s = find_modes(pencil, n, modes_); s.failed()) return s;
    counted_.clear();
    for (std::size_t i = 0; i < modes_.modes.size(); ++i) {
      if (modes_.modes[i].s.imag() > 0.0) counted_.push_back(i);
    }
    n = static_cast<int>(modes_.s.size());
  } while (std::ssize(counted_) < own_.n_counted() && std::ssize(modes_.modes) < n);
  oscillating_.resize(std::ssize(counted_));
  for (std::size_t i = 0; i < counted_.size(); ++i)
    oscillating_[static_cast<Index>(i)] = modes_.modes[counted_[i]].s;
  trajectory.n_stored = 1;
  const bool is_unstable = std::ranges::any_of(modes_.modes, [](const PencilMode& m) { return grows(m.s); });
  if (own_.n_counted() > 0 && is_unstable)
    return Failure{
        .what = "the state of rest is unstable, where criteria of natural frequencies have no meaning",
        .advice = "start from a stable position, with initial.state = \"static-equilibrium\""};
  if (std::ssize(counted_) >= own_.n_counted()) return respond();
  return Failure{
      .what = fmt::format("criteria count mode {}; the mechanism has {} modes that oscillate, {} degrees "
                          "of freedom and {} rigid-body modes",
                          own_.n_counted(), counted_.size(), mechanism_->Z().cols(), modes_.rigid.cols()),
      .advice = "count fewer modes"};
}

/// Finds the response, if one is asked for.
Status ModesMotion::respond() {
  if (own_.frequencies().size() == 0) return {};
  if (Status s = require_finite_response(own_.frequencies(), modes_.s); s.failed()) return s;
  if (std::ranges::any_of(modes_.s, grows))
    return Failure{.what = "the state of rest is unstable, so that no response is steady",
                   .advice = "start from a stable position, with initial.state = \"static-equilibrium\""};
  mechanism_->excite(excitation_distance(own_.problem().system));
  const auto values = [this](double t, const VectorXd& y, const std::vector<CriterionTerm>& number) {
    const Trajectory<double> state{y, VectorXd::Constant(1, t), 1};
    return motion_->values(state, {0, {}, &number}).front().value;
  };
  const auto partials = [this](double t, const VectorXd& y, const std::vector<CriterionTerm>& number,
                               Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar) {
    const Trajectory<double> state{y, VectorXd::Constant(1, t), 1};
    motion_->objectives(state, {0, {}, &number}).front()->add_partials(0, state, y_bar, p_bar);
  };
  response_.emplace(*mechanism_, own_.problem().frequency_response, values, partials);
  return {};
}

Status ModesMotion::require_rest() const {
  constexpr double at_rest = 1e-9, not_driven = 1e-6;  // m/s or rad/s, and m/s^2 or rad/s^2
  const VectorXd v = mechanism_->layout().v(mechanism_->state());
  if (v.size() == 0) return {};
  const VectorXd v_dot = mechanism_->layout().w(mechanism_->state()),
                 driven = v_dot - mechanism_->Z() * (mechanism_->Z().transpose() * v_dot);
  if (driven.cwiseAbs().maxCoeff() > not_driven) {
    return Failure{
        .what = fmt::format("a drive accelerates the mechanism at its start, with {:.3g} m/s^2 or rad/s^2; "
                            "modes are about a state of rest",
                            driven.cwiseAbs().maxCoeff()),
        .where = mechanism_->model().coordinate_name(largest_entry(driven)),
        .advice = "give drives positions that are constant"};
  }
  if (v.cwiseAbs().maxCoeff() <= at_rest) return {};
  return Failure{
      .what = fmt::format("the mechanism moves at its start, with {:.3g} m/s or rad/s; modes are about a "
                          "state of rest",
                          v.cwiseAbs().maxCoeff()),
      .where = mechanism_->model().coordinate_name(largest_entry(v)),
      .advice = "leave out initial velocities, and give drives positions that are constant"};
}

/// The distance to an equilibrium: by a step of Newton's iteration; along free motions, which have no stiffness, as far as
/// the mechanism gets in about a second.
Status ModesMotion::require_equilibrium(const QuadraticPencil& pencil) const {
  constexpr double in_equilibrium = 1e-6;  // m or rad
  const MatrixXd& Z = mechanism_->Z();
  if (Z.cols() == 0) return {};
  const VectorXd v_dot = mechanism_->layout().w(mechanism_->state());
  const VectorXd step =
      Z * (pencil.K + pencil.M).partialPivLu().solve(Z.transpose() * (mechanism_->M() * v_dot));
  const Index worst = largest_entry(step);
  if (std::abs(step[worst]) <= in_equilibrium) return {};
  return Failure{
      .what = fmt::format("the start is not in equilibrium: it accelerates with {:.3g} m/s^2 or rad/s^2, and "
                          "an equilibrium is about {:.3g} m or rad away",
                          v_dot.cwiseAbs().maxCoeff(), std::abs(step[worst])),
      .where = mechanism_->model().coordinate_name(worst),
      .advice =
          "find an equilibrium with initial.state = \"static-equilibrium\", or hold the mechanism by "
          "joints, drives or springs"};
}

VectorXd ModesMotion::values_of_modes(Quantity quantity) const {
  return quantity == Quantity::frequency ? VectorXd(oscillating_.unaryExpr(&frequency_of).real())
                                         : VectorXd(oscillating_.unaryExpr(&damping_ratio_of).real());
}

std::vector<CriterionValues> ModesMotion::values(const Trajectory<double>& trajectory,
                                                 const RequestedFunctions& requested) const {
  std::vector<CriterionValues> all;
  for (const ModesModel::Parts* parts : own_.parts(requested)) {
    CriterionValues sum;
    if (!parts->of_start.empty())
      sum = motion_->values(trajectory, {requested.stage, {}, &parts->of_start}).front();
    for (const CriterionTerm& term : parts->of_modes) {
      const CriterionValues own = value_over_modes(term, values_of_modes(term.quantity));
      sum.value += term.weight * own.value;
      sum.low += term.weight * own.low;
      sum.high += term.weight * own.high;
    }
    for (const ResponseTerm& of_response : parts->of_response) {
      const CriterionValues own = response_->value(of_response);
      sum.value += of_response.term.weight * own.value;
      sum.low += of_response.term.weight * own.low;
      sum.high += of_response.term.weight * own.high;
    }
    all.push_back(sum);
  }
  return all;
}

Failure ModesMotion::function_not_finite(const Trajectory<double>&, const RequestedFunctions&) const {
  return {.what = "the objective or a criterion is not a finite number",
          .advice = "check the numbers of the input for extreme values"};
}

/// By mode, derivatives by its frequency and by its damping ratio.
MatrixXd ModesMotion::slopes(const ModesModel::Parts& parts) const {
  MatrixXd slopes = MatrixXd::Zero(oscillating_.size(), 2);
  for (const CriterionTerm& term : parts.of_modes) {
    VectorXd own;
    value_over_modes(term, values_of_modes(term.quantity), &own);
    slopes.col(term.quantity == Quantity::frequency ? 0 : 1) += term.weight * own;
  }
  return slopes;
}

/// Modes of a conservative mechanism may coincide where a function counts them alike: with any basis of their space it has
/// its derivative. Modes of a damped one may not.
Status ModesMotion::require_smooth(const Trajectory<double>&, const RequestedFunctions& requested) const {
  constexpr double closed_gap = 1e-8, noticeable = 1e-6;
  std::vector<Complex> all;
  for (const Complex& s : modes_.s) {
    if (s.imag() > 0.0) all.push_back(s);
  }
  for (const ModesModel::Parts* parts : own_.parts(requested)) {
    if (parts->of_modes.empty()) continue;
    const MatrixXd slope = slopes(*parts);
    const double steepest = steepest_over_modes(parts->of_modes);
    const Eigen::RowVector2d largest = slope.cwiseAbs().colwise().maxCoeff();
    for (Index k = 0; k < std::min<Index>(slope.rows(), std::ssize(all) - 1); ++k) {
      const Complex here = all[static_cast<std::size_t>(k)], next = all[static_cast<std::size_t>(k) + 1];
      const Eigen::RowVector2d after =
          k + 1 < slope.rows() ? Eigen::RowVector2d(slope.row(k + 1)) : Eigen::RowVector2d::Zero();
      if (std::abs(next - here) > closed_gap * std::abs(here)) continue;
      const bool counts = slope.row(k).any() || after.any();
      const Eigen::RowVector2d apart(std::abs(frequency_of(next) - frequency_of(here)),
                                     std::abs(damping_ratio_of(next) - damping_ratio_of(here)));
      const Eigen::RowVector2d allowed = (noticeable + steepest * apart.array()) * largest.array();
      const bool alike = ((after - slope.row(k)).cwiseAbs().array() <= allowed.array()).all();
      if (!counts || (alike && modes_.is_conservative)) continue;
      return Failure{
          .what = fmt::format(
              "modes {} and {} coincide at {:.8g} Hz, so that a function {} has no derivative", k + 1, k + 2,
              frequency_of(here), alike ? "of damped modes" : "that depends on them in different ways"),
          .advice = advice_on_kinks};
    }
  }
  return {};
}

DirectionalDerivatives ModesMotion::gradients(const Trajectory<double>& trajectory,
                                              const RequestedFunctions& requested, SensitivityOptions::Method,
                                              const SparseMatrix& p_dot) {
  constexpr double meaningless = 1e-5;
  const std::vector<const ModesModel::Parts*> parts = own_.parts(requested);
  const auto n = static_cast<Index>(parts.size());
  MatrixXd y_bar = MatrixXd::Zero(mechanism_->layout().n_tangent(), n),
           p_bar = MatrixXd::Zero(p_dot.rows(), n);
  for (Index j = 0; j < n; ++j) {
    const ModesModel::Parts& own = *parts[static_cast<std::size_t>(j)];
    if (!own.of_start.empty())
      motion_->objectives(trajectory, {requested.stage, {}, &own.of_start})
          .front()
          ->add_partials(0, trajectory, y_bar.col(j), p_bar.col(j));
    if (!own.of_response.empty()) {
      const double error = response_->add_derivatives(own.of_response, y_bar.col(j), p_bar.col(j));
      if (!(error <= meaningless)) p_bar.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    const MatrixXd slope = slopes(own);
    for (Index i = 0; i < slope.rows(); ++i) {
      if (slope.row(i).isZero(0.0)) continue;
      const PencilMode& mode = modes_.modes[counted_[static_cast<std::size_t>(i)]];
      const Complex factor = slope(i, 0) * slope_by_s(Quantity::frequency, mode.s) +
                             slope(i, 1) * slope_by_s(Quantity::damping_ratio, mode.s);
      const double error =
          mechanism_->add_derivatives(mechanism_->full(mode), -factor, y_bar.col(j), p_bar.col(j));
      if (!(error <= meaningless)) p_bar.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }
  motion_->steps().pullback_initial(trajectory.y.col(0), y_bar, p_bar);
  return {p_dot.transpose() * p_bar, std::vector<std::vector<MatrixXd>>(parts.size())};
}

}  // namespace kurbel
