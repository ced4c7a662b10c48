/// Input files, of both formulations: whatever the text is, it is a problem or refused.
#include "harness.hpp"
#include "problem/problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  return kurbel::test::accept_or_refuse([&] {
    kurbel::require_optimization_problem(
        kurbel::read_problem(kurbel::TomlDocument::parse(text, "fuzz.toml", "/nowhere")));
  });
}
