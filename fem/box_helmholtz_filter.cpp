#include "fem/box_helmholtz_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "fem/box_filter.hpp"
#include "fem/helmholtz_filter.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Eigen::OuterStride;

using Lines = Eigen::Map<MatrixXd, 0, OuterStride<>>;

constexpr Index entries_of_chunk = 1 << 15;  // 256 kB

/// C_ik = c_k(i) / |c_k|.
MatrixXd orthonormal_cosines(Index n) {
  MatrixXd C(n, n);
  const double size = std::sqrt(2.0 / static_cast<double>(n));
  for (Index k = 0; k < n; ++k) {
    for (Index i = 0; i < n; ++i) {
      // The period is 4n: a small angle has the accuracy of the cosine.
      const double quarter_turns = static_cast<double>(k * (2 * i + 1) % (4 * n)) / static_cast<double>(n);
      C(i, k) = size * std::cos(0.5 * std::numbers::pi * quarter_turns);
    }
  }
  C.col(0) *= std::numbers::sqrt2 / 2.0;
  return C;
}

/// The wave k along an axis in the middle of an element: s and mu - 1.
struct Wave {
  double damping, stiffness;
};

Wave wave(Index k, Index n, double t) {
  const double angle = 0.5 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::pow(std::cos(angle), 2), 4.0 * t * std::pow(std::sin(angle), 2)};
}

/// Replaces f by s P^T (mu D + t K)^-1 P f. The pivots of the elimination are t + e_i,
///
///     e_0 = mu / 2,   e_i = mu D_i + t e_(i-1) / (t + e_(i-1)),
///
/// and the last one is e_n.
/// @param f     n elements, every `stride`-th
/// @param a, e  n + 1
void solve_line(double mu, double t, double s, Index n, double* f, Index stride, VectorXd& a, VectorXd& e) {
  e[0] = 0.5 * mu;
  a[0] = 0.5 * f[0];
  for (Index i = 1; i <= n; ++i) {
    const double share = t / (t + e[i - 1]), end = i == n ? 0.5 : 1.0;
    const double right = i == n ? 0.0 : f[i * stride];
    e[i] = mu * end + share * e[i - 1];
    a[i] = 0.5 * (f[(i - 1) * stride] + right) + share * a[i - 1];
  }
  a[n] /= e[n];
  for (Index i = n - 1; i >= 0; --i) {
    a[i] = (a[i] + t * a[i + 1]) / (t + e[i]);
    f[i * stride] = 0.5 * s * (a[i] + a[i + 1]);
  }
}

}  // namespace

BoxHelmholtzFilter::BoxHelmholtzFilter(const Mesh& mesh, const std::array<int, 3>& divisions, double radius)
    : longest_(static_cast<std::size_t>(std::ranges::max_element(divisions) - divisions.begin())) {
  const double r = helmholtz_length(radius);
  Index stride = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const Index n = divisions[d];
    axes_[d] = {n, stride, std::pow(r / mesh.element_size()[static_cast<Index>(d)], 2)};
    if (d != longest_) axes_[d].cosines = orthonormal_cosines(n);
    stride *= n;
  }
}

VectorXd BoxHelmholtzFilter::value(const VectorXd& in) const {
  return smoothed(in).cwiseMax(in.minCoeff()).cwiseMin(in.maxCoeff());  // but for rounding
}

VectorXd BoxHelmholtzFilter::smoothed(VectorXd field) const {
  for (const Axis& axis : axes_) transform(axis, Direction::to_cosines, field);
  solve_along_longest(field);
  for (const Axis& axis : axes_) transform(axis, Direction::from_cosines, field);
  return field;
}

/// Products by C or its transpose, a chunk of lines at a time.
void BoxHelmholtzFilter::transform(const Axis& axis, Direction direction, VectorXd& field) const {
  const auto& [n, stride, t, C] = axis;
  if (C.size() <= 1) return;
  const bool is_contiguous = stride == 1;
  const Index n_lines = field.size() / n, side_by_side = is_contiguous ? n_lines : stride;
  const Index lines_of_chunk = std::max<Index>(8, entries_of_chunk / n);
  const Index chunks = (side_by_side + lines_of_chunk - 1) / lines_of_chunk;
  parallel_for(chunks * (n_lines / side_by_side), 1, [&](Index begin, Index end) {
    MatrixXd product;
    for (Index chunk = begin; chunk < end; ++chunk) {
      const Index first = chunk % chunks * lines_of_chunk,
                  count = std::min(lines_of_chunk, side_by_side - first);
      double* start = field.data() + chunk / chunks * n * stride + first * (is_contiguous ? n : 1);
      Lines lines(start, is_contiguous ? n : count, is_contiguous ? count : n,
                  OuterStride<>(is_contiguous ? n : stride));
      const bool is_by_C = is_contiguous == (direction == Direction::from_cosines);
      if (is_contiguous) {
        is_by_C ? product.noalias() = C * lines : product.noalias() = C.transpose() * lines;
      } else {
        is_by_C ? product.noalias() = lines * C : product.noalias() = lines * C.transpose();
      }
      lines = product;
    }
  });
}

void BoxHelmholtzFilter::solve_along_longest(VectorXd& field) const {
  const Axis& longest = axes_[longest_];
  const Axis &first = axes_[longest_ == 0 ? 1 : 0], &second = axes_[longest_ == 2 ? 1 : 2];
  parallel_for(first.n * second.n, 1 + entries_of_chunk / longest.n, [&](Index begin, Index end) {
    VectorXd a(longest.n + 1), e(longest.n + 1);
    for (Index line = begin; line < end; ++line) {
      const Index i = line % first.n, j = line / first.n;
      const Wave one = wave(i, first.n, first.t), other = wave(j, second.n, second.t);
      solve_line(1.0 + one.stiffness + other.stiffness, longest.t, one.damping * other.damping, longest.n,
                 field.data() + i * first.stride + j * second.stride, longest.stride, a, e);
    }
  });
}

std::optional<std::array<int, 3>> divisions_of_joined_box(const Mesh& mesh) {
  const auto divisions = box_divisions(mesh);
  if (!divisions) return {};
  Index n_nodes = 1;
  for (int d = 0; d < mesh.dim(); ++d) n_nodes *= (*divisions)[static_cast<std::size_t>(d)] + 1;
  return mesh.n_nodes() == n_nodes ? divisions : std::nullopt;
}

std::unique_ptr<DesignMap> make_helmholtz_filter(const Mesh& mesh, double radius) {
  if (const auto divisions = divisions_of_joined_box(mesh))
    return std::make_unique<BoxHelmholtzFilter>(mesh, *divisions, radius);
  return std::make_unique<HelmholtzFilter>(mesh, radius);
}

}  // namespace kurbel::fem
