#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/files.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "mechanism/table.hpp"
#include "problem/readers.hpp"

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

/// Samples of one column, with the times in the first.
struct Samples {
  std::vector<double> t, value;
};

Samples read_samples(const TomlTable& time_history, const std::filesystem::path& path) {
  const std::string text = read_text_file(path), column = time_history.text("column");
  Samples samples;
  std::size_t place = 0, line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::vector<std::string> cells = cells_of(line);
    if (++line_number == 1) {
      std::vector<std::string> names;
      for (const std::string& title : cells) names.push_back(without_unit(title));
      const auto at = std::find(names.begin(), names.end(), column);
      if (at == names.end() || at == names.begin())
        time_history.refuse("column", "is no column of {} beside its times{}", path.string(),
                            spelling_advice(column, names, "\""));
      place = static_cast<std::size_t>(at - names.begin());
      continue;
    }
    const auto t = parse_finite_number(cells[0]);
    const auto value = place < cells.size() ? parse_finite_number(cells[place]) : std::nullopt;
    if (!t || !value || (!samples.t.empty() && *t <= samples.t.back()))
      time_history.refuse("file", "has no number or no later time in line {}", line_number);
    samples.t.push_back(*t), samples.value.push_back(*value);
  }
  if (samples.t.size() < 2) time_history.refuse("file", "has no two instants");
  return samples;
}

}  // namespace

std::vector<double> read_time_history(const TomlTable& time_history, const std::filesystem::path& directory,
                                      const std::vector<double>& times) {
  const Samples samples = read_samples(time_history, directory / time_history.text("file"));
  constexpr double same = 1e-9;  // of the time: tables are written with few digits
  const double margin = same * std::max(1.0, std::abs(samples.t.back()));
  if (samples.t.front() > times.front() + margin || samples.t.back() < times.back() - margin) {
    time_history.refuse("file", "runs from {:g} s to {:g} s; the control from {:g} s to {:g} s",
                        samples.t.front(), samples.t.back(), times.front(), times.back());
  }
  const TimeFunctionPtr function = table(samples.t, samples.value);
  std::vector<double> values;
  for (const double t : times) values.push_back(function->at(t).value);
  return values;
}

}  // namespace kurbel
