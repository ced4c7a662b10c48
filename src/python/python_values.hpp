/// @file
/// Values of the program as objects of Python, and back. Everything here needs the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "problem/problem_builder.hpp"
#include "sid/named_sid.hpp"

namespace kurbel::python {

namespace py = pybind11;

/// A text, or str() of another object.
/// @throws py::error_already_set, a UnicodeEncodeError, if it is no Unicode
std::string text_of(const py::handle& value);

/// Keys and values of a dict as it is now: later conversions run code of the user's, which may change the dict.
std::vector<std::pair<py::object, py::object>> items_of(const py::dict& dict);

/// A value of an input: dicts are tables, whose keys are names.
/// @param where  the key, for messages
/// @throws py::type_error  for what no input can hold; InputError for an integer that is too large
InputValue input_value(const py::handle& value, const std::string& where);

/// Key paths and values as `--set` has them, "integrator.step=0.001".
/// @throws  as input_value()
std::vector<std::string> texts_of(const py::dict& overrides);

/// A vector from whatever NumPy makes one of.
/// @param name  for messages
/// @throws py::type_error unless it is a list of numbers; InputError if one of them is not finite
VectorXd vector_of(const py::handle& values, const std::string& name);

/// Objects that belong together under names, as attributes.
py::object named_values(const py::dict& values);

/// {"unit": text, "values": array}
py::dict by_unit(const std::string& unit, VectorXd values);

/// {"mass", "elastic_coordinates", "mdCM": {"M0", "M1", "Mn", "unit"}, ..., "nodes": {name: ...}}
py::dict dict_of(const Sid& sid);

/// A matrix of which only the entries (row, column) are stored, as scipy.sparse.csr_matrix.
/// @param columns  of each row, ascending
py::object csr_of(const MatrixXd& matrix, const std::vector<std::vector<int>>& columns);

}  // namespace kurbel::python
