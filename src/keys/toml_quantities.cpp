/// Numbers with units: "3000 rpm", "[0, 90, 180] deg".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "base/units.hpp"
#include "keys/toml_shared.hpp"

namespace kurbel {

namespace {

constexpr std::string_view of_numbers = "+-.0123456789";

bool begins_with_number(std::string_view text) {
  const std::string_view begin = trimmed(text).substr(0, 1);
  return !begin.empty() && of_numbers.find(begin.front()) != std::string_view::npos;
}

}  // namespace

TomlTable TomlTable::in_unit(std::string unit) const {
  TomlTable table = *this;
  table.scope_.unit = std::move(unit);
  return table;
}

std::string TomlTable::unit() const {
  for (const Key* row : rows_of("unit")) {
    const TomlValue* value = value_ ? value_->find("unit") : nullptr;
    const auto* word =
        value ? std::get_if<std::string>(&value->data) : std::get_if<std::string>(&row->presence.value);
    if (word) return *word;
  }
  return scope_.unit;
}

/// The unit of a row, with that of what the table belongs to in place of the word "unit"; empty if that is not known. Of
/// "N or N m" it is the one that the reader says.
std::string TomlTable::unit_in(const Key& row) const {
  constexpr std::string_view word = "unit";
  if (row.unit.find(" or ") != std::string::npos) return scope_.unit;
  const std::size_t at = row.unit.find(word);
  if (at == std::string::npos) return row.unit;
  const std::string own = unit();
  if (own.empty() || row.unit == word) return own;
  return fmt::format("{}{}{}", row.unit.substr(0, at), as_factor(own), row.unit.substr(at + word.size()));
}

bool TomlTable::is_quantity(std::string_view key, const TomlValue& value, Form::Kind kind) const {
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text) return false;
  const bool is_list = kind == Form::Kind::list;
  if (is_list ? !trimmed(*text).starts_with('[') : !begins_with_number(*text)) return false;
  const auto is_number = [](const Form& form) { return form.kind == Form::Kind::number; };
  const auto fits = [&](const Form& form) {
    return is_list ? form.kind == Form::Kind::list && std::ranges::any_of(form.elements, is_number)
                   : is_number(form);
  };
  if (!scope_.group) return !scope_.unit.empty() && std::ranges::any_of(scope_.any, fits);
  return std::ranges::any_of(rows_of(key), [&](const Key* row) {
    return !row->unit.empty() && std::ranges::any_of(row->forms, fits);
  });
}

double TomlTable::checked_number(std::string_view key, const TomlValue& value, const Range& range,
                                 const std::string& unit) const {
  double x = 0.0;
  if (const auto* number = std::get_if<double>(&value.data)) {
    x = *number;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    x = static_cast<double>(*integer);
  } else if (const auto* text = std::get_if<std::string>(&value.data);
             text && !unit.empty() && begins_with_number(*text)) {
    const auto [number_part, unit_part] = split_quantity(*text);
    x = in_unit_of_row(key, number_part, unit_part, unit);
  } else {
    fail_type(key, value, range.description());
  }
  if (!range.contains(x)) refuse(key, range.complaint(x));
  return x;
}

double TomlTable::in_unit_of_row(std::string_view key, std::string_view number, std::string_view from,
                                 const std::string& to) const {
  const auto x = parse_number(number);
  if (!x) refuse(key, "begins with {}, which is no number", printable(number));
  if (from.empty()) refuse(key, "has no unit; write {} without quotes, or \"{} {}\"", *x, *x, to);
  const auto own = parse_unit(to), other = parse_unit(from);
  const std::string allowed = fmt::format("; allowed: {}", fmt::join(units_like(to), ", "));
  if (!other) {
    const auto nearest = nearest_spelling(from, units_like(to));
    refuse(key, "has the unknown unit {}{}", printable(std::string(from)),
           nearest ? fmt::format("; did you mean {}?", *nearest) : allowed);
  }
  if (!own || other->powers != own->powers) refuse(key, "has a unit of another kind" + allowed);
  return own->from(*other, *x);
}

std::vector<double> TomlTable::numbers_of_text(std::string_view key, std::string_view text,
                                               const Range& range, const std::string& unit) const {
  const std::string_view whole = trimmed(text);
  const std::size_t end = whole.find(']');
  if (end == std::string::npos) refuse(key, "has no closing bracket; write \"[1, 2] {}\"", unit);
  const std::string_view of = trimmed(whole.substr(end + 1));
  std::vector<double> out;
  for (std::string_view rest = trimmed(whole.substr(1, end - 1)); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    out.push_back(in_unit_of_row(key, trimmed(rest.substr(0, comma)), of, unit));
    if (!range.contains(out.back())) refuse(key, "has an element that {}", range.complaint(out.back()));
    rest = trimmed(rest.substr(std::min(comma + 1, rest.size())));
  }
  return out;
}

}  // namespace kurbel
