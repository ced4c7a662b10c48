/// @file
/// Random numbers that are the same on every platform: the distributions of <random> are not.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

namespace kurbel::random_problems {

/// Rounded to six digits, as a person would write it; powers and logarithms of other platforms round to the
/// same.
inline double as_written(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  double between(double lower, double upper) { return as_written(lower + uniform() * (upper - lower)); }
  /// Uniform logarithm.
  double of_size(double lower, double upper) {
    return as_written(lower * std::exp(uniform() * std::log(upper / lower)));
  }
  /// From lower to upper, both included.
  int integer(int lower, int upper) { return lower + static_cast<int>(uniform() * (upper - lower + 1)); }
  bool chance(double probability) { return uniform() < probability; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(integer(0, static_cast<int>(from.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[static_cast<std::size_t>(integer(0, static_cast<int>(i) - 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace kurbel::random_problems
