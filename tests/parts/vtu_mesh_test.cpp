/// @file
/// Meshes in VTK's XML format, written as text by the file format's description.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadratic_meshes.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using namespace fem;
using namespace fem::test;
using Eigen::Index;

int vtk_type(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
      return 5;
    case ElementKind::quad4:
      return 9;
    case ElementKind::tet4:
      return 10;
    case ElementKind::hex8:
      return 12;
    case ElementKind::wedge6:
      return 13;
    case ElementKind::pyramid5:
      return 14;
    case ElementKind::tri6:
      return 22;
    case ElementKind::quad8:
      return 23;
    case ElementKind::tet10:
      return 24;
    case ElementKind::hex20:
      return 25;
  }
  return 0;
}

std::string data(const std::string& type, const std::string& name, int components,
                 const std::string& values) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">{}</DataArray>\n", type,
      name, components, values);
}

std::string vtu_text(const std::string& points, Index n_points, const std::string& nodes,
                     const std::string& offsets, const std::string& types, Index n_cells) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n"
      "<UnstructuredGrid><Piece NumberOfPoints=\"{}\" "
      "NumberOfCells=\"{}\">\n<Points>{}</Points>\n<Cells>{}{}{}</Cells>\n"
      "</Piece></UnstructuredGrid></VTKFile>\n",
      n_points, n_cells, data("Float64", "Points", 3, points), data("Int64", "connectivity", 1, nodes),
      data("Int64", "offsets", 1, offsets), data("UInt8", "types", 1, types));
}

/// @param further  a cell of two nodes behind the elements, as files have on edges
std::string vtu_text(const Mesh& mesh, bool further = false) {
  std::string points, nodes, offsets, types;
  Index n = 0;
  for (const double x : mesh.positions().reshaped()) points += fmt::format("{} ", x);
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    for (const int node : mesh.nodes_of(e)) nodes += fmt::format("{} ", node), ++n;
    offsets += fmt::format("{} ", n);
    types += fmt::format("{} ", vtk_type(mesh.kind_of(e)));
  }
  if (further) nodes += "0 1", offsets += fmt::format("{}", n + 2), types += "3";
  return vtu_text(points, mesh.n_nodes(), nodes, offsets, types, mesh.n_elements() + (further ? 1 : 0));
}

TEST(VtuMesh, HasTheElementsOfTheFile) {
  const std::vector<std::shared_ptr<const Mesh>> meshes = {
      free_mesh(unit_box(2, 3), Split::every_other, 0.2),
      free_mesh(unit_box(3, 2), Split::all, 0.2),
      quadratic_mesh(*free_mesh(unit_box(2, 3), Split::every_other, 0.2)),
      quadratic_mesh(*free_mesh(unit_box(3, 2), Split::none, 0.2)),
      quadratic_mesh(*free_mesh(unit_box(3, 2), Split::all, 0.2)),
      mesh_of_all_linear_solids()};
  for (const auto& expected : meshes) {
    for (const bool further : {false, true}) {
      const auto mesh = mesh_of("part.vtu", vtu_text(*expected, further));
      ASSERT_EQ(mesh->n_elements(), expected->n_elements());
      ASSERT_EQ(mesh->n_nodes(), expected->n_nodes());
      EXPECT_LT((mesh->positions() - expected->positions()).norm(), 1e-14);
      for (const Mesh::Block& block : expected->blocks()) {
        const auto own = mesh->blocks();
        const auto same = std::ranges::find(own, block.kind, &Mesh::Block::kind);
        ASSERT_NE(same, own.end());
        EXPECT_EQ(same->nodes, block.nodes);
      }
    }
  }
}

/// Gmsh, which reads them too, would end the program at a node that does not exist.
TEST(VtuMesh, OfTheLegacyFormatIsReadAndRefusedLikewise) {
  const std::string pyramid =
      "# vtk DataFile Version 3.0\npyramid\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0\n1 0 0\n"
      "1 1 0\n0 1 0\n0 0 1\nCELLS 2 10\n4 0 1 2 4\n4 0 2 3 4\nCELL_TYPES 2\n10\n10\n";
  const auto mesh = mesh_of("part.vtk", pyramid);
  EXPECT_EQ(mesh->n_elements(), 2);
  EXPECT_NEAR(mesh->volumes().sum(), 1.0 / 3.0, 1e-15);
  const auto expect_fault = [&](const std::string& from, const std::string& to, const std::string& message) {
    std::string text = pyramid;
    text.replace(text.find(from), from.size(), to);
    expect_input_error([&] { mesh_of("part.vtk", text); }, {"part.vtk", message});
  };
  expect_fault("4 0 2 3 4", "4 0 2 -1 4", "element 1 has the node -1, which does not exist");
  expect_fault("4 0 2 3 4", "4 0 2 5 4", "element 1 has the node 5, which does not exist");
  expect_fault("UNSTRUCTURED_GRID", "POLYDATA", "no VTK file of an unstructured grid");
  expect_fault("4 0 2 3 4\nCELL_TYPES 2\n10\n10\n", "4 0", "damaged or cut off");
}

TEST(VtuMesh, IsReadInItsUnit) {
  const WrittenPart part("part.vtu", vtu_text(*free_mesh(unit_box(2, 3), Split::all, 0.2)));
  PartFile file = part.file();
  file.unit = 1e-3;
  EXPECT_NEAR(read_part(file, 1.0)->measures().sum(), 1e-6, 1e-18);
}

void expect_refused(const std::string& text, std::vector<std::string> parts) {
  parts.emplace_back("part.vtu");
  expect_input_error([&] { mesh_of("part.vtu", text); }, parts);
}

TEST(VtuMesh, RefusesFilesThatAreNone) {
  const std::string good = vtu_text(*free_mesh(unit_box(2, 2), Split::all, 0.2));
  expect_refused("", {"no VTK file of an unstructured grid"});
  expect_refused("solid x", {"no VTK file of an unstructured grid"});
  expect_refused("<VTKFile type=\"PolyData\"/>", {"no VTK file of an unstructured grid"});
  for (const double share : {0.2, 0.5, 0.8, 0.99})
    expect_refused(good.substr(0, static_cast<std::size_t>(share * static_cast<double>(good.size()))), {});
  const std::string square = "0 0 0 1 0 0 1 1 0 0 1 0";
  expect_refused(vtu_text(square, 4, "0 1 2 0 2 9", "3 6", "5 5", 2),
                 {"element 1 has the node 9, which does not exist"});
  expect_refused(vtu_text(square, 4, "0 1 2 0 2 -1", "3 6", "5 5", 2), {"element 1 has the node -1"});
  expect_refused(vtu_text(square, 4, "0 1 2 3", "4", "5", 1), {"element 0 is a tri3 with 4 nodes"});
  expect_refused(vtu_text(square, 4, "0 1 2 3", "4", "7", 1),
                 {"element 0 is a \"vtkPolygon\", which kurbel does not have"});
  expect_refused(vtu_text(square, 4, "0 2 1 0 2 3", "3 6", "5 5", 2), {"inverted or degenerate"});
  expect_refused(vtu_text(square, 4, "0 1", "2", "3", 1), {"there are no elements"});
  expect_refused(vtu_text("0 0 0 1 0 0 1 1 0 0 nan 0", 4, "0 1 2 3", "4", "9", 1), {});
  expect_refused(vtu_text(square, 4, "0 1 2 3", "4", "99", 1),
                 {"element 0 is of the type 99, which VTK does not have"});
  expect_refused(vtu_text(square, 4, "0 1 2 0 2 3", "7 6", "5 5", 2),
                 {"element 0 ends at the place 7 of the list of nodes, which is not in 0 to 6"});
  expect_refused(vtu_text(square, 4, "0 1 2 0 2 3", "3 2", "5 5", 2),
                 {"element 1 ends at the place 2 of the list of nodes, which is not in 3 to 6"});
  expect_refused(vtu_text(square, 4, "0 1 2 0 2 3", "3 5", "5 5", 2),
                 {"the last 1 nodes belong to no element"});
  expect_refused(vtu_text(square, -4, "0 1 2", "3", "5", 1),
                 {"part.vtu:3: NumberOfPoints = \"-4\" is no number of things that a mesh may have"});
  expect_refused(
      vtu_text("0 0 0 1 0 0 1 x1 0", 3, "0 1 2", "3", "5", 1),
      {"part.vtu:4: it is damaged or cut off: the array \"Points\": \"x1\" is no number of its type"});
  const WrittenPart part("part.vtu", good);
  expect_input_error([&] { read_part(part.file(0.1), 1.0); }, {"part.vtu", "belong to a geometry"});
}

}  // namespace
}  // namespace kurbel::test
