#include "fem/buckling.hpp"

#include <Spectra/SymGEigsSolver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "base/symmetric_eigen.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double buckling_tolerance = 1e-11;
constexpr Index spare_vectors = 20;  // of a Krylov sequence, besides two for each mode
constexpr int buckling_restarts = 500;
constexpr double nothing = 1e-10;  // of the greatest |kappa|: rounding, or a mode that was found once more

/// The axes i, j of a component of a stress, in the order of StressPoint::stress.
std::array<int, 2> axes_of_component(int dim, Index component) {
  constexpr std::array<std::array<int, 2>, 3> plane = {{{0, 0}, {1, 1}, {0, 1}}};
  constexpr std::array<std::array<int, 2>, 6> space = {{{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}}};
  return dim == 2 ? plane[static_cast<std::size_t>(component)] : space[static_cast<std::size_t>(component)];
}

/// Displacements of the corners, row corner * dim + direction; zero where the body is clamped.
MatrixXd of_corners(const Assembly& assembly, int element, const MatrixXd& of_dofs) {
  const int dim = assembly.dim();
  const Assembly::Corners corners = assembly.corners(element);
  MatrixXd own = MatrixXd::Zero(corners.size() * dim, of_dofs.cols());
  for (Index a = 0; a < corners.size(); ++a) {
    if (corners[a] < assembly.order().n_free())
      own.middleRows(a * dim, dim) = of_dofs.middleRows(corners[a] * dim, dim);
  }
  return own;
}

/// The stress points of successive elements.
class StressPointsOfElements {
 public:
  explicit StressPointsOfElements(const ShapeClasses& shapes) : shapes_(shapes) {}
  const std::vector<StressPoint>& of(int element) {
    return of_shape_.at(shapes_.of(element), [this](int c) { return shapes_.stress_points(c); });
  }

 private:
  const ShapeClasses& shapes_;
  OfShape<std::vector<StressPoint>> of_shape_;
};

/// sum over directions of phi_,i phi_,j by component of the stress, weighted over the modes; twice of shears, which stand
/// for two entries of the tensor.
VectorXd gradient_products(const StressPoint& point, int dim, const MatrixXd& Phi_e,
                           const VectorXd& weights) {
  const Index n_corners = point.gradient.cols();
  VectorXd P = VectorXd::Zero(point.stress.rows());
  for (Index k = 0; k < Phi_e.cols(); ++k) {
    const Eigen::Map<const MatrixXd> phi(Phi_e.col(k).data(), dim, n_corners);
    const MatrixXd H = point.gradient * phi.transpose();  // d phi / d x_i in row i
    for (Index s = 0; s < P.size(); ++s) {
      const auto [i, j] = axes_of_component(dim, s);
      P[s] += weights[k] * (i == j ? 1.0 : 2.0) * H.row(i).dot(H.row(j));
    }
  }
  return P;
}

/// The pencil that the iteration works on, -K_G (c / s) x = theta (c K) x with kappa = s theta and phi = sqrt(c) x: its numbers
/// are near one, for the iteration has thresholds that are not relative.
struct BucklingScale {
  double s = 0.0, c = 1.0;
};

/// From K^-1 K_G x of one vector x; s = 0 where K_G is zero.
BucklingScale scale_of(const HeldPencil& body, const GeometricStiffness& K_G, const VectorXd& x) {
  MatrixXd K_G_x(x.size(), 1), K_x(x.size(), 1), y(x.size(), 1), K_y(x.size(), 1);
  K_G.multiply(x, K_G_x);
  body.K.multiply(x, K_x);
  body.K.solve(K_G_x, y);
  body.K.multiply(y, K_y);
  const double energy = (y.transpose() * K_y).value();
  if (!(energy > 0.0)) return {};
  return {std::sqrt(energy / x.dot(K_x.col(0))), y.squaredNorm() / energy};
}

class GeometricProduct {
 public:
  using Scalar = double;
  /// -K_G less the modes that were found, times `factor`.
  GeometricProduct(const GeometricStiffness& K_G, Index n, const BucklingModes& found, const MatrixXd& K_Phi,
                   double factor)
      : K_G_(K_G), n_(n), found_(found), K_Phi_(K_Phi), factor_(factor) {}
  Index rows() const { return n_; }
  Index cols() const { return n_; }
  void perform_op(const double* x, double* y) const {
    const Eigen::Map<const MatrixXd> from(x, n_, 1);
    Eigen::Map<MatrixXd> to(y, n_, 1);
    K_G_.multiply(from, to);
    to = -to;
    if (K_Phi_.cols() > 0) to -= K_Phi_ * (found_.kappa.asDiagonal() * (K_Phi_.transpose() * from));
    to *= factor_;
  }

 private:
  const GeometricStiffness& K_G_;
  Index n_;
  const BucklingModes& found_;
  const MatrixXd& K_Phi_;
  double factor_;
};

/// K times `factor`, and its inverse.
class StiffnessInnerProduct {
 public:
  using Scalar = double;
  StiffnessInnerProduct(const Flexibility& K, Index n, double factor) : K_(K), n_(n), factor_(factor) {}
  Index rows() const { return n_; }
  Index cols() const { return n_; }
  void perform_op(const double* x, double* y) const {
    Eigen::Map<MatrixXd> to(y, n_, 1);
    K_.multiply(Eigen::Map<const MatrixXd>(x, n_, 1), to);
    to *= factor_;
  }
  void solve(const double* b, double* x) const {
    Eigen::Map<MatrixXd> to(x, n_, 1);
    K_.solve(Eigen::Map<const MatrixXd>(b, n_, 1), to);
    to /= factor_;
  }

 private:
  Flexibility K_;
  Index n_;
  double factor_;
};

VectorXd random_vector(Index size, unsigned seed) {
  std::mt19937_64 random(20231 + seed);
  return VectorXd::NullaryExpr(size, [&]() { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
}

template <class Solver>
bool converges(Solver& solver, const VectorXd& start) {
  try {
    solver.init(start.data());
    solver.compute(Spectra::SortRule::LargestAlge, buckling_restarts, buckling_tolerance);
  } catch (const std::runtime_error&) {  // its small tridiagonal eigenproblem
    return false;
  }
  return solver.info() == Spectra::CompInfo::Successful;
}

/// The failure of a load under which kappa are negative: they crowd at zero, so that the iteration does not converge either.
Failure buckling_not_found() {
  return {"no buckling loads are found, as many as are counted", "",
          "turn the load, for tension does not buckle; or count fewer modes, or raise simp.p_min"};
}

}  // namespace

GeometricStiffness::GeometricStiffness(const StressedBody& body, const VectorXd& E_G, const VectorXd& u)
    : dim_(body.assembly.dim()) {
  const Assembly& assembly = body.assembly;
  const Index n_free = assembly.order().n_free();
  StressPointsOfElements points(*body.shapes);
  std::vector<Eigen::Triplet<double>> entries;
  for (int e = 0; e < E_G.size(); ++e) {
    const Assembly::Corners corners = assembly.corners(e);
    const VectorXd u_e = of_corners(assembly, e, u);
    MatrixXd k = MatrixXd::Zero(corners.size(), corners.size());
    for (const StressPoint& point : points.of(e)) {
      const VectorXd sigma = E_G[e] * point.weight * (point.stress * u_e);
      MatrixXd S(dim_, dim_);
      for (Index s = 0; s < sigma.size(); ++s) {
        const auto [i, j] = axes_of_component(dim_, s);
        S(i, j) = S(j, i) = sigma[s];
      }
      k += point.gradient.transpose() * S * point.gradient;
    }
    for (Index a = 0; a < corners.size(); ++a) {
      for (Index b = 0; b < corners.size(); ++b) {
        if (corners[a] < n_free && corners[b] < n_free) entries.emplace_back(corners[a], corners[b], k(a, b));
      }
    }
  }
  of_nodes_.resize(n_free, n_free);
  of_nodes_.setFromTriplets(entries.begin(), entries.end());
}

void GeometricStiffness::multiply(const Eigen::Ref<const MatrixXd>& x, Eigen::Ref<MatrixXd> y) const {
  const Index n_free = of_nodes_.rows();
  for (Index k = 0; k < x.cols(); ++k) {
    const Eigen::Map<const MatrixXd> from(x.col(k).data(), dim_, n_free);
    Eigen::Map<MatrixXd> to(y.col(k).data(), dim_, n_free);
    to = from * of_nodes_;  // symmetric
  }
}

namespace {

/// All modes of a small body at once: with K^-1 = L L^T, -L^T K_G L z = kappa z and phi = L z.
void solve_dense(const HeldPencil& body, const GeometricStiffness& K_G, Index n, BucklingModes& out) {
  const Index size = body.n_dofs(), most = size - body.K.n_conditions();
  MatrixXd inverse, A(size, size);
  body.K.solve(MatrixXd::Identity(size, size), inverse);
  K_G.multiply(MatrixXd::Identity(size, size), A);
  const SymmetricEigen of_inverse = symmetric_eigen(0.5 * (inverse + inverse.transpose()));
  const MatrixXd L = of_inverse.vectors.rightCols(most) *
                     of_inverse.values.tail(most).cwiseMax(0.0).cwiseSqrt().asDiagonal();
  const SymmetricEigen modes = symmetric_eigen(-(L.transpose() * A * L));
  out.kappa = modes.values.tail(n).reverse();
  out.Phi = L * modes.vectors.rightCols(n).rowwise().reverse();
  out.kappa_next = most > n ? modes.values[most - n - 1] : 0.0;
}

/// Keeps the n greatest of the modes that were found and of new ones.
void merge(Index n, const VectorXd& kappa, const MatrixXd& Phi, BucklingModes& out) {
  VectorXd all(out.kappa.size() + kappa.size());
  all << out.kappa, kappa;
  MatrixXd vectors(Phi.rows(), all.size());
  vectors << out.Phi, Phi;
  std::vector<Index> order(static_cast<std::size_t>(all.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::ranges::stable_sort(order, [&](Index a, Index b) { return all[a] > all[b]; });
  out.kappa_next = std::ssize(order) > n ? all[order[static_cast<std::size_t>(n)]] : 0.0;
  order.resize(static_cast<std::size_t>(n));
  out.kappa = all(order).eval();
  out.Phi = vectors(Eigen::all, order).eval();
}

/// @return false if the first sequence does not converge
bool solve_lanczos(const HeldPencil& body, const GeometricStiffness& K_G, Index n, const VectorXd& start,
                   const BucklingScale& scale, BucklingModes& out) {
  const Index size = body.n_dofs(), most = size - body.K.n_conditions();
  MatrixXd K_Phi(size, 0);
  for (unsigned round = 0; round <= static_cast<unsigned>(n) + 1; ++round) {
    const Index wanted = round == 0 ? n : 1;
    GeometricProduct product(K_G, size, out, K_Phi, scale.c / scale.s);
    StiffnessInnerProduct stiffness(body.K, size, scale.c);
    Spectra::SymGEigsSolver<GeometricProduct, StiffnessInnerProduct, Spectra::GEigsMode::RegularInverse>
        solver(product, stiffness, wanted, std::min<Index>(2 * wanted + spare_vectors, most - 1));
    if (!converges(solver, round == 0 ? start : random_vector(size, round))) {
      return round > 0;  // what is left is not positive
    }
    const VectorXd kappa = scale.s * solver.eigenvalues();
    const MatrixXd Phi = std::sqrt(scale.c) * solver.eigenvectors();
    if (round > 0) {
      const bool is_found_again = (K_Phi.transpose() * Phi).norm() > 0.5;
      if (is_found_again || kappa[0] <= (1.0 + closed_gap) * out.kappa[n - 1]) {
        if (!is_found_again) out.kappa_next = std::max(out.kappa_next, kappa[0]);
        return true;
      }
    }
    // Lanczos vectors are orthonormal in K; a new one takes its place among those that were found.
    merge(n, kappa, Phi, out);
    K_Phi.resize(size, n);
    body.K.multiply(out.Phi, K_Phi);
  }
  return true;
}

}  // namespace

Status find_buckling_modes(const HeldPencil& body, const GeometricStiffness& K_G, int n, BucklingModes& out) {
  constexpr Index many = 4;  // times the vectors of a Krylov sequence
  const Index size = body.n_dofs(), most = size - body.K.n_conditions();
  out = {VectorXd(0), MatrixXd(size, 0)};
  if (n > most) return buckling_not_found();
  const VectorXd start = random_vector(size, 0);
  const BucklingScale scale = scale_of(body, K_G, start);
  if (scale.s == 0.0) {
    return Failure{"no load deforms the body, so that it does not buckle", "",
                   "load it, or leave out buckling-load"};
  }
  if (most < many * (2 * Index{n} + spare_vectors)) {
    solve_dense(body, K_G, n, out);
  } else if (!solve_lanczos(body, K_G, n, start, scale, out)) {
    return buckling_not_found();
  }
  if (out.kappa[n - 1] > nothing * scale.s) return {};
  return buckling_not_found();
}

GeometricStiffnessBar pull_back_geometric_stiffness(const StressedBody& body, const VectorXd& E_G,
                                                    const VectorXd& u, const MatrixXd& Phi,
                                                    const VectorXd& weights) {
  const Assembly& assembly = body.assembly;
  const int dim = assembly.dim();
  StressPointsOfElements points(*body.shapes);
  GeometricStiffnessBar bar{VectorXd::Zero(E_G.size()), VectorXd::Zero(u.size())};
  for (int e = 0; e < E_G.size(); ++e) {
    const MatrixXd Phi_e = of_corners(assembly, e, Phi);
    const VectorXd u_e = of_corners(assembly, e, u);
    VectorXd g = VectorXd::Zero(u_e.size());
    for (const StressPoint& point : points.of(e)) {
      const VectorXd P = point.weight * gradient_products(point, dim, Phi_e, weights);
      bar.E_G[e] += P.dot(point.stress * u_e);
      g += E_G[e] * (point.stress.transpose() * P);
    }
    const Assembly::Corners corners = assembly.corners(e);
    for (Index a = 0; a < corners.size(); ++a) {
      if (corners[a] < assembly.order().n_free())
        bar.u.segment(corners[a] * dim, dim) += g.segment(a * dim, dim);
    }
  }
  return bar;
}

}  // namespace kurbel::fem
