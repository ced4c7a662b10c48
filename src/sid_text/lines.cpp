#include "sid_text/lines.hpp"

#include "base/numbers.hpp"
#include "sid_text/parser.hpp"

namespace kurbel::sid_text {
namespace {

/// "new  node" -> "new node"
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

}  // namespace

std::optional<Line> Lines::next() {
  while (const auto raw = next_raw()) {
    const std::string_view line = trimmed(*raw);
    if (line.empty() || line[0] == '!' || line[0] == '#' || line[0] == '%') continue;
    const std::size_t equals = line.find('=');
    Line out{number_, single_spaced(trimmed(line.substr(0, equals))), {}, false};
    if (equals != std::string_view::npos) {
      out.value = trimmed(line.substr(equals + 1));
      out.has_value = true;
    }
    return out;
  }
  return {};
}

std::optional<std::string_view> Lines::next_raw() {
  if (text_.empty()) return {};
  const std::size_t end = text_.find('\n');
  const std::string_view line = text_.substr(0, end);
  text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
  ++number_;
  return line;
}

InputError Lines::error(int line, const std::string& what) const {
  return error_at(file_, line, what);
}

}  // namespace kurbel::sid_text
