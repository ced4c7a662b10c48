/// @file
/// A Study with the manners of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "study/study.hpp"
#include "study/study_functions.hpp"

namespace kurbel::python {

namespace py = pybind11;

/// A numerical failure, in the words of the program.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A problem with all that is made of it once. Threads take turns; while one computes, others run in the interpreter.
/// Public functions are called with the interpreter's lock held, and release it.
/// @throws InputError  wherever an argument is wrong, or the problem closed; SimulationError for a numerical failure
class PythonProblem {
 public:
  /// @param input  the name of a file, or a dict that says what a file would
  PythonProblem(const py::object& input, const py::dict& overrides, const std::string& density);

  std::string title();
  std::string text();
  VectorXd start();
  VectorXd lower();
  VectorXd upper();
  std::vector<std::string> names();
  std::vector<std::string> units();
  /// The variables at x in their units.
  VectorXd values(const py::object& x);
  std::vector<std::string> functions();
  std::vector<std::string> function_units();
  VectorXd function_bounds();
  VectorXd function_scales();
  std::vector<std::string> outputs();
  Eigen::Index n_equalities();
  void set_beta(double beta);
  /// Frees what it holds; nothing but close() is allowed afterwards.
  void close();
  bool is_closed() const { return is_closed_; }

  py::object evaluate(const py::object& x, bool with_gradient, bool sparse);
  py::dict simulate(const py::object& x);
  VectorXd vjp(const py::object& x, const py::dict& seeds);
  py::dict fields(const py::object& x);
  py::dict sids(const py::object& x);
  py::object optimize(const py::object& callback, const py::object& log);
  void save(const py::object& x, const py::object& folder);

 private:
  class Turn;
  using Seeds = std::map<std::string, VectorXd>;
  /// A motion whose outputs can be differentiated, until the study is asked about another design.
  struct Simulated {
    VectorXd x;
    ChainResult result;
  };

  template <class What>
  std::vector<std::string> of_variables(const What& what);
  template <class What>
  auto of_functions(const What& what) -> std::vector<decltype(what(StudyFunction()))>;
  VectorXd design(const py::object& x);
  ProblemNlp& program();
  std::vector<std::vector<int>> sparsity();
  void require_motion(const char* instead);
  void require_simulated(const VectorXd& x);
  OutputSeeds output_seeds(const Seeds& seeds) const;

  std::optional<Study> study_;
  std::optional<Simulated> simulated_;
  bool was_optimized_ = false;       ///< program() stands where an optimization left it
  std::optional<double> steepness_;  ///< of the projection, if it is no longer the problem's first one
  std::atomic<bool> is_closed_ = false;
  std::mutex mutex_;
  std::atomic<std::thread::id> at_work_{};  ///< the thread whose turn it is
};

}  // namespace kurbel::python
