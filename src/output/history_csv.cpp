#include "output/history_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "output/csv_title.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

std::string header_line(const std::vector<TableColumn>& columns) {
  std::string line = "iteration";
  for (const TableColumn& column : columns) line += "," + csv_title(column);
  return line + "\n";
}

}  // namespace

HistoryCsv::HistoryCsv(fs::path path, std::vector<TableColumn> columns)
    : path_(std::move(path)), columns_(std::move(columns)) {
  write_text_file(path_, header_line(columns_));
  out_.open(path_, std::ios::binary | std::ios::app);
}

void HistoryCsv::add_row(int iteration, const std::vector<double>& values) {
  if (values.size() != columns_.size()) {
    throw InputError(
        fmt::format("{}: {} values for {} columns", path_.string(), values.size(), columns_.size()));
  }
  errno = 0;
  out_ << fmt::format("{},{}\n", iteration, fmt::join(values, ","));
  out_.flush();
  if (!out_) throw WriteError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace kurbel
