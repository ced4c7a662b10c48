#include "python/python_events.hpp"

#include <pybind11/eigen.h>

#include "python/python_values.hpp"

namespace kurbel::python {

void PythonEvents::iterated(const StudyIteration& at) {
  if (callback_.is_none()) return;
  const py::gil_scoped_acquire gil;
  py::dict values;
  values["iteration"] = at.iteration, values["evaluations"] = at.evaluations;
  values["objective"] = at.report.evaluation->objective;
  values["constraints"] = at.report.evaluation->constraints;
  values["x"] = *at.report.x, values["kkt_residual"] = at.report.kkt_residual;
  const py::object answer = callback_(named_values(values));
  is_stopped_ = is_stopped_ || (py::isinstance<py::bool_>(answer) && !answer.cast<bool>());
}

bool PythonEvents::stop_requested() const {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return is_stopped_;
}

void PythonEvents::tell(const std::string& text) const {
  if (log_.is_none()) return;
  const py::gil_scoped_acquire gil;
  log_(text);
}

}  // namespace kurbel::python
