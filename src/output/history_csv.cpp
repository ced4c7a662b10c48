#include "output/history_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

std::string header_line(const std::vector<std::string>& columns) {
  return fmt::format("iteration,{}\n", fmt::join(columns, ","));
}

/// The complete lines before the first row of `iteration` or a later one.
std::string kept_text(const std::string& text, std::size_t header_size, int iteration) {
  std::size_t end = header_size;
  for (std::size_t next; (next = text.find('\n', end)) != std::string::npos; end = next + 1) {
    int row = 0;
    const char* const line = text.data() + end;
    if (std::from_chars(line, text.data() + next, row).ec != std::errc() || row >= iteration) break;
  }
  return text.substr(0, end);
}

}  // namespace

HistoryCsv::HistoryCsv(fs::path path, std::vector<std::string> columns)
    : HistoryCsv(std::move(path), columns, header_line(columns)) {}

HistoryCsv::HistoryCsv(fs::path path, std::vector<std::string> columns, const std::string& text)
    : path_(std::move(path)), columns_(std::move(columns)) {
  write_text_file(path_, text);
  out_.open(path_, std::ios::binary | std::ios::app);
}

HistoryCsv HistoryCsv::resume(fs::path path, std::vector<std::string> columns, int iteration) {
  if (!fs::exists(path)) return {std::move(path), std::move(columns)};
  const std::string header = header_line(columns), text = read_text_file(path);
  if (!std::string_view(text).starts_with(header)) {
    throw InputError(fmt::format("{}: its columns are not those of this run: {}", path.string(),
                                 header.substr(0, header.size() - 1)));
  }
  return {std::move(path), std::move(columns), kept_text(text, header.size(), iteration)};
}

void HistoryCsv::add_row(int iteration, const std::vector<double>& values) {
  if (values.size() != columns_.size()) {
    throw InputError(
        fmt::format("{}: {} values for {} columns", path_.string(), values.size(), columns_.size()));
  }
  errno = 0;
  out_ << fmt::format("{},{}\n", iteration, fmt::join(values, ","));
  out_.flush();
  if (!out_) throw InputError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace kurbel
