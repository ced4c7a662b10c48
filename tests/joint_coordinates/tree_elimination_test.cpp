/// Equations linearized stage by stage, against the same as matrices.
#include "joint_coordinates/tree_elimination.hpp"

#include <gtest/gtest.h>

#include "integration/dae_steps.hpp"
#include "integration/pivots.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

/// Branches on the ground and on a body that is free, with joints of one stage and of several; forces between neighbours
/// and against the ground.
SystemSpec open_trees() {
  test::Random random(11);
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {
      make_sid_node("post", {0.2, -0.1, 0.3}, rotation_matrix(exp_quaternion<double>({0.3, 0.1, -0.2})), 0)};
  for (int i = 1; i <= 11; ++i)
    spec.bodies.push_back({"b" + std::to_string(i), test::random_rigid_sid(random), {}});
  using test::joint_of;
  spec.joints = {joint_of("base", "revolute", {"ground", "post"}, {"b1", "a"}),
                 joint_of("ball", "spherical", {"b1", "b"}, {"b2", "a"}),
                 joint_of("rail", "prismatic", {"b3", "a"}, {"b2", "b"}),
                 joint_of("elbow", "revolute", {"b1", "c"}, {"b4", "a"}),
                 joint_of("cross", "universal", {"b4", "b"}, {"b5", "a"}),
                 joint_of("tube", "cylindrical", {"b6", "a"}, {"b5", "b"}),
                 joint_of("weld", "fixed", {"b7", "b"}, {"b8", "a"}),
                 joint_of("hinge", "revolute", {"b8", "b"}, {"b9", "a"}),
                 joint_of("socket", "spherical", {"b7", "c"}, {"b10", "b"}),
                 joint_of("slot", "planar", {"b10", "c"}, {"b11", "b"})};
  spec.springs = {{"tether", {"ground", "post"}, {"b7", "b"}, 30.0, 0.7, 0.2},
                  {"anchor", {"b6", "c"}, {"ground", "post"}, 20.0, 0.3, 0.2},
                  {"near", {"b2", "c"}, {"b3", "c"}, 40.0, 1.5, 0.3},
                  {"side", {"b10", "a"}, {"b7", "a"}, 25.0, 0.5, 0.1}};
  spec.torsion_springs = {{"twist", {"b4", "a"}, {"b1", "c"}, 12.0, 0.4, 0.2},
                          {"stiff", {"b8", "b"}, {"b9", "a"}, 9.0, 0.2, 0.1}};
  MarkerLoadSpec push{"push", {"b5", "b"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {constant_rate(1.0, 0.2), nullptr, constant_rate(-2.0, 0.0)};
  MarkerLoadSpec turned{"turned", {"b2", "c"}, MarkerLoadSpec::Frame::body, {}, {}};
  test::add_over_angle(turned, 1, 0, {"ground", "post"}, {"b1", "a"});  // b1 does not feel b2 in turn
  spec.loads = {push, turned};
  return spec;
}

/// Linearized at an arbitrary instant, by both; as Newton's matrix of a step.
template <class S>
struct Linearized {
  explicit Linearized(ReferencePoint point, const SystemSpec& spec = open_trees())
      : absolute(spec), system(absolute, point), ws(system.make_workspace()), recursion(system.recursion()) {
    test::Random random(7);
    const Eigen::Index n = system.n_v();
    const auto vector = [&](Eigen::Index size) -> VectorX<S> {
      VectorX<S> out = random.vector(size).template cast<S>();
      if constexpr (!std::is_same_v<S, double>) out += Complex(0.0, 0.1) * random.vector(size);
      return out;
    };
    VectorX<S> origin = VectorX<S>::Zero(system.n_x()), x = origin;
    for (const TreeStage& stage : system.tree().stages()) {
      if (stage.n_x() > stage.n_v()) origin[stage.x + stage.n_x() - 4] = 1.0;
    }
    const VectorX<S> xi = 0.7 * vector(n), v = vector(n), v_dot = vector(n), lambda(0);
    system.retract(origin, xi, x);
    const DaeInstant<S> at{0.4, x, v, v_dot, lambda};
    jacobians = system.make_jacobians();
    f.resize(n), f_of_recursion.resize(n);
    VectorX<S> c(0);
    system.linearize(at, *ws, f, c, jacobians);
    recursion->linearize(at, *ws, f_of_recursion, c);
    system.retraction_derivative(0.3 * vector(n), blocks);
    MatrixX<S> T = MatrixX<S>::Identity(n, n);
    for (const auto& b : blocks) T.block(b.offset, b.offset, b.size(), b.size()) = b.T;
    K = jacobians.M.to_dense() + c_v * jacobians.f_v.to_dense() + c_x * jacobians.f_x.to_dense() * T;
    for (auto* columns : {&X, &V}) {
      columns->resize(n, 3);
      for (int k = 0; k < 3; ++k) columns->col(k) = vector(n);
    }
  }
  const double c_v = 0.3, c_x = 0.02;
  MultibodySystem<S> absolute;
  JointCoordinateSystem<S> system;
  std::unique_ptr<typename SecondOrderDae<S>::Workspace> ws;
  std::unique_ptr<LinearizedDae<S>> recursion;
  DaeJacobians<S> jacobians;
  std::vector<RetractionBlock<S>> blocks;
  VectorX<S> f, f_of_recursion;
  MatrixX<S> K, X, V;  ///< arbitrary columns
};

template <class S>
void expect_same(const MatrixX<S>& value, const MatrixX<S>& expected, const char* what) {
  EXPECT_LT((value - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff()) << what;
}

template <class S>
void expect_solutions(ReferencePoint point) {
  Linearized<S> of(point);
  ASSERT_TRUE(of.recursion);
  expect_same<S>(of.f_of_recursion, of.f, "f");
  ASSERT_TRUE(of.recursion->factorize(of.blocks, of.c_v, of.c_x));
  const Eigen::PartialPivLU<MatrixX<S>> lu(of.K);
  MatrixX<S> solution;
  of.recursion->solve(of.X, solution);
  expect_same<S>(solution, lu.solve(of.X), "solution");
  VectorX<S> rhs = of.V.col(0), one(rhs.size());
  of.recursion->solve_transposed(rhs, one);
  const Eigen::PartialPivLU<MatrixX<S>> transposed(of.K.transpose());
  expect_same<S>(one, transposed.solve(of.V.col(0)), "transposed solution");
}

template <class S>
void expect_products(ReferencePoint point) {
  Linearized<S> of(point);
  MatrixX<S> f = of.V, no_rows(0, 3);
  of.recursion->add_product(of.X, of.V, f, no_rows);
  const MatrixX<S> f_x = of.jacobians.f_x.to_dense(), f_v = of.jacobians.f_v.to_dense();
  expect_same<S>(f, of.V + f_x * of.X + f_v * of.V, "product");
  const S square = of.X.col(0).transpose() * of.jacobians.M.to_dense() * of.X.col(0);
  EXPECT_NEAR(of.recursion->kinetic_norm(of.X.col(0)), std::sqrt(real_part(square)),
              1e-13 * std::sqrt(real_part(square)));
  VectorX<S> x_bar = of.X.col(1), v_bar = of.V.col(1), none(0);
  of.recursion->subtract_transposed_product(of.X.col(0), none, x_bar, v_bar);
  expect_same<S>(x_bar, of.X.col(1) - f_x.transpose() * of.X.col(0), "transposed product by positions");
  expect_same<S>(v_bar, of.V.col(1) - f_v.transpose() * of.X.col(0), "transposed product by velocities");
}

TEST(TreeElimination, SolvesAsMatricesDo) {
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    expect_solutions<double>(point);
    expect_solutions<Complex>(point);
  }
}

TEST(TreeElimination, MultipliesAsMatricesDo) {
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    expect_products<double>(point);
    expect_products<Complex>(point);
  }
}

/// A body without inertia between two hinges about one axis: nothing tells how they share a turn.
SystemSpec coaxial_hinges() {
  SystemSpec spec = open_trees();
  test::Random random(3);
  spec.bodies.push_back({"sleeve", make_rigid_sid(0.0, Vector3d::Zero(), Matrix3d::Zero(), {}), {}});
  spec.bodies.push_back({"tip", test::random_rigid_sid(random), {}});
  spec.joints.push_back(test::joint_of("inner", "revolute", {"b11", "a"}, {"sleeve", "origin"}));
  spec.joints.push_back(test::joint_of("outer", "revolute", {"sleeve", "origin"}, {"tip", "a"}));
  return spec;
}

TEST(TreeElimination, FindsThatAJointMovesNoInertia) {
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    Linearized<double> of(point, coaxial_hinges());
    ASSERT_TRUE(of.recursion);
    EXPECT_FALSE(is_regular(Eigen::PartialPivLU<MatrixXd>(of.K)));
    EXPECT_FALSE(of.recursion->factorize(of.blocks, of.c_v, of.c_x));
  }
}

/// Ten steps of a chain of hinges and balls, and their derivatives in both directions.
struct Steps {
  Steps(const SecondOrderDae<double>& model, IntegratorMethod method, LinearSolver form) {
    IntegratorOptions options;
    options.method = method, options.linear_solver = form;
    options.t1 = 0.1, options.step = 0.01, options.newton_tolerance = 1e-13;
    const auto steps = make_dae_steps<double>(model, options);
    Trajectory<double> trajectory;
    const Status status = simulate<double>(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    y = trajectory.y;
    y_bar = MatrixXd::Ones(steps->n_tangent(), 2);
    y_bar.col(1).head(model.n_v()) *= -2.0;
    p_bar = MatrixXd::Zero(steps->n_parameters(), 2);
    const MatrixXd p_dot = test::Random(5).matrix(steps->n_parameters(), 2);
    y_dot = MatrixXd::Zero(steps->n_tangent(), 2);
    for (Eigen::Index k = 10; k > 0; --k) steps->pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
    for (Eigen::Index k = 1; k <= 10; ++k) steps->push_forward_step(k, y.col(k - 1), y.col(k), p_dot, y_dot);
  }
  MatrixXd y, y_bar, p_bar, y_dot;
};

TEST(TreeElimination, GivesTheMotionAndGradientOfMatrices) {
  SystemSpec spec = test::rigid_chain(12);
  for (const std::size_t ball : {std::size_t{2}, std::size_t{7}})
    locked_dofs_of("spherical", spec.joints[ball].locked);
  spec.torsion_springs = {{"hinge", {"rod 3", "b"}, {"rod 4", "a"}, 2.0, 0.4, 0.1}};
  spec.springs = {{"tether", {"ground"}, {"rod 9", "b"}, 30.0, 0.7, 0.2}};
  const MultibodySystem<double> absolute(spec);
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    const JointCoordinateSystem<double> model(absolute, point);
    ASSERT_TRUE(model.make_recursion());
    for (const IntegratorMethod method :
         {IntegratorMethod::generalized_alpha, IntegratorMethod::trapezoidal}) {
      const Steps recursive(model, method, LinearSolver::automatic),
          dense(model, method, LinearSolver::dense);
      const auto expect_near = [](const MatrixXd& value, const MatrixXd& expected, const char* what) {
        EXPECT_LT((value - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff()) << what;
      };
      expect_near(recursive.y, dense.y, "motion");
      expect_near(recursive.y_bar, dense.y_bar, "adjoint of the state");
      expect_near(recursive.p_bar, dense.p_bar, "gradient");
      expect_near(recursive.y_dot, dense.y_dot, "direct differentiation");
    }
  }
}

TEST(TreeElimination, IsLeftWhereBodiesFeelEachOtherAcrossTheTree) {
  SystemSpec spec = open_trees();
  spec.springs.push_back({"across", {"b6", "c"}, {"b11", "c"}, 40.0, 1.5, 0.3});
  const MultibodySystem<double> absolute(spec);
  EXPECT_FALSE(JointCoordinateSystem<double>(absolute, ReferencePoint::common).recursion());
}

}  // namespace
}  // namespace kurbel
