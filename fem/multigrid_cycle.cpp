#include "fem/multigrid.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr float lowest_smoothed =
    0.1F;  // of the largest eigenvalue; below are those that the coarse grid meets
constexpr int smoothing_steps = 2;
constexpr Index nodes_per_thread = 4096;

/// The two coarse nodes of a line around fine node i, and the weight of the second.
struct Between {
  int first;
  float second_weight;
};
Between between(int i, int factor, int n_coarse) {
  const int first = std::min(i / factor, n_coarse - 1);
  return {first, static_cast<float>(i - first * factor) / static_cast<float>(factor)};
}

/// Row c of a node's block times its values.
template <int dim, class Block, class Lane>
Lane row_times(const Block& D, int c, const Lane* values) {
  Lane sum = D(c, 0) * values[0];
  for (int d = 1; d < dim; ++d) sum += D(c, d) * values[d];
  return sum;
}

/// Calls act(coarse node, weight) for the coarse nodes that a fine node's value is interpolated from.
template <int dim, class Act>
void for_each_parent(const GridLevel<dim>& coarse, const std::array<int, 3>& place,
                     const std::array<int, 3>& factor, const Act& act) {
  std::array<Between, 3> at{};
  for (std::size_t d = 0; d < dim; ++d) at[d] = between(place[d], factor[d], coarse.divisions()[d]);
  for (int b = 0; b < GridLevel<dim>::corners; ++b) {
    const auto& ends = corner_ends[static_cast<std::size_t>(b)];
    float weight = 1.0F;
    for (std::size_t d = 0; d < dim; ++d)
      weight *= ends[d] == 1 ? at[d].second_weight : 1.0F - at[d].second_weight;
    if (weight == 0.0F) continue;
    act(coarse.node_at(at[0].first + ends[0], at[1].first + ends[1], at[2].first + ends[2]), weight);
  }
}

}  // namespace

template <int dim>
void Multigrid<dim>::add_product(const Grid& level, float sign, const Fields& x, Fields& y) const {
  if (level.E.empty()) return level.grid.template add_product<float, W>(sign, level.matrices, x, y);
  level.grid.template add_product<float, W>(sign, level.E, k_, x, y);
  for (const GridSpring& spring : springs_) {
    const auto i = static_cast<std::size_t>(dim * spring.node + spring.direction);
    y[i] += sign * static_cast<float>(spring.stiffness) * x[i];
  }
}

template <int dim>
void Multigrid<dim>::apply_inverse_diagonal(const Grid& level, const Fields& r, Fields& z) const {
  parallel_for(level.grid.n_nodes(), nodes_per_thread, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Block& D = level.inverse_diagonal[static_cast<std::size_t>(i)];
      const auto* r_i = r.data() + dim * i;
      auto* z_i = z.data() + dim * i;
      for (int c = 0; c < dim; ++c) {
        z_i[c] = row_times<dim>(D, c, r_i);
      }
    }
  });
}

/// Chebyshev's iteration on [lowest_smoothed, 1] times the largest eigenvalue of D^-1 K.
/// @param is_first  before the coarse grid: z is overwritten, and r becomes r - K z; after it nobody asks for r
template <int dim>
void Multigrid<dim>::smooth(Grid& level, Fields& r, Fields& z, bool is_first) const {
  const float largest = level.largest_eigenvalue, smallest = lowest_smoothed * largest;
  const float theta = 0.5F * (largest + smallest), delta = 0.5F * (largest - smallest), sigma = theta / delta;
  float rho = 1.0F / sigma;
  const auto combine = [&](float of_d, float of_r, bool moves_z) {
    parallel_for(level.grid.n_nodes(), nodes_per_thread, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Block& D = level.inverse_diagonal[static_cast<std::size_t>(i)];
        const auto* r_i = r.data() + dim * i;
        auto *d_i = level.d.data() + dim * i, *z_i = z.data() + dim * i;
        for (int c = 0; c < dim; ++c) {
          const auto sum = row_times<dim>(D, c, r_i);
          d_i[c] = of_d == 0.0F ? (of_r * sum).eval() : (of_d * d_i[c] + of_r * sum).eval();
          if (moves_z) {
            z_i[c] += d_i[c];
          } else {
            z_i[c] = d_i[c];
          }
        }
      }
    });
  };
  combine(0.0F, 1.0F / theta, !is_first);
  for (int step = 1; is_first || step < smoothing_steps; ++step) {
    add_product(level, -1.0F, level.d, r);
    if (step == smoothing_steps) return;
    const float next = 1.0F / (2.0F * sigma - rho);
    combine(next * rho, 2.0F * next / delta, true);
    rho = next;
  }
}

template <int dim>
void Multigrid<dim>::cycle(std::size_t l, Fields& r, Fields& z) {
  if (l + 1 == levels_.size()) return factor_->solve(r, z);
  Grid &level = *levels_[l], &coarse = *levels_[l + 1];
  smooth(level, r, z, true);
  restrict_to(level, r, coarse);
  cycle(l + 1, coarse.r, coarse.z);
  prolongate(coarse, level, z);
  add_product(level, -1.0F, level.d, r);
  smooth(level, r, z, false);
}

/// coarse.r = P^T r
template <int dim>
void Multigrid<dim>::restrict_to(const Grid& fine, const Fields& r, Grid& coarse) const {
  const auto& f = fine.factor;
  const auto& n = fine.grid.divisions();
  // A coarse node gathers from the fine ones around it, so that each is written once.
  parallel_for(coarse.grid.n_nodes(), nodes_per_thread / 8, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      auto* sum = coarse.r.data() + dim * i;
      std::fill_n(sum, dim, Fields::value_type::Zero());
      if (!coarse.grid.is_free(i)) continue;
      const std::array<int, 3> place = coarse.grid.place(i);
      std::array<int, 3> low{}, high{};
      for (std::size_t d = 0; d < dim; ++d) {
        low[d] = std::max(0, (place[d] - 1) * f[d] + 1);
        high[d] = std::min(n[d], (place[d] + 1) * f[d] - 1);
      }
      for (int z = low[2]; z <= high[2]; ++z) {
        for (int y = low[1]; y <= high[1]; ++y) {
          for (int x = low[0]; x <= high[0]; ++x) {
            const std::array<int, 3> at{x, y, z};
            float weight = 1.0F;
            for (std::size_t d = 0; d < dim; ++d) {
              const auto distance = static_cast<float>(std::abs(at[d] - place[d] * f[d]));
              weight *= 1.0F - distance / static_cast<float>(f[d]);
            }
            const auto* r_i = r.data() + dim * fine.grid.node_at(x, y, z);
            for (int d = 0; d < dim; ++d) sum[d] += weight * r_i[d];
          }
        }
      }
    }
  });
}

/// d = P coarse.z, z += d
template <int dim>
void Multigrid<dim>::prolongate(const Grid& coarse, Grid& fine, Fields& z) const {
  parallel_for(fine.grid.n_nodes(), nodes_per_thread, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      auto *d_i = fine.d.data() + dim * i, *z_i = z.data() + dim * i;
      std::fill_n(d_i, dim, Fields::value_type::Zero());
      if (!fine.grid.is_free(i)) continue;
      for_each_parent(coarse.grid, fine.grid.place(i), fine.factor, [&](Index parent, float weight) {
        const auto* own = coarse.z.data() + dim * parent;
        for (int d = 0; d < dim; ++d) d_i[d] += weight * own[d];
      });
      for (int d = 0; d < dim; ++d) z_i[d] += d_i[d];
    }
  });
}

#define KURBEL_MULTIGRID(dim)                                                                      \
  template void Multigrid<dim>::add_product(const Grid&, float, const Fields&, Fields&) const;     \
  template void Multigrid<dim>::apply_inverse_diagonal(const Grid&, const Fields&, Fields&) const; \
  template void Multigrid<dim>::smooth(Grid&, Fields&, Fields&, bool) const;                       \
  template void Multigrid<dim>::cycle(std::size_t, Fields&, Fields&);                              \
  template void Multigrid<dim>::restrict_to(const Grid&, const Fields&, Grid&) const;              \
  template void Multigrid<dim>::prolongate(const Grid&, Grid&, Fields&) const
KURBEL_MULTIGRID(2);
KURBEL_MULTIGRID(3);
#undef KURBEL_MULTIGRID

}  // namespace kurbel::fem
