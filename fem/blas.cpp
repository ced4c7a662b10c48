#include "fem/blas.hpp"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, double*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
            const double*, const int*, double*, const int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
}

namespace kurbel::fem::blas {

namespace {

using Eigen::Index;

int narrow(Index i) {
  return static_cast<int>(i);
}

}  // namespace

void multiply_transposed(Index m, Index n, Index k, double a, Dense A, Dense B, double b, Dense C) {
  const int m_ = narrow(m), n_ = narrow(n), k_ = narrow(k);
  const int stride_a = narrow(A.stride), stride_b = narrow(B.stride), stride_c = narrow(C.stride);
  dgemm_("N", "T", &m_, &n_, &k_, &a, A.data, &stride_a, B.data, &stride_b, &b, C.data, &stride_c);
}

void multiply_by_itself(Index n, Index k, double a, Dense A, double b, Dense C) {
  const int n_ = narrow(n), k_ = narrow(k), stride_a = narrow(A.stride), stride_c = narrow(C.stride);
  dsyrk_("L", "N", &n_, &k_, &a, A.data, &stride_a, &b, C.data, &stride_c);
}

void divide_by_transposed(Index m, Index n, Dense L, Dense B) {
  const int m_ = narrow(m), n_ = narrow(n), stride_l = narrow(L.stride), stride_b = narrow(B.stride);
  const double one = 1.0;
  dtrsm_("R", "L", "T", "N", &m_, &n_, &one, L.data, &stride_l, B.data, &stride_b);
}

Index factorize(Index n, Dense A) {
  const int n_ = narrow(n), stride = narrow(A.stride);
  int info = 0;
  dpotrf_("L", &n_, A.data, &stride, &info);
  return info > 0 ? info - 1 : n;
}

}  // namespace kurbel::fem::blas
