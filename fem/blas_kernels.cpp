#include "fem/blas_kernels.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

extern "C" {
void openblas_set_num_threads(int n);
int openblas_get_parallel();
}

namespace kurbel::fem {

namespace {

constexpr const char* chosen_by_user = "OPENBLAS_CORETYPE";
constexpr std::string_view of_unknown_processors = "Prescott";

/// OpenBLAS's name of its kernels for AVX-512 or AVX2, which the processor can run; nothing without AVX2 and FMA.
const char* kernels_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  if (has_avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

/// A function of the BLAS that is there, if it has one of this name.
template <class Function>
Function* function_named(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::string take_kernels_of_processor() {
  const auto name_of_kernels = function_named<const char*()>("openblas_get_corename");
  const auto forget = function_named<void()>("gotoblas_dynamic_quit"),
             choose = function_named<void()>("gotoblas_dynamic_init");
  const char* const own = kernels_of_processor();
  if (!name_of_kernels || !forget || !choose || !own || std::getenv(chosen_by_user)) return {};
  if (name_of_kernels() != of_unknown_processors) return {};
  setenv(chosen_by_user, own, 0);
  forget();
  choose();
  return name_of_kernels();
}

void leave_one_blas_thread() {
  openblas_set_num_threads(1);
}

bool blas_may_be_called_in_threads() {
  constexpr int by_openmp = 2;
  return openblas_get_parallel() != by_openmp;
}

}  // namespace kurbel::fem
