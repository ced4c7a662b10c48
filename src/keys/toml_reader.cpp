#include "keys/toml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "keys/toml_shared.hpp"

namespace kurbel {

namespace {

/// Returns what to write in place of a word of other programs; nullptr for other words.
const std::string* hint_of(const KeyGroup& group, const std::string& key) {
  const auto hint = std::ranges::find(group.hints, key, &std::pair<std::string, std::string>::first);
  return hint == group.hints.end() ? nullptr : &hint->second;
}

/// The unknown key among those of a table, in words.
std::string unknown_key(const TomlPlace& place, const std::string& table_path, const std::string& key,
                        const std::set<std::string, std::less<>>& known, const KeyGroup* group) {
  const std::string prefix = table_path.empty() ? "" : table_path + ".";
  std::vector<std::string> names(known.begin(), known.end());
  std::string advice;
  if (const std::string* hint = group ? hint_of(*group, key) : nullptr) {
    advice = "; " + *hint;
  } else if (const auto nearest = nearest_spelling(key, names)) {
    advice = fmt::format("; did you mean {}{}?", prefix, *nearest);
  } else if (!names.empty()) {
    advice = fmt::format("; known here: {}", fmt::join(names, ", "));
  }
  return fmt::format("{}: unknown key {}{}", place.text(), printable(prefix + key), advice);
}

/// "3", "2 or more", "2 to 3"
std::string count_text(std::size_t least, std::size_t most) {
  if (least == most) return fmt::format("{}", least);
  return most == std::string::npos ? fmt::format("{} or more", least) : fmt::format("{} to {}", least, most);
}

}  // namespace

void TomlTable::Shared::check(const TomlValue& table, const std::string& path) const {
  const auto found = tables.find(&table);
  if (found == tables.end()) return;
  const Known& known = found->second;
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (const auto* entries = table.table()) {
    for (const TomlEntry& entry : *entries) {
      if (!known.requested.contains(entry.key)) {
        const std::string why = known.group ? why_without_meaning(table, *known.group, entry.key) : "";
        if (why.empty())
          throw InputError(unknown_key(entry.value.place, path, entry.key, known.requested, known.group));
        throw document.error(inner(entry.key),
                             entry.value.table() ? why : fmt::format("= {} {}", entry.value.to_toml(), why));
      }
      check(entry.value, inner(entry.key));
    }
  } else if (const auto* elements = table.array()) {
    for (std::size_t i = 0; i < elements->size(); ++i) check((*elements)[i], inner(std::to_string(i)));
  }
}

TomlTable::TomlTable(const TomlDocument& document, const KeyGroup& keys)
    : TomlTable(std::make_shared<Shared>(Shared{document, {}}), &document.root, "", "",
                Scope{.group = &keys}) {}

TomlTable::TomlTable(std::shared_ptr<Shared> shared, const TomlValue* value, std::string path,
                     std::string_view name, Scope scope)
    : shared_(std::move(shared)),
      value_(value),
      path_(std::move(path)),
      name_(name),
      scope_(std::move(scope)) {
  if (value_) shared_->tables[value_].group = scope_.group;
}

const std::filesystem::path& TomlTable::directory() const {
  return shared_->document.directory;
}

std::string TomlTable::full_key(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return fmt::format("{}.{}", path_, key);
}

TomlTable TomlTable::child(std::string_view key, const TomlValue* value, Scope scope) const {
  return TomlTable(shared_, value, full_key(key), key, std::move(scope));
}

const TomlValue* TomlTable::find(std::string_view key) const {
  require_row(key);
  if (!value_) return nullptr;
  const TomlValue* value = value_->find(key);
  shared_->tables[value_].requested.emplace(key);
  if (value) refuse_replaced(key);
  return value;
}

void TomlTable::refuse_misspelling(std::string_view key) const {
  if (!value_ || !value_->table()) return;
  const auto& requested = shared_->tables[value_].requested;
  for (const TomlEntry& entry : *value_->table()) {
    if (requested.contains(entry.key) || !nearest_spelling(entry.key, {std::string(key)})) continue;
    throw InputError(unknown_key(entry.value.place, path_, entry.key, {std::string(key)}, nullptr));
  }
}

const TomlValue& TomlTable::get(std::string_view key, const std::string& expected) const {
  if (const TomlValue* value = find(key)) return *value;
  refuse_misspelling(key);
  for (const Key* row : rows_of(key)) {
    using Kind = Presence::Kind;
    if (row->presence.kind != Kind::required && row->presence.kind != Kind::required_if)
      fail_in_table_of_keys(key, "is required, and its row says that it is not");
  }
  fail(key, "is missing; it must be {}", expected);
}

void TomlTable::fail(std::string_view key, const std::string& message) const {
  throw shared_->document.error(full_key(key), message);
}

void TomlTable::refuse(std::string_view key, const std::string& message) const {
  const TomlValue* value = value_ ? value_->find(key) : nullptr;
  fail(key, value ? fmt::format("= {} {}", value->to_toml(), message) : message);
}

void TomlTable::fail_type(std::string_view key, const TomlValue& value, const std::string& expected) const {
  if (value.table()) fail(key, "must be {}, not a table", expected);
  refuse(key, "must be {}, not {}", expected, value.type_name());
}

bool TomlTable::has(std::string_view key) const {
  return find(key) != nullptr;
}

bool TomlTable::is_text(std::string_view key) const {
  const TomlValue* value = find(key);
  return value && std::holds_alternative<std::string>(value->data) &&
         !is_quantity(key, *value, Form::Kind::number) && !is_quantity(key, *value, Form::Kind::list);
}

bool TomlTable::is_table(std::string_view key) const {
  const TomlValue* value = find(key);
  return value && value->table();
}

bool TomlTable::is_list(std::string_view key) const {
  const TomlValue* value = find(key);
  return value && (value->array() || is_quantity(key, *value, Form::Kind::list));
}

bool TomlTable::is_list_of_lists(std::string_view key) const {
  const TomlValue* value = find(key);
  return value && value->array() && !value->array()->empty() && value->array()->front().array();
}

double TomlTable::number(std::string_view key, const std::optional<Range>& within) const {
  const Row row = row_of_number(key);
  const Range range = within.value_or(row.form->range);
  return checked_number(key, get(key, range.description()), range, row.unit);
}

double TomlTable::number_or(std::string_view key, double absent, const std::optional<Range>& within) const {
  check_default(key, absent);
  return has(key) ? number(key, within) : absent;
}

int TomlTable::integer(std::string_view key, const std::optional<Range>& within) const {
  const Range range = within.value_or(row(key, Form::Kind::integer).form->range);
  const TomlValue& value = get(key, "an integer");
  const auto* integer = std::get_if<std::int64_t>(&value.data);
  if (!integer) refuse(key, "must be an integer");
  const auto x = static_cast<double>(*integer);
  if (!range.contains(x)) refuse(key, range.complaint(x));
  if (*integer > std::numeric_limits<int>::max() || *integer < std::numeric_limits<int>::min()) {
    refuse(key, "is too large");
  }
  return static_cast<int>(*integer);
}

int TomlTable::integer_or(std::string_view key, int absent) const {
  check_default(key, static_cast<double>(absent));
  return has(key) ? integer(key) : absent;
}

bool TomlTable::boolean_or(std::string_view key, bool absent) const {
  row(key, Form::Kind::boolean);
  check_default(key, absent);
  const TomlValue* value = find(key);
  if (!value) return absent;
  const auto* boolean = std::get_if<bool>(&value->data);
  if (!boolean) fail_type(key, *value, "true or false");
  return *boolean;
}

std::string TomlTable::text(std::string_view key) const {
  row_of_text(key);
  const TomlValue& value = get(key, "text");
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text) fail_type(key, value, "text in quotes");
  return *text;
}

std::string TomlTable::text_or(std::string_view key, const std::string& absent) const {
  check_default(key, absent);
  return has(key) ? text(key) : absent;
}

std::vector<std::string> TomlTable::texts(std::string_view key) const {
  const bool may_be_empty = row(key, Form::Kind::list).form->least == 0;
  const TomlValue& value = get(key, "a list of texts");
  if (!value.array()) fail_type(key, value, "a list of texts");
  if (value.array()->empty() && !may_be_empty) refuse(key, "is empty; name at least one");
  const TomlTable elements = elements_of(key, value);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < value.array()->size(); ++i) out.push_back(elements.text(std::to_string(i)));
  return out;
}

std::vector<double> TomlTable::numbers(std::string_view key) const {
  const Form& form = *row_of_numbers(key).form;
  return numbers(key, form.least, form.most);
}

std::vector<double> TomlTable::numbers(std::string_view key, std::size_t least, std::size_t most,
                                       const std::optional<Range>& within) const {
  const Row row = row_of_numbers(key);
  const std::string expected = fmt::format("a list of {} numbers", count_text(least, most));
  const TomlValue& value = get(key, expected);
  std::vector<double> out;
  if (is_quantity(key, value, Form::Kind::list)) {
    out = numbers_of_text(key, std::get<std::string>(value.data),
                          within.value_or(row.form->elements.front().range), row.unit);
    if (out.size() < least || out.size() > most) refuse(key, "must be {}, not of {}", expected, out.size());
    return out;
  }
  const TomlTable elements = sized_list(key, least, most, expected);
  for (std::size_t i = 0; i < value.array()->size(); ++i)
    out.push_back(elements.number(std::to_string(i), within));
  return out;
}

Vector3d TomlTable::vector3(std::string_view key) const {
  const auto v = numbers(key, 3, 3);
  return {v[0], v[1], v[2]};
}

Vector3d TomlTable::vector3_or(std::string_view key, const Vector3d& absent) const {
  check_default(key, std::vector<double>(absent.begin(), absent.end()));
  return has(key) ? vector3(key) : absent;
}

std::size_t TomlTable::word_index(std::string_view key, const std::vector<std::string>& words) const {
  if (row(key, Form::Kind::word).form->words != words) fail_in_table_of_keys(key, "has other words");
  return index_among(key, words);
}

std::vector<std::size_t> TomlTable::word_indices(std::string_view key,
                                                 const std::vector<std::string>& words) const {
  const std::size_t count = texts(key).size();
  const TomlTable list = this->list(key, count);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = list.word_index(std::to_string(i), words);
    if (std::ranges::find(indices, index) != indices.end())
      list.refuse(std::to_string(i), "stands twice in the list");
    indices.push_back(index);
  }
  return indices;
}

std::string TomlTable::choice_among(std::string_view key, const std::vector<std::string>& some) const {
  const std::vector<std::string>& all = row(key, Form::Kind::word).form->words;
  for (const std::string& word : some) {
    if (std::ranges::find(all, word) == all.end()) fail_in_table_of_keys(key, "has no word " + word);
  }
  return some[index_among(key, some)];
}

std::size_t TomlTable::index_among(std::string_view key, const std::vector<std::string>& words) const {
  const TomlValue& value = get(key, fmt::format("one of {}", fmt::join(words, ", ")));
  const auto* word = std::get_if<std::string>(&value.data);
  if (!word) fail_type(key, value, fmt::format("one of {}", fmt::join(words, ", ")));
  const auto it = std::find(words.begin(), words.end(), *word);
  if (it == words.end()) refuse(key, "is unknown" + spelling_advice(*word, words, "\""));
  return static_cast<std::size_t>(it - words.begin());
}

TomlTable TomlTable::table(std::string_view key) const {
  const TomlValue& value = get(key, "a table");
  if (!value.table()) fail_type(key, value, "a table");
  return child(key, &value, scope_of_table(key));
}

TomlTable TomlTable::table_or_empty(std::string_view key) const {
  return has(key) ? table(key) : child(key, nullptr, scope_of_table(key));
}

std::vector<TomlTable> TomlTable::children() const {
  std::vector<TomlTable> out;
  if (!value_) return out;
  auto& requested = shared_->tables[value_].requested;
  for (const TomlEntry& entry : *value_->table()) {
    requested.insert(requested.end(), entry.key);
    if (!entry.value.table()) fail_type(entry.key, entry.value, "a table");
    // Where keys are not names, these tables are only told to be out of place.
    out.push_back(child(entry.key, &entry.value, scope_.group ? Scope{} : scope_of_table(entry.key)));
  }
  return out;
}

TomlTable TomlTable::sized_list(std::string_view key, std::size_t least, std::size_t most,
                                const std::string& expected) const {
  const TomlValue& value = get(key, expected);
  if (!value.array()) fail_type(key, value, expected);
  const std::size_t size = value.array()->size();
  if (size < least || size > most) refuse(key, "must be {}, not of {}", expected, size);
  return elements_of(key, value);
}

TomlTable TomlTable::list(std::string_view key, std::size_t count) const {
  row(key, Form::Kind::list);
  return sized_list(key, count, count, fmt::format("a list of {}", count));
}

TomlTable TomlTable::list(std::string_view key) const {
  const Form& form = *row(key, Form::Kind::list).form;
  if (form.least == form.most) return list(key, form.least);
  const bool is_of_numbers = form.elements.size() == 1 && form.elements.front().kind == Form::Kind::number;
  return sized_list(
      key, form.least, form.most,
      fmt::format("a list of {}{}", count_text(form.least, form.most), is_of_numbers ? " numbers" : ""));
}

std::vector<TomlTable> TomlTable::one_or_more(std::string_view key) const {
  const TomlValue* value = find(key);
  scope_of_table(key);
  if (!value) return {};
  if (!value->array()) return {table(key)};
  const TomlTable elements = elements_of(key, *value);
  std::vector<TomlTable> out;
  for (std::size_t i = 0; i < value->array()->size(); ++i) out.push_back(elements.table(std::to_string(i)));
  return out;
}

void TomlTable::finish() const {
  shared_->check(shared_->document.root, "");
}

}  // namespace kurbel
