#include <Model/COM/NMR_DLLInterfaces.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "output/surface_writer.hpp"

namespace kurbel {

namespace {

/// An object of lib3mf, which is released with it.
class Handle {
 public:
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (object_) NMR::lib3mf_release(object_);
  }
  NMR::PLib3MFBase** receive() { return &object_; }
  NMR::PLib3MFBase* get() const { return object_; }

 private:
  NMR::PLib3MFBase* object_ = nullptr;
};

/// Throws what lib3mf says if a call on an object failed.
void require(LIB3MFRESULT result, const Handle& object, const std::filesystem::path& path) {
  if (result == LIB3MF_OK) return;
  DWORD code = 0;
  LPCSTR text = nullptr;
  if (object.get()) NMR::lib3mf_getlasterror(object.get(), &code, &text);
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), text ? text : "lib3mf failed"));
}

std::vector<NMR::MODELMESHVERTEX> vertices_of(const Surface& surface, double per_metre) {
  std::vector<NMR::MODELMESHVERTEX> vertices;
  for (const auto& point : surface.points.colwise()) {
    const Eigen::Vector3f scaled = (per_metre * point).cast<float>();
    vertices.push_back({{scaled.x(), scaled.y(), scaled.z()}});
  }
  return vertices;
}

std::vector<NMR::MODELMESHTRIANGLE> triangles_of(const Surface& surface) {
  std::vector<NMR::MODELMESHTRIANGLE> triangles;
  for (const auto& corners : surface.triangles.colwise())
    triangles.push_back({{DWORD(corners[0]), DWORD(corners[1]), DWORD(corners[2])}});
  return triangles;
}

}  // namespace

void require_3mf() {}

void write_3mf(const std::filesystem::path& path, const Surface& surface, const std::string& name,
               LengthUnit unit) {
  std::vector<NMR::MODELMESHVERTEX> vertices = vertices_of(surface, per_metre(unit));
  std::vector<NMR::MODELMESHTRIANGLE> triangles = triangles_of(surface);
  const DWORD of_file = unit == LengthUnit::millimetre ? NMR::MODELUNIT_MILLIMETER : NMR::MODELUNIT_METER;
  AtomicFile file(path);
  Handle model, mesh, item, writer;
  require(NMR::lib3mf_createmodel(model.receive()), model, path);
  require(NMR::lib3mf_model_setunit(model.get(), of_file), model, path);
  require(NMR::lib3mf_model_addmeshobject(model.get(), mesh.receive()), model, path);
  require(NMR::lib3mf_object_setnameutf8(mesh.get(), name.c_str()), mesh, path);
  require(NMR::lib3mf_meshobject_setgeometry(mesh.get(), vertices.data(), DWORD(vertices.size()),
                                             triangles.data(), DWORD(triangles.size())),
          mesh, path);
  require(NMR::lib3mf_model_addbuilditem(model.get(), mesh.get(), nullptr, item.receive()), model, path);
  require(NMR::lib3mf_model_querywriter(model.get(), "3mf", writer.receive()), model, path);
  require(NMR::lib3mf_writer_writetofileutf8(writer.get(), file.temporary().c_str()), writer, path);
  file.commit();
}

}  // namespace kurbel
