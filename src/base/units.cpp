#include "base/units.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "base/numbers.hpp"

namespace kurbel {

namespace {

struct NamedUnit {
  std::string_view name;
  Unit unit;
  bool has_prefixes = false;
};

constexpr std::array<int, 4> length = {1, 0, 0, 0}, mass = {0, 1, 0, 0}, time = {0, 0, 1, 0},
                             angle = {0, 0, 0, 1}, rate = {0, 0, -1, 0}, angular_rate = {0, 0, -1, 1},
                             force = {1, 1, -2, 0}, energy = {2, 1, -2, 0}, power = {2, 1, -3, 0},
                             pressure = {-1, 1, -2, 0};
constexpr double pi = std::numbers::pi, pound = 0.45359237, pound_force = pound * 9.80665, inch = 0.0254;

constexpr std::array named_units = {
    NamedUnit{"m", {1.0, 1.0, length}, true},
    NamedUnit{"g", {1.0, 1e3, mass}, true},
    NamedUnit{"s", {1.0, 1.0, time}, true},
    NamedUnit{"rad", {1.0, 1.0, angle}, true},
    NamedUnit{"N", {1.0, 1.0, force}, true},
    NamedUnit{"J", {1.0, 1.0, energy}, true},
    NamedUnit{"W", {1.0, 1.0, power}, true},
    NamedUnit{"Pa", {1.0, 1.0, pressure}, true},
    NamedUnit{"Hz", {1.0, 1.0, rate}, true},
    NamedUnit{"bar", {1e5, 1.0, pressure}, true},
    NamedUnit{"t", {1e3, 1.0, mass}},
    NamedUnit{"min", {60.0, 1.0, time}},
    NamedUnit{"h", {3600.0, 1.0, time}},
    NamedUnit{"deg", {pi, 180.0, angle}},
    NamedUnit{"turn", {2.0 * pi, 1.0, angle}},
    NamedUnit{"rev", {2.0 * pi, 1.0, angle}},
    NamedUnit{"rpm", {2.0 * pi, 60.0, angular_rate}},
    NamedUnit{"in", {inch, 1.0, length}},
    NamedUnit{"ft", {0.3048, 1.0, length}},
    NamedUnit{"lb", {pound, 1.0, mass}},
    NamedUnit{"lbf", {pound_force, 1.0, force}},
    NamedUnit{"psi", {pound_force / (inch * inch), 1.0, pressure}},
};

struct Prefix {
  char letter;
  double up, down;
};
constexpr std::array<Prefix, 8> prefixes = {{{'n', 1.0, 1e9},
                                             {'u', 1.0, 1e6},
                                             {'m', 1.0, 1e3},
                                             {'c', 1.0, 1e2},
                                             {'d', 1.0, 1e1},
                                             {'k', 1e3, 1.0},
                                             {'M', 1e6, 1.0},
                                             {'G', 1e9, 1.0}}};

std::optional<Unit> unit_named(std::string_view name) {
  for (const NamedUnit& one : named_units) {
    if (one.name == name) return one.unit;
  }
  for (const NamedUnit& one : named_units) {
    if (!one.has_prefixes || name.size() != one.name.size() + 1 || !name.ends_with(one.name)) continue;
    const auto prefix = std::ranges::find(prefixes, name.front(), &Prefix::letter);
    if (prefix == prefixes.end()) return {};
    return Unit{one.unit.up * prefix->up, one.unit.down * prefix->down, one.unit.powers};
  }
  return {};
}

constexpr int most_power = 9, most_levels = 20;

std::optional<Unit> raised(const Unit& base, int power) {
  Unit unit;
  for (std::size_t i = 0; i < base.powers.size(); ++i) {
    unit.powers[i] = base.powers[i] * power;
    if (std::abs(unit.powers[i]) > most_power) return {};
  }
  unit.up = std::pow(power < 0 ? base.down : base.up, std::abs(power));
  unit.down = std::pow(power < 0 ? base.up : base.down, std::abs(power));
  return unit;
}

/// Reads the grammar of units.hpp from left to right.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> whole() {
    const auto unit = product(0);
    return unit && text_.empty() ? unit : std::nullopt;
  }

 private:
  std::optional<Unit> product(int level) {
    Unit product;
    for (bool divides = false, has_divided = false;;) {
      auto next = factor(level);
      if (next && divides) next = raised(*next, -1);
      if (!next) return {};
      product.up *= next->up, product.down *= next->down;
      for (std::size_t i = 0; i < product.powers.size(); ++i) {
        product.powers[i] += next->powers[i];
        if (std::abs(product.powers[i]) > most_power) return {};
      }
      has_divided = has_divided || divides;
      const bool has_gap = skip_spaces();
      divides = take('/');
      const bool multiplies = !divides && (take('*') || (has_gap && !text_.empty() && text_.front() != ')'));
      if (!divides && !multiplies) return product;
      if (multiplies && has_divided) return {};  // J/kg m: is m above or below?
      skip_spaces();
    }
  }

  std::optional<Unit> factor(int level) {
    std::optional<Unit> base;
    if (take('1')) {
      base = Unit{};
    } else if (take('(')) {
      if (level >= most_levels) return {};
      skip_spaces();
      base = product(level + 1);
      if (!take(')')) return {};
    } else {
      const auto end = std::ranges::find_if(text_, [](unsigned char c) { return !std::isalpha(c); });
      const auto n = static_cast<std::size_t>(end - text_.begin());
      base = unit_named(text_.substr(0, n));
      text_.remove_prefix(n);
    }
    if (!base || !take('^')) return base;
    const std::size_t n = std::min(text_.find_first_not_of("-0123456789"), text_.size());
    const auto power = parse_integer(text_.substr(0, n));
    text_.remove_prefix(n);
    if (!power || std::abs(*power) > most_power) return {};
    return raised(*base, static_cast<int>(*power));
  }

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool skip_spaces() {
    const std::size_t n = std::min(text_.find_first_not_of(' '), text_.size());
    text_.remove_prefix(n);
    return n > 0;
  }

  std::string_view text_;
};

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  return UnitParser(text).whole();
}

std::pair<std::string_view, std::string_view> split_quantity(std::string_view text) {
  const std::string_view whole = trimmed(text);
  std::size_t end = std::min(whole.find_first_not_of("+-.0123456789"), whole.size());
  const std::string_view rest = whole.substr(end);
  const bool has_exponent = rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E') &&
                            std::string_view("+-0123456789").find(rest[1]) != std::string_view::npos;
  if (has_exponent) end = std::min(whole.find_first_not_of("+-0123456789", end + 1), whole.size());
  return {whole.substr(0, end), trimmed(whole.substr(end))};
}

const std::vector<std::string>& common_units() {
  static const std::vector<std::string> units = {
      "m",       "cm",     "mm",      "um",      "in",        "ft",        "kg",     "g",      "t",
      "lb",      "s",      "ms",      "min",     "h",         "rad",       "deg",    "turn",   "rad/s",
      "deg/s",   "turn/s", "rpm",     "N",       "kN",        "MN",        "lbf",    "N m",    "kN m",
      "N mm",    "Pa",     "kPa",     "MPa",     "GPa",       "bar",       "N/mm^2", "psi",    "Hz",
      "kHz",     "m/s",    "mm/s",    "km/h",    "m/s^2",     "mm/s^2",    "N/m",    "N/mm",   "kN/m",
      "N s/m",   "N s/mm", "N m/rad", "N m/deg", "N m s/rad", "N m s/deg", "kg/m^3", "g/cm^3", "kg m^2",
      "kg mm^2", "g mm^2", "m^2",     "cm^2",    "mm^2",      "J",         "kJ",     "W",      "kW"};
  return units;
}

std::string as_factor(const std::string& unit) {
  return unit.find_first_of(" */^") == std::string::npos ? unit : "(" + unit + ")";
}

std::vector<std::string> units_like(const std::string& unit) {
  std::vector<std::string> alike = {unit};
  const auto own = parse_unit(unit);
  for (const std::string& other : common_units()) {
    if (own && other != unit && parse_unit(other)->powers == own->powers) alike.push_back(other);
  }
  return alike;
}

}  // namespace kurbel
