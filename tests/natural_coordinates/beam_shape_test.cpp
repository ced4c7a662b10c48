/// Straight beams and arcs at the start: closed forms, variations against complex step, rigid motions.
#include "elements/beam_shape.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "base/errors.hpp"
#include "integration/lie_group.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using std::numbers::pi;
using test::random_vector;

/// Complex step has no truncation error: 1e-12 leaves room for rounding.
constexpr double exact = 1e-12, step = 1e-40;

struct NamedShape {
  const char* name;
  BeamSpec spec;
};

BeamSpec arc_of(const Vector3d& start, const Vector3d& end, const Vector3d& through, const Vector3d& side) {
  BeamSpec spec;
  spec.kind = BeamSpec::Kind::spatial, spec.n_elements = 5;
  spec.start = start, spec.end = end, spec.through = through, spec.side = side;
  spec.velocity << 0.3, -0.2, 0.1, spec.angular_velocity << 1.0, -0.7, 2.0;
  return spec;
}

/// Of the circle of a radius in a turned plane, from an angle 0 to `angle`.
BeamSpec arc_by_angle(double radius, double angle, const Vector3d& side = Vector3d::Zero()) {
  const Matrix3d R = rotation_matrix(exp_quaternion<double>({0.4, -0.8, 0.3}));
  const auto at = [&](double theta) {
    return Vector3d(Vector3d(0.2, 0.1, -0.3) +
                    R * Vector3d(radius * std::cos(theta), radius * std::sin(theta), 0.0));
  };
  return arc_of(at(0.0), at(angle), at(0.3 * angle), side);
}

std::vector<NamedShape> shapes() {
  BeamSpec straight = arc_by_angle(1.3, 0.5, {0.1, 0.9, -0.3}), cable = straight;
  straight.through.reset(), cable.through.reset();
  cable.kind = BeamSpec::Kind::cable;
  return {{"quarter in a plane",
           arc_of({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {std::sqrt(0.5), std::sqrt(0.5), 0.0}, {0.0, 0.0, 0.0})},
          {"shallow", arc_by_angle(3.0, 0.2)},
          {"shallow, with a side", arc_by_angle(3.0, 0.2, {0.3, 0.2, 1.0})},
          {"half a circle", arc_by_angle(0.7, pi)},
          {"most of a circle", arc_by_angle(0.7, 1.7 * pi)},
          {"most of a circle, with a side", arc_by_angle(0.7, 1.7 * pi, {0.3, 0.2, 1.0})},
          {"straight", straight},
          {"cable", cable}};
}

VectorXd places_of(const BeamSpec& spec) {
  VectorXd places(9);
  places << spec.start, spec.end, spec.through.value_or(Vector3d::Zero());
  return places;
}

/// Nodes, their rates, strains and the length of an element, one below the other.
template <class S>
VectorX<S> all_of(const BeamSpec& spec, const VectorX<S>& places) {
  const BeamShape<S> shape(spec, places.data());
  std::vector<S> all;
  const auto add = [&](const auto& part) {
    all.insert(all.end(), part.reshaped().begin(), part.reshaped().end());
  };
  for (int i = 0; i <= spec.n_elements; ++i) add(shape.node(i)), add(shape.node_rate(i));
  for (int i = 0; i < spec.n_elements; ++i) add(shape.strains(i));
  all.push_back(shape.element_length());
  return Eigen::Map<VectorX<S>>(all.data(), std::ssize(all));
}

VectorXd variation_of_all(const BeamSpec& spec, const VectorXd& places_dot) {
  const VectorXd places = places_of(spec);
  const BeamShape<double> shape(spec, places.data());
  const Matrix3d dot = places_dot.reshaped(3, 3);
  std::vector<double> all;
  const auto add = [&](const auto& part) {
    all.insert(all.end(), part.reshaped().begin(), part.reshaped().end());
  };
  for (int i = 0; i <= spec.n_elements; ++i)
    add(shape.node_variation(i, dot)), add(shape.node_rate_variation(i, dot));
  for (int i = 0; i < spec.n_elements; ++i) add(shape.strain_variation(i, dot));
  all.push_back(shape.element_length_variation(dot));
  return Eigen::Map<VectorXd>(all.data(), std::ssize(all));
}

TEST(BeamShape, VariesAsComplexStepTells) {
  for (const auto& [name, spec] : shapes()) {
    std::vector<VectorXd> directions = {random_vector(9, 1.0, 3)};
    for (Eigen::Index k = 0; k < 9; ++k) directions.emplace_back(VectorXd::Unit(9, k));
    for (const VectorXd& direction : directions) {
      const VectorX<Complex> moved = places_of(spec) + Complex(0.0, step) * direction;
      const VectorXd expected = all_of<Complex>(spec, moved).imag() / step;
      const double size = std::max(1.0, expected.cwiseAbs().maxCoeff());
      EXPECT_LT((variation_of_all(spec, direction) - expected).cwiseAbs().maxCoeff(), exact * size)
          << name << ", along " << direction.transpose();
    }
  }
}

TEST(BeamShape, HasDerivativesOfLengthAndStrainsByItsPlaces) {
  for (const auto& [name, spec] : shapes()) {
    const VectorXd places = places_of(spec), direction = random_vector(9, 1.0, 5);
    const BeamShape<double> shape(spec, places.data());
    const Matrix3d dot = direction.reshaped(3, 3);
    const VectorXd found = shape.derivatives() * direction;
    ASSERT_EQ(found.size(), spec.through ? 1 + 6 * spec.n_elements : 1) << name;
    EXPECT_NEAR(found[0], shape.element_length_variation(dot), exact) << name;
    for (int i = 0; spec.through && i < spec.n_elements; ++i)
      EXPECT_LT((found.segment<6>(1 + 6 * i) - shape.strain_variation(i, dot)).norm(), exact * found.norm())
          << name;
  }
}

TEST(BeamShape, LiesOnTheCircleThroughThreePlaces) {
  for (const double angle : {0.2, 0.5 * pi, pi, 1.7 * pi}) {
    const BeamSpec spec = arc_by_angle(0.7, angle);
    const VectorXd places = places_of(spec);
    const BeamShape<double> shape(spec, places.data());
    EXPECT_NEAR(5.0 * shape.element_length(), 0.7 * angle, exact);
    EXPECT_LT((shape.node(0).col(0) - spec.start).norm(), exact);
    EXPECT_LT((shape.node(5).col(0) - spec.end).norm(), exact);
    const Vector3d normal = (*spec.through - spec.start).cross(spec.end - spec.start).normalized();
    for (int i = 0; i <= 5; ++i) {
      const Matrix3d axes = shape.node(i).rightCols<3>();
      EXPECT_LT((axes.transpose() * axes - Matrix3d::Identity()).norm(), exact);
      EXPECT_LT((axes.col(1) - normal).norm(), exact)
          << "d2 is the normal of the plane unless a side is given";
    }
  }
}

/// Twist and shear are none, the curvature about the normal, to O(h^2), 1 / R.
TEST(BeamShape, IsCurvedAsTheCircle) {
  BeamSpec spec = arc_by_angle(0.7, 1.7 * pi);
  double previous = 0.0;
  for (const int n : {40, 80}) {
    spec.n_elements = n;
    const VectorXd places = places_of(spec);
    const Vector6<double> s = BeamShape<double>(spec, places.data()).strains(n / 3);
    EXPECT_LT(std::abs(s[1]) + std::abs(s[2]) + std::abs(s[3]) + std::abs(s[5]), 1e-12);
    const double error = std::abs(std::abs(s[4]) - 1.0 / 0.7) + std::abs(s[0]);
    EXPECT_LT(error, 1e-2);
    if (previous > 0.0) {
      EXPECT_NEAR(previous / error, 4.0, 0.05);
    }
    previous = error;
  }
}

TEST(BeamShape, ChangesNothingButItsPlaceWhereAllPlacesMoveAlike) {
  const Vector3d shift(0.3, -1.2, 0.7);
  for (const auto& [name, spec] : shapes()) {
    const VectorXd places = places_of(spec), alike = shift.replicate<3, 1>();
    const BeamShape<double> shape(spec, places.data());
    const Matrix3d dot = alike.reshaped(3, 3);
    for (int i = 0; i <= spec.n_elements; ++i) {
      auto expected = shape.node(i);
      expected.setZero(), expected.col(0) = shift;
      EXPECT_LT((shape.node_variation(i, dot) - expected).norm(), exact) << name;
      EXPECT_LT(shape.node_rate_variation(i, dot).norm(), exact) << name;
    }
    EXPECT_LT((shape.derivatives() * alike).norm(), 10.0 * exact) << name;
  }
}

/// Sections turn with the arc unless a side is given.
TEST(BeamShape, TurnsAsOneBodyWithItsPlaces) {
  const Vector3d omega(0.5, -0.9, 0.4);
  for (const double angle : {0.2, pi, 1.7 * pi}) {
    const BeamSpec spec = arc_by_angle(0.7, angle);
    const VectorXd places = places_of(spec);
    const BeamShape<double> shape(spec, places.data());
    const Matrix3d turned = tilde(omega) * places.reshaped(3, 3);
    for (int i = 0; i <= spec.n_elements; ++i)
      EXPECT_LT((shape.node_variation(i, turned) - tilde(omega) * shape.node(i)).norm(), 10.0 * exact);
    EXPECT_LT((shape.derivatives() * turned.reshaped()).norm(), 100.0 * exact);
  }
}

TEST(BeamShape, RefusesArcsThatAreStraightAndSidesInTheirPlane) {
  BeamSpec spec = arc_by_angle(0.7, 1.0);
  spec.through = 0.4 * spec.start + 0.6 * spec.end;
  const VectorXd straight = places_of(spec);
  EXPECT_THROW(BeamShape<double>(spec, straight.data()), InputError);
  spec = arc_by_angle(0.7, 1.0), spec.side = *spec.through - spec.start;
  const VectorXd places = places_of(spec);
  EXPECT_THROW(BeamShape<double>(spec, places.data()), InputError);
}

}  // namespace
}  // namespace kurbel
