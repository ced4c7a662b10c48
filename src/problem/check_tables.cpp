/// Whether functions of time suit the analysis: tables cover the motion, and excitations belong to a frequency response.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/checks.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

void check_range(const Problem& problem, const TimeRange& range, const std::string& key) {
  const double t0 = problem.integrator.t0;
  const double t1 = is_about_rest(problem.analysis) ? t0 : problem.integrator.t1;
  const double rounding = 1e-9 * (t1 - t0);
  const auto refuse = [&](const char* end, double of_table, double of_motion) {
    throw problem.error(key,
                        "{0}s at {1:g} s, but the motion {0}s at {2:g} s. Extend the table, or set "
                        "beyond = \"hold\" or \"repeat\"",
                        end, of_table, of_motion);
  };
  if (range.begin > t0 + rounding) refuse("begin", range.begin, t0);
  if (range.end < t1 - rounding) refuse("end", range.end, t1);
}

void check_components(const Problem& problem, const std::array<TimeFunctionPtr, 3>& components,
                      const std::string& key) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i]) check_range(problem, components[i]->range(), fmt::format("{}.{}.t", key, i));
  }
}

/// The key of one drive among several of a joint, or of the only one.
std::string key_of_drive(const Problem& problem, const JointSpec& joint, std::size_t drive) {
  const std::string key = fmt::format("joints.{}.drive", joint.name);
  const TomlValue* at = problem.document->find(key);
  return at && at->array() ? fmt::format("{}.{}", key, drive) : key;
}

/// The key of the function of a load on a surface; empty for a load at a marker.
std::string key_of_amplitude(const Problem& problem, const std::string& load) {
  const TomlValue* type = problem.document->find(fmt::format("loads.{}.type", load));
  const auto* word = type ? std::get_if<std::string>(&type->data) : nullptr;
  if (!word || *word == "marker") return {};
  return fmt::format("loads.{}.{}", load, *word == "pressure" ? "pressure" : "force");
}

/// A target is one function, or one for each of the axes that are observed.
void check_target(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const std::string key = path + ".target";
  const TomlValue* at = problem.document->find(key);
  const std::vector<int> observed = axes_of(term);
  for (std::size_t axis = 0; axis < term.target.size(); ++axis) {
    if (!term.target[axis]) continue;
    const auto index = std::ranges::find(observed, static_cast<int>(axis)) - observed.begin();
    check_range(problem, term.target[axis]->range(),
                at && at->array() ? fmt::format("{}.{}.t", key, index) : key + ".t");
  }
}

}  // namespace

namespace {

void check_excitation(const Problem& problem, const TimeFunctionPtr& function, const std::string& key) {
  if (!function) return;
  if (problem.analysis != Analysis::frequency_response) {
    if (function->is_excitation())
      throw problem.error(key + ".frequency", "is missing; it must be a number above 0");
  } else if (!function->is_excitation() && !function->is_constant()) {
    throw problem.error(key,
                        "is a function of time; with analysis = \"frequency-response\" it is a number, or of "
                        "type = \"harmonic\" without a frequency");
  }
}

void check_excitations(const Problem& problem) {
  for (const JointSpec& joint : problem.system.joints) {
    for (std::size_t i = 0; i < joint.drives.size(); ++i)
      check_excitation(problem, joint.drives[i].motion, key_of_drive(problem, joint, i));
  }
  for (const MarkerLoadSpec& load : problem.system.loads) {
    const std::string amplitude = key_of_amplitude(problem, load.name);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto key = [&](const char* of) {
        return amplitude.empty() ? fmt::format("loads.{}.{}.{}", load.name, of, k) : amplitude;
      };
      if (!load.force_over[k]) check_excitation(problem, load.force[k], key("force"));
      if (!load.torque_over[k]) check_excitation(problem, load.torque[k], key("torque"));
    }
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    for (const TimeFunctionPtr& target : term.target) {
      if (target && target->is_excitation()) throw problem.error(path + ".target", "needs a frequency");
    }
  });
}

bool has_excitation(const SystemSpec& system) {
  const auto excites = [](const TimeFunctionPtr& function) { return function && function->is_excitation(); };
  return std::ranges::any_of(system.joints,
                             [&](const JointSpec& joint) {
                               return std::ranges::any_of(joint.drives, excites, &DriveSpec::motion);
                             }) ||
         std::ranges::any_of(system.loads, [&](const MarkerLoadSpec& load) {
           return std::ranges::any_of(load.force, excites) || std::ranges::any_of(load.torque, excites);
         });
}

}  // namespace

bool lacks_excitation(const Problem& problem) {
  return problem.analysis == Analysis::frequency_response && !has_excitation(problem.system);
}

void check_tables(const Problem& problem) {
  check_excitations(problem);
  if (problem.integrator.step == 0.0) return;
  for (const JointSpec& joint : problem.system.joints) {
    for (std::size_t i = 0; i < joint.drives.size(); ++i)
      check_range(problem, joint.drives[i].motion->range(), key_of_drive(problem, joint, i) + ".t");
  }
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (const std::string key = key_of_amplitude(problem, load.name); !key.empty()) {
      for (const auto& components : {load.force, load.torque}) {
        for (const TimeFunctionPtr& component : components) {
          if (component) check_range(problem, component->range(), key + ".t");
        }
      }
      continue;
    }
    check_components(problem, load.force, fmt::format("loads.{}.force", load.name));
    check_components(problem, load.torque, fmt::format("loads.{}.torque", load.name));
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    check_target(problem, term, path);
  });
}

}  // namespace kurbel
