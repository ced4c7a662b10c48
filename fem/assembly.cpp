#include "fem/assembly.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/parallel.hpp"

namespace kurbel::fem {

namespace {

constexpr Eigen::Index rows_per_thread = 4096;  // below which a thread does not pay

}  // namespace

NodeOrder::NodeOrder(Eigen::Index n_nodes, const std::vector<int>& clamped)
    : position_of_(n_nodes, 0), n_free_(n_nodes - static_cast<Eigen::Index>(clamped.size())) {
  for (int node : clamped) position_of_[node] = -1;
  node_at_.reserve(n_nodes);
  for (int node = 0; node < n_nodes; ++node) {
    if (position_of_[node] == 0) node_at_.push_back(node);
  }
  node_at_.insert(node_at_.end(), clamped.begin(), clamped.end());
  for (int position = 0; position < n_nodes; ++position) position_of_[node_at_[position]] = position;
}

NodalMass::NodalMass(const NodeGraph& graph, Eigen::Index n_free, int dim)
    : graph_(graph), n_free_(n_free), dim_(dim), values_(graph.columns.size(), 0.0) {}

void NodalMass::multiply(const NodalFields& w, NodalFields& y) const {
  y.resize(w.rows(), w.cols());
  parallel_for(w.rows(), rows_per_thread, [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index i = begin; i < end; ++i) {
      auto row = y.row(i);
      row.setZero();
      for (int k = graph_.row_begin[i]; k < graph_.row_begin[i + 1]; ++k) {
        row += values_[k] * w.row(graph_.columns[k]);
      }
    }
  });
}

void NodalMass::multiply_free(const Eigen::Ref<const MatrixXd>& x, Eigen::Ref<MatrixXd> y) const {
  const auto rows = [&]<int dim>(std::integral_constant<int, dim>, Eigen::Index begin, Eigen::Index end) {
    using Node = Eigen::Matrix<double, dim, 1>;
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      const double* x_c = x.col(c).data();
      double* y_c = y.col(c).data();
      for (Eigen::Index i = begin; i < end; ++i) {
        Node sum = Node::Zero();
        for (int k = graph_.row_begin[i]; k < graph_.free_end[i]; ++k) {
          sum +=
              values_[k] * Eigen::Map<const Node>(x_c + dim * static_cast<Eigen::Index>(graph_.columns[k]));
        }
        Eigen::Map<Node>(y_c + dim * i) = sum;
      }
    }
  };
  parallel_for(n_free_, rows_per_thread, [&](Eigen::Index begin, Eigen::Index end) {
    if (dim_ == 2) {
      rows(std::integral_constant<int, 2>{}, begin, end);
    } else {
      rows(std::integral_constant<int, 3>{}, begin, end);
    }
  });
}

Assembly::Assembly(const Mesh& mesh, const std::vector<int>& clamped, std::vector<ElementMatrices> matrices)
    : dim_(mesh.dim()),
      batches_(mesh.batches()),
      class_of_(mesh.class_of()),
      matrices_(std::move(matrices)),
      order_(mesh.n_nodes(), clamped) {
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    for (const int node : mesh.nodes_of(e)) corners_.push_back(order_.position_of(node));
    corner_begin_.push_back(std::ssize(corners_));
  }
  build_graph();
  find_offsets();
}

void Assembly::build_graph() {
  const Eigen::Index n_nodes = order_.n_nodes();
  std::vector<int> begin(n_nodes + 1, 0);
  for (const int corner : corners_) ++begin[corner + 1];
  for (Eigen::Index i = 0; i < n_nodes; ++i) begin[i + 1] += begin[i];
  std::vector<int> elements(corners_.size()), next(begin.begin(), begin.end() - 1);
  for (Eigen::Index e = 0; e < n_elements(); ++e) {
    for (const int corner : corners(e)) elements[next[corner]++] = static_cast<int>(e);
  }
  graph_.row_begin.assign(1, 0);
  std::vector<int> neighbours;
  for (Eigen::Index i = 0; i < n_nodes; ++i) {
    neighbours.clear();
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      const Corners corners = this->corners(elements[k]);
      neighbours.insert(neighbours.end(), corners.begin(), corners.end());
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    assert(neighbours.size() <= std::numeric_limits<std::uint16_t>::max());
    const auto clamped =
        std::lower_bound(neighbours.begin(), neighbours.end(), static_cast<int>(order_.n_free()));
    graph_.free_end.push_back(graph_.row_begin.back() + static_cast<int>(clamped - neighbours.begin()));
    graph_.columns.insert(graph_.columns.end(), neighbours.begin(), neighbours.end());
    graph_.row_begin.push_back(static_cast<int>(graph_.columns.size()));
  }
}

void Assembly::find_offsets() {
  for (Eigen::Index e = 0; e < n_elements(); ++e) {
    offset_begin_.push_back(offsets_.size());
    for (const int row : corners(e)) {
      const auto first = graph_.columns.begin() + graph_.row_begin[row];
      const auto last = graph_.columns.begin() + graph_.row_begin[row + 1];
      for (const int col : corners(e))
        offsets_.push_back(static_cast<std::uint16_t>(std::lower_bound(first, last, col) - first));
    }
  }
}

SparseMatrix Assembly::stiffness_pattern() const {
  const Eigen::Index n_free = order_.n_free();
  SparseMatrix K(n_free * dim_, n_free * dim_);
  Eigen::VectorXi counts(n_free * dim_);
  const auto below_diagonal = [&](Eigen::Index j) {
    const auto first = graph_.columns.begin() + graph_.row_begin[j];
    const auto last = graph_.columns.begin() + graph_.free_end[j];
    return std::pair(std::upper_bound(first, last, static_cast<int>(j)), last);
  };
  for (Eigen::Index j = 0; j < n_free; ++j) {
    const auto [first, last] = below_diagonal(j);
    for (int c = 0; c < dim_; ++c) counts[j * dim_ + c] = dim_ - c + dim_ * static_cast<int>(last - first);
  }
  K.reserve(counts);
  for (Eigen::Index j = 0; j < n_free; ++j) {
    const auto [first, last] = below_diagonal(j);
    for (int c = 0; c < dim_; ++c) {
      for (int r = c; r < dim_; ++r) K.insert(j * dim_ + r, j * dim_ + c) = 0.0;
      for (auto i = first; i != last; ++i) {
        for (int r = 0; r < dim_; ++r) K.insert(static_cast<Eigen::Index>(*i) * dim_ + r, j * dim_ + c) = 0.0;
      }
    }
  }
  K.makeCompressed();
  return K;
}

template <int dim>
void Assembly::add_stiffness(const VectorXd& E, SparseMatrix& K, Eigen::Index begin, Eigen::Index end) const {
  const int* column_begin = K.outerIndexPtr();
  double* values = K.valuePtr();
  for (Eigen::Index e = begin; e < end; ++e) {
    const MatrixXd& k = matrices(e).stiffness;
    const Corners corners = this->corners(e);
    const std::uint16_t* offset = offsets(e);
    for (Eigen::Index b = 0; b < corners.size(); ++b, offset += corners.size()) {
      const Eigen::Index j = corners[b];
      if (j >= order_.n_free()) continue;
      const int diagonal = offset[b];
      for (Eigen::Index a = 0; a < corners.size(); ++a) {
        if (corners[a] < j || corners[a] >= order_.n_free()) continue;
        const bool is_diagonal = a == b;
        const int t = offset[a] - diagonal - 1;
        for (int c = 0; c < dim; ++c) {
          double* entry = values + column_begin[j * dim + c] + (is_diagonal ? -c : dim - c + dim * t);
          for (int r = is_diagonal ? c : 0; r < dim; ++r) entry[r] += E[e] * k(a * dim + r, b * dim + c);
        }
      }
    }
  }
}

void Assembly::assemble_stiffness(const VectorXd& E, SparseMatrix& K) const {
  std::fill_n(K.valuePtr(), K.nonZeros(), 0.0);
  batches_.for_each(rows_per_thread, [&](Eigen::Index, Eigen::Index begin, Eigen::Index end) {
    dim_ == 2 ? add_stiffness<2>(E, K, begin, end) : add_stiffness<3>(E, K, begin, end);
  });
}

void Assembly::assemble_mass(const VectorXd& rho, NodalMass& m) const {
  std::vector<double>& values = m.values();
  std::fill(values.begin(), values.end(), 0.0);
  batches_.for_each(rows_per_thread, [&](Eigen::Index, Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index e = begin; e < end; ++e) {
      const MatrixXd& m_e = matrices(e).mass;
      const Corners corners = this->corners(e);
      const std::uint16_t* offset = offsets(e);
      for (Eigen::Index a = 0; a < corners.size(); ++a, offset += corners.size()) {
        double* row = values.data() + graph_.row_begin[corners[a]];
        for (Eigen::Index b = 0; b < corners.size(); ++b) row[offset[b]] += rho[e] * m_e(a, b);
      }
    }
  });
}

}  // namespace kurbel::fem
