#include "output/csv_title.hpp"

#include <fmt/format.h>

namespace kurbel {

std::string csv_title(const TableColumn& column) {
  std::string text = column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace kurbel
