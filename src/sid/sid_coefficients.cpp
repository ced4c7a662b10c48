#include "sid/sid_coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "sid/sid_members.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr const char* mass_group = "refmod/mass";

void add_arrays(const std::string& group, const std::string& member, const Taylor& t,
                std::vector<SidCoefficient>& out) {
  const auto add = [&](int order, std::size_t count) {
    if (count > 0) out.push_back({group, member, order, t.nrow(), t.ncol(), static_cast<Index>(count)});
  };
  add(0, t.M0.size() > 0 ? 1 : 0);
  add(1, t.M1.size());
  add(2, t.Mn.size());
}

/// The Taylor object of a group; nullptr for the mass.
template <class SidType>
auto* taylor_of(SidType& sid, const std::string& group) {
  using TaylorType = std::conditional_t<std::is_const_v<SidType>, const Taylor, Taylor>;
  TaylorType* found = nullptr;
  const std::size_t slash = group.rfind('/');
  if (group.starts_with("frame/")) {
    auto& node = sid.frame[static_cast<std::size_t>(std::stoul(group.substr(6)))];
    for (const SidNodeMember& member : sid_node_members) {
      if (group.substr(slash + 1) == member.name) found = &(node.*member.taylor);
    }
  }
  for (const SidMember& member : sid_members) {
    if (group == member.name) found = &(sid.*member.taylor);
  }
  return found;
}

/// act(number, its index in the array)
template <class SidType, class Action>
void for_each_entry(SidType& sid, const SidCoefficient& c, const Action& act) {
  auto* t = taylor_of(sid, c.group);
  if (!t) return act(sid.refmod.mass, Index{0});
  for (Index k = 0; k < c.count; ++k) {
    auto& m = c.order == 0   ? t->M0
              : c.order == 1 ? t->M1[static_cast<std::size_t>(k)]
                             : t->Mn[static_cast<std::size_t>(k)];
    for (Index i = 0; i < c.nrow; ++i) {
      for (Index j = 0; j < c.ncol; ++j) act(m(i, j), (i * c.ncol + j) * c.count + k);
    }
  }
}

}  // namespace

bool contains(const std::vector<SidCoefficient>& coefficients, const SidCoefficient& coefficient) {
  return std::any_of(coefficients.begin(), coefficients.end(), [&](const SidCoefficient& c) {
    return c.group == coefficient.group && c.order == coefficient.order;
  });
}

std::vector<SidCoefficient> sid_coefficients(const Sid& sid) {
  std::vector<SidCoefficient> out = {{mass_group, "mass", 0, 1, 1, 1}};
  for (std::size_t i = 0; i < sid.frame.size(); ++i) {
    for (const SidNodeMember& member : sid_node_members) {
      add_arrays(fmt::format("frame/{}/{}", i, member.name), member.name, sid.frame[i].*member.taylor, out);
    }
  }
  for (const SidMember& member : sid_members) add_arrays(member.name, member.name, sid.*member.taylor, out);
  return out;
}

VectorXd coefficient_values(const Sid& sid, const SidCoefficient& coefficient) {
  VectorXd values(coefficient.size());
  for_each_entry(sid, coefficient, [&](double entry, Index at) { values[at] = entry; });
  return values;
}

void set_coefficient_values(Sid& sid, const SidCoefficient& coefficient, const VectorXd& values) {
  for_each_entry(sid, coefficient, [&](double& entry, Index at) { entry = values[at]; });
}

std::vector<SidCoefficient> chosen_coefficients(const std::vector<SidCoefficient>& all,
                                                const std::vector<std::string>& names,
                                                const std::string& where) {
  if (names.empty()) return all;
  std::set<std::string> known;
  for (const SidCoefficient& c : all) known.insert({c.member, c.name()});
  for (const std::string& name : names) {
    if (known.contains(name)) continue;
    throw InputError(fmt::format("{}: no coefficient is named {}{}", where, name,
                                 spelling_advice(name, {known.begin(), known.end()})));
  }
  std::vector<SidCoefficient> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const SidCoefficient& c) {
    return std::find(names.begin(), names.end(), c.member) != names.end() ||
           std::find(names.begin(), names.end(), c.name()) != names.end();
  });
  return chosen;
}

}  // namespace kurbel
