/// @file
/// M^-1 b in joint coordinates of chains of 1 to 16 rigid bodies: by recursion, and with M formed from composite
/// bodies and factorized. An evaluation of Hamilton's equations takes one factorization and one solution, with its
/// adjoint one factorization and two; evaluation and adjoint tell what that is a share of.
#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>

#include "floating_frame/rigid_momentum.hpp"
#include "joint_coordinates/articulated_inertia.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "tests/floating_frame/test_models.hpp"

namespace kurbel {
namespace {

/// A chain of n bodies in a bent position.
struct Chain {
  explicit Chain(int n)
      : absolute(test::rigid_chain(n)),
        joints(absolute, ReferencePoint::common),
        motion(joints.tree(), joints.cut().layout(), ReferencePoint::common),
        x(VectorXd::LinSpaced(joints.n_x(), 0.3, 0.5)),
        b(VectorXd::LinSpaced(joints.n_v(), 1.0, 2.0)),
        inertias(joints.tree().n_stages(), Matrix6<double>::Zero()) {
    const double* p = joints.parameters().data();
    motion.set_position(p, x);
    for (std::size_t i = 0; i < inertias.size(); ++i) {
      const int body = joints.tree().stages()[i].body;
      if (body < 0) continue;
      const Matrix6<double> T = motion[static_cast<int>(i)].frame().to_body();
      const BodyLayout& layout = joints.cut().layout().body(static_cast<std::size_t>(body));
      inertias[i] = T.transpose() * rigid_mass_matrix(layout, p) * T;
    }
  }
  MultibodySystem<double> absolute;
  JointCoordinateSystem<double> joints;
  TreeMotion<double> motion;
  VectorXd x;
  MatrixXd b;
  std::vector<Matrix6<double>> inertias;
};

struct Recursive {
  explicit Recursive(const Chain& chain) : chain(chain), inertia(chain.joints.tree()) {}
  void factorize() { inertia.factorize(chain.motion, chain.inertias); }
  void solve(MatrixXd& b) const { inertia.solve(chain.motion, b); }
  const Chain& chain;
  ArticulatedInertia<double> inertia;
};

/// M_ij = s_i . (I_j s_j), with I_j the inertia of all that stage j carries, about the one point of all stages.
struct Dense {
  explicit Dense(const Chain& chain)
      : chain(chain),
        M(MatrixXd::Zero(chain.joints.n_v(), chain.joints.n_v())),
        composites(chain.inertias),
        llt(M.rows()) {}
  void factorize() {
    const auto& stages = chain.joints.tree().stages();
    composites = chain.inertias;
    for (int i = static_cast<int>(stages.size()) - 1; i >= 0; --i) {
      const TreeStage& stage = stages[static_cast<std::size_t>(i)];
      const Matrix6<double>& I = composites[static_cast<std::size_t>(i)];
      if (stage.parent >= 0) composites[static_cast<std::size_t>(stage.parent)] += I;
      const Columns6<double> momenta = I * chain.motion[i].s;
      for (int a = i; a >= 0; a = stages[static_cast<std::size_t>(a)].parent) {
        const TreeStage& carrying = stages[static_cast<std::size_t>(a)];
        M.block(stage.v, carrying.v, stage.n_v(), carrying.n_v()).noalias() =
            momenta.transpose().lazyProduct(chain.motion[a].s);
      }
    }
    llt.compute(M);  // reads the lower triangle
  }
  void solve(MatrixXd& b) const { llt.solveInPlace(b); }
  const Chain& chain;
  MatrixXd M;
  std::vector<Matrix6<double>> composites;
  Eigen::LLT<MatrixXd> llt;
};

template <class Form>
void factorization(benchmark::State& state) {
  const Chain chain(static_cast<int>(state.range(0)));
  Form form(chain);
  for (auto _ : state) form.factorize();
}

template <class Form>
void solution(benchmark::State& state) {
  const Chain chain(static_cast<int>(state.range(0)));
  Form form(chain);
  form.factorize();
  MatrixXd b = chain.b;
  for (auto _ : state) {
    b = chain.b;
    form.solve(b);
  }
  MatrixXd other = chain.b;
  Dense dense(chain);
  dense.factorize();
  dense.solve(other);
  if ((other - b).norm() > 1e-9 * b.norm()) state.SkipWithError("the two differ");
}

/// All that a stage of an explicit step evaluates: positions, factors, v of p, momenta and their rates.
void evaluation(benchmark::State& state) {
  const Chain chain(static_cast<int>(state.range(0)));
  const auto ws = chain.joints.make_canonical_workspace();
  MatrixXd v = chain.b;
  VectorXd p(v.size()), g(v.size());
  for (auto _ : state) {
    chain.joints.set_position(0.0, chain.x, *ws);
    v = chain.b;
    chain.joints.solve(*ws, v);
    chain.joints.momenta(v.col(0), *ws, p, g);
  }
}

/// What its adjoint adds: derivatives of momenta and rates, and one solution.
void adjoint(benchmark::State& state) {
  const Chain chain(static_cast<int>(state.range(0)));
  const auto ws = chain.joints.make_canonical_workspace();
  MatrixXd v = chain.b;
  VectorXd p(v.size()), g(v.size()), x_bar(v.size()), v_bar(v.size()),
      p_bar = VectorXd::Zero(chain.joints.parameters().size());
  chain.joints.set_position(0.0, chain.x, *ws);
  for (auto _ : state) {
    chain.joints.momenta(chain.b.col(0), *ws, p, g);
    x_bar.setZero(), v_bar.setZero();
    chain.joints.pull_back_rate(chain.b.col(0), *ws, x_bar, v_bar, p_bar);
    v = v_bar;
    chain.joints.solve(*ws, v);
    chain.joints.pull_back_momentum(v.col(0), *ws, x_bar, v_bar, p_bar);
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {1, 2, 3, 4, 6, 8, 10, 12, 16}) b->Arg(n);
}
BENCHMARK(factorization<Recursive>)->Apply(sizes);
BENCHMARK(factorization<Dense>)->Apply(sizes);
BENCHMARK(solution<Recursive>)->Apply(sizes);
BENCHMARK(solution<Dense>)->Apply(sizes);
BENCHMARK(evaluation)->Apply(sizes);
BENCHMARK(adjoint)->Apply(sizes);

}  // namespace
}  // namespace kurbel
