/// @file
#pragma once

namespace kurbel {

/// Version of the program, e.g. "1.0.0".
const char* version();

}  // namespace kurbel
