/// Run files: described, replayed and resumed, or refused.
#include "app/file_report.hpp"
#include "harness.hpp"
#include "output/run_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("run.h5");
  file.write(data, size);
  kurbel::test::accept_or_refuse([&] {
    kurbel::Report report([](const std::string&) {});
    kurbel::report_file(file.path(), report);
    const kurbel::RunReader run(file.path());
    for (Eigen::Index i = 0; i < run.n_evaluations(); ++i) run.evaluation(i);
  });
  return kurbel::test::accept_or_refuse([&] {
    kurbel::RunFile run = kurbel::RunFile::resume(kurbel::RunReader(file.path()));
    run.set_status("resumed");
    run.add_history(1, {"objective"}, {0.5});
    run.checkpoint();
  });
}
