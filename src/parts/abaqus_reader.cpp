#include "parts/abaqus_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "parts/node_indices.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using fem::ElementKind;

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find(',', from), line.size());
    fields.push_back(trimmed(line.substr(from, to - from)));
    from = to + 1;
  }
  if (fields.back().empty()) fields.pop_back();  // a comma ends the line
  return fields;
}

/// A type of elements by the beginning of its name; what follows (R, I, H, M, T) concerns the formulation.
struct AbaqusType {
  std::string_view name;
  std::optional<ElementKind> kind;
  int dim, n_nodes, n_corners;
};

constexpr std::array<AbaqusType, 21> types = {
    {{"C3D10", ElementKind::tet10, 3, 10, 4}, {"C3D20", ElementKind::hex20, 3, 20, 8},
     {"C3D4", ElementKind::tet4, 3, 4, 4},    {"C3D8", ElementKind::hex8, 3, 8, 8},
     {"C3D6", ElementKind::wedge6, 3, 6, 6},  {"C3D5", ElementKind::pyramid5, 3, 5, 5},
     {"CPS3", ElementKind::tri3, 2, 3, 3},    {"CPS4", ElementKind::quad4, 2, 4, 4},
     {"CPS6", ElementKind::tri6, 2, 6, 3},    {"CPS8", ElementKind::quad8, 2, 8, 4},
     {"STRI65", ElementKind::tri6, 2, 6, 3},  {"S3", ElementKind::tri3, 2, 3, 3},
     {"S4", ElementKind::quad4, 2, 4, 4},     {"S6", ElementKind::tri6, 2, 6, 3},
     {"S8", ElementKind::quad8, 2, 8, 4},     {"T2D2", std::nullopt, 1, 2, 2},
     {"T2D3", std::nullopt, 1, 3, 2},         {"T3D2", std::nullopt, 1, 2, 2},
     {"T3D3", std::nullopt, 1, 3, 2},         {"B31", std::nullopt, 1, 2, 2},
     {"B32", std::nullopt, 1, 3, 2}}};

class AbaqusReader {
 public:
  explicit AbaqusReader(const std::filesystem::path& path) : path_(path), file_(path) {
    if (!file_) throw InputError(fmt::format("{} cannot be opened", path.string()));
  }

  MeshFile read(double unit) {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      const std::string_view text = trimmed(line);
      if (text.empty() || text.starts_with("**")) continue;
      if (text.starts_with("*")) {
        begin_keyword(text);
      } else {
        read_data(fields_of(text));
      }
    }
    finish_element();
    content_.positions =
        unit * Eigen::Map<const fem::Mesh::Points>(coordinates_.data(), 3, std::ssize(coordinates_) / 3);
    add_elements();
    add_sets();
    return std::move(content_);
  }

 private:
  enum class Section { none, nodes, elements, node_set, element_set };
  /// The numbers first, first + step, ... up to last, with the line that states them.
  struct Range {
    std::size_t first, last, step;
    int line;
  };
  /// What a set has: numbers, and names of other sets with their lines.
  struct Members {
    std::vector<Range> numbers;
    std::vector<std::pair<std::string, int>> sets;

    void add(std::size_t number, int line) {
      if (!numbers.empty() && numbers.back().step == 1 && numbers.back().last + 1 == number)
        numbers.back().last = number;
      else
        numbers.push_back({number, number, 1, line});
    }
  };

  [[noreturn]] void fail(int line, const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), line, printable(message)));
  }

  std::size_t number(std::string_view text, int line) const {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(line, fmt::format("\"{}\" is no number of a node or element", text));
    return value;
  }

  double coordinate(std::string_view text) const {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
      fail(line_, fmt::format("\"{}\" is no coordinate", text));
    return value;
  }

  void begin_keyword(std::string_view text) {
    finish_element();
    const std::vector<std::string_view> fields = fields_of(text.substr(1));
    const std::string keyword = fields.empty() ? "" : upper_case(fields.front());
    std::map<std::string, std::string> options;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const std::size_t equals = std::min(fields[i].find('='), fields[i].size());
      options[upper_case(trimmed(fields[i].substr(0, equals)))] =
          equals == fields[i].size() ? "" : std::string(trimmed(fields[i].substr(equals + 1)));
    }
    generates_ = options.contains("GENERATE");
    section_ = Section::none;
    if (keyword == "INSTANCE" && ++n_instances_ > 1)
      fail(line_, "a second *INSTANCE: kurbel reads one part; write it without an assembly");
    if (keyword == "NODE") {
      section_ = Section::nodes;
      nodes_also_in_ = options["NSET"];
    } else if (keyword == "ELEMENT") {
      section_ = Section::elements;
      begin_elements(options["TYPE"], options["ELSET"]);
    } else if (keyword == "NSET") {
      section_ = Section::node_set;
      set_ = set_name(options["NSET"], "NSET");
    } else if (keyword == "ELSET") {
      section_ = Section::element_set;
      set_ = set_name(options["ELSET"], "ELSET");
    }
  }

  std::string set_name(const std::string& name, const char* option) const {
    if (name.empty()) fail(line_, fmt::format("the set has no name: {} = ... is missing", option));
    return name;
  }

  void begin_elements(const std::string& name, const std::string& also_in) {
    const std::string upper = upper_case(name);
    const auto type =
        std::ranges::find_if(types, [&](const AbaqusType& one) { return upper.starts_with(one.name); });
    if (upper.starts_with("CPE"))
      fail(line_,
           fmt::format("elements of type {}: write CPS, and state mesh.plane = \"strain\" in the problem",
                       upper));
    if (upper.starts_with("CAX"))
      fail(line_, fmt::format("elements of type {}: kurbel has no axisymmetric elements", upper));
    if (type == types.end())
      fail(line_, fmt::format(
                      "elements of type \"{}\", which kurbel does not have; it has C3D4, C3D10, C3D8, C3D20, "
                      "C3D6, C3D5, CPS3, CPS4, CPS6, CPS8",
                      name));
    type_ = &*type;
    FileBlock& block = content_.blocks.emplace_back();
    block.dim = type->dim, block.type = name, block.kind = type->kind, block.n_corners = type->n_corners;
    block.entity = static_cast<int>(content_.blocks.size());
    node_tags_.emplace_back();
    elements_also_in_ = also_in;
  }

  void read_data(const std::vector<std::string_view>& fields) {
    switch (section_) {
      case Section::none:
        return;
      case Section::nodes:
        return read_node(fields);
      case Section::elements:
        return read_element(fields);
      case Section::node_set:
        return read_members(fields, node_sets_[set_]);
      case Section::element_set:
        return read_members(fields, element_sets_[set_]);
    }
  }

  void read_node(const std::vector<std::string_view>& fields) {
    if (fields.size() < 3 || fields.size() > 4) fail(line_, "a node is its number and 2 or 3 coordinates");
    const std::size_t tag = number(fields[0], line_);
    if (!node_indices_.add(tag, static_cast<int>(content_.tags.size())))
      fail(line_, fmt::format("node {} is there twice", tag));
    content_.tags.push_back(tag);
    for (std::size_t d = 0; d < 3; ++d)
      coordinates_.push_back(d + 1 < fields.size() ? coordinate(fields[d + 1]) : 0.0);
    if (!nodes_also_in_.empty()) node_sets_[nodes_also_in_].add(tag, line_);
  }

  /// The nodes of an element may go on in the next line.
  void read_element(const std::vector<std::string_view>& fields) {
    for (const std::string_view field : fields) element_.push_back(number(field, line_));
    const auto n = static_cast<std::size_t>(type_->n_nodes) + 1;
    if (element_.size() > n)
      fail(line_, fmt::format("an element of type {} has {} nodes", content_.blocks.back().type, n - 1));
    element_line_ = line_;
    if (element_.size() == n) add_element();
  }

  void add_element() {
    const std::size_t tag = element_.front();
    FileBlock& block = content_.blocks.back();
    const std::pair index{content_.blocks.size() - 1, std::ssize(block.tags)};
    if (!element_indices_.emplace(tag, index).second)
      fail(line_, fmt::format("element {} is there twice", tag));
    block.tags.push_back(tag);
    for (std::size_t a = 1; a < element_.size(); ++a) node_tags_.back().emplace_back(element_[a], line_);
    if (!elements_also_in_.empty()) element_sets_[elements_also_in_].add(tag, line_);
    element_.clear();
  }

  void finish_element() const {
    if (!element_.empty())
      fail(element_line_, fmt::format("element {} has {} of {} nodes", element_.front(), element_.size() - 1,
                                      type_->n_nodes));
  }

  void read_members(const std::vector<std::string_view>& fields, Members& members) const {
    if (generates_) return read_range(fields, members);
    for (const std::string_view field : fields) {
      const bool is_number =
          !field.empty() && std::ranges::all_of(field, [](unsigned char c) { return std::isdigit(c) != 0; });
      if (is_number) {
        const std::size_t tag = number(field, line_);
        members.numbers.push_back({tag, tag, 1, line_});
      } else {
        members.sets.emplace_back(std::string(field), line_);
      }
    }
  }

  void read_range(const std::vector<std::string_view>& fields, Members& members) const {
    if (fields.size() < 2 || fields.size() > 3) fail(line_, "GENERATE takes first, last and step");
    const std::size_t first = number(fields[0], line_), last = number(fields[1], line_),
                      step = fields.size() == 3 ? number(fields[2], line_) : 1;
    if (step == 0 || last < first)
      fail(line_, "GENERATE needs a last number that is not below the first, and a step");
    members.numbers.push_back({first, last, step, line_});
  }

  void add_elements() {
    for (std::size_t b = 0; b < content_.blocks.size(); ++b) {
      FileBlock& block = content_.blocks[b];
      const Index n_elements = std::ssize(block.tags);
      const Index n_nodes = n_elements == 0 ? 0 : std::ssize(node_tags_[b]) / n_elements;
      block.nodes.resize(n_nodes, n_elements);
      std::vector<int> order(static_cast<std::size_t>(n_nodes));
      std::iota(order.begin(), order.end(), 0);
      if (block.kind == ElementKind::wedge6) order = {0, 2, 1, 3, 5, 4};
      if (block.dim == 1 && n_nodes == 3) order = {0, 2, 1};  // the middle one comes second
      for (Index e = 0; e < n_elements; ++e) {
        for (Index a = 0; a < n_nodes; ++a) {
          const auto& [tag, line] =
              node_tags_[b][static_cast<std::size_t>(e * n_nodes + order[static_cast<std::size_t>(a)])];
          const int found = node_indices_.find(tag);
          if (found == NodeIndices::none)
            fail(line, fmt::format("element {} has the node {}, which does not exist",
                                   block.tags[static_cast<std::size_t>(e)], tag));
          block.nodes(a, e) = found;
        }
      }
    }
  }

  /// Calls add(number, line) for the members of a set and of the sets that it names, each set once.
  template <class Add>
  void for_each_member(const std::map<std::string, Members>& sets, const std::string& name, const Add& add,
                       std::set<std::string>& seen, int depth = 0) const {
    constexpr int deepest = 20;
    if (!seen.insert(name).second) return;
    const Members& members = sets.at(name);
    for (const Range& range : members.numbers) {
      for (std::size_t tag = range.first;; tag += range.step) {
        add(tag, range.line);
        if (range.last - tag < range.step) break;
      }
    }
    for (const auto& [member, line] : members.sets) {
      if (!sets.contains(member))
        fail(line, fmt::format("the set {} names \"{}\", which is no number and no set", name, member));
      if (depth == deepest)
        fail(line, fmt::format("sets that name each other are more than {} deep", deepest));
      for_each_member(sets, member, add, seen, depth + 1);
    }
  }

  void add_sets() {
    for (const auto& [name, members] : node_sets_) {
      FileGroup& group = content_.groups.emplace_back(FileGroup{.name = name});
      std::set<std::string> seen;
      const auto add = [&](std::size_t tag, int line) {
        const int found = node_indices_.find(tag);
        if (found == NodeIndices::none)
          fail(line, fmt::format("the set {} has the node {}, which does not exist", group.name, tag));
        group.nodes.push_back(found);
      };
      for_each_member(node_sets_, name, add, seen);
    }
    for (const auto& [name, members] : element_sets_) {
      FileGroup& group = content_.groups.emplace_back(FileGroup{.name = name});
      std::set<std::string> seen;
      const auto add = [&](std::size_t tag, int line) {
        const auto found = element_indices_.find(tag);
        if (found == element_indices_.end())
          fail(line, fmt::format("the set {} has the element {}, which does not exist", group.name, tag));
        group.elements.push_back(found->second);
      };
      for_each_member(element_sets_, name, add, seen);
    }
  }

  std::filesystem::path path_;
  std::ifstream file_;
  int line_ = 0, element_line_ = 0, n_instances_ = 0;
  Section section_ = Section::none;
  bool generates_ = false;
  std::string set_, nodes_also_in_, elements_also_in_;
  const AbaqusType* type_ = nullptr;
  std::vector<std::size_t> element_;  ///< number and nodes, as far as read
  MeshFile content_;
  std::vector<double> coordinates_;
  NodeIndices node_indices_;
  std::unordered_map<std::size_t, std::pair<std::size_t, Index>> element_indices_;  ///< block, index in it
  std::vector<std::vector<std::pair<std::size_t, int>>> node_tags_;                 ///< by block, with lines
  std::map<std::string, Members> node_sets_, element_sets_;
};

}  // namespace

MeshFile read_abaqus(const std::filesystem::path& path, double unit) {
  return AbaqusReader(path).read(unit);
}

}  // namespace kurbel
