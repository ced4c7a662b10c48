/// Densities in a .vtu.
#include "harness.hpp"
#include "input/density_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("density.vtu");
  file.write(data, size);
  return kurbel::test::accept_or_refuse([&] { kurbel::DensityFile(file.path()).of_body("crank", 4); });
}
