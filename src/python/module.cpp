/// @file
/// The Python module kurbel: a problem as an object, with arrays of NumPy.
#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "base/files.hpp"
#include "base/version.hpp"
#include "docstrings.hpp"
#include "fem/blas_kernels.hpp"
#include "python/python_problem.hpp"

namespace kurbel::python {
namespace {

/// Classes of the module, which Python keeps until it ends.
PyObject *input_error = nullptr, *simulation_error = nullptr;

/// @param text  may hold bytes of a file that are no Unicode
void raise(PyObject* type, const std::string& text) {
  const auto message = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), std::ssize(text), "backslashreplace"));
  if (message) PyErr_SetObject(type, message.ptr());
}

/// Takes the processor's kernels unless other threads of Python run, which may be in the BLAS by NumPy.
void take_kernels_where_one_thread_runs() {
  if (py::module_::import("threading").attr("active_count")().cast<int>() == 1)
    fem::take_kernels_of_processor();
}

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const InputError& e) {
    raise(input_error, e.what());
  } catch (const SimulationError& e) {
    raise(simulation_error, e.what());
  } catch (const WriteError& e) {
    raise(PyExc_OSError, e.what());
  }
}

template <class Error>
PyObject* bind_error(py::module_& module, const char* name, PyObject* base, const char* docstring) {
  py::exception<Error> type(module, name, base);
  type.attr("__doc__") = docstring;
  return type.release().ptr();
}

void bind_errors(py::module_& module) {
  input_error = bind_error<InputError>(module, "InputError", PyExc_ValueError, docstrings::InputError);
  simulation_error =
      bind_error<SimulationError>(module, "SimulationError", PyExc_RuntimeError, docstrings::SimulationError);
  py::register_exception_translator(&translate);
}

void bind_description(py::class_<PythonProblem>& problem) {
  problem.def_property_readonly("title", &PythonProblem::title, docstrings::Problem_title)
      .def_property_readonly("text", &PythonProblem::text, docstrings::Problem_text)
      .def_property_readonly("x0", &PythonProblem::start, docstrings::Problem_x0)
      .def_property_readonly("lower", &PythonProblem::lower, docstrings::Problem_lower)
      .def_property_readonly("upper", &PythonProblem::upper, docstrings::Problem_upper)
      .def_property_readonly("names", &PythonProblem::names, docstrings::Problem_names)
      .def_property_readonly("units", &PythonProblem::units, docstrings::Problem_units)
      .def_property_readonly("functions", &PythonProblem::functions, docstrings::Problem_functions)
      .def_property_readonly("function_units", &PythonProblem::function_units,
                             docstrings::Problem_function_units)
      .def_property_readonly("function_bounds", &PythonProblem::function_bounds,
                             docstrings::Problem_function_bounds)
      .def_property_readonly("function_scales", &PythonProblem::function_scales,
                             docstrings::Problem_function_scales)
      .def_property_readonly("outputs", &PythonProblem::outputs, docstrings::Problem_outputs)
      .def_property_readonly("n_equalities", &PythonProblem::n_equalities, docstrings::Problem_n_equalities)
      .def_property_readonly("closed", &PythonProblem::is_closed, docstrings::Problem_closed)
      .def("close", &PythonProblem::close, docstrings::Problem_close)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](PythonProblem& self, const py::args&) { self.close(); })
      .def("__reduce__", [](const PythonProblem&) -> py::object {
        throw py::type_error(
            "a Problem cannot be pickled, because it holds factors and motions; pickle its results, and let "
            "another process read the file itself");
      });
}

void bind_evaluation(py::class_<PythonProblem>& problem) {
  problem.def("set_beta", &PythonProblem::set_beta, py::arg("beta"), docstrings::Problem_set_beta)
      .def("values", &PythonProblem::values, py::arg("x"), docstrings::Problem_values)
      .def("evaluate", &PythonProblem::evaluate, py::arg("x"), py::arg("gradient") = true,
           py::arg("sparse") = false, docstrings::Problem_evaluate)
      .def("simulate", &PythonProblem::simulate, py::arg("x"), docstrings::Problem_simulate)
      .def("vjp", &PythonProblem::vjp, py::arg("x"), py::arg("seeds"), docstrings::Problem_vjp)
      .def("fields", &PythonProblem::fields, py::arg("x"), docstrings::Problem_fields)
      .def("sids", &PythonProblem::sids, py::arg("x"), docstrings::Problem_sids)
      .def("optimize", &PythonProblem::optimize, py::arg("callback") = py::none(),
           py::arg("log") = py::none(), docstrings::Problem_optimize)
      .def("save", &PythonProblem::save, py::arg("x"), py::arg("folder"), docstrings::Problem_save);
}

}  // namespace
}  // namespace kurbel::python

PYBIND11_MODULE(kurbel, module) {
  using namespace kurbel::python;
  take_kernels_where_one_thread_runs();
  module.doc() = docstrings::module;
  module.attr("__version__") = kurbel::version();
  bind_errors(module);
  py::class_<PythonProblem> problem(module, "Problem", docstrings::Problem);
  problem.def(py::init<py::object, py::dict, std::string>(), py::arg("file"),
              py::arg("overrides") = py::dict(), py::arg("density") = "", docstrings::Problem_init);
  bind_description(problem);
  bind_evaluation(problem);
}
