/// @file
/// An input file as a tree whose values know what they mean: their dimension, and how they follow the
/// mechanism when it is placed elsewhere. So a problem can be stated again in other axes, units and order.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace kurbel::random_problems {

/// Powers of the units of mass and length; the unit of time stays.
struct Dimension {
  int mass = 0, length = 0;

  friend Dimension operator+(Dimension a, Dimension b) { return {a.mass + b.mass, a.length + b.length}; }
  friend Dimension operator-(Dimension a, Dimension b) { return {a.mass - b.mass, a.length - b.length}; }
  friend Dimension operator*(int n, Dimension a) { return {n * a.mass, n * a.length}; }
};
inline constexpr Dimension number{}, length{0, 1}, mass{1, 0}, inertia{1, 2}, force{1, 1}, moment{1, 2},
    stiffness{1, 0}, stress{1, -1}, mass_density{1, -3};

struct Scalar {
  double value = 0.0;
  Dimension dimension{};
};

/// A vector in the inertial frame. Vectors in a body's frame are lists of scalars.
struct Vector {
  enum class Nature {
    point,      ///< turned and shifted with the mechanism
    direction,  ///< turned
    attitude    ///< a rotation vector, turned from the left
  };
  Vector3d value = Vector3d::Zero();
  Nature nature = Nature::direction;
  Dimension dimension{};
};

/// A function of time, up to a factor.
struct TimeHistory {
  enum class Type { constant, constant_rate, polynomial, spin_up, table };
  Type type = Type::constant;
  std::vector<double> t;       ///< constant-rate: of `value`; polynomial: of the ends; spin-up: the duration
  std::vector<double> values;  ///< constant-rate: value, rate; polynomial: derivatives at the begin; ...
  std::vector<double> end;     ///< polynomial: derivatives at the end

  double value_at_start() const { return type == Type::spin_up ? 0.0 : values.front(); }
  double rate_at_start() const;  ///< of a table, which nobody can tell from its text: 0
};

/// A direction of the inertial frame times a function of time.
struct VectorTimeHistory {
  Vector3d direction = Vector3d::Zero();
  TimeHistory time_history;
  Dimension dimension{};
};

struct Value;
struct Entry;
using List = std::vector<Value>;
using Table = std::vector<Entry>;

struct Value {
  std::variant<bool, int, std::string, Scalar, Vector, VectorTimeHistory, List, Table> data;

  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Value>) Value(T&& value)
      : data(std::forward<T>(value)) {}  // NOLINT(google-explicit-constructor)
};

struct Entry {
  std::string key;
  Value value;
};

const Value* find(const Table& table, const std::string& key);
Value* find(Table& table, const std::string& key);
/// Replaces or appends.
void set(Table& table, const std::string& key, Value value);
/// The table under the key, made if it is not there.
Table& sub_table(Table& table, const std::string& key);
List scalars(const std::vector<double>& values, Dimension dimension);

/// A time history as the input has it, `factor` times.
Table time_history_table(const TimeHistory& time_history, double factor, Dimension dimension);

/// The tree as an input file. Numbers read back as they are, bit for bit.
std::string to_toml(const Table& root);

}  // namespace kurbel::random_problems
