/// The sets of a mesh that fits a shape.
#include "app/fitted_mesh.hpp"

#include <gtest/gtest.h>

#include "app/body_shape.hpp"
#include "fem/selection.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

/// Area of the faces in a place, m^2, and their mean position.
struct Wall {
  double area = 0.0;
  Vector3d centre = Vector3d::Zero();
};

Wall wall_in(const fem::Mesh& mesh, const fem::Place& place) {
  Wall wall;
  for (const fem::ElementFace& face : fem::faces_in(mesh, place)) {
    const VectorXd weights = fem::face_weights(mesh, face);
    const std::vector<int> nodes = fem::nodes_of(mesh, face);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      wall.centre += weights[static_cast<Eigen::Index>(k)] * mesh.positions().col(nodes[k]);
    wall.area += weights.sum();
  }
  wall.centre /= wall.area;
  return wall;
}

// On the walls of holes nodes between corners lie beside the faces of the mesh that the part was designed on. It has some six elements
// around the smaller hole, and the shape twice as many sides.
TEST(FittedMesh, HasTheWholeWallsOfRoundHolesInItsSets) {
  const Study study =
      Study::read(test::input("robot_link.toml"), {"bodies.forearm.mesh.size=0.014", "design.start=1.0"});
  const ShapesOfResult shapes(study);
  const CutBody& body = shapes.bodies().front();
  const fem::Mesh& designed = shapes.model(body).mesh();
  const auto fitted = fitted_mesh(shapes.model(body), shapes.make(body), 0.0);
  for (const auto& [number, radius] : {std::pair{6, 0.020}, std::pair{7, 0.013}}) {
    SCOPED_TRACE(number);
    const Wall before = wall_in(designed, fem::SurfaceNumber{number});
    const Wall after = wall_in(*fitted, fem::SetName{set_of_surface(designed, number)});
    EXPECT_NEAR(after.area, before.area, 0.05 * before.area);
    EXPECT_LT((after.centre - before.centre).norm(), 0.02 * radius);
  }
}

}  // namespace
}  // namespace kurbel
