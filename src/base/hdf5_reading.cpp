#include <algorithm>
#include <numeric>

#include "base/hdf5_impl.hpp"
#include "base/hdf5_process.hpp"

namespace kurbel {
namespace {

constexpr std::size_t most_members = 10'000'000;
constexpr std::uintmax_t most_compressed = 1100;        // deflate makes 1032 bytes of one at most
constexpr std::uintmax_t always_plausible = 64 * 1024;  // bytes

/// Texts of a dataset or attribute of that type and space; nothing if it holds no text, more than can be
/// there, or cannot be read.
std::optional<std::vector<std::string>> texts_of(hid_t type, hid_t space, std::uintmax_t most_bytes,
                                                 const std::function<herr_t(hid_t, void*)>& read) {
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  const std::size_t count =
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  const bool variable = H5Tis_variable_str(type) > 0;
  const std::size_t size = variable ? sizeof(char*) : std::max<std::size_t>(1, H5Tget_size(type));
  if (count > most_bytes / size) return std::nullopt;
  std::vector<std::string> texts;
  if (count == 0) return texts;
  if (variable) {
    const Hdf5Handle memory(H5Tcopy(type), H5Tclose);
    std::vector<char*> raw(count, nullptr);
    if (read(memory, raw.data()) < 0) return std::nullopt;
    for (const char* text : raw) texts.emplace_back(text ? text : "");
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, raw.data());
  } else {
    std::string raw(count * size, '\0');
    if (read(type, raw.data()) < 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = raw.substr(i * size, size);
      texts.push_back(text.substr(0, text.find('\0')));
    }
  }
  return texts;
}

}  // namespace

Hdf5Handle Hdf5File::Impl::dataset(const std::string& name) const {
  Hdf5Handle id(has(name) ? H5Dopen2(file, name.c_str(), H5P_DEFAULT) : H5I_INVALID_HID, H5Dclose);
  if (id.valid()) return id;
  if (!has(name)) throw error(name, "missing");
  const Hdf5Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose);
  throw error(name, group.valid() ? "is not a dataset" : "cannot be read; the file is damaged");
}

Hdf5Handle Hdf5File::Impl::numbers(const std::string& name) const {
  Hdf5Handle id = dataset(name);
  const Hdf5Handle type(H5Dget_type(id), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw error(name, "does not hold numbers");
  return id;
}

std::size_t Hdf5File::Impl::plausible_count(hid_t id, const std::string& name,
                                            const std::vector<hsize_t>& shape) const {
  const std::uintmax_t stored = std::min<std::uintmax_t>(H5Dget_storage_size(id), largest_storage);
  const std::uintmax_t most = std::max(always_plausible, most_compressed * stored) / sizeof(double);
  std::uintmax_t count = 1;
  for (const hsize_t extent : shape) {
    if (extent > 0 && count > most / extent) {
      throw error(name, fmt::format("claims to be {}, but {} bytes are stored: the file is damaged",
                                    fmt::join(shape, " x "), stored));
    }
    count *= extent;
  }
  return count;
}

Hdf5Array Hdf5File::Impl::read(const std::string& name) const {
  const Hdf5Handle id = numbers(name);
  const std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  Hdf5Array array;
  array.shape.assign(shape.begin(), shape.end());
  array.values.resize(plausible_count(id, name, shape));
  if (!array.values.empty() &&
      H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0) {
    throw error(name, fmt::format("cannot be read, the file is damaged ({})", hdf5_reason()));
  }
  return array;
}

Hdf5Array Hdf5File::Impl::read_row(const std::string& table, std::int64_t row) const {
  const Hdf5Handle id = numbers(table);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  const std::vector<hsize_t> shape = hdf5_shape(space);
  if (shape.size() != 2 || row < 0 || static_cast<hsize_t>(row) >= shape[0]) {
    throw error(table, fmt::format("has shape ({}) and no row {}", fmt::join(shape, ", "), row));
  }
  Hdf5Array array{{static_cast<std::size_t>(shape[1])}, {}};
  array.values.resize(plausible_count(id, table, {shape[1]}));
  const hsize_t start[2] = {static_cast<hsize_t>(row), 0}, count[2] = {1, shape[1]};
  const Hdf5Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  if (H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, array.values.data()) < 0) {
    throw error(table, fmt::format("row {} cannot be read, the file is damaged ({})", row, hdf5_reason()));
  }
  return array;
}

std::int64_t Hdf5File::Impl::n_rows(const std::string& table) const {
  if (!has(table)) return 0;
  const Hdf5Handle id = numbers(table);
  const std::vector<hsize_t> shape = hdf5_shape(Hdf5Handle(H5Dget_space(id), H5Sclose));
  if (shape.size() != 2) throw error(table, "is not a table");
  plausible_count(id, table, shape);
  return static_cast<std::int64_t>(shape[0]);
}

std::vector<std::string> Hdf5File::Impl::members(const std::string& group) const {
  const Hdf5Handle id = object(group);
  if (H5Iget_type(id) != H5I_GROUP) throw error(group, "is not a group");
  const Hdf5Handle properties(H5Gget_create_plist(id), H5Pclose);
  unsigned order = 0;
  H5Pget_link_creation_order(properties, &order);
  std::vector<std::string> names;
  const herr_t status = H5Literate(
      id, (order & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        auto& found = *static_cast<std::vector<std::string>*>(out);
        found.emplace_back(name);
        return found.size() < most_members ? 0 : -1;
      },
      &names);
  if (status < 0) throw error(group, "its members cannot be listed, the file is damaged");
  return names;
}

std::vector<std::string> Hdf5File::Impl::texts(const std::string& name) const {
  const Hdf5Handle id = dataset(name);
  const Hdf5Handle type(H5Dget_type(id), H5Tclose);
  const Hdf5Handle space(H5Dget_space(id), H5Sclose);
  const std::uintmax_t stored = std::min<std::uintmax_t>(H5Dget_storage_size(id), largest_storage);
  const auto found = texts_of(type, space, std::max(always_plausible, most_compressed * stored),
                              [&](hid_t memory_type, void* out) {
                                return H5Dread(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
                              });
  if (!found) throw error(name, "does not hold text");
  return *found;
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

std::vector<std::string> Hdf5File::Impl::texts_attribute(const std::string& name,
                                                         const std::string& attribute_name) const {
  const Hdf5Handle id = attribute(name, attribute_name);
  const Hdf5Handle type(H5Aget_type(id), H5Tclose);
  const Hdf5Handle space(H5Aget_space(id), H5Sclose);
  const auto found = texts_of(type, space, std::max<std::uintmax_t>(always_plausible, largest_storage),
                              [&](hid_t memory_type, void* out) { return H5Aread(id, memory_type, out); });
  if (!found) throw error(name, fmt::format("attribute '{}' does not hold text", attribute_name));
  return *found;
}

Hdf5Answer Hdf5File::Impl::answer(const Hdf5Query& query) const {
  using What = Hdf5Query::What;
  Hdf5Answer answer;
  switch (query.what) {
    case What::has:
      answer.integer = has(query.object) ? 1 : 0;
      break;
    case What::members:
      answer.texts = members(query.object);
      break;
    case What::array:
      answer.array = read(query.object);
      break;
    case What::row:
      answer.array = read_row(query.object, query.row);
      break;
    case What::n_rows:
      answer.integer = n_rows(query.object);
      break;
    case What::texts:
      answer.texts = texts(query.object);
      break;
    case What::has_attribute:
      answer.integer =
          has(query.object) && H5Aexists(object(query.object), query.attribute.c_str()) > 0 ? 1 : 0;
      break;
    case What::number_attribute:
      read_number_attribute(query.object, query.attribute, H5T_NATIVE_DOUBLE, &answer.number);
      break;
    case What::integer_attribute:
      read_number_attribute(query.object, query.attribute, H5T_NATIVE_INT64, &answer.integer);
      break;
    case What::texts_attribute:
      answer.texts = texts_attribute(query.object, query.attribute);
      break;
  }
  return answer;
}

Hdf5Answer Hdf5File::ask(const Hdf5Query& query) const {
  return impl_->process ? impl_->process->ask(query) : impl_->answer(query);
}

bool Hdf5File::has(const std::string& object) const {
  return ask({Hdf5Query::What::has, object}).integer != 0;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  return ask({Hdf5Query::What::members, group}).texts;
}

Hdf5Array Hdf5File::read_array(const std::string& object) const {
  return ask({Hdf5Query::What::array, object}).array;
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
  return ask({Hdf5Query::What::texts, object}).texts;
}

std::string Hdf5File::read_text(const std::string& object) const {
  const std::vector<std::string> texts = read_texts(object);
  if (texts.size() != 1) throw error(object, fmt::format("holds {} texts; expected one", texts.size()));
  return texts[0];
}

Eigen::Index Hdf5File::n_rows(const std::string& table) const {
  return static_cast<Eigen::Index>(ask({Hdf5Query::What::n_rows, table}).integer);
}

VectorXd Hdf5File::read_row(const std::string& table, Eigen::Index row) const {
  const Hdf5Answer answer = ask({Hdf5Query::What::row, table, {}, row});
  const std::vector<double>& values = answer.array.values;
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return ask({Hdf5Query::What::has_attribute, object, name}).integer != 0;
}

double Hdf5File::number_attribute(const std::string& object, const std::string& name) const {
  return ask({Hdf5Query::What::number_attribute, object, name}).number;
}

std::int64_t Hdf5File::integer_attribute(const std::string& object, const std::string& name) const {
  return ask({Hdf5Query::What::integer_attribute, object, name}).integer;
}

std::vector<std::string> Hdf5File::texts_attribute(const std::string& object, const std::string& name) const {
  return ask({Hdf5Query::What::texts_attribute, object, name}).texts;
}

std::string Hdf5File::text_attribute(const std::string& object, const std::string& name) const {
  const std::vector<std::string> texts = texts_attribute(object, name);
  if (texts.size() != 1) throw error(object, fmt::format("attribute '{}' is not one text", name));
  return texts[0];
}

}  // namespace kurbel
