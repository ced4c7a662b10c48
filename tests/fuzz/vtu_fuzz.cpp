// Densities in a .vtu: any bytes are densities or an InputError.
#include "base/errors.hpp"
#include "output/density_reader.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kurbel;
  try {
    read_density(input_file(data, size, ".vtu"), 4);
  } catch (const InputError&) {
  }
  return 0;
}
