#include <gtest/gtest.h>
#include <pthread.h>

#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/parallel.hpp"
#include "fem/cholesky.hpp"
#include "fem/element.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

ElementMatrices reference(const Mesh& mesh) {
  MeshSpec spec;
  spec.dim = mesh.dim(), spec.thickness = 0.01;
  return box_element(spec, 0.3)->matrices(mesh.class_corners(0));
}

/// Straightforward dense sums over the elements, all degrees of freedom, by node number.
struct DenseSums {
  MatrixXd K, m;
  DenseSums(const Mesh& mesh, const VectorXd& E, const VectorXd& rho) {
    const ElementMatrices ref = reference(mesh);
    const int dim = mesh.dim();
    K = MatrixXd::Zero(mesh.n_nodes() * dim, mesh.n_nodes() * dim);
    m = MatrixXd::Zero(mesh.n_nodes(), mesh.n_nodes());
    for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
      const Mesh::Nodes nodes = mesh.nodes_of(e);
      for (int a = 0; a < nodes.size(); ++a) {
        for (int b = 0; b < nodes.size(); ++b) {
          const int i = nodes[a], j = nodes[b];
          m(i, j) += rho[e] * ref.mass(a, b);
          K.block(i * dim, j * dim, dim, dim) += E[e] * ref.stiffness.block(a * dim, b * dim, dim, dim);
        }
      }
    }
  }
};

/// Degrees of freedom by position: all, or the free ones.
std::vector<Eigen::Index> dofs_by_position(const NodeOrder& order, Eigen::Index n_positions, int dim) {
  std::vector<Eigen::Index> dofs;
  for (Eigen::Index i = 0; i < n_positions; ++i) {
    for (int d = 0; d < dim; ++d) dofs.push_back(static_cast<Eigen::Index>(order.node_at(i)) * dim + d);
  }
  return dofs;
}

class AssemblyOf : public testing::TestWithParam<int> {
 protected:
  static FlexibleBodySpec spec(int dim) {
    return dim == 2 ? crank(7, 4, 1, false) : bar({4, 3, 2}, {0.4, 0.3, 0.2}, 1, false);
  }
  const int dim = GetParam();
  const Mesh mesh{spec(dim).mesh};
  // A clamp in the middle, so that free and clamped nodes alternate in the numbering.
  const std::vector<int> clamped = mesh.nodes_in(plane(1, mesh.positions()(1, mesh.n_nodes() / 2)));
  const Assembly assembly{mesh, clamped, {reference(mesh)}};
  const VectorXd E = random_densities(mesh.n_elements(), 0.1, 1),
                 rho = random_densities(mesh.n_elements(), 0.1, 2);
  const DenseSums dense{mesh, E, rho};
};

TEST_P(AssemblyOf, StiffnessEqualsTheDenseSum) {
  const auto dofs = dofs_by_position(assembly.order(), assembly.order().n_free(), dim);
  SparseMatrix K = assembly.stiffness_pattern();
  for (int repeat = 0; repeat < 2; ++repeat) assembly.assemble_stiffness(E, K);
  const MatrixXd expected = MatrixXd(dense.K(dofs, dofs)).triangularView<Eigen::Lower>();
  EXPECT_LT((MatrixXd(K) - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.cwiseAbs().maxCoeff());
}

TEST_P(AssemblyOf, MassEqualsTheDenseSum) {
  NodalMass m = assembly.make_mass();
  assembly.assemble_mass(rho, m);
  std::vector<Eigen::Index> nodes;
  for (Eigen::Index i = 0; i < mesh.n_nodes(); ++i) nodes.push_back(assembly.order().node_at(i));
  NodalFields y;
  m.multiply(NodalFields::Identity(mesh.n_nodes(), mesh.n_nodes()), y);
  const MatrixXd expected = dense.m(nodes, nodes);
  EXPECT_LT((y - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.cwiseAbs().maxCoeff());
}

TEST_P(AssemblyOf, MassOfFreeUnknownsActsPerDirection) {
  NodalMass m = assembly.make_mass();
  assembly.assemble_mass(rho, m);
  const Eigen::Index n = assembly.n_free_dofs();
  const MatrixXd x = random_matrix(n, 3, 3);
  MatrixXd y(n, 3);
  m.multiply_free(x, y);
  for (int d = 0; d < dim; ++d) {
    std::vector<Eigen::Index> nodes, rows;
    for (Eigen::Index i = 0; i < assembly.order().n_free(); ++i) {
      nodes.push_back(assembly.order().node_at(i));
      rows.push_back(i * dim + d);
    }
    const MatrixXd expected = dense.m(nodes, nodes) * x(rows, Eigen::all);
    EXPECT_LT((MatrixXd(y(rows, Eigen::all)) - expected).norm(), 1e-14 * expected.norm());
  }
}

TEST_P(AssemblyOf, FactorSolvesSeveralRightHandSides) {
  SparseMatrix K = assembly.stiffness_pattern();
  assembly.assemble_stiffness(E, K);
  Cholesky factor(K, dim);
  ASSERT_EQ(factor.factorize(K), Cholesky::Outcome::ok);
  for (const int n_rhs : {1, 5, 2}) {
    const MatrixXd x = random_matrix(K.rows(), n_rhs, 4), b = K.selfadjointView<Eigen::Lower>() * x;
    MatrixXd solution;
    factor.solve(b, solution);
    EXPECT_LT((solution - x).norm(), 1e-10 * x.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Dimension, AssemblyOf, testing::Values(2, 3));

/// A column of elements is all but missing. At 1e-18 of the stiffness rounding leaves a pivot of either sign;
/// at 1e-15 the pivots are positive, but have no digit left that is true.
TEST(Cholesky, FindsAPartThatNothingHolds) {
  const Mesh mesh(crank(6, 3, 1, false).mesh);
  const Assembly assembly(mesh, mesh.nodes_in(plane(0, 0.0)), {reference(mesh)});
  SparseMatrix K = assembly.stiffness_pattern();
  Cholesky factor(K, 2);
  for (const double left : {1e-18, 1e-15}) {
    for (int missing = 1; missing < 5; ++missing) {
      VectorXd E = 2.1e11 * random_densities(mesh.n_elements(), 0.2, missing);
      for (Eigen::Index e = missing; e < mesh.n_elements(); e += 6) E[e] *= left;
      assembly.assemble_stiffness(E, K);
      EXPECT_EQ(factor.factorize(K), Cholesky::Outcome::singular) << left << " of column " << missing;
    }
  }
  assembly.assemble_stiffness(VectorXd::Constant(mesh.n_elements(), 2.1e11), K);
  EXPECT_EQ(factor.factorize(K), Cholesky::Outcome::ok);
}

TEST(Cholesky, FindsANodeWithoutElements) {
  const Mesh mesh(crank(12, 3, 1, false).mesh);
  const Assembly assembly(mesh, mesh.nodes_in(plane(0, 0.0)), {reference(mesh)});
  VectorXd E = VectorXd::Constant(mesh.n_elements(), 2.1e11);
  E[11] = 0.0;  // the corner
  SparseMatrix K = assembly.stiffness_pattern();
  assembly.assemble_stiffness(E, K);
  EXPECT_EQ(Cholesky(K, 2).factorize(K), Cholesky::Outcome::singular);
}

TEST(Parallel, ResultsDoNotDependOnTheNumberOfThreads) {
  const Mesh mesh(crank(150, 120, 1, false).mesh);
  const Assembly assembly(mesh, mesh.nodes_in(plane(0, 0.0)), {reference(mesh)});
  const VectorXd E = random_densities(mesh.n_elements(), 0.1, 1);
  SparseMatrix K_1 = assembly.stiffness_pattern(), K_3 = K_1;
  NodalMass m_1 = assembly.make_mass(), m_3 = assembly.make_mass();
  const NodalFields w = random_matrix(mesh.n_nodes(), 5, 2);
  NodalFields y_1, y_3;
  const int before = threads();
  set_threads(1);
  assembly.assemble_stiffness(E, K_1);
  assembly.assemble_mass(E, m_1);
  m_1.multiply(w, y_1);
  set_threads(3);
  assembly.assemble_stiffness(E, K_3);
  assembly.assemble_mass(E, m_3);
  m_3.multiply(w, y_3);
  set_threads(before);
  EXPECT_TRUE(std::equal(K_1.valuePtr(), K_1.valuePtr() + K_1.nonZeros(), K_3.valuePtr()));
  EXPECT_EQ(m_1.values(), m_3.values());
  EXPECT_EQ(y_1, y_3);
}

TEST(Parallel, CoversEveryIndexOnce) {
  const int before = threads();
  for (const int n_threads : {1, 2, 5}) {
    set_threads(n_threads);
    for (const Eigen::Index n : {0, 1, 7, 1000}) {
      std::vector<int> visits(n, 0);
      parallel_for(n, 10, [&](Eigen::Index begin, Eigen::Index end) {
        for (Eigen::Index i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), n);
    }
  }
  set_threads(before);
}

/// From the densities to the standard input data and back.
TEST(Parallel, AReductionAndItsPullbackHaveTheSameBitsForAnyNumberOfThreads) {
  FlexibleBodySpec spec = crank(100, 20, 4, true);
  spec.damping_beta = 1e-5;
  const VectorXd rho = random_densities(2000, 0.02, 3);
  const int before = threads();
  VectorXd lambda, rho_bar;
  for (const int n_threads : {1, 2, 3, 5}) {
    set_threads(n_threads);
    FlexibleBody body(spec);
    const ReducedBody r = reduced(body, rho);
    VectorXd bar;
    ASSERT_FALSE(body.pullback(rho, r, r.sid, bar).failed());
    if (n_threads == 1) lambda = r.lambda, rho_bar = bar;
    EXPECT_EQ(r.lambda, lambda) << n_threads;
    EXPECT_EQ(bar, rho_bar) << n_threads;
  }
  set_threads(before);
}

TEST(Parallel, PassesOnWhatALoopThrows) {
  const int before = threads();
  for (const int n_threads : {1, 4}) {
    set_threads(n_threads);
    const auto loop = [] {
      parallel_for(1000, 10, [](Eigen::Index begin, Eigen::Index) {
        if (begin >= 500) throw std::runtime_error("no memory");
      });
    };
    EXPECT_THROW(loop(), std::runtime_error);
  }
  set_threads(before);
}

/// A stack that no address space holds: no thread can be started from here on. Last of its group, for the
/// loops make do with the threads that they have ever after.
TEST(Parallel, RunsOnFewerThreadsWhereNoMoreCanBeStarted) {
  pthread_attr_t usual, enormous;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&enormous), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&enormous, std::size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&enormous), 0);
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  const int before = threads();
  set_threads(64);
  std::vector<int> visits(10000, 0);
  parallel_for(10000, 10, [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index i = begin; i < end; ++i) ++visits[i];
  });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 10000);
  set_threads(before);
  pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual), pthread_attr_destroy(&enormous);
}

}  // namespace
}  // namespace kurbel::fem::test
