#include "analysis/kinetic_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kurbel {

using Eigen::Index;

std::vector<KineticShare> kinetic_shares(const LinearizedMechanism& mechanism, const VectorXcd& shape) {
  const VectorXcd momentum = mechanism.M() * shape;
  std::vector<KineticShare> shares;
  double all = 0.0;
  for (Index i = 0; i < shape.size(); ++i) {
    std::string part = mechanism.model().coordinate_name(i);
    part = part.substr(0, part.find(','));
    const double own = std::real(std::conj(shape[i]) * momentum[i]);
    const auto known = std::ranges::find(shares, part, &KineticShare::part);
    if (known == shares.end()) {
      shares.push_back({std::move(part), own});
    } else {
      known->share += own;
    }
    all += own;
  }
  for (KineticShare& share : shares) share.share = all > 0.0 ? share.share / all : 0.0;
  return shares;
}

std::string text_of_shares(std::vector<KineticShare> shares) {
  constexpr double least = 0.1;
  std::ranges::stable_sort(shares, std::greater<>(), &KineticShare::share);
  std::string text;
  for (const auto& [part, share] : shares) {
    if (share < least) break;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", part, 100.0 * share);
  }
  return text.empty() ? "none" : text;
}

}  // namespace kurbel
