/// @file
/// The scalar for which a source file instantiates its templates.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// double; Complex where the file is compiled a second time, for the tests that differentiate by complex step
/// (kurbel_complex_twin() in the CMakeLists.txt of src).
#ifdef KURBEL_COMPLEX
using InstantiatedScalar = Complex;
#else
using InstantiatedScalar = double;
#endif

}  // namespace kurbel
