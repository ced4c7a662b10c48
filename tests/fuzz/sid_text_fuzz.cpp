// SID text: any bytes are a body or an InputError.
#include <cstdint>
#include <string>

#include "base/errors.hpp"
#include "sid/sid_info.hpp"
#include "sid/sid_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kurbel;
  try {
    SidPrecision precision;
    const Sid sid =
        read_sid_text(std::string(reinterpret_cast<const char*>(data), size), "input", &precision);
    describe_sid("input", sid, precision);
    require_usable(sid, precision, false);
  } catch (const InputError&) {
  }
  return 0;
}
