/// @file
/// All values of an enumeration that have a name, as the compiler knows them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace kurbel::test {

/// GCC and Clang print a value without a name as "(Kind)7".
template <class Enum, Enum value>
constexpr bool has_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text.find("value = (") == std::string_view::npos;
}

/// In ascending order; of enumerations whose values are from 0 to 99.
template <class Enum>
std::vector<Enum> enumerators() {
  std::vector<Enum> all;
  const auto add = [&]<int... i>(std::integer_sequence<int, i...>) {
    ((has_name<Enum, static_cast<Enum>(i)>() ? all.push_back(static_cast<Enum>(i)) : void()), ...);
  };
  add(std::make_integer_sequence<int, 100>());
  return all;
}

}  // namespace kurbel::test
