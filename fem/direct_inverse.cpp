#include <cassert>
#include <limits>

#include "fem/cholesky.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

class DirectInverse final : public StiffnessInverse {
 public:
  explicit DirectInverse(const Assembly& assembly)
      : assembly_(assembly), K_(assembly.stiffness_pattern()), factor_(K_, assembly.dim()) {}
  DirectInverse(const Assembly& assembly, SparseMatrix T, int block)
      : assembly_(assembly),
        K_(assembly.stiffness_pattern()),
        T_(std::move(T)),
        K_T_(reduced()),
        factor_(K_T_, block) {}

  Outcome update(const VectorXd& E, const std::vector<Index>& springs) override {
    assembly_.assemble_stiffness(E, K_);
    springs_ = springs;
    spring_stiffness_.resize(std::ssize(springs));
    // The diagonal is the first entry of its column. The value does not matter; this one doubles the entry.
    for (std::size_t i = 0; i < springs.size(); ++i) {
      double& diagonal = K_.valuePtr()[K_.outerIndexPtr()[springs[i]]];
      spring_stiffness_[static_cast<Index>(i)] = diagonal;
      diagonal *= 2.0;
    }
    if (is_tied()) K_T_ = reduced();
    switch (factor_.factorize(is_tied() ? K_T_ : K_)) {
      case Cholesky::Outcome::ok:
        return Outcome::ok;
      case Cholesky::Outcome::singular:
        return Outcome::singular;
      case Cholesky::Outcome::out_of_memory:
        break;
    }
    return Outcome::out_of_memory;
  }

  void multiply(ConstBlock x, Block K_x) const override {
    K_x.noalias() = K_.selfadjointView<Eigen::Lower>() * x;
    for (std::size_t i = 0; i < springs_.size(); ++i)
      K_x.row(springs_[i]) -= spring_stiffness_[static_cast<Index>(i)] * x.row(springs_[i]);
  }

  int solve(ConstBlock b, Block x, double) override {
    assert(b.outerStride() == b.rows() && x.outerStride() == x.rows());
    if (b.cols() == 0) return 0;
    if (is_tied()) {
      const MatrixXd b_T = T_.transpose() * b;
      MatrixXd x_T;
      factor_.solve(b_T, x_T);
      x.noalias() = T_ * x_T;
    } else {
      factor_.solve(b.data(), x.data(), b.cols());
    }
    return 0;
  }
  void precondition(ConstBlock r, Block z) override { solve(r, z, 0.0); }
  bool is_exact() const override { return true; }
  double accuracy() const override { return std::numeric_limits<double>::epsilon(); }

  VectorXd energy_errors(ConstBlock u) const override {
    VectorXd errors = VectorXd::Zero(u.cols());
    for (Index k = 0; k < errors.size(); ++k) {
      const VectorXd size = u.col(k).cwiseAbs();
      for (Index j = 0; j < K_.outerSize(); ++j) {
        for (SparseMatrix::InnerIterator it(K_, j); it; ++it)
          errors[k] += (it.row() == j ? 1.0 : 2.0) * std::abs(it.value()) * size[it.row()] * size[j];
      }
    }
    return std::numeric_limits<double>::epsilon() * errors;
  }

  Index n_tied() const override { return is_tied() ? T_.rows() - T_.cols() : 0; }
  double memory() const override { return factor_.memory(); }

 private:
  bool is_tied() const { return T_.size() > 0; }
  /// T^T K T, lower triangle; zeros of K's pattern stay in it.
  SparseMatrix reduced() const {
    const SparseMatrix K = K_.selfadjointView<Eigen::Lower>();
    const SparseMatrix K_T = T_.transpose() * SparseMatrix(K * T_);
    return K_T.triangularView<Eigen::Lower>();
  }

  const Assembly& assembly_;
  SparseMatrix K_;  // springs included
  SparseMatrix T_, K_T_;
  Cholesky factor_;
  std::vector<Index> springs_;
  VectorXd spring_stiffness_;
};

}  // namespace

std::unique_ptr<StiffnessInverse> make_direct_inverse(const Assembly& assembly) {
  return std::make_unique<DirectInverse>(assembly);
}

std::unique_ptr<StiffnessInverse> make_tied_inverse(const Assembly& assembly, SparseMatrix T, int block) {
  return std::make_unique<DirectInverse>(assembly, std::move(T), block);
}

}  // namespace kurbel::fem
