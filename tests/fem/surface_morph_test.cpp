/// @file
/// Meshes whose surface moves: the map, its transpose, and gradients of reduced bodies by its offsets.
#include "fem/surface_morph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fem/faces.hpp"
#include "fem/mesh_source.hpp"
#include "fem/moved_mesh.hpp"
#include "placed_objective.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using testing::HasSubstr;

class SurfaceMorphs : public testing::TestWithParam<int> {
 protected:
  static FlexibleBodySpec spec_of(int dim) {
    FlexibleBodySpec spec = dim == 2 ? crank(6, 3, 2, false) : bar({4, 2, 2}, {0.2, 0.05, 0.04}, 2, false);
    spec = on_quadratic_mesh(std::move(spec), Split::all, 0.0);
    spec.surface = SurfaceSpec{dim == 2 ? 0.02 : 0.03, {}};
    Region kept{"kept", Region::Kind::solid, {}};
    Box middle;
    middle.lower[0] = 0.08, middle.upper[0] = 0.11;
    kept.place = middle;
    spec.regions.push_back(kept);
    return spec;
  }

  const int dim = GetParam();
  FlexibleBody body{spec_of(dim)};
  const SurfaceMorph& morph = *body.spec().mesh.morph;
  /// Up to a tenth of the body's height.
  VectorXd some_offsets(unsigned seed) const {
    return 0.1 * body.spec().mesh.size[1] * random_matrix(morph.size(), 1, seed).col(0);
  }
};

TEST_P(SurfaceMorphs, HaveTheTransposedMapAsPullBack) {
  const VectorXd s = some_offsets(1);
  const Mesh::Points x_bar = random_matrix(3, body.mesh().n_nodes(), 2);
  const double forward = morph.displacements(s).cwiseProduct(x_bar).sum();
  EXPECT_NEAR(morph.pullback(x_bar).dot(s), forward, 1e-12 * morph.displacements(s).norm() * x_bar.norm());
}

TEST_P(SurfaceMorphs, LeaveClampMarkersAndRegionsWhereTheyAre) {
  const Mesh::Points u = morph.displacements(some_offsets(3));
  EXPECT_GT(u.norm(), 0.0);
  EXPECT_EQ(u(Eigen::all, clamped_nodes(body.spec(), body.mesh())).norm(), 0.0);
  for (const MarkerSpec& marker : body.spec().markers)
    EXPECT_EQ(u(Eigen::all, marker_nodes(marker, body.mesh()).nodes).norm(), 0.0);
  const std::vector<int> kept = body.mesh().elements_in(body.spec().regions.back().place);
  EXPECT_FALSE(kept.empty());
  for (const int e : kept) EXPECT_EQ(u(Eigen::all, body.mesh().nodes_of(e)).norm(), 0.0) << "element " << e;
  if (dim == 2) {
    EXPECT_EQ(u.row(2).norm(), 0.0);
  }
}

TEST_P(SurfaceMorphs, HaveGradientsOfTheReducedBodyThatEqualDifferences) {
  BodyDesign design = body.nominal(VectorXd::Ones(body.n_elements()));
  design.offsets = some_offsets(4);
  const auto psi = [&](const BodyDesign& at) {
    ReducedBody r;
    const Status status = body.reduce(at, r);
    EXPECT_FALSE(status.failed()) << status.message();
    return placed_objective(r.sid);
  };
  ReducedBody r;
  ASSERT_FALSE(body.reduce(design, r).failed());
  BodyDesign bar;
  ASSERT_FALSE(body.pullback(design, r, placed_objective_bar(r.sid), bar).failed());
  BodyDesign mass_bar;
  differentiate_mass(body.spec(), design, mass_bar);
  const auto expect_slope = [&](const VectorXd& gradient, const VectorXd& direction, const auto& f) {
    const double expected = difference(
        [&](double h) {
          BodyDesign moved = design;
          moved.offsets += h * direction;
          return f(moved);
        },
        2e-3);
    EXPECT_NEAR(gradient.dot(direction), expected, 1e-7 * gradient.cwiseProduct(direction).norm());
  };
  for (unsigned seed = 5; seed < 8; ++seed) {
    expect_slope(bar.offsets, some_offsets(seed), psi);
    expect_slope(mass_bar.offsets, some_offsets(seed), [&](const BodyDesign& at) { return body.mass(at); });
  }
}

TEST_P(SurfaceMorphs, FailWhereAnElementIsTurnedInsideOut) {
  BodyDesign design = body.nominal(VectorXd::Ones(body.n_elements()));
  design.offsets.setConstant(-0.7 * body.spec().mesh.size[1]);
  ReducedBody r;
  const Status status = body.reduce(design, r);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), HasSubstr("inside out"));
  design.offsets.setZero();
  EXPECT_FALSE(body.reduce(design, r).failed()) << "the body goes on after that";
}

TEST_P(SurfaceMorphs, HaveADistortionWithAGradientThatEqualsDifferences) {
  const MeshSpec& mesh = body.spec().mesh;
  const MeshShape start(mesh.size, VectorXd::Zero(morph.size()));
  EXPECT_DOUBLE_EQ(distortion(mesh, start), 0.1);
  EXPECT_EQ(differentiate_distortion(mesh, start).offsets.norm(), 0.0);
  const MeshShape shape(mesh.size, some_offsets(4));
  const MeshShape bar = differentiate_distortion(mesh, shape);
  for (unsigned seed = 5; seed < 8; ++seed) {
    const VectorXd direction = some_offsets(seed);
    const double expected = difference(
        [&](double h) {
          return distortion(mesh, {shape.size, shape.offsets + h * direction});
        },
        2e-3);
    EXPECT_NEAR(bar.offsets.dot(direction), expected, 1e-7 * bar.offsets.cwiseProduct(direction).norm());
  }
  for (int d = 0; d < dim; ++d) {
    const double expected = difference(
        [&](double h) {
          MeshShape longer = shape;
          longer.size[d] *= 1.0 + h;
          return distortion(mesh, longer);
        },
        2e-3);
    EXPECT_NEAR(bar.size[d] * shape.size[d], expected, 1e-7 * distortion(mesh, shape)) << d;
  }
}

// An element of which a share is left has shrunk by one over that, less one; others add to it.
TEST_P(SurfaceMorphs, BoundTheSmallestElementByTheirDistortion) {
  const MeshSpec& mesh = body.spec().mesh;
  const auto smallest_share = [&](const MeshShape& shape) {
    const auto source = mesh_source(mesh);
    const VectorXd before = source->measures({mesh.size, VectorXd::Zero(morph.size())}, body.n_elements());
    return source->measures(shape, body.n_elements()).cwiseQuotient(before).minCoeff();
  };
  for (const double offset : {0.02, 0.1, 0.2}) {
    const MeshShape shape(mesh.size, VectorXd(VectorXd::Constant(morph.size(), -offset * mesh.size[1])));
    const double d = distortion(mesh, shape), smallest = smallest_share(shape);
    EXPECT_LT(smallest, 1.0);
    EXPECT_GE(smallest, 1.0 / (1.0 + d) - 1e-12);
    EXPECT_LE(smallest, 1.0 / (1.0 + 0.4 * d)) << "the norm is not far above its largest term";
  }
  const MeshShape inside_out(mesh.size, VectorXd(VectorXd::Constant(morph.size(), -0.7 * mesh.size[1])));
  EXPECT_TRUE(std::isinf(distortion(mesh, inside_out)));
  EXPECT_EQ(differentiate_distortion(mesh, inside_out).offsets.norm(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(InTheDimension, SurfaceMorphs, testing::Values(2, 3));

/// A square that is clamped at its middle.
FlexibleBodySpec square() {
  FlexibleBodySpec spec;
  spec.name = "square";
  spec.mesh = unit_box(2, 8);
  spec.material = {2.1e11, 0.3, 7850.0};
  spec.clamp = Box{{0.3, 0.3, {}}, {0.7, 0.7, {}}};
  spec.n_normal_modes = 1;
  spec = on_free_mesh(std::move(spec), Split::all, 0.0);
  spec.surface = SurfaceSpec{0.2, {}};
  return spec;
}

/// The square of 9 x 8 elements with a slit from above in place of those of its middle column.
FlexibleBodySpec square_with_slit(double width) {
  FlexibleBodySpec spec = square();
  MeshSpec box = unit_box(2, 8);
  box.divisions[0] = 9;
  const Mesh whole(box);
  Mesh::Points x = whole.positions();
  for (Eigen::Index i = 0; i < x.cols(); ++i)
    x(0, i) = 0.5 + (x(0, i) > 0.5 ? 0.5 : -0.5) *
                        (width + (1.0 - width) * (std::abs(2.0 * x(0, i) - 1.0) - 1.0 / 9.0) * 9.0 / 8.0);
  std::vector<int> nodes;
  for (int e = 0; e < 72; ++e) {
    if (e % 9 == 4 && e > 27) continue;
    for (const int node : whole.nodes_of(e)) nodes.push_back(node);
  }
  const ElementBlock block{ElementKind::quad4,
                           Eigen::Map<Eigen::MatrixXi>(nodes.data(), 4, std::ssize(nodes) / 4)};
  spec.mesh = spec_of_given(std::make_shared<const Mesh>(2, x, std::vector{block}), 1.0);
  Box bottom, lower_half;
  bottom.upper[1] = 0.0, lower_half.upper[1] = 0.5;
  spec.clamp = bottom;
  spec.surface = SurfaceSpec{0.1, {lower_half}};
  return spec;
}

// No element is turned inside out where a slit closes: its sides pass through each other.
TEST(SurfaceMorph, FailsWhereTheSurfacePassesThroughItself) {
  FlexibleBody body(square_with_slit(0.02));
  BodyDesign design = body.nominal(VectorXd::Ones(body.n_elements()));
  ReducedBody r;
  for (const double offset : {-0.015, 0.005, 0.015}) {
    design.offsets = VectorXd::Constant(body.spec().mesh.morph->size(), offset);
    EXPECT_LT(distortion(body.spec().mesh, design.shape()), 0.5);
    const Status status = body.reduce(design, r);
    EXPECT_EQ(status.failed(), offset > 0.01) << offset;
    if (status.failed()) {
      EXPECT_THAT(status.message(), HasSubstr("the offsets let the surface pass through itself at (0."));
      EXPECT_THAT(status.message(), HasSubstr("body square"));
    }
  }
}

// On the straight sides the means of equal offsets are that offset, and a corner has those of both sides.
TEST(SurfaceMorph, MovesSidesAlongTheirNormalsAndKeepsCornersSharp) {
  FlexibleBody body(square());
  const SurfaceMorph& morph = *body.spec().mesh.morph;
  EXPECT_EQ(morph.size(), 4 * 9);
  const Mesh::Points u = morph.displacements(VectorXd::Constant(morph.size(), 0.01));
  for (Eigen::Index i = 0; i < u.cols(); ++i) {
    const Vector3d x = body.mesh().positions().col(i);
    for (int d = 0; d < 2; ++d) {
      if (x[d] != 0.0 && x[d] != 1.0) continue;
      EXPECT_NEAR(u(d, i), x[d] == 0.0 ? -0.01 : 0.01, 1e-15) << i;
    }
  }
}

TEST(SurfaceMorph, LeavesSmoothlyWhatIsFixed) {
  FlexibleBodySpec spec = square();
  Box side;
  side.upper[0] = 0.0;
  spec.surface->fixed.emplace_back(side);
  FlexibleBody body(spec);
  const SurfaceMorph& morph = *body.spec().mesh.morph;
  const Mesh::Points u = morph.displacements(VectorXd::Constant(morph.size(), 0.01));
  double last = 0.0;
  for (int i = 0; i <= 4; ++i) {
    const double moved = -u(1, i);
    EXPECT_GE(moved, last) << "along the side from the fixed one, node " << i;
    EXPECT_LT(moved, i == 0 ? 1e-15 : i == 1 ? 0.009 : 0.011);
    last = moved;
  }
  EXPECT_NEAR(last, 0.01, 1e-15);
}

TEST(SurfaceMorph, DoesNotLeaveASpaceWhoseEndsMoveInwardOnly) {
  FlexibleBodySpec spec = square();
  Box half;
  half.upper[0] = 0.5;
  spec.surface->inward.emplace_back(half);
  FlexibleBody body(spec);
  const SurfaceMorph& morph = *body.spec().mesh.morph;
  VectorXd s = random_matrix(morph.size(), 1, 9).col(0).cwiseAbs();
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (morph.inward()[static_cast<std::size_t>(i)]) s[i] *= -1.0;
  }
  const Mesh::Points u = morph.displacements(s);
  for (Eigen::Index i = 0; i < u.cols(); ++i) {
    const Vector3d x = body.mesh().positions().col(i);
    if (x[0] > 0.5 || (x[1] != 0.0 && x[1] != 1.0)) continue;
    EXPECT_GT(x[1] == 0.0 ? u(1, i) : -u(1, i), 0.0) << i;
  }
  EXPECT_GT(u.row(0).maxCoeff(), 0.0) << "the other half moves outward";
  // At their bounds they stay, however far the sites beside them move outward.
  for (Eigen::Index i = 0; i < s.size(); ++i) s[i] = morph.inward()[static_cast<std::size_t>(i)] ? 0.0 : 1.0;
  const Mesh::Points outward = morph.displacements(s);
  for (Eigen::Index i = 0; i < u.cols(); ++i) {
    const Vector3d x = body.mesh().positions().col(i);
    if (x[0] <= 0.5 && (x[1] == 0.0 || x[1] == 1.0)) {
      EXPECT_EQ(outward(1, i), 0.0) << i;
    }
  }
}

TEST(SurfaceMorph, IsRefusedWhereNothingCanMove) {
  FlexibleBodySpec spec = square();
  spec.surface->fixed.emplace_back();
  EXPECT_THROW(FlexibleBody{spec}, InputError);
}

}  // namespace
}  // namespace kurbel::fem::test
