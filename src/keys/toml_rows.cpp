/// Rows of the tables of an input file in the table of keys.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "keys/toml_shared.hpp"

namespace kurbel {

namespace {

std::mutex requested_mutex;
std::set<const Key*> requested;

void note(const Key& key) {
  const std::lock_guard lock(requested_mutex);
  requested.insert(&key);
}

bool is_numeric(const Form& form) {
  return form.kind == Form::Kind::number || form.kind == Form::Kind::integer;
}

bool has_row(const KeyGroup& group, std::string_view name) {
  return std::ranges::any_of(group.keys, [&](const Key& key) { return key.name == name; }) ||
         (group.base && has_row(group.base(), name));
}

/// The word that the key of a path such as "frame.type" has in a table, or else its default.
std::optional<std::string> word_at(const TomlValue* table, const KeyGroup& group, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  const TomlValue* value = table ? table->find(name) : nullptr;
  for (const Key* key : keys_of(group)) {
    if (key->name != name) continue;
    if (dot != std::string::npos) return word_at(value, key->forms.front().group(), path.substr(dot + 1));
    const auto* word =
        value ? std::get_if<std::string>(&value->data) : std::get_if<std::string>(&key->presence.value);
    return word ? std::optional(*word) : std::nullopt;
  }
  return {};
}

bool holds(const TomlValue* table, const KeyGroup& group, const KeyCondition& condition) {
  const auto word = word_at(table, group, condition.key);
  return word && std::ranges::find(condition.words, *word) != condition.words.end();
}

/// law = "hooke", "linear" or "cubic"
std::string text_of(const KeyCondition& condition) {
  std::string text = condition.key + " = ";
  for (std::size_t i = 0, n = condition.words.size(); i < n; ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == n ? " or " : ", ", condition.words[i]);
  return text;
}

/// Adds the words of a condition to those that another one on the same key has.
void add(const KeyCondition& condition, std::vector<KeyCondition>& all) {
  const auto same = std::ranges::find(all, condition.key, &KeyCondition::key);
  if (same == all.end()) return all.push_back(condition);
  for (const std::string& word : condition.words)
    if (std::ranges::find(same->words, word) == same->words.end()) same->words.push_back(word);
}

/// True if a row of a key applies in a table.
bool has_meaning(const TomlValue& table, const KeyGroup& group, const std::string& key) {
  return std::ranges::any_of(keys_of(group), [&](const Key* row) {
    return row->name == key && std::ranges::all_of(row->conditions, [&](const KeyCondition& condition) {
             return holds(&table, group, condition);
           });
  });
}

}  // namespace

std::string why_without_meaning(const TomlValue& table, const KeyGroup& group, const std::string& key) {
  constexpr std::size_t few = 3;
  std::vector<KeyCondition> needs;
  std::string reason, without;  // the key of a condition that has no meaning itself
  for (const Key* row : keys_of(group)) {
    if (row->name != key) continue;
    const auto fails = [&](const KeyCondition& condition) { return !holds(&table, group, condition); };
    const auto failed = std::ranges::find_if(row->conditions, fails);
    if (failed == row->conditions.end()) return "";
    const std::string other = failed->key.substr(0, failed->key.find('.'));
    if (!has_meaning(table, group, other)) {
      if (without.empty()) without = other;
      continue;
    }
    add(*failed, needs);
    reason = row->why_not;
  }
  if (needs.empty()) return without.empty() ? "" : why_without_meaning(table, group, without);
  const auto is_stated = [&](const KeyCondition& need) {
    return table.find(need.key.substr(0, need.key.find('.'))) != nullptr;
  };
  if (const auto stated = std::ranges::find_if(needs, is_stated); stated != needs.end()) needs = {*stated};
  const std::string of = needs.front().key;
  const std::optional<std::string> word = word_at(&table, group, of);
  std::erase_if(needs, [](const KeyCondition& need) { return need.words.size() > few; });
  if (needs.empty()) return fmt::format("has no meaning for {} = \"{}\"", of, word.value_or(""));
  std::string text;
  for (const KeyCondition& need : needs) text += (text.empty() ? "needs " : ", or ") + text_of(need);
  if (needs.size() == 1 && word) text += fmt::format(", not \"{}\"", *word);
  return reason.empty() ? text : fmt::format("{}, {}", text, reason);
}

std::set<const Key*> requested_rows() {
  const std::lock_guard lock(requested_mutex);
  return requested;
}

void TomlTable::fail_in_table_of_keys(std::string_view key, const std::string& what) const {
  throw std::logic_error(
      fmt::format("the table of keys and the reader do not agree: {} {}", full_key(key), what));
}

void TomlTable::require_row(std::string_view key) const {
  if (scope_.group && !has_row(*scope_.group, key)) fail_in_table_of_keys(key, "has no row");
}

/// A key of the file and one that it is in place of do not both hold.
void TomlTable::refuse_replaced(std::string_view key) const {
  for (const Key* row : rows_of(key)) {
    for (const std::string& other : row->replaces) {
      if (value_->find(other)) refuse(key, "stands beside {}; give one of the two", other);
    }
  }
}

bool TomlTable::applies(const Key& row) const {
  return std::ranges::all_of(
      row.conditions, [&](const KeyCondition& condition) { return holds(value_, *scope_.group, condition); });
}

/// Those that apply here.
std::vector<const Key*> TomlTable::rows_of(std::string_view key) const {
  std::vector<const Key*> rows;
  if (!scope_.group) return rows;
  for (const Key* row : keys_of(*scope_.group)) {
    if (row->name == key && applies(*row)) rows.push_back(row);
  }
  return rows;
}

/// The row of a key, or in a list the form of its elements, that fits what is read.
TomlTable::Row TomlTable::row(std::string_view key, const Fits& fits) const {
  for (const Key* row : rows_of(key)) {
    const auto form = std::ranges::find_if(row->forms, fits);
    if (form == row->forms.end()) continue;
    note(*row);
    return {row, &*form, unit_in(*row)};
  }
  const auto form = std::ranges::find_if(scope_.any, fits);
  if (form == scope_.any.end()) fail_in_table_of_keys(key, "has no row of what is read here");
  return {nullptr, &*form, scope_.unit};
}

TomlTable::Row TomlTable::row(std::string_view key, Form::Kind kind) const {
  return row(key, [kind](const Form& form) { return form.kind == kind; });
}

TomlTable::Row TomlTable::row_of_number(std::string_view key) const {
  return row(key, &is_numeric);
}

TomlTable::Row TomlTable::row_of_numbers(std::string_view key) const {
  return row(key, [](const Form& form) {
    return form.kind == Form::Kind::list && std::ranges::any_of(form.elements, &is_numeric);
  });
}

TomlTable::Row TomlTable::row_of_text(std::string_view key) const {
  return row(key,
             [](const Form& form) { return form.kind == Form::Kind::text || form.kind == Form::Kind::word; });
}

TomlTable::Scope TomlTable::scope_of_table(std::string_view key) const {
  const Row row = this->row(
      key, [](const Form& one) { return one.kind == Form::Kind::table || one.kind == Form::Kind::names; });
  const std::string inner = row.unit.empty() ? unit() : row.unit;
  if (row.form->kind == Form::Kind::table) return {.group = &row.form->group(), .unit = inner};
  return {.any = keys::table(row.form->group), .unit = inner};
}

TomlTable TomlTable::elements_of(std::string_view key, const TomlValue& value) const {
  Scope scope;
  const auto add = [&](const Forms& forms) {
    for (const Form& form : forms)
      scope.any.insert(scope.any.end(), form.elements.begin(), form.elements.end());
  };
  for (const Key* row : rows_of(key)) {
    add(row->forms);
    scope.unit = unit_in(*row);
  }
  if (!scope_.group) {
    add(scope_.any);
    scope.unit = scope_.unit;
  }
  return child(key, &value, std::move(scope));
}

void TomlTable::check_default(std::string_view key, const decltype(Presence::value)& absent) const {
  const std::vector<const Key*> rows = rows_of(key);
  if (rows.empty()) fail_in_table_of_keys(key, "has no row of what is read here");
  note(*rows.front());
  const Presence& presence = rows.front()->presence;
  switch (presence.kind) {
    case Presence::Kind::constant:
      if (presence.value == absent) return;
      fail_in_table_of_keys(key, "has another default");
    case Presence::Kind::otherwise:
      return;
    case Presence::Kind::optional:
      if (absent == decltype(Presence::value)(std::string())) return;
      fail_in_table_of_keys(key, "has a default that is not in its row");
    case Presence::Kind::required:
    case Presence::Kind::required_if:
      fail_in_table_of_keys(key, "is required by its row, and has a default");
  }
}

}  // namespace kurbel
