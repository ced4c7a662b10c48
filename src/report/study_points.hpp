/// @file
/// The variants of a study as points: what stands on an axis of a plot, and which points form a Pareto front.
///
/// A study is {title, keys, functions, rows: [{variant, values, status, functions, senses, violated, picture}]}.
/// `values` has a text per key. `senses` says of a bounded function whether "smaller" or "larger" values are better.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kurbel {

/// A key or a function with its numbers of all variants.
struct StudyAxis {
  std::string name;
  std::string label;                    ///< the name, with the unit of a key
  std::vector<double> values;           ///< of each variant, NaN where it has none
  std::vector<std::string> categories;  ///< of a key with texts: what the numbers 0, 1, ... stand for

  /// Two values of it differ.
  bool varies() const;
  /// All values are positive, and the largest is at least a hundred times the smallest.
  bool is_logarithmic() const;
};

/// The axes of the keys. Texts such as "7 mm" are numbers where all variants have the same unit.
std::vector<StudyAxis> axes_of_keys(const nlohmann::json& study);
std::vector<StudyAxis> axes_of_functions(const nlohmann::json& study);

/// Finds the points that no other one dominates, which is as small in both numbers and smaller in one of them.
/// @param a, b  numbers of each point; points with a NaN are left out
/// @return      indices by ascending a; points of the same two numbers are all there
std::vector<std::size_t> pareto_front(const std::vector<double>& a, const std::vector<double>& b);

/// The feasible variants that are not dominated in two functions.
struct StudyFront {
  std::string x, y;                   ///< two functions
  std::vector<std::size_t> variants;  ///< from the best to the worst in x
};

/// The fronts of each two functions of which it is known what is better: psi is minimized, a function with an upper bound
/// too, one with a lower bound is maximized.
std::vector<StudyFront> fronts_of(const nlohmann::json& study);

/// Says on which fronts a variant is: "psi, mass; psi, tip".
std::string fronts_text(const std::vector<StudyFront>& fronts, std::size_t variant);

}  // namespace kurbel
