/// The variational step: order, momenta, energy, constraints, reactions, and the equations it stands for.
#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <Eigen/QR>

#include "dae_derivatives.hpp"
#include "integration/constant_mass_balance.hpp"
#include "node_mechanisms.hpp"

namespace kurbel {
namespace {

using test::chain;
using test::free_body;
using test::heavy_body;
using test::NodeMechanism;
using test::NodeMotion;
using test::NodeSpec;
using test::spherical_pendulum;
using test::variational;

const Vector3d axis_z = Vector3d::UnitZ();

NodeSpec swinging_pendulum() {
  return spherical_pendulum({0.8, 0.1, -0.6}, {0.3, 1.5, 0.6});
}

/// Of the pendulum without its rod: r_ddot = -g e_z - 2 lambda r / m, which keeps |r|.
double exact_reaction(const Vector3d& r, const Vector3d& v) {
  return 1.3 * (v.squaredNorm() - 9.81 * r.z()) / (2.0 * r.squaredNorm());
}

struct PointState {
  Vector3d r, v;
};

/// By steps of order four that are short enough for rounding errors only.
PointState exact_pendulum(PointState s, double t) {
  const int n = std::max(1, static_cast<int>(std::ceil(t / 5e-4)));
  const double h = t / n;
  const auto rate = [](const PointState& s) {
    return PointState{s.v, -9.81 * axis_z - 2.0 * exact_reaction(s.r, s.v) / 1.3 * s.r};
  };
  const auto moved = [](const PointState& s, double h, const PointState& k) {
    return PointState{s.r + h * k.r, s.v + h * k.v};
  };
  for (int i = 0; i < n; ++i) {
    const PointState k1 = rate(s), k2 = rate(moved(s, h / 2, k1)), k3 = rate(moved(s, h / 2, k2)),
                     k4 = rate(moved(s, h, k3));
    s.r += h / 6.0 * (k1.r + 2.0 * k2.r + 2.0 * k3.r + k4.r);
    s.v += h / 6.0 * (k1.v + 2.0 * k2.v + 2.0 * k3.v + k4.v);
  }
  return s;
}

/// Largest errors over the motion.
struct Errors {
  double x = 0.0, v = 0.0, lambda = 0.0, middle = 0.0;
};

Errors pendulum_errors(double h, double alpha) {
  const NodeMotion<double> motion(swinging_pendulum(), variational(0.8, h, alpha));
  EXPECT_FALSE(motion.status.failed());
  Errors e;
  PointState s{motion.at(0).x, motion.at(0).v};
  double t = 0.0;
  const auto advance = [&](double to) {
    s = exact_pendulum(s, to - t);
    t = to;
  };
  for (Eigen::Index k = 1; k <= motion.last(); ++k) {
    const auto middle = motion.middle(k), end = motion.at(k);
    advance(middle.t);
    e.lambda = std::max(e.lambda, std::abs(middle.lambda[0] - exact_reaction(s.r, s.v)));
    e.middle = std::max({e.middle, (middle.x - s.r).norm(), (middle.v - s.v).norm()});
    advance(end.t);
    e.x = std::max(e.x, (end.x - s.r).norm());
    e.v = std::max(e.v, (end.v - s.v).norm());
  }
  return e;
}

TEST(VariationalStep, IsOfOrderTwoInPositionsAndReactions) {
  const Errors coarse = pendulum_errors(0.01, 0.5), fine = pendulum_errors(0.005, 0.5);
  for (const auto member : {&Errors::x, &Errors::v, &Errors::lambda, &Errors::middle}) {
    const double order = std::log2(coarse.*member / fine.*member);
    RecordProperty("order", std::to_string(order));
    EXPECT_NEAR(order, 2.0, 0.1);
  }
  EXPECT_LT(fine.x, 1e-3);
}

TEST(VariationalStep, IsOfOrderOneAwayFromTheMiddle) {
  const Errors coarse = pendulum_errors(0.002, 0.3), fine = pendulum_errors(0.001, 0.3);
  EXPECT_NEAR(std::log2(coarse.x / fine.x), 1.0, 0.1);
}

VectorXd momentum(const NodeMechanism<double>& model, const VectorXd& v) {
  VectorXd p = VectorXd::Zero(v.size());
  model.mass().add_product(1.0, v, p);
  return p;
}

/// sum_a x_a x p_a
Vector3d angular_momentum(const NodeMechanism<double>& model, const DaeInstant<double>& at) {
  const VectorXd p = momentum(model, at.v);
  Vector3d L = Vector3d::Zero();
  for (Eigen::Index a = 0; a < p.size(); a += 3)
    L += Vector3d(at.x.segment<3>(a)).cross(Vector3d(p.segment<3>(a)));
  return L;
}

TEST(VariationalStep, KeepsTheMomentaOfAFreeBody) {
  const NodeMotion<double> motion(
      free_body({0.1, 0.05, -0.07}, test::any_inertia(), {0.3, -0.2, 0.5}, {3.0, -4.0, 2.0}),
      variational(2.0, 0.01));
  ASSERT_FALSE(motion.status.failed());
  const Vector3d p = momentum(motion.model, motion.at(0).v).head<3>(),
                 L = angular_momentum(motion.model, motion.at(0));
  for (Eigen::Index k = 1; k <= motion.last(); ++k) {
    EXPECT_LT((momentum(motion.model, motion.at(k).v).head<3>() - p).norm(), 1e-12 * p.norm());
    EXPECT_LT((angular_momentum(motion.model, motion.at(k)) - L).norm(), 1e-12 * L.norm());
  }
}

TEST(VariationalStep, KeepsTheAngularMomentumAboutTheVertical) {
  const NodeMotion<double> motion(heavy_body(), variational(2.0, 0.005));
  ASSERT_FALSE(motion.status.failed());
  // About the joint, which is not the origin: weight and reaction have no moment about the vertical through it.
  const Vector3d joint(0.2, -0.1, 0.3);
  const auto vertical = [&](Eigen::Index k) {
    const Vector3d p = momentum(motion.model, motion.at(k).v).head<3>();
    return (angular_momentum(motion.model, motion.at(k)) - joint.cross(p)).z();
  };
  for (Eigen::Index k = 1; k <= motion.last(); ++k)
    EXPECT_NEAR(vertical(k), vertical(0), 1e-12 * angular_momentum(motion.model, motion.at(0)).norm()) << k;
}

double energy(const NodeMotion<double>& motion, Eigen::Index k) {
  const auto at = motion.at(k);
  const VectorXd p = momentum(motion.model, at.v);
  const VectorXd weight = momentum(motion.model, VectorXd::Unit(p.size(), 2)) * 9.81;
  return 0.5 * p.dot(at.v) + weight.dot(at.x);
}

double energy_error(const NodeSpec& spec, double h) {
  const NodeMotion<double> motion(spec, variational(2.0, h));
  EXPECT_FALSE(motion.status.failed());
  double largest = 0.0;
  for (Eigen::Index k = 0; k <= motion.last(); ++k)
    largest = std::max(largest, std::abs(energy(motion, k) - energy(motion, 0)));
  return largest;
}

TEST(VariationalStep, KeepsTheEnergyToASixteenthWithAQuarterOfTheStep) {
  for (const NodeSpec& spec : {swinging_pendulum(), heavy_body()})
    EXPECT_NEAR(energy_error(spec, 8e-3) / energy_error(spec, 2e-3), 16.0, 0.5);
}

/// Without drift over a hundred periods.
TEST(VariationalStep, LosesNoEnergyOverALongTime) {
  const NodeMotion<double> motion(swinging_pendulum(), variational(160.0, 0.02));
  ASSERT_FALSE(motion.status.failed());
  const auto largest = [&](Eigen::Index from, Eigen::Index to) {
    double error = 0.0;
    for (Eigen::Index k = from; k <= to; ++k)
      error = std::max(error, std::abs(energy(motion, k) - energy(motion, 0)));
    return error;
  };
  EXPECT_LT(largest(7000, 8000), 1.05 * largest(0, 1000));
}

TEST(VariationalStep, MeetsConstraintsOfPositionsAndVelocities) {
  for (const NodeSpec& spec : {swinging_pendulum(), heavy_body(), chain(6)}) {
    const NodeMotion<double> motion(spec, variational(1.0, 0.01));
    ASSERT_FALSE(motion.status.failed()) << motion.status.message();
    ConstraintDerivatives<double> c;
    c.resize(motion.model.n_v(), motion.model.n_c());
    const auto ws = motion.model.make_workspace();
    for (Eigen::Index k = 0; k <= motion.last(); ++k) {
      motion.model.constraint_derivatives(motion.at(k), *ws, c);
      EXPECT_LT(c.c0.cwiseAbs().maxCoeff(), 1e-12) << k;
      EXPECT_LT(c.c1.cwiseAbs().maxCoeff(), 1e-12 * (1.0 + motion.at(k).v.norm())) << k;
    }
  }
}

/// C^T lambda = 2 l lambda e_r is the whole weight, at every instant.
TEST(VariationalStep, HangsAtRestByTheWeight) {
  const NodeMotion<double> motion(spherical_pendulum({0.0, 0.0, -1.0}, Vector3d::Zero()),
                                  variational(0.5, 0.01));
  ASSERT_FALSE(motion.status.failed());
  for (Eigen::Index k = 0; k <= motion.last(); ++k) {
    EXPECT_NEAR(2.0 * 0.7 * motion.at(k).lambda[0], 1.3 * 9.81, 1e-10);
    EXPECT_LT((motion.at(k).x - Vector3d(0.0, 0.0, -0.7)).norm(), 1e-13);
  }
}

/// Without moments the axis of a symmetric body turns about L by |L| / J_1.
double top_error(double h) {
  // J_1 = J_22 + J_33 of the Euler tensor.
  const Vector3d J(0.04, 0.04, 0.09), omega(1.0, 0.0, 4.0);
  const NodeMotion<double> motion(free_body(Vector3d::Zero(), J.asDiagonal(), Vector3d::Zero(), omega),
                                  variational(1.5, h));
  EXPECT_FALSE(motion.status.failed());
  const double J_1 = J[1] + J[2], J_3 = J[0] + J[1];
  const Vector3d L(J_1 * omega.x(), 0.0, J_3 * omega.z());
  double error = 0.0;
  for (Eigen::Index k = 0; k <= motion.last(); ++k) {
    const Vector3d e3 = motion.at(k).x.segment<3>(9);
    const Vector3d exact =
        Eigen::AngleAxisd(L.norm() / J_1 * motion.trajectory.t[k], L.normalized()) * axis_z;
    error = std::max(error, (e3 - exact).norm());
  }
  return error;
}

TEST(VariationalStep, PrecessesAsAFreeSymmetricTop) {
  const double coarse = top_error(4e-3), fine = top_error(2e-3);
  EXPECT_LT(fine, 1e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
}

/// M (2 q_n - q_n+1 - q_n-1) / h + h/2 (F_n-1/2 + F_n+1/2) = h G_n^T l_n with l_n the mean of the multipliers on
/// both sides of the instant.    [P1, eq. 12]
TEST(VariationalStep, SolvesTheEquationOfThreeInstants) {
  const double h = 0.01;
  for (const NodeSpec& spec : {swinging_pendulum(), heavy_body(), chain(6)}) {
    const NodeMotion<double> motion(spec, variational(0.3, h));
    ASSERT_FALSE(motion.status.failed());
    const auto& model = motion.model;
    const auto ws = model.make_workspace();
    const auto force = [&](Eigen::Index k) {
      const VectorXd x0 = motion.at(k - 1).x, x1 = motion.at(k).x;
      VectorXd F(model.n_v());
      model.force((static_cast<double>(k) - 0.5) * h, 0.5 * (x0 + x1), (x1 - x0) / h, *ws, F);
      return F;
    };
    for (Eigen::Index k = 1; k < motion.last(); ++k) {
      const VectorXd q0 = motion.at(k - 1).x, q1 = motion.at(k).x, q2 = motion.at(k + 1).x;
      const VectorXd r = momentum(model, 2.0 * q1 - q2 - q0) / h + 0.5 * h * (force(k) + force(k + 1));
      DaeJacobians<double> jacobians = model.make_jacobians();
      VectorXd c(model.n_c());
      model.constraints(motion.trajectory.t[k], q1, *ws, c, jacobians.C);
      const MatrixXd G_T = jacobians.C.to_dense().transpose();
      const VectorXd h_l = G_T.colPivHouseholderQr().solve(r);
      // Rounding errors of positions of size one, over h.
      EXPECT_LT((r - G_T * h_l).norm(), 1e-12) << k;
      // The means in the middles on both sides lie O(h^2) around it.
      const VectorXd beside = 0.5 * (motion.middle(k).lambda + motion.middle(k + 1).lambda);
      EXPECT_LT((h_l / h - beside).norm(), 0.05 * (1.0 + beside.norm())) << k;
    }
  }
}

/// w and lambda balance the forces in the middle: M w + (C_0^T a + C_1^T b) / 2 = F_a.
TEST(VariationalStep, BalancesInTheMiddleOfASpinningBody) {
  const double h = 0.01, omega = 10.0;
  const NodeMotion<double> motion(
      free_body(Vector3d::Zero(), Vector3d(0.05, 0.05, 0.02).asDiagonal(), Vector3d::Zero(), omega * axis_z),
      variational(0.2, h));
  ASSERT_FALSE(motion.status.failed());
  for (Eigen::Index k = 1; k <= motion.last(); ++k) {
    // The chord of a turn by omega h: its middle is shorter by (omega h)^2 / 8, the node is not.
    EXPECT_NEAR(motion.at(k).x.segment<3>(3).norm(), 1.0, 1e-12);
    EXPECT_NEAR(motion.middle(k).x.segment<3>(3).norm(), 1.0 - omega * omega * h * h / 8.0, 1e-5);
    // Of c = e_1 . e_1 - 1, C^T = 2 e_1: 2 lambda = J_11 omega^2.
    EXPECT_NEAR(2.0 * motion.middle(k).lambda[0], 0.05 * omega * omega, 0.05);
  }
}

TEST(VariationalStep, ConvergesToTheMotionOfGeneralizedAlpha) {
  for (const NodeSpec& spec : {heavy_body(), chain(6)}) {
    const auto difference = [&](double h) {
      IntegratorOptions other{.t1 = 0.5, .step = h, .rho_inf = 0.9};
      const NodeMotion<double> a(spec, variational(0.5, h)), b(spec, other);
      EXPECT_FALSE(a.status.failed() || b.status.failed());
      return (a.at(a.last()).x - b.at(b.last()).x).norm();
    };
    const double coarse = difference(2e-3), fine = difference(1e-3);
    EXPECT_LT(fine, 1e-3);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
  }
}

TEST(VariationalStep, ConvergesToTheMotionOfMatrixR) {
  IntegratorOptions other{.method = IntegratorMethod::trapezoidal, .t1 = 0.5, .step = 1e-3};
  const NodeMotion<double> a(heavy_body(), variational(0.5, 1e-3)), b(heavy_body(), other);
  ASSERT_FALSE(a.status.failed() || b.status.failed());
  EXPECT_LT((a.at(a.last()).x - b.at(b.last()).x).norm(), 1e-3);
}

TEST(VariationalStep, MovesAlikeBySparseAndDenseFactors) {
  IntegratorOptions dense = variational(0.2, 0.01), sparse = dense;
  dense.linear_solver = LinearSolver::dense, sparse.linear_solver = LinearSolver::sparse;
  const NodeMotion<double> a(chain(30), dense), b(chain(30), sparse);
  ASSERT_FALSE(a.status.failed() || b.status.failed());
  EXPECT_LT((a.trajectory.y - b.trajectory.y).cwiseAbs().maxCoeff(),
            1e-9 * a.trajectory.y.cwiseAbs().maxCoeff());
}

TEST(ConstantMass, HasTheDerivativesOfASecondOrderDae) {
  for (const NodeSpec& spec : {heavy_body(), chain(5)}) {
    const NodeMechanism<double> model(spec, spec.numbers());
    const auto make = [&](const VectorX<Complex>& p) {
      const auto owner = std::make_shared<NodeMechanism<Complex>>(spec, p);
      return test::ComplexModel{owner, owner.get()};
    };
    test::Random random(5);
    const Eigen::Index n = model.n_v();
    const test::DaePoint<double> point{spec.x + 0.1 * random.vector(n), random.vector(n), random.vector(n),
                                       random.vector(model.n_c()), 0.3};
    test::expect_derivatives(model, make, point);
    test::expect_constraint_derivatives(model, make, point);
  }
}

TEST(ConstantMassStart, NamesTheConstraintThatThePositionsMiss) {
  NodeSpec spec = chain(4);
  spec.x[4] += 1e-3;
  try {
    NodeMotion<double> motion(spec, variational(0.1, 0.01));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("constraint 0: the positions given miss this constraint by"));
  }
}

TEST(ConstantMassStart, TakesPositionsWithinRounding) {
  NodeSpec spec = chain(4);
  spec.x[3] += 1e-10;
  EXPECT_FALSE(NodeMotion<double>(spec, variational(0.1, 0.01)).status.failed());
}

TEST(ConstantMassStart, NamesRedundantConstraints) {
  NodeSpec spec = chain(4);
  spec.drives.push_back(spec.drives[1]);
  try {
    NodeMotion<double> motion(spec, variational(0.1, 0.01));
    FAIL();
  } catch (const FaultyConstraint& error) {
    EXPECT_THAT(error.row(), testing::AnyOf(3, 5));
    EXPECT_THAT(error.what(), testing::HasSubstr("redundant constraint: constraint "));
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("constraint 3"), testing::HasSubstr("constraint 5")));
  }
}

TEST(ConstantMassStart, SaysThatMassIsMissing) {
  NodeSpec spec = chain(4);
  spec.masses[3].mass = 0.0;
  const NodeMotion<double> motion(spec, variational(0.1, 0.01));
  ASSERT_TRUE(motion.status.failed());
  EXPECT_THAT(motion.status.message(), testing::HasSubstr("mass"));
}

/// Of all velocities that the constraints allow the nearest in the metric of the mass: M (v - v_given) is a reaction.
TEST(ConstantMassStart, ChangesVelocitiesByImpulsesOfTheConstraints) {
  const NodeSpec spec = chain(6);
  const NodeMotion<double> motion(spec, variational(0.1, 0.01));
  ASSERT_FALSE(motion.status.failed());
  const auto at = motion.at(0);
  const auto ws = motion.model.make_workspace();
  ConstraintDerivatives<double> c;
  c.resize(at.v.size(), motion.model.n_c());
  motion.model.constraint_derivatives(at, *ws, c);
  EXPECT_LT(c.c1.norm(), 1e-13);
  EXPECT_LT(c.c2.norm(), 1e-12);
  const VectorXd impulse = momentum(motion.model, at.v - spec.v);
  EXPECT_GT(impulse.norm(), 0.1);
  const MatrixXd C_T = c.C.transpose();
  EXPECT_LT((impulse - C_T * C_T.colPivHouseholderQr().solve(impulse)).norm(), 1e-13);
  VectorXd f(at.v.size()), unused(c.c0.size());
  motion.model.residual(at, *ws, f, unused);
  EXPECT_LT(f.norm(), 1e-11);
}

}  // namespace
}  // namespace kurbel
