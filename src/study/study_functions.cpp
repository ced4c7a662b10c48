#include "study/study_functions.hpp"

#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

std::string unit_of(const Study& study, const ConstraintRow& row) {
  switch (row.of) {
    case ConstraintRow::Of::motion:
      return unit_of(study.problem(), study.chain().function(static_cast<std::size_t>(row.requested)).terms);
    case ConstraintRow::Of::mass:
      return "kg";
    case ConstraintRow::Of::volume_fraction:
    case ConstraintRow::Of::excess_of_members:
    case ConstraintRow::Of::distortion:
    case ConstraintRow::Of::grey_level:
      break;
  }
  return "";
}

}  // namespace

std::vector<StudyFunction> functions_of(Study& study) {
  std::vector<StudyFunction> functions = {{"objective", unit_of(study.problem(), study.problem().objective)}};
  for (const ConstraintRow& row : study.program().rows())
    functions.push_back({row.name, unit_of(study, row), row.bound, 1.0 / row.factor});
  return functions;
}

}  // namespace kurbel
