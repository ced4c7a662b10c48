/// @file
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Sentences about values of an input, each with file, line and key.
class Findings {
 public:
  explicit Findings(const Problem& problem) : problem_(problem) {}

  const Problem& problem() const { return problem_; }
  void add(const std::string& key, const std::string& message) {
    texts_.emplace_back(problem_.error(key, message).what());
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const Problem& problem_;
  std::vector<std::string> texts_;
};

}  // namespace kurbel
