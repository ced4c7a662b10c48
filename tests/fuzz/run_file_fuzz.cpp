// Run file: any bytes are a run that can be described, replayed and resumed, or an InputError.
#include "base/errors.hpp"
#include "output/file_info.hpp"
#include "output/run_file.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kurbel;
  const std::filesystem::path path = input_file(data, size, ".h5");
  try {
    describe_file(path);
    const RunReader run(path);
    for (Eigen::Index i = 0; i < run.n_evaluations(); ++i) run.evaluation(i);
  } catch (const InputError&) {
  }
  try {
    RunFile run = RunFile::resume(path);
    run.set_status("resumed");
    run.add_history(1, {"objective"}, {0.5});
    run.checkpoint();
  } catch (const InputError&) {
  }
  return 0;
}
