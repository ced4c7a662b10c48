/// Meshes of Abaqus and CalculiX.
#include "harness.hpp"
#include "parts/read_part.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("mesh.inp");
  file.write(data, size);
  return kurbel::test::accept_or_refuse([&] { kurbel::read_part({.path = file.path()}, 1.0); });
}
