#include "parts/gmsh_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmshc.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string_view>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "parts/gmsh_reader.hpp"

namespace kurbel {

namespace {

/// The functions of the library that are used; they stay loaded.
struct Functions {
  decltype(&gmshFree) free = nullptr;
  decltype(&gmshInitialize) initialize = nullptr;
  decltype(&gmshFinalize) finalize = nullptr;
  decltype(&gmshOpen) open = nullptr;
  decltype(&gmshWrite) write = nullptr;
  decltype(&gmshOptionSetNumber) set_number = nullptr;
  decltype(&gmshOptionSetString) set_string = nullptr;
  decltype(&gmshLoggerStart) start_log = nullptr;
  decltype(&gmshLoggerStop) stop_log = nullptr;
  decltype(&gmshLoggerGet) log = nullptr;
  decltype(&gmshModelGetDimension) dimension = nullptr;
  decltype(&gmshModelGetBoundingBox) bounding_box = nullptr;
  decltype(&gmshModelGetEntities) entities = nullptr;
  decltype(&gmshModelOccGetMass) mass = nullptr;
  decltype(&gmshModelGetPhysicalGroups) groups = nullptr;
  decltype(&gmshModelGetPhysicalName) group_name = nullptr;
  decltype(&gmshModelGetEntitiesForPhysicalGroup) entities_of_group = nullptr;
  decltype(&gmshModelMeshGetElementTypes) element_types = nullptr;
  decltype(&gmshModelMeshGetNodes) nodes = nullptr;
  decltype(&gmshModelMeshGetNodesForPhysicalGroup) nodes_of_group = nullptr;
  decltype(&gmshModelMeshGetElements) elements = nullptr;
  decltype(&gmshModelMeshGetElementProperties) element_properties = nullptr;
  decltype(&gmshModelMeshFieldAdd) add_field = nullptr;
  decltype(&gmshModelMeshFieldSetNumber) set_field_number = nullptr;
  decltype(&gmshModelMeshFieldSetNumbers) set_field_numbers = nullptr;
  decltype(&gmshModelMeshFieldSetAsBackgroundMesh) take_field = nullptr;
  decltype(&gmshModelMeshGenerate) generate = nullptr;
  decltype(&gmshModelMeshSetOrder) set_order = nullptr;
  decltype(&gmshModelMeshClassifySurfaces) classify_surfaces = nullptr;
  decltype(&gmshModelMeshCreateGeometry) create_geometry = nullptr;
  decltype(&gmshModelGeoAddSurfaceLoop) add_surface_loop = nullptr;
  decltype(&gmshModelGeoAddVolume) add_volume = nullptr;
  decltype(&gmshModelGeoSynchronize) synchronize = nullptr;
};

Functions load_library() {
  void* const library = dlopen(KURBEL_GMSH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InputError(
        fmt::format("Gmsh, which reads it, cannot be loaded ({}); install libgmsh-dev", dlerror()));
  Functions functions;
  const auto load = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function) throw InputError(fmt::format("{} has no {}", KURBEL_GMSH_LIBRARY, name));
  };
  load(functions.free, "gmshFree");
  load(functions.initialize, "gmshInitialize");
  load(functions.finalize, "gmshFinalize");
  load(functions.open, "gmshOpen");
  load(functions.write, "gmshWrite");
  load(functions.mass, "gmshModelOccGetMass");
  load(functions.set_number, "gmshOptionSetNumber");
  load(functions.set_string, "gmshOptionSetString");
  load(functions.start_log, "gmshLoggerStart");
  load(functions.stop_log, "gmshLoggerStop");
  load(functions.log, "gmshLoggerGet");
  load(functions.dimension, "gmshModelGetDimension");
  load(functions.bounding_box, "gmshModelGetBoundingBox");
  load(functions.entities, "gmshModelGetEntities");
  load(functions.groups, "gmshModelGetPhysicalGroups");
  load(functions.group_name, "gmshModelGetPhysicalName");
  load(functions.entities_of_group, "gmshModelGetEntitiesForPhysicalGroup");
  load(functions.element_types, "gmshModelMeshGetElementTypes");
  load(functions.nodes, "gmshModelMeshGetNodes");
  load(functions.nodes_of_group, "gmshModelMeshGetNodesForPhysicalGroup");
  load(functions.elements, "gmshModelMeshGetElements");
  load(functions.element_properties, "gmshModelMeshGetElementProperties");
  load(functions.add_field, "gmshModelMeshFieldAdd");
  load(functions.set_field_number, "gmshModelMeshFieldSetNumber");
  load(functions.set_field_numbers, "gmshModelMeshFieldSetNumbers");
  load(functions.take_field, "gmshModelMeshFieldSetAsBackgroundMesh");
  load(functions.generate, "gmshModelMeshGenerate");
  load(functions.set_order, "gmshModelMeshSetOrder");
  load(functions.classify_surfaces, "gmshModelMeshClassifySurfaces");
  load(functions.create_geometry, "gmshModelMeshCreateGeometry");
  load(functions.add_surface_loop, "gmshModelGeoAddSurfaceLoop");
  load(functions.add_volume, "gmshModelGeoAddVolume");
  load(functions.synchronize, "gmshModelGeoSynchronize");
  return functions;
}

const Functions& library() {
  static const Functions functions = load_library();
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

}  // namespace

void require_gmsh() {
  library();
}

Gmsh::Gmsh() {
  int error = 0;
  library().initialize(0, nullptr, 0, &error);
  library().set_number("General.Terminal", 0.0, &error);
  // Errors are logged and looked up. Were they thrown, the parser of .geo files would keep the rest of a wrong one.
  library().set_number("General.AbortOnError", 0.0, &error);
  library().start_log(&error);
}

Gmsh::~Gmsh() {
  int ignored = 0;
  library().stop_log(&ignored);  // lest the next one meet its errors
  library().finalize(&ignored);
}

void Gmsh::check(int error) const {
  const std::string message = first_error();
  if (error == 0 && message.empty()) return;
  throw InputError(message.empty() ? "Gmsh cannot use it, and does not say why" : message);
}

void Gmsh::set(const char* option, double value) const {
  int error = 0;
  library().set_number(option, value, &error);
  check(error);
}

void Gmsh::set(const char* option, const char* value) const {
  int error = 0;
  library().set_string(option, value, &error);
  check(error);
}

void Gmsh::open(const std::string& file) const {
  int error = 0;
  library().open(file.c_str(), &error);
  const std::string message = first_error();
  if (message.starts_with("Error loading"))
    throw InputError("it is damaged, cut off or of another format than its name says");
  check(error);
}

namespace {

/// Drops what is written to std::cout: OpenCASCADE tells there of every file that it writes, and no option of Gmsh hinders it.
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

void Gmsh::write(const std::string& file) const {
  const SilentOutput silent;
  int error = 0;
  library().write(file.c_str(), &error);
  check(error);
}

double Gmsh::level_area() const {
  constexpr double level = 1e-6;  // of the extent; boxes are a little larger than what they hold
  const double most = level * extent().maxCoeff();
  double sum = 0.0;
  for (const auto& [dim, number] : entities(2)) {
    Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
    double area = 0.0;
    int error = 0;
    library().bounding_box(dim, number, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2], &error);
    check(error);
    if (high.z() - low.z() > most) continue;
    library().mass(dim, number, &area, &error);
    check(error);
    sum += area;
  }
  return sum;
}

int Gmsh::dimension() const {
  int error = 0;
  const int dim = library().dimension(&error);
  check(error);
  return dim;
}

Vector3d Gmsh::extent() const {
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  int error = 0;
  library().bounding_box(-1, -1, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2], &error);
  check(error);
  return high - low;
}

std::vector<Gmsh::Entity> Gmsh::entities(int dim) const {
  List<int> list;
  int error = 0;
  library().entities(&list.data, &list.size, dim, &error);
  check(error);
  return pairs_of(list);
}

std::vector<Gmsh::Entity> Gmsh::groups() const {
  List<int> list;
  int error = 0;
  library().groups(&list.data, &list.size, -1, &error);
  check(error);
  return pairs_of(list);
}

std::string Gmsh::group_name(Entity group) const {
  List<char> name;
  int error = 0;
  library().group_name(group.first, group.second, &name.data, &error);
  check(error);
  return name.data ? name.data : "";
}

std::vector<int> Gmsh::entities_of(Entity group) const {
  List<int> list;
  int error = 0;
  library().entities_of_group(group.first, group.second, &list.data, &list.size, &error);
  check(error);
  return list.copy();
}

bool Gmsh::has_elements(int dim) const {
  List<int> types;
  int error = 0;
  library().element_types(&types.data, &types.size, dim, -1, &error);
  check(error);
  return types.size > 0;
}

Gmsh::Nodes Gmsh::nodes() const {
  List<std::size_t> tags;
  List<double> coordinates, parameters;
  int error = 0;
  library().nodes(&tags.data, &tags.size, &coordinates.data, &coordinates.size, &parameters.data,
                  &parameters.size, -1, -1, 0, 0, &error);
  check(error);
  return {tags.copy(), coordinates.copy()};
}

std::vector<std::size_t> Gmsh::nodes_of_group(Entity group) const {
  List<std::size_t> tags;
  List<double> coordinates;
  int error = 0;
  library().nodes_of_group(group.first, group.second, &tags.data, &tags.size, &coordinates.data,
                           &coordinates.size, &error);
  check(error);
  return tags.copy();
}

std::vector<Gmsh::Elements> Gmsh::elements(Entity entity) const {
  List<int> types;
  Lists<std::size_t> tags, nodes;
  int error = 0;
  library().elements(&types.data, &types.size, &tags.data, &tags.sizes, &tags.size, &nodes.data, &nodes.sizes,
                     &nodes.size, entity.first, entity.second, &error);
  check(error);
  std::vector<Elements> elements;
  for (std::size_t i = 0; i < types.size; ++i)
    elements.push_back({types.data[i], tags.copy(i), nodes.copy(i)});
  return elements;
}

Gmsh::Type Gmsh::type(int number) const {
  Type type;
  List<char> name;
  List<double> local;
  int order = 0, error = 0;
  library().element_properties(number, &name.data, &type.dim, &order, &type.n_nodes, &local.data, &local.size,
                               &type.n_corners, &error);
  check(error);
  if (name.data) type.name = name.data;
  return type;
}

namespace {

int add_field(const char* type) {
  int error = 0;
  return library().add_field(type, -1, &error);
}

void set_in_field(int field, const char* option, double value) {
  int error = 0;
  library().set_field_number(field, option, value, &error);
}

void set_in_field(int field, const char* option, const std::vector<int>& values) {
  std::vector<double> numbers(values.begin(), values.end());
  int error = 0;
  library().set_field_numbers(field, option, numbers.data(), numbers.size(), &error);
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
  check(0);
  return field;
}

void Gmsh::take_smallest_size(const std::vector<int>& fields) const {
  const int smallest = add_field("Min");
  set_in_field(smallest, "FieldsList", fields);
  int error = 0;
  library().take_field(smallest, &error);
  check(error);
}

void Gmsh::generate(int dim) const {
  int error = 0;
  library().generate(dim, &error);
  check(error);
}

void Gmsh::set_order(int order) const {
  int error = 0;
  library().set_order(order, &error);
  check(error);
}

void Gmsh::fill_surface(std::optional<double> angle) const {
  int error = 0;
  if (angle) {
    library().classify_surfaces(*angle, 1, 1, std::numbers::pi, 0, &error);
    check(error);
    library().create_geometry(nullptr, 0, &error);
    check(error);
  }
  std::vector<int> surfaces;
  for (const auto& [dim, tag] : entities(2)) surfaces.push_back(tag);
  int loop = library().add_surface_loop(surfaces.data(), surfaces.size(), -1, &error);
  check(error);
  library().add_volume(&loop, 1, -1, &error);
  check(error);
  library().synchronize(&error);
  check(error);
}

}  // namespace kurbel
