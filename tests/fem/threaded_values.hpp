/// @file
#pragma once

#include "base/thread_scope.hpp"
#include "fem/design_map.hpp"

namespace kurbel::fem::test {

inline VectorXd value_by(int n_threads, const DesignMap& map, const VectorXd& in) {
  const ThreadScope scope(n_threads);
  return map.value(in);
}

}  // namespace kurbel::fem::test
