#include "evaluation/given_densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurbel {

GivenDensities::GivenDensities(const Problem& problem, const std::filesystem::path& option)
    : problem_(problem), is_option_(!option.empty()), path_(is_option_ ? option : problem.design.start_file) {
  if (path_.empty()) return;
  try {
    file_.emplace(path_);
  } catch (const InputError& error) {
    throw refused(error.what());
  }
}

InputError GivenDensities::refused(const std::string& why) const {
  if (!is_option_) return problem_.error("design.start", ": " + why);
  return InputError(why);
}

void GivenDensities::require_enough_for(std::size_t n_bodies) const {
  if (is_empty() || n_bodies == 1 || !file_->is_of_one_body()) return;
  throw refused(fmt::format(
      "{}: has the densities of one body, and {} bodies are designed; take the final.vtu of a run with these "
      "bodies, or name one of them in design.bodies",
      path_.string(), n_bodies));
}

DensitiesOfBody GivenDensities::of_body(const fem::FlexibleBody& body) const {
  DensitiesOfBody of;
  try {
    of = file_->of_body(body.spec().name, body.n_elements());
  } catch (const InputError& error) {
    throw refused(error.what());
  }
  constexpr double rounding = 1e-9;  // a filtered density may exceed 1 by it
  const fem::Simp& simp = body.spec().simp;
  const double least = std::pow(std::numeric_limits<double>::min(), 1.0 / std::max(simp.s, simp.q));
  for (const VectorXd& values : {of.density, of.design}) {
    for (Eigen::Index e = 0; e < values.size(); ++e) {
      if (values[e] >= least && values[e] <= 1.0 + rounding) continue;
      throw refused(fmt::format(
          "{}: the density of element {} is {:g}, outside [{:.1g}, 1]{}", path_.string(), e, values[e], least,
          values[e] > 0.0 && values[e] < least ? ": its powers are too small for numbers" : ""));
    }
  }
  return of;
}

}  // namespace kurbel
