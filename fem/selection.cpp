#include "fem/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "fem/surfaces.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Mask = std::vector<bool>;

/// Combines what leaf(shape) says of single shapes and names.
template <class Leaf>
Mask select(const Place& place, const Leaf& leaf) {
  const auto combine = [&](const std::vector<Place>& places, const auto& both) {
    Mask mask = select(places.front(), leaf);
    for (std::size_t p = 1; p < places.size(); ++p) {
      const Mask other = select(places[p], leaf);
      for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = both(mask[i], other[i]);
    }
    return mask;
  };
  if (const auto* all = std::get_if<AllOf>(&place.shape)) return combine(all->places, std::logical_and());
  if (const auto* any = std::get_if<AnyOf>(&place.shape)) return combine(any->places, std::logical_or());
  if (const auto* none = std::get_if<Not>(&place.shape)) {
    Mask mask = select(none->place.front(), leaf);
    mask.flip();
    return mask;
  }
  return leaf(place);
}

std::vector<int> numbers_of(const Mask& mask) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) numbers.push_back(static_cast<int>(i));
  }
  return numbers;
}

Mask mask_of(const std::vector<int>& numbers, Index n) {
  Mask mask(static_cast<std::size_t>(n), false);
  for (const int i : numbers) mask[static_cast<std::size_t>(i)] = true;
  return mask;
}

/// How far outside of a shape a point may lie, of the size of an element: coordinates of files are rounded, some to six digits.
constexpr double rounding = 1e-4;

Mask in_box(const Mesh::Points& points, const Box& box, const Vector3d& element_size) {
  Mask mask(static_cast<std::size_t>(points.cols()), true);
  for (Index i = 0; i < points.cols(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto axis = static_cast<Index>(d);
      const double tolerance = rounding * element_size[axis];
      const bool is_outside = (box.lower[d] && points(axis, i) < *box.lower[d] - tolerance) ||
                              (box.upper[d] && points(axis, i) > *box.upper[d] + tolerance);
      if (is_outside) mask[static_cast<std::size_t>(i)] = false;
    }
  }
  return mask;
}

Mask in_shape(const Mesh::Points& points, const Place& place, const Mesh& mesh) {
  if (const auto* box = std::get_if<Box>(&place.shape)) return in_box(points, *box, mesh.element_size());
  const double tolerance = rounding * mesh.element_size().head(mesh.dim()).minCoeff();
  Mask mask(static_cast<std::size_t>(points.cols()), false);
  for (Index i = 0; i < points.cols(); ++i)
    mask[static_cast<std::size_t>(i)] = distance_to(place, points.col(i)) <= tolerance;
  return mask;
}

const MeshSet& set_of(const Mesh& mesh, const std::string& name) {
  const std::vector<MeshSet>& sets = mesh.parts().sets;
  const auto set = std::ranges::find(sets, name, &MeshSet::name);
  if (set == sets.end()) throw InputError(missing_name(mesh, SetName{name}));
  return *set;
}

std::vector<FacePlace> surface_of(const Mesh& mesh, int number) {
  std::vector<std::vector<FacePlace>> all = surfaces(mesh);
  if (number < 1 || number > std::ssize(all)) throw InputError(missing_name(mesh, SurfaceNumber{number}));
  return std::move(all[static_cast<std::size_t>(number) - 1]);
}

std::vector<int> nodes_of_all(const Mesh& mesh, const std::vector<FacePlace>& faces) {
  std::vector<int> all;
  for (const FacePlace& face : faces) {
    const std::vector<int> nodes = nodes_of(mesh, face_at(mesh, face));
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  return all;
}

std::string missing_set(const Mesh& mesh, const std::string& name) {
  std::vector<std::string> names;
  for (const MeshSet& set : mesh.parts().sets) {
    if (set.name == name) return {};
    names.push_back(set.name);
  }
  if (names.empty()) return fmt::format("the set \"{}\" does not exist: the mesh has no sets", name);
  return fmt::format("the set \"{}\" is none of the mesh{}", name, spelling_advice(name, names, "\""));
}

}  // namespace

std::vector<ElementFace> surface_faces(const Mesh& mesh) {
  const std::vector<ElementFace> faces =
      faces_of(mesh, ElementSet(static_cast<std::size_t>(mesh.n_elements()), true));
  std::vector<ElementFace> outer;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (f + 1 < faces.size() && is_same_face(faces[f], faces[f + 1])) {
      ++f;
    } else {
      outer.push_back(faces[f]);
    }
  }
  return outer;
}

std::vector<std::vector<FacePlace>> surfaces(const Mesh& mesh) {
  return mesh.parts().surfaces.empty() ? smooth_surfaces(mesh) : mesh.parts().surfaces;
}

std::vector<ElementFace> faces_in(const Mesh& mesh, const Place& place) {
  const std::vector<ElementFace> outer = surface_faces(mesh);
  const auto those = [&](const auto& is_in) {
    Mask mask(outer.size());
    for (std::size_t f = 0; f < outer.size(); ++f) mask[f] = is_in(outer[f]);
    return mask;
  };
  const auto with_nodes = [&](const Mask& nodes) {
    return those([&](const ElementFace& face) {
      const auto is_in = [&](int node) { return node < 0 || nodes[static_cast<std::size_t>(node)]; };
      return std::ranges::all_of(face.corners, is_in) && std::ranges::all_of(nodes_of(mesh, face), is_in);
    });
  };
  const auto among = [&](std::vector<FacePlace> faces) {
    std::ranges::sort(faces);
    return those([&](const ElementFace& face) {
      return std::ranges::binary_search(
          faces, FacePlace{static_cast<int>(face.element), static_cast<int>(face.index)});
    });
  };
  const auto of_elements = [&](const std::vector<int>& elements) {
    const Mask mask = mask_of(elements, mesh.n_elements());
    return those([&](const ElementFace& face) { return mask[static_cast<std::size_t>(face.element)]; });
  };
  const Mask mask = select(place, [&](const Place& one) {
    if (const auto* number = std::get_if<SurfaceNumber>(&one.shape))
      return among(surface_of(mesh, number->number));
    const auto* name = std::get_if<SetName>(&one.shape);
    if (!name) return with_nodes(in_shape(mesh.positions(), one, mesh));
    const MeshSet& set = set_of(mesh, name->name);
    if (!set.faces.empty()) return among(set.faces);
    return set.elements.empty() ? with_nodes(mask_of(set.nodes, mesh.n_nodes())) : of_elements(set.elements);
  });
  std::vector<ElementFace> faces;
  for (const int f : numbers_of(mask)) faces.push_back(outer[static_cast<std::size_t>(f)]);
  return faces;
}

std::vector<int> Mesh::nodes_in(const Place& place) const {
  return numbers_of(select(place, [&](const Place& one) {
    if (const auto* name = std::get_if<SetName>(&one.shape))
      return mask_of(set_of(*this, name->name).nodes, n_nodes());
    if (const auto* number = std::get_if<SurfaceNumber>(&one.shape))
      return mask_of(nodes_of_all(*this, surface_of(*this, number->number)), n_nodes());
    return in_shape(positions_, one, *this);
  }));
}

std::vector<int> Mesh::elements_in(const Place& place) const {
  return numbers_of(select(place, [&](const Place& one) {
    if (const auto* name = std::get_if<SetName>(&one.shape))
      return mask_of(set_of(*this, name->name).elements, n_elements());
    if (std::holds_alternative<SurfaceNumber>(one.shape)) return mask_of({}, n_elements());
    return in_shape(centres_, one, *this);
  }));
}

std::string missing_name(const Mesh& mesh, const Place& place) {
  const auto among = [&](const std::vector<Place>& places) {
    std::string missing;
    for (const Place& one : places) {
      if (missing.empty()) missing = missing_name(mesh, one);
    }
    return missing;
  };
  if (const auto* name = std::get_if<SetName>(&place.shape)) return missing_set(mesh, name->name);
  if (const auto* all = std::get_if<AllOf>(&place.shape)) return among(all->places);
  if (const auto* any = std::get_if<AnyOf>(&place.shape)) return among(any->places);
  if (const auto* none = std::get_if<Not>(&place.shape)) return among(none->place);
  const auto* surface = std::get_if<SurfaceNumber>(&place.shape);
  const auto n = surface ? std::ssize(surfaces(mesh)) : 0;
  if (!surface || (surface->number >= 1 && surface->number <= n)) return {};
  return fmt::format("surface {} does not exist: the mesh has surfaces 1 to {}", surface->number, n);
}

std::string nearest_to(const Place& place, const Mesh::Points& points, const char* what) {
  const VectorXd distances =
      VectorXd::NullaryExpr(points.cols(), [&](Index i) { return distance_to(place, points.col(i)); });
  Index nearest = 0;
  const double distance = distances.minCoeff(&nearest);
  if (!std::isfinite(distance) || distance <= 0.0) return {};
  const Vector3d x = points.col(nearest);
  return fmt::format("the nearest {} is at ({:.6g}, {:.6g}, {:.6g}), {:.3g} m away", what, x[0], x[1], x[2],
                     distance);
}

}  // namespace kurbel::fem
