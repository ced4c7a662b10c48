/// @file
/// Parts as files: geometries for Gmsh, and small meshes.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "parts/read_part.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::test {

/// An arm with a round bearing at (0, 0) and at (0.2, 0); the radius of the holes is 0.008 m.
inline const std::string arm_geo = R"(SetFactory("OpenCASCADE");
Rectangle(1) = {0, -0.02, 0, 0.2, 0.04};
Disk(2) = {0, 0, 0, 0.02}; Disk(3) = {0.2, 0, 0, 0.02};
BooleanUnion(4) = { Surface{1}; Delete; }{ Surface{2, 3}; Delete; };
Disk(5) = {0, 0, 0, 0.008}; Disk(6) = {0.2, 0, 0, 0.008};
BooleanDifference(7) = { Surface{4}; Delete; }{ Surface{5, 6}; Delete; };
left() = Curve In BoundingBox {-0.0081, -0.0081, -1, 0.0081, 0.0081, 1};
right() = Curve In BoundingBox {0.1919, -0.0081, -1, 0.2081, 0.0081, 1};
Physical Surface("body") = {7};
Physical Curve("left bearing") = left();
Physical Curve("right") = right();
Mesh.MeshSizeMax = 0.006;
)";

/// A ring of radii 1 and 2 around the origin, with its circles as groups.
inline const std::string ring_geo = R"(SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 2}; Disk(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
inner() = Curve In BoundingBox {-1.01, -1.01, -1, 1.01, 1.01, 1};
all() = Curve In BoundingBox {-2.01, -2.01, -1, 2.01, 2.01, 1};
outer() = all(); outer() -= inner();
Physical Surface("ring") = {3};
Physical Curve("inner") = inner();
Physical Curve("outer") = outer();
)";

/// A cylinder along x of radius 0.3 and length 1.
inline const std::string cylinder_geo = R"(SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 1, 0, 0, 0.3};
)";

/// The octant x, y, z > 0 of a ball of radius 0.3 around the origin.
inline const std::string octant_geo = R"(SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 0.3, 0, Pi/2, Pi/2};
)";

/// A housing with walls of 0.3, in which a pipe along x of radii 0.8 and 1.2 ends.
inline const std::string housing_geo = R"(SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 8, 6, 4}; Box(2) = {0.3, 0.3, 0.3, 7.4, 5.4, 4};
Cylinder(3) = {-0.1, 3, 2, 2, 0, 0, 1.2}; Cylinder(4) = {-0.2, 3, 2, 3, 0, 0, 0.8};
BooleanDifference(5) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanUnion(6) = { Volume{5}; Delete; }{ Volume{3}; Delete; };
BooleanDifference(7) = { Volume{6}; Delete; }{ Volume{4}; Delete; };
)";

/// A file in a folder of its own.
class WrittenPart {
 public:
  WrittenPart(const std::string& name, const std::string& text) : path_(folder_.path() / name) {
    std::ofstream(path_) << text;
  }
  const std::filesystem::path& path() const { return path_; }
  PartFile file(std::optional<double> size = {}, std::optional<int> order = {}) const {
    return {.path = path_, .size = size, .order = order};
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

inline std::shared_ptr<const fem::Mesh> mesh_of(const std::string& name, const std::string& text,
                                                std::optional<double> size = {},
                                                std::optional<int> order = {}) {
  const WrittenPart part(name, text);
  return read_part(part.file(size, order), 0.01);
}

inline const fem::MeshSet& set_of(const fem::Mesh& mesh, const std::string& name) {
  return *std::ranges::find(mesh.parts().sets, name, &fem::MeshSet::name);
}

}  // namespace kurbel::test
