#include "base/errors.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kurbel {

std::string Failure::message() const {
  std::string text = what;
  if (!where.empty()) text += fmt::format(", in {}", where);
  if (!std::isnan(time)) text += fmt::format(", at t = {:.6g} s", time);
  if (!advice.empty()) text += fmt::format("; {}", advice);
  return text;
}

}  // namespace kurbel
