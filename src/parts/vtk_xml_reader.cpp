#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers.hpp"
#include "parts/vtk_grid.hpp"
#include "parts/vtk_numbers.hpp"
#include "parts/vtk_xml_elements.hpp"

namespace kurbel {

namespace {

class VtkXmlReader {
 public:
  VtkXmlReader(std::string_view text, const std::string& file)
      : file_(file), xml_(parse_vtk_xml(text, file)) {
    const XmlElement& root = xml_.root;
    if (root.name != "VTKFile" || root.attribute("type") != "UnstructuredGrid")
      fail(root, "it is no VTK file of an unstructured grid");
    encoding_.order = root.attribute("byte_order") == "BigEndian" ? std::endian::big : std::endian::little;
    encoding_.header_size = root.attribute("header_type", "UInt32") == "UInt64" ? 8 : 4;
    encoding_.compressor = root.attribute("compressor");
  }

  VtkGrid read() {
    const XmlElement& grid = required(xml_.root, "UnstructuredGrid");
    for (const XmlElement& piece : grid.children) {
      if (piece.name == "Piece") add_piece(piece);
    }
    return std::move(grid_);
  }

 private:
  [[noreturn]] void fail(const XmlElement& element, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, element.line, what));
  }
  const XmlElement& required(const XmlElement& element, std::string_view name) const {
    const XmlElement* child = element.child(name);
    if (child == nullptr)
      fail(element, fmt::format("it is damaged: the element {} has no {}", element.name, name));
    return *child;
  }
  const XmlElement& array_named(const XmlElement& cells, std::string_view name) const {
    for (const XmlElement& array : cells.children) {
      if (array.name == "DataArray" && array.attribute("Name") == name) return array;
    }
    fail(cells, fmt::format("it is damaged: Cells has no array \"{}\"", name));
  }
  std::size_t count_in(const XmlElement& element, std::string_view attribute) const {
    const std::string_view text = element.attribute(attribute);
    const std::optional<std::int64_t> count = parse_integer(trimmed(text));
    if (!count || *count < 0 || *count > std::numeric_limits<std::int32_t>::max())
      fail(element,
           fmt::format("{} = \"{}\" is no number of things that a mesh may have", attribute, shown(text)));
    return static_cast<std::size_t>(*count);
  }

  void add_piece(const XmlElement& piece) {
    const std::size_t n_points = count_in(piece, "NumberOfPoints"),
                      n_cells = count_in(piece, "NumberOfCells");
    if (n_cells == 0) return;
    const XmlElement& cells = required(piece, "Cells");
    VtkGrid own;
    own.points = values<double>(required(required(piece, "Points"), "DataArray"), 3 * n_points);
    own.types = values<std::int64_t>(array_named(cells, "types"), n_cells);
    own.ends = values<std::int64_t>(array_named(cells, "offsets"), n_cells);
    const std::int64_t n_nodes = own.ends.back();
    if (n_nodes < 0) fail(cells, fmt::format("it is damaged: its last offset is {}", n_nodes));
    own.nodes = values<std::int64_t>(array_named(cells, "connectivity"), static_cast<std::size_t>(n_nodes),
                                     IsExact::no);
    require_consistent(own, grid_.ends.size(), file_);
    for (std::int64_t& node : own.nodes) node += static_cast<std::int64_t>(grid_.points.size() / 3);
    for (std::int64_t& end : own.ends) end += static_cast<std::int64_t>(grid_.nodes.size());
    append(grid_.points, own.points), append(grid_.types, own.types);
    append(grid_.nodes, own.nodes), append(grid_.ends, own.ends);
  }
  template <class T>
  static void append(std::vector<T>& all, std::vector<T>& further) {
    if (all.empty()) {
      all.swap(further);
    } else {
      all.insert(all.end(), further.begin(), further.end());
    }
  }

  enum class IsExact { no, yes };
  /// @param count  of the values that the array should have, and has to have if it is exact
  template <class T>
  std::vector<T> values(const XmlElement& array, std::size_t count, IsExact exact = IsExact::yes) const {
    const auto fail_array = [&](const std::string& what) {
      fail(array, fmt::format("it is damaged or cut off: the array \"{}\": {}",
                              shown(array.attribute("Name")), what));
    };
    const std::optional<VtkNumber> type = vtk_number(array.attribute("type"));
    if (!type || (std::is_integral_v<T> && !is_whole(*type)))
      fail_array(fmt::format("its numbers cannot be of type \"{}\"", shown(array.attribute("type"))));
    std::vector<T> found;
    try {
      if (is_text(array)) {
        found = values_in_text<T>(array.text);
      } else {
        found = numbers_in_bytes<T>(decoded(array, largest_size(count, *type)), *type, encoding_.order);
      }
    } catch (const std::invalid_argument& error) {
      fail_array(error.what());
    }
    if (exact == IsExact::yes && found.size() != count)
      fail_array(fmt::format("it has {} numbers; it should have {}", found.size(), count));
    return found;
  }

  template <class T>
  static std::vector<T> values_in_text(std::string_view text) {
    std::vector<T> found;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      const std::optional<T> value = number_in_word<T>(word);
      if (!value) throw std::invalid_argument(fmt::format("\"{}\" is no number of its type", shown(word)));
      found.push_back(*value);
    }
    return found;
  }

  /// As VTK decides it: what has an offset is appended, and all is text that is not said to be binary.
  static bool is_appended(const XmlElement& array) {
    return array.attributes.contains("offset") || array.attribute("format") == "appended";
  }
  static bool is_text(const XmlElement& array) {
    return !is_appended(array) && array.attribute("format") != "binary";
  }

  static std::uint64_t largest_size(std::size_t count, VtkNumber type) {
    return std::min<std::uint64_t>(count, std::numeric_limits<std::uint64_t>::max() / size_of(type)) *
           size_of(type);
  }
  std::string decoded(const XmlElement& array, std::uint64_t largest_size) const {
    VtkEncoding encoding = encoding_;
    if (!is_appended(array)) return decoded_array(array.text, encoding, largest_size);
    encoding.base64 = xml_.is_appended_base64;
    const std::string_view text = array.attribute("offset");
    const std::optional<std::int64_t> offset = parse_integer(trimmed(text));
    if (!offset || *offset < 0 || static_cast<std::size_t>(*offset) > xml_.appended.size())
      throw std::invalid_argument(fmt::format("no data are at the offset \"{}\"", shown(text)));
    return decoded_array(xml_.appended.substr(static_cast<std::size_t>(*offset)), encoding, largest_size);
  }

  const std::string& file_;
  VtkXml xml_;
  VtkEncoding encoding_;
  VtkGrid grid_;
};

}  // namespace

VtkGrid read_vtk_xml(std::string_view text, const std::string& file) {
  return VtkXmlReader(text, file).read();
}

}  // namespace kurbel
