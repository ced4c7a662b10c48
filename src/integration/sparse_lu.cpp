#include "integration/sparse_lu.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/instantiate.hpp"

namespace kurbel {

/// Absolute values of a triangular factor of KLU, by columns. With linkage, as Factors has it.
struct KluTriangle {
  std::vector<int> starts, rows;
  std::vector<double> sizes, imaginary;

  void resize(int n, int n_entries) {
    starts.resize(static_cast<std::size_t>(n) + 1);
    for (auto* parts : {&sizes, &imaginary}) parts->resize(static_cast<std::size_t>(n_entries));
    rows.resize(static_cast<std::size_t>(n_entries));
  }
  void take_absolute(bool is_complex) {
    for (std::size_t k = 0; k < sizes.size(); ++k)
      sizes[k] = is_complex ? std::hypot(sizes[k], imaginary[k]) : std::abs(sizes[k]);
  }
  void transpose(const KluTriangle& other, int n) {
    resize(n, static_cast<int>(other.rows.size()));
    std::fill(starts.begin(), starts.end(), 0);
    for (const int i : other.rows) ++starts[i + 1];
    for (int i = 0; i < n; ++i) starts[i + 1] += starts[i];
    for (int j = 0; j < n; ++j) {
      for (int k = other.starts[j]; k < other.starts[j + 1]; ++k) {
        const int index = starts[other.rows[k]]++;
        rows[index] = j, sizes[index] = other.sizes[k];
      }
    }
    for (int i = n; i > 0; --i) starts[i] = starts[i - 1];
    starts[0] = 0;
  }
};

namespace {

/// Entries of L: a bound when pivots are chosen, and one beyond which they are chosen anew.
constexpr double fresh_l = 10.0, largest_l = 100.0;

double* numbers(Complex* values) {
  return reinterpret_cast<double*>(values);
}

/// The functions of KLU for a scalar.
struct RealKlu {
  static auto* factor(int* p, int* i, double* x, klu_symbolic* s, klu_common* c) {
    return klu_factor(p, i, x, s, c);
  }
  static int refactor(int* p, int* i, double* x, klu_symbolic* s, klu_numeric* n, klu_common* c) {
    return klu_refactor(p, i, x, s, n, c);
  }
  static void free(klu_numeric** n, klu_common* c) { klu_free_numeric(n, c); }
  static void solve(klu_symbolic* s, klu_numeric* n, int ld, int m, double* b, klu_common* c) {
    klu_solve(s, n, ld, m, b, c);
  }
  static void solve_transposed(klu_symbolic* s, klu_numeric* n, int ld, int m, double* b, klu_common* c) {
    klu_tsolve(s, n, ld, m, b, c);
  }
  static double flops(klu_symbolic* s, klu_numeric* n, klu_common* c) {
    klu_flops(s, n, c);
    return c->flops;
  }
  static void extract(klu_numeric* n, klu_symbolic* s, KluTriangle& L, KluTriangle& U, klu_common* c) {
    klu_extract(n, s, L.starts.data(), L.rows.data(), L.sizes.data(), U.starts.data(), U.rows.data(),
                U.sizes.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, c);
  }
};
struct ComplexKlu {
  static auto* factor(int* p, int* i, Complex* x, klu_symbolic* s, klu_common* c) {
    return klu_z_factor(p, i, numbers(x), s, c);
  }
  static int refactor(int* p, int* i, Complex* x, klu_symbolic* s, klu_numeric* n, klu_common* c) {
    return klu_z_refactor(p, i, numbers(x), s, n, c);
  }
  static void free(klu_numeric** n, klu_common* c) { klu_z_free_numeric(n, c); }
  static void solve(klu_symbolic* s, klu_numeric* n, int ld, int m, Complex* b, klu_common* c) {
    klu_z_solve(s, n, ld, m, numbers(b), c);
  }
  static void solve_transposed(klu_symbolic* s, klu_numeric* n, int ld, int m, Complex* b, klu_common* c) {
    constexpr int conjugate = 0;
    klu_z_tsolve(s, n, ld, m, numbers(b), conjugate, c);
  }
  static double flops(klu_symbolic* s, klu_numeric* n, klu_common* c) {
    klu_z_flops(s, n, c);
    return c->flops;
  }
  static void extract(klu_numeric* n, klu_symbolic* s, KluTriangle& L, KluTriangle& U, klu_common* c) {
    klu_z_extract(n, s, L.starts.data(), L.rows.data(), L.sizes.data(), L.imaginary.data(), U.starts.data(),
                  U.rows.data(), U.sizes.data(), U.imaginary.data(), nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, c);
  }
};
template <class S>
using Klu = std::conditional_t<std::is_same_v<S, double>, RealKlu, ComplexKlu>;

}  // namespace

template <class S>
struct SparseLu<S>::Factors {
  Factors() {
    klu_defaults(&common);
    constexpr int without_scaling = -1;
    common.scale = without_scaling;
    common.tol = 1.0 / fresh_l;
  }
  ~Factors() { forget(); }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  void free_numeric() {
    if (numeric) Klu<S>::free(&numeric, &common);
  }
  void forget() {
    free_numeric();
    klu_free_symbolic(&symbolic, &common);
  }
  void find_order(const Matrix& A);
  bool choose_pivots(const Matrix& A);
  bool keep_pivots(const Matrix& A);
  double extract();
  bool is_regular(double l);
  template <class Solve>
  void apply(const Solve& solve, Eigen::Ref<MatrixX<S>> columns) {
    if (!numeric) {
      columns.setConstant(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    solve(symbolic, numeric, static_cast<int>(columns.outerStride()), static_cast<int>(columns.cols()),
          columns.data(), &common);
  }

  int n = 0;
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  KluTriangle L, U, U_rows;
  VectorXd pivots, terms, row;
};

template <class S>
SparseLu<S>::SparseLu() : factors_(std::make_unique<Factors>()) {}
template <class S>
SparseLu<S>::~SparseLu() = default;

/// That of the least operations. None is the best for all mechanisms: where many bodies are joined to one,
/// AMD fills; where they branch like a tree, COLAMD does.
template <class S>
void SparseLu<S>::Factors::find_order(const Matrix& A) {
  constexpr int amd = 0, colamd = 1;
  klu_symbolic* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [ordering, with_btf] : {std::pair(amd, 0), std::pair(amd, 1), std::pair(colamd, 0)}) {
    common.ordering = ordering, common.btf = with_btf;
    symbolic =
        klu_analyze(n, const_cast<int*>(A.outerIndexPtr()), const_cast<int*>(A.innerIndexPtr()), &common);
    if (symbolic && choose_pivots(A) && Klu<S>::flops(symbolic, numeric, &common) < least) {
      least = common.flops;
      std::swap(best, symbolic);
    }
    forget();
  }
  symbolic = best;
}

template <class S>
bool SparseLu<S>::Factors::choose_pivots(const Matrix& A) {
  free_numeric();
  numeric = Klu<S>::factor(const_cast<int*>(A.outerIndexPtr()), const_cast<int*>(A.innerIndexPtr()),
                           const_cast<S*>(A.valuePtr()), symbolic, &common);
  return numeric && common.status == KLU_OK;
}

template <class S>
bool SparseLu<S>::Factors::keep_pivots(const Matrix& A) {
  return numeric &&
         Klu<S>::refactor(const_cast<int*>(A.outerIndexPtr()), const_cast<int*>(A.innerIndexPtr()),
                          const_cast<S*>(A.valuePtr()), symbolic, numeric, &common) &&
         common.status == KLU_OK;
}

/// @return the largest entry of L
template <class S>
double SparseLu<S>::Factors::extract() {
  L.resize(n, numeric->lnz), U.resize(n, numeric->unz);
  Klu<S>::extract(numeric, symbolic, L, U, &common);
  for (KluTriangle* triangle : {&L, &U}) triangle->take_absolute(!std::is_same_v<S, double>);
  return *std::max_element(L.sizes.begin(), L.sizes.end());
}

/// |u_ii| > 1e-14 (|u_ii| + sum_{j<i} |l_ij| |u_ji|), which holds if it does with the largest of all l.
template <class S>
bool SparseLu<S>::Factors::is_regular(double l) {
  constexpr double rounding = 1e-14;
  bool clearly = std::isfinite(l);
  for (int i = 0; i < n; ++i) {
    double pivot = 0.0, others = 0.0;
    for (int k = U.starts[i]; k < U.starts[i + 1]; ++k) (U.rows[k] == i ? pivot : others) += U.sizes[k];
    clearly = clearly && pivot > rounding * (pivot + l * others);
  }
  if (clearly) return true;
  U_rows.transpose(U, n);
  pivots.setZero(n), terms.setZero(n), row.setZero(n);
  for (int j = 0; j < n; ++j) {
    for (int k = U_rows.starts[j]; k < U_rows.starts[j + 1]; ++k) row[U_rows.rows[k]] = U_rows.sizes[k];
    pivots[j] = row[j];
    for (int k = L.starts[j]; k < L.starts[j + 1]; ++k) terms[L.rows[k]] += L.sizes[k] * row[L.rows[k]];
    for (int k = U_rows.starts[j]; k < U_rows.starts[j + 1]; ++k) row[U_rows.rows[k]] = 0.0;
  }
  // L has ones on its diagonal.
  return terms.allFinite() && (pivots.array() > rounding * terms.array()).all();
}

template <class S>
bool SparseLu<S>::factorize(const Matrix& A) {
  Factors& f = *factors_;
  if (f.keep_pivots(A)) {
    const double l = f.extract();
    if (l <= largest_l && f.is_regular(l)) return true;
  }
  f.n = static_cast<int>(A.rows());
  if (!f.symbolic) f.find_order(A);
  return f.symbolic && f.choose_pivots(A) && f.is_regular(f.extract());
}

template <class S>
void SparseLu<S>::forget() {
  factors_->forget();
}

template <class S>
void SparseLu<S>::solve(Eigen::Ref<MatrixX<S>> columns) const {
  factors_->apply(&Klu<S>::solve, columns);
}

template <class S>
void SparseLu<S>::solve_transposed(Eigen::Ref<MatrixX<S>> columns) const {
  factors_->apply(&Klu<S>::solve_transposed, columns);
}

template class SparseLu<InstantiatedScalar>;

}  // namespace kurbel
