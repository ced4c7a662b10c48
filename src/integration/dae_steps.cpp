#include "integration/dae_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "integration/canonical_steps.hpp"
#include "integration/first_order_steps.hpp"
#include "integration/generalized_alpha.hpp"
#include "integration/matrix_r.hpp"
#include "integration/variational_midpoint.hpp"

namespace kurbel {

template <class S>
DaeSteps<S>::DaeSteps(Shared<const SecondOrderDae<S>> model, const IntegratorOptions& options,
                      int n_accelerations, bool has_middle)
    : shared_(std::move(model)),
      model_(*shared_),
      options_(with_end_of(model_, options)),
      layout_{model_.n_x(), model_.n_v(), model_.n_c(), n_accelerations, has_middle, options.alpha},
      n_steps_(options_.n_steps()),
      h_((options_.t1 - options_.t0) / static_cast<double>(n_steps_)),
      jumps_(model_.jumps(options_.t0, options_.t1), h_),
      ws_(model_.make_workspace()),
      start_(model_.make_start()) {}

template <class S>
Status DaeSteps<S>::initial_state(Eigen::Ref<Vec> y0) {
  StartState<S> start;
  if (Status s = start_->solve(options_.t0, start); s.failed()) return s;
  layout_.x(y0) = start.x, layout_.v(y0) = start.v, layout_.lambda(y0) = start.lambda;
  if (layout_.has_middle) layout_.x_mid(y0) = start.x, layout_.v_mid(y0) = start.v;
  for (int i = 0; i < layout_.n_accelerations; ++i)
    y0.segment(layout_.accelerations_begin() + i * layout_.n_v, layout_.n_v) = start.v_dot;
  return {};
}

/// One that goes with number i of x: what turns has a quaternion there, with a number more than it has velocities.
template <class S>
Eigen::Index DaeSteps<S>::velocity_of(Eigen::Index i) const {
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(Vec::Zero(layout_.n_v), blocks);
  Eigen::Index before = 0;
  for (const RetractionBlock<S>& block : blocks) {
    if (i <= block.offset + before + block.size())
      return std::min(i - before, block.offset + block.size() - 1);
    ++before;
  }
  return i - before;
}

template <class S>
std::string DaeSteps<S>::place_not_finite(const Segment& y) const {
  const auto place_in = [](const auto& part) {
    Eigen::Index i = 0;
    while (i < part.size() && std::isfinite(real_part(part[i]))) ++i;
    return i;
  };
  const Eigen::Index n_v = layout_.n_v, n_c = layout_.n_c;
  if (const Eigen::Index i = place_in(layout_.x(y)); i < layout_.n_x)
    return model_.coordinate_name(velocity_of(i));
  if (const Eigen::Index i = place_in(layout_.v(y)); i < n_v) return model_.coordinate_name(i);
  for (int k = 0; k < layout_.n_accelerations; ++k) {
    const Eigen::Index i = place_in(y.segment(layout_.accelerations_begin() + k * n_v, n_v));
    if (i < n_v) return model_.coordinate_name(i);
  }
  const Eigen::Index i = place_in(layout_.lambda(y));
  return i < n_c ? model_.constraint_name(i) : std::string();
}

template <class S>
StartState<S> DaeSteps<S>::start_of(const Segment& y0) const {
  return {layout_.x(y0), layout_.v(y0), layout_.w(y0), layout_.lambda(y0)};
}

template <class S>
void DaeSteps<S>::pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) {
  const Eigen::Index n = layout_.n_v;
  const StartState<S> start = start_of(y0);
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
    const auto bar = y_bar.col(j);
    const Eigen::Index accelerations = layout_.tangent_accelerations_begin();
    Vec x_bar = bar.head(n), v_bar = bar.segment(n, n), v_dot_bar = bar.segment(accelerations, n);
    if (layout_.has_middle) x_bar += bar.segment(2 * n, n), v_bar += bar.segment(3 * n, n);
    if (layout_.n_accelerations > 1) v_dot_bar += bar.segment(accelerations + n, n);
    start_->pullback(start, std::move(x_bar), std::move(v_bar), v_dot_bar, bar.tail(layout_.n_c),
                     p_bar.col(j));
  }
}

template <class S>
void DaeSteps<S>::push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot) {
  const Eigen::Index n = layout_.n_v;
  StartDirections<S> d;
  start_->push_forward(start_of(y0), p_dot, d);
  y_dot.topRows(n) = d.x, y_dot.middleRows(n, n) = d.v, y_dot.bottomRows(layout_.n_c) = d.lambda;
  if (layout_.has_middle) y_dot.middleRows(2 * n, n) = d.x, y_dot.middleRows(3 * n, n) = d.v;
  for (int i = 0; i < layout_.n_accelerations; ++i)
    y_dot.middleRows(layout_.tangent_accelerations_begin() + i * n, n) = d.v_dot;
}

template <class S>
Failure DaeSteps<S>::failure(double t, const char* what, const Segment& numbers, const char* advice) const {
  Eigen::Index worst = 0;
  if (numbers.size() > 0 && numbers.allFinite()) numbers.cwiseAbs().maxCoeff(&worst);
  return {.what = what, .where = model_.coordinate_name(worst), .advice = advice, .time = t};
}

template <class S>
Status DaeSteps<S>::failure_near_dead_centre(Eigen::Index k, const Segment& y_prev) {
  constexpr Eigen::Index largest = 600;  // rows whose ranks are revealed within a second
  if (layout_.n_c == 0 || layout_.n_c > std::min(largest, layout_.n_v)) return {};
  DaeJacobians<S> jacobians = model_.make_jacobians();
  const auto columns_of = [&](double t, const Segment& y) {
    model_.jacobians(layout_.template instant<S>(t, y), *ws_, jacobians);
    return MatrixXd(jacobians.C.to_dense().real().transpose());
  };
  Vec y0(layout_.n_state());
  if (DaeSteps::initial_state(y0).failed()) return {};
  const MatrixXd at_start = columns_of(time(0), y0);
  const VectorXd scale = at_start.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const auto factors = [&](const MatrixXd& columns) {
    return Eigen::ColPivHouseholderQR<MatrixXd>(columns * scale.asDiagonal());
  };
  const double usual = factors(at_start).matrixQR().diagonal().cwiseAbs().minCoeff();
  const auto here = factors(columns_of(time(k - 1), y_prev));
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < layout_.n_c; ++i) {
    if (std::abs(here.matrixQR()(i, i)) < 0.1 * usual)
      names.push_back(model_.constraint_name(here.colsPermutation().indices()[i]));
  }
  if (names.empty()) return {};
  return Failure{
      .what = "Newton's iteration does not converge, close to a singular position (dead centre)",
      .where = fmt::format("{}", fmt::join(names, ", ")),
      .advice =
          "reduce integrator.step, take another formulation or integrator.method, or change lengths so "
          "that its links do not align",
      .time = time(k)};
}

template <class S>
std::vector<Eigen::Index> indices_of(const std::vector<std::string>& labels, const SecondOrderDae<S>& model) {
  std::vector<std::string> all;
  for (Eigen::Index i = 0; i < model.n_v(); ++i) all.push_back(model.coordinate_label(i));
  std::vector<Eigen::Index> indices;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find(all, label);
    if (found == all.end()) {
      throw IndependentCoordinates(
          fmt::format("there is no coordinate {}; there are {}, and places of markers as \"body.marker.x\"",
                      label, fmt::join(all, ", ")));
    }
    if (std::ranges::count(labels, label) > 1)
      throw IndependentCoordinates(fmt::format("names the coordinate {} twice", label));
    indices.push_back(found - all.begin());
  }
  std::ranges::sort(indices);
  return indices;
}

namespace {

template <class S>
std::unique_ptr<DaeSteps<S>> make_first_order_steps(const Shared<const SecondOrderDae<S>>& model,
                                                    const IntegratorOptions& options) {
  const auto constant_mass = std::dynamic_pointer_cast<const ConstantMassDae<S>>(model.pointer());
  if (!constant_mass || model->n_c() > 0)
    throw InputError(
        "Euler and Runge-Kutta steps are for natural coordinates without constraints; use generalized-alpha "
        "or trapezoidal");
  return std::make_unique<FirstOrderSteps<S>>(constant_mass, options);
}

}  // namespace

template <class S>
std::unique_ptr<DaeSteps<S>> make_dae_steps(Shared<const SecondOrderDae<S>> model,
                                            const IntegratorOptions& options) {
  switch (options.method) {
    case IntegratorMethod::generalized_alpha:
      return std::make_unique<GeneralizedAlpha<S>>(model, options);
    case IntegratorMethod::trapezoidal:
      return std::make_unique<MatrixR<S>>(model, options, indices_of(options.independent, *model));
    case IntegratorMethod::runge_kutta_4:
    case IntegratorMethod::dormand_prince:
      if (auto equations = model->canonical()) {
        using Owner =
            std::pair<Shared<const SecondOrderDae<S>>, std::shared_ptr<const CanonicalEquations<S>>>;
        const auto owner = std::make_shared<Owner>(model, std::move(equations));
        return std::make_unique<CanonicalSteps<S>>(
            std::shared_ptr<const CanonicalEquations<S>>(owner, owner->second.get()), options);
      }
      if (options.method == IntegratorMethod::runge_kutta_4) return make_first_order_steps(model, options);
      break;
    case IntegratorMethod::variational_midpoint:
      if (auto constant_mass = std::dynamic_pointer_cast<const ConstantMassDae<S>>(model.pointer()))
        return std::make_unique<VariationalMidpoint<S>>(std::move(constant_mass), options);
      throw InputError(
          "the variational step needs a mass matrix that does not change, as natural coordinates have it");
    case IntegratorMethod::explicit_euler:
    case IntegratorMethod::implicit_euler:
      return make_first_order_steps(model, options);
  }
  throw InputError("this method does not integrate these equations; use generalized-alpha or trapezoidal");
}

template class DaeSteps<InstantiatedScalar>;
template std::vector<Eigen::Index> indices_of(const std::vector<std::string>&,
                                              const SecondOrderDae<InstantiatedScalar>&);
template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_dae_steps(
    Shared<const SecondOrderDae<InstantiatedScalar>>, const IntegratorOptions&);

}  // namespace kurbel
