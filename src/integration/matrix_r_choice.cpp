/// @file
/// Chooses the independent velocities of Matrix R, and watches those that the input names.
///
/// matrix_r.hpp says by which rules. Letters:
///
///     C, M          Jacobian of the constraints and mass matrix at the position last evaluated
///     D             diag(M_jj^-1/2), the scale of the columns of C; mass_roots_: M_jj^1/2
///     C_D           columns of C of dependent velocities
///     R_            dependent rows of R: how a unit of an independent velocity moves the dependent ones
///     leverage      largest entry of a column of R in the metric of the mass, |R_ij| M_ii^1/2 / M_jj^1/2
///     e_i, omega    axis of coordinate i of a pose, and angular velocity of its frame, in that frame
///     o             index of the first coordinate of a pose
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/instantiate.hpp"
#include "integration/indices.hpp"
#include "integration/matrix_r.hpp"

namespace kurbel {

namespace {

/// Weights that make columns be chosen as dependent; elastic coordinates, and others that belong to no pose, have 1.
/// The weight grows by the factor 1 + of_turning where an axis turns at the highest rate of all.
constexpr double of_displacements = 100.0, of_rotations = 10.0, of_turning = 10.0;
/// The first of columns that are equal is chosen as dependent, where rounding, and so the unit of length, decided otherwise.
constexpr double of_first = 1e-6;

/// The sign of a determinant, from its factors. Eigen's determinant() may overflow, and that of a permutation
/// allocates.
template <class Lu>
double sign_of_determinant(const Lu& lu) {
  const auto& order = lu.permutationP().indices();
  double sign = 1.0;
  for (Eigen::Index i = 0; i < order.size(); ++i) {
    if (real_part(lu.matrixLU()(i, i)) < 0.0) sign = -sign;
    for (Eigen::Index j = 0; j < i; ++j) {
      if (order[j] > order[i]) sign = -sign;
    }
  }
  return sign;
}

}  // namespace

/// Finds the poses, which are blocks of size 6: displacements and rotations along axes that turn with the body.
template <class S>
void MatrixR<S>::find_poses() {
  pose_of_.assign(static_cast<std::size_t>(layout_.n_v), -1);
  model_.retraction_derivative(Vec::Zero(layout_.n_v), blocks_);
  for (const RetractionBlock<S>& block : blocks_) {
    if (block.size() == 6) std::fill_n(pose_of_.begin() + block.offset, 6, block.offset);
  }
}

/// Returns the rate at which the axis of a coordinate turns, |e_i x omega|, 1/s; zero if it has no axis.
template <class S>
double MatrixR<S>::turning(Eigen::Index i, const Segment& v) const {
  const Eigen::Index o = pose_of_[static_cast<std::size_t>(i)];
  if (o < 0) return 0.0;
  const auto omega = [&](Eigen::Index k) { return real_part(v[o + 3 + k % 3]); };
  return std::hypot(omega(i - o + 1), omega(i - o + 2));
}

/// Returns weights of columns. The larger a weight, the sooner a column is chosen as dependent.
template <class S>
VectorXd MatrixR<S>::preference(const Segment& v) const {
  VectorXd rates(layout_.n_v), weights = VectorXd::Ones(layout_.n_v);
  for (Eigen::Index i = 0; i < layout_.n_v; ++i) {
    rates[i] = turning(i, v);
    const Eigen::Index o = pose_of_[static_cast<std::size_t>(i)];
    if (o >= 0) weights[i] = i < o + 3 ? of_displacements : of_rotations;
  }
  const double fastest = rates.size() > 0 ? rates.maxCoeff() : 0.0;
  if (fastest > 0.0) weights += (of_turning / fastest) * weights.cwiseProduct(rates);
  for (Eigen::Index i = 0; i < layout_.n_v; ++i)
    weights[i] *= 1.0 + of_first * double(layout_.n_v - i) / double(layout_.n_v);
  return weights;
}

/// Sets mass_roots_ to M_jj^1/2. Coordinates without mass have units of their own, as directors have beside displacements,
/// so that no other mass may stand for theirs. In a row that they share with coordinates that have mass they count for at most
/// as much as the one of those that counts most,
///
///     m_j^1/2 = max over rows i of |C_ij| / max_k (|C_ik| / M_kk^1/2)
template <class S>
void MatrixR<S>::find_mass_roots() {
  VectorXd& roots = mass_roots_;
  roots.setZero();
  for (const auto& b : jacobians_.M.blocks()) {
    if (b.row != b.col) continue;
    const auto block = jacobians_.M.view(b);
    for (Eigen::Index i = 0; i < b.rows; ++i)
      roots[b.row + i] = std::sqrt(std::max(real_part(block(i, i)), 0.0));
  }
  if ((roots.array() > 0.0).all()) return;
  double least = std::numeric_limits<double>::max();
  for (const double root : roots) {
    if (root > 0.0) least = std::min(least, root);
  }
  const auto& C = constraints_.C;
  const auto size_of = [&C](Eigen::Index i, Eigen::Index j) { return std::abs(real_part(C(i, j))); };
  // An entry that is rounding beside the rest of its column does not count.
  const auto negligible_in = [&](Eigen::Index j) {
    constexpr double rounding = 1e-10;
    double largest = 0.0;
    for (Eigen::Index i = 0; i < C.rows(); ++i) largest = std::max(largest, size_of(i, j));
    return rounding * largest;
  };
  largest_in_row_.setZero(C.rows());
  for (Eigen::Index j = 0; j < roots.size(); ++j) {
    if (!(roots[j] > 0.0)) continue;
    const double negligible = negligible_in(j);
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      if (size_of(i, j) > negligible)
        largest_in_row_[i] = std::max(largest_in_row_[i], size_of(i, j) / roots[j]);
    }
  }
  for (double& root : roots) {
    if (root > 0.0) continue;
    const Eigen::Index j = &root - roots.data();
    const double negligible = negligible_in(j);
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      if (largest_in_row_[i] > 0.0 && size_of(i, j) > negligible)
        root = std::max(root, size_of(i, j) / largest_in_row_[i]);
    }
    if (!(root > 0.0)) root = least;
  }
}

/// Chooses rows and columns by rank-revealing QR factorizations of C D with rows of unit length, so that units do not
/// matter.
template <class S>
auto MatrixR<S>::choose(const Segment& v) -> Choice {
  const Eigen::Index n_v = layout_.n_v;
  constexpr double rounding = 1e-9;
  const auto first = [](const auto& qr) {
    const auto& order = qr.colsPermutation().indices();
    Indices indices(order.data(), order.data() + qr.rank());
    std::ranges::sort(indices);
    return indices;
  };
  Choice choice;
  if (layout_.n_c > 0) {
    find_mass_roots();
    MatrixXd C = real_matrix<S>(constraints_.C) * mass_roots_.cwiseInverse().asDiagonal();
    for (Eigen::Index i = 0; i < C.rows(); ++i) C.row(i) /= std::max(C.row(i).norm(), 1e-300);
    Eigen::ColPivHouseholderQR<MatrixXd> of_rows;
    of_rows.setThreshold(rounding);
    of_rows.compute(C.transpose());
    choice.rows = first(of_rows);
    MatrixXd kept = C(choice.rows, Eigen::all) * preference(v).asDiagonal();
    for (const Eigen::Index j : given_) kept.col(j).setZero();
    Eigen::ColPivHouseholderQR<MatrixXd> of_columns;
    of_columns.setThreshold(rounding);
    of_columns.compute(kept);
    choice.dependent = first(of_columns);
  }
  for (Eigen::Index j = 0; j < n_v; ++j) {
    if (!std::ranges::binary_search(choice.dependent, j)) choice.free.push_back(j);
  }
  return choice;
}

/// Returns the largest leverage of the independent velocities that were chosen. Those given do not count, because they
/// stay in any case.
template <class S>
double MatrixR<S>::leverage() {
  const Choice& own = choice();
  if (own.dependent.empty()) return 0.0;
  find_mass_roots();
  double largest = 0.0;
  for (std::size_t j = 0; j < own.free.size(); ++j) {
    if (!std::ranges::binary_search(given_, own.free[j])) largest = std::max(largest, leverage(j));
  }
  return largest;
}

/// Returns the leverage of one independent velocity, by its index in the choice.
template <class S>
double MatrixR<S>::leverage(std::size_t free) const {
  const Choice& own = choice();
  double largest = 0.0;
  for (std::size_t i = 0; i < own.dependent.size(); ++i) {
    const double brought = std::abs(real_part(R_(Eigen::Index(i), Eigen::Index(free)))) *
                           mass_roots_[own.dependent[i]] / mass_roots_[own.free[free]];
    largest = std::max(largest, brought);
  }
  return largest;
}

/// Watches the given coordinates at the end of a step. The determinant of C_D changes its sign where one of them turns
/// back.
template <class S>
void MatrixR<S>::watch_given(Eigen::Index k) {
  const Choice& own = choice();
  if (own.dependent.empty()) return;
  if (k > 0) find_mass_roots();
  std::size_t worst = 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const auto index = std::ranges::lower_bound(own.free, given_[i]) - own.free.begin();
    const double brought = leverage(static_cast<std::size_t>(index));
    Watched& of = watched_[i];
    const double at_least_one = std::max(brought, 1.0), time = this->time(k);
    if (at_least_one < of.least) of.least = at_least_one, of.time_of_least = time;
    if (at_least_one > of.largest) of.largest = at_least_one, of.time_of_largest = time;
    if (const double growth = at_least_one / of.least; growth > largest) largest = growth, worst = i;
  }
  const double orientation = sign_of_determinant(velocity_lu_);
  if (watched_choice_ == current_ && orientation * orientation_ < 0.0 && !turned_back_)
    turned_back_ = TurnedBack{worst, this->time(k - 1), this->time(k)};
  orientation_ = orientation, watched_choice_ = current_;
}

template <class S>
std::vector<std::string> MatrixR<S>::choices() const {
  constexpr std::size_t most_named = 12;
  std::vector<std::string> lines;
  if (layout_.n_c == 0 || choices_.empty()) return lines;
  for (std::size_t k = 1; k < choice_of_step_.size(); ++k) {
    if (k > 1 && choice_of_step_[k] == choice_of_step_[k - 1]) continue;
    std::vector<std::string> names;
    for (const Eigen::Index i : choices_[choice_of_step_[k]].free) {
      if (!std::ranges::binary_search(given_, i)) names.push_back(model_.coordinate_label(i));
    }
    if (names.empty()) continue;
    const std::size_t n = names.size();
    if (n > most_named) names.resize(most_named), names.push_back(fmt::format("{} others", n - most_named));
    lines.push_back(
        fmt::format("independent coordinates{}{}: {}", given_.empty() ? "" : " beside those named",
                    k > 1 ? fmt::format(" from t = {:.6g} s", this->time(Eigen::Index(k) - 1)) : "",
                    fmt::join(names, ", ")));
  }
  return lines;
}

template <class S>
std::vector<std::string> MatrixR<S>::warnings() const {
  constexpr double much = 30.0;
  std::vector<std::string> lines;
  const auto name = [&](std::size_t i) { return model_.coordinate_label(given_[i]); };
  if (turned_back_) {
    lines.push_back(
        fmt::format("integrator.independent: {} turns back between t = {:.6g} and {:.6g} s, where the steps "
                    "are of first order. "
                    "Name a coordinate that does not turn back, or leave the key out",
                    name(turned_back_->given), turned_back_->from, turned_back_->to));
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Watched& of = watched_[i];
    if (of.growth() < much || (turned_back_ && turned_back_->given == i)) continue;
    lines.push_back(
        fmt::format("integrator.independent: {} moves others {:.0f} times as much at t = {:.6g} s as at t = "
                    "{:.6g} s, and "
                    "errors grow with it. Name another coordinate, or leave the key out",
                    name(i), of.growth(), of.time_of_largest, of.time_of_least));
  }
  return lines;
}

#define KURBEL_INSTANTIATE(S)                                    \
  template void MatrixR<S>::find_poses();                        \
  template void MatrixR<S>::find_mass_roots();                   \
  template auto MatrixR<S>::choose(const Segment&)->Choice;      \
  template double MatrixR<S>::leverage();                        \
  template void MatrixR<S>::watch_given(Eigen::Index k);         \
  template std::vector<std::string> MatrixR<S>::choices() const; \
  template std::vector<std::string> MatrixR<S>::warnings() const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
