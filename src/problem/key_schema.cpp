#include "problem/key_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "keys/key_text.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

namespace {

using Json = nlohmann::ordered_json;

// Editors look for completions in the alternatives of anyOf, and not behind conditions, where validators find what is
// wrong by name. So references stand behind conditions, and once more in an anyOf with `true`, which is always met.

/// How much of a group a definition asks for.
enum class Extent {
  whole,  ///< all that is required, and nothing that does not apply
  part,   ///< of a file that includes others: any of its keys
  own,    ///< of a case: any of those that a case may state
};

bool has_keys_of_cases(const KeyGroup& group) {
  return std::ranges::any_of(group.keys, &Key::in_cases) || (group.base && has_keys_of_cases(group.base()));
}

/// Name of the definition.
std::string name_of(const KeyGroup& group, Extent extent) {
  const char* part = extent == Extent::whole                             ? ""
                     : extent == Extent::own && has_keys_of_cases(group) ? "case."
                                                                         : "part.";
  return part + group.name;
}

std::string description_of(const Key& key) {
  std::string text = key.meaning;
  if (!key.unit.empty()) text += fmt::format("; {}", key.unit);
  switch (key.presence.kind) {
    case Presence::Kind::constant:
      text += fmt::format(". Default: {}", value_text(key.presence));
      break;
    case Presence::Kind::otherwise:
      text += fmt::format(". If absent: {}", key.presence.text);
      break;
    case Presence::Kind::required_if:
      text += fmt::format(". Required if {}", key.presence.text);
      break;
    case Presence::Kind::required:
    case Presence::Kind::optional:
      break;
  }
  const std::string condition = condition_text(key);
  return condition.empty() ? text : fmt::format("{}. Where {}", text, condition);
}

/// A constant that JSON has.
std::optional<Json> default_of(const Presence& presence) {
  if (presence.kind != Presence::Kind::constant) return {};
  const auto* number = std::get_if<double>(&presence.value);
  if (number && !std::isfinite(*number)) return {};
  return std::visit([](const auto& value) { return Json(value); }, presence.value);
}

/// Numbers and lists of them, which may be text with another unit where a row has one.
bool may_be_quantity(const Form& form) {
  const auto is_number = [](const Form& one) { return one.kind == Form::Kind::number; };
  return is_number(form) || (form.kind == Form::Kind::list && std::ranges::all_of(form.elements, is_number));
}

const char* type_of(const Form& form) {
  switch (form.kind) {
    case Form::Kind::number:
      return "number";
    case Form::Kind::integer:
      return "integer";
    case Form::Kind::boolean:
      return "boolean";
    case Form::Kind::text:
    case Form::Kind::word:
      return "string";
    case Form::Kind::list:
      return "array";
    case Form::Kind::table:
    case Form::Kind::names:
      break;
  }
  return "object";
}

/// The keys of a group; those of a case that it may state, where a group says it of any.
std::vector<const Key*> keys_in(const KeyGroup& group, Extent extent) {
  std::vector<const Key*> keys = keys_of(group);
  const bool only_own = extent == Extent::own && has_keys_of_cases(group);
  if (only_own) std::erase_if(keys, [](const Key* key) { return !key->in_cases; });
  return keys;
}

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.lower)) schema[range.lower_open ? "exclusiveMinimum" : "minimum"] = range.lower;
  if (std::isfinite(range.upper)) schema[range.upper_open ? "exclusiveMaximum" : "maximum"] = range.upper;
}

/// Values that have one of several forms. Those of different types share one schema, whose keywords concern one
/// type each, so that a validator can say what is wrong with the type that it meets.
bool have_types_of_their_own(const Forms& forms, bool has_unit) {
  std::vector<std::string> types;
  for (const Form& form : forms) {
    if (form.kind == Form::Kind::word) return false;
    types.push_back(type_of(form));
  }
  if (has_unit && std::ranges::any_of(forms, &may_be_quantity)) types.emplace_back("string");
  std::ranges::sort(types);
  return std::ranges::adjacent_find(types) == types.end();
}

class Writer {
 public:
  Json write() {
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "kurbel input"}};
    const Json whole = define(root_keys(), Extent::whole), part = define(root_keys(), Extent::part);
    schema["anyOf"] = Json::array({true, whole});
    schema["if"] = {{"required", Json::array({"include"})}};
    schema["then"] = part;
    schema["else"] = whole;
    schema["definitions"] = definitions_;
    return schema;
  }

 private:
  /// A reference to the definition of a group, which is written when it is first requested.
  Json define(const KeyGroup& group, Extent extent) {
    const std::string name = name_of(group, extent);
    if (!definitions_.contains(name)) {
      definitions_[name] = nullptr;
      Json schema = schema_of(group, extent);
      definitions_[name] = std::move(schema);
    }
    return {{"$ref", "#/definitions/" + name}};
  }

  Json schema_of(const KeyGroup& group, Extent extent) {
    const std::vector<const Key*> keys = keys_in(group, extent);
    std::map<std::string, std::vector<Json>> forms;
    Json properties = Json::object(), required = Json::array();
    for (const Key* key : keys) {
      Json value = schema_of(key->forms, extent, !key->unit.empty());
      if (value.contains("$ref")) value = {{"allOf", Json::array({value})}};
      value["description"] = description_of(*key);
      if (const auto constant = default_of(key->presence)) value["default"] = *constant;
      forms[key->name].push_back(value);
      properties[key->name] = forms[key->name].size() == 1 ? value : Json{{"anyOf", forms[key->name]}};
      if (key->presence.kind == Presence::Kind::required && key->conditions.empty())
        required.push_back(key->name);
    }
    Json schema = {{"title", group.title}, {"type", "object"}, {"properties", properties}};
    if (extent == Extent::whole && !required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    if (extent != Extent::whole) return schema;
    Json conditions = Json::array();
    add_requirements(group, keys, conditions);
    add_refusals(group, keys, conditions);
    add_replacements(group, keys, conditions);
    if (conditions.empty()) return schema;
    // Not allOf beside the properties, where editors would not look at them any more.
    schema["if"] = true;
    schema["then"] = {{"allOf", conditions}};
    return schema;
  }

  /// Adds the keys that a condition requires, and of a key with several rows the one that holds under it.
  void add_requirements(const KeyGroup& group, const std::vector<const Key*>& keys, Json& conditions) {
    std::vector<const Key*> done;
    for (const Key* first : keys) {
      if (first->conditions.empty()) continue;
      const auto same = [&](const Key* key) { return key->conditions == first->conditions; };
      if (std::ranges::any_of(done, same)) continue;
      done.push_back(first);
      Json required = Json::array(), properties = Json::object();
      for (const Key* key : keys) {
        if (!same(key)) continue;
        if (key->presence.kind == Presence::Kind::required) required.push_back(key->name);
        const auto has_name = [&](const Key* other) { return other->name == key->name; };
        if (std::ranges::count_if(keys, has_name) > 1)
          properties[key->name] = schema_of(key->forms, Extent::whole, !key->unit.empty());
      }
      Json then = Json::object();
      if (!required.empty()) then["required"] = required;
      if (!properties.empty()) then["properties"] = properties;
      if (then.empty()) continue;
      conditions.push_back({{"if", test_of(first->conditions, group)}, {"then", then}});
    }
  }

  /// Keys none of whose rows applies.
  void add_refusals(const KeyGroup& group, const std::vector<const Key*>& keys, Json& conditions) {
    std::vector<std::pair<Json, Json>> refusals;  // test, names
    std::set<std::string> done;
    for (const Key* key : keys) {
      if (!done.insert(key->name).second) continue;
      std::vector<std::vector<KeyCondition>> alternatives;
      for (const Key* row : keys) {
        if (row->name == key->name) alternatives.push_back(row->conditions);
      }
      if (std::ranges::any_of(alternatives, [](const auto& one) { return one.empty(); })) continue;
      const Json test = test_of_none(alternatives, group);
      const auto known = std::ranges::find(refusals, test, &std::pair<Json, Json>::first);
      Json& names = known != refusals.end() ? known->second : refusals.emplace_back(test, Json()).second;
      names[key->name] = {{"not", Json::object()}};
    }
    for (const auto& [test, names] : refusals)
      conditions.push_back({{"if", test}, {"then", {{"properties", names}}}});
  }

  /// Keys that one is in place of, and those that its absence requires.
  void add_replacements(const KeyGroup& group, const std::vector<const Key*>& keys, Json& conditions) {
    const auto has = [](const std::string& name) { return Json{{"required", Json::array({name})}}; };
    for (const Key* key : keys) {
      if (!key->presence.unless.empty()) {
        Json test = {{"not", has(key->presence.unless)}};
        if (!key->conditions.empty())
          test = {{"allOf", Json::array({test, test_of(key->conditions, group)})}};
        conditions.push_back({{"if", test}, {"then", has(key->name)}});
      }
      if (key->replaces.empty()) continue;
      Json names = Json::object();
      for (const std::string& other : key->replaces) names[other] = {{"not", Json::object()}};
      conditions.push_back({{"if", has(key->name)}, {"then", {{"properties", names}}}});
    }
  }

  Json test_of(const std::vector<KeyCondition>& all, const KeyGroup& group) {
    Json tests = Json::array();
    for (const KeyCondition& one : all) tests.push_back(test_of_words(one.key, one.words, group));
    return tests.size() == 1 ? tests.front() : Json{{"allOf", tests}};
  }

  /// If the alternatives test one key for its word, it has another one that it may have.
  Json test_of_none(const std::vector<std::vector<KeyCondition>>& alternatives, const KeyGroup& group) {
    const std::string& key = alternatives.front().front().key;
    const bool one_key = std::ranges::all_of(alternatives, [&](const std::vector<KeyCondition>& one) {
      return one.size() == 1 && one.front().key == key;
    });
    if (!one_key) {
      Json tests = Json::array();
      for (const auto& one : alternatives) tests.push_back(test_of(one, group));
      return {{"not", {{"anyOf", tests}}}};
    }
    std::vector<std::string> others = leaf_of(key, group).forms.front().words;
    for (const auto& one : alternatives) {
      for (const std::string& word : one.front().words) std::erase(others, word);
    }
    return test_of_words(key, others, group);
  }

  /// Whether the key of a path has one of these words, or may be absent because its default is one of them.
  static Json test_of_words(const std::string& path, const std::vector<std::string>& words,
                            const KeyGroup& group) {
    const auto* absent = std::get_if<std::string>(&leaf_of(path, group).presence.value);
    const bool may_be_absent = absent && std::ranges::find(words, *absent) != words.end();
    Json test = {{"enum", words}};
    for (std::size_t end = path.size(); end != std::string::npos;) {
      const std::size_t dot = end == 0 ? std::string::npos : path.rfind('.', end - 1);
      const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
      const std::string name = path.substr(begin, end - begin);
      test = {{"properties", {{name, test}}}};
      if (!may_be_absent) test["required"] = Json::array({name});
      end = dot;
    }
    return test;
  }

  static const Key& leaf_of(const std::string& path, const KeyGroup& group) {
    const std::size_t dot = path.find('.');
    for (const Key* key : keys_of(group)) {
      if (key->name != path.substr(0, dot)) continue;
      if (dot == std::string::npos) return *key;
      return leaf_of(path.substr(dot + 1), key->forms.front().group());
    }
    throw std::logic_error("the table of keys has a condition on " + path + ", which has no row");
  }

  Json schema_of(const Forms& forms, Extent extent, bool has_unit) {
    if (forms.size() == 1) return schema_of(forms.front(), extent, has_unit);
    Json alternatives = Json::array(), types = Json::array();
    for (const Form& form : forms) {
      alternatives.push_back(schema_of(form, extent, has_unit));
      types.push_back(type_of(form));
    }
    if (has_unit && std::ranges::any_of(forms, &may_be_quantity)) types.push_back("string");
    if (!have_types_of_their_own(forms, has_unit)) return {{"anyOf", alternatives}};
    Json schema = {{"type", types}};
    for (const Json& one : alternatives) {
      if (one.contains("$ref")) {
        schema["anyOf"] = Json::array({true, one});
        schema["if"] = {{"type", "object"}};
        schema["then"] = one;
        continue;
      }
      for (const auto& [keyword, value] : one.items()) {
        if (keyword != "type") schema[keyword] = value;
      }
    }
    return schema;
  }

  Json schema_of(const Form& form, Extent extent, bool has_unit) {
    Json schema = {{"type", type_of(form)}};
    if (has_unit && may_be_quantity(form)) {
      schema["type"] = Json::array({type_of(form), "string"});
      schema["pattern"] = R"(^\s*[-+.0-9\[][\s\S]*[A-Za-z])";
    }
    switch (form.kind) {
      case Form::Kind::number:
      case Form::Kind::integer:
        add_range(schema, form.range);
        break;
      case Form::Kind::word:
        schema["enum"] = form.words;
        break;
      case Form::Kind::list:
        schema["items"] = schema_of(form.elements, extent, has_unit);
        if (form.least > 0) schema["minItems"] = form.least;
        if (form.most != std::numeric_limits<std::size_t>::max()) schema["maxItems"] = form.most;
        break;
      case Form::Kind::table:
        return define(form.group(), extent);
      case Form::Kind::names:
        schema["propertyNames"] = {{"pattern", "^[A-Za-z0-9_-]+$"}};
        schema["additionalProperties"] =
            define(form.group(), form.group().base == &root_keys ? Extent::own : extent);
        break;
      case Form::Kind::boolean:
      case Form::Kind::text:
        break;
    }
    return schema;
  }

  Json definitions_ = Json::object();
};

}  // namespace

std::string key_schema() {
  return Writer().write().dump(1);
}

}  // namespace kurbel
