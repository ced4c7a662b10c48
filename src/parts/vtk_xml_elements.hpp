/// @file
/// Elements of VTK's XML files.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kurbel {

struct XmlElement {
  std::string name;
  std::size_t line = 0;  ///< on which it begins
  std::map<std::string, std::string, std::less<>> attributes{};
  std::string text{};  ///< between its children
  std::vector<XmlElement> children{};

  /// The first child of that name; null if there is none.
  const XmlElement* child(std::string_view of_name) const;
  /// Value of an attribute; `otherwise` if it has none.
  std::string_view attribute(std::string_view of_name, std::string_view otherwise = "") const;
};

struct VtkXml {
  XmlElement root;
  std::string_view appended{};  ///< what follows the _ in AppendedData, in which there may be any bytes
  bool is_appended_base64 = true;
};

/// @throws InputError, with file and line, where the text is no XML as VTK writes it
VtkXml parse_vtk_xml(std::string_view text, const std::string& file);

}  // namespace kurbel
