#include "fem/surface_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "fem/selection.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using std::numbers::pi;
using Kind = SurfaceShape::Kind;

/// Turns and moves a part, so that it lies along none of the axes.
Vector3d placed(const Vector3d& x) {
  const Matrix3d turn =
      (Eigen::AngleAxisd(0.7, Vector3d::UnitX()) * Eigen::AngleAxisd(-0.4, Vector3d::UnitY())).matrix();
  return turn * x + Vector3d(0.3, -0.2, 0.5);
}

/// A point (rho, z) of a profile at (s, t) in [0, 1], s from the inner to the outer surface.
using Profile = std::function<std::pair<double, double>(double, double)>;

/// A sector of a solid of revolution around z, of hexahedra.
class Revolved {
 public:
  Revolved(const Profile& profile, double angle, int around, int along)
      : cube_(cube(around, along)), mesh_(turned(cube_, profile, angle)) {}

  /// The shape of the inner surface (s = 0) or of the outer one (s = 1).
  SurfaceShape at(double s) const {
    std::vector<FacePlace> faces;
    for (const ElementFace& face : surface_faces(cube_)) {
      if (std::ranges::all_of(face.corners, [&](int node) { return cube_.positions()(0, node) == s; }))
        faces.push_back({static_cast<int>(face.element), static_cast<int>(face.index)});
    }
    return shape_of(mesh_, faces);
  }

 private:
  static Mesh cube(int around, int along) {
    MeshSpec box;
    box.dim = 3;
    box.size = {1.0, 1.0, 1.0};
    box.divisions = {2, around, along};
    return Mesh(box);
  }
  static Mesh turned(const Mesh& cube, const Profile& profile, double angle) {
    Mesh::Points x = cube.positions();
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const auto [rho, z] = profile(x(0, i), x(2, i));
      const double phi = angle * x(1, i);
      x.col(i) = placed({rho * std::cos(phi), rho * std::sin(phi), z});
    }
    return Mesh(3, x, {{ElementKind::hex8, cube.blocks().front().nodes}}, 1.0);
  }

  Mesh cube_, mesh_;
};

struct Frustum {
  double narrow, wide, length;
  double angle;  ///< of the sector
};

class Cones : public testing::TestWithParam<Frustum> {};

TEST_P(Cones, HaveTheAxisApexHalfAngleRadiiAndAreaOfTheClosedForm) {
  const auto [narrow, wide, length, angle] = GetParam();
  constexpr int around = 40;
  constexpr double wall = 2.0;  // the outer cone has the same apex
  const auto profile = [&](double s, double t) {
    return std::pair((1.0 + (wall - 1.0) * s) * std::lerp(narrow, wide, t), length * t);
  };
  const Revolved part(profile, angle, around, 5);
  const Vector3d apex = placed({0.0, 0.0, -narrow * length / (wide - narrow)});
  const Vector3d axis = placed(Vector3d::UnitZ()) - placed(Vector3d::Zero());
  for (const double scale : {1.0, wall}) {
    const SurfaceShape cone = part.at(scale == 1.0 ? 0.0 : 1.0);
    ASSERT_EQ(cone.kind, Kind::cone);
    const double rise = scale * (wide - narrow), slant = std::hypot(rise, length);
    constexpr double exact = 1e-9;  // the nodes are on the cone
    EXPECT_NEAR(cone.half_angle, std::atan2(rise, length), exact);
    EXPECT_NEAR((cone.axis - axis).norm(), 0.0, exact);
    EXPECT_NEAR((cone.apex - apex).norm(), 0.0, exact * apex.norm() / std::sin(cone.half_angle));
    EXPECT_NEAR((cone.centre - placed({0.0, 0.0, 0.5 * length})).norm(), 0.0, exact * length);
    EXPECT_NEAR(cone.radii[0], scale * narrow, exact * length);
    EXPECT_NEAR(cone.radii[1], scale * wide, exact * length);
    const double area = 0.5 * angle * scale * (narrow + wide) * slant;
    EXPECT_NEAR(cone.area, area, std::pow(angle / around, 2) / 6.0 * area) << "of flat faces";
    EXPECT_EQ(cone.radius, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Cones,
                         testing::Values(Frustum{0.1, 0.2, 0.3, 1.7 * pi}, Frustum{0.1, 0.2, 0.3, 0.4 * pi},
                                         Frustum{0.1, 0.11, 0.3, 1.7 * pi},  // half angles of 2 and 4 degrees
                                         Frustum{0.1, 0.3, 0.04, 1.7 * pi},  // of 79 and 84 degrees
                                         Frustum{0.1, 0.105, 0.005, 1.9 * pi},  // a chamfer
                                         Frustum{0.001, 0.2, 0.2, 1.5 * pi}));  // nearly to the tip

TEST(SurfaceShape, NamesAChamferOfOneElementAConeAndASphereASphere) {
  constexpr double angle = 1.8 * pi;
  // The nodes of one linear element across lie on two circles, which a sphere has, too.
  const auto chamfer = [](double s, double t) { return std::pair(0.1 + 0.02 * s + 0.01 * t, 0.01 * t); };
  const Revolved narrow(chamfer, angle, 40, 1);
  for (const double s : {0.0, 1.0}) EXPECT_EQ(narrow.at(s).kind, Kind::cone);
  const auto shell = [](double s, double t) {
    const double latitude = 1.2 * (t - 0.5), r = 0.1 + 0.02 * s;
    return std::pair(r * std::cos(latitude), r * std::sin(latitude));
  };
  const Revolved zone(shell, angle, 40, 8);
  for (const double s : {0.0, 1.0}) {
    EXPECT_EQ(zone.at(s).kind, Kind::sphere);
    EXPECT_NEAR(zone.at(s).radius, 0.1 + 0.02 * s, 1e-12);
  }
}

struct Ring {
  double ring, tube;
  double first, last;  ///< angles around the tube, zero outwards
  double angle;        ///< of the sector
};

class Tori : public testing::TestWithParam<Ring> {};

TEST_P(Tori, HaveTheCentreAxisAndRadiiOfTheClosedForm) {
  const Ring& of = GetParam();
  constexpr double wall = 0.2;  // of the tube; the outer surface has another one
  const auto profile = [&](double s, double t) {
    const double at = std::lerp(of.first, of.last, t), r = (1.0 + wall * s) * of.tube;
    return std::pair(of.ring + r * std::cos(at), r * std::sin(at));
  };
  const Revolved part(profile, of.angle, 40, 8);
  const Vector3d axis = placed(Vector3d::UnitZ()) - placed(Vector3d::Zero());
  for (const double s : {0.0, 1.0}) {
    const SurfaceShape torus = part.at(s);
    ASSERT_EQ(torus.kind, Kind::torus);
    constexpr double exact = 1e-9;  // the nodes are on the torus
    EXPECT_NEAR(torus.radius, (1.0 + wall * s) * of.tube, exact);
    EXPECT_NEAR(torus.ring_radius, of.ring, exact);
    EXPECT_LT((torus.centre - placed(Vector3d::Zero())).norm(), exact);
    EXPECT_LT(torus.axis.cross(axis).norm(), exact);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Tori,
                         testing::Values(Ring{0.1, 0.02, -0.45 * pi, 0.45 * pi, 1.8 * pi},
                                         Ring{0.1, 0.02, 0.0, 0.5 * pi, 1.8 * pi},    // a rounded edge
                                         Ring{0.1, 0.02, pi, 1.5 * pi, 0.5 * pi},     // a quarter of a fillet
                                         Ring{0.05, 0.002, 0.0, 0.5 * pi, 1.8 * pi},  // a small one
                                         Ring{0.01, 0.03, 0.0, 0.45 * pi, 1.8 * pi},  // the end of a rod
                                         Ring{0.1, 0.02, 0.1, 1.1, 0.2 * pi}));

TEST(SurfaceShape, LeavesSurfacesFreeThatAreNoTorusOrTooSmallToTell) {
  const auto ellipse = [](double s, double t) {
    const double at = 0.9 * pi * (t - 0.5), scale = 1.0 + 0.1 * s;
    return std::pair(0.1 + 0.02 * scale * std::cos(at), 0.03 * scale * std::sin(at));
  };
  const Revolved oval(ellipse, 1.8 * pi, 40, 12);
  // Any surface has two curvatures; over 11 degrees in each direction they do not tell a torus.
  const auto patch = [](double s, double t) {
    const double at = 0.2 * (t - 0.5), r = 0.5 + 0.05 * s;
    return std::pair(1.0 + r * std::cos(at), r * std::sin(at));
  };
  const Revolved small(patch, 0.2, 10, 10);
  for (const double s : {0.0, 1.0}) {
    EXPECT_EQ(oval.at(s).kind, Kind::free);
    EXPECT_EQ(small.at(s).kind, Kind::free);
  }
}

}  // namespace
}  // namespace kurbel::fem::test
