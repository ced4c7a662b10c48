#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

MeshSpec box_mesh() {
  MeshSpec spec;
  spec.dim = 3;
  spec.origin = {1.0, 2.0, 3.0};
  spec.size = {3.0, 1.0, 2.0};
  spec.divisions = {3, 2, 4};
  return spec;
}

TEST(Mesh, NumbersNodesXFastestThenYThenZ) {
  const Mesh mesh(box_mesh());
  ASSERT_EQ(mesh.n_nodes(), 4 * 3 * 5);
  EXPECT_EQ(mesh.positions().col(1), Vector3d(2.0, 2.0, 3.0));
  EXPECT_EQ(mesh.positions().col(4), Vector3d(1.0, 2.5, 3.0));
  EXPECT_EQ(mesh.positions().col(12), Vector3d(1.0, 2.0, 3.5));
  EXPECT_EQ(mesh.positions().col(59), Vector3d(4.0, 3.0, 5.0));
}

TEST(Mesh, ConnectsHexahedraInVtkOrder) {
  const Mesh mesh(box_mesh());
  const Mesh::Points reference = mesh.class_corners(0);
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const Vector3d first = mesh.positions().col(mesh.nodes_of(e)[0]);
    for (int a = 0; a < 8; ++a) {
      const Vector3d corner = mesh.positions().col(mesh.nodes_of(e)[a]) - first;
      EXPECT_LT((corner - reference.col(a)).norm(), 1e-14);
    }
  }
  EXPECT_EQ(mesh.centres().col(1), Vector3d(2.5, 2.25, 3.25));
}

TEST(Mesh, EmbedsQuadrilateralsAtZeroHeight) {
  MeshSpec spec = box_mesh();
  spec.dim = 2;
  spec.thickness = 0.1;
  const Mesh mesh(spec);
  EXPECT_EQ(mesh.n_nodes(), 12);
  EXPECT_EQ(mesh.positions().row(2).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_THAT(mesh.nodes_of(4), testing::ElementsAre(5, 6, 10, 9));
}

TEST(Mesh, VolumesAddUpToTheBody) {
  EXPECT_NEAR(Mesh(box_mesh()).volumes().sum(), 6.0, 1e-13);
  MeshSpec spec = box_mesh();
  spec.dim = 2;
  spec.thickness = 0.1;
  EXPECT_NEAR(Mesh(spec).volumes().sum(), 0.3, 1e-14);
}

TEST(Mesh, SelectsWithinATenThousandthOfAnEdge) {
  const Mesh mesh(box_mesh());
  EXPECT_EQ(mesh.nodes_in(plane(0, 2.0 + 0.9e-4)).size(), 15u);
  EXPECT_TRUE(mesh.nodes_in(plane(0, 2.0 + 1.1e-4)).empty());
  Box corner;
  corner.lower[0] = 3.0;
  corner.lower[1] = 2.5;
  corner.lower[2] = 4.0;
  EXPECT_THAT(mesh.elements_in(corner), testing::ElementsAre(17, 23));
}

TEST(Mesh, SelectsAllWithoutBounds) {
  const Mesh mesh(box_mesh());
  EXPECT_EQ(mesh.nodes_in({}).size(), 60u);
  EXPECT_EQ(mesh.elements_in({}).size(), 24u);
}

TEST(Mesh, ThatWasMadeIsSharedByTheSpecificationsOfItsBoxAlone) {
  for (const int dim : {2, 3}) {
    MeshSpec spec = box_mesh();
    spec.dim = dim, spec.thickness = 0.1;
    spec.made = make_mesh(spec);
    EXPECT_EQ(make_mesh(spec), spec.made);
    const auto is_another = [&](const auto& change) {
      MeshSpec other = spec;
      change(other);
      return make_mesh(other) != spec.made;
    };
    EXPECT_TRUE(is_another([](MeshSpec& s) { s.origin[0] += 1.0; }));
    EXPECT_TRUE(is_another([](MeshSpec& s) { s.size[1] *= 2.0; }));
    EXPECT_TRUE(is_another([](MeshSpec& s) { s.divisions[0] = 4; }));
    EXPECT_TRUE(is_another([](MeshSpec& s) { std::swap(s.divisions[0], s.divisions[1]); }));
    EXPECT_TRUE(is_another([&](MeshSpec& s) { s.dim = 5 - dim; }));
    EXPECT_EQ(is_another([](MeshSpec& s) { s.thickness = 0.2; }), dim == 2);
  }
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  const auto refuses = [](auto spoil) {
    MeshSpec spec = box_mesh();
    spoil(spec);
    EXPECT_THROW(Mesh{spec}, InputError);
  };
  refuses([](MeshSpec& s) { s.dim = 4; });
  refuses([](MeshSpec& s) { s.divisions[2] = 0; });
  refuses([](MeshSpec& s) { s.size[1] = -1.0; });
  refuses([](MeshSpec& s) { s.dim = 2, s.thickness = 0.0; });
  refuses([](MeshSpec& s) { s.divisions = {2000, 2000, 2000}; });
}

}  // namespace
}  // namespace kurbel::fem::test
