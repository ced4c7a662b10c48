// SID file in HDF5: any bytes are bodies or an InputError.
#include "base/errors.hpp"
#include "sid/sid_file.hpp"
#include "sid/sid_info.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kurbel;
  try {
    for (const NamedSid& body : read_sid_file(input_file(data, size, ".h5"))) {
      describe_sid(body.name, body.sid);
      require_usable(body.sid, {}, true);
    }
  } catch (const InputError&) {
  }
  return 0;
}
