#include "python/python_turn.hpp"

namespace kurbel::python {

std::string PythonProblem::title() {
  return Turn(*this, WithinCallback::allowed).study().problem().title;
}

std::string PythonProblem::text() {
  return Turn(*this, WithinCallback::allowed).study().problem().document->of_its_tree().text;
}

VectorXd PythonProblem::start() {
  return Turn(*this, WithinCallback::allowed).study().start();
}

VectorXd PythonProblem::lower() {
  return Turn(*this, WithinCallback::allowed).study().lower();
}

VectorXd PythonProblem::upper() {
  return Turn(*this, WithinCallback::allowed).study().upper();
}

template <class What>
std::vector<std::string> PythonProblem::of_variables(const What& what) {
  const Turn turn(*this, WithinCallback::allowed);
  const Study& study = turn.study();
  std::vector<std::string> texts;
  for (Eigen::Index i = 0; i < study.n_variables(); ++i) texts.push_back(what(study.variable(i)));
  return texts;
}

std::vector<std::string> PythonProblem::names() {
  return of_variables([](const StudyVariable& v) { return v.name; });
}

std::vector<std::string> PythonProblem::units() {
  return of_variables([](const StudyVariable& v) { return v.unit; });
}

VectorXd PythonProblem::values(const py::object& of_x) {
  VectorXd x = design(of_x);
  const Turn turn(*this, WithinCallback::allowed);
  const DesignSpace& space = turn.study().space();
  x.tail(x.size() - space.n_densities()) = space.variable_table(x).value;
  return x;
}

template <class What>
auto PythonProblem::of_functions(const What& what) -> std::vector<decltype(what(StudyFunction()))> {
  const Turn turn(*this, WithinCallback::refused);
  turn.study();
  program();
  std::vector<decltype(what(StudyFunction()))> all;
  for (const StudyFunction& function : functions_of(*study_)) all.push_back(what(function));
  return all;
}

std::vector<std::string> PythonProblem::functions() {
  return of_functions([](const StudyFunction& f) { return f.name; });
}

std::vector<std::string> PythonProblem::function_units() {
  return of_functions([](const StudyFunction& f) { return f.unit; });
}

VectorXd PythonProblem::function_bounds() {
  const std::vector<double> bounds = of_functions([](const StudyFunction& f) { return f.bound; });
  return Eigen::Map<const VectorXd>(bounds.data(), std::ssize(bounds));
}

VectorXd PythonProblem::function_scales() {
  const std::vector<double> scales = of_functions([](const StudyFunction& f) { return f.scale; });
  return Eigen::Map<const VectorXd>(scales.data(), std::ssize(scales));
}

std::vector<std::string> PythonProblem::outputs() {
  return Turn(*this, WithinCallback::allowed).study().outputs();
}

Eigen::Index PythonProblem::n_equalities() {
  const Turn turn(*this, WithinCallback::refused);
  turn.study();
  return program().n_equalities();
}

}  // namespace kurbel::python
