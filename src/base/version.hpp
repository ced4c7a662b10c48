/// @file
#pragma once

namespace kurbel {

/// Version of the program, e.g. "0.1.0".
const char* version();

}  // namespace kurbel
