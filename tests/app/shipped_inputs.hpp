/// @file
#pragma once

#include <string>

namespace kurbel::test {

inline std::string input(const std::string& name) {
  return std::string(KURBEL_SOURCE_DIR) + "/inputs/" + name;
}

}  // namespace kurbel::test
