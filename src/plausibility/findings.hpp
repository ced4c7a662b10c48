/// @file
#pragma once

#include <fmt/core.h>

#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

inline constexpr double turn = 2.0 * std::numbers::pi;  ///< rad
/// Steps that a period of a vibration or of a drive needs.
inline constexpr int enough_steps = 20;

/// Sentences about values of an input, each with file, line and key.
class Findings {
 public:
  explicit Findings(const Problem& problem) : problem_(problem) {}

  const Problem& problem() const { return problem_; }
  template <class... Args>
  void add(const std::string& key, fmt::format_string<Args...> message, Args&&... args) {
    texts_.emplace_back(problem_.error(key, fmt::format(message, std::forward<Args>(args)...)).what());
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const Problem& problem_;
  std::vector<std::string> texts_;
};

}  // namespace kurbel
