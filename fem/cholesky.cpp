#include "fem/cholesky.hpp"

#include <cholmod.h>

#include <cassert>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "fem/blas_kernels.hpp"
#include "fem/pivots.hpp"
#include "fem/supernodal_factor.hpp"
#include "fem/supernodal_solve.hpp"

extern "C" {
int omp_get_max_active_levels();
void omp_set_max_active_levels(int levels);
}

namespace kurbel::fem {

namespace {

// Number of products, each with an addition, from which threads share a factor.
constexpr double work_for_threads = 3e8;

/// One thread for the dense kernels below CHOLMOD for the time of one call, with several of which the bits of
/// the factor depended on their number; its own OpenMP loops, of four threads each and too short to be worth
/// them, run serially meanwhile.
class SerialKernels {
 public:
  SerialKernels() : levels_(omp_get_max_active_levels()) {
    omp_set_max_active_levels(0);
    leave_one_blas_thread();
  }
  ~SerialKernels() { omp_set_max_active_levels(levels_); }
  SerialKernels(const SerialKernels&) = delete;
  SerialKernels& operator=(const SerialKernels&) = delete;

 private:
  int levels_;
};

cholmod_sparse view(const SparseMatrix& A, int xtype) {
  cholmod_sparse v{};
  v.nrow = A.rows(), v.ncol = A.cols(), v.nzmax = A.nonZeros();
  v.p = const_cast<int*>(A.outerIndexPtr());
  v.i = const_cast<int*>(A.innerIndexPtr());
  v.x = xtype == CHOLMOD_REAL ? const_cast<double*>(A.valuePtr()) : nullptr;
  v.stype = -1, v.itype = CHOLMOD_INT, v.xtype = xtype, v.dtype = CHOLMOD_DOUBLE;
  v.sorted = 1, v.packed = 1;
  return v;
}

cholmod_dense view(double* data, Eigen::Index rows, Eigen::Index cols) {
  cholmod_dense v{};
  v.nrow = rows, v.ncol = cols, v.nzmax = rows * cols, v.d = rows, v.x = data;
  v.xtype = CHOLMOD_REAL, v.dtype = CHOLMOD_DOUBLE;
  return v;
}

SparseMatrix node_pattern(const SparseMatrix& pattern, int block) {
  const Eigen::Index n = pattern.cols() / block;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(pattern.nonZeros() / (block * block) + n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(pattern, j * block); it; ++it) {
      if (it.row() % block == 0) entries.emplace_back(it.row() / block, j, 0.0);
    }
  }
  SparseMatrix nodes(n, n);
  nodes.setFromTriplets(entries.begin(), entries.end());
  return nodes;
}

}  // namespace

struct Cholesky::Impl {
  cholmod_common common{};
  cholmod_factor* factor = nullptr;
  cholmod_dense* workspace_y = nullptr;
  cholmod_dense* workspace_e = nullptr;
  std::optional<SupernodeTree> tree;  ///< of a factor that threads share, and the entries of its matrix
  std::optional<PermutedEntries> entries;

  Impl() {
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.quick_return_if_not_posdef = 1;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    common.postorder = 1;
  }
  ~Impl() {
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&workspace_y, &common);
    cholmod_free_dense(&workspace_e, &common);
    cholmod_finish(&common);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<int> nested_dissection(const SparseMatrix& pattern, int block) {
    const SparseMatrix nodes = node_pattern(pattern, block);
    cholmod_sparse A = view(nodes, CHOLMOD_PATTERN);
    std::vector<int> node_order(nodes.cols()), order(pattern.cols());
    // METIS draws from the random numbers of the C library, which all threads share.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (!cholmod_metis(&A, nullptr, 0, 1, node_order.data(), &common)) return {};
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = node_order[i / block] * block + static_cast<int>(i % block);
    }
    return order;
  }

  /// @throws std::bad_alloc
  void analyze(const SparseMatrix& pattern, int block) {
    std::vector<int> order = nested_dissection(pattern, block);
    cholmod_sparse A = view(pattern, CHOLMOD_PATTERN);
    if (!order.empty()) factor = cholmod_analyze_p(&A, order.data(), nullptr, 0, &common);
    if (!factor) throw std::bad_alloc();
    if (common.fl >= work_for_threads && blas_may_be_called_in_threads()) share_among_threads(pattern);
  }

  void share_among_threads(const SparseMatrix& pattern) {
    Supernodes nodes;
    nodes.count = static_cast<int>(factor->nsuper);
    nodes.n_columns = static_cast<int>(factor->n);
    nodes.first_column = static_cast<const int*>(factor->super);
    nodes.row_begin = static_cast<const int*>(factor->pi);
    nodes.value_begin = static_cast<const int*>(factor->px);
    nodes.rows = static_cast<const int*>(factor->s);
    nodes.order = static_cast<const int*>(factor->Perm);
    tree.emplace(nodes);
    entries.emplace(pattern, nodes.order);
  }

  Outcome factorize_in_threads(const SparseMatrix& K) {
    if (factor->xtype == CHOLMOD_PATTERN && !cholmod_change_factor(CHOLMOD_REAL, 1, 1, 1, 1, factor, &common))
      return Outcome::out_of_memory;
    try {
      const bool is_definite =
          factorize_supernodes(*tree, *entries, K.valuePtr(), static_cast<double*>(factor->x));
      return is_definite && pivots_are_sound(K) ? Outcome::ok : Outcome::singular;
    } catch (const std::bad_alloc&) {
      return Outcome::out_of_memory;
    }
  }

  bool pivots_are_sound(const SparseMatrix& K) const {
    const int* super = static_cast<const int*>(factor->super);
    const int* row_begin = static_cast<const int*>(factor->pi);
    const int* value_begin = static_cast<const int*>(factor->px);
    const int* order = static_cast<const int*>(factor->Perm);
    const double* values = static_cast<const double*>(factor->x);
    for (std::size_t s = 0; s < factor->nsuper; ++s) {
      const Eigen::Index n_rows = row_begin[s + 1] - row_begin[s];
      for (Eigen::Index j = 0; j < super[s + 1] - super[s]; ++j) {
        const double pivot = values[value_begin[s] + j * (n_rows + 1)];
        const double diagonal = K.valuePtr()[K.outerIndexPtr()[order[super[s] + j]]];
        if (!(pivot * pivot > pivot_noise * diagonal)) return false;
      }
    }
    return true;
  }
};

Cholesky::Cholesky(const SparseMatrix& pattern, int block) : impl_(std::make_unique<Impl>()) {
  try {
    impl_->analyze(pattern, block);
  } catch (const std::bad_alloc&) {
    throw InputError("mesh.divisions: the factor of the stiffness does not fit into memory");
  }
}

Cholesky::~Cholesky() = default;

Cholesky::Outcome Cholesky::factorize(const SparseMatrix& K) {
  const SerialKernels kernels;
  if (impl_->tree) return impl_->factorize_in_threads(K);
  cholmod_sparse A = view(K, CHOLMOD_REAL);
  cholmod_factorize(&A, impl_->factor, &impl_->common);
  if (impl_->common.status < CHOLMOD_OK) return Outcome::out_of_memory;
  if (impl_->factor->minor < impl_->factor->n) return Outcome::singular;
  return impl_->pivots_are_sound(K) ? Outcome::ok : Outcome::singular;
}

void Cholesky::solve(const double* b, double* x, Eigen::Index n_rhs) {
  if (impl_->tree)
    return solve_supernodes(*impl_->tree, static_cast<const double*>(impl_->factor->x), b, x, n_rhs);
  const SerialKernels kernels;
  const Eigen::Index n = static_cast<Eigen::Index>(impl_->factor->n);
  cholmod_dense B = view(const_cast<double*>(b), n, n_rhs), X = view(x, n, n_rhs);
  cholmod_dense* X_pointer = &X;
  if (!cholmod_solve2(CHOLMOD_A, impl_->factor, &B, nullptr, &X_pointer, nullptr, &impl_->workspace_y,
                      &impl_->workspace_e, &impl_->common)) {
    throw std::bad_alloc();
  }
  assert(X_pointer == &X);
}

void Cholesky::solve(const MatrixXd& b, MatrixXd& x) {
  x.resize(b.rows(), b.cols());
  if (b.cols() > 0) solve(b.data(), x.data(), b.cols());
}

double Cholesky::memory() const {
  const double of_entries = impl_->entries ? impl_->entries->memory() : 0.0;
  return sizeof(double) * static_cast<double>(impl_->factor->xsize) + of_entries;
}

}  // namespace kurbel::fem
