#include "fem/grid_factor.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>

#include "base/parallel.hpp"
#include "fem/pivots.hpp"

namespace kurbel::fem {

using Eigen::Index;

namespace {

// Fronts above this depth are one step for each depth. Those below it are in one list for each front at this depth.
constexpr int shared_depth = 3;
// A part of the grid with no more nodes is one front.
constexpr Index leaf_nodes = 24;

/// The rows of a tile times b.
/// @param F  column by column
template <std::size_t rows, class Lane>
std::array<Lane, rows> tile_times(const float* F, Index n_columns, const Lane* b) {
  std::array<Lane, rows> sum;
  for (Lane& s : sum) s.setZero();
  for (Index j = 0; j < n_columns; ++j) {
    const Lane& b_j = b[j];
#pragma GCC unroll 12
    for (std::size_t i = 0; i < rows; ++i) sum[i] += F[i] * b_j;
    F += rows;
  }
  return sum;
}

/// Adds the transpose of a tile times y to x.
template <std::size_t rows, class Lane>
void add_transposed_tile(const float* F, Index n_columns, const Lane* y, Lane* x) {
  std::array<Lane, rows> y_i;
  std::copy_n(y, rows, y_i.begin());
  for (Index j = 0; j < n_columns; ++j) {
    constexpr std::size_t chains = 3;
    std::array<Lane, chains> sum;
#pragma GCC unroll 12
    for (std::size_t i = 0; i < chains; ++i) sum[i] = F[i] * y_i[i];
#pragma GCC unroll 12
    for (std::size_t i = chains; i < rows; ++i) sum[i % chains] += F[i] * y_i[i];
    x[j] += sum[0] + sum[1] + sum[2];
    F += rows;
  }
}

Index whole_tiles(Index rows, Index tile) {
  return (rows + tile - 1) / tile * tile;
}

/// The values of a node, of which a field has one for every direction.
template <int dim, class Fields>
auto values_of(Fields& fields, Index node) {
  return fields.data() + dim * node;
}

}  // namespace

template <int dim>
GridFactor<dim>::GridFactor(const Level& grid) : grid_(grid), steps_(1 + shared_depth) {
  const std::array<int, 3>& n = grid.divisions();
  std::vector<std::size_t> order;
  add_front({{{0, n[0]}, {0, n[1]}, {0, dim == 3 ? n[2] : 0}}}, 0, nullptr, order);
  distribute_elements();
  // F is allocated here: between the matrices of fronts it would fragment the memory.
  for (Front& front : fronts_) {
    const Index n_pivots = dim * front.n_pivots, n_rows = dim * std::ssize(front.nodes);
    Index size = 0;
    for (Index first = 0; first < n_rows; first += tile) size += tile * std::min(n_pivots, first + tile);
    front.F.resize(static_cast<std::size_t>(size));
    front.left.resize(static_cast<std::size_t>(n_rows - n_pivots));
  }
}

/// Free nodes of a box that are not in another one within it.
template <int dim>
std::vector<Index> GridFactor<dim>::free_nodes(const Box& box, const Box& without) const {
  std::vector<Index> nodes;
  const auto is_in = [](int i, const std::array<int, 2>& range) { return range[0] <= i && i <= range[1]; };
  for (int k = box[2][0]; k <= box[2][1]; ++k) {
    for (int j = box[1][0]; j <= box[1][1]; ++j) {
      for (int i = box[0][0]; i <= box[0][1]; ++i) {
        if (is_in(i, without[0]) && is_in(j, without[1]) && is_in(k, without[2])) continue;
        if (const Index node = grid_.node_at(i, j, k); grid_.is_free(node)) nodes.push_back(node);
      }
    }
  }
  return nodes;
}

/// Sorts the border of a front by the places of its nodes among those of the parent, and keeps the places.
template <int dim>
void GridFactor<dim>::place_in_parent(const Front& parent, std::vector<Index>& border, Front& front) {
  std::vector<std::pair<Index, Index>> placed;
  for (const Index node : border) {
    const auto at = std::ranges::find(parent.nodes, node) - parent.nodes.begin();
    placed.emplace_back(at, node);
  }
  std::ranges::sort(placed);
  border.clear();
  for (const auto& [at, node] : placed) border.push_back(node), front.in_parent.push_back(at);
}

/// Adds the fronts of a box, whose outside neighbours are eliminated later, and appends them to the order.
/// @return the number of the front that eliminates the last of its nodes
template <int dim>
std::size_t GridFactor<dim>::add_front(const Box& box, int depth, const Front* parent,
                                       std::vector<std::size_t>& order) {
  constexpr std::array<int, 2> nothing{1, 0};
  Front front;
  Box around = box, plane = box;
  Index n_nodes = 1;
  std::size_t axis = 0;
  const auto length = [&](std::size_t d) { return box[d][1] - box[d][0] + 1; };
  for (std::size_t d = 0; d < 3; ++d) {
    n_nodes *= length(d);
    if (length(d) > length(axis)) axis = d;
    const int last = d < dim ? grid_.divisions()[d] : 0;
    around[d] = {std::max(0, box[d][0] - 1), std::min(last, box[d][1] + 1)};
  }
  const bool is_leaf = n_nodes <= leaf_nodes || length(axis) < 3;
  if (!is_leaf) plane[axis][0] = plane[axis][1] = (box[axis][0] + box[axis][1]) / 2;
  front.nodes = free_nodes(plane, {nothing, nothing, nothing});
  front.n_pivots = std::ssize(front.nodes);
  std::vector<Index> border = free_nodes(around, box);
  if (parent) place_in_parent(*parent, border, front);
  front.nodes.insert(front.nodes.end(), border.begin(), border.end());
  std::vector<std::size_t> own_list;
  std::vector<std::size_t>& list = depth <= shared_depth ? own_list : order;
  if (!is_leaf) {
    Box low = box, high = box;
    low[axis][1] = plane[axis][0] - 1, high[axis][0] = plane[axis][0] + 1;
    for (const Box& part : {low, high}) front.below.push_back(add_front(part, depth + 1, &front, list));
  }
  fronts_.push_back(std::move(front));
  list.push_back(fronts_.size() - 1);
  if (depth <= shared_depth)
    steps_[static_cast<std::size_t>(shared_depth - depth)].push_back(std::move(own_list));
  return fronts_.size() - 1;
}

/// Gives every element to the front that eliminates the first of its nodes. That front has all of them.
template <int dim>
void GridFactor<dim>::distribute_elements() {
  std::vector<std::size_t> eliminated_by(static_cast<std::size_t>(grid_.n_nodes()), fronts_.size());
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    for (Index i = 0; i < fronts_[f].n_pivots; ++i)
      eliminated_by[static_cast<std::size_t>(fronts_[f].nodes[static_cast<std::size_t>(i)])] = f;
  }
  std::vector<std::vector<Index>> elements(fronts_.size());
  for (Index e = 0; e < grid_.n_elements(); ++e) {
    std::size_t first = fronts_.size();
    for (int a = 0; a < corners; ++a)
      first = std::min(first, eliminated_by[static_cast<std::size_t>(grid_.first_node(e) + grid_.offset(a))]);
    if (first < fronts_.size()) elements[first].push_back(e);
  }
  std::vector<Index> place(static_cast<std::size_t>(grid_.n_nodes()), -1);
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    for (std::size_t i = 0; i < front.nodes.size(); ++i)
      place[static_cast<std::size_t>(front.nodes[i])] = static_cast<Index>(i);
    for (const Index e : elements[f]) {
      std::array<Index, corners> places{};
      for (int a = 0; a < corners; ++a) {
        const Index node = grid_.first_node(e) + grid_.offset(a);
        places[static_cast<std::size_t>(a)] =
            grid_.is_free(node) ? place[static_cast<std::size_t>(node)] : -1;
      }
      front.elements.emplace_back(e, places);
    }
  }
}

template <int dim>
template <class Act>
void GridFactor<dim>::upwards(const Act& act) const {
  for (const auto& lists : steps_) {
    parallel_for(std::ssize(lists), 1, [&](Index i, Index end) {
      for (; i < end; ++i) {
        for (const std::size_t f : lists[static_cast<std::size_t>(i)]) act(f);
      }
    });
  }
}

template <int dim>
template <class Act>
void GridFactor<dim>::downwards(const Act& act) const {
  for (auto lists = steps_.rbegin(); lists != steps_.rend(); ++lists) {
    parallel_for(std::ssize(*lists), 1, [&](Index i, Index end) {
      for (; i < end; ++i) {
        const std::vector<std::size_t>& list = (*lists)[static_cast<std::size_t>(i)];
        for (auto f = list.rbegin(); f != list.rend(); ++f) act(*f);
      }
    });
  }
}

/// The lower triangle of the matrix of a front. What its children left is taken.
template <int dim>
MatrixXd GridFactor<dim>::assembled(const Front& front, const MatrixXd& matrices,
                                    std::vector<MatrixXd>& left) const {
  const Index n = dim * std::ssize(front.nodes);
  MatrixXd A = MatrixXd::Zero(n, n);
  for (const auto& [e, places] : front.elements) {
    const Eigen::Map<const Eigen::Matrix<double, dofs, dofs>> k(matrices.col(e).data());
    for (int a = 0; a < corners; ++a) {
      const Index row = places[static_cast<std::size_t>(a)];
      if (row < 0) continue;
      for (int b = 0; b < corners; ++b) {
        const Index column = places[static_cast<std::size_t>(b)];
        if (column >= 0 && column <= row)
          A.block<dim, dim>(dim * row, dim * column) += k.template block<dim, dim>(dim * a, dim * b);
      }
    }
  }
  for (const std::size_t c : front.below) {
    const std::vector<Index>& place = fronts_[c].in_parent;  // ascending
    for (std::size_t j = 0; j < place.size(); ++j) {
      for (Index d = 0; d < dim; ++d) {
        const double* from = left[c].col(dim * static_cast<Index>(j) + d).data();
        double* to = A.col(dim * place[j] + d).data();
        for (std::size_t i = j; i < place.size(); ++i) {
          for (Index r = 0; r < dim; ++r) to[dim * place[i] + r] += from[dim * static_cast<Index>(i) + r];
        }
      }
    }
    left[c].resize(0, 0);
  }
  return A;
}

/// Finds F, and leaves A_22 without what the pivots carry.
template <int dim>
bool GridFactor<dim>::eliminate(Front& front, MatrixXd& A, const VectorXd& diagonal) const {
  const Index n = dim * front.n_pivots, rest = A.rows() - n;
  if (n == 0) return true;
  Eigen::Ref<MatrixXd> A_11 = A.topLeftCorner(n, n);
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(A_11);
  if (factor.info() != Eigen::Success) return false;
  for (Index i = 0; i < n; ++i) {
    const double entry = diagonal[dim * front.nodes[static_cast<std::size_t>(i / dim)] + i % dim];
    if (!(A_11(i, i) * A_11(i, i) > pivot_noise * entry)) return false;
  }
  MatrixXd F_1 = MatrixXd::Identity(n, n);
  A_11.template triangularView<Eigen::Lower>().solveInPlace(F_1);
  const MatrixXd L_2 = A.bottomLeftCorner(rest, n) * F_1.transpose().template triangularView<Eigen::Upper>();
  A.bottomRightCorner(rest, rest).template selfadjointView<Eigen::Lower>().rankUpdate(L_2, -1.0);
  keep(front, F_1, L_2 * F_1.template triangularView<Eigen::Lower>());
  return true;
}

template <int dim>
void GridFactor<dim>::keep(Front& front, const MatrixXd& F_1, const MatrixXd& F_2) const {
  const Index n = F_1.cols(), n_rows = F_1.rows() + F_2.rows();
  float* entry = front.F.data();
  for (Index first = 0; first < n_rows; first += tile) {
    for (Index j = 0; j < std::min(n, first + tile); ++j) {
      for (Index i = first; i < first + tile; ++i)
        *entry++ = i < n        ? static_cast<float>(F_1(i, j))
                   : i < n_rows ? static_cast<float>(F_2(i - n, j))
                                : 0.0F;
    }
  }
}

template <int dim>
bool GridFactor<dim>::factorize(const MatrixXd& matrices) {
  VectorXd diagonal = VectorXd::Zero(dim * grid_.n_nodes());
  for (Index e = 0; e < grid_.n_elements(); ++e) {
    for (int i = 0; i < dofs; ++i)
      diagonal[dim * (grid_.first_node(e) + grid_.offset(i / dim)) + i % dim] += matrices(i * (dofs + 1), e);
  }
  std::vector<MatrixXd> left(fronts_.size());
  std::atomic<bool> is_regular = true;
  upwards([&](std::size_t f) {
    if (!is_regular) return;
    MatrixXd A = assembled(fronts_[f], matrices, left);
    if (!eliminate(fronts_[f], A, diagonal)) {
      is_regular = false;
      return;
    }
    const Index rest = A.rows() - dim * fronts_[f].n_pivots;
    left[f] = A.bottomRightCorner(rest, rest);
  });
  return is_regular;
}

template <int dim>
void GridFactor<dim>::solve(const Fields& b, Fields& x) {
  upwards([&](std::size_t f) { go_up(fronts_[f], b, x); });
  downwards([&](std::size_t f) { go_down(fronts_[f], x); });
}

/// y_1 = F_1 b_1, into x, and b_2 - F_2 b_1, which is left to the parent.
template <int dim>
void GridFactor<dim>::go_up(Front& front, const Fields& b, Fields& x) const {
  const Index n = dim * front.n_pivots, n_border = dim * (std::ssize(front.nodes) - front.n_pivots);
  std::vector<Lane> own(static_cast<std::size_t>(n + n_border), Lane::Zero());
  for (Index i = 0; i < front.n_pivots; ++i)
    std::copy_n(values_of<dim>(b, front.nodes[static_cast<std::size_t>(i)]), dim, own.data() + dim * i);
  for (const std::size_t c : front.below) {
    const Lane* left = fronts_[c].left.data();
    for (const Index place : fronts_[c].in_parent) {
      for (Index d = 0; d < dim; ++d) own[static_cast<std::size_t>(dim * place + d)] += *left++;
    }
  }
  const float* F = front.F.data();
  std::vector<Lane> y_1(static_cast<std::size_t>(n));
  front.left.assign(own.begin() + n, own.end());
  for (Index first = 0; first < n + n_border; first += tile) {
    const Index n_columns = std::min(n, first + tile);
    const auto sum = tile_times<tile>(F, n_columns, own.data());
    F += tile * n_columns;
    for (Index i = 0; i < std::min(tile, n + n_border - first); ++i) {
      const Index row = first + i;
      if (row < n)
        y_1[static_cast<std::size_t>(row)] = sum[static_cast<std::size_t>(i)];
      else
        front.left[static_cast<std::size_t>(row - n)] -= sum[static_cast<std::size_t>(i)];
    }
  }
  for (Index i = 0; i < front.n_pivots; ++i)
    std::copy_n(y_1.data() + dim * i, dim, values_of<dim>(x, front.nodes[static_cast<std::size_t>(i)]));
}

/// x_1 = F_1^T y_1 - F_2^T x_2.
template <int dim>
void GridFactor<dim>::go_down(const Front& front, Fields& x) const {
  const Index n = dim * front.n_pivots, n_all = dim * std::ssize(front.nodes);
  std::vector<Lane> own(static_cast<std::size_t>(whole_tiles(n_all, tile)), Lane::Zero());
  for (Index i = 0; i < n_all; ++i) {
    const Lane& value = values_of<dim>(x, front.nodes[static_cast<std::size_t>(i / dim)])[i % dim];
    own[static_cast<std::size_t>(i)] = i < n ? value : (-value).eval();
  }
  std::vector<Lane> x_1(static_cast<std::size_t>(n), Lane::Zero());
  const float* F = front.F.data();
  for (Index first = 0; first < n_all; first += tile) {
    const Index n_columns = std::min(n, first + tile);
    add_transposed_tile<tile>(F, n_columns, own.data() + first, x_1.data());
    F += tile * n_columns;
  }
  for (Index i = 0; i < front.n_pivots; ++i)
    std::copy_n(x_1.data() + dim * i, dim, values_of<dim>(x, front.nodes[static_cast<std::size_t>(i)]));
}

template <int dim>
double GridFactor<dim>::memory() const {
  double bytes = 0.0;
  for (const Front& front : fronts_)
    bytes += sizeof(float) * static_cast<double>(front.F.size()) +
             sizeof(Lane) * static_cast<double>(front.left.size());
  return bytes;
}

template class GridFactor<2>;
template class GridFactor<3>;

}  // namespace kurbel::fem
