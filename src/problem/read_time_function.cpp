#include <fmt/format.h>

#include <algorithm>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

enum class FunctionType { constant, constant_rate, harmonic, polynomial, spin_up, table };

const TomlTable::Words<FunctionType> kinds = {
    {"constant", FunctionType::constant}, {"constant-rate", FunctionType::constant_rate},
    {"harmonic", FunctionType::harmonic}, {"polynomial", FunctionType::polynomial},
    {"spin-up", FunctionType::spin_up},   {"table", FunctionType::table}};

EndConditions read_end(const TomlTable& end, double unit) {
  EndConditions conditions{end.number("t"), end.numbers("derivatives")};
  for (double& derivative : conditions.derivatives) derivative *= unit;
  return conditions;
}

TimeFunctionPtr read_polynomial(const TomlTable& function, double unit) {
  const EndConditions begin = read_end(function.table("begin"), unit);
  const EndConditions end = read_end(function.table("end"), unit);
  if (begin.t >= end.t) function.table("end").refuse("t", "must be later than begin.t");
  return polynomial(begin, end);
}

}  // namespace

bool is_table(const TomlTable& function) {
  return function.choice("type", kinds) == FunctionType::table;
}

TableSpec read_table(const TomlTable& function, double unit) {
  TableSpec table{.times = function.numbers("t"), .values = {}, .unit = unit};
  const std::size_t n = table.times.size();
  const std::vector<double> values = function.numbers("values", n, n);
  table.values = Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
  if (std::ranges::adjacent_find(table.times, std::greater_equal<>()) != table.times.end())
    function.fail("t", "must increase from each instant to the next");
  table.ends = function.choice_or("interpolation", table.ends,
                                  {{"natural", SplineEnds::natural},
                                   {"clamped", SplineEnds::clamped},
                                   {"not-a-knot", SplineEnds::not_a_knot}});
  if (table.ends == SplineEnds::not_a_knot && n < 4)
    function.refuse("interpolation", fmt::format("needs at least four samples, not {}", n));
  return table;
}

TimeFunctionPtr function_of(const TableSpec& spec) {
  std::vector<double> values(spec.values.begin(), spec.values.end());
  for (double& value : values) value *= spec.unit;
  return table(spec.times, values, spec.ends);
}

TimeFunctionPtr read_time_function(const TomlTable& function, double unit) {
  switch (function.choice("type", kinds)) {
    case FunctionType::constant:
      return constant_rate(unit * function.number("value"), 0.0);
    case FunctionType::constant_rate:
      return constant_rate(unit * function.number_or("value", 0.0), unit * function.number("rate"),
                           function.number_or("t", 0.0));
    case FunctionType::harmonic:
      return harmonic(unit * function.number("amplitude"), function.number("frequency"),
                      function.number_or("phase", 0.0), function.number_or("fade_in", 0.0));
    case FunctionType::polynomial:
      return read_polynomial(function, unit);
    case FunctionType::spin_up:
      return spin_up(unit * function.number("rate"), function.number("duration"));
    case FunctionType::table:
      return function_of(read_table(function, unit));
  }
  return nullptr;
}

}  // namespace kurbel
