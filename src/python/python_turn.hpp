/// @file
/// Who works on a problem: threads take turns.
#pragma once

#include "base/errors.hpp"
#include "python/python_problem.hpp"

namespace kurbel::python {

/// Says if a callback of optimize() may call a function while the optimization waits.
enum class WithinCallback { allowed, refused };

/// The turn of a thread. The interpreter's lock is free as long as it lasts, so that who holds the turn can ask the
/// interpreter.
class PythonProblem::Turn {
 public:
  Turn(PythonProblem& problem, WithinCallback within_callback) : problem_(problem) {
    is_within_callback_ = problem.at_work_ == std::this_thread::get_id();
    if (is_within_callback_ && within_callback == WithinCallback::refused) {
      throw InputError(
          "the problem is at work: a callback of optimize() cannot call this; take a second Problem, or end "
          "the optimization by returning False");
    }
    if (is_within_callback_) return;
    release_.emplace();
    lock_ = std::unique_lock(problem.mutex_);
    problem.at_work_ = std::this_thread::get_id();
  }
  ~Turn() {
    if (!is_within_callback_) problem_.at_work_ = std::thread::id();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Study& study() const {
    if (!problem_.study_) throw InputError("the problem is closed");
    return *problem_.study_;
  }

 private:
  PythonProblem& problem_;
  bool is_within_callback_ = false;
  std::optional<py::gil_scoped_release> release_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace kurbel::python
