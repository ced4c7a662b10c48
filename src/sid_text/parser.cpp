#include "sid_text/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "sid/sid_members.hpp"
#include "sid_text/lines.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel::sid_text {
namespace {

using Eigen::Index;

std::optional<Index> integer_of(std::string_view text) {
  text = trimmed(text);
  Index value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// A real number with the exponent letter D, E, or none.
std::optional<double> real_of(std::string_view text) {
  std::string plain(trimmed(text));
  if (plain.starts_with('+')) plain.erase(0, 1);
  for (char& c : plain) {
    if (c == 'D' || c == 'd') c = 'e';
  }
  double value = 0.0;
  const auto [end, code] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (plain.empty() || code != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value))
    return {};
  return value;
}

/// How exactly a file states its numbers, as far as their digits tell: to the last place where all have the
/// same number of decimals, and to as many digits as the longest has. Few digits may be meant exactly.
class WrittenPrecision {
 public:
  void add(std::string_view text) {
    const std::string_view mantissa = text.substr(0, text.find_first_of("dDeE"));
    const std::size_t first = mantissa.find_first_of("123456789"), point = mantissa.find('.');
    if (first != std::string_view::npos) {
      const int digits = static_cast<int>(mantissa.size() - first) -
                         (point != std::string_view::npos && point > first ? 1 : 0);
      most_digits_ = std::max(most_digits_, digits);
    }
    if (mantissa.size() != text.size() || point == std::string_view::npos) return;
    const int decimals = static_cast<int>(mantissa.size() - point) - 1;
    if (decimals_ && *decimals_ != decimals) uniform_ = false;
    decimals_ = decimals;
  }

  SidPrecision result() const {
    constexpr int few = 4;
    SidPrecision out;
    if (most_digits_ >= few) out.relative = 0.5 * std::pow(10.0, 1 - most_digits_);
    if (uniform_ && decimals_ && *decimals_ >= few - 1) out.absolute = 0.5 * std::pow(10.0, -*decimals_);
    return out;
  }

 private:
  int most_digits_ = 0;
  std::optional<int> decimals_;
  bool uniform_ = true;
};

const std::vector<std::string> taylor_keys = {"order", "nrow", "ncol", "nq", "nqn", "structure"};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lines_(text, file) {}

  ModalBlock parse() {
    ModalBlock modal;
    skip_comments(modal);
    expect("new modal", "part");
    parse_modal(modal);
    expect("end part", "part");
    if (const auto line = lines_.next())
      throw lines_.error(line->number, fmt::format("\"{}\" after the end of the part", line->key));
    return modal;
  }

 private:
  void skip_comments(ModalBlock& modal) {
    while (const auto raw = lines_.next_raw()) {
      if (trimmed(*raw) == "part") return;
      modal.comments.append(*raw).append("\n");
    }
    throw lines_.error(lines_.number(), "there is no line `part`");
  }

  /// The next line inside of a block that began at `begin`.
  Line inside(const std::string& block, int begin) {
    auto line = lines_.next();
    if (!line) throw lines_.error(begin, fmt::format("the block {0} is not closed by `end {0}`", block));
    return *line;
  }

  void expect(const std::string& word, const std::string& block) {
    const Line line = inside(block, lines_.number());
    if (line.key != word)
      throw lines_.error(line.number, fmt::format("`{}` is expected here, not \"{}\"", word, line.key));
  }

  InputError unknown(const Line& line, const std::string& block, const std::vector<std::string>& known) {
    return lines_.error(line.number,
                        fmt::format("\"{}\" is unknown in {}{}", line.key, block,
                                    spelling_advice(line.key.substr(0, line.key.find('(')), known)));
  }

  double real(const Line& line) {
    const auto value = real_of(line.value);
    if (!value)
      throw lines_.error(line.number,
                         fmt::format("{} = \"{}\" is not a finite number", line.key, line.value));
    return *value;
  }

  Index integer(const Line& line, Index lowest) {
    const auto value = integer_of(line.value);
    if (!value || *value < lowest || *value > 1'000'000) {
      throw lines_.error(
          line.number, fmt::format("{} = \"{}\" is not an integer from {} on", line.key, line.value, lowest));
    }
    return *value;
  }

  void parse_modal(ModalBlock& modal) {
    const int begin = lines_.number();
    static const std::vector<std::string> known = [] {
      std::vector<std::string> names = {"refmod", "frame"};
      for (const SidMember& member : sid_members) names.push_back(member.name);
      return names;
    }();
    std::map<std::string, int> seen;
    for (Line line = inside("modal", begin); line.key != "end modal"; line = inside("modal", begin)) {
      if (line.key == "new frame") line.key = "frame";  // as welib writes it
      if (std::find(known.begin(), known.end(), line.key) == known.end())
        throw unknown(line, "class modal", known);
      require_first(line.key, line.number, seen);
      if (line.key == "refmod") {
        parse_refmod(modal, line.number);
      } else if (line.key == "frame") {
        parse_frame(modal, line.number);
      } else {
        modal.members[line.key] = parse_taylor(line);
      }
    }
    modal.end_line = lines_.number();
    modal.precision = precision_.result();
    if (!seen.contains("refmod")) throw lines_.error(modal.end_line, "the modal has no refmod");
  }

  void require_first(const std::string& what, int line, std::map<std::string, int>& seen) {
    const auto [it, first] = seen.emplace(what, line);
    if (!first)
      throw lines_.error(line, fmt::format("{} is given twice, first on line {}", what, it->second));
  }

  void parse_refmod(ModalBlock& modal, int begin) {
    modal.refmod_line = begin;
    std::map<std::string, int> seen;
    std::map<Index, std::string> names;
    Index nelastq = 0;
    for (Line line = inside("refmod", begin); line.key != "end refmod"; line = inside("refmod", begin)) {
      require_first(line.key, line.number, seen);
      if (line.key == "mass") {
        modal.mass = real(line);
        if (modal.mass < 0.0)
          throw lines_.error(line.number, fmt::format("mass = {} is not a mass", line.value));
      } else if (line.key == "nelastq") {
        nelastq = integer(line, 0);
        if (nelastq > most_elastic_coordinates) {
          throw lines_.error(line.number, fmt::format("nelastq = {} is more than the {} that we can use",
                                                      nelastq, most_elastic_coordinates));
        }
      } else if (line.key.starts_with("ielastq")) {
        names[indices<1>(line, std::string_view(line.key).substr(7))[0]] = line.value;
      } else {
        throw unknown(line, "class refmod", {"mass", "nelastq", "ielastq"});
      }
    }
    for (const char* key : {"mass", "nelastq"}) {
      if (!seen.contains(key)) throw lines_.error(begin, fmt::format("refmod has no {}", key));
    }
    if (!names.empty() && (names.begin()->first < 1 || names.rbegin()->first > nelastq)) {
      throw lines_.error(
          begin, fmt::format("nelastq = {}, but there is an ielastq ({})", nelastq,
                             names.begin()->first < 1 ? names.begin()->first : names.rbegin()->first));
    }
    for (Index k = 1; k <= nelastq; ++k) {
      const auto name = names.find(k);
      modal.ielastq.push_back(name == names.end() ? fmt::format("q{}", k) : name->second);
    }
  }

  void parse_frame(ModalBlock& modal, int begin) {
    std::map<std::string, int> seen;
    for (Line line = inside("frame", begin); line.key != "end frame"; line = inside("frame", begin)) {
      if (line.key != "new node") throw unknown(line, "the frame", {"new node", "end frame"});
      require_first("node " + line.value, line.number, seen);
      modal.frame.push_back(parse_node(line));
    }
  }

  NodeBlock parse_node(const Line& head) {
    static const std::vector<std::string> known = {"rframe", "origin", "phi", "psi", "AP", "sigma"};
    NodeBlock node{head.value, "body ref", head.number, {}};
    std::map<std::string, int> seen;
    for (Line line = inside("node", head.number); line.key != "end node";
         line = inside("node", head.number)) {
      if (std::find(known.begin(), known.end(), line.key) == known.end())
        throw unknown(line, "class node", known);
      require_first(line.key, line.number, seen);
      if (line.key == "rframe") {
        node.rframe = line.value;
      } else {
        TaylorBlock block = parse_taylor(line);
        if (line.key != "sigma") node.members[line.key] = std::move(block);
      }
    }
    return node;
  }

  TaylorBlock parse_taylor(const Line& head) {
    TaylorBlock block{head.key, head.number, {}, {}};
    const std::string end = "end " + head.key;
    for (Line line = inside(head.key, head.number); line.key != end; line = inside(head.key, head.number)) {
      if (line.key.starts_with("end "))
        throw lines_.error(line.number, fmt::format("`{}` is expected here, not \"{}\"", end, line.key));
      if (std::find(taylor_keys.begin(), taylor_keys.end(), line.key) != taylor_keys.end()) {
        const auto [it, first] = block.stated.emplace(line.key, StatedInteger{integer(line, 0), line.number});
        if (!first)
          throw lines_.error(line.number,
                             fmt::format("{} is given twice, first on line {}", line.key, it->second.line));
      } else {
        block.entries.push_back(entry(line));
      }
    }
    complete(block);
    return block;
  }

  /// Puts in what may be left out.
  void complete(TaylorBlock& block) {
    for (const std::string key : {"order", "nrow", "ncol"}) {
      if (!block.stated.contains(key))
        throw lines_.error(block.line, fmt::format("{} has no {}", block.name, key));
    }
    if (!block.stated.contains("nq") && block.stated["order"].value > 0)
      throw lines_.error(block.line, fmt::format("{} has no nq", block.name));
    const Index nq = block.stated.emplace("nq", StatedInteger{0, block.line}).first->second.value;
    const Index nqn = block.stated["order"].value > 1 ? nq * nq : 0;
    block.stated.emplace("nqn", StatedInteger{nqn, block.line});
    block.stated.emplace("structure", StatedInteger{structure_of(block), block.line});
  }

  /// Structure of a block that does not state it: 2 where a member that is symmetric has entries on one side only.
  static Index structure_of(const TaylorBlock& block) {
    const auto any = [&](const auto& lies) {
      return std::any_of(block.entries.begin(), block.entries.end(),
                         [&](const TaylorEntry& e) { return e.order == 0 && lies(e.index[0], e.index[2]); });
    };
    const bool above = any(std::less<>()), below = any(std::greater<>());
    static const std::vector<std::string> symmetric = {"J", "Me", "Ke", "De"};
    const bool can_be = block.stated.at("nrow").value == block.stated.at("ncol").value &&
                        std::find(symmetric.begin(), symmetric.end(), block.name) != symmetric.end();
    return can_be && above != below ? 2 : 3;
  }

  TaylorEntry entry(const Line& line) {
    const std::string_view key(line.key);
    TaylorEntry entry{line.number, 0, {}, 0.0};
    if (key.starts_with("m0") || key.starts_with("M0")) {
      const auto two = indices<2>(line, key.substr(2));
      entry.index = {two[0], 1, two[1]};
    } else if (key.starts_with("m1") || key.starts_with("M1")) {
      entry.order = 1;
      entry.index = indices<3>(line, key.substr(2));
    } else if (key.starts_with("mn") || key.starts_with("Mn")) {
      entry.order = 2;
      entry.index = indices<3>(line, key.substr(2));
    } else {
      std::vector<std::string> known = taylor_keys;
      known.insert(known.end(), {"m0", "m1", "mn"});
      throw unknown(line, "class taylor", known);
    }
    entry.value = real(line);
    precision_.add(line.value);
    return entry;
  }

  /// "( 1, 2)" -> {1, 2}
  template <std::size_t n>
  std::array<Index, n> indices(const Line& line, std::string_view text) {
    const auto bad = [&] {
      return lines_.error(line.number, fmt::format("\"{}\" must have {} ind{} in parentheses", line.key, n,
                                                   n == 1 ? "ex" : "ices"));
    };
    text = trimmed(text);
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') throw bad();
    text = text.substr(1, text.size() - 2);
    std::array<Index, n> out{};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t comma = i + 1 < n ? text.find(',') : text.size();
      if (comma == std::string_view::npos) throw bad();
      const auto value = integer_of(text.substr(0, comma));
      if (!value) throw bad();
      out[i] = *value;
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
  }

  Lines lines_;
  WrittenPrecision precision_;
};

}  // namespace

InputError error_at(const std::string& file, int line, const std::string& what) {
  return InputError(fmt::format("{}:{}: {}", file, line, what));
}

ModalBlock parse(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace kurbel::sid_text

namespace kurbel {

bool looks_like_sid_text(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (trimmed(text.substr(0, end)) == "part") return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace kurbel
