#include "app/report.hpp"

#include <algorithm>

namespace kurbel {

namespace {

using Json = nlohmann::json;

/// @param format  with one place
std::string text_of(const Json& value, const std::string& format) {
  if (value.is_null()) return "";
  if (value.is_string()) return fmt::format(fmt::runtime(format), value.get_ref<const std::string&>());
  if (value.is_number_integer()) return fmt::format(fmt::runtime(format), value.get<std::int64_t>());
  return fmt::format(fmt::runtime(format), value.get<double>());
}

}  // namespace

std::vector<std::string> ReportTable::lines() const {
  std::vector<std::vector<std::string>> texts(1);
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].format.empty()) continue;
    shown.push_back(c);
    texts[0].push_back(columns[c].title);
  }
  for (const std::vector<Json>& row : rows) {
    texts.emplace_back();
    for (const std::size_t c : shown) texts.back().push_back(text_of(row[c], columns[c].format));
  }
  std::vector<std::string> lines(texts.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Column& column = columns[shown[i]];
    std::size_t width = column.width;
    for (const std::vector<std::string>& row : texts) width = std::max(width, row[i].size());
    for (std::size_t l = 0; l < lines.size(); ++l) {
      lines[l] += i > 0 ? "  " : "";
      lines[l] += column.is_left ? fmt::format("{:<{}}", texts[l][i], width)
                                 : fmt::format("{:>{}}", texts[l][i], width);
    }
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::string ReportTable::csv() const {
  std::string text;
  const auto add = [&](const auto& value_of) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].csv.empty()) line += "," + value_of(c);
    }
    text += line.substr(1) + "\n";
  };
  add([&](std::size_t c) { return columns[c].csv; });
  for (const std::vector<Json>& row : rows) add([&](std::size_t c) { return text_of(row[c], "{}"); });
  return text;
}

nlohmann::json ReportTable::numbers() const {
  Json table = Json::array();
  for (const std::vector<Json>& row : rows) {
    Json& object = table.emplace_back(Json::object());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].key.empty() && !row[c].is_null()) object[columns[c].key] = row[c];
    }
  }
  return table;
}

void Report::lines(const std::vector<std::string>& texts) const {
  for (const std::string& text : texts) show_(text);
}

}  // namespace kurbel
