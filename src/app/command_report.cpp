/// @file
/// `kurbel report`: a run, or two of them, as a page.
#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/report_run.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "report/page.hpp"

namespace kurbel {

namespace {

/// @throws InputError if the file cannot be written, or is there and was not written by `report`
void require_report_or_nothing(const std::filesystem::path& file) {
  require_writable(file);
  if (std::filesystem::exists(file) && !is_report(file))
    throw InputError(fmt::format(
        "{} exists and is no report; move it elsewhere, or name another file by --output", file.string()));
}

}  // namespace

int run_report(const CommandLine& args) {
  // A run that goes on may be looked at, too: nothing is locked, and the page is a file of its own.
  const std::filesystem::path file =
      args.output.empty() ? std::filesystem::path(args.file) / "report.html" : args.output;
  RunDirectory::require_run(args.file, "report on");
  if (!args.other.empty()) RunDirectory::require_run(args.other, "report on");
  require_page_libraries();
  require_report_or_nothing(file);
  std::vector<nlohmann::json> runs = {report_of_run(args.file)};
  if (!args.other.empty()) runs.push_back(report_of_run(args.other));
  const std::string page = html_of(runs);
  write_text_file(file, page);
  console_report(args).say("{}: {:.1f} MB", file.string(), static_cast<double>(page.size()) * 1e-6);
  return 0;
}

}  // namespace kurbel
