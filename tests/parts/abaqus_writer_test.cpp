#include "parts/abaqus_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parts/read_part.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::test {
namespace {

using fem::ElementKind;
using fem::Mesh;

/// A wedge on a hexahedron, and a pyramid beside it, with a set of nodes and one of elements.
Mesh mixed_mesh() {
  Mesh::Points x(3, 11);
  x << 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 2,       //
      0, 0, 1, 1, 0, 0, 1, 1, 0.5, 0.5, 0.5,  //
      0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0.5;
  Eigen::MatrixXi hex(8, 1), wedge(6, 1), pyramid(5, 1);
  hex << 0, 1, 2, 3, 4, 5, 6, 7;
  wedge << 4, 8, 7, 5, 9, 6;
  pyramid << 1, 2, 6, 5, 10;
  Mesh mesh(3, x, {{ElementKind::hex8, hex}, {ElementKind::wedge6, wedge}, {ElementKind::pyramid5, pyramid}});
  fem::MeshParts parts;
  parts.sets = {{"foot", {0, 1, 2, 3}}, {.name = "roof", .nodes = {4, 5, 6, 7, 8, 9}, .elements = {1}}};
  return std::move(mesh).with_parts(std::move(parts));
}

TEST(AbaqusWriter, WritesWhatItsReaderReads) {
  const Mesh mesh = mixed_mesh();
  const TemporaryFolder folder;
  write_abaqus(folder / "part.inp", mesh, "a house", 1e3);
  const auto again = read_part({.path = folder / "part.inp", .unit = 1e-3}, 0.0);
  EXPECT_LT((again->positions() - mesh.positions()).cwiseAbs().maxCoeff(), 1e-15);
  ASSERT_EQ(again->n_elements(), mesh.n_elements());
  EXPECT_LT((again->volumes() - mesh.volumes()).cwiseAbs().maxCoeff(), 1e-14);
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    EXPECT_EQ(again->kind_of(e), mesh.kind_of(e));
    EXPECT_EQ(again->nodes_of(e), mesh.nodes_of(e));
  }
  ASSERT_EQ(again->parts().sets.size(), 2u);
  for (const fem::MeshSet& set : again->parts().sets) {
    const bool is_foot = set.name == "foot";
    EXPECT_EQ(set.nodes, is_foot ? std::vector({0, 1, 2, 3}) : std::vector({4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(set.elements, is_foot ? std::vector<int>() : std::vector({1}));
  }
}

}  // namespace
}  // namespace kurbel::test
