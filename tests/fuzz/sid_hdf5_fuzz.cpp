/// Standard input data in HDF5: examined and judged, or refused.
#include "harness.hpp"
#include "input/sid_file.hpp"
#include "sid/sid_info.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("sid.h5");
  file.write(data, size);
  return kurbel::test::accept_or_refuse([&] {
    for (const kurbel::NamedSid& body : kurbel::read_sid_file(file.path())) {
      kurbel::natural_frequencies(body.sid), kurbel::frame_conditions(body.sid);
      kurbel::require_usable(body.sid, {}, true);
    }
  });
}
