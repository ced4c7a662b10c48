/// Counts the pairs of triangles of an .stl file that pass through each other, with exact predicates: an independent
/// reader of exported shapes. Prints the number; ends with 1 if the file is not the closed surface of a solid.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/IO/polygon_mesh_io.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  using Mesh = CGAL::Surface_mesh<CGAL::Exact_predicates_inexact_constructions_kernel::Point_3>;
  Mesh mesh;
  if (argc != 2 || !CGAL::Polygon_mesh_processing::IO::read_polygon_mesh(argv[1], mesh) ||
      !CGAL::is_closed(mesh)) {
    std::cerr << "no closed surface of a solid\n";
    return 1;
  }
  std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> pairs;
  CGAL::Polygon_mesh_processing::self_intersections(mesh, std::back_inserter(pairs));
  std::cout << pairs.size() << '\n';
}
