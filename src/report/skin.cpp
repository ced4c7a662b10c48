#include "report/skin.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "fem/element_kind.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using Corners = std::vector<int>;

class SkinMaker {
 public:
  explicit SkinMaker(const UnstructuredGrid& grid) : grid_(grid) {}

  Skin make(bool with_inner) {
    int cell = 0;
    for (const CellBlock& block : grid_.cells) {
      for (const auto& corners : block.corners.colwise()) add_cell(block.kind, corners, cell++);
    }
    for (auto& [key, face] : faces_) {
      if (face.beyond < 0 || with_inner) add_polygon(face.corners, face.cell, face.beyond);
    }
    Skin skin;
    skin.triangles = matrix_of(triangles_), skin.cells = matrix_of(cells_), skin.lines = matrix_of(lines_);
    return skin;
  }

 private:
  struct Face {
    Corners corners;
    int cell, beyond = -1;
  };

  template <class Column>
  void add_cell(CellBlock::Kind kind, const Column& points, int cell) {
    using Kind = CellBlock::Kind;
    if (kind == Kind::line || kind == Kind::polyline) {
      for (Index k = 1; k < points.size(); ++k) lines_.push_back({points[k - 1], points[k]});
      return;
    }
    const fem::ElementTopology& topology = fem::topology(fem::kind_of_vtk(static_cast<int>(kind)).value());
    if (topology.dim == 2) {
      add_polygon(Corners(points.data(), points.data() + topology.n_corners), cell, -1);
      return;
    }
    for (std::size_t f = 0; f < topology.faces.size(); ++f) {
      Corners corners;
      for (std::size_t k = 0; k < topology.n_face_corners(f); ++k)
        corners.push_back(points[topology.faces[f][k]]);
      Corners key = corners;
      std::ranges::sort(key);
      const auto [face, is_new] = faces_.try_emplace(std::move(key), Face{corners, cell});
      if (!is_new) face->second.beyond = cell;
    }
  }

  void add_polygon(const Corners& corners, int cell, int beyond) {
    for (std::size_t k = 2; k < corners.size(); ++k) {
      triangles_.push_back({corners[0], corners[k - 1], corners[k]});
      cells_.push_back({cell, beyond});
    }
  }

  template <std::size_t n>
  static Eigen::MatrixXi matrix_of(const std::vector<std::array<int, n>>& columns) {
    Eigen::MatrixXi matrix(static_cast<Index>(n), std::ssize(columns));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t k = 0; k < n; ++k)
        matrix(static_cast<Index>(k), static_cast<Index>(c)) = columns[c][k];
    }
    return matrix;
  }

  const UnstructuredGrid& grid_;
  std::map<Corners, Face> faces_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 2>> cells_, lines_;
};

}  // namespace

Skin skin_of(const UnstructuredGrid& grid, bool with_inner) {
  return SkinMaker(grid).make(with_inner);
}

}  // namespace kurbel
