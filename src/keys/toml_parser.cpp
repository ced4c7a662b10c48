#include "keys/toml_parser.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "keys/other_format.hpp"
#include "keys/toml_tree.hpp"

namespace kurbel {

namespace {

/// Tables and arrays inside each other. No input needs as many, and recursion needs memory for each.
constexpr int most_levels = 100;
/// Parts of a dotted key. The library bounds the depth of arrays and braces, but not that of keys.
constexpr int most_key_parts = 20;

/// The position behind the string that begins at `at`; `line` is advanced with it.
std::size_t end_of_string(std::string_view text, std::size_t at, int& line) {
  const char quote = text[at];
  const std::size_t n_quotes = text.substr(at, 3) == std::string(3, quote) ? 3 : 1;
  const std::string closing(n_quotes, quote);
  for (at += n_quotes; at < text.size(); ++at) {
    if (text[at] == '\n' && n_quotes == 1) return at;  // not valid: a string on one line
    if (text[at] == '\n') ++line;
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text.substr(at, n_quotes) == closing) {
      at += n_quotes;
      // Up to two quotes before the closing ones belong to the text.
      for (int k = 0; k < 2 && n_quotes == 3 && at < text.size() && text[at] == quote; ++k) ++at;
      return at;
    }
  }
  return text.size();
}

/// The first line with a key of too many parts, such as a.b.c; 0 if there is none.
int line_of_long_key(std::string_view text) {
  int line = 1, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i, line);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    const bool within_key =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ' || c == '\t';
    if (c == '.') {
      if (++dots >= most_key_parts) return line;
    } else if (!within_key) {
      dots = 0;
    }
    if (c == '\n') ++line;
    ++i;
  }
  return 0;
}

/// The same as toml::parse(), but does not run out of stack.
toml::table parse(std::string_view text, const std::string& source) {
  if (const int line = line_of_long_key(text); line > 0) {
    throw InputError(
        fmt::format("{}:{}: a key has more than {} parts between dots", source, line, most_key_parts));
  }
  return toml::parse(text);
}

TomlValue convert(const toml::node& node, const std::string& file, int line, int level = 0) {
  TomlValue value;
  const int own_line = static_cast<int>(node.source().begin.line);
  value.place = {file, line > 0 ? line : own_line};
  if (level > most_levels) {
    throw InputError(
        fmt::format("{}: tables and lists are nested more than {} deep", value.place.text(), most_levels));
  }
  if (const auto* table = node.as_table()) {
    // The library sorts its keys; the user's order is that of their positions.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, child] : *table) entries.emplace_back(&key, &child);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto& at = a.first->source().begin;
      const auto& bt = b.first->source().begin;
      return std::pair(at.line, at.column) < std::pair(bt.line, bt.column);
    });
    TomlValue::Table out;
    for (const auto& [key, child] : entries) {
      const int key_line = static_cast<int>(key->source().begin.line);
      out.push_back({std::string(key->str()), convert(*child, file, key_line, level + 1)});
    }
    value.data = std::move(out);
    value.in_braces = table->is_inline();
  } else if (const auto* array = node.as_array()) {
    TomlValue::Array out;
    for (const toml::node& child : *array) out.push_back(convert(child, file, 0, level + 1));
    value.data = std::move(out);
  } else if (const auto* boolean = node.as_boolean()) {
    value.data = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else {
    throw InputError(value.place.text() + ": dates and times have no meaning in an input file");
  }
  return value;
}

/// The error for a text that is no TOML. If it is in another known format, the message says so instead.
InputError not_toml(std::string_view text, const std::string& file, const std::string& fault) {
  const std::string other = other_format(text, file);
  return InputError(other.empty() ? fault : other);
}

toml::table parse_file(std::string_view text, const std::string& file) {
  try {
    return parse(text, file);
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    const auto tells = [&](std::string_view what) {
      return error.description().find(what) != std::string_view::npos;
    };
    throw not_toml(
        text, file,
        fmt::format("{}:{}:{}: not valid TOML: {}{}", file, at.line, at.column, error.description(),
                    tells("into existing inline table")
                        ? ". A table in braces is complete: write these keys within its braces, or write it "
                          "as a [table] of its own"
                    : tells("invalid utf-8") ? ". Save the file as UTF-8"
                                             : ""));
  } catch (const InputError& error) {
    throw not_toml(text, file, error.what());
  }
}

}  // namespace

TomlValue parse_toml(std::string_view text, const std::string& file) {
  return convert(parse_file(text, file), file, 1);
}

std::vector<std::string> key_path(std::string_view text, const std::string& source) {
  constexpr std::int64_t value = 75123;  // no other value may come of a key, as of "a = 1 #"
  const InputError no_key(fmt::format(
      "{}: \"{}\" is not a key; write names between dots, as in bodies.crank.mass", source, printable(text)));
  std::vector<std::string> path;
  try {
    const toml::table parsed = parse(fmt::format("{} = {}", text, value), source);
    const toml::node* leaf = &parsed;
    for (const toml::table* at = &parsed; at; at = leaf->as_table()) {
      if (at->size() != 1) throw no_key;
      path.emplace_back(at->begin()->first.str());
      leaf = &at->begin()->second;
    }
    if (!leaf->as_integer() || leaf->as_integer()->get() != value) throw no_key;
  } catch (const toml::parse_error&) {
    throw no_key;
  }
  return path;
}

Override parse_override(const std::string& text) {
  const std::string source = "--set " + printable(text);
  const std::size_t equals = text.find('=');
  const std::string_view key = trimmed(std::string_view(text).substr(0, equals));
  const std::string_view value =
      equals == std::string::npos ? "" : trimmed(std::string_view(text).substr(equals + 1));
  if (key.empty() || value.empty() || key.find('\n') != std::string_view::npos)
    throw InputError(source + ": write --set key.path=value");

  Override change{key_path(key, source), {}};
  try {
    const toml::table parsed = parse(fmt::format("value = {}", value), source);
    if (parsed.size() != 1)
      throw InputError(source + ": has more lines than one value; give each key a --set of its own");
    change.value = convert(*parsed.get("value"), source, 0);
  } catch (const toml::parse_error& error) {
    if (std::string_view("[{\"'").find(value.front()) != std::string_view::npos) {
      throw InputError(fmt::format("{}: not a valid TOML value: {}", source, error.description()));
    }
    change.value.data = std::string(value);
  }
  set_place(change.value, {source, 0});
  return change;
}

std::string text_override(const std::string& key_path, std::string_view text) {
  return key_path + "=" + toml_string(text);
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace kurbel
