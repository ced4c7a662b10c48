#include "input_value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kurbel::random_problems {

namespace {

std::string text_of(const Value& value);

std::string text_of_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string text_of_list(const List& list) {
  std::string text;
  for (const Value& value : list) text += (text.empty() ? "" : ", ") + text_of(value);
  return "[" + text + "]";
}

std::string text_of_table(const Table& table) {
  std::string text;
  for (const Entry& entry : table)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", entry.key, text_of(entry.value));
  return "{ " + text + " }";
}

List components(const VectorTimeHistory& v) {
  List list;
  for (const double component : v.direction) {
    if (component == 0.0) {
      list.emplace_back(Scalar{0.0, v.dimension});
    } else {
      list.emplace_back(time_history_table(v.time_history, component, v.dimension));
    }
  }
  return list;
}

std::string text_of(const Value& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int i) const { return std::to_string(i); }
    std::string operator()(const std::string& s) const { return "\"" + s + "\""; }
    std::string operator()(const Scalar& s) const { return text_of_number(s.value); }
    std::string operator()(const Vector& v) const {
      return text_of_list(scalars({v.value[0], v.value[1], v.value[2]}, v.dimension));
    }
    std::string operator()(const VectorTimeHistory& v) const { return text_of_list(components(v)); }
    std::string operator()(const List& list) const { return text_of_list(list); }
    std::string operator()(const Table& table) const { return text_of_table(table); }
  };
  return std::visit(Visitor{}, value.data);
}

bool is_list_of_tables(const Value& value) {
  const List* list = std::get_if<List>(&value.data);
  return list && !list->empty() && std::all_of(list->begin(), list->end(), [](const Value& element) {
           return std::holds_alternative<Table>(element.data);
         });
}

/// Values first: what follows a header belongs to it.
void write(const Table& table, const std::string& path, std::string& out) {
  const auto has_header = [](const Value& value) {
    return std::holds_alternative<Table>(value.data) || is_list_of_tables(value);
  };
  for (const Entry& entry : table) {
    if (!has_header(entry.value)) out += fmt::format("{} = {}\n", entry.key, text_of(entry.value));
  }
  for (const Entry& entry : table) {
    const std::string key = path.empty() ? entry.key : path + "." + entry.key;
    if (const Table* inner = std::get_if<Table>(&entry.value.data)) {
      out += fmt::format("\n[{}]\n", key);
      write(*inner, key, out);
    } else if (has_header(entry.value)) {
      for (const Value& element : std::get<List>(entry.value.data)) {
        out += fmt::format("\n[[{}]]\n", key);
        write(std::get<Table>(element.data), key, out);
      }
    }
  }
}

Table end_table(double t, const std::vector<double>& derivatives, double factor, Dimension dimension) {
  std::vector<double> scaled = derivatives;
  for (double& value : scaled) value *= factor;
  return {{"t", Scalar{t}}, {"derivatives", scalars(scaled, dimension)}};
}

}  // namespace

double TimeHistory::rate_at_start() const {
  switch (type) {
    case Type::constant_rate:
    case Type::polynomial:
      return values[1];
    case Type::constant:
    case Type::spin_up:
    case Type::table:
      break;
  }
  return 0.0;
}

const Value* find(const Table& table, const std::string& key) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.key == key; });
  return at == table.end() ? nullptr : &at->value;
}

Value* find(Table& table, const std::string& key) {
  return const_cast<Value*>(find(std::as_const(table), key));
}

void set(Table& table, const std::string& key, Value value) {
  if (Value* there = find(table, key)) {
    *there = std::move(value);
  } else {
    table.push_back({key, std::move(value)});
  }
}

Table& sub_table(Table& table, const std::string& key) {
  if (!find(table, key)) table.push_back({key, Table{}});
  return std::get<Table>(find(table, key)->data);
}

List scalars(const std::vector<double>& values, Dimension dimension) {
  List list;
  for (const double value : values) list.emplace_back(Scalar{value, dimension});
  return list;
}

Table time_history_table(const TimeHistory& time_history, double factor, Dimension dimension) {
  using Type = TimeHistory::Type;
  const auto scaled = [&](double value) { return Scalar{factor * value, dimension}; };
  const auto table = [](const char* type) { return Table{{"type", std::string(type)}}; };
  Table out;
  switch (time_history.type) {
    case Type::constant:
      out = table("constant");
      set(out, "value", scaled(time_history.values[0]));
      return out;
    case Type::constant_rate:
      out = table("constant-rate");
      set(out, "value", scaled(time_history.values[0]));
      set(out, "rate", scaled(time_history.values[1]));
      set(out, "t", Scalar{time_history.t[0]});
      return out;
    case Type::polynomial:
      out = table("polynomial");
      set(out, "begin", end_table(time_history.t[0], time_history.values, factor, dimension));
      set(out, "end", end_table(time_history.t[1], time_history.end, factor, dimension));
      return out;
    case Type::spin_up:
      out = table("spin-up");
      set(out, "rate", scaled(time_history.values[0]));
      set(out, "duration", Scalar{time_history.t[0]});
      return out;
    case Type::table:
      break;
  }
  out = table("table");
  set(out, "t", scalars(time_history.t, number));
  List values;
  for (const double value : time_history.values) values.emplace_back(scaled(value));
  set(out, "values", std::move(values));
  return out;
}

std::string to_toml(const Table& root) {
  std::string out;
  write(root, "", out);
  return out;
}

}  // namespace kurbel::random_problems
