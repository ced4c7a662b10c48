#include "output/csv_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {
namespace fs = std::filesystem;

std::string csv_title(const TableColumn& column) {
  std::string text = column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

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

void write_time_table_csv(const std::filesystem::path& path, const VectorXd& t,
                          const std::vector<TimeColumn>& columns) {
  std::string text = csv_title({"t", "s"});
  for (const TimeColumn& column : columns) {
    if (column.values.size() != t.size()) {
      throw InputError(fmt::format("cannot write {}: column '{}' has {} values at {} times", path.string(),
                                   column.column.name, column.values.size(), t.size()));
    }
    text += "," + csv_title(column.column);
  }
  text += "\n";
  for (Eigen::Index i = 0; i < t.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}", t[i]);
    for (const TimeColumn& column : columns) {
      fmt::format_to(std::back_inserter(text), ",{}", column.values[i]);
    }
    text += "\n";
  }
  write_text_file(path, text);
}

void write_table_csv(const std::filesystem::path& path, const std::vector<TableColumn>& columns,
                     const MatrixXd& values) {
  std::string text;
  for (const TableColumn& column : columns) text += (text.empty() ? "" : ",") + csv_title(column);
  text += "\n";
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const Eigen::RowVectorXd row = values.row(i);
    text += fmt::format("{}\n", fmt::join(row.begin(), row.end(), ","));
  }
  write_text_file(path, text);
}

void write_variables(const std::filesystem::path& path, const VariableTable& table) {
  std::string text = "name,value,lower,upper,unit\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{},{},{}\n", table.names[i], table.value[k], table.lower[k], table.upper[k],
                        table.units[i]);
  }
  write_text_file(path, text);
}

void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<GradientColumn>& gradients) {
  std::string text = "name,value,unit";
  for (const GradientColumn& gradient : gradients) text += "," + csv_title(gradient.column);
  text += "\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{}", table.names[i], table.value[k], table.units[i]);
    for (const GradientColumn& gradient : gradients) text += fmt::format(",{}", gradient.values[k]);
    text += "\n";
  }
  write_text_file(path, text);
}

}  // namespace kurbel
