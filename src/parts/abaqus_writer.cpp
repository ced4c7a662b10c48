#include "parts/abaqus_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {

namespace {

const char* abaqus_name(fem::ElementKind kind) {
  using fem::ElementKind;
  switch (kind) {
    case ElementKind::tri3:
      return "CPS3";
    case ElementKind::tri6:
      return "CPS6";
    case ElementKind::quad4:
      return "CPS4";
    case ElementKind::quad8:
      return "CPS8";
    case ElementKind::tet4:
      return "C3D4";
    case ElementKind::tet10:
      return "C3D10";
    case ElementKind::hex8:
      return "C3D8";
    case ElementKind::hex20:
      return "C3D20";
    case ElementKind::wedge6:
      return "C3D6";
    case ElementKind::pyramid5:
      return "C3D5";
  }
  return "";
}

/// Numbers, eight in a line, as the format has at most sixteen.
void add_lines(const std::vector<int>& numbers, std::back_insert_iterator<std::string> out) {
  constexpr std::size_t in_line = 8;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool ends = i + 1 == numbers.size() || i % in_line == in_line - 1;
    fmt::format_to(out, "{}{}", numbers[i], ends ? "\n" : ", ");
  }
}

}  // namespace

void write_abaqus(const std::filesystem::path& path, const fem::Mesh& mesh, const std::string& title,
                  double per_metre) {
  std::string text;
  const auto out = std::back_inserter(text);
  std::string line = title;
  std::ranges::replace(line, '\n', ' ');
  fmt::format_to(out, "** {}\n** {:g} units of length are a metre\n*NODE\n", line, per_metre);
  for (Eigen::Index i = 0; i < mesh.n_nodes(); ++i) {
    const Vector3d x = per_metre * mesh.positions().col(i);
    fmt::format_to(out, "{}, {}, {}, {}\n", i + 1, x[0], x[1], x[2]);
  }
  for (const fem::Mesh::Block& block : mesh.blocks()) {
    fmt::format_to(out, "*ELEMENT, TYPE={}\n", abaqus_name(block.kind));
    for (Eigen::Index e = 0; e < block.n_elements; ++e) {
      std::vector<int> numbers = {static_cast<int>(block.first + e) + 1};
      for (const int node : block.nodes.col(e)) numbers.push_back(node + 1);
      if (block.kind == fem::ElementKind::wedge6) {  // their triangles run the other way round
        std::swap(numbers[2], numbers[3]);
        std::swap(numbers[5], numbers[6]);
      }
      add_lines(numbers, out);
    }
  }
  for (const fem::MeshSet& set : mesh.parts().sets) {
    if (set.name.find_first_of(",=\"\n") != std::string::npos)
      throw InputError(
          fmt::format("the set '{}' cannot be written to {}: its name has a comma, a quote or an equals sign",
                      set.name, path.filename().string()));
    const bool has_elements = !set.elements.empty();
    const char* keyword = has_elements ? "ELSET" : "NSET";
    fmt::format_to(out, "*{0}, {0}={1}\n", keyword, set.name);
    std::vector<int> numbers = has_elements ? set.elements : set.nodes;
    for (int& number : numbers) ++number;
    add_lines(numbers, out);
  }
  write_text_file(path, text);
}

}  // namespace kurbel
