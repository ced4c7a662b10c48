#include <algorithm>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

enum class Kind { constant, constant_rate, polynomial, spin_up, table };

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

TimeFunctionPtr read_samples(const TomlTable& function, double unit) {
  const std::vector<double> t = function.numbers("t");
  std::vector<double> values = function.numbers("values", t.size(), t.size());
  if (std::adjacent_find(t.begin(), t.end(), std::greater_equal<>()) != t.end()) {
    function.fail("t", "must increase from each instant to the next");
  }
  for (double& value : values) value *= unit;
  return table(t, values);
}

}  // namespace

TimeFunctionPtr read_time_function(const TomlTable& function, double unit) {
  static const TomlTable::Words<Kind> kinds = {{"constant", Kind::constant},
                                               {"constant-rate", Kind::constant_rate},
                                               {"polynomial", Kind::polynomial},
                                               {"spin-up", Kind::spin_up},
                                               {"table", Kind::table}};
  switch (function.choice("type", kinds)) {
    case Kind::constant:
      return constant_rate(unit * function.number("value"), 0.0);
    case Kind::constant_rate:
      return constant_rate(unit * function.number_or("value", 0.0), unit * function.number("rate"),
                           function.number_or("t", 0.0));
    case Kind::polynomial:
      return read_polynomial(function, unit);
    case Kind::spin_up:
      return spin_up(unit * function.number("rate"), function.number("duration"));
    case Kind::table:
      return read_samples(function, unit);
  }
  return nullptr;
}

}  // namespace kurbel
