/// @file
/// Derivatives by the places of single nodes: of elements, and of a whole body against a twin whose mesh may be
/// distorted.
#include "fem/shape_pullback.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "placed_objective.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

/// sum_c (direction of corner coordinate c) d/dx_c.
MatrixXd along(const std::vector<MatrixXd>& derivatives, const MatrixXd& direction) {
  MatrixXd sum = MatrixXd::Zero(derivatives[0].rows(), derivatives[0].cols());
  for (std::size_t c = 0; c < derivatives.size(); ++c) sum += direction.reshaped()[c] * derivatives[c];
  return sum;
}

FlexibleBodySpec spec_of(int dim, ElementType type) {
  FlexibleBodySpec spec = dim == 2 ? crank(6, 3, 3, false) : bar({3, 2, 2}, {0.2, 0.05, 0.03}, 3, true);
  spec.mesh.element = type;
  return with_forces_and_moments(spec);
}

class ShapeDerivatives : public testing::TestWithParam<std::tuple<int, ElementType>> {
 protected:
  const int dim = std::get<0>(GetParam());
  const FlexibleBodySpec spec = spec_of(dim, std::get<1>(GetParam()));
};

INSTANTIATE_TEST_SUITE_P(InTheDimension, ShapeDerivatives,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values(ElementType::standard, ElementType::incompatible)));

/// Rigid motions and stretching change k and m in a way that is known, on a distorted element.
TEST_P(ShapeDerivatives, OfTheElementFollowFromTranslationRotationAndScale) {
  const Mesh mesh(spec.mesh);
  Mesh::Points corners = mesh.class_corners(0);
  corners.topRows(dim) += 1e-3 * random_matrix(dim, corners.cols(), 1);
  const MatrixXd x = corners.topRows(dim);
  const auto kind = box_element(spec.mesh, spec.material.poisson_ratio);
  const ElementMatrices element = kind->matrices(corners);
  const ElementDerivatives derivatives = differentiate_element(*kind, corners, dim);
  const double k = element.stiffness.norm(), m = element.mass.norm(), length = x.norm();

  const MatrixXd shift = VectorXd::LinSpaced(dim, 1.0, 2.0).replicate(1, x.cols());
  EXPECT_LT(along(derivatives.stiffness, shift).norm(), 1e-12 * k / length);
  EXPECT_LT(along(derivatives.mass, shift).norm(), 1e-12 * m / length);

  EXPECT_LT((along(derivatives.stiffness, x) - (dim - 2) * element.stiffness).norm(), 1e-12 * k);
  EXPECT_LT((along(derivatives.mass, x) - dim * element.mass).norm(), 1e-12 * m);

  MatrixXd spin = random_matrix(dim, dim, 2);
  spin -= spin.transpose().eval();
  MatrixXd turn = MatrixXd::Zero(x.size(), x.size());
  for (Index a = 0; a < x.cols(); ++a) turn.block(a * dim, a * dim, dim, dim) = spin;
  const MatrixXd turned = turn * element.stiffness - element.stiffness * turn;
  EXPECT_LT((along(derivatives.stiffness, spin * x) - turned).norm(), 1e-12 * k);
  EXPECT_LT(along(derivatives.mass, spin * x).norm(), 1e-12 * m);
}

/// The body on any positions of its nodes, reduced with dense matrices to any basis of the span.
class DistortedTwin {
 public:
  DistortedTwin(const FlexibleBodySpec& spec, const ElementFactors& factors)
      : spec_(spec),
        factors_(factors),
        mesh_(spec.mesh),
        order_(mesh_.n_nodes(), mesh_.nodes_in(spec.clamp)),
        loads_(unit_loads(spec)) {}

  const Mesh& mesh() const { return mesh_; }

  double objective(const Mesh::Points& x) const {
    const int dim = mesh_.dim();
    const Index n_free = order_.n_free() * dim;
    MatrixXd K, m;
    assemble(x, K, m);
    MatrixXd M = MatrixXd::Zero(n_free, n_free);
    for (Index i = 0; i < order_.n_free(); ++i) {
      for (Index j = 0; j < order_.n_free(); ++j) {
        M.block(i * dim, j * dim, dim, dim).diagonal().setConstant(m(i, j));
      }
    }
    std::vector<MarkerOperator> markers;
    for (const MarkerSpec& marker : spec_.markers) {
      markers.push_back(marker_at(marker.name, mesh_.nodes_in(marker.nodes), x, dim, order_));
    }
    return placed_objective(sid_of(x, K, m, markers, basis(K, M, markers)));
  }

 private:
  void assemble(const Mesh::Points& x, MatrixXd& K, MatrixXd& m) const {
    const int dim = mesh_.dim();
    MatrixXd whole = MatrixXd::Zero(mesh_.n_nodes() * dim, mesh_.n_nodes() * dim);
    m.setZero(mesh_.n_nodes(), mesh_.n_nodes());
    for (Index e = 0; e < mesh_.n_elements(); ++e) {
      const Eigen::VectorXi nodes = mesh_.nodes_of(e);
      Mesh::Points corners(3, nodes.size());
      for (Index a = 0; a < nodes.size(); ++a) corners.col(a) = x.col(nodes[a]);
      const ElementMatrices element =
          box_element(spec_.mesh, spec_.material.poisson_ratio)->matrices(corners);
      for (Index a = 0; a < nodes.size(); ++a) {
        for (Index b = 0; b < nodes.size(); ++b) {
          const Index i = order_.position_of(nodes[a]), j = order_.position_of(nodes[b]);
          whole.block(i * dim, j * dim, dim, dim) +=
              factors_.stiffness[e] * element.stiffness.block(a * dim, b * dim, dim, dim);
          m(i, j) += factors_.mass[e] * element.mass(a, b);
        }
      }
    }
    K = whole.topLeftCorner(order_.n_free() * dim, order_.n_free() * dim);
  }

  /// Normal modes and static answers, mass-orthonormal.
  MatrixXd basis(const MatrixXd& K, const MatrixXd& M, const std::vector<MarkerOperator>& markers) const {
    const MatrixXd B_T = load_matrix(loads_, markers, order_, mesh_.dim());
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(M, K);  // the lowest are the last
    MatrixXd U(K.rows(), spec_.n_normal_modes + B_T.cols());
    U << modes.eigenvectors().rightCols(spec_.n_normal_modes), K.llt().solve(B_T);
    const VectorXd length = (U.transpose() * M * U).diagonal().cwiseSqrt();
    U = U * length.cwiseInverse().asDiagonal();
    const MatrixXd upper = (U.transpose() * M * U).llt().matrixU();
    return upper.transpose().triangularView<Eigen::Lower>().solve(U.transpose()).transpose();
  }

  Sid sid_of(const Mesh::Points& x, const MatrixXd& K, const MatrixXd& m,
             const std::vector<MarkerOperator>& markers, const MatrixXd& U) const {
    const int dim = mesh_.dim();
    NodalFields W;
    fill_fields(x, order_, dim, U, W);
    const std::vector<Index> place = compact_fields(dim, GramIndex{U.cols()});
    MatrixXd G = MatrixXd::Zero(GramIndex{U.cols()}.size(), GramIndex{U.cols()}.size());
    G(place, place) = W.transpose() * m * W;
    std::vector<MarkerShapes> shapes(markers.size());
    for (std::size_t i = 0; i < markers.size(); ++i) {
      shapes[i].name = markers[i].name();
      shapes[i].R = markers[i].position();
      markers[i].apply(W, 1 + dim, dim, shapes[i].Phi, shapes[i].Psi);
    }
    return sid_from_gram(G, U.transpose() * K * U, spec_.damping_alpha, spec_.damping_beta, shapes,
                         std::vector<std::string>(static_cast<std::size_t>(U.cols()), "q"));
  }

  FlexibleBodySpec spec_;
  ElementFactors factors_;
  Mesh mesh_;
  NodeOrder order_;
  std::vector<UnitLoad> loads_;
};

TEST_P(ShapeDerivatives, OfABodyByEveryNodeEqualDifferencesOfADistortedTwin) {
  FlexibleBody body(spec);
  const BodyDesign design = body.nominal(random_densities(body.n_elements(), 0.3, 1));
  const DistortedTwin twin(spec, element_factors(spec, design));
  const Mesh::Points& x = twin.mesh().positions();
  ReducedBody r;
  ASSERT_FALSE(body.reduce(design, r).failed());
  ASSERT_NEAR(twin.objective(x), placed_objective(r.sid), 1e-9 * std::abs(placed_objective(r.sid)));
  BodyDesign bar;
  PullbackReport report;
  ASSERT_FALSE(body.pullback(design, r, placed_objective_bar(r.sid), bar, &report).failed());

  // Steps relative to an element: 2e-3 leaves a truncation error of about 1e-9.
  const Vector3d edge = twin.mesh().element_size();
  const MatrixXd relative = edge.asDiagonal() * report.x_bar;
  const double largest = relative.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Index node = 0; node < x.cols(); ++node) {
    for (int d = 0; d < dim; ++d) {
      const double expected = difference(
          [&](double h) {
            Mesh::Points moved = x;
            moved(d, node) += h * edge[d];
            return twin.objective(moved);
          },
          2e-3);
      EXPECT_NEAR(relative(d, node), expected, 1e-7 * largest) << "node " << node << ", direction " << d;
    }
  }
  if (dim == 2) {
    EXPECT_EQ(report.x_bar.row(2).norm(), 0.0);
  }
}

}  // namespace
}  // namespace kurbel::fem::test
