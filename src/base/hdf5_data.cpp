#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/hdf5_impl.hpp"

namespace kurbel {
namespace {

constexpr std::size_t compressed_above = 64 * 1024;  // bytes
constexpr std::size_t largest_chunk = 1024 * 1024;   // bytes
constexpr hsize_t table_chunk = 8192;                // numbers
constexpr unsigned deflate_level = 1;                // higher levels gain little on doubles and cost much

void set_compressed_chunks(hid_t properties, const std::vector<hsize_t>& chunk) {
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(properties);
  H5Pset_deflate(properties, deflate_level);
}

}  // namespace

Hdf5Handle Hdf5File::Impl::create_dataset(const std::string& name, hid_t type, hid_t space,
                                          hid_t properties) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) make_group(name.substr(0, slash));
  if (has(name)) require_written(H5Ldelete(file, name.c_str(), H5P_DEFAULT), name);
  Hdf5Handle id(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  require_written(id.valid() ? 0 : -1, name);
  return id;
}

void Hdf5File::Impl::write(const std::string& name, const std::vector<hsize_t>& shape, const double* values) {
  const Hdf5Handle space(shape.empty()
                             ? H5Screate(H5S_SCALAR)
                             : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                         H5Sclose);
  const Hdf5Handle properties = hdf5_creation_list(H5P_DATASET_CREATE);
  const auto bytes_of = [](const std::vector<hsize_t>& extent) {
    return std::accumulate(extent.begin(), extent.end(), sizeof(double), std::multiplies<>());
  };
  if (bytes_of(shape) > compressed_above) {
    std::vector<hsize_t> chunk = shape;
    for (hsize_t& extent : chunk) {
      while (extent > 1 && bytes_of(chunk) > largest_chunk) extent = (extent + 1) / 2;
    }
    set_compressed_chunks(properties, chunk);
  }
  Hdf5Handle id = create_dataset(name, H5T_IEEE_F64LE, space, properties);
  require_written(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  close_written(id, name);
}

void Hdf5File::write_number(const std::string& object, double value) {
  impl_->write(object, {}, &value);
}

void Hdf5File::write_vector(const std::string& object, const VectorXd& values) {
  impl_->write(object, {static_cast<hsize_t>(values.size())}, values.data());
}

void Hdf5File::write_matrix(const std::string& object, const MatrixXd& values) {
  const MatrixXd transposed = values.transpose();
  impl_->write(object, {static_cast<hsize_t>(values.rows()), static_cast<hsize_t>(values.cols())},
               transposed.data());
}

void Hdf5File::write_array(const std::string& object, const Hdf5Array& array) {
  impl_->write(object, {array.shape.begin(), array.shape.end()}, array.values.data());
}

void Hdf5File::write_text(const std::string& object, const std::string& text) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle type = hdf5_text_type();
  Hdf5Handle id = impl_->create_dataset(object, type, space, hdf5_creation_list(H5P_DATASET_CREATE));
  const char* const raw = text.c_str();
  impl_->require_written(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &raw), object);
  impl_->close_written(id, object);
}

void Hdf5File::write_texts(const std::string& object, const std::vector<std::string>& texts) {
  const hsize_t count = texts.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle type = hdf5_text_type();
  Hdf5Handle id = impl_->create_dataset(object, type, space, hdf5_creation_list(H5P_DATASET_CREATE));
  std::vector<const char*> raw;
  for (const std::string& text : texts) raw.push_back(text.c_str());
  impl_->require_written(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()), object);
  impl_->close_written(id, object);
}

void Hdf5File::append_row(const std::string& table, const VectorXd& row) {
  assert(row.size() > 0);
  const hsize_t columns = static_cast<hsize_t>(row.size());
  if (!has(table)) {
    const hsize_t shape[2] = {0, columns}, limit[2] = {H5S_UNLIMITED, columns};
    const Hdf5Handle space(H5Screate_simple(2, shape, limit), H5Sclose);
    const Hdf5Handle properties = hdf5_creation_list(H5P_DATASET_CREATE);
    set_compressed_chunks(properties, {std::clamp<hsize_t>(table_chunk / columns, 1, 1024),
                                       std::min<hsize_t>(columns, largest_chunk / sizeof(double))});
    Hdf5Handle made = impl_->create_dataset(table, H5T_IEEE_F64LE, space, properties);
    impl_->close_written(made, table);
  }
  Hdf5Handle id = impl_->numbers(table);
  std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  if (shape.size() != 2 || shape[1] != columns) {
    throw error(table, fmt::format("has shape ({}); a row of {} numbers cannot be appended",
                                   fmt::join(shape, ", "), columns));
  }
  const hsize_t start[2] = {shape[0]++, 0}, count[2] = {1, columns};
  impl_->require_written(H5Dset_extent(id, shape.data()), table);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  impl_->require_written(H5Dwrite(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row.data()), table);
  impl_->close_written(id, table);
}

void Hdf5File::keep_rows(const std::string& table, Eigen::Index count) {
  if (n_rows(table) <= count) return;
  Hdf5Handle id = impl_->numbers(table);
  std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  shape[0] = static_cast<hsize_t>(count);
  impl_->require_written(H5Dset_extent(id, shape.data()), table);
  impl_->close_written(id, table);
}

}  // namespace kurbel
