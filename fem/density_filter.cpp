#include "fem/density_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "base/parallel.hpp"

namespace kurbel::fem {

namespace {

constexpr double cells_in_radius = 3.0;       // smaller cells examine fewer elements beyond the radius
constexpr Eigen::Index cells_of_element = 4;  // empty ones included, at most
constexpr Eigen::Index elements_of_chunk = 512;

/// The elements of the cells around one, side by side.
class Candidates {
 public:
  explicit Candidates(Eigen::Index most) : values_(most, 4) {}

  void clear() { n_ = 0; }
  void add(const Eigen::ArrayXXd& centres, const Eigen::ArrayXd& in, Eigen::Index first, Eigen::Index count) {
    if (n_ + count > values_.rows()) values_.conservativeResize(2 * (n_ + count), Eigen::NoChange);
    values_.block(n_, 0, count, 3) = centres.middleRows(first, count);
    values_.col(3).segment(n_, count) = in.segment(first, count);
    n_ += count;
  }
  /// sum_f max(0, radius - |x - x_f|) in_f.
  double weighted_sum(const Eigen::Array3d& x, double radius) const {
    const auto distance = [&](Eigen::Index d) { return values_.col(d).head(n_) - x[d]; };
    const auto squared = distance(0).square() + distance(1).square() + distance(2).square();
    return ((radius - squared.sqrt()).max(0.0) * values_.col(3).head(n_)).sum();
  }

 private:
  Eigen::Array<double, Eigen::Dynamic, 4> values_;  // x, y, z, in
  Eigen::Index n_ = 0;
};

}  // namespace

DensityFilter::DensityFilter(const Mesh& mesh, double radius)
    : radius_(radius), is_identity_(radius == 0.0), volumes_(mesh.volumes() / mesh.volumes()[0]) {
  if (!(radius >= 0.0) || !std::isfinite(radius)) {
    throw InputError(fmt::format("filter.radius = {} is not a length", radius));
  }
  if (is_identity_) return;
  choose_cells(mesh.centres());
  sort_into_cells(mesh.centres());
  find_rows();
  sums_ = weighted_sums(volumes_);
  is_identity_ = sums_ == radius_ * volumes_;  // every element is alone
}

/// Small cells have few elements beyond the radius around them, but there shall not be many more cells than elements.
void DensityFilter::choose_cells(const Mesh::Points& centres) {
  const Vector3d extent = centres.rowwise().maxCoeff() - centres.rowwise().minCoeff();
  const auto count = [&] {
    double product = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      cells_[d] = static_cast<Index>(extent[static_cast<Index>(d)] / cell_size_) + 1;
      product *= static_cast<double>(cells_[d]);
    }
    return product;
  };
  cell_size_ = std::max(radius_ / cells_in_radius, 1e-6 * extent.maxCoeff());
  while (count() > static_cast<double>(cells_of_element * centres.cols())) cell_size_ *= 1.25;
}

void DensityFilter::sort_into_cells(const Mesh::Points& centres) {
  const Vector3d lowest = centres.rowwise().minCoeff();
  std::vector<Index> cell_of(static_cast<std::size_t>(centres.cols()));
  cell_begin_.assign(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2] + 1), 0);
  for (Index e = 0; e < centres.cols(); ++e) {
    Cell cell;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto axis = static_cast<Index>(d);
      cell[d] = std::min(static_cast<Index>((centres(axis, e) - lowest[axis]) / cell_size_), cells_[d] - 1);
    }
    cell_of[static_cast<std::size_t>(e)] = number_of(cell);
    ++cell_begin_[static_cast<std::size_t>(number_of(cell) + 1)];
  }
  std::partial_sum(cell_begin_.begin(), cell_begin_.end(), cell_begin_.begin());
  std::vector<Index> next(cell_begin_.begin(), cell_begin_.end() - 1);
  elements_.resize(cell_of.size());
  for (Index e = 0; e < centres.cols(); ++e) {
    const Index cell = cell_of[static_cast<std::size_t>(e)];
    elements_[static_cast<std::size_t>(next[static_cast<std::size_t>(cell)]++)] = e;
  }
  sorted_centres_ = centres.transpose()(elements_, Eigen::all).array();
}

void DensityFilter::find_rows() {
  const auto gap = [&](Index cells) {
    return cell_size_ * static_cast<double>(std::max<Index>(cells - 1, 0));
  };
  const auto most = static_cast<Index>(std::ceil(radius_ / cell_size_));
  for (Index dz = -most; dz <= most; ++dz) {
    for (Index dy = -most; dy <= most; ++dy) {
      Index reach = most;
      const double across = std::hypot(gap(std::abs(dy)), gap(std::abs(dz)));
      while (reach >= 0 && std::hypot(across, gap(reach)) > radius_) --reach;
      if (reach >= 0) rows_.push_back({dy, dz, reach});
    }
  }
}

VectorXd DensityFilter::weighted_sums(const VectorXd& in) const {
  const Eigen::ArrayXd sorted = in(elements_);
  VectorXd out(in.size());
  const Index n_cells = std::ssize(cell_begin_) - 1;
  parallel_for(n_cells, 1 + elements_of_chunk * n_cells / in.size(), [&](Index begin, Index end) {
    Candidates candidates(elements_of_chunk);
    for (Index number = begin; number < end; ++number) {
      const Index first = cell_begin_[static_cast<std::size_t>(number)],
                  last = cell_begin_[static_cast<std::size_t>(number + 1)];
      if (first == last) continue;
      const Cell cell = {number % cells_[0], number / cells_[0] % cells_[1], number / cells_[0] / cells_[1]};
      candidates.clear();
      for (const auto& [dy, dz, reach] : rows_) {
        const Index y = cell[1] + dy, z = cell[2] + dz;
        if (y < 0 || y >= cells_[1] || z < 0 || z >= cells_[2]) continue;
        const Index x_first = std::max<Index>(cell[0] - reach, 0),
                    x_last = std::min(cell[0] + reach, cells_[0] - 1);
        const Index from = cell_begin_[static_cast<std::size_t>(number_of({x_first, y, z}))],
                    to = cell_begin_[static_cast<std::size_t>(number_of({x_last, y, z}) + 1)];
        candidates.add(sorted_centres_, sorted, from, to - from);
      }
      for (Index i = first; i < last; ++i) {
        out[elements_[static_cast<std::size_t>(i)]] =
            candidates.weighted_sum(sorted_centres_.row(i).transpose(), radius_);
      }
    }
  });
  return out;
}

VectorXd DensityFilter::value(const VectorXd& in) const {
  if (is_identity_) return in;
  return weighted_sums(volumes_.cwiseProduct(in)).cwiseQuotient(sums_);
}

VectorXd DensityFilter::pullback(const VectorXd&, const VectorXd& out_bar) const {
  if (is_identity_) return out_bar;
  return volumes_.cwiseProduct(weighted_sums(out_bar.cwiseQuotient(sums_)));
}

}  // namespace kurbel::fem
