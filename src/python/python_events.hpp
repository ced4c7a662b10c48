/// @file
/// Tells Python of an optimization while it runs.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "study/study_events.hpp"

namespace kurbel::python {

namespace py = pybind11;

/// Tells Python of iterations and warnings, and asks it whether somebody pressed Ctrl-C. Its thread does not hold the
/// interpreter's lock.
class PythonEvents final : public StudyEvents {
 public:
  /// @param steepness  of the projection; it is kept also where an exception ends the run
  PythonEvents(py::object callback, py::object log, std::optional<double>& steepness)
      : callback_(std::move(callback)), log_(std::move(log)), steepness_(steepness) {}

  void info(const std::string& text) override { tell(text); }
  void warning(const std::string& text) override { tell("warning: " + text); }
  void steepness_changed(double beta) override {
    if (beta > 0.0) steepness_ = beta;
  }
  void iterated(const StudyIteration& at) override;
  std::string way_on() const override { return "begin a new Problem from what save() writes"; }
  bool stop_requested() const override;

 private:
  void tell(const std::string& text) const;

  py::object callback_, log_;
  bool is_stopped_ = false;
  std::optional<double>& steepness_;
};

}  // namespace kurbel::python
