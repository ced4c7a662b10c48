/// Standard input data as SID_FEM text: examined and judged, or refused.
#include "harness.hpp"
#include "sid/sid_info.hpp"
#include "sid_text/sid_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  return kurbel::test::accept_or_refuse([&] {
    kurbel::SidPrecision precision;
    const kurbel::Sid sid = kurbel::read_sid_text(text, "input", &precision);
    kurbel::natural_frequencies(sid), kurbel::frame_conditions(sid);
    kurbel::require_usable(sid, precision, false);
  });
}
