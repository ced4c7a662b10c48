#include "problem/keys.hpp"

namespace kurbel {

std::vector<const Key*> keys_of(const KeyGroup& group, Formulation formulation) {
  std::vector<const Key*> all;
  for (const Key& key : group.keys) {
    if (!key.formulation || *key.formulation == formulation) all.push_back(&key);
  }
  if (group.base) {
    for (const Key* key : keys_of(group.base(), formulation)) all.push_back(key);
  }
  return all;
}

const char* word_of(Formulation formulation) {
  switch (formulation) {
    case Formulation::floating_frame:
      return "floating-frame";
    case Formulation::absolute_coordinates:
      return "absolute-coordinates";
  }
  return "";
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
