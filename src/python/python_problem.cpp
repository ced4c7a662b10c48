#include "python/python_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/saved_design.hpp"
#include "base/spelling.hpp"
#include "evaluation/body_mesh.hpp"
#include "optimizers/verdict.hpp"
#include "python/motion_series.hpp"
#include "python/python_events.hpp"
#include "python/python_turn.hpp"
#include "python/python_values.hpp"
#include "study/motion_tables.hpp"

namespace kurbel::python {

namespace {

void require(const Status& status) {
  if (status.failed()) throw SimulationError(status.message());
}

/// How tables of overrides are laid over those of the problem: as --set does.
enum class Tables { merged, replaced };

void set_all(const py::dict& values, const char* name, Tables tables, ProblemBuilder& builder) {
  for (const auto& [key, value] : items_of(values)) {
    const std::string path = text_of(key);
    const InputValue stated = input_value(value, fmt::format("{}: {}", name, printable(path)));
    builder.set(path, tables == Tables::replaced ? stated.replacing() : stated, TomlPlace{name, 0});
  }
}

/// @throws TypeError of Python for what names no file
std::string path_of(const py::object& name) {
  return py::module_::import("os").attr("fsencode")(name).cast<std::string>();
}

}  // namespace

PythonProblem::PythonProblem(const py::object& input, const py::dict& overrides, const std::string& density) {
  if (py::isinstance<py::dict>(input)) {
    ProblemBuilder builder("dict");
    set_all(input.cast<py::dict>(), "dict", Tables::merged, builder);
    set_all(overrides, "overrides", Tables::replaced, builder);
    const py::gil_scoped_release release;
    study_.emplace(builder.problem(), Study::Variables::of_problem, density);
    return;
  }
  const std::string path = path_of(input);
  const std::vector<std::string> texts = texts_of(overrides);
  const py::gil_scoped_release release;
  study_.emplace(read_problem(path, texts), Study::Variables::of_problem, density);
}

void PythonProblem::set_beta(double beta) {
  if (!std::isfinite(beta) || beta <= 0.0) throw InputError(fmt::format("beta = {} is not above 0", beta));
  const Turn turn(*this, WithinCallback::refused);
  simulated_.reset();
  turn.study().space().set_beta(beta);
  steepness_ = beta;
}

void PythonProblem::close() {
  const Turn turn(*this, WithinCallback::refused);
  is_closed_ = true;
  simulated_.reset();
  study_.reset();
}

/// The nonlinear program at the problem's own stage, which is the last one and varies everything.
ProblemNlp& PythonProblem::program() {
  ProblemNlp& program = study_->program();
  if (was_optimized_) program.begin(study_->problem().first_stages.size(), study_->start());
  was_optimized_ = false;
  return program;
}

VectorXd PythonProblem::design(const py::object& x) {
  VectorXd values = vector_of(x, "x");
  Turn(*this, WithinCallback::allowed).study().require_length(values);
  return values;
}

py::object PythonProblem::evaluate(const py::object& of_x, bool with_gradient, bool sparse) {
  const VectorXd x = design(of_x);
  if (sparse && !with_gradient) throw InputError("sparse = True belongs to gradients; leave gradient = True");
  if (sparse) py::module_::import("scipy.sparse");  // before the work is done
  VectorXd values;
  MatrixXd gradients;
  std::vector<std::vector<int>> columns;
  {
    const Turn turn(*this, WithinCallback::refused);
    turn.study();
    program();
    simulated_.reset();
    Evaluation at;
    require(with_gradient ? study_->evaluate(x, at) : study_->find_values(x, at));
    values.resize(1 + at.constraints.size());
    values << at.objective, at.constraints;
    if (with_gradient) {
      gradients.resize(values.size(), x.size());
      gradients << at.gradient.transpose(), at.constraint_gradients;
    }
    if (sparse) columns = sparsity();
  }
  if (!with_gradient) return py::cast(std::move(values));
  if (sparse) return py::make_tuple(std::move(values), csr_of(gradients, columns));
  return py::make_tuple(std::move(values), std::move(gradients));
}

/// Columns of the gradients that may be other than zero, by function.
std::vector<std::vector<int>> PythonProblem::sparsity() {
  std::vector<int> all(static_cast<std::size_t>(study_->n_variables()));
  std::iota(all.begin(), all.end(), 0);
  const ProblemNlp& program = study_->program();
  const std::vector<std::pair<int, int>> entries = program.constraint_sparsity();
  std::vector<std::vector<int>> columns(1 + static_cast<std::size_t>(program.n_constraints()));
  columns.front() = all;
  if (entries.empty()) std::fill(columns.begin(), columns.end(), all);
  for (const auto& [row, column] : entries) columns[1 + static_cast<std::size_t>(row)].push_back(column);
  for (std::vector<int>& of_row : columns) std::ranges::sort(of_row);
  return columns;
}

void PythonProblem::require_motion(const char* instead) {
  if (!study_->chain().has_motion())
    throw InputError(fmt::format("nothing moves in this analysis; {}", instead));
}

void PythonProblem::require_simulated(const VectorXd& x) {
  if (simulated_ && simulated_->x == x) return;
  require_motion("evaluate() has values, and fields() the design");
  simulated_.reset();
  Simulated at{x, {}};
  require(study_->simulate(x, at.result));
  simulated_.emplace(std::move(at));
}

py::dict PythonProblem::simulate(const py::object& of_x) {
  const VectorXd x = design(of_x);
  std::vector<Series> found;
  {
    const Turn turn(*this, WithinCallback::refused);
    turn.study();
    require_simulated(x);
    const Status status = find_series(simulated_->result, found);
    if (status.failed()) simulated_.reset();
    require(status);
  }
  py::dict by_name;
  for (Series& series : found) {
    const py::str name(series.name);
    if (by_name.contains(name))
      throw InputError(
          fmt::format("outputs.{}: simulate() has a curve of this name already; rename the output",
                      printable(series.name)));
    by_name[name] = by_unit(series.unit, std::move(series.values));
  }
  return by_name;
}

VectorXd PythonProblem::vjp(const py::object& of_x, const py::dict& of_outputs) {
  const VectorXd x = design(of_x);
  Seeds seeds;
  for (const auto& [key, values] : items_of(of_outputs)) {
    if (!py::isinstance<py::str>(key)) throw py::type_error("seeds have names of outputs as keys");
    const std::string name = text_of(key);
    seeds[name] = vector_of(values, "the seed of " + printable(name));
  }
  const Turn turn(*this, WithinCallback::refused);
  if (is_about_rest(turn.study().problem().analysis)) {
    throw InputError(
        "vjp() differentiates outputs over time, and this analysis is about a state of rest; evaluate() "
        "has the gradients of criteria, also of those with an amplitude");
  }
  const std::vector<std::string> known = turn.study().outputs();
  for (const auto& [name, values] : seeds) {
    if (std::ranges::find(known, name) != known.end()) continue;
    if (known.empty()) throw InputError("the problem has no [outputs] to differentiate");
    std::vector<std::string> of_axes = known;
    std::erase_if(of_axes, [&](const std::string& other) { return !other.starts_with(name + "."); });
    if (!of_axes.empty())
      throw InputError(fmt::format("output {} has one name for each axis; use {} as keys of seeds",
                                   printable(name), fmt::join(of_axes, ", ")));
    throw InputError(
        fmt::format("{} is none of [outputs.*]{}", printable(name), spelling_advice(name, known)));
  }
  require_simulated(x);
  VectorXd x_bar;
  require(study_->pull_back(x, output_seeds(seeds), simulated_->result, x_bar));
  return x_bar;
}

OutputSeeds PythonProblem::output_seeds(const Seeds& seeds) const {
  OutputSeeds all;
  for (const OutputHistory& output : simulated_->result.motion->outputs(simulated_->result.trajectory)) {
    MatrixXd& of_output = all.emplace_back();
    for (Eigen::Index row = 0; row < output.values.rows(); ++row) {
      const auto seed = seeds.find(name_of_row(output, static_cast<std::size_t>(row)));
      if (seed == seeds.end()) continue;
      if (seed->second.size() != output.values.cols()) {
        throw InputError(fmt::format("the seed of {} has {} values, it has {}", seed->first,
                                     seed->second.size(), output.values.cols()));
      }
      if (of_output.size() == 0) of_output.setZero(output.values.rows(), output.values.cols());
      of_output.row(row) = seed->second;
    }
  }
  return all;
}

py::dict PythonProblem::fields(const py::object& of_x) {
  const VectorXd x = design(of_x);
  struct Field {
    std::string name;
    UnstructuredGrid grid;
    VectorXd density, volume;
  };
  std::vector<Field> found;
  {
    const Turn turn(*this, WithinCallback::allowed);
    const Study& study = turn.study();
    const Design design = study.space().at(x);
    for (std::size_t i = 0; i < study.problem().bodies.size(); ++i) {
      const fem::FlexibleBody* body = study.chain().bodies()[i];
      if (!body) continue;
      found.push_back({study.problem().bodies[i].name, design_mesh(*body, design.bodies[i]),
                       design.bodies[i].density, element_volumes(body->spec(), design.bodies[i])});
    }
  }
  py::dict bodies;
  for (Field& field : found) {
    py::dict of_body;
    of_body["points"] = MatrixXd(field.grid.points.transpose());
    py::list cells;
    for (const CellBlock& block : field.grid.cells) cells.append(Eigen::MatrixXi(block.corners.transpose()));
    of_body["cells"] = cells;
    of_body["density"] = std::move(field.density);
    of_body["volume"] = std::move(field.volume);
    bodies[field.name.c_str()] = of_body;
  }
  return bodies;
}

py::dict PythonProblem::sids(const py::object& of_x) {
  const VectorXd x = design(of_x);
  std::vector<NamedSid> found;
  {
    const Turn turn(*this, WithinCallback::refused);
    turn.study();
    require_motion("no body is reduced");
    simulated_.reset();
    ChainResult result;
    require(study_->chain().reduce(study_->space().at(x), result));
    require(study_->chain().make_motion(result));
    found = result.motion->sids();
  }
  py::dict bodies;
  for (const NamedSid& named : found) bodies[named.name.c_str()] = dict_of(named.sid);
  return bodies;
}

py::object PythonProblem::optimize(const py::object& callback, const py::object& log) {
  for (const py::object& function : {callback, log}) {
    if (!function.is_none() && !PyCallable_Check(function.ptr()))
      throw py::type_error("callback and log are functions, or None");
  }
  PythonEvents events(callback, log, steepness_);
  std::optional<StudyResult> result;
  Evaluation at;
  {
    const Turn turn(*this, WithinCallback::refused);
    turn.study();
    simulated_.reset();
    was_optimized_ = true;
    result = study_->optimize(events);
    if (!result->begun) throw SimulationError(result->optimum.message);
    at = program().reduced(result->optimum.evaluation);
  }
  const OptimizerResult& optimum = result->optimum;
  const Verdict& verdict = result->stages.back().verdict;
  py::dict values;
  values["x"] = optimum.x, values["objective"] = at.objective;
  values["constraints"] = at.constraints, values["gradient"] = at.gradient;
  values["feasible"] = optimum.feasible, values["kkt_residual"] = optimum.kkt_residual;
  values["status"] = name_of(verdict.outcome), values["message"] = verdict.text;
  values["iterations"] = optimum.iterations, values["evaluations"] = optimum.evaluations;
  return named_values(values);
}

void PythonProblem::save(const py::object& of_x, const py::object& folder) {
  const VectorXd x = design(of_x);
  const std::string path = path_of(folder);
  const Turn turn(*this, WithinCallback::refused);
  turn.study();
  program();
  simulated_.reset();
  require(save_design(*study_, x, steepness_, path));
}

}  // namespace kurbel::python
