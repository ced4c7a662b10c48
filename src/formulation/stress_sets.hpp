/// @file
/// The stresses that the criteria of a problem see: which elements of which body, and their stress modes.
#pragma once

#include <memory>
#include <vector>

#include "base/shared.hpp"
#include "fem/flexible_body.hpp"
#include "mechanism/criterion_spec.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Stress modes of every set, in the order of StressSets.
using StressModesOfSets = std::vector<std::shared_ptr<const StressModes>>;

/// One set for every body, relaxation and choice of elements that a von Mises term of the problem has.
class StressSets {
 public:
  explicit StressSets(Shared<const Problem> problem);

  std::size_t size() const { return sets_.size(); }
  std::size_t body(std::size_t set) const { return sets_[set].body; }
  const fem::StressPoints& points(std::size_t set) const { return sets_[set].points; }

  /// The set of a von Mises term of the problem.
  std::size_t find(const CriterionTerm& term) const;
  /// The terms with the stress modes that they need.
  std::vector<CriterionTerm> complete(std::vector<CriterionTerm> terms, const StressModesOfSets& modes) const;
  /// Adds the gradients of the von Mises terms among `terms`, in their order, to those of their sets; a set
  /// of none stays empty.
  std::vector<MatrixXd> collect(const std::vector<CriterionTerm>& terms, std::vector<MatrixXd> bars) const;

  /// The elements of a body that a set with the relaxation of its first one sees, to look at; nothing if no
  /// criterion sees its stress.
  std::optional<fem::StressPoints> to_show(std::size_t body) const;

 private:
  struct Set {
    std::size_t body;
    std::vector<std::string> left_out;
    fem::StressPoints points;
  };
  void add(const CriterionTerm& term);
  bool is_of(const CriterionTerm& term, const Set& set) const;

  Shared<const Problem> problem_;
  std::vector<Set> sets_;
};

}  // namespace kurbel
