#include "analysis/quadratic_pencil.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace kurbel {

using Eigen::Index;
using Complex = std::complex<double>;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Rounding of entries of K between modes, relative to the terms that they are sums of.
constexpr double rounding = 1e-9;
/// Eigenvalues s^2 below this (1/s^2, a period of 6000 s) count as zero.
constexpr double least_stiffness = 1e-6;

/// K x = lambda M x with lambda ascending and X^T M X = 1.
struct UndampedModes {
  VectorXd lambda;
  MatrixXd X;
  VectorXd terms;  ///< |x|^T |K| |x|, of which lambda is what remains
};

/// Eigenvalues far below the largest one, which have errors of the size of rounding of the largest, are those of the inverse
/// of K + sigma M; these have errors of that size where lambda is large beside sigma.
UndampedModes undamped_modes(const MatrixXd& K, const MatrixXd& M) {
  using Solver = Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>;
  constexpr double accurate = 1e-6;
  const Solver plain(K, M);
  UndampedModes modes{plain.eigenvalues(), plain.eigenvectors(), {}};
  const double largest = modes.lambda.cwiseAbs().maxCoeff(), least = modes.lambda.minCoeff();
  if (modes.lambda.cwiseAbs().minCoeff() < accurate * largest) {
    const double sigma = std::max(-2.0 * least, 1e3 * eps * largest);
    const Solver inverse(M, K + sigma * M);
    const bool is_definite = inverse.info() == Eigen::Success && inverse.eigenvalues().minCoeff() > 0.0;
    for (Index k = 0; is_definite && k < modes.lambda.size(); ++k) {
      if (std::abs(modes.lambda[k]) >= accurate * largest) continue;
      const VectorXd x = inverse.eigenvectors().col(modes.lambda.size() - 1 - k);
      modes.X.col(k) = x / std::sqrt(x.dot(M * x));
    }
  }
  modes.lambda = (modes.X.transpose() * K * modes.X).diagonal();
  modes.terms = (modes.X.cwiseAbs().transpose() * K.cwiseAbs() * modes.X.cwiseAbs()).diagonal();
  return modes;
}

bool is_rigid(double lambda, double terms) {
  return std::abs(lambda) <= std::max(least_stiffness, rounding * terms);
}

/// The pencil in the coordinates of its undamped modes, where M = 1.
struct ModalPencil {
  MatrixXd D, K;
};

/// Entries of K that are nothing but rounding of their terms are zero, so that rigid-body modes have eigenvalues of zero.
ModalPencil in_modes(const QuadraticPencil& pencil, const UndampedModes& modes) {
  ModalPencil modal{modes.X.transpose() * pencil.D * modes.X, modes.X.transpose() * pencil.K * modes.X};
  for (Index i = 0; i < modal.K.rows(); ++i) {
    for (Index j = 0; j < modal.K.cols(); ++j) {
      const double terms = std::sqrt(modes.terms[i] * modes.terms[j]);
      const bool of_rigid =
          is_rigid(modes.lambda[i], modes.terms[i]) || is_rigid(modes.lambda[j], modes.terms[j]);
      if (of_rigid && std::abs(modal.K(i, j)) <= std::max(least_stiffness, rounding * terms))
        modal.K(i, j) = 0.0;
    }
  }
  return modal;
}

bool is_conservative(const ModalPencil& modal, const UndampedModes& modes) {
  constexpr double nothing = 1e-13;
  const double fastest = std::sqrt(modes.lambda.cwiseAbs().maxCoeff());
  if (modal.D.cwiseAbs().maxCoeff() > nothing * std::max(1.0, fastest)) return false;
  for (Index i = 0; i < modal.K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double terms = std::sqrt(modes.terms[i] * modes.terms[j]);
      if (std::abs(modal.K(i, j) - modal.K(j, i)) > 10.0 * rounding * terms) return false;
    }
  }
  return true;
}

/// Turns both vectors so that the largest entry of x is real and positive.
void normalize(PencilMode& mode) {
  Index largest = 0;
  mode.right.cwiseAbs().maxCoeff(&largest);
  const Complex turn = std::conj(mode.right[largest]) / std::abs(mode.right[largest]);
  mode.right *= turn, mode.left /= turn;
}

void add_conservative(const UndampedModes& modes, int n_wanted, PencilModes& out) {
  std::vector<Index> order;
  for (Index k = 0; k < modes.lambda.size(); ++k) {
    if (!is_rigid(modes.lambda[k], modes.terms[k])) order.push_back(k);
  }
  std::ranges::stable_sort(order, {}, [&](Index k) { return std::abs(modes.lambda[k]); });
  out.s.resize(std::ssize(order));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index k = order[i];
    const Complex s = std::sqrt(Complex(-modes.lambda[k], 0.0));
    out.s[static_cast<Index>(i)] = s;
    if (std::ssize(out.modes) >= n_wanted) continue;
    PencilMode mode{s, modes.X.col(k).cast<Complex>(), {}};
    mode.left = mode.right / (2.0 * s);
    normalize(mode);
    out.modes.push_back(std::move(mode));
  }
}

/// Eigenvalues of the first-order form, in states (t q, dq/dt) with t the undamped frequency of each mode; none if they are
/// not found.
VectorXcd eigenvalues(const ModalPencil& modal, const UndampedModes& modes) {
  const Index n = modal.K.rows();
  VectorXd t(n);
  for (Index k = 0; k < n; ++k)
    t[k] = is_rigid(modes.lambda[k], modes.terms[k]) ? 1.0 : std::sqrt(std::abs(modes.lambda[k]));
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n) = t.asDiagonal();
  A.bottomLeftCorner(n, n) = -modal.K * t.cwiseInverse().asDiagonal();
  A.bottomRightCorner(n, n) = -modal.D;
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  return solver.info() == Eigen::Success ? VectorXcd(solver.eigenvalues()) : VectorXcd();
}

/// Both vectors of an eigenvalue by inverse iteration, and the eigenvalue by its Rayleigh quotient.
/// @param number  of the mode: eigenvalues that coincide have vectors of their own by other first guesses
PencilMode refined(const ModalPencil& modal, Complex s, Index number) {
  constexpr int iterations = 3;
  constexpr double off = 1e-10;  // of the eigenvalue, where the matrix is regular
  const Index n = modal.K.rows();
  std::mt19937 engine(static_cast<unsigned>(number) + 1);
  std::normal_distribution<double> normal;
  PencilMode mode{s, VectorXcd::NullaryExpr(n, [&] { return Complex(normal(engine)); }), {}};
  mode.left = mode.right;
  const auto at = [&](Complex value) {
    MatrixXcd Q = modal.K + value * modal.D;
    Q.diagonal().array() += value * value;
    return Q;
  };
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const Eigen::PartialPivLU<MatrixXcd> lu(at(mode.s * (1.0 + off)));
    mode.right = lu.solve(mode.right).eval();
    mode.left = lu.transpose().solve(mode.left).eval();
    mode.right /= mode.right.norm(), mode.left /= mode.left.norm();
    const VectorXcd slope = 2.0 * mode.s * mode.right + modal.D * mode.right;
    const Complex change =
        (mode.left.transpose() * at(mode.s) * mode.right).value() / (mode.left.transpose() * slope).value();
    mode.s -= change;
    if (s.imag() == 0.0) mode.s.imag(0.0);
  }
  const VectorXcd slope = 2.0 * mode.s * mode.right + modal.D * mode.right;
  mode.left /= (mode.left.transpose() * slope).value();
  return mode;
}

/// @return false if eigenvalues are not found
bool add_damped(const ModalPencil& modal, const UndampedModes& modes, int n_wanted, PencilModes& out) {
  constexpr double real = 1e-9;
  const VectorXcd eigenvalues_of_both_signs = eigenvalues(modal, modes);
  if (eigenvalues_of_both_signs.size() == 0) return false;
  std::vector<Complex> all;
  for (Complex s : eigenvalues_of_both_signs) {
    if (std::norm(s) <= least_stiffness) continue;
    if (std::abs(s.imag()) <= real * std::abs(s)) s.imag(0.0);
    if (s.imag() >= 0.0) all.push_back(s);
  }
  std::ranges::stable_sort(all, {}, [](const Complex& s) { return std::abs(s); });
  out.s = Eigen::Map<const VectorXcd>(all.data(), std::ssize(all));
  for (Index k = 0; k < std::min<Index>(n_wanted, out.s.size()); ++k) {
    PencilMode mode = refined(modal, out.s[k], k);
    mode.right = (modes.X * mode.right).eval(), mode.left = (modes.X * mode.left).eval();
    normalize(mode);
    out.s[k] = mode.s;
    out.modes.push_back(std::move(mode));
  }
  return true;
}

}  // namespace

double frequency_of(std::complex<double> s) {
  constexpr double turn = 2.0 * EIGEN_PI;
  return std::abs(s) / turn;
}

double damping_ratio_of(std::complex<double> s) {
  return -s.real() / std::abs(s);
}

bool grows(std::complex<double> s) {
  return s.real() > 1e-9 * std::abs(s);
}

Status find_modes(const QuadraticPencil& pencil, int n_wanted, PencilModes& out) {
  out = {};
  const Index n = pencil.M.rows();
  out.rigid.resize(n, 0);
  if (n == 0) return {};
  const MatrixXd M = 0.5 * (pencil.M + pencil.M.transpose());
  if (M.llt().info() != Eigen::Success)
    return Failure{.what = "the mass matrix is singular on the free motions",
                   .where = "",
                   .advice = "give every body mass and inertia"};
  const UndampedModes modes = undamped_modes(0.5 * (pencil.K + pencil.K.transpose()), M);
  std::vector<Index> rigid;
  for (Index k = 0; k < n; ++k) {
    if (is_rigid(modes.lambda[k], modes.terms[k])) rigid.push_back(k);
  }
  out.rigid = modes.X(Eigen::all, rigid);
  const ModalPencil modal = in_modes(pencil, modes);
  out.is_conservative = is_conservative(modal, modes);
  if (out.is_conservative) {
    add_conservative(modes, n_wanted, out);
  } else if (!add_damped(modal, modes, n_wanted, out)) {
    return Failure{.what = "the eigenvalues of the linearized equations are not found",
                   .where = "",
                   .advice = "check dampings and stiffnesses for extreme values"};
  }
  return {};
}

}  // namespace kurbel
