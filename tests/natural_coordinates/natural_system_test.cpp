// Mechanisms in natural coordinates: every derivative by complex step, motions against the floating frame.
#include "natural_coordinates/natural_system.hpp"

#include "natural_coordinates/natural_criteria.hpp"
#include "tests/joint_coordinates/tree_models.hpp"
#include "tests/natural_coordinates/natural_models.hpp"

namespace kurbel::test {
namespace {

BeamSpec beam_of(const std::string& name, BeamSpec::Kind kind, const Vector3d& start, const Vector3d& end) {
  BeamSpec beam;
  beam.name = name, beam.kind = kind, beam.start = start, beam.end = end;
  beam.n_elements = 2, beam.dimensions = {0.08, 0.05}, beam.youngs_modulus = 3e3, beam.density = 2700.0;
  beam.damping = 0.01, beam.velocity << 0.1, -0.2, 0.3, beam.angular_velocity << 0.5, -1.0, 2.0;
  return beam;
}

/// Bodies with joints of every type, beams of both kinds and an arc, held by joints of every type they know.
SystemSpec with_beams() {
  SystemSpec spec = tree_with_every_joint();
  const TimeFunctionPtr turn = polynomial({0.0, {0.0, 0.5}}, {2.0, {3.0, 1.0}}),
                        slide = polynomial({0.0, {0.0, 0.5}}, {2.0, {0.3, 0.1}});
  spec.joints[0].drives = {table_drive(RelativeDof::rz, *turn)};
  spec.joints[4].drives = {{RelativeDof::rz, turn}};
  spec.joints[5].drives = {table_drive(RelativeDof::tz, *slide)};
  const auto add_beam = [&](BeamSpec beam) { spec.beams.push_back(std::move(beam)); };
  add_beam(beam_of("rope", BeamSpec::Kind::cable, {0.0, 0.1, 0.0}, {0.7, -0.2, 0.4}));
  add_beam(beam_of("wire", BeamSpec::Kind::cable, {0.7, -0.2, 0.4}, {0.5, 0.6, 0.9}));
  add_beam(beam_of("tail", BeamSpec::Kind::cable, {0.5, 0.6, 0.9}, {0.3, 1.4, 1.4}));
  spec.beams[1].shape = BeamSpec::Shape::circle;
  spec.beams[2].shape = BeamSpec::Shape::tube;
  add_beam(beam_of("bar", BeamSpec::Kind::spatial, {0.0, 0.0, 0.0}, {0.3, 0.5, 0.2}));
  spec.beams.back().shape = BeamSpec::Shape::rectangle;
  add_beam(beam_of("bow", BeamSpec::Kind::spatial, {0.0, 0.0, 0.0}, {0.3, 0.5, 0.2}));
  spec.beams.back().through = Vector3d(0.1, 0.3, 0.2), spec.beams.back().side.setZero();
  spec.joints.push_back(joint_of("knot", "spherical", {"b1", "b"}, {"rope", "start"}));
  spec.joints.push_back(joint_of("corner", "fixed", {"rope", "end"}, {"wire", "start"}));
  spec.joints.push_back(joint_of("splice", "fixed", {"wire", "end"}, {"tail", "start"}));
  spec.joints.push_back(joint_of("anchor", "fixed", {"tail", "end"}, {"b7", "c"}));
  spec.joints.push_back(joint_of("flange", "fixed", {"b6", "c"}, {"bar", "start"}));
  spec.joints.push_back(joint_of("hinge", "revolute", {"bar", "end"}, {"bow", "node1"}));
  spec.joints.push_back(joint_of("slide", "prismatic", {"free", "a"}, {"bow", "end"}));
  spec.springs.push_back({"band", {"rope", "node1"}, {"bow", "start"}, 25.0, 1.1, 0.2});
  spec.springs.push_back({"oil", {"bar", "node1"}, {"b2", "c"}, 5.0, 2.1, 0.1});
  spec.springs.back().isotropic_damping = true;
  spec.bushings = {bushing_between({"b2", "c"}, {"bow", "node1"})};
  spec.stops = pushing_stops({"b6", "c"}, {"b7", "c"});
  return spec;
}

TEST(NaturalSystem, EveryDerivativeIsThatOfAComplexStep) {
  const SystemSpec spec = with_beams();
  const NaturalSystem<double> system(spec);
  expect_derivatives(system, complex_model(spec), point_near_start(system, 0.03));
}

TEST(NaturalSystem, DerivativesOfConstraintsAreThoseOfAComplexStep) {
  const SystemSpec spec = with_beams();
  const NaturalSystem<double> system(spec);
  expect_constraint_derivatives(system, complex_model(spec), point_near_start(system, 0.03));
}

/// Far from the inertial origin, and by as much as x + dx can tell from x here.
TEST(NaturalSystem, SeesWhatRoundingTookOfItsBeams) {
  SystemSpec spec;
  spec.beams = {beam_of("wire", BeamSpec::Kind::cable, {7.0, 0.1, 0.0}, {7.7, -0.2, 0.4}),
                beam_of("bar", BeamSpec::Kind::spatial, {3.0, 0.0, 0.0}, {3.3, 0.5, 0.2})};
  const NaturalSystem<double> system(spec);
  const DaePoint<double> at = point_near_start(system, 0.03);
  Random random(2);
  const VectorXd dx = 1e-2 * random.vector(system.n_x()), dv = 0.1 * random.vector(system.n_v()),
                 x = at.x + dx, v = at.v + dv, w = random.vector(system.n_v());
  const auto ws = system.make_workspace(), refined = system.make_workspace();
  const auto evaluate = [&](const VectorXd& x_a, const VectorXd& v_a, auto& workspace) {
    VectorXd F(system.n_v()), p_bar = VectorXd::Zero(system.parameters().size());
    DaeJacobians<double> jacobians = system.make_jacobians();
    system.force(at.t, x_a, v_a, workspace, F);
    system.force_jacobians(at.t, x_a, v_a, workspace, jacobians);
    system.pullback_motion(at.t, x_a, v_a, at.v_dot, w, workspace, p_bar);
    VectorXd all(F.size() + p_bar.size() + 2 * F.size());
    all << F, p_bar, jacobians.f_x.to_dense() * w, jacobians.f_v.to_dense() * w;
    return all;
  };
  const VectorXd expected = evaluate(x, v, *ws), without = evaluate(at.x, at.v, *ws);
  system.refine(at.t, at.x, at.v, dx, dv, *refined);
  const VectorXd found = evaluate(at.x, at.v, *refined);
  EXPECT_GT((without - expected).norm(), 1e-3 * expected.norm());
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  evaluate(x, v, *refined);
  EXPECT_EQ(evaluate(at.x, at.v, *refined), without) << "at another instant in between";
}

TEST(NaturalSystem, TheStartFollowsItsParameters) {
  SystemSpec spec = with_beams();
  spec.bodies[2].initial.rotation << 0.3, -0.4, 0.8;
  spec.bodies[2].initial.angular_velocity << 1.0, 2.0, -0.7;
  spec.bodies[2].initial.parameters = {true, true, true, true};
  const NaturalSystem<double> system(spec);
  const Eigen::Index n = system.n_x();
  const auto start = [&](const VectorX<Complex>& p) {
    NaturalSystem<Complex> judge(spec);
    judge.set_parameters(p);
    VectorX<Complex> both(2 * n);
    judge.given_initial_state(both.head(n), both.tail(n));
    return both;
  };
  const Eigen::Index n_p = system.parameters().size();
  Random random(5);
  MatrixXd J(2 * n, n_p);
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> p = system.parameters().cast<Complex>();
    p[i] += Complex(0.0, complex_step);
    J.col(i) = start(p).imag() / complex_step;
  }
  const MatrixXd p_dot = random.vector(n_p);
  MatrixXd x_dot(n, 1), v_dot(n, 1);
  system.push_forward_given_position(p_dot, x_dot);
  system.push_forward_given_velocity(VectorXd::Zero(n), p_dot, v_dot);
  expect_close(x_dot, J.topRows(n) * p_dot, "positions forwards");
  expect_close(v_dot, J.bottomRows(n) * p_dot, "velocities forwards");
  const VectorXd bar = random.vector(2 * n);
  VectorXd p_bar = VectorXd::Zero(J.cols());
  system.pullback_given_position(bar.head(n), p_bar);
  system.pullback_given_velocity(VectorXd::Zero(n), bar.tail(n), p_bar);
  expect_close(p_bar, J.transpose() * bar, "backwards");
}

/// A body that jets push, which turn with it.
TEST(NaturalSystem, DifferentiatesMotionsAlongSeveralDirectionsAsOneByOne) {
  SystemSpec spec;
  spec.bodies = {
      {"ship", make_rigid_sid(2.0, {0.1, 0.0, 0.2}, Vector3d(0.1, 0.2, 0.3).asDiagonal(), {}), {}}};
  MarkerLoadSpec jets{"jets", {"ship"}, MarkerLoadSpec::Frame::body, {}, {}};
  jets.controls = {{.control = 0, .force = {0.6, 0.0, -0.8}, .torque = {0.0, 0.5, -2.0}}};
  spec.loads = {jets};
  spec.controls = {{"u", ControlGrid(Interpolation::natural, 3, 0.0, 2.0), Vector3d(0.4, 0.6, -0.3)}};
  NaturalSystem<double> system(spec);
  const DaePoint<double> at = point_near_start(system, 0.03);
  const Eigen::Index n = system.n_v(), n_p = system.parameters().size();
  const auto ws = system.make_workspace();
  MatrixXd by_p(n_p, n);  // transposed
  by_p.setZero();
  for (Eigen::Index i = 0; i < n; ++i)
    system.pullback_motion(at.t, at.x, at.v, at.v_dot, VectorXd::Unit(n, i), *ws, by_p.col(i));
  ASSERT_GT(by_p.middleRows(system.layout().control(0).offset, 3).norm(), 0.1);
  system.differentiate_by(MatrixXd::Identity(n_p, n_p).sparseView());
  Random random(3);
  const MatrixXd w = random.vector(3 * n).reshaped(n, 3), p_dot = random.vector(2 * n_p).reshaped(n_p, 2);
  MatrixXd p_bar = MatrixXd::Zero(n_p, 3), out(n, 2);
  system.pullback_motions(at.t, at.x, at.v, at.v_dot, w, *ws, p_bar);
  expect_close(p_bar, by_p * w, "backwards");
  system.push_forward_motion(at.t, at.x, at.v, at.v_dot, p_dot, *ws, out);
  expect_close(out, by_p.transpose() * p_dot, "forwards");
}

/// A quarter of a circle.
TEST(NaturalSystem, AnArcStartsFreeOfStress) {
  SystemSpec spec;
  BeamSpec arc = beam_of("arc", BeamSpec::Kind::spatial, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  arc.through = Vector3d(std::sqrt(0.5), std::sqrt(0.5), 0.0);
  arc.side = Vector3d::UnitZ(), arc.n_elements = 8;
  spec.beams = {arc};
  const NaturalSystem<double> system(spec);
  VectorXd x(system.n_x()), v(system.n_v()), F(system.n_v());
  system.given_initial_state(x, v);
  const auto ws = system.make_workspace();
  system.force(0.0, x, VectorXd::Zero(system.n_v()), *ws, F);
  EXPECT_LT(F.cwiseAbs().maxCoeff(), 1e-12 * arc.youngs_modulus);
  EXPECT_NEAR(system.extended_parameters()[system.element_length(0)], 0.5 * EIGEN_PI / 8, 1e-12);
  for (int i = 0; i <= 8; ++i) {
    const Vector3d r = x.segment<3>(3 * system.frames().node(0, i)),
                   d1 = x.segment<3>(3 * system.frames().node(0, i) + 3);
    EXPECT_NEAR(r.norm(), 1.0, 1e-12);
    EXPECT_NEAR(d1.dot(r), 0.0, 1e-12);
    EXPECT_NEAR(d1.cross(Vector3d(-r[1], r[0], 0.0)).norm(), 0.0, 1e-12);
  }
}

/// Quantities of every kind that natural coordinates observe.
std::vector<CriterionTerm> every_term() {
  std::vector<CriterionTerm> terms;
  const auto add = [&](Quantity quantity) -> CriterionTerm& {
    terms.push_back({.quantity = quantity});
    return terms.back();
  };
  for (const Quantity quantity : {Quantity::position, Quantity::velocity, Quantity::acceleration}) {
    for (const MarkerRef& marker : {MarkerRef{"b3", "c"}, MarkerRef{"rope", "node1"}})
      add(quantity).marker = marker;
  }
  add(Quantity::distance).marker = {"b2", "b"};
  terms.back().from = {"tail", "end"};
  for (const MarkerRef& from :
       {MarkerRef{"b7", "c"}, MarkerRef{"bow", "node1"}, MarkerRef{"rope", "node1"}}) {
    add(Quantity::relative_position).marker = {"b2", "b"};
    terms.back().from = from;
  }
  terms.back().component = 1;
  add(Quantity::spring_length).spring = "band";
  add(Quantity::spring_force).spring = "oil";
  for (const char* joint : {"knot", "flange", "rail", "base"}) add(Quantity::reaction_force).joint = joint;
  for (const char* joint : {"flange", "hinge"}) add(Quantity::reaction_moment).joint = joint;
  add(Quantity::rod_force).joint = "rod";
  add(Quantity::kinetic_energy);
  add(Quantity::mass).body = "b4";
  add(Quantity::mass).body = "tail";
  add(Quantity::control_energy);
  for (const char* beam : {"rope", "bar", "bow"}) add(Quantity::stress).beam = beam;
  add(Quantity::stress).beam = "wire";
  terms.back().along = 0.3;
  return terms;
}

TEST(NaturalSystem, DerivativesOfAllThatIsObservedAreThoseOfAComplexStep) {
  const SystemSpec spec = with_beams();
  const NaturalSystem<double> system(spec);
  const DaePoint<double> at = point_near_start(system, 0.03);
  const Eigen::Index n = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  VectorXd z(3 * n + n_c + n_p);
  z << at.x, at.v, at.v_dot, at.lambda, system.parameters();
  Random random(7);
  for (const CriterionTerm& term : every_term()) {
    const auto value = [&](const VectorX<Complex>& all) {
      NaturalSystem<Complex> judge(spec);
      judge.set_parameters(all.tail(n_p));
      const VectorX<Complex> x = all.head(n), v = all.segment(n, n), v_dot = all.segment(2 * n, n),
                             lambda = all.segment(3 * n, n_c);
      return VectorX<Complex>::Constant(1, make_integrand(judge, term)->value({at.t, x, v, v_dot, lambda}));
    };
    // Along random directions: the integrand is made anew for each.
    const MatrixXd directions = random.matrix(z.size(), 3);
    VectorXd expected(3);
    for (Eigen::Index k = 0; k < 3; ++k)
      expected[k] =
          value(z.cast<Complex>() + Complex(0.0, complex_step) * directions.col(k))[0].imag() / complex_step;
    const DaeStateLayout layout{n, n, n_c, 1};
    VectorXd y_bar = VectorXd::Zero(layout.n_tangent()), p_bar = VectorXd::Zero(n_p);
    DaeInstantBar<double> bar(layout, y_bar);
    make_integrand(system, term)->add_partials(at.instant(), 1.0, bar, p_bar);
    VectorXd z_bar(z.size());
    z_bar << y_bar, p_bar;
    expect_close(directions.transpose() * z_bar, expected, unit_of(term.quantity));
  }
}

}  // namespace
}  // namespace kurbel::test
