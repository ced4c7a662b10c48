#include "parts/gmsh_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmshc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <numbers>
#include <string_view>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "parts/gmsh_reader.hpp"

namespace kurbel {

namespace {

void* open_library() {
  void* const library = dlopen(KURBEL_GMSH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  throw InputError(
      fmt::format("Gmsh, which reads it, cannot be loaded ({}); install libgmsh-dev", dlerror()));
}

void* library_handle() {
  static void* const library = open_library();
  return library;
}

/// A function of the library by its name.
struct Symbol {
  const char* name;

  template <class Function>
  operator Function*() const {
    if (void* const function = dlsym(library_handle(), name)) return reinterpret_cast<Function*>(function);
    throw InputError(fmt::format("{} has no {}", KURBEL_GMSH_LIBRARY, name));
  }
};

/// The functions of the library that are used; they stay loaded.
struct Functions {
  decltype(&gmshFree) free = Symbol{"gmshFree"};
  decltype(&gmshInitialize) initialize = Symbol{"gmshInitialize"};
  decltype(&gmshFinalize) finalize = Symbol{"gmshFinalize"};
  decltype(&gmshOpen) open = Symbol{"gmshOpen"};
  decltype(&gmshWrite) write = Symbol{"gmshWrite"};
  decltype(&gmshOptionSetNumber) set_number = Symbol{"gmshOptionSetNumber"};
  decltype(&gmshOptionSetString) set_string = Symbol{"gmshOptionSetString"};
  decltype(&gmshLoggerStart) start_log = Symbol{"gmshLoggerStart"};
  decltype(&gmshLoggerStop) stop_log = Symbol{"gmshLoggerStop"};
  decltype(&gmshLoggerGet) log = Symbol{"gmshLoggerGet"};
  decltype(&gmshModelGetDimension) dimension = Symbol{"gmshModelGetDimension"};
  decltype(&gmshModelGetBoundingBox) bounding_box = Symbol{"gmshModelGetBoundingBox"};
  decltype(&gmshModelGetEntities) entities = Symbol{"gmshModelGetEntities"};
  decltype(&gmshModelGetPhysicalGroups) groups = Symbol{"gmshModelGetPhysicalGroups"};
  decltype(&gmshModelGetPhysicalName) group_name = Symbol{"gmshModelGetPhysicalName"};
  decltype(&gmshModelGetEntitiesForPhysicalGroup) entities_of_group =
      Symbol{"gmshModelGetEntitiesForPhysicalGroup"};
  decltype(&gmshModelMeshGetElementTypes) element_types = Symbol{"gmshModelMeshGetElementTypes"};
  decltype(&gmshModelMeshGetNodes) nodes = Symbol{"gmshModelMeshGetNodes"};
  decltype(&gmshModelMeshGetNodesForPhysicalGroup) nodes_of_group =
      Symbol{"gmshModelMeshGetNodesForPhysicalGroup"};
  decltype(&gmshModelMeshGetElements) elements = Symbol{"gmshModelMeshGetElements"};
  decltype(&gmshModelMeshGetElementProperties) element_properties =
      Symbol{"gmshModelMeshGetElementProperties"};
  decltype(&gmshModelMeshFieldAdd) add_field = Symbol{"gmshModelMeshFieldAdd"};
  decltype(&gmshModelMeshFieldSetNumber) set_field_number = Symbol{"gmshModelMeshFieldSetNumber"};
  decltype(&gmshModelMeshFieldSetNumbers) set_field_numbers = Symbol{"gmshModelMeshFieldSetNumbers"};
  decltype(&gmshModelMeshFieldSetAsBackgroundMesh) take_field =
      Symbol{"gmshModelMeshFieldSetAsBackgroundMesh"};
  decltype(&gmshModelMeshSetSizeCallback) set_size_callback = Symbol{"gmshModelMeshSetSizeCallback"};
  decltype(&gmshModelMeshRemoveSizeCallback) remove_size_callback = Symbol{"gmshModelMeshRemoveSizeCallback"};
  decltype(&gmshModelMeshGenerate) generate = Symbol{"gmshModelMeshGenerate"};
  decltype(&gmshModelMeshSetOrder) set_order = Symbol{"gmshModelMeshSetOrder"};
  decltype(&gmshModelMeshClassifySurfaces) classify_surfaces = Symbol{"gmshModelMeshClassifySurfaces"};
  decltype(&gmshModelMeshCreateGeometry) create_geometry = Symbol{"gmshModelMeshCreateGeometry"};
  decltype(&gmshModelGeoAddSurfaceLoop) add_surface_loop = Symbol{"gmshModelGeoAddSurfaceLoop"};
  decltype(&gmshModelGeoAddVolume) add_volume = Symbol{"gmshModelGeoAddVolume"};
  decltype(&gmshModelGeoSynchronize) synchronize = Symbol{"gmshModelGeoSynchronize"};
};

const Functions& library() {
  static const Functions functions;
  return functions;
}

/// A list that Gmsh allocates.
template <class T>
struct List {
  T* data = nullptr;
  std::size_t size = 0;

  List() = default;
  ~List() { library().free(data); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  std::vector<T> copy() const { return {data, data + size}; }
};

/// A list of lists.
template <class T>
struct Lists {
  T** data = nullptr;
  std::size_t *sizes = nullptr, size = 0;

  Lists() = default;
  ~Lists() {
    for (std::size_t i = 0; i < size; ++i) library().free(data[i]);
    library().free(data);
    library().free(sizes);
  }
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  std::vector<T> copy(std::size_t i) const { return {data[i], data[i] + sizes[i]}; }
};

std::vector<Gmsh::Entity> pairs_of(const List<int>& list) {
  std::vector<Gmsh::Entity> pairs;
  for (std::size_t i = 0; i + 1 < list.size; i += 2) pairs.emplace_back(list.data[i], list.data[i + 1]);
  return pairs;
}

std::string first_error() {
  char** lines = nullptr;
  std::size_t n = 0;
  int ignored = 0;
  library().log(&lines, &n, &ignored);
  constexpr std::string_view mark = "Error: ";
  std::string found;
  for (std::size_t i = 0; i < n; ++i) {
    if (const std::string_view line = lines[i]; found.empty() && line.starts_with(mark))
      found = printable(line.substr(mark.size()));
    library().free(lines[i]);
  }
  library().free(lines);
  return found;
}

void check(int error) {
  const std::string message = first_error();
  if (error == 0 && message.empty()) return;
  throw InputError(message.empty() ? "Gmsh cannot use it, and does not say why" : message);
}

/// Calls a function of Gmsh, whose last argument is the place of its error.
/// @throws InputError  with that error
template <class Result, class... Parameters, class... Arguments>
Result call(Result (*function)(Parameters...), Arguments... arguments) {
  int error = 0;
  if constexpr (std::is_void_v<Result>) {
    function(arguments..., &error);
    check(error);
  } else {
    const Result result = function(arguments..., &error);
    return check(error), result;
  }
}

}  // namespace

void require_gmsh() {
  library();
}

Gmsh::Gmsh() {
  int ignored = 0;
  library().initialize(0, nullptr, 0, &ignored);
  library().set_number("General.Terminal", 0.0, &ignored);
  // Errors are logged and looked up. Were they thrown, the parser of .geo files would keep the rest of a wrong one.
  library().set_number("General.AbortOnError", 0.0, &ignored);
  library().start_log(&ignored);
}

Gmsh::~Gmsh() {
  int ignored = 0;
  library().remove_size_callback(&ignored);
  library().stop_log(&ignored);  // lest the next one meet its errors
  library().finalize(&ignored);
}

void Gmsh::set(const char* option, double value) const {
  call(library().set_number, option, value);
}

void Gmsh::set(const char* option, const char* value) const {
  call(library().set_string, option, value);
}

namespace {

/// Drops what is written to std::cout: OpenCASCADE tells there of every file that it writes, and of faults of those that it
/// reads. No option of Gmsh hinders it.
class SilentOutput {
 public:
  SilentOutput() : own_(std::cout.rdbuf(nullptr)) {}
  ~SilentOutput() {
    std::cout.rdbuf(own_);
    std::cout.clear();
  }
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;

 private:
  std::streambuf* own_;
};

}  // namespace

void Gmsh::open(const std::string& file) const {
  const SilentOutput silent;
  int error = 0;
  library().open(file.c_str(), &error);
  const std::string message = first_error();
  constexpr std::array damaged = {"Error loading", "OpenCASCADE exception", "Could not read",
                                  "No facets found"};
  if (std::ranges::any_of(damaged, [&](const char* fault) { return message.starts_with(fault); }))
    throw InputError("it is damaged, cut off or of another format than its name says");
  check(error);
}

void Gmsh::write(const std::string& file) const {
  const SilentOutput silent;
  call(library().write, file.c_str());
}

double Gmsh::level_area(double edge) const {
  constexpr double level = 1e-6;  // of the extent; boxes are a little larger than what they hold
  set("Mesh.MeshSizeMax", edge);
  generate(2);
  const Nodes all = nodes();
  std::map<std::size_t, Vector3d> at;
  for (std::size_t i = 0; i < all.tags.size(); ++i) at[all.tags[i]] = Vector3d(&all.coordinates[3 * i]);
  const double most = level * extent().maxCoeff();
  double sum = 0.0;
  for (const auto& [dim, number] : entities(2)) {
    Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
    call(library().bounding_box, dim, number, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2]);
    if (high.z() - low.z() > most) continue;
    for (const Elements& triangles : elements({dim, number})) {
      for (std::size_t n = 0; n + 2 < triangles.nodes.size(); n += 3) {
        const Vector3d corner = at.at(triangles.nodes[n]);
        const Vector3d one = at.at(triangles.nodes[n + 1]) - corner,
                       other = at.at(triangles.nodes[n + 2]) - corner;
        sum += 0.5 * one.cross(other).norm();
      }
    }
  }
  return sum;
}

int Gmsh::dimension() const {
  return call(library().dimension);
}

Vector3d Gmsh::extent() const {
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  call(library().bounding_box, -1, -1, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2]);
  return high - low;
}

std::vector<Gmsh::Entity> Gmsh::entities(int dim) const {
  List<int> list;
  call(library().entities, &list.data, &list.size, dim);
  return pairs_of(list);
}

std::vector<Gmsh::Entity> Gmsh::groups() const {
  List<int> list;
  call(library().groups, &list.data, &list.size, -1);
  return pairs_of(list);
}

std::string Gmsh::group_name(Entity group) const {
  List<char> name;
  call(library().group_name, group.first, group.second, &name.data);
  return name.data ? name.data : "";
}

std::vector<int> Gmsh::entities_of(Entity group) const {
  List<int> list;
  call(library().entities_of_group, group.first, group.second, &list.data, &list.size);
  return list.copy();
}

bool Gmsh::has_elements(int dim) const {
  List<int> types;
  call(library().element_types, &types.data, &types.size, dim, -1);
  return types.size > 0;
}

Gmsh::Nodes Gmsh::nodes() const {
  List<std::size_t> tags;
  List<double> coordinates, parameters;
  call(library().nodes, &tags.data, &tags.size, &coordinates.data, &coordinates.size, &parameters.data,
       &parameters.size, -1, -1, 0, 0);
  return {tags.copy(), coordinates.copy()};
}

std::vector<std::size_t> Gmsh::nodes_of_group(Entity group) const {
  List<std::size_t> tags;
  List<double> coordinates;
  call(library().nodes_of_group, group.first, group.second, &tags.data, &tags.size, &coordinates.data,
       &coordinates.size);
  return tags.copy();
}

std::vector<Gmsh::Elements> Gmsh::elements(Entity entity) const {
  List<int> types;
  Lists<std::size_t> tags, nodes;
  call(library().elements, &types.data, &types.size, &tags.data, &tags.sizes, &tags.size, &nodes.data,
       &nodes.sizes, &nodes.size, entity.first, entity.second);
  std::vector<Elements> elements;
  for (std::size_t i = 0; i < types.size; ++i)
    elements.push_back({types.data[i], tags.copy(i), nodes.copy(i)});
  return elements;
}

Gmsh::Type Gmsh::type(int number) const {
  Type type;
  List<char> name;
  List<double> local;
  int order = 0;
  call(library().element_properties, number, &name.data, &type.dim, &order, &type.n_nodes, &local.data,
       &local.size, &type.n_corners);
  if (name.data) type.name = name.data;
  return type;
}

namespace {

int add_field(const char* type) {
  return call(library().add_field, type, -1);
}

void set_in_field(int field, const char* option, double value) {
  call(library().set_field_number, field, option, value);
}

void set_in_field(int field, const char* option, const std::vector<int>& values) {
  std::vector<double> numbers(values.begin(), values.end());
  call(library().set_field_numbers, field, option, numbers.data(), numbers.size());
}

}  // namespace

int Gmsh::add_growing_size(int dim, const std::vector<int>& entities, const Growth& growth) const {
  const int distance = add_field("Distance");
  set_in_field(distance, dim == 2 ? "SurfacesList" : "CurvesList", entities);
  // Distances are to points on the entities, which have to lie closer than sizes change.
  const double most = dim == 1 ? 20'000.0 : 500.0, least = 100.0;
  const double samples = 2.0 * extent().maxCoeff() / std::min(growth.size, growth.distance);
  set_in_field(distance, "NumPointsPerCurve", std::clamp(std::ceil(samples), least, most));
  const int field = add_field("Threshold");
  set_in_field(field, "InField", distance);
  set_in_field(field, "SizeMin", growth.size);
  set_in_field(field, "SizeMax", growth.far_size);
  set_in_field(field, "DistMin", 0.0);
  set_in_field(field, "DistMax", growth.distance);
  return field;
}

void Gmsh::take_smallest_size(const std::vector<int>& fields) const {
  const int smallest = add_field("Min");
  set_in_field(smallest, "FieldsList", fields);
  call(library().take_field, smallest);
}

namespace {

/// What Gmsh calls for a size. Since version 4.9 it also tells the size that it would take.
struct SizeCallback {
  using Function = std::function<double(const Vector3d&)>;
  static double at(int, int, double x, double y, double z, void* size_at) {
    return (*static_cast<const Function*>(size_at))(Vector3d(x, y, z));
  }
  static double at(int, int, double x, double y, double z, double own, void* size_at) {
    return std::min(own, at(0, 0, x, y, z, size_at));
  }
};

}  // namespace

void Gmsh::set_size_at(const std::function<double(const Vector3d&)>& size_at) const {
  int error = 0;  // the overload of SizeCallback::at is chosen by the function of the library
  library().set_size_callback(&SizeCallback::at, const_cast<SizeCallback::Function*>(&size_at), &error);
  check(error);
}

void Gmsh::generate(int dim) const {
  call(library().generate, dim);
}

void Gmsh::set_order(int order) const {
  call(library().set_order, order);
}

namespace {

void classify_surfaces(double angle, bool for_geometry) {
  call(library().classify_surfaces, angle, 1, for_geometry ? 1 : 0, std::numbers::pi, 0);
}

}  // namespace

void Gmsh::divide_surface(double angle) const {
  classify_surfaces(angle, false);
}

void Gmsh::take_as_geometry(double angle) const {
  classify_surfaces(angle, true);
  call(library().create_geometry, nullptr, std::size_t(0));
}

void Gmsh::fill_surfaces() const {
  std::vector<int> surfaces;
  for (const auto& [dim, tag] : entities(2)) surfaces.push_back(tag);
  int loop = call(library().add_surface_loop, surfaces.data(), surfaces.size(), -1);
  call(library().add_volume, &loop, std::size_t(1), -1);
  call(library().synchronize);
}

}  // namespace kurbel
