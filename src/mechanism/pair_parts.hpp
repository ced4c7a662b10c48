/// @file
/// The parts that are a law of force between two markers (pair_law.hpp): a formulation takes all of them alike.
#pragma once

#include <string>
#include <tuple>

#include "mechanism/bushing.hpp"
#include "mechanism/part_numbers.hpp"
#include "mechanism/stop.hpp"

namespace kurbel {

using PairParts = std::tuple<BushingSpec, StopSpec>;

/// Calls act(part, index) for all of them. Sections are Section<Part>.
template <class Action>
void for_each_pair_part(const SystemSpec& spec, const Action& act) {
  const auto of_kind = [&](const auto& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) act(parts[i], i);
  };
  std::apply([&]<class... Parts>(const Parts&...) { (of_kind(spec.*Section<Parts>::parts), ...); },
             PairParts());
}

/// "bushings.mount", as the input has it.
template <class Part>
std::string path_of(const Part& part) {
  return std::string(Section<Part>::name) + "." + part.name;
}

}  // namespace kurbel
