/// @file
/// `kurbel report`: a run, or two of them, as a page.
#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/finished_run.hpp"
#include "app/report_run.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "report/page.hpp"

namespace kurbel {

int run_report(const CommandLine& args) {
  RunDirectory folder = RunDirectory::of_run(args.file, "report on");
  const std::filesystem::path file = args.output.empty() ? folder.path() / "report.html" : args.output;
  if (args.output.empty()) {
    claim_all(folder, {file});
  } else {
    require_writable(file);
  }
  std::vector<nlohmann::json> runs = {report_of_run(folder.path())};
  if (!args.other.empty()) runs.push_back(report_of_run(args.other));
  const std::string page = html_of(runs);
  write_text_file(file, page);
  console_report().say("{}: {:.1f} MB", file.string(), static_cast<double>(page.size()) * 1e-6);
  return 0;
}

}  // namespace kurbel
