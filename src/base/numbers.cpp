#include "base/numbers.hpp"

#include <charconv>
#include <cmath>

namespace kurbel {

namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  // std::from_chars knows no plus sign, and would take the minus behind one.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  return parse_whole<double>(text);
}

std::optional<double> parse_finite_number(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* white_space = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

}  // namespace kurbel
