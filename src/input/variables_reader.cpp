#include "input/variables_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"

namespace kurbel {

namespace {

constexpr std::array<std::string_view, 5> columns = {"name", "value", "lower", "upper", "unit"};
constexpr std::size_t behind_numbers = 4;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Reads a file of variables, row by row.
class TableReader {
 public:
  TableReader(const std::filesystem::path& path, const VariableTable& table)
      : path_(path), table_(table), text_(read_text_file(path)), rest_(text_) {
    for (std::size_t i = 0; i < table.names.size(); ++i) indices_.emplace(table.names[i], i);
  }

  VectorXd read() {
    read_header();
    VectorXd values(static_cast<Eigen::Index>(indices_.size()));
    std::vector<bool> given(indices_.size(), false);
    while (next_line()) {
      if (line_.empty()) continue;
      const std::vector<std::string_view> fields = split(line_);
      if (fields.size() != n_columns_)
        fail(fmt::format("has {} fields, but the first line has {}; a number has a point and no comma",
                         fields.size(), n_columns_));
      const std::size_t index = index_of(std::string(fields[0]));
      if (given[index]) fail(fmt::format("{} stands in the file twice", fields[0]));
      given[index] = true;
      values[static_cast<Eigen::Index>(index)] = read_row(fields, static_cast<Eigen::Index>(index));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i])
        throw InputError(fmt::format("{}: {} is missing; the problem has {} variables", path_.string(),
                                     table_.names[i], given.size()));
    }
    return values;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), line_number_, what));
  }

  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_number_;
    return true;
  }

  void read_header() {
    next_line();
    const std::vector<std::string_view> names = split(line_);
    n_columns_ = names.size();
    if (n_columns_ >= 2 && n_columns_ <= columns.size() &&
        std::equal(names.begin(), names.end(), columns.begin()))
      return;
    line_number_ = 1;
    fail(
        "is not the first line of a file of variables: name,value,lower,upper,unit (those behind value may "
        "be left out)");
  }

  std::size_t index_of(const std::string& name) const {
    const auto index = indices_.find(name);
    if (index == indices_.end())
      fail(fmt::format("{} is no variable of the problem{}", name, spelling_advice(name, table_.names)));
    return index->second;
  }

  /// The value; what the file says of its bounds need not be what the problem says, but must be bounds.
  double read_row(const std::vector<std::string_view>& fields, Eigen::Index k) const {
    std::array<double, behind_numbers> numbers{};
    for (std::size_t c = 1; c < std::min(fields.size(), behind_numbers); ++c) {
      const std::optional<double> number = parse_number(fields[c]);
      if (!number || std::isnan(*number))
        fail(fmt::format("{} of {} is \"{}\", which is not a number", columns[c], fields[0], fields[c]));
      numbers[c] = *number;
    }
    const auto [name, value, lower, upper] = numbers;
    if (fields.size() > behind_numbers && fields[behind_numbers] != table_.units[static_cast<std::size_t>(k)])
      fail(fmt::format("{} is in \"{}\", but the problem has it in \"{}\"", fields[0], fields[behind_numbers],
                       table_.units[static_cast<std::size_t>(k)]));
    if (fields.size() >= behind_numbers && !(lower <= upper))
      fail(fmt::format("lower = {} of {} is above upper = {}", lower, fields[0], upper));
    if (value >= table_.lower[k] && value <= table_.upper[k]) return value;
    fail(fmt::format("{} = {} is outside its bounds [{}, {}]", fields[0], value, table_.lower[k],
                     table_.upper[k]));
  }

  const std::filesystem::path& path_;
  const VariableTable& table_;
  std::string text_;
  std::string_view rest_, line_;
  std::size_t line_number_ = 0, n_columns_ = 0;
  std::unordered_map<std::string, std::size_t> indices_;
};

}  // namespace

VectorXd read_variables(const std::filesystem::path& path, const VariableTable& table) {
  TableReader reader(path, table);
  return reader.read();
}

}  // namespace kurbel
