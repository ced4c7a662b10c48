#include <algorithm>
#include <string_view>

#include "base/files.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "keys/toml_reader.hpp"
#include "problem/time_history.hpp"

namespace kurbel {

namespace {

std::vector<std::string> cells_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// "force" of "force [N]".
std::string without_unit(const std::string& title) {
  return title.substr(0, title.find(" ["));
}

/// "N" of "force [N]".
std::string unit_of(const std::string& title) {
  const std::size_t begin = title.find(" [");
  if (begin == std::string::npos || !title.ends_with(']')) return {};
  return title.substr(begin + 2, title.size() - begin - 3);
}

/// Number of the column among the titles of all.
std::size_t find_column(const TomlTable& table, const std::string& path,
                        const std::vector<std::string>& titles) {
  const std::string column = table.text("column");
  std::vector<std::string> names;
  for (const std::string& title : titles) names.push_back(without_unit(title));
  const auto at = std::find(names.begin(), names.end(), column);
  if (at == names.end() || at == names.begin())
    table.refuse("column", "is no column of {} beside its times{}", path,
                 spelling_advice(column, names, "\""));
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace

TimeHistory read_time_history(const TomlTable& table, const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / table.text("file");
  const std::string text = read_text_file(path);
  TimeHistory history;
  std::size_t column = 0, line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::vector<std::string> cells = cells_of(line);
    if (++line_number == 1) {
      column = find_column(table, path.string(), cells);
      history.unit = unit_of(cells[column]);
      continue;
    }
    const auto t = parse_finite_number(cells[0]);
    const auto value = column < cells.size() ? parse_finite_number(cells[column]) : std::nullopt;
    if (!t || !value || (!history.t.empty() && *t <= history.t.back()))
      table.refuse("file", "has no number or no later time in line {}", line_number);
    history.t.push_back(*t), history.values.push_back(*value);
  }
  if (history.t.size() < 2) table.refuse("file", "has no two instants");
  return history;
}

}  // namespace kurbel
