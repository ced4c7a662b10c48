#include "floating_frame/control_nodes.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace kurbel {

std::vector<ControlNodes> control_nodes(const SystemSpec& spec, const ParameterLayout& layout,
                                        const std::string& name) {
  std::vector<ControlNodes> nodes;
  for (std::size_t i = 0; i < spec.controls.size(); ++i) {
    if (name.empty() || spec.controls[i].name == name)
      nodes.push_back({spec.controls[i].grid, layout.control(i).offset});
  }
  if (nodes.empty()) throw InputError(fmt::format("there is no control {}", name));
  return nodes;
}

}  // namespace kurbel
