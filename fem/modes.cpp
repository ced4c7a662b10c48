#include "fem/modes.hpp"

#include <Spectra/SymGEigsShiftSolver.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>

#include "base/symmetric_eigen.hpp"
#include "fem/block_modes.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double lanczos_tolerance = 1e-12;  // residual of the kept modes
constexpr double probe_tolerance = 1e-6;     // of lambda_next; its own error is the square of that
constexpr Index dense_size = 160;            // below this, a dense solver is the simpler one
constexpr Index probe_size = 6;              // Krylov vectors for lambda_next
constexpr int max_restarts = 300;

/// y = scale (K^-1 b), without its part in the span of the deflated modes.
class InverseStiffness {
 public:
  using Scalar = double;
  InverseStiffness(const Flexibility& K, Index n, double scale, const NormalModes* deflated)
      : K_(K), n_(n), scale_(scale), deflated_(deflated) {}
  Index rows() const { return n_; }
  Index cols() const { return n_; }
  void set_shift(double) {}
  void perform_op(const double* b, double* y) const {
    Eigen::Map<MatrixXd> result(y, n_, 1);
    K_.solve(Eigen::Map<const MatrixXd>(b, n_, 1), result);
    result *= scale_;
    if (deflated_) result -= deflated_->Phi * gram(deflated_->M_Phi, result);
    ++count_;
  }
  int count() const { return count_; }

 private:
  Flexibility K_;
  Index n_;
  double scale_;
  const NormalModes* deflated_;
  mutable int count_ = 0;
};

class MassProduct {
 public:
  using Scalar = double;
  MassProduct(const NodalMass& m, Index n) : m_(m), n_(n) {}
  Index rows() const { return n_; }
  Index cols() const { return n_; }
  void perform_op(const double* x, double* y) const {
    m_.multiply_free(Eigen::Map<const MatrixXd>(x, n_, 1), Eigen::Map<MatrixXd>(y, n_, 1));
  }

 private:
  const NodalMass& m_;
  Index n_;
};

/// A second sequence needs a start of its own: within the eigenspaces, what the first one found is all of its
/// start.
VectorXd start_vector(Index n, unsigned sequence) {
  std::mt19937_64 random(20231 + sequence);
  return VectorXd::NullaryExpr(n, [&]() { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
}

MatrixXd mass_times(const NodalMass& m, const MatrixXd& x) {
  MatrixXd y(x.rows(), x.cols());
  m.multiply_free(x, y);
  return y;
}

Failure no_convergence() {
  return {"the eigenvalue iteration does not converge", "", "take fewer normal modes (modes.normal)"};
}

/// The size of the lowest eigenvalue: what brings Lanczos' absolute thresholds into scale.
double eigenvalue_scale(const HeldPencil& body, const VectorXd& start) {
  const MatrixXd M_start = mass_times(body.m, start);
  MatrixXd y;
  body.K.solve(M_start, y);
  return dots(y, M_start)[0] / dots(y, mass_times(body.m, y))[0];
}

/// The task of one Krylov sequence, outside of the deflated modes.
struct Search {
  Index n, krylov;  ///< lowest eigenvalues, vectors of the sequence
  double tolerance;
  unsigned sequence;
  const NormalModes* deflated;
};

struct LanczosProblem {
  const HeldPencil& body;
  double scale;

  /// Vectors of the lowest eigenvalues; false if not converged.
  bool solve(const Search& search, VectorXd& lambda, MatrixXd& vectors, int& solves) const {
    const Index size = body.n_dofs();
    const VectorXd start = start_vector(size, search.sequence);
    InverseStiffness inverse(body.K, size, scale, search.deflated);
    MassProduct mass(body.m, size);
    Spectra::SymGEigsShiftSolver<InverseStiffness, MassProduct, Spectra::GEigsMode::ShiftInvert> solver(
        inverse, mass, search.n, std::min(search.krylov, size), 0.0);
    try {
      solver.init(start.data());
      solver.compute(Spectra::SortRule::LargestMagn, max_restarts, search.tolerance,
                     Spectra::SortRule::SmallestAlge);
    } catch (const std::runtime_error&) {  // its small tridiagonal eigenproblem
      return false;
    }
    solves += inverse.count();
    if (solver.info() != Spectra::CompInfo::Successful) return false;
    lambda = scale * solver.eigenvalues();
    vectors = solver.eigenvectors();
    return true;
  }
};

/// One step of block inverse iteration with Rayleigh-Ritz; keeps the n lowest.
void refine(const HeldPencil& body, const MatrixXd& vectors, Index n, NormalModes& out) {
  const MatrixXd M_V = mass_times(body.m, vectors);
  MatrixXd Z;
  body.K.solve(M_V, Z);
  out.solves += static_cast<int>(vectors.cols());
  const MatrixXd M_Z = mass_times(body.m, Z);
  const VectorXd scale = dots(Z, M_Z).cwiseSqrt().cwiseInverse();
  const MatrixXd S = scale.asDiagonal() * gram(Z, M_Z) * scale.asDiagonal();
  const MatrixXd H = scale.asDiagonal() * gram(Z, M_V) * scale.asDiagonal();
  const SymmetricEigen ritz = symmetric_eigen(0.5 * (H + H.transpose()), S);
  const MatrixXd combination = scale.asDiagonal() * ritz.vectors.leftCols(n);
  out.lambda = ritz.values.head(n);
  out.Phi = Z * combination;
  out.M_Phi = M_Z * combination;
}

/// -1 for each column whose first entry of (nearly) largest magnitude is negative.
VectorXd signs(const MatrixXd& shapes) {
  VectorXd sign = VectorXd::Ones(shapes.cols());
  for (Index k = 0; k < shapes.cols(); ++k) {
    const double large = (1.0 - 1e-6) * shapes.col(k).cwiseAbs().maxCoeff();
    Index i = 0;
    while (std::abs(shapes(i, k)) < large) ++i;
    if (shapes(i, k) < 0.0) sign[k] = -1.0;
  }
  return sign;
}

Status check_gap(const NormalModes& modes) {
  const Index n = modes.lambda.size();
  const double last = modes.lambda[n - 1];
  if (modes.lambda_next - last > closed_gap * last) return {};
  return Failure{
      fmt::format("the last normal mode kept ({:.8g} Hz) and the first left out ({:.8g} Hz) have the same "
                  "frequency: which of them is kept does not depend smoothly on the design",
                  frequency_hz(last), frequency_hz(modes.lambda_next)),
      "",
      n > 1 ? fmt::format("take {} or {} normal modes (modes.normal)", n - 1, n + 1)
            : "take 2 normal modes (modes.normal)"};
}

/// Refines vectors into the n lowest modes and the eigenvalue above them, if the vectors are more than n.
void refine_and_divide(const HeldPencil& body, const MatrixXd& vectors, Index n, NormalModes& out) {
  refine(body, vectors, vectors.cols(), out);
  out.lambda_next = n < vectors.cols() ? out.lambda[n] : std::numeric_limits<double>::infinity();
  out.lambda.conservativeResize(n);
  out.Phi.conservativeResize(Eigen::NoChange, n);
  out.M_Phi.conservativeResize(Eigen::NoChange, n);
}

void solve_dense(const HeldPencil& body, Index n, NormalModes& out) {
  const Index size = body.n_dofs(), most = size - body.K.n_conditions();
  MatrixXd inverse;
  body.K.solve(MatrixXd::Identity(size, size), inverse);
  const Eigen::LLT<MatrixXd> llt(mass_times(body.m, MatrixXd::Identity(size, size)));
  const MatrixXd L = llt.matrixL();
  const SymmetricEigen eigen = symmetric_eigen(L.transpose() * inverse * L);
  MatrixXd vectors = eigen.vectors.rowwise().reverse().leftCols(std::min(n + 1, most));
  llt.matrixU().solveInPlace(vectors);
  refine_and_divide(body, vectors, n, out);
  out.solves += static_cast<int>(size);
}

Status solve_block(const HeldPencil& body, Index n, NormalModes& out) {
  const double tolerance = std::max(body.K.accuracy(), lanczos_tolerance);
  RitzModes ritz;
  if (Status s = find_ritz_modes(body, n, tolerance, ritz); s.failed()) return s;
  out.solves += ritz.iterations;
  if (!ritz.meet_tolerance) {
    refine_and_divide(body, ritz.X, n, out);
    return {};
  }
  out.lambda = ritz.lambda.head(n);
  out.lambda_next = n < ritz.X.cols() ? ritz.lambda[n] : std::numeric_limits<double>::infinity();
  out.Phi = ritz.X.leftCols(n);
  out.M_Phi = mass_times(body.m, out.Phi);
  return {};
}

Status solve_lanczos(const HeldPencil& body, Index n, NormalModes& out) {
  const Index size = body.n_dofs();
  const LanczosProblem problem{body, eigenvalue_scale(body, start_vector(size, 0))};
  out.solves = 1;
  VectorXd lambda;
  MatrixXd vectors;
  if (!problem.solve({n, 2 * n + 8, lanczos_tolerance, 0, nullptr}, lambda, vectors, out.solves)) {
    return no_convergence();
  }
  refine(body, vectors, n, out);
  for (unsigned round = 1; round <= n + 1; ++round) {
    if (!problem.solve({1, probe_size, probe_tolerance, round, &out}, lambda, vectors, out.solves)) {
      return no_convergence();
    }
    out.lambda_next = lambda[0];
    if (out.lambda_next >= (1.0 - closed_gap) * out.lambda[n - 1]) return {};
    if (!problem.solve({1, probe_size, lanczos_tolerance, round, &out}, lambda, vectors, out.solves)) {
      return no_convergence();
    }
    MatrixXd merged(size, n + 1);
    merged << out.Phi, vectors;
    refine(body, merged, n, out);
  }
  return no_convergence();
}

}  // namespace

double frequency_hz(double lambda) {
  return std::sqrt(lambda) / (2.0 * std::numbers::pi);
}

Status find_normal_modes(const HeldPencil& body, int n, NormalModes& out) {
  if (Status s = find_lowest_modes(body, n, out); s.failed()) return s;
  return n > 0 ? check_gap(out) : Status{};
}

Status find_lowest_modes(const HeldPencil& body, int n, NormalModes& out) {
  const Index n_free_dofs = body.n_dofs();
  out = NormalModes{};
  if (n == 0) {
    out.Phi = out.M_Phi = MatrixXd(n_free_dofs, 0);
    out.lambda_next = std::numeric_limits<double>::quiet_NaN();
    return {};
  }
  if (n_free_dofs <= std::max<Index>(dense_size, 3 * n)) {
    solve_dense(body, n, out);
  } else if (Status s = body.K.is_exact() ? solve_lanczos(body, n, out) : solve_block(body, n, out);
             s.failed()) {
    return s;
  }
  const VectorXd sign = signs(out.Phi);
  out.Phi = out.Phi * sign.asDiagonal();
  out.M_Phi = out.M_Phi * sign.asDiagonal();
  return {};
}

}  // namespace kurbel::fem
