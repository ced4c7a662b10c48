#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "keys/toml_tree.hpp"
#include "problem/attachments.hpp"
#include "problem/cases_in_common.hpp"
#include "problem/checks.hpp"
#include "problem/key_groups.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

constexpr const char* cases_key = "cases";
constexpr const char* over_cases_key = "over_cases";

void erase(TomlValue& table, const std::string& key) {
  auto& entries = std::get<TomlValue::Table>(table.data);
  std::erase_if(entries, [&](const TomlEntry& entry) { return entry.key == key; });
}

/// Markers at points are where they are by the start of their body, and the same in all cases.
void check_start_of_case(const TomlValue& initial, const std::string& key, std::size_t body,
                         const Problem& problem) {
  if (!initial.find("position") && !initial.find("rotation")) return;
  for (const NamedPoint& point : problem.system.points) {
    const auto is_on_body = [&](const PointUse& use) {
      return use.kind == PointUse::Kind::marker && use.owner == body;
    };
    if (std::ranges::none_of(point.uses, is_on_body)) continue;
    throw problem.error(
        key,
        "moves a body whose marker is at the point \"{}\", which all cases share; give that marker a "
        "position in place of the point",
        point.name);
  }
}

void check_bodies_of_case(const TomlValue& own, const std::string& path, const Problem& problem) {
  const TomlValue* bodies = own.find("bodies");
  if (!bodies || !bodies->table()) return;
  for (const TomlEntry& entry : *bodies->table()) {
    const std::string key = fmt::format("{}.bodies.{}", path, entry.key);
    const auto i = problem.find_body(entry.key);
    const bool is_point = find_named(problem.system.point_masses, entry.key);
    if (!i && !is_point) throw problem.error(key, "is none of [bodies.*], which all cases share");
    if (!entry.value.table()) continue;
    const bool rigid = i && problem.bodies[*i].type == ProblemBody::Type::rigid;
    const std::string type = is_point ? "point" : rigid ? "rigid" : "";
    for (const TomlEntry& part : *entry.value.table()) {
      const auto allowed = [&](const Key& key) {
        return key.name == part.key && key.in_cases &&
               std::ranges::all_of(key.conditions, [&](const KeyCondition& condition) {
                 return std::ranges::find(condition.words, type) != condition.words.end();
               });
      };
      if (i && part.key == "initial") check_start_of_case(part.value, key + ".initial", *i, problem);
      if (std::ranges::any_of(keys::body().group().keys, allowed)) continue;
      throw problem.error(key + "." + part.key,
                          "belongs to the part, which all cases share; a case may state {}",
                          is_point ? "mass and initial of a point"
                          : rigid  ? "mass, centre_of_mass, inertia and initial of a rigid body"
                                   : "initial of a body that is not rigid");
    }
  }
}

/// Keys whose numbers a variable sets, without the signs of those that are tied to others.
std::vector<std::string> quantities_of(const TomlValue& variable) {
  const TomlValue* quantity = variable.find("quantity");
  if (!quantity) return {};
  std::vector<std::string> all;
  const auto add = [&](const TomlValue& value) {
    if (const auto* text = std::get_if<std::string>(&value.data))
      all.push_back(text->starts_with("-") ? text->substr(1) : *text);
  };
  add(*quantity);
  if (const auto* list = quantity->array()) std::ranges::for_each(*list, add);
  return all;
}

/// A number that varies is the same in all cases.
void check_variables_of_case(const TomlValue& own, const std::string& path, const Problem& problem) {
  const TomlValue* variables = problem.document->root.find("variables");
  if (!variables || !variables->table()) return;
  for (const TomlEntry& variable : *variables->table()) {
    for (const std::string& key : quantities_of(variable.value)) {
      // A list of drives takes the place of the one that is shared.
      const std::string drive = key.substr(0, key.find(".drive.") + std::string_view(".drive").size());
      const TomlValue* drives = key.find(".drive.") != std::string::npos ? find_at(own, drive) : nullptr;
      if (!find_at(own, key) && !(drives && drives->array())) continue;
      throw problem.error(path + "." + (drives && drives->array() ? drive : key),
                          "is designed by variables.{}, which all cases share", variable.key);
    }
  }
}

/// A problem that is the same but for what a case states.
ProblemCase read_own(const TomlDocument& shared, const TomlEntry& entry, const Problem& problem) {
  const std::string path = fmt::format("{}.{}", cases_key, entry.key);
  if (!entry.value.table())
    throw problem.error(path, "must be a table of what it states in place of the mechanism");
  const TomlTable table = TomlTable(*problem.document, root_keys()).table(cases_key).table(entry.key);
  ProblemCase own{.name = read_name(table), .weight = table.number_or("weight", 1.0), .problem = {}};
  TomlValue tree = entry.value;
  tree.in_braces = false;
  erase(tree, "weight");
  for (const Key* key : keys_of(root_keys())) {
    if (!key->in_cases && tree.find(key->name))
      throw problem.error(path + "." + key->name,
                          "is the same in all cases, which differ in the mechanism alone");
  }
  check_bodies_of_case(tree, path, problem);
  check_variables_of_case(tree, path, problem);
  own.problem = std::make_shared<const Problem>(read_case(shared.overlaid(std::move(tree)), &problem));
  if (lacks_excitation(*own.problem))
    throw problem.error(
        path, "has no load or drive of type = \"harmonic\"; a frequency response needs an excitation");
  return own;
}

OverCases read_over_cases(const TomlDocument& document) {
  TomlDocument alone = document;
  std::erase_if(std::get<TomlValue::Table>(alone.root.data),
                [](const TomlEntry& entry) { return entry.key != over_cases_key; });
  const TomlTable root(alone, root_keys());
  const OverCases over = keys::over_cases().read(root.table_or_empty(over_cases_key));
  root.finish();
  return over;
}

/// Which cases a constraint holds for, by place.
std::vector<std::size_t> cases_of(const CriterionConstraint& constraint, const Problem& problem) {
  const std::vector<std::string> known = names_of(problem.cases);
  std::vector<std::size_t> indices;
  for (std::size_t c = 0; c < known.size(); ++c) {
    const auto& named = constraint.case_names;
    if (named.empty() || std::ranges::find(named, known[c]) != named.end()) indices.push_back(c);
  }
  for (const std::string& name : constraint.case_names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw problem.error(fmt::format("constraints.criteria.{}.cases", constraint.name),
                        "names {}, which is none of [cases.*]{}", name, spelling_advice(name, known, "\""));
  }
  return indices;
}

/// Each constraint for each case: all instants of a time history beside each other. One that is the same in all cases
/// is a single constraint.
void spread_constraints(Problem& problem) {
  const std::vector<CriterionConstraint> shared = std::move(problem.constraints.criteria);
  std::vector<CriterionConstraint>& spread = problem.constraints.criteria;
  std::vector<std::vector<std::size_t>> indices(shared.size());
  spread.clear();
  for (std::size_t first = 0, end = 0; first < shared.size(); first = end) {
    while (end < shared.size() && shared[end].time_history_name() == shared[first].time_history_name()) ++end;
    std::vector<std::size_t> cases = cases_of(shared[first], problem);
    const bool sum = shared[first].sum_over_cases;
    const bool is_one = !sum && std::ranges::all_of(shared[first].terms, [&](const CriterionTerm& term) {
      return is_in_common(problem, term);
    });
    if (is_one) cases.resize(1);
    for (std::size_t n = 0; n < (sum ? 1 : cases.size()); ++n) {
      for (std::size_t i = first; i < end; ++i) {
        indices[i].push_back(spread.size());
        spread.push_back(shared[i]);
        if (sum) {
          for (const std::size_t c : cases) spread.back().shares.push_back({c, i, problem.cases[c].weight});
        } else {
          if (!is_one) spread.back().of_case = problem.cases[cases[n]].name;
          spread.back().shares = {{cases[n], i}};
        }
      }
    }
  }
  const auto renumber = [&](std::vector<std::size_t>& constraints) {
    std::vector<std::size_t> own;
    for (const std::size_t i : constraints) own.insert(own.end(), indices[i].begin(), indices[i].end());
    std::ranges::sort(own);
    constraints = std::move(own);
  };
  for (Stage& stage : problem.first_stages) renumber(stage.constraints);
}

/// Removes the terms of constraints on other cases from each case, but keeps the constraints' places in the list. A case
/// then finds only those modes that its own functions count, and may be unstable if they count none.
void leave_out_other_cases(Problem& problem) {
  for (std::size_t c = 0; c < problem.cases.size(); ++c) {
    auto own = std::make_shared<Problem>(*problem.cases[c].problem);
    std::vector<CriterionConstraint>& constraints = own->constraints.criteria;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto is_its_share = [&](const CaseShare& s) { return s.of_case == c && s.constraint == i; };
      if (std::ranges::none_of(problem.constraints.criteria, [&](const CriterionConstraint& spread) {
            return std::ranges::any_of(spread.shares, is_its_share);
          }))
        constraints[i].terms.clear();
    }
    problem.cases[c].problem = std::move(own);
  }
}

/// Adds the markers and attachment modes of the loads on surfaces that a case has alone.
void add_loads_on_surfaces(const ProblemCase& own, fem::FlexibleBodySpec& all,
                           const fem::FlexibleBodySpec& of_case) {
  for (const fem::MarkerSpec& marker : of_case.markers) {
    if (!marker.set) continue;
    const auto known = std::ranges::find(all.markers, marker.name, &fem::MarkerSpec::name);
    if (known == all.markers.end()) {
      all.markers.push_back(marker);
    } else if (!known->set || !is_same_mean(*known->set, *marker.set)) {
      const std::string load = marker.name.substr(0, marker.name.find('('));
      throw own.problem->error("loads." + load,
                               "acts on another place than in other cases, as in case {}; give it another "
                               "name there",
                               own.name);
    }
  }
  for (fem::CombinedLoadSpec load : of_case.combined_loads) {
    if (is_combination(load, all.combined_loads, all.markers, *fem::make_mesh(all.mesh))) continue;
    if (std::ranges::find(all.combined_loads, load.name, &fem::CombinedLoadSpec::name) !=
        all.combined_loads.end())
      load.name += " of case " + own.name;
    all.combined_loads.push_back(std::move(load));
  }
}

/// One basis serves all cases: attachment modes for what acts in any of them.
void unite_attachments(Problem& problem) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    auto& all = problem.bodies[i].flexible.attachments;
    for (const ProblemCase& own : problem.cases) {
      for (const fem::AttachmentSpec& attachment : own.problem->bodies[i].flexible.attachments) {
        const auto known = std::ranges::find(all, attachment.marker, &fem::AttachmentSpec::marker);
        if (known == all.end()) {
          all.push_back(attachment);
        } else {
          unite(*known, attachment);
        }
      }
      add_loads_on_surfaces(own, problem.bodies[i].flexible, own.problem->bodies[i].flexible);
    }
  }
}

}  // namespace

TomlDocument without_cases(const TomlDocument& document) {
  TomlDocument shared = document;
  for (const char* key : {cases_key, over_cases_key}) erase(shared.root, key);
  return shared;
}

void read_cases(const TomlDocument& shared, Problem& problem) {
  const TomlValue* cases = problem.document->root.find(cases_key);
  if (cases && problem.analysis == Analysis::eigenfrequency)
    throw problem.error(cases_key, "has no meaning with analysis = \"eigenfrequency\", which knows no loads");
  if (!cases) {
    if (lacks_excitation(problem))
      throw problem.error("loads",
                          "and drives have no type = \"harmonic\"; a frequency response needs an excitation");
    if (problem.document->root.find(over_cases_key))
      throw problem.error(over_cases_key, "needs [cases.NAME]");
    for (const CriterionConstraint& constraint : problem.constraints.criteria) {
      if (constraint.sum_over_cases || !constraint.case_names.empty())
        throw problem.error(fmt::format("constraints.criteria.{}.cases", constraint.name),
                            "needs [cases.NAME]");
    }
    return;
  }
  if (!cases->table()) throw problem.error(cases_key, "must hold a table for each case: [cases.NAME]");
  for (const TomlEntry& entry : *cases->table()) problem.cases.push_back(read_own(shared, entry, problem));
  if (problem.cases.empty())
    throw problem.error(cases_key, "is empty; give a table for each case: [cases.NAME]");
  if (!problem.output.adjoint.empty())
    throw problem.error("output.adjoint", "has no meaning with [cases], which move each on its own");
  problem.over_cases = read_over_cases(*problem.document);
  spread_constraints(problem);
  if (is_about_rest(problem.analysis)) leave_out_other_cases(problem);
  count_once(problem);
  unite_attachments(problem);
  check_bodies(problem);
}

}  // namespace kurbel
