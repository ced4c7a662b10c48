/// The kernels of OpenBLAS on a processor that it does not know.
#include "fem/blas_kernels.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "fem/cholesky.hpp"

namespace kurbel::fem {
namespace {

constexpr const char* coretype = "OPENBLAS_CORETYPE";

template <class Function>
Function* blas(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// OpenBLAS with the kernels of a processor that it does not know, and an environment that asks for none; what was there
/// comes back.
class UnknownProcessor : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!blas<void()>("gotoblas_dynamic_init") || !has_avx2()) GTEST_SKIP() << "no other kernels to choose";
    if (const char* own = std::getenv(coretype)) before_ = own;
    kernels_before_ = name();
    choose("Prescott");
    unsetenv(coretype);
  }
  void TearDown() override {
    if (kernels_before_.empty()) return;
    choose(kernels_before_);
    before_ ? setenv(coretype, before_->c_str(), 1) : unsetenv(coretype);
  }

  static std::string name() { return blas<const char*()>("openblas_get_corename")(); }

 private:
  static void choose(const std::string& kernels) {
    setenv(coretype, kernels.c_str(), 1);
    blas<void()>("gotoblas_dynamic_quit")();
    blas<void()>("gotoblas_dynamic_init")();
  }
  std::optional<std::string> before_;
  std::string kernels_before_;
};

TEST_F(UnknownProcessor, GetsItsNewestKernelsOnce) {
  ASSERT_EQ(name(), "Prescott");
  const std::string taken = take_kernels_of_processor();
  EXPECT_TRUE(taken == "Haswell" || taken == "SkylakeX") << taken;
  EXPECT_EQ(name(), taken);
  EXPECT_EQ(std::getenv(coretype), taken) << "for programs that this one starts";
  EXPECT_EQ(take_kernels_of_processor(), "");
}

TEST_F(UnknownProcessor, KeepsWhatTheUserChose) {
  setenv(coretype, "Prescott", 1);
  EXPECT_EQ(take_kernels_of_processor(), "");
  EXPECT_EQ(name(), "Prescott");
}

/// A matrix with dense supernodes, by the old kernels and by the new ones.
TEST_F(UnknownProcessor, SolvesTheSame) {
  constexpr Eigen::Index n = 300;
  MatrixXd dense = MatrixXd::Identity(n, n) * n;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) dense(i, j) += 1.0 / static_cast<double>(1 + i + j);
  }
  const SparseMatrix K = MatrixXd(dense.triangularView<Eigen::Lower>()).sparseView();
  const MatrixXd b = MatrixXd::Ones(n, 3);
  const auto solution = [&] {
    Cholesky factor(K, 1);
    EXPECT_EQ(factor.factorize(K), Cholesky::Outcome::ok);
    MatrixXd x;
    factor.solve(b, x);
    return x;
  };
  const MatrixXd old = solution();
  ASSERT_NE(take_kernels_of_processor(), "");
  EXPECT_LT((solution() - old).norm(), 1e-13 * old.norm());
  EXPECT_LT((dense * solution() - b).norm(), 1e-12 * b.norm());
}

}  // namespace
}  // namespace kurbel::fem
