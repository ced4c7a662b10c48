#include "report/study_points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace kurbel {

namespace {

using nlohmann::json;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Quantity {
  double value;
  std::string_view unit;
};

std::optional<Quantity> quantity_in(std::string_view text) {
  Quantity quantity{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.value);
  if (error != std::errc{} || !std::isfinite(quantity.value)) return std::nullopt;
  quantity.unit = {rest, end};
  quantity.unit.remove_prefix(std::min(quantity.unit.find_first_not_of(' '), quantity.unit.size()));
  return quantity;
}

StudyAxis axis_of_key(const json& study, const std::string& key) {
  StudyAxis axis{key, key, {}, {}};
  std::optional<std::string_view> unit;
  bool has_one_unit = true;
  for (const json& row : study["rows"]) {
    const auto quantity = quantity_in(row["values"][key].get_ref<const std::string&>());
    has_one_unit = has_one_unit && quantity && unit.value_or(quantity->unit) == quantity->unit;
    if (!has_one_unit) break;
    unit = quantity->unit;
    axis.values.push_back(quantity->value);
  }
  if (has_one_unit) {
    if (unit && !unit->empty()) axis.label += " (" + std::string(*unit) + ")";
    return axis;
  }
  axis.values.clear();
  for (const json& row : study["rows"]) {
    const std::string text = row["values"][key];
    const auto found = std::ranges::find(axis.categories, text);
    axis.values.push_back(static_cast<double>(found - axis.categories.begin()));
    if (found == axis.categories.end()) axis.categories.push_back(text);
  }
  return axis;
}

/// 1 where smaller values of a function are better, -1 where larger ones are, 0 where variants do not say so.
double sense_of(const json& study, const std::string& function) {
  if (function == "psi") return 1.0;
  double sense = 0.0;
  for (const json& row : study["rows"]) {
    const std::string word = row.value("senses", json::object()).value(function, "");
    if (word.empty()) continue;
    const double own = word == "smaller" ? 1.0 : -1.0;
    if (sense == -own) return 0.0;
    sense = own;
  }
  return sense;
}

}  // namespace

bool StudyAxis::varies() const {
  const auto differs = [&](double value) { return value != values.front(); };
  return std::ranges::any_of(values, differs);
}

bool StudyAxis::is_logarithmic() const {
  constexpr double much = 100.0;
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low > 0.0 && high >= much * low;
}

std::vector<StudyAxis> axes_of_keys(const json& study) {
  std::vector<StudyAxis> axes;
  for (const json& key : study["keys"]) axes.push_back(axis_of_key(study, key));
  return axes;
}

std::vector<StudyAxis> axes_of_functions(const json& study) {
  std::vector<StudyAxis> axes;
  for (const json& name : study["functions"]) {
    StudyAxis axis{name, name, {}, {}};
    for (const json& row : study["rows"])
      axis.values.push_back(row.value("functions", json::object()).value(axis.name, none));
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<std::size_t> pareto_front(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return std::isnan(a[i]) || std::isnan(b[i]); });
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(a[i], b[i], i); });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const bool is_better = front.empty() || b[i] < b[front.back()];
    if (is_better || (a[i] == a[front.back()] && b[i] == b[front.back()])) front.push_back(i);
  }
  return front;
}

std::vector<StudyFront> fronts_of(const json& study) {
  std::vector<StudyAxis> axes;
  for (StudyAxis& axis : axes_of_functions(study)) {
    const double sense = sense_of(study, axis.name);
    if (sense == 0.0) continue;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      axis.values[i] = study["rows"][i].contains("violated") ? none : sense * axis.values[i];
    axes.push_back(std::move(axis));
  }
  std::vector<StudyFront> fronts;
  for (std::size_t x = 0; x < axes.size(); ++x) {
    for (std::size_t y = x + 1; y < axes.size(); ++y)
      fronts.push_back({axes[x].name, axes[y].name, pareto_front(axes[x].values, axes[y].values)});
  }
  return fronts;
}

std::string fronts_text(const std::vector<StudyFront>& fronts, std::size_t variant) {
  std::string text;
  for (const StudyFront& front : fronts) {
    if (std::ranges::find(front.variants, variant) != front.variants.end())
      text += (text.empty() ? "" : "; ") + front.x + ", " + front.y;
  }
  return text;
}

}  // namespace kurbel
