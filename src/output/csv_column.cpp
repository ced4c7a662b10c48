#include "output/csv_column.hpp"

#include <fmt/format.h>

namespace kurbel {

std::string CsvColumn::title() const {
  std::string text = unit.empty() ? name : fmt::format("{} [{}]", name, unit);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace kurbel
