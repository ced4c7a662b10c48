#include "python/python_values.hpp"

#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string_view>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "sid/sid_members.hpp"

namespace kurbel::python {

namespace {

/// Deeper ones are no input of anybody's, or contain themselves.
constexpr int deepest_value = 32;

std::int64_t integer_of(const py::int_& value, const std::string& where) {
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) throw InputError(where + " has more than 63 bits; give a float");
  return integer;
}

bool is_list(const py::handle& value) {
  if (!py::isinstance<py::sequence>(value)) return false;
  return !py::hasattr(value, "ndim") || value.attr("ndim").cast<int>() > 0;  // those of NumPy may be numbers
}

InputValue input_value(const py::handle& value, const std::string& where, int depth) {
  if (depth > deepest_value) throw py::type_error(where + " is nested too deeply");
  if (py::detail::make_caster<bool> truth; truth.load(value, false))  // that of NumPy, too
    return static_cast<bool>(truth);
  if (py::isinstance<py::str>(value)) return text_of(value);
  if (py::isinstance<py::dict>(value)) {
    InputTable table;
    for (const auto& [key, entry] : items_of(value.cast<py::dict>())) {
      const std::string name = text_of(key);
      table.emplace_back(name, input_value(entry, where + "." + printable(name), depth + 1));
    }
    return table;
  }
  const bool is_refused =
      PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) || PyComplex_Check(value.ptr());
  if (!is_refused && is_list(value)) {
    std::vector<InputValue> list;
    for (const py::handle entry : py::iter(value)) list.push_back(input_value(entry, where, depth + 1));
    return list;
  }
  if (PyIndex_Check(value.ptr())) {
    if (PyObject* const integer = PyNumber_Index(value.ptr()))
      return integer_of(py::reinterpret_steal<py::int_>(integer), where);
    PyErr_Clear();  // an array of NumPy that is one number, and no integer
  }
  if (!is_refused && PyNumber_Check(value.ptr()))
    return static_cast<double>(py::float_(py::reinterpret_borrow<py::object>(value)));
  throw py::type_error(
      fmt::format("{} must be a number, a text, a truth value, or a list or dict of these, not {}", where,
                  py::repr(value).cast<std::string>()));
}

py::object array_of(const std::vector<MatrixXd>& matrices, std::vector<py::ssize_t> shape) {
  for (const Eigen::Index n : {matrices.front().rows(), matrices.front().cols()}) shape.push_back(n);
  py::array_t<double> array(shape);
  double* to = array.mutable_data();
  for (const MatrixXd& matrix : matrices) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(to, matrix.rows(), matrix.cols()) = matrix;
    to += matrix.size();
  }
  return array;
}

py::dict dict_of(const Taylor& taylor, const char* unit, Eigen::Index n_q) {
  py::dict of_taylor;
  of_taylor["M0"] = taylor.M0;
  if (!taylor.M1.empty()) of_taylor["M1"] = array_of(taylor.M1, {n_q});
  if (!taylor.Mn.empty()) of_taylor["Mn"] = array_of(taylor.Mn, {n_q, n_q});
  of_taylor["unit"] = unit;
  return of_taylor;
}

}  // namespace

std::string text_of(const py::handle& value) {
  const py::str text(value);
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!utf8) throw py::error_already_set();
  return {utf8, static_cast<std::size_t>(size)};
}

std::vector<std::pair<py::object, py::object>> items_of(const py::dict& dict) {
  std::vector<std::pair<py::object, py::object>> items;
  for (const auto& [key, value] : dict)
    items.emplace_back(py::reinterpret_borrow<py::object>(key), py::reinterpret_borrow<py::object>(value));
  return items;
}

InputValue input_value(const py::handle& value, const std::string& where) {
  return input_value(value, where, 0);
}

std::vector<std::string> texts_of(const py::dict& overrides) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : items_of(overrides)) {
    const std::string name = text_of(key);
    texts.push_back(name + "=" + input_value(value, "overrides: " + printable(name)).tree().to_toml());
  }
  return texts;
}

VectorXd vector_of(const py::handle& values, const std::string& name) {
  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  const py::array any = py::array::ensure(values);
  const bool is_real = any && std::string_view("biufO").find(any.dtype().kind()) != std::string_view::npos;
  const Doubles array = is_real ? Doubles::ensure(any) : Doubles();
  if (!is_real || !array) {
    PyErr_Clear();
    throw py::type_error(fmt::format("{} is an array of real numbers, not {}", name,
                                     std::string(py::str(py::type::of(values)))));
  }
  if (array.ndim() != 1) throw InputError(fmt::format("{} has {} dimensions, not one", name, array.ndim()));
  VectorXd vector = Eigen::Map<const VectorXd>(array.data(), array.size());
  if (!vector.allFinite()) throw InputError(name + " has a value that is not finite");
  return vector;
}

py::object named_values(const py::dict& values) {
  return py::module_::import("types").attr("SimpleNamespace")(**values);
}

py::dict by_unit(const std::string& unit, VectorXd values) {
  py::dict entry;
  entry["unit"] = unit;
  entry["values"] = std::move(values);
  return entry;
}

py::dict dict_of(const Sid& sid) {
  py::dict of_sid;
  of_sid["mass"] = sid.refmod.mass;
  of_sid["elastic_coordinates"] = sid.refmod.ielastq;
  for (const SidMember& member : sid_members)
    of_sid[member.name] = dict_of(sid.*member.taylor, member.unit, sid.n_q());
  py::dict nodes;
  for (const SidNode& node : sid.frame) {
    py::dict of_node;
    of_node["rframe"] = node.rframe;
    for (const SidNodeMember& member : sid_node_members)
      of_node[member.name] = dict_of(node.*member.taylor, member.unit, sid.n_q());
    nodes[node.name.c_str()] = of_node;
  }
  of_sid["nodes"] = nodes;
  return of_sid;
}

py::object csr_of(const MatrixXd& matrix, const std::vector<std::vector<int>>& columns) {
  std::vector<double> values;
  std::vector<int> of_values, first = {0};
  for (std::size_t row = 0; row < columns.size(); ++row) {
    for (const int column : columns[row]) {
      values.push_back(matrix(static_cast<Eigen::Index>(row), column));
      of_values.push_back(column);
    }
    first.push_back(static_cast<int>(values.size()));
  }
  const auto array = [](const auto& list) { return py::array(std::ssize(list), list.data()); };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(array(values), array(of_values), array(first)),
                          py::arg("shape") = py::make_tuple(matrix.rows(), matrix.cols()));
}

}  // namespace kurbel::python
