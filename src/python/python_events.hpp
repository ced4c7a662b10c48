/// @file
/// Tells Python of an optimization while it runs.
#pragma once

#include <pybind11/pybind11.h>

#include "study/study_events.hpp"

namespace kurbel::python {

namespace py = pybind11;

/// Tells Python of iterations and warnings, and asks it whether somebody pressed Ctrl-C. Its thread does not hold the
/// interpreter's lock.
class PythonEvents final : public StudyEvents {
 public:
  PythonEvents(py::object callback, py::object log) : callback_(std::move(callback)), log_(std::move(log)) {}

  void info(const std::string& text) override { tell(text); }
  void warning(const std::string& text) override { tell("warning: " + text); }
  void steepness_changed(double beta) override { steepness_ = beta; }
  void iterated(const StudyIteration& at) override;
  bool stop_requested() const override;
  /// Of the projection, as it was left.
  double steepness() const { return steepness_; }

 private:
  void tell(const std::string& text) const;

  py::object callback_, log_;
  bool is_stopped_ = false;
  double steepness_ = 0.0;
};

}  // namespace kurbel::python
