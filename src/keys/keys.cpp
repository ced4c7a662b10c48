#include "keys/keys.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <utility>

namespace kurbel {

std::vector<const Key*> keys_of(const KeyGroup& group) {
  std::vector<const Key*> all;
  for (const Key& key : group.keys) all.push_back(&key);
  if (group.base) {
    for (const Key* key : keys_of(group.base())) all.push_back(key);
  }
  return all;
}

Range range_of(const KeyGroup& group, const std::string& path) {
  const std::size_t dot = path.find('.');
  const auto key = std::ranges::find(group.keys, path.substr(0, dot), &Key::name);
  if (key == group.keys.end())
    throw std::logic_error("the table of keys has no row " + group.name + "." + path);
  const Form& form = key->forms.front();
  if (dot != std::string::npos) return range_of(form.group(), path.substr(dot + 1));
  return form.kind == Form::Kind::list ? form.elements.front().range : form.range;
}

std::string unit_of_key(const KeyGroup& root, const std::string& path) {
  auto words = std::views::split(path, '.');
  const KeyGroup* group = &root;
  bool is_name = false;
  std::string unit;
  for (const auto part : words) {
    const std::string word(part.begin(), part.end());
    if (std::exchange(is_name, false)) continue;
    const std::vector<const Key*> keys = keys_of(*group);
    const auto key = std::ranges::find(keys, word, &Key::name);
    if (key == keys.end()) return "";
    unit = (*key)->unit;
    for (const Form& form : (*key)->forms) {
      if (!form.group) continue;
      group = &form.group();
      is_name = form.kind == Form::Kind::names;
    }
  }
  return unit;
}

namespace keys {

Forms operator|(Forms one, const Forms& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

Forms one_or_more(const KeyGroup& (*group)()) {
  return table(group) | list_of(table(group));
}

}  // namespace keys

}  // namespace kurbel
