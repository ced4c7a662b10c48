#include "base/hdf5_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/hdf5_impl.hpp"
#include "base/hdf5_process.hpp"

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

/// At the end of the program the library would close files again that could not be closed, and crash. Every
/// file of ours is closed before.
void silence() {
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Locks files that are open, where the file system can. From version 1.10 on the format has checksums of all that
/// says where numbers stand.
Hdf5Handle access_list(const std::shared_ptr<Hdf5WriteLog>& log) {
  Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_file_locking(list, true, true);
  hdf5_use_driver(list, log);
  return list;
}

InputError open_error(const fs::path& path) {
  const std::string why = hdf5_reason();
  const auto mentions = [&](std::string_view word) { return why.find(word) != std::string::npos; };
  std::string text = fmt::format("truncated or not an HDF5 file ({})", why);
  if (mentions("unable to lock")) text = "it is being used by another program";
  if (mentions("already open")) text = "it is already open for writing";
  return InputError(fmt::format("cannot read {}: {}", path.string(), text));
}

/// Opens what has just been written, as the next reader will.
void require_complete(const fs::path& written, const fs::path& path) {
  const auto log = std::make_shared<Hdf5WriteLog>();  // the driver refers to it while the file is open
  const Hdf5Handle access = access_list(log);
  Hdf5Handle file(H5Fopen(written.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  H5G_info_t root{};
  const bool complete = file.valid() && H5Gget_info(file, &root) >= 0;
  if (!complete || file.close() < 0)
    throw WriteError(fmt::format("cannot write {}: what was written cannot be read again ({})", path.string(),
                                 hdf5_reason()));
}

}  // namespace

InputError Hdf5File::Impl::error(const std::string& object, const std::string& what) const {
  return InputError(fmt::format("{}: {}: {}", path.string(), object, what));
}

WriteError Hdf5File::Impl::write_error(const std::string& object) const {
  if (log->error == 0)
    return WriteError(fmt::format("{}: {}: cannot be written ({})", path.string(), object, hdf5_reason()));
  return WriteError(fmt::format("cannot write {}: {}", path.string(), std::strerror(log->error)));
}

void Hdf5File::Impl::require_written(herr_t status, const std::string& object) const {
  if (status < 0 || log->error != 0) throw write_error(object);
}

void Hdf5File::Impl::close_written(Hdf5Handle& id, const std::string& object) const {
  require_written(id.valid() ? id.close() : -1, object);
}

void Hdf5File::Impl::close() {
  if (process) return process.reset();
  const bool flushed = !writable || H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
  const bool closed = file.close() >= 0;
  if (flushed && closed && log->error == 0) return;
  const std::string why = log->error != 0 ? std::strerror(log->error) : hdf5_reason();
  if (writable) throw WriteError(fmt::format("cannot write {}: {}", path.string(), why));
  throw InputError(fmt::format("cannot read {}: {}", path.string(), why));
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
  AtomicFile atomic(path);
  const Hdf5Handle properties = hdf5_creation_list(H5P_FILE_CREATE);
  errno = 0;
  const auto log = std::make_shared<Hdf5WriteLog>();
  const Hdf5Handle access = access_list(log);
  Hdf5Handle file(H5Fcreate(atomic.temporary().c_str(), H5F_ACC_TRUNC, properties, access), H5Fclose);
  if (!file.valid()) {
    const std::string why = errno ? std::strerror(errno) : hdf5_reason();
    throw WriteError(fmt::format("cannot write {}: {}", path.string(), why));
  }
  return Hdf5File(std::make_unique<Impl>(Impl{path, log, std::move(file), std::move(atomic), true}));
}

std::unique_ptr<Hdf5File::Impl> Hdf5File::Impl::open(const fs::path& path) {
  const auto log = std::make_shared<Hdf5WriteLog>();
  const Hdf5Handle access = access_list(log);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file.valid()) throw open_error(path);
  Impl impl{path, log, std::move(file), std::nullopt, false};
  impl.largest_storage = fs::file_size(path);
  return std::make_unique<Impl>(std::move(impl));
}

Hdf5File Hdf5File::open(const fs::path& path) {
  silence();
  require_readable(path);
  auto impl = std::make_unique<Impl>(Impl{path, std::make_shared<Hdf5WriteLog>(),
                                          Hdf5Handle(H5I_INVALID_HID, H5Fclose), std::nullopt, false});
  impl->process = std::make_unique<Hdf5ReaderProcess>(path, [&path]() -> Hdf5ReaderProcess::Answering {
    const std::shared_ptr<const Impl> there = Impl::open(path);
    return [there](const Hdf5Query& query) { return there->answer(query); };
  });
  return Hdf5File(std::move(impl));
}

Hdf5File Hdf5File::open_for_append(const fs::path& path) {
  silence();
  require_readable(path);
  const auto log = std::make_shared<Hdf5WriteLog>();
  const Hdf5Handle access = access_list(log);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose);
  if (!file.valid()) throw open_error(path);
  return Hdf5File(std::make_unique<Impl>(Impl{path, log, std::move(file), std::nullopt, true}));
}

const fs::path& Hdf5File::path() const {
  return impl_->path;
}

void Hdf5File::commit() {
  const std::unique_ptr<Impl> impl = std::move(impl_);
  impl->log->durable = true;
  impl->close();
  if (!impl->atomic) return require_complete(impl->path, impl->path);
  require_complete(impl->atomic->temporary(), impl->path);
  impl->atomic->commit(true);
}

void Hdf5File::close() {
  if (const std::unique_ptr<Impl> impl = std::move(impl_)) impl->close();
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
