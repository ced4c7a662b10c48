#include "fem/helmholtz_filter.hpp"

#include <fmt/format.h>

#include <Eigen/IterativeLinearSolvers>
#include <cmath>

#include "base/errors.hpp"
#include "fem/block_cg.hpp"
#include "fem/shape_functions.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// A quadrilateral or hexahedron.
template <class Kind>
inline constexpr bool is_cube = Kind::n == 1 << Kind::dim;

struct ElementIntegrals {
  MatrixXd K;  ///< int grad N grad N^T over the element, corners x corners
  VectorXd P;  ///< int N
};

/// Functions of the corners alone on the element as it is, which may be curved. The gradients of quadrilaterals and hexahedra
/// are integrated at their corners: then rectangles of any shape couple along their edges alone, with the sign that keeps
/// values within their range.
/// @param positions  of all its nodes
ElementIntegrals integrate(ElementKind kind, const Mesh::Points& positions) {
  return with_kind(kind, [&]<class Kind>(Kind) {
    return with_kind(with_corners_alone(kind), [&]<class Linear>(Linear) {
      ElementIntegrals out{MatrixXd::Zero(Linear::n, Linear::n), VectorXd::Zero(Linear::n)};
      if constexpr (Linear::dim == Kind::dim) {
        const MatrixXd x = positions.topRows(Kind::dim);
        for (const auto& [xi, weight] : Kind::mass_rule()) {
          const MatrixXd J = Kind::shape(xi).dN * x.transpose();
          const auto linear = Linear::shape(xi);
          const MatrixXd gradient = J.inverse() * linear.dN;
          const double share = weight * J.determinant();
          if constexpr (!is_cube<Linear>) out.K += share * gradient.transpose() * gradient;
          out.P += share * linear.N;
        }
        if constexpr (is_cube<Linear>) {
          for (int corner = 0; corner < Linear::n; ++corner) {
            Eigen::Matrix<double, Kind::dim, 1> xi;
            for (int d = 0; d < Kind::dim; ++d) xi[d] = corner_sign(corner, d);
            const MatrixXd J = Kind::shape(xi).dN * x.transpose();
            const MatrixXd gradient = J.inverse() * Linear::shape(xi).dN;
            out.K += J.determinant() * gradient.transpose() * gradient;
          }
        }
      }
      return out;
    });
  });
}

/// Numbers of the nodes that are corners, one after another; -1: a node in the middle of an edge.
std::vector<int> number_corners(const Mesh& mesh) {
  std::vector<int> number(static_cast<std::size_t>(mesh.n_nodes()), -1);
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    for (const int node : mesh.nodes_of(e).head(topology(mesh.kind_of(e)).n_corners))
      number[static_cast<std::size_t>(node)] = 0;
  }
  int n = 0;
  for (int& one : number) {
    if (one == 0) one = n++;
  }
  return number;
}

/// Makes couplings of the wrong sign, which obtuse elements have, parts of the diagonal. Then the inverse has no negative
/// entry, and what the matrix makes of a constant is as before.
/// @param lower  half of a symmetric matrix
void keep_within_range(SparseMatrix& lower) {
  VectorXd diagonal = VectorXd::Zero(lower.cols());
  for (Index j = 0; j < lower.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      if (entry.row() == entry.col() || entry.value() <= 0.0) continue;
      diagonal[entry.row()] += entry.value(), diagonal[entry.col()] += entry.value();
      entry.valueRef() = 0.0;
    }
  }
  for (Index j = 0; j < lower.cols(); ++j) lower.coeffRef(j, j) += diagonal[j];
}

}  // namespace

/// A with its incomplete factor.
struct HelmholtzFilter::Iteration {
  explicit Iteration(SparseMatrix matrix) : lower(std::move(matrix)), incomplete(lower) {}

  VectorXd solve(const VectorXd& b) const {
    constexpr double tolerance = 1e-13;  // of the energy, |b| in the norm of A^-1
    constexpr int most_iterations = 5000;
    MatrixXd x = MatrixXd::Zero(b.size(), 1);
    const BlockCgOutcome outcome = block_cg(
        [&](const MatrixXd& p, MatrixXd& A_p) { A_p = lower.selfadjointView<Eigen::Lower>() * p; },
        [&](const MatrixXd& r, MatrixXd& z) { z = incomplete.solve(r); }, b, tolerance, most_iterations, x);
    constexpr double converged = 1e-12;  // rounding keeps some radii from the tolerance
    if (outcome.error > converged)
      throw InputError(
          fmt::format("filter: its equation does not converge in {} iterations. Take a smaller radius, or "
                      "kernel = \"cone\"",
                      most_iterations));
    return x;
  }

  SparseMatrix lower;
  Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::NaturalOrdering<int>> incomplete;
};

double helmholtz_length(double radius) {
  if (!(radius >= 0.0) || !std::isfinite(radius))
    throw InputError(fmt::format("filter.radius = {} is not a length", radius));
  return radius / (2.0 * std::sqrt(3.0));
}

HelmholtzFilter::~HelmholtzFilter() = default;

HelmholtzFilter::HelmholtzFilter(const Mesh& mesh, double radius, Solver solver) {
  const double r = helmholtz_length(radius);
  const std::vector<int> number = number_corners(mesh);
  const Index n = *std::ranges::max_element(number) + 1;
  std::vector<ElementIntegrals> of_class;
  for (Index c = 0; c < mesh.n_classes(); ++c)
    of_class.push_back(integrate(mesh.class_kind(c), mesh.class_corners(c)));

  std::vector<Eigen::Triplet<double>> A, P;
  volumes_.resize(mesh.n_elements());
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const auto c = static_cast<std::size_t>(mesh.class_of()[static_cast<std::size_t>(e)]);
    const ElementIntegrals& own = of_class[c];
    // In the plane volumes have the thickness, which cancels elsewhere.
    const double thickness = mesh.volumes()[e] / own.P.sum();
    volumes_[e] = mesh.volumes()[e];
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    for (Index a = 0; a < own.P.size(); ++a) {
      const int i = number[static_cast<std::size_t>(nodes[a])];
      P.emplace_back(i, e, thickness * own.P[a]);
      A.emplace_back(i, i, thickness * own.P[a]);
      for (Index b = 0; b < own.P.size(); ++b) {
        const int j = number[static_cast<std::size_t>(nodes[b])];
        if (i >= j) A.emplace_back(i, j, thickness * r * r * own.K(a, b));
      }
    }
  }
  P_.resize(n, mesh.n_elements());
  P_.setFromTriplets(P.begin(), P.end());
  SparseMatrix lower(n, n);
  lower.setFromTriplets(A.begin(), A.end());
  keep_within_range(lower);
  const bool is_large = mesh.dim() == 3 && n > most_factored;
  if (solver == Solver::iteration || (solver == Solver::automatic && is_large)) {
    iteration_ = std::make_unique<const Iteration>(std::move(lower));
    return;
  }
  factor_ = std::make_unique<Cholesky>(lower, 1);
  switch (factor_->factorize(lower)) {
    case Cholesky::Outcome::ok:
      return;
    case Cholesky::Outcome::out_of_memory:
      throw InputError("filter: there is no memory for the factor of its equation; take kernel = \"cone\"");
    case Cholesky::Outcome::singular:
      throw InputError(
          fmt::format("filter: its equation is singular to rounding at radius = {:g} m", radius));
  }
}

VectorXd HelmholtzFilter::solve(const VectorXd& b) const {
  if (iteration_) return iteration_->solve(b);
  const std::lock_guard lock(one_at_a_time_);
  VectorXd x(b.size());
  factor_->solve(b.data(), x.data(), 1);
  return x;
}

VectorXd HelmholtzFilter::value(const VectorXd& in) const {
  const VectorXd out = (P_.transpose() * solve(P_ * in)).cwiseQuotient(volumes_);
  if (!iteration_) return out;
  return out.cwiseMax(in.minCoeff()).cwiseMin(in.maxCoeff());  // but for what the iteration leaves
}

VectorXd HelmholtzFilter::pullback(const VectorXd&, const VectorXd& out_bar) const {
  return P_.transpose() * solve(P_ * out_bar.cwiseQuotient(volumes_));
}

}  // namespace kurbel::fem
