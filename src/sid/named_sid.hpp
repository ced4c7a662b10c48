/// @file
/// Standard input data of a body with its name.
#pragma once

#include <string>

#include "sid/sid_identities.hpp"

namespace kurbel {

struct NamedSid {
  std::string name;
  Sid sid;
  SidPrecision precision = {};  ///< of a text file
};

}  // namespace kurbel
