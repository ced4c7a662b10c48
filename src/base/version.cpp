#include "base/version.hpp"

namespace kurbel {

const char* version() {
  return KURBEL_VERSION;
}

}  // namespace kurbel
