#include <functional>
#include <numeric>
#include <optional>

#include "base/hdf5_impl.hpp"

namespace kurbel {
namespace {

/// Texts of a dataset or attribute of that type and space; nothing if it holds no text as we write it, or cannot be read.
std::optional<std::vector<std::string>> texts_of(hid_t type, hid_t space,
                                                 const std::function<herr_t(hid_t, void*)>& read) {
  if (H5Tis_variable_str(type) <= 0) return std::nullopt;
  std::vector<char*> raw(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), nullptr);
  if (!raw.empty() && read(type, raw.data()) < 0) return std::nullopt;
  std::vector<std::string> texts;
  for (const char* text : raw) texts.emplace_back(text ? text : "");
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
  return texts;
}

}  // namespace

Hdf5Handle Hdf5File::Impl::dataset(const std::string& name) const {
  Hdf5Handle id(has(name) ? H5Dopen2(file, name.c_str(), H5P_DEFAULT) : H5I_INVALID_HID, H5Dclose);
  if (!id.valid()) throw error(name, has(name) ? "is not a dataset" : "missing");
  return id;
}

Hdf5Handle Hdf5File::Impl::numbers(const std::string& name) const {
  Hdf5Handle id = dataset(name);
  const Hdf5Handle type(H5Dget_type(id), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw error(name, "does not hold numbers");
  return id;
}

Hdf5Handle Hdf5File::Impl::attribute(const std::string& name, const std::string& attribute) const {
  const Hdf5Handle owner = object(name);
  Hdf5Handle id(H5Aexists(owner, attribute.c_str()) > 0 ? H5Aopen(owner, attribute.c_str(), H5P_DEFAULT)
                                                        : H5I_INVALID_HID,
                H5Aclose);
  if (!id.valid()) throw error(name, fmt::format("attribute '{}' is missing", attribute));
  return id;
}

void Hdf5File::Impl::read_number_attribute(const std::string& name, const std::string& attribute_name,
                                           hid_t memory_type, void* value) const {
  const Hdf5Handle id = attribute(name, attribute_name);
  const Hdf5Handle type(H5Aget_type(id), H5Tclose);
  const Hdf5Handle space(H5Aget_space(id), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(id, memory_type, value) < 0) {
    throw error(name, fmt::format("attribute '{}' is not a number", attribute_name));
  }
}

bool Hdf5File::has(const std::string& object) const {
  return impl_->has(object);
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const Hdf5Handle id = impl_->object(group);
  if (H5Iget_type(id) != H5I_GROUP) throw error(group, "is not a group");
  std::vector<std::string> names;
  const herr_t status = H5Literate(
      id, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->emplace_back(name);
        return 0;
      },
      &names);
  if (status < 0) throw error(group, fmt::format("its members cannot be listed ({})", hdf5_reason()));
  return names;
}

Hdf5Array Hdf5File::read_array(const std::string& object) const {
  const Hdf5Handle id = impl_->numbers(object);
  const std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  Hdf5Array array{{shape.begin(), shape.end()}, {}};
  array.values.resize(
      std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1}, std::multiplies<>()));
  if (!array.values.empty() &&
      H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0) {
    throw error(object, fmt::format("cannot be read ({})", hdf5_reason()));
  }
  return array;
}

Hdf5Array Hdf5File::read_array(const std::string& object, std::size_t rank) const {
  Hdf5Array array = read_array(object);
  if (array.shape.size() == rank) return array;
  throw error(object,
              fmt::format("has shape ({}); expected {} dimensions", fmt::join(array.shape, ", "), rank));
}

double Hdf5File::read_number(const std::string& object) const {
  return read_array(object, 0).values[0];
}

VectorXd Hdf5File::read_vector(const std::string& object) const {
  const Hdf5Array array = read_array(object, 1);
  return Eigen::Map<const VectorXd>(array.values.data(), static_cast<Eigen::Index>(array.values.size()));
}

MatrixXd Hdf5File::read_matrix(const std::string& object) const {
  const Hdf5Array array = read_array(object, 2);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(array.values.data(), static_cast<Eigen::Index>(array.shape[0]),
                                    static_cast<Eigen::Index>(array.shape[1]));
}

std::vector<std::string> Hdf5File::read_texts(const std::string& object) const {
  const Hdf5Handle id = impl_->dataset(object);
  const Hdf5Handle type(H5Dget_type(id), H5Tclose);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  const auto found = texts_of(type, space, [&](hid_t memory_type, void* out) {
    return H5Dread(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
  if (!found) throw error(object, "does not hold text");
  return *found;
}

std::string Hdf5File::read_text(const std::string& object) const {
  const std::vector<std::string> texts = read_texts(object);
  if (texts.size() != 1) throw error(object, fmt::format("holds {} texts; expected one", texts.size()));
  return texts[0];
}

Eigen::Index Hdf5File::n_rows(const std::string& table) const {
  if (!has(table)) return 0;
  const Hdf5Handle id = impl_->numbers(table);
  const std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  if (shape.size() != 2) throw error(table, "is not a table");
  return static_cast<Eigen::Index>(shape[0]);
}

VectorXd Hdf5File::read_row(const std::string& table, Eigen::Index row) const {
  const Hdf5Handle id = impl_->numbers(table);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  const std::vector<hsize_t> shape = hdf5_shape(space);
  if (shape.size() != 2 || row < 0 || static_cast<hsize_t>(row) >= shape[0])
    throw error(table, fmt::format("has shape ({}) and no row {}", fmt::join(shape, ", "), row));
  VectorXd values(static_cast<Eigen::Index>(shape[1]));
  const hsize_t start[2] = {static_cast<hsize_t>(row), 0}, count[2] = {1, shape[1]};
  const Hdf5Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  if (H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
    throw error(table, fmt::format("row {} cannot be read ({})", row, hdf5_reason()));
  return values;
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return has(object) && H5Aexists(impl_->object(object), name.c_str()) > 0;
}

double Hdf5File::number_attribute(const std::string& object, const std::string& name) const {
  double value = 0.0;
  impl_->read_number_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::int64_t Hdf5File::integer_attribute(const std::string& object, const std::string& name) const {
  std::int64_t value = 0;
  impl_->read_number_attribute(object, name, H5T_NATIVE_INT64, &value);
  return value;
}

std::vector<std::string> Hdf5File::texts_attribute(const std::string& object, const std::string& name) const {
  const Hdf5Handle id = impl_->attribute(object, name);
  const Hdf5Handle type(H5Aget_type(id), H5Tclose);
  const Hdf5Handle space(H5Aget_space(id), H5Sclose);
  const auto found =
      texts_of(type, space, [&](hid_t memory_type, void* out) { return H5Aread(id, memory_type, out); });
  if (!found) throw error(object, fmt::format("attribute '{}' does not hold text", name));
  return *found;
}

std::string Hdf5File::text_attribute(const std::string& object, const std::string& name) const {
  const std::vector<std::string> texts = texts_attribute(object, name);
  if (texts.size() != 1) throw error(object, fmt::format("attribute '{}' is not one text", name));
  return texts[0];
}

}  // namespace kurbel
