/// @file
/// Mechanisms that their joints hold more than once, for tests.
#pragma once

#include <gtest/gtest.h>

#include "test_models.hpp"

namespace kurbel::test {

inline std::array<bool, 6> locked_by(const std::string& type) {
  std::array<bool, 6> locked{};
  EXPECT_TRUE(locked_dofs_of(type, locked)) << type;
  return locked;
}

/// A rod along its x axis, from marker "a" at its origin to marker "b", turned about z.
inline BodySpec planar_rod(const std::string& name, double length, const Vector3d& place, double angle) {
  BodySpec rod{name,
               rigid_sid_with_markers(2.0 * length, {0.45 * length, 0.02, 0.0},
                                      {0.01 * length, 0.2 * length * length, 0.21 * length * length},
                                      {0, 0, 0}, {length, 0, 0}),
               {}};
  rod.initial.position = place, rod.initial.rotation = {0.0, 0.0, angle};
  return rod;
}

struct FourBar {
  double crank = 0.3, coupler = 0.9, rocker = 0.6, ground = 1.0;
  double crank_angle = 1.0;
};

/// Four revolute joints in space, of which three rows are redundant; falls from a start with 2 rad/s. An
/// aligned one has all its links along x.
inline SystemSpec four_bar(const FourBar& lengths = {}) {
  const auto& [crank, coupler, rocker, ground, angle] = lengths;
  const Vector3d B(crank * std::cos(angle), crank * std::sin(angle), 0.0), D(ground, 0.0, 0.0);
  const Vector3d BD = D - B;
  const double d = BD.norm();
  const double cosine = (coupler * coupler + d * d - rocker * rocker) / (2.0 * coupler * d);
  const double coupler_angle = std::atan2(BD.y(), BD.x()) + std::acos(std::clamp(cosine, -1.0, 1.0));
  const Vector3d C = B + coupler * Vector3d(std::cos(coupler_angle), std::sin(coupler_angle), 0.0);
  SystemSpec spec;
  spec.gravity << 1.0, -9.81, 0.0;
  spec.ground = {make_sid_node("post", D, Matrix3d::Identity(), 0)};
  spec.bodies = {planar_rod("crank", crank, Vector3d::Zero(), angle),
                 planar_rod("coupler", coupler, B, coupler_angle),
                 planar_rod("rocker", rocker, D, std::atan2(C.y() - D.y(), C.x() - D.x()))};
  spec.bodies[0].initial.angular_velocity.z() = 2.0;
  spec.bodies[0].initial.given.angular_velocity = true;
  const std::array<bool, 6> revolute = locked_by("revolute");
  spec.joints = {{"A", {"ground"}, {"crank"}, revolute, {}},
                 {"B", {"crank", "b"}, {"coupler", "a"}, revolute, {}},
                 {"C", {"coupler", "b"}, {"rocker", "b"}, revolute, {}},
                 {"D", {"ground", "post"}, {"rocker", "a"}, revolute, {}}};
  return spec;
}

/// The same motion without redundant rows: B is spherical, C cylindrical.
inline SystemSpec independent_four_bar() {
  SystemSpec spec = four_bar();
  spec.joints[1].locked = locked_by("spherical");
  spec.joints[2].locked = locked_by("cylindrical");
  return spec;
}

/// Crank, rod and slider on the x axis, all but the slider's guide of revolute joints.
inline SystemSpec slider_crank(double crank_angle, double crank = 0.2, double rod = 0.5) {
  const Vector3d pin(crank * std::cos(crank_angle), crank * std::sin(crank_angle), 0.0);
  const double rod_angle = -std::asin(pin.y() / rod);
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  spec.bodies = {planar_rod("crank", crank, Vector3d::Zero(), crank_angle),
                 planar_rod("rod", rod, pin, rod_angle),
                 planar_rod("slider", 0.1, {pin.x() + rod * std::cos(rod_angle), 0.0, 0.0}, 0.0)};
  const std::array<bool, 6> revolute = locked_by("revolute");
  spec.joints = {{"bearing", {"ground"}, {"crank"}, revolute, {}},
                 {"pin", {"crank", "b"}, {"rod", "a"}, revolute, {}},
                 {"wrist", {"rod", "b"}, {"slider", "a"}, revolute, {}},
                 {"guide", {"ground"}, {"slider"}, {false, true, true, true, true, true}, {}}};
  return spec;
}

/// Bricard's linkage: six equal links, twisted by +90 and -90 degrees in turns, in a closed ring that floats
/// freely. With revolute angles theta and phi in turns it closes where
///
///     cos theta + cos phi + cos theta cos phi = 0
inline SystemSpec bricard(double theta = 1.9) {
  const double phi = std::acos(-std::cos(theta) / (1.0 + std::cos(theta)));
  SystemSpec spec;
  Vector3d r = Vector3d::Zero();
  Matrix3d S = Matrix3d::Identity();
  const std::array<bool, 6> revolute = locked_by("revolute");
  for (int i = 0; i < 6; ++i) {
    const Matrix3d twist =
        Eigen::AngleAxisd((i % 2 == 0 ? 0.5 : -0.5) * EIGEN_PI, Vector3d::UnitX()).toRotationMatrix();
    BodySpec link{
        "link" + std::to_string(i),
        make_rigid_sid(1.0, {0.5, 0.0, 0.0}, Vector3d(0.02, 0.09, 0.09).asDiagonal().toDenseMatrix(),
                       {make_sid_node("a", {0, 0, 0}, Matrix3d::Identity(), 0),
                        make_sid_node("b", {1, 0, 0}, twist, 0)}),
        {}};
    const Eigen::AngleAxisd turn(S);
    link.initial.position = r, link.initial.rotation = turn.angle() * turn.axis();
    link.initial.angular_velocity.z() = i % 2 == 0 ? 1.0 : -0.4;
    spec.bodies.push_back(link);
    r += S.col(0);
    S = S * twist * Eigen::AngleAxisd(i % 2 == 0 ? theta : phi, Vector3d::UnitZ()).toRotationMatrix();
    spec.joints.push_back({"hinge" + std::to_string(i),
                           {"link" + std::to_string(i), "b"},
                           {"link" + std::to_string((i + 1) % 6), "a"},
                           revolute,
                           {}});
  }
  return spec;
}

/// Bennett's linkage on the ground: opposite links are equal, a / sin alpha is the same for all, and
/// tan(theta / 2) tan(phi / 2) = -sin((beta + alpha) / 2) / sin((beta - alpha) / 2).
inline SystemSpec bennett(double theta = 1.2) {
  constexpr double alpha = 0.5, beta = 1.1, a = 0.5;
  const double b = a * std::sin(beta) / std::sin(alpha);
  const double phi = -2.0 * std::atan(std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha)) /
                                      std::tan(0.5 * theta));
  const std::array<double, 4> lengths = {a, b, a, b}, twists = {alpha, beta, alpha, beta};
  const std::array<double, 4> angles = {theta, phi, -theta, -phi};
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 2.0;
  Vector3d r = Vector3d::Zero();
  Matrix3d S = Matrix3d::Identity();
  const std::array<bool, 6> revolute = locked_by("revolute");
  for (std::size_t i = 0; i < 4; ++i) {
    const Matrix3d twist = Eigen::AngleAxisd(twists[i], Vector3d::UnitX()).toRotationMatrix();
    const SidNode end = make_sid_node("b", {lengths[i], 0, 0}, twist, 0);
    const std::string name = "link" + std::to_string(i), next = "link" + std::to_string(i + 1);
    if (i == 0) {
      spec.ground = {make_sid_node("a", {0, 0, 0}, Matrix3d::Identity(), 0), end};
    } else {
      BodySpec link{name,
                    make_rigid_sid(1.0, {0.5 * lengths[i], 0.0, 0.0},
                                   Vector3d(0.02, 0.09, 0.09).asDiagonal().toDenseMatrix(),
                                   {make_sid_node("a", {0, 0, 0}, Matrix3d::Identity(), 0), end}),
                    {}};
      const Eigen::AngleAxisd turn(S);
      link.initial.position = r, link.initial.rotation = turn.angle() * turn.axis();
      spec.bodies.push_back(link);
    }
    spec.joints.push_back({"hinge" + std::to_string(i),
                           {i == 0 ? "ground" : name, "b"},
                           {i == 3 ? "ground" : next, "a"},
                           revolute,
                           {}});
    r += lengths[i] * S.col(0);
    S = S * twist * Eigen::AngleAxisd(angles[i], Vector3d::UnitZ()).toRotationMatrix();
  }
  return spec;
}

}  // namespace kurbel::test
