/// @file
/// The Python module: a problem as an object, with arrays of NumPy.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>

#include "base/version.hpp"
#include "evaluation/body_mesh.hpp"
#include "optimizers/verdict.hpp"
#include "problem/toml_parser.hpp"
#include "study/motion_tables.hpp"
#include "study/study.hpp"

namespace py = pybind11;

namespace kurbel {
namespace {

/// A numerical failure, in the words of the program.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void require(const Status& status) {
  if (status.failed()) throw SimulationError(status.message());
}

/// A value as TOML.
std::string toml_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return toml_string(value.cast<std::string>());
  if (py::isinstance<py::dict>(value)) {
    std::vector<std::string> entries;
    for (const auto& [key, entry] : value.cast<py::dict>())
      entries.push_back(toml_string(py::str(key).cast<std::string>()) + " = " + toml_of(entry));
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
  }
  if (py::isinstance<py::sequence>(value)) {
    std::vector<std::string> entries;
    for (const py::handle entry : value.cast<py::sequence>()) entries.push_back(toml_of(entry));
    return fmt::format("[{}]", fmt::join(entries, ", "));
  }
  if (PyIndex_Check(value.ptr())) return std::to_string(value.cast<long long>());
  if (PyNumber_Check(value.ptr())) return fmt::format("{:e}", value.cast<double>());
  throw py::type_error("an override is a number, a text, a truth value, or a list or dict of these, not " +
                       py::repr(value).cast<std::string>());
}

std::vector<std::string> texts_of(const py::dict& overrides) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : overrides)
    texts.push_back(py::str(key).cast<std::string>() + "=" + toml_of(value));
  return texts;
}

/// Objects of Python that belong together under names, as attributes.
py::object named_values(const py::dict& values) {
  return py::module_::import("types").attr("SimpleNamespace")(**values);
}

py::dict by_unit(const std::string& unit, VectorXd values) {
  py::dict entry;
  entry["unit"] = unit;
  entry["values"] = std::move(values);
  return entry;
}

/// Tells Python of iterations and warnings, and asks it whether somebody pressed Ctrl-C.
class PythonEvents final : public StudyEvents {
 public:
  PythonEvents(py::object callback, py::object log) : callback_(std::move(callback)), log_(std::move(log)) {}

  void info(const std::string& text) override { tell(text); }
  void warning(const std::string& text) override { tell("warning: " + text); }
  void iterated(const StudyIteration& at) override {
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
  bool stop_requested() const override {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return is_stopped_;
  }

 private:
  void tell(const std::string& text) const {
    if (log_.is_none()) return;
    const py::gil_scoped_acquire gil;
    log_(text);
  }

  py::object callback_, log_;
  bool is_stopped_ = false;
};

/// A Study with the manners of Python. Threads take turns.
class PythonProblem {
 public:
  PythonProblem(const py::object& file, const py::dict& overrides, const std::string& density)
      : study_(read_problem(py::str(file).cast<std::string>(), texts_of(overrides)),
               Study::Variables::of_problem, density) {}

  std::string title() const { return study_.problem().title; }
  const VectorXd& start() const { return study_.start(); }
  const VectorXd& lower() const { return study_.lower(); }
  const VectorXd& upper() const { return study_.upper(); }
  std::vector<std::string> names() const {
    return of_variables([](const StudyVariable& v) { return v.name; });
  }
  std::vector<std::string> units() const {
    return of_variables([](const StudyVariable& v) { return v.unit; });
  }
  std::vector<std::string> functions() {
    std::vector<std::string> names = study_.constraints();
    names.insert(names.begin(), "objective");
    return names;
  }
  Eigen::Index n_equalities() { return study_.program().n_equalities(); }
  void set_beta(double beta) {
    const std::lock_guard lock(mutex_);
    study_.space().set_beta(beta);
  }

  py::object evaluate(const VectorXd& x, bool with_gradient) {
    require_design(x);
    VectorXd values;
    MatrixXd gradients;
    {
      const py::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      with_gradient ? differentiate(x, values, gradients) : find_values(x, values);
    }
    if (!with_gradient) return py::cast(std::move(values));
    return py::make_tuple(std::move(values), std::move(gradients));
  }

  py::dict simulate(const VectorXd& x) {
    require_design(x);
    if (!study_.chain().has_motion()) {
      throw InputError(
          "simulate() is for motions; without one evaluate() has values, and fields() the design");
    }
    ChainResult result;
    MotionTables tables;
    {
      const py::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      require(study_.simulate(x, result));
      require(find_tables(result, tables));
    }
    py::dict columns;
    columns["t"] = by_unit("s", result.trajectory.t.head(result.trajectory.n_stored));
    if (tables.every > 1) columns["t of histories"] = by_unit("s", tables.t);
    const auto add = [&](const auto& of_tables) {
      for (const auto& table : of_tables) {
        for (Eigen::Index row = 0; row < table.values.rows(); ++row)
          columns[name_of_row(table, static_cast<std::size_t>(row)).c_str()] =
              by_unit(table.unit, table.values.row(row));
      }
    };
    add(tables.histories), add(tables.outputs);
    return columns;
  }

  py::dict fields(const VectorXd& x) const {
    require_design(x);
    const Design design = study_.space().at(x);
    py::dict bodies;
    for (std::size_t i = 0; i < study_.problem().bodies.size(); ++i) {
      const fem::FlexibleBody* body = study_.chain().bodies()[i];
      if (!body) continue;
      const UnstructuredGrid grid = design_mesh(*body, design.bodies[i]);
      py::dict of_body;
      of_body["points"] = MatrixXd(grid.points.transpose());
      py::list cells;
      for (const CellBlock& block : grid.cells) cells.append(Eigen::MatrixXi(block.corners.transpose()));
      of_body["cells"] = cells;
      of_body["density"] = design.bodies[i].density;
      of_body["volume"] = VectorXd(element_volumes(body->spec(), design.bodies[i]));
      bodies[study_.problem().bodies[i].name.c_str()] = of_body;
    }
    return bodies;
  }

  py::object optimize(const py::object& callback, const py::object& log) {
    PythonEvents events(callback, log);
    std::optional<StudyResult> result;
    {
      const py::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      result = study_.optimize(events);
    }
    const OptimizerResult& optimum = result->optimum;
    if (!result->begun) throw SimulationError(optimum.message);
    const Verdict& verdict = result->stages.back().verdict;
    py::dict values;
    values["x"] = optimum.x, values["objective"] = optimum.evaluation.objective;
    values["constraints"] = optimum.evaluation.constraints, values["gradient"] = optimum.evaluation.gradient;
    values["feasible"] = optimum.feasible, values["kkt_residual"] = optimum.kkt_residual;
    values["status"] = name_of(verdict.outcome), values["message"] = verdict.text;
    values["iterations"] = optimum.iterations, values["evaluations"] = optimum.evaluations;
    return named_values(values);
  }

 private:
  template <class What>
  std::vector<std::string> of_variables(const What& what) const {
    std::vector<std::string> texts;
    for (Eigen::Index i = 0; i < study_.n_variables(); ++i) texts.push_back(what(study_.variable(i)));
    return texts;
  }

  void require_design(const VectorXd& x) const {
    if (x.size() != study_.n_variables()) {
      throw InputError(
          fmt::format("x has {} values, the problem has {} variables", x.size(), study_.n_variables()));
    }
    if (!x.allFinite()) throw InputError("x has a value that is not finite");
  }

  void find_values(const VectorXd& x, VectorXd& values) {
    ChainResult result;
    require(study_.simulate(x, result));
    const VectorXd constraints = study_.program().rows().values(study_.space(), result);
    values.resize(1 + constraints.size());
    values << result.psi, constraints;
  }

  void differentiate(const VectorXd& x, VectorXd& values, MatrixXd& gradients) {
    Evaluation at;
    require(study_.evaluate(x, at));
    values.resize(1 + at.constraints.size());
    values << at.objective, at.constraints;
    gradients.resize(values.size(), x.size());
    gradients << at.gradient.transpose(), at.constraint_gradients;
  }

  Study study_;
  std::mutex mutex_;
};

}  // namespace

PYBIND11_MODULE(kurbel, module) {
  module.doc() =
      "Shapes and controls of moving, flexible mechanisms: evaluate, differentiate, simulate and optimize a "
      "problem file.";
  module.attr("__version__") = version();
  py::register_exception<InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<SimulationError>(module, "SimulationError", PyExc_RuntimeError);

  py::class_<PythonProblem>(
      module, "Problem",
      "A problem file with all that is made of it once: minimize f[0](x) for lower <= x <= upper, with "
      "f[1:] <= 0, of which the first n_equalities are zero.")
      .def(py::init<py::object, py::dict, std::string>(), py::arg("file"), py::arg("overrides") = py::dict(),
           py::arg("density") = "",
           "Reads a problem file. overrides: a dict of key paths and values, as --set of the program. "
           "density: a file to start "
           "from, as --density. Raises InputError.")
      .def_property_readonly("title", &PythonProblem::title)
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
      .def_property_readonly("n_equalities", &PythonProblem::n_equalities,
                             "How many constraints, the first ones, are to be zero.")
      .def("set_beta", &PythonProblem::set_beta, py::arg("beta"), "Sets the steepness of the projection.")
      .def("evaluate", &PythonProblem::evaluate, py::arg("x"), py::arg("gradient") = true,
           "The functions at x, and their exact gradients: (f, g), f of len(functions), g of len(functions) "
           "by len(x). Without "
           "gradient, f alone. Raises SimulationError if the motion cannot be found.")
      .def("simulate", &PythonProblem::simulate, py::arg("x"),
           "The motion at x: {name: {\"values\": array over time, \"unit\": text}}, with \"t\".")
      .def("fields", &PythonProblem::fields, py::arg("x"),
           "Meshes of the flexible bodies at x: {body: {\"points\": n x 3, \"cells\": list of arrays of "
           "corners, one per kind, "
           "\"density\", \"volume\": per cell}}.")
      .def("optimize", &PythonProblem::optimize, py::arg("callback") = py::none(),
           py::arg("log") = py::none(),
           "Runs all stages as the program does. callback(at) is called after each iteration with "
           "at.iteration, at.evaluations, "
           "at.objective, at.constraints, at.x, at.kkt_residual; it ends the run by returning False. "
           "log(text) gets what the program would say. "
           "Returns x, objective, constraints, gradient, feasible, kkt_residual, status (\"converged\", "
           "\"limit\", \"stalled\", "
           "\"infeasible\", \"interrupted\", \"failed\"), message, iterations, evaluations.");
}

}  // namespace kurbel
