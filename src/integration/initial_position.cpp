/// The position of a start: assembly, and its derivatives.
#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "base/instantiate.hpp"
#include "integration/dependent_constraints.hpp"
#include "integration/initial_conditions.hpp"

namespace kurbel {

namespace {

/// Newton's corrections, in lengths of the mechanism and radians: the longest step, and the last one, whose
/// successor would be its square.
constexpr double longest = 0.5, converged = 1e-9;

}  // namespace

/// The length of the mechanism is its largest radius of gyration or lever of a joint; elastic coordinates are
/// measured by the displacement of their bodies' mass.
template <class S>
void InitialConditions<S>::find_scales(const Directions& at) {
  const MatrixXd M = real_matrix<S>(at.M()), C = real_matrix<S>(at.C());
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(Vec::Zero(model_.n_v()), blocks);
  double square = 0.0;
  for (const auto& block : blocks) {
    const auto mass = M.diagonal().template segment<6>(block.offset);
    square = std::max(square, mass.template tail<3>().sum() / mass.template head<3>().sum());
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      const auto row = C.row(i).template segment<6>(block.offset);
      const double translation = row.template head<3>().squaredNorm();
      if (translation > 0.0) square = std::max(square, row.template tail<3>().squaredNorm() / translation);
    }
  }
  const double length = square > 0.0 ? std::sqrt(square) : 1.0;
  scale_ = M.diagonal().cwiseSqrt() / length;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Eigen::Index o = blocks[b].offset;
    const Eigen::Index end = b + 1 < blocks.size() ? blocks[b + 1].offset : model_.n_v();
    scale_.segment(o, end - o) /= std::sqrt(M.diagonal().template segment<3>(o).mean());
    scale_.template segment<3>(o).setConstant(1.0 / length);
    scale_.template segment<3>(o + 3).setOnes();
  }
}

template <class S>
double InitialConditions<S>::measure(const Vec& xi) const {
  return xi.size() > 0 ? scale_.cwiseProduct(xi.cwiseAbs()).maxCoeff() : 0.0;
}

/// @throws InputError if rows of C depend on each other
template <class S>
void InitialConditions<S>::check_constraints(const Directions& at, const Vec& c) const {
  const MatrixXd C = real_matrix<S>(at.C());
  const MatrixXd scaled = at.row_scale().asDiagonal() * C * at.column_scale().asDiagonal();
  const VectorXd violation = at.row_scale().cwiseProduct(real_matrix<S>(Matrix(c)).col(0));
  // What displacements of the mechanism's length do to a constraint.
  const VectorXd size = at.row_scale().cwiseProduct(
      VectorXd((C * scale_.cwiseInverse().asDiagonal()).cwiseAbs().rowwise().maxCoeff()));
  const auto found = find_dependent_rows(scaled, violation, size);
  if (!found) return;
  const auto names_of = [&](const std::vector<Eigen::Index>& rows) {
    std::string names;
    for (const Eigen::Index row : rows) names += (names.empty() ? "" : ", ") + model_.constraint_name(row);
    return names;
  };
  const bool several = found->rows.size() > 1;
  throw DependentConstraints(
      fmt::format("{} constraint{}: {} {} already determined by {}; lock fewer degrees of freedom there",
                  found->contradictory ? "contradictory" : "redundant", several ? "s" : "",
                  names_of(found->rows), several ? "are" : "is", names_of(found->others)),
      *found);
}

/// C T D with scaled rows.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::closing_matrix(const Stage& stage) const {
  return stage.change.row_scale().asDiagonal() * constraints_.C *
         move(stage, stage.change.D(), Matrix::Zero(model_.n_v(), stage.change.D().cols()));
}

/// Variations of x_base o exp(xi): T xi_dot + Ad base_dot.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::move(const Stage& stage, Matrix xi_dot,
                                                                 const Matrix& base_dot) const {
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(stage.xi, blocks);
  Matrix out = xi_dot + base_dot;
  for (const auto& block : blocks) {
    out.template middleRows<6>(block.offset) = block.T * xi_dot.template middleRows<6>(block.offset) +
                                               block.Ad * base_dot.template middleRows<6>(block.offset);
  }
  return out;
}

/// What is left of c to be done, scaled.
template <class S>
typename InitialConditions<S>::Vec InitialConditions<S>::violation(const Stage& stage) const {
  return stage.change.row_scale().asDiagonal() * (constraints_.c0 - stage.left * c_given_);
}

/// y += step, shortened to half a length or radian and until the violation of the constraints shrinks.
/// @return false if it does not
template <class S>
bool InitialConditions<S>::advance(Stage& stage, const Vec& step, State& state) {
  constexpr double shortest_fraction = 1e-3, decided_by_rounding = 1e-6;
  const Vec y = stage.y;
  const double before = violation(stage).norm(), size = measure(stage.change.D() * step);
  for (double fraction = size > longest ? longest / size : 1.0;; fraction *= 0.5) {
    stage.y = y + fraction * step;
    stage.xi = stage.change.D() * stage.y;
    if (&stage == &stages_.back()) stage.xi += shift_;
    model_.retract(stage.change.x(), stage.xi, state.x);
    model_.constraint_derivatives(instant(state), *ws_, constraints_);
    if (size < decided_by_rounding || violation(stage).norm() < before) return true;
    if (fraction < shortest_fraction) return false;
  }
}

/// Newton's iteration in y from where it stands.
template <class S>
bool InitialConditions<S>::close(Stage& stage, State& state) {
  constexpr int max_iterations = 100;
  bool was_small = false;
  const auto finish = [&] {
    if (model_.n_c() > 0) stage.lu.compute(closing_matrix(stage));
    stage.change.set(stage.y);
    stage.x = state.x;
    return true;
  };
  advance(stage, Vec::Zero(stage.y.size()), state);
  if (model_.n_c() == 0) return finish();
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Vec step = -closing_matrix(stage).partialPivLu().solve(violation(stage));
    const double size = measure(stage.change.D() * step);
    if (!std::isfinite(size) || !advance(stage, step, state)) return false;
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || (std::is_same_v<S, double> && size < converged)) return finish();
    was_small = size < converged;
  }
  return false;
}

template <class S>
Status InitialConditions<S>::assemble_in_stages(int n, const typename Directions::Ranks& ranks,
                                                State& state) {
  state.x = x_given_;
  stages_.clear();
  for (int k = 1; k <= n; ++k) {
    Directions change(model_, t0_, state.x, ranks, *ws_);
    const double left = static_cast<double>(n - k) / n;
    stages_.push_back({std::move(change), left, Vec::Zero(model_.n_c()), {}, {}, {}});
    if (stages_.back().change.complete() && close(stages_.back(), state)) continue;
    return Failure{.what = fmt::format(
                       "the initial positions cannot be brought to satisfy the joints (largest violation "
                       "{:.2g})",
                       constraints_.c0.cwiseAbs().maxCoeff()),
                   .where = "assembly",
                   .advice = "give initial positions and rotations closer to an assembled mechanism",
                   .time = t0_};
  }
  return {};
}

template <class S>
Status InitialConditions<S>::assemble_position(State& state) {
  const Directions at(model_, t0_, x_given_, ranks(true), *ws_);
  find_scales(at);
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  c_given_ = constraints_.c0;
  check_constraints(at, c_given_);
  const typename Directions::Ranks by_rank = ranks(true);
  typename Directions::Ranks together(2);
  for (std::size_t l = 0; l < by_rank.size(); ++l)
    together[l / 2].insert(together[l / 2].end(), by_rank[l].begin(), by_rank[l].end());
  Status status;
  for (const auto& order : {by_rank, together}) {
    for (const int n : {1, 4, 16, 64}) {
      status = assemble_in_stages(n, order, state);
      if (!status) return {};
    }
  }
  return status;
}

/// Variations of the position by those of the parameters and of the last stage's shift.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::position_directions(const Matrix* p_dot,
                                                                                const Matrix* shift) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = p_dot ? p_dot->cols() : shift->cols();
  Matrix x = Matrix::Zero(n_v, m), given_violation = Matrix::Zero(n_c, m);
  ConstraintDirections<S> c_p;
  c_p.resize(n_c, m);
  const auto evaluate = [&](const Vec& at) {
    const Vec none = Vec::Zero(n_v), no_lambda = Vec::Zero(n_c);
    const DaeInstant<S> position{t0_, at, none, none, no_lambda};
    model_.constraint_derivatives(position, *ws_, constraints_);
    if (p_dot) model_.push_forward_constraints(position, *p_dot, *ws_, c_p);
  };
  if (starts_as_given_ && p_dot) {
    model_.push_forward_given_position(*p_dot, x);
    evaluate(x_given_);
    given_violation = c_p.c0 + constraints_.C * x;
  }
  for (const Stage& stage : stages_) {
    Matrix xi = stage.change.push_forward(p_dot, x, *ws_);
    if (shift && &stage == &stages_.back()) xi += *shift;
    evaluate(stage.x);
    const Matrix violated = c_p.c0 + constraints_.C * move(stage, xi, x) - stage.left * given_violation;
    if (n_c > 0) xi -= stage.change.D() * stage.lu.solve(stage.change.row_scale().asDiagonal() * violated);
    x = move(stage, xi, x);
  }
  return x;
}

/// As pullback(), of the position alone.
/// @return the sensitivity by the shift of the last stage
template <class S>
typename InitialConditions<S>::Vec InitialConditions<S>::pullback_position(Vec x_bar, Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  const Vec rest = Vec::Zero(n_v), none = Vec::Zero(n_c);
  Vec given_bar = Vec::Zero(n_c), shift_bar;
  std::vector<RetractionBlock<S>> blocks;
  const auto pull_constraints = [&](const Vec& at, const Vec& weights) {
    const DaeInstant<S> position{t0_, at, rest, rest, none};
    model_.constraint_derivatives(position, *ws_, constraints_);
    model_.pullback_constraints(position, weights, none, none, *ws_, p_bar);
  };
  for (std::size_t k = stages_.size(); k-- > 0;) {
    const Stage& stage = stages_[k];
    model_.retraction_derivative(stage.xi, blocks);
    const auto pull = [&](const Vec& bar, Matrix6<S> RetractionBlock<S>::*derivative) {
      Vec out = bar;
      for (const auto& block : blocks) {
        out.template segment<6>(block.offset) =
            (block.*derivative).transpose() * bar.template segment<6>(block.offset);
      }
      return out;
    };
    if (n_c > 0) {
      const Vec y_bar = stage.change.D().transpose() * pull(x_bar, &RetractionBlock<S>::T);
      const Vec zeta = stage.change.row_scale().asDiagonal() * Vec(stage.lu.transpose().solve(y_bar));
      pull_constraints(stage.x, -zeta);
      given_bar += stage.left * zeta;
      x_bar -= constraints_.C.transpose() * zeta;
    }
    const Vec xi_bar = pull(x_bar, &RetractionBlock<S>::T);
    if (k + 1 == stages_.size()) shift_bar = xi_bar;
    x_bar = pull(x_bar, &RetractionBlock<S>::Ad);
    stage.change.pullback(xi_bar, x_bar, p_bar, *ws_);
  }
  if (!starts_as_given_) return shift_bar;
  if (n_c > 0) {
    pull_constraints(x_given_, given_bar);
    x_bar += constraints_.C.transpose() * given_bar;
  }
  model_.pullback_given_position(x_bar, p_bar);
  return shift_bar;
}

#define KURBEL_INSTANTIATE(S)                                                                     \
  template double InitialConditions<S>::measure(const Vec&) const;                                \
  template bool InitialConditions<S>::close(Stage&, State&);                                      \
  template InitialConditions<S>::Matrix InitialConditions<S>::closing_matrix(const Stage&) const; \
  template Status InitialConditions<S>::assemble_position(State&);                                \
  template InitialConditions<S>::Matrix InitialConditions<S>::position_directions(const Matrix*,  \
                                                                                  const Matrix*); \
  template InitialConditions<S>::Vec InitialConditions<S>::pullback_position(Vec, Eigen::Ref<Vec>);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
