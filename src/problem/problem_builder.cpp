#include "problem/problem_builder.hpp"

#include <algorithm>

#include "base/spelling.hpp"
#include "keys/toml_parser.hpp"
#include "keys/toml_tree.hpp"

namespace kurbel {

namespace {

template <class List>
TomlValue::Array array_of(const List& list) {
  TomlValue::Array array;
  for (const auto& value : list) array.push_back(InputValue(value).tree());
  return array;
}

}  // namespace

InputValue::InputValue(std::initializer_list<InputValue> list) {
  value_.data = array_of(list);
}

InputValue::InputValue(const std::vector<InputValue>& list) {
  value_.data = array_of(list);
}

InputValue::InputValue(const std::vector<double>& list) {
  value_.data = array_of(list);
}

InputValue::InputValue(const InputTable& table) {
  TomlValue::Table entries;
  for (const auto& [key, value] : table) {
    if (std::ranges::find(entries, key, &TomlEntry::key) != entries.end())
      throw InputError("a table has the key " + printable(key) + " twice");
    entries.push_back({key, value.tree()});
  }
  value_.data = std::move(entries);
}

InputValue InputValue::replacing() const {
  InputValue same = *this;
  same.value_.in_braces = true;
  return same;
}

ProblemBuilder::ProblemBuilder(std::string name, const std::filesystem::path& directory) {
  document_.directory =
      directory.empty() ? std::filesystem::current_path() : std::filesystem::absolute(directory);
  document_.root = {TomlValue::Table{}, {name, 0}};
  document_.file = std::move(name);
}

ProblemBuilder& ProblemBuilder::set(std::string_view key, const InputValue& value,
                                    const std::source_location& place) {
  return set(key, value, TomlPlace{place.file_name(), static_cast<int>(place.line())});
}

ProblemBuilder& ProblemBuilder::set(std::string_view key, const InputValue& value, const TomlPlace& place) {
  const std::vector<std::string> path = key_path(key, place.text());
  if (path.front() == "include")
    throw InputError(place.text() + ": include is a key of files; set the keys of that file instead");
  TomlValue tree = value.tree();
  set_place(tree, place);
  set_value(document_.root, path, std::move(tree));
  return *this;
}

std::string ProblemBuilder::text() const {
  return document_.of_its_tree().text;
}

Problem ProblemBuilder::problem() const {
  TomlDocument document = document_;
  document.text = text();
  return read_problem(std::move(document));
}

}  // namespace kurbel
