#include "base/hdf5_file.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/hdf5_impl.hpp"
#include "base/sealed_file.hpp"

namespace kurbel {
namespace fs = std::filesystem;

std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  return text.empty() ? "unknown reason" : text;
}

Hdf5Handle hdf5_creation_list(hid_t kind) {
  Hdf5Handle list(H5Pcreate(kind), H5Pclose);
  if (kind == H5P_FILE_CREATE || kind == H5P_GROUP_CREATE) {
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  }
  H5Pset_obj_track_times(list, false);
  return list;
}

Hdf5Handle hdf5_text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::vector<hsize_t> hdf5_shape(hid_t space) {
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

namespace {

constexpr std::size_t memory_increment = 64 * 1024;  // bytes by which a file in memory grows

/// HDF5 prints nothing, and does nothing at the end of the program: a file that could not be closed for lack of memory
/// would crash there.
void silence() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Access to a file in memory alone. With the format of version 1.8 an open file has no mark that it is being written, so that
/// its bytes are at any time those of a whole file.
Hdf5Handle memory_access() {
  Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_fapl_core(list, memory_increment, false);
  return list;
}

/// HDF5 takes files in memory that have the same name for one.
std::string unique_name(const void* owner) {
  return fmt::format("kurbel file in memory {}", owner);
}

}  // namespace

InputError Hdf5File::Impl::error(const std::string& object, const std::string& what) const {
  return InputError(fmt::format("{}: {}: {}", path.string(), object, what));
}

void Hdf5File::Impl::require_written(herr_t status, const std::string& object) const {
  if (status < 0)
    throw WriteError(fmt::format("{}: {}: cannot be written ({})", path.string(), object, hdf5_reason()));
}

void Hdf5File::Impl::close_written(Hdf5Handle& id, const std::string& object) const {
  require_written(id.valid() ? id.close() : -1, object);
}

bool Hdf5File::Impl::has(const std::string& object) const {
  // Negative, which is no, where a group on the way is missing.
  return object == "/" || H5Lexists(file, object.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5File::Impl::make_group(const std::string& group) {
  if (group.empty() || group == "/" || has(group)) return;
  const std::size_t slash = group.rfind('/');
  if (slash != std::string::npos) make_group(group.substr(0, slash));
  Hdf5Handle made(
      H5Gcreate2(file, group.c_str(), H5P_DEFAULT, hdf5_creation_list(H5P_GROUP_CREATE), H5P_DEFAULT),
      H5Gclose);
  close_written(made, group);
}

Hdf5Handle Hdf5File::Impl::object(const std::string& name) const {
  Hdf5Handle id(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!id.valid()) throw error(name, "missing");
  return id;
}

void Hdf5File::Impl::set_attribute(const std::string& name, const std::string& attribute, hid_t file_type,
                                   hid_t memory_type, hid_t space, const void* value) {
  const std::string what = name + "@" + attribute;
  Hdf5Handle owner = object(name);
  if (H5Aexists(owner, attribute.c_str()) > 0) require_written(H5Adelete(owner, attribute.c_str()), what);
  Hdf5Handle id(H5Acreate2(owner, attribute.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require_written(id.valid() ? H5Awrite(id, memory_type, value) : -1, what);
  close_written(id, what);
  close_written(owner, what);
}

Hdf5File::Hdf5File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;
Hdf5File::~Hdf5File() = default;

Hdf5File Hdf5File::create(const fs::path& path) {
  silence();
  auto impl = std::make_unique<Impl>(Impl{path, Hdf5Handle(H5I_INVALID_HID, H5Fclose)});
  const std::string name = unique_name(impl.get());
  Hdf5Handle file(
      H5Fcreate(name.c_str(), H5F_ACC_TRUNC, hdf5_creation_list(H5P_FILE_CREATE), memory_access()), H5Fclose);
  impl->require_written(file.valid() ? 0 : -1, "/");
  impl->file = std::move(file);
  return Hdf5File(std::move(impl));
}

Hdf5File Hdf5File::open(const fs::path& path) {
  silence();
  auto impl = std::make_unique<Impl>(Impl{path, Hdf5Handle(H5I_INVALID_HID, H5Fclose)});
  const Hdf5Handle access = memory_access();
  {
    std::string content = read_sealed_file(path, {"an HDF5 file", hdf5_signature});
    H5Pset_file_image(access, content.data(), content.size());  // a copy
  }
  const std::string name = unique_name(impl.get());
  impl->file = Hdf5Handle(H5Fopen(name.c_str(), H5F_ACC_RDWR, access), H5Fclose);
  if (!impl->file.valid())
    throw InputError(fmt::format("cannot read {}: {}. Make it anew.", path.string(), hdf5_reason()));
  return Hdf5File(std::move(impl));
}

const fs::path& Hdf5File::path() const {
  return impl_->path;
}

void Hdf5File::commit() {
  const hid_t file = impl_->file;
  void* bytes = nullptr;
  impl_->require_written(H5Fflush(file, H5F_SCOPE_GLOBAL), "/");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  impl_->require_written(size > 0 ? H5Fget_vfd_handle(file, H5P_DEFAULT, &bytes) : -1, "/");
  // The handle of a file in memory is the place of the pointer to its bytes.
  write_sealed_file(path(), {*static_cast<char**>(bytes), static_cast<std::size_t>(size)}, true);
}

InputError Hdf5File::error(const std::string& object, const std::string& what) const {
  return impl_->error(object, what);
}

void Hdf5File::make_group(const std::string& group) {
  impl_->make_group(group);
}

void Hdf5File::remove(const std::string& object) {
  if (has(object)) impl_->require_written(H5Ldelete(impl_->file, object.c_str(), H5P_DEFAULT), object);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, double value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->set_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &value);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->set_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, &value);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle type = hdf5_text_type();
  const char* const raw = value.c_str();
  impl_->set_attribute(object, name, type, type, space, &raw);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             const std::vector<std::string>& value) {
  const hsize_t count = value.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle type = hdf5_text_type();
  std::vector<const char*> raw;
  for (const std::string& text : value) raw.push_back(text.c_str());
  if (raw.empty()) raw.push_back(nullptr);
  impl_->set_attribute(object, name, type, type, space, raw.data());
}

}  // namespace kurbel
