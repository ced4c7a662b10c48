#include "keys/toml_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/files.hpp"
#include "base/spelling.hpp"
#include "keys/toml_parser.hpp"
#include "keys/toml_sources.hpp"
#include "keys/toml_tree.hpp"

namespace kurbel {

namespace fs = std::filesystem;

namespace {

template <class Value>
auto find_in(Value& parent, std::string_view key) -> decltype(parent.find(key)) {
  if (auto* table = std::get_if<TomlValue::Table>(&parent.data)) {
    const auto entry =
        std::find_if(table->begin(), table->end(), [&](const auto& e) { return e.key == key; });
    return entry == table->end() ? nullptr : &entry->value;
  }
  if (auto* array = std::get_if<TomlValue::Array>(&parent.data)) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      const TomlValue* name = (*array)[i].table() ? std::as_const((*array)[i]).find("name") : nullptr;
      const std::string* text = name ? std::get_if<std::string>(&name->data) : nullptr;
      if (std::to_string(i) == key || (text && *text == key)) return &(*array)[i];
    }
  }
  return nullptr;
}

/// Lays `later` over `base`.
void merge(TomlValue& base, TomlValue&& later) {
  auto* base_table = std::get_if<TomlValue::Table>(&base.data);
  auto* later_table = std::get_if<TomlValue::Table>(&later.data);
  if (!base_table || !later_table || later.in_braces) {
    base = std::move(later);
    return;
  }
  for (TomlEntry& entry : *later_table) {
    if (TomlValue* known = base.find(entry.key)) {
      merge(*known, std::move(entry.value));
    } else {
      base_table->push_back(std::move(entry));
    }
  }
}

std::string read_included(const fs::path& file, const TomlPlace& mentioned_at) {
  try {
    return read_text_file(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: include: {}", mentioned_at.text(), error.what()));
  }
}

std::vector<std::string> included_files(const TomlValue& include) {
  std::vector<std::string> files;
  const auto add = [&](const TomlValue& value) {
    const auto* file = std::get_if<std::string>(&value.data);
    if (!file) {
      throw InputError(include.place.text() + ": include must be a file name or a list of file names");
    }
    files.push_back(*file);
  };
  if (const auto* list = include.array()) {
    std::for_each(list->begin(), list->end(), add);
  } else {
    add(include);
  }
  return files;
}

/// The state while files include each other.
struct Inclusion {
  std::vector<fs::path> open;     ///< files being read
  std::vector<fs::path> sources;  ///< files that have been included
};

/// The tree of `text` laid over those of the files that it includes.
TomlValue merged_tree(const std::string& text, const std::string& file, const fs::path& directory,
                      Inclusion& inclusion) {
  TomlValue tree = parse_toml(text, file);
  auto& entries = std::get<TomlValue::Table>(tree.data);
  const auto include =
      std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.key == "include"; });
  if (include == entries.end()) return tree;
  const TomlValue value = std::move(include->value);
  entries.erase(include);

  TomlValue merged{TomlValue::Table{}, tree.place};
  for (const std::string& name : included_files(value)) {
    constexpr int most_files = 1000;  // files that include others twice each would be read without an end
    if (inclusion.sources.size() >= most_files)
      throw InputError(fmt::format("{}: include: more than {} files", value.place.text(), most_files));
    const std::string included = read_included(directory / name, value.place);
    const fs::path path = fs::weakly_canonical(directory / name);
    const std::string shown = (fs::path(file).parent_path() / name).lexically_normal().string();
    std::vector<fs::path>& open = inclusion.open;
    if (std::find(open.begin(), open.end(), path) != open.end()) {
      throw InputError(fmt::format("{}: include = \"{}\" leads back to a file that is being read",
                                   value.place.text(), name));
    }
    open.push_back(path);
    inclusion.sources.push_back(path);
    merge(merged, merged_tree(included, shown, path.parent_path(), inclusion));
    open.pop_back();
  }
  merge(merged, std::move(tree));
  return merged;
}

void write_key(std::string& out, const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  out += bare ? key : toml_string(key);
}

void write_tables(std::string& out, const TomlValue& table, const std::string& path) {
  for (const TomlEntry& entry : *table.table()) {
    if (entry.value.table() && !entry.value.in_braces) continue;
    write_key(out, entry.key);
    out += fmt::format(" = {}\n", entry.value.to_toml());
  }
  for (const TomlEntry& entry : *table.table()) {
    if (!entry.value.table() || entry.value.in_braces) continue;
    std::string inner = path.empty() ? "" : path + ".";
    write_key(inner, entry.key);
    out += fmt::format("\n[{}]\n", inner);
    write_tables(out, entry.value, inner);
  }
}

}  // namespace

const TomlValue* find_at(const TomlValue& root, std::string_view key_path) {
  const TomlValue* value = &root;
  while (value && !key_path.empty()) {
    const std::size_t dot = std::min(key_path.find('.'), key_path.size());
    value = value->find(key_path.substr(0, dot));
    key_path.remove_prefix(std::min(dot + 1, key_path.size()));
  }
  return value;
}

void set_place(TomlValue& value, const TomlPlace& place) {
  value.place = place;
  if (auto* table = std::get_if<TomlValue::Table>(&value.data)) {
    for (TomlEntry& entry : *table) set_place(entry.value, place);
  } else if (auto* array = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& element : *array) set_place(element, place);
  }
}

void set_value(TomlValue& root, const std::vector<std::string>& path, TomlValue value) {
  TomlValue* at = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    TomlValue* next = at->find(path[i]);
    if (!next && at->table()) {
      auto& entries = std::get<TomlValue::Table>(at->data);
      entries.push_back({path[i], TomlValue{TomlValue::Table{}, value.place}});
      next = &entries.back().value;
    }
    if (!next) {
      const std::string parent =
          fmt::format("{}", fmt::join(path.begin(), path.begin() + static_cast<long>(i), "."));
      const std::string reason = at->array() ? fmt::format("{} has no element {}", parent, path[i])
                                             : fmt::format("{} is {}, not a table", parent, at->type_name());
      throw InputError(fmt::format("{}: {}", value.place.text(), reason));
    }
    at = next;
  }
  merge(*at, std::move(value));
}

std::string TomlPlace::text() const {
  return line > 0 ? fmt::format("{}:{}", source, line) : source;
}

const TomlValue* TomlValue::find(std::string_view key) const {
  return find_in(*this, key);
}
TomlValue* TomlValue::find(std::string_view key) {
  return find_in(*this, key);
}

std::string TomlValue::type_name() const {
  static constexpr const char* names[] = {"true or false", "a number", "a number",
                                          "text",          "a list",   "a table"};
  return names[data.index()];
}

std::string TomlValue::to_toml() const {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const {
      const std::string digits = fmt::format("{}", d);
      return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
    }
    std::string operator()(const std::string& s) const { return toml_string(s); }
    std::string operator()(const Array& array) const {
      std::string out;
      for (const TomlValue& value : array) out += (out.empty() ? "" : ", ") + value.to_toml();
      return "[" + out + "]";
    }
    std::string operator()(const Table& table) const {
      std::string out;
      for (const TomlEntry& entry : table) {
        if (!out.empty()) out += ", ";
        write_key(out, entry.key);
        out += " = " + entry.value.to_toml();
      }
      return "{" + out + "}";
    }
  };
  return std::visit(Writer{}, data);
}

TomlDocument TomlDocument::read(const std::string& file, const std::vector<std::string>& overrides) {
  const std::string text = read_text_file(file);
  return parse(text, file, fs::absolute(file).parent_path(), overrides);
}

std::vector<fs::path> toml_sources(const std::string& file) {
  const fs::path path = fs::absolute(file);
  Inclusion inclusion{{fs::weakly_canonical(path)}, {path}};
  merged_tree(read_text_file(file), file, path.parent_path(), inclusion);
  return inclusion.sources;
}

TomlDocument TomlDocument::parse(const std::string& text, const std::string& file, const fs::path& directory,
                                 const std::vector<std::string>& overrides) {
  TomlDocument document{file, directory, text, overrides, {}};
  const bool includes = parse_toml(text, file).find("include") != nullptr;
  Inclusion inclusion{{fs::weakly_canonical(directory / fs::path(file).filename())}, {}};
  document.root = merged_tree(text, file, directory, inclusion);
  if (includes) {
    document.text.clear();
    write_tables(document.text, document.root, "");
  }
  for (const std::string& override_text : overrides) {
    Override change = parse_override(override_text);
    set_value(document.root, change.path, std::move(change.value));
  }
  return document;
}

TomlDocument TomlDocument::overlaid(TomlValue tree) const {
  TomlDocument out = *this;
  merge(out.root, std::move(tree));
  return out;
}

TomlDocument TomlDocument::of_its_tree() const {
  std::string own;
  write_tables(own, root, "");
  return parse(own, file, directory);
}

const TomlValue* TomlDocument::find(std::string_view key_path) const {
  return find_at(root, key_path);
}

TomlPlace TomlDocument::place_of(std::string_view key_path) const {
  for (;;) {
    if (const TomlValue* value = find(key_path)) return value->place;
    const std::size_t dot = key_path.rfind('.');
    key_path = key_path.substr(0, dot == key_path.npos ? 0 : dot);
  }
}

InputError TomlDocument::error(std::string_view key_path, const std::string& message) const {
  const char* gap = message.starts_with(':') ? "" : " ";
  const std::string place = place_of(key_path).text();
  return InputError(
      fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", printable(key_path), gap, message));
}

}  // namespace kurbel
