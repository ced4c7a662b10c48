#include "base/hdf5_driver.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace kurbel {
namespace {

/// Begins with what HDF5 knows of a file.
struct File {
  H5FD_t base{};
  int descriptor = -1;
  haddr_t eoa = 0, eof = 0;  ///< ends of the allocated space and of the file
  dev_t device = 0;
  ino_t inode = 0;
  std::shared_ptr<Hdf5WriteLog> log;
  std::vector<std::pair<haddr_t, std::vector<char>>> unwritten;  ///< since the first failure
};

File& as_file(H5FD_t* file) {
  return *reinterpret_cast<File*>(file);
}
const File& as_file(const H5FD_t* file) {
  return *reinterpret_cast<const File*>(file);
}

herr_t refuse(const char* function, const char* what) {
  H5Epush2(H5E_DEFAULT, __FILE__, function, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_CANTOPENFILE, "%s", what);
  return -1;
}

void fail(File& file, int error) {
  if (file.log->error == 0) file.log->error = error != 0 ? error : EIO;
}

/// Puts what could not be written over what was read.
void patch(const File& file, haddr_t address, std::size_t size, char* buffer) {
  for (const auto& [begin, bytes] : file.unwritten) {
    const haddr_t first = std::max(address, begin), last = std::min(address + size, begin + bytes.size());
    if (first < last) std::memcpy(buffer + (first - address), bytes.data() + (first - begin), last - first);
  }
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const bool writes = (flags & H5F_ACC_RDWR) != 0;
  int mode = O_CLOEXEC | (writes ? O_RDWR : O_RDONLY);
  if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) mode |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) mode |= O_EXCL;
  const int descriptor = ::open(name, mode, 0666);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) < 0) {
    refuse("open_file", std::strerror(errno));
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  auto* file = new File;
  file->descriptor = descriptor;
  file->eof = static_cast<haddr_t>(status.st_size);
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->log = **static_cast<const std::shared_ptr<Hdf5WriteLog>* const*>(H5Pget_driver_info(access));
  return &file->base;
}

herr_t close_file(H5FD_t* base) {
  const std::unique_ptr<File> file(&as_file(base));
  const auto unsupported = [] { return errno == EINVAL || errno == EROFS || errno == ENOTSUP; };
  if (file->log->durable && ::fsync(file->descriptor) < 0 && !unsupported()) fail(*file, errno);
  if (::close(file->descriptor) < 0) fail(*file, errno);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const File& file) { return std::tuple(file.device, file.inode); };
  return key(as_file(a)) < key(as_file(b)) ? -1 : key(as_file(b)) < key(as_file(a)) ? 1 : 0;
}

/// As the driver that HDF5 takes by itself.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  }
  return 0;
}

herr_t read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  const File& file = as_file(base);
  if (address > file.eoa || size > file.eoa - address) return refuse("read", "read beyond the end");
  char* const out = static_cast<char*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file.descriptor, out + done, size - done, static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return refuse("read", std::strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::memset(out + done, 0, size - done);
  patch(file, address, size, out);
  return 0;
}

herr_t write(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  File& file = as_file(base);
  if (address > file.eoa || size > file.eoa - address) return refuse("write", "write beyond the end");
  const char* const in = static_cast<const char*>(buffer);
  file.eof = std::max<haddr_t>(file.eof, address + size);
  std::size_t done = 0;
  while (done < size && file.log->error == 0) {
    const ssize_t n = ::pwrite(file.descriptor, in + done, size - done, static_cast<off_t>(address + done));
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n == 0 || (n < 0 && errno != EINTR)) fail(file, n == 0 ? ENOSPC : errno);
  }
  if (done < size) file.unwritten.emplace_back(address + done, std::vector<char>(in + done, in + size));
  return 0;
}

herr_t truncate(H5FD_t* base, hid_t, hbool_t) {
  File& file = as_file(base);
  if (file.eoa == file.eof) return 0;
  if (file.log->error == 0 && ::ftruncate(file.descriptor, static_cast<off_t>(file.eoa)) < 0)
    fail(file, errno);
  file.eof = file.eoa;
  return 0;
}

herr_t lock(H5FD_t* base, hbool_t writes) {
  const int how = (writes ? LOCK_EX : LOCK_SH) | LOCK_NB;
  if (::flock(as_file(base).descriptor, how) == 0 || errno == ENOSYS)
    return 0;  // not known to the file system
  return refuse("lock", "unable to lock the file");
}

herr_t unlock(H5FD_t* base) {
  return ::flock(as_file(base).descriptor, LOCK_UN) == 0 || errno == ENOSYS ? 0 : -1;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(1000);  // among those free for use
#endif
    driver.name = "kurbel";
    driver.maxaddr = (haddr_t{1} << 62) - 1;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(std::shared_ptr<Hdf5WriteLog>*);
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare;
    driver.query = query;
    driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) { return as_file(file).eoa; };
    driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t eoa) {
      as_file(file).eoa = eoa;
      return herr_t{0};
    };
    driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) { return as_file(file).eof; };
    driver.read = read;
    driver.write = write;
    driver.truncate = truncate;
    driver.lock = lock;
    driver.unlock = unlock;
    const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
    return H5FDregister(&driver);
  }();
  return id;
}

}  // namespace

void hdf5_use_driver(hid_t access_list, const std::shared_ptr<Hdf5WriteLog>& log) {
  const std::shared_ptr<Hdf5WriteLog>* const info = &log;
  H5Pset_driver(access_list, driver(), &info);
}

}  // namespace kurbel
