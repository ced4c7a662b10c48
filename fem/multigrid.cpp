#include "fem/multigrid.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>

#include "fem/grid_interpolation.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr float safety = 1.1F;  // of the largest eigenvalue, which power iterations meet from below
constexpr int power_iterations = 12;

std::array<int, 3> coarsening(const std::array<int, 3>& divisions) {
  std::array<int, 3> factor;
  std::ranges::transform(divisions, factor.begin(), [](int n) { return n > 1 ? 2 : 1; });
  return factor;
}

Index product(const std::array<int, 3>& n) {
  return static_cast<Index>(n[0]) * n[1] * n[2];
}

/// The divisions of all grids, each a multiple of the next one's by its factors.
std::vector<std::array<int, 3>> divisions_of_levels(std::array<int, 3> divisions, Index coarsest) {
  std::vector<std::array<int, 3>> levels{divisions};
  while (product(levels.back()) > coarsest) {
    const std::array<int, 3> factor = coarsening(levels.back());
    std::array<int, 3> coarse;
    for (std::size_t d = 0; d < 3; ++d) coarse[d] = (levels.back()[d] + factor[d] - 1) / factor[d];
    levels.push_back(coarse);
  }
  for (std::size_t l = levels.size() - 1; l > 0; --l) {
    const std::array<int, 3> factor = coarsening(levels[l - 1]);
    for (std::size_t d = 0; d < 3; ++d) levels[l - 1][d] = levels[l][d] * factor[d];
  }
  return levels;
}

/// The nodes of a box in one that is widened; those added are absent.
template <int dim>
std::vector<GridNode> widened(const std::array<int, 3>& divisions, const std::vector<bool>& clamped,
                              const std::array<int, 3>& wide) {
  std::vector<GridNode> nodes;
  for (int k = 0; k < (dim == 3 ? wide[2] + 1 : 1); ++k) {
    for (int j = 0; j <= wide[1]; ++j) {
      for (int i = 0; i <= wide[0]; ++i) {
        const bool is_own = i <= divisions[0] && j <= divisions[1] && k <= divisions[2];
        const Index own =
            i + static_cast<Index>(divisions[0] + 1) * (j + static_cast<Index>(divisions[1] + 1) * k);
        nodes.push_back(!is_own                                  ? GridNode::absent
                        : clamped[static_cast<std::size_t>(own)] ? GridNode::clamped
                                                                 : GridNode::free);
      }
    }
  }
  return nodes;
}

}  // namespace

template <int dim>
Multigrid<dim>::Multigrid(const std::array<int, 3>& divisions, const std::vector<bool>& clamped,
                          Index coarsest) {
  const std::vector<std::array<int, 3>> n = divisions_of_levels(divisions, coarsest);
  levels_.push_back(std::make_unique<Grid>(Grid{Level(n[0], widened<dim>(divisions, clamped, n[0]))}));
  for (std::size_t l = 1; l < n.size(); ++l) {
    Grid& fine = *levels_.back();
    for (std::size_t d = 0; d < 3; ++d) fine.factor[d] = n[l - 1][d] / n[l][d];
    levels_.push_back(std::make_unique<Grid>(Grid{Level(n[l], coarse_nodes(fine.grid, fine.factor, n[l]))}));
    if (l + 1 < n.size())
      levels_.back()->matrices.resize(static_cast<std::size_t>(product(n[l]) * dofs * dofs));
  }
  for (auto& level : levels_) {
    level->inverse_diagonal.resize(static_cast<std::size_t>(level->grid.n_nodes()));
    for (Fields* fields : {&level->r, &level->z, &level->d})
      fields->resize(static_cast<std::size_t>(dim * level->grid.n_nodes()), Fields::value_type::Zero());
  }
  factor_ = std::make_unique<GridFactor<dim>>(levels_.back()->grid);
}

/// A coarse node is clamped where the fine one at its place is, and absent where no free node is near enough to take its
/// value.
template <int dim>
std::vector<GridNode> Multigrid<dim>::coarse_nodes(const Level& fine, const std::array<int, 3>& factor,
                                                   const std::array<int, 3>& divisions) {
  std::vector<GridNode> nodes;
  const auto near = [&](int i, std::size_t d, int& begin, int& end) {
    begin = std::max(0, i * factor[d] - factor[d] + 1);
    end = dim == 2 && d == 2 ? 0 : std::min(fine.divisions()[d], i * factor[d] + factor[d] - 1);
  };
  for (int k = 0; k < (dim == 3 ? divisions[2] + 1 : 1); ++k) {
    for (int j = 0; j <= divisions[1]; ++j) {
      for (int i = 0; i <= divisions[0]; ++i) {
        const Index same = fine.node_at(i * factor[0], j * factor[1], k * factor[2]);
        GridNode state = fine.node(same);
        if (state == GridNode::absent) {
          std::array<int, 3> begin{}, end{};
          near(i, 0, begin[0], end[0]), near(j, 1, begin[1], end[1]), near(k, 2, begin[2], end[2]);
          for (int z = begin[2]; z <= end[2]; ++z) {
            for (int y = begin[1]; y <= end[1]; ++y) {
              for (int x = begin[0]; x <= end[0]; ++x)
                if (fine.is_free(fine.node_at(x, y, z))) state = GridNode::free;
            }
          }
        }
        nodes.push_back(state);
      }
    }
  }
  return nodes;
}

template <int dim>
bool Multigrid<dim>::update(const std::vector<double>& E, const MatrixXd& k,
                            std::vector<GridSpring> springs) {
  Grid& finest = *levels_.front();
  finest.E.assign(E.begin(), E.end());
  const RowMatrix k_rows = k.template cast<float>();
  finest.matrices.assign(k_rows.data(), k_rows.data() + k_rows.size());
  k_ = BoxStiffness<dim, float>(k);
  springs_ = std::move(springs);
  for (std::size_t l = 1; l + 1 < levels_.size(); ++l) {
    make_coarse(*levels_[l - 1], *levels_[l]);
    if (l == 1) add_springs(*levels_[0], *levels_[1]);
  }
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    if (!find_diagonal(*levels_[l])) return false;
    estimate_eigenvalue(*levels_[l]);
  }
  return factor_->factorize(coarsest_matrices(E, k));
}

/// Interpolation to the corners of a child, without what belongs to nodes of the child that are not free.
template <int dim>
auto Multigrid<dim>::child_weights(const Grid& fine, Index child, const std::array<int, 3>& within)
    -> Weights {
  Weights weights = fem::child_weights<dim, float>(fine.factor, within);
  for (int a = 0; a < corners; ++a)
    if (!fine.grid.is_free(fine.grid.first_node(child) + fine.grid.offset(a))) weights.row(a).setZero();
  return weights;
}

template <int dim>
void Multigrid<dim>::make_coarse(const Grid& fine, Grid& coarse) const {
  using ElementMatrix = Eigen::Matrix<float, dofs, dofs, Eigen::RowMajor>;
  const std::array<int, 3>& f = fine.factor;
  const auto n_children = static_cast<std::size_t>(product(f));
  const bool is_finest = !fine.E.empty();
  // On the finest grid, children whose nodes are all free differ by their modulus alone: their share is found once.
  std::vector<ElementMatrix> of_free;
  for (std::size_t c = 0; is_finest && c < n_children; ++c) {
    of_free.push_back(interpolated<dim, ElementMatrix>(Eigen::Map<const ElementMatrix>(fine.matrices.data()),
                                                       fem::child_weights<dim, float>(f, within(f, c))));
  }
  const std::array<int, 3>& n = coarse.grid.divisions();
  parallel_for(coarse.grid.n_elements(), 64, [&](Index begin, Index end) {
    for (Index e = begin; e < end; ++e) {
      const std::array<Index, 3> place{e % n[0], e / n[0] % n[1], e / n[0] / n[1]};
      Eigen::Map<ElementMatrix> k(coarse.matrices.data() + e * dofs * dofs);
      k.setZero();
      for (std::size_t c = 0; c < n_children; ++c) {
        const std::array<int, 3> at = within(f, c);
        const std::array<int, 3>& n_fine = fine.grid.divisions();
        const Index child = place[0] * f[0] + at[0] +
                            n_fine[0] * (place[1] * f[1] + at[1] + n_fine[1] * (place[2] * f[2] + at[2]));
        const auto [factor, k_child] = matrix(fine, child);
        if (factor == 0.0F) continue;
        if (is_finest && fine.grid.has_free_nodes_only(child)) {
          k += factor * of_free[c];
        } else {
          k += factor * interpolated<dim, ElementMatrix>(Eigen::Map<const ElementMatrix>(k_child),
                                                         child_weights(fine, child, at));
        }
      }
    }
  });
}

/// Adds the springs of the fine grid to one coarse element each that has their node.
template <int dim>
void Multigrid<dim>::add_springs(const Grid& fine, Grid& coarse) const {
  for (const GridSpring& spring : springs_) {
    std::array<int, 3> element = fine.grid.place(spring.node);
    for (std::size_t d = 0; d < 3; ++d)
      element[d] = std::min(element[d], fine.grid.divisions()[d] - 1) / fine.factor[d];
    const std::array<int, 3>& n = coarse.grid.divisions();
    const Index e =
        element[0] + static_cast<Index>(n[0]) * (element[1] + static_cast<Index>(n[1]) * element[2]);
    const std::array<int, 3> place = fine.grid.place(spring.node);
    Eigen::Matrix<float, corners, 1> weights;
    for (int b = 0; b < corners; ++b) {
      weights[b] = 1.0F;
      for (std::size_t d = 0; d < dim; ++d) {
        const float t =
            static_cast<float>(place[d] - element[d] * fine.factor[d]) / static_cast<float>(fine.factor[d]);
        weights[b] *= corner_ends[static_cast<std::size_t>(b)][d] == 1 ? t : 1.0F - t;
      }
    }
    Eigen::Map<RowMatrix> k(coarse.matrices.data() + e * dofs * dofs, dofs, dofs);
    for (int a = 0; a < corners; ++a) {
      for (int b = 0; b < corners; ++b)
        k(dim * a + spring.direction, dim * b + spring.direction) +=
            static_cast<float>(spring.stiffness) * weights[a] * weights[b];
    }
  }
}

/// Inverts the blocks of the nodes. False if one has no inverse.
template <int dim>
bool Multigrid<dim>::find_diagonal(Grid& level) const {
  using NodeBlock = Eigen::Matrix<double, dim, dim>;
  std::vector<NodeBlock> diagonal(level.inverse_diagonal.size(), NodeBlock::Zero());
  level.grid.for_each_element([&](Index e, Index first) {
    const auto [factor, k] = matrix(level, e);
    const Eigen::Map<const Eigen::Matrix<float, dofs, dofs, Eigen::RowMajor>> k_e(k);
    for (int a = 0; a < corners; ++a) {
      const auto node = static_cast<std::size_t>(first + level.grid.offset(a));
      diagonal[node] += (factor * k_e.template block<dim, dim>(dim * a, dim * a)).template cast<double>();
    }
  });
  if (!level.E.empty()) {
    for (const GridSpring& spring : springs_)
      diagonal[static_cast<std::size_t>(spring.node)](spring.direction, spring.direction) += spring.stiffness;
  }
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    level.inverse_diagonal[i].setZero();
    if (!level.grid.is_free(static_cast<Index>(i))) continue;
    const double size = diagonal[i].diagonal().maxCoeff(), determinant = diagonal[i].determinant();
    if (!(determinant > 1e-12 * std::pow(size, dim))) return false;
    level.inverse_diagonal[i] = diagonal[i].inverse().template cast<float>();
  }
  return true;
}

/// Power iterations on D^-1 K from pseudo-random fields.
template <int dim>
void Multigrid<dim>::estimate_eigenvalue(Grid& level) const {
  std::mt19937 random(20231);
  Fields &x = level.z, &y = level.r;
  for (auto& lane : x) {
    for (int w = 0; w < W; ++w) lane[w] = static_cast<float>(random() >> 8) * 0x1p-24F - 0.5F;
  }
  double largest = 0.0;
  for (int i = 0; i <= power_iterations; ++i) {
    std::ranges::fill(y, Fields::value_type::Zero());
    add_product(level, 1.0F, x, y);
    apply_inverse_diagonal(level, y, level.d);
    Eigen::Array<double, W, 1> before = Eigen::Array<double, W, 1>::Zero(), after = before;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (!level.grid.is_free(static_cast<Index>(j) / dim)) x[j].setZero();
      before += x[j].square().template cast<double>();
      after += level.d[j].square().template cast<double>();
    }
    largest = (after / before).sqrt().maxCoeff();
    const auto scale = (1.0 / after.sqrt()).template cast<float>().eval();
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = scale * level.d[j];
  }
  level.largest_eigenvalue = safety * static_cast<float>(largest);
}

template <int dim>
double Multigrid<dim>::memory() const {
  double bytes = factor_->memory();
  for (const auto& level : levels_) {
    bytes += sizeof(float) * static_cast<double>(level->E.size() + level->matrices.size()) +
             sizeof(Block) * static_cast<double>(level->inverse_diagonal.size()) +
             3.0 * sizeof(float) * W * static_cast<double>(level->r.size());
  }
  return bytes;
}

template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace kurbel::fem
