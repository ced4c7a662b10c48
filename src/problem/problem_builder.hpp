/// @file
/// A problem that a program states key by key, in the place of a file:
///
///     kurbel::ProblemBuilder input("pendulum");
///     input.set("formulation", "natural-coordinates")
///         .set("gravity", {0.0, -9.81, 0.0})
///         .set("bodies.bob", kurbel::InputTable{{"type", "point"}, {"mass", 2.0}})
///         .set("integrator", kurbel::InputTable{{"t1", 1.0}, {"step", 0.01}});
///     kurbel::Study study(input.problem());
///
/// Keys, units, checks and messages are those of input files (docs/input_reference.md). In messages the call of set() has the
/// place of the line in a file: "pendulum.cpp:12: bodies.bob.mass = -2.0 must be positive".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "problem/problem.hpp"

namespace kurbel {

class InputValue;
/// Keys and their values; keys are names, not paths.
using InputTable = std::vector<std::pair<std::string, InputValue>>;

/// The value of a key: true or false, a number, text (numbers with a unit, too: "3000 rpm"), a list, or a table. Braces are
/// lists; only an InputTable is a table. A list of one InputValue is std::vector<InputValue>{value}, for compilers differ in
/// what {value} is.
class InputValue {
 public:
  InputValue(std::same_as<bool> auto value) { value_.data = value; }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool> && sizeof(Integer) > 1)  // characters are no numbers
      InputValue(Integer value) {
    if (!std::in_range<std::int64_t>(value))
      throw InputError("an integer of an input has at most 63 bits; give a float");
    value_.data = static_cast<std::int64_t>(value);
  }
  InputValue(std::floating_point auto value) { value_.data = static_cast<double>(value); }
  InputValue(const char* text) { value_.data = std::string(text); }
  InputValue(std::string text) { value_.data = std::move(text); }
  InputValue(std::initializer_list<InputValue> list);
  InputValue(const std::vector<InputValue>& list);
  InputValue(const std::vector<double>& list);
  template <class Vector>
  InputValue(const Eigen::MatrixBase<Vector>& list)
      : InputValue(std::vector<double>(list.derived().begin(), list.derived().end())) {}
  InputValue(const InputTable& table);

  InputValue(std::nullptr_t) = delete;

  /// The same table, which replaces a former one in place of being merged with it.
  InputValue replacing() const;

  const TomlValue& tree() const { return value_; }

 private:
  TomlValue value_;  ///< without places
};

/// A problem, stated key by key.
class ProblemBuilder {
 public:
  /// @param name       the input in run files, and in messages about keys that no call has set
  /// @param directory  where relative names of files start; empty: the current one
  explicit ProblemBuilder(std::string name, const std::filesystem::path& directory = {});

  /// Sets a key, after all that was set before: a table is merged key by key, anything else replaces the former value.
  /// @param key  a path, such as "bodies.crank.mesh.divisions" or bodies."my body".mass; missing tables are made. An
  ///             element of a list is named by its number, from 0, or, when it is a table, by its `name`
  /// @throws InputError  if that is no path, leads through a number, a text or a missing element, or is `include`
  ProblemBuilder& set(std::string_view key, const InputValue& value,
                      const std::source_location& place = std::source_location::current());
  /// The same, at a place that the caller names; line 0: without a line.
  ProblemBuilder& set(std::string_view key, const InputValue& value, const TomlPlace& place);

  /// The text of an input file that says the same.
  std::string text() const;
  /// The problem, read and checked as that of a file.
  /// @throws InputError  as read_problem()
  Problem problem() const;

 private:
  TomlDocument document_;
};

}  // namespace kurbel
