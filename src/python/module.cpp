/// @file
/// The Python module kurbel: a problem as an object, with arrays of NumPy.
#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "base/version.hpp"
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

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const InputError& e) {
    raise(input_error, e.what());
  } catch (const SimulationError& e) {
    raise(simulation_error, e.what());
  }
}

void bind_errors(py::module_& module) {
  input_error = py::exception<InputError>(module, "InputError", PyExc_ValueError).release().ptr();
  simulation_error =
      py::exception<SimulationError>(module, "SimulationError", PyExc_RuntimeError).release().ptr();
  py::register_exception_translator(&translate);
}

void bind_description(py::class_<PythonProblem>& problem) {
  problem.def_property_readonly("title", &PythonProblem::title)
      .def_property_readonly("x0", &PythonProblem::start, "The start, one value per variable.")
      .def_property_readonly("lower", &PythonProblem::lower, "Lower bounds; -inf without one.")
      .def_property_readonly("upper", &PythonProblem::upper, "Upper bounds; inf without one.")
      .def_property_readonly("names", &PythonProblem::names, "Names of the variables.")
      .def_property_readonly(
          "units", &PythonProblem::units,
          "Units of the variables. A number with both bounds is scaled to [0, 1] between them.")
      .def_property_readonly(
          "functions", &PythonProblem::functions,
          "Names of the functions that evaluate() gives: \"objective\", then the constraints.")
      .def_property_readonly("outputs", &PythonProblem::outputs,
                             "Names of the rows of [outputs.*], which vjp() differentiates.")
      .def_property_readonly("n_equalities", &PythonProblem::n_equalities,
                             "How many constraints, the first ones, are to be zero.")
      .def_property_readonly("closed", &PythonProblem::is_closed, "Whether close() was called.")
      .def("close", &PythonProblem::close,
           "Frees meshes, factors and motions at once. Everything but close() raises InputError afterwards. "
           "A with statement closes its problem at its end.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](PythonProblem& self, const py::args&) { self.close(); })
      .def("__reduce__", [](const PythonProblem&) -> py::object {
        throw py::type_error(
            "a Problem is not pickled, for it holds factors and motions; its results are, and another "
            "process reads the file by itself");
      });
}

void bind_evaluation(py::class_<PythonProblem>& problem) {
  problem.def("set_beta", &PythonProblem::set_beta, py::arg("beta"), "Sets the steepness of the projection.")
      .def("evaluate", &PythonProblem::evaluate, py::arg("x"), py::arg("gradient") = true,
           py::arg("sparse") = false,
           "The functions at x, and their exact gradients: (f, g), f of len(functions), g of len(functions) "
           "by len(x). Without gradient, f alone. With sparse, g is a scipy.sparse.csr_matrix of the entries "
           "that can be other than zero. Raises SimulationError if the motion cannot be found.")
      .def("simulate", &PythonProblem::simulate, py::arg("x"),
           "The motion at x: {name: {\"values\": array over time, \"unit\": text}}, with \"t\". For a "
           "mechanism at rest it gives the columns of the program's tables. Those of the frequency response, "
           "over \"frequency\", are amplitude and phase of each output, \"hand.y\" and \"hand.y phase\" "
           "(deg): z = amplitude exp(i phase). Those of the modes have names such as \"modes.frequency\" and "
           "\"modes.damping ratio\".")
      .def("vjp", &PythonProblem::vjp, py::arg("x"), py::arg("seeds"),
           "The gradient of a function J of your own by x. J is a function of the outputs z(t) that "
           "simulate(x) gives. seeds: {name in outputs: array dJ/dz, one value per instant}; an output that "
           "is left out does not count. Returns\n\n    dJ/dx = sum over outputs i and instants k of "
           "(dJ/dz_i(t_k)) (dz_i(t_k)/dx),\n\nexact for the discrete motion, by one adjoint sweep, whatever "
           "the number of outputs and variables. Directly after simulate(x), the motion is not computed "
           "again. What J depends on through evaluate() adds its own gradient.")
      .def("fields", &PythonProblem::fields, py::arg("x"),
           "Meshes of the flexible bodies at x: {body: {\"points\": n x 3, \"cells\": list of arrays of "
           "corners, one per kind, \"density\", \"volume\": per cell}}.")
      .def("sids", &PythonProblem::sids, py::arg("x"),
           "Standard input data of all bodies at x: {body: {\"mass\", \"elastic_coordinates\", \"mdCM\", "
           "\"J\", \"Ct\", \"Cr\", \"Me\", \"Gr\", \"Ge\", \"Oe\", \"ksigma\", \"Ke\", \"De\", \"nodes\": "
           "{marker: {\"origin\", \"phi\", \"psi\", \"AP\", \"rframe\"}}}}. A coefficient is M(q) = M0 + "
           "sum_k M1[k] q_k + sum_kl Mn[k, l] q_k q_l, a dict with \"M0\", \"unit\" and, where they are not "
           "zero, \"M1\" and \"Mn\".");
}

void bind_optimization(py::class_<PythonProblem>& problem) {
  problem.def("optimize", &PythonProblem::optimize, py::arg("callback") = py::none(),
              py::arg("log") = py::none(),
              "Runs all stages as the program does. callback(at) is called after each iteration with "
              "at.iteration, at.evaluations, at.objective, at.constraints, at.x, at.kkt_residual; it ends "
              "the run by returning False. log(text) gets what the program would say. Returns x, objective, "
              "constraints, gradient, feasible, kkt_residual, status (\"converged\", \"limit\", \"stalled\", "
              "\"infeasible\", \"interrupted\", \"failed\"), message, iterations, evaluations.");
}

}  // namespace
}  // namespace kurbel::python

PYBIND11_MODULE(kurbel, module) {
  using namespace kurbel::python;
  module.doc() =
      "Shapes and controls of moving, flexible mechanisms: evaluate, differentiate, simulate and optimize a "
      "problem, from a file or a dict.";
  module.attr("__version__") = kurbel::version();
  bind_errors(module);
  py::class_<PythonProblem> problem(
      module, "Problem",
      "A problem with all that is made of it once: minimize f[0](x) for lower <= x <= upper, with f[1:] "
      "<= 0, of which the first n_equalities are zero.");
  problem.def(
      py::init<py::object, py::dict, std::string>(), py::arg("file"), py::arg("overrides") = py::dict(),
      py::arg("density") = "",
      "Reads a problem: a file by its name, or a dict that says what a file would, with dicts as tables and "
      "key paths or names as its keys. overrides: a dict of key paths and values, as --set of the "
      "program. density: a file to start from, as --density. Raises InputError, which names the key.");
  bind_description(problem);
  bind_evaluation(problem);
  bind_optimization(problem);
}
