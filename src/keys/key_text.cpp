#include "keys/key_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kurbel {

namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string plural(const Forms& forms) {
  std::vector<std::string> parts;
  for (const Form& form : forms) {
    const std::string one = type_text({form});
    parts.push_back(form.kind == Form::Kind::list ? "rows of" + one.substr(one.find(' ')) : one + "s");
  }
  return joined(parts, " or ");
}

std::string list_text(const Form& form) {
  const std::string elements = plural(form.elements);
  if (form.least == form.most) return fmt::format("{} {}", form.least, elements);
  if (form.most == std::numeric_limits<std::size_t>::max()) return "list of " + elements;
  return fmt::format("{} to {} {}", form.least, form.most, elements);
}

std::string one_text(const Form& form) {
  switch (form.kind) {
    case Form::Kind::number:
      return "number";
    case Form::Kind::integer:
      return "integer";
    case Form::Kind::boolean:
      return "true or false";
    case Form::Kind::text:
      return "text";
    case Form::Kind::word:
      return "word";
    case Form::Kind::list:
      return list_text(form);
    case Form::Kind::table:
      return "table";
    case Form::Kind::names:
      return "tables by name";
  }
  return "";
}

std::string range_text(const Range& range) {
  const bool has_lower = std::isfinite(range.lower), has_upper = std::isfinite(range.upper);
  if (!has_lower && !has_upper) return range.infinite ? "also inf, -inf" : "";
  if (!has_upper) return fmt::format("{} {}", range.lower_open ? ">" : ">=", range.lower);
  return fmt::format("{}{}, {}{}", range.lower_open ? '(' : '[', range.lower, range.upper,
                     range.upper_open ? ')' : ']');
}

void add_allowed(const Forms& forms, std::vector<std::string>& parts) {
  for (const Form& form : forms) {
    if (form.kind == Form::Kind::list) add_allowed(form.elements, parts);
    const std::string text =
        form.kind == Form::Kind::word ? joined(form.words, ", ") : range_text(form.range);
    if (!text.empty() && std::ranges::find(parts, text) == parts.end()) parts.push_back(text);
  }
}

}  // namespace

std::string type_text(const Forms& forms) {
  std::vector<std::string> parts;
  for (const Form& form : forms) parts.push_back(one_text(form));
  return joined(parts, " or ");
}

std::string allowed_text(const Forms& forms) {
  std::vector<std::string> parts;
  add_allowed(forms, parts);
  return joined(parts, "; ");
}

std::string value_text(const Presence& presence) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
    std::string operator()(const std::vector<double>& v) const {
      return fmt::format("[{}]", fmt::join(v, ", "));
    }
  };
  return std::visit(Writer{}, presence.value);
}

std::string condition_text(const Key& key) {
  std::vector<std::string> parts;
  for (const KeyCondition& condition : key.conditions)
    parts.push_back(fmt::format("{} = {}", condition.key, joined(condition.words, ", ")));
  return joined(parts, " and ");
}

}  // namespace kurbel
