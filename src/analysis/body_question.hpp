/// @file
/// The other end of the chain: a question about the flexible bodies of a problem alone, without time.
///
///     densities -> K, m of every body -> BodyQuestion::answer() -> BodyAnswer: functions psi
///     d psi / d densities <- BodyAnswer::gradients()
///
/// It stands where MotionModel and Motion stand for a motion: everything before it and after it is the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fem/flexible_body.hpp"
#include "fem/statics.hpp"
#include "formulation/motion_model.hpp"

namespace kurbel {

/// A field over the nodes of a body, to look at.
struct NodalField {
  std::string name, unit;
  MatrixXd values;  ///< 3 x n_nodes
};

/// A field over the elements of a body.
struct ElementField {
  std::string name, unit;
  VectorXd values;  ///< n_elements; not a number where there is none
};

/// The answer at one design. It refers to its question and to the bodies.
class BodyAnswer {
 public:
  virtual ~BodyAnswer() = default;

  /// (1 + number of functions requested), the objective first; it is zero if the problem has none.
  virtual std::vector<CriterionValues> values(const RequestedFunctions& requested) const = 0;
  /// Their derivatives by the designs of the bodies; adjoint systems of all functions are solved together.
  /// @param bars  by function, then by body, overwritten
  virtual Status gradients(const RequestedFunctions& requested,
                           std::vector<std::vector<fem::BodyDesign>>& bars) = 0;

  virtual MotionSummary summarize() const = 0;
  /// Displacements of a body by load case, or its modes.
  virtual std::vector<NodalField> fields(std::size_t body) const = 0;
  /// Stresses of a body by load case.
  virtual std::vector<ElementField> element_fields(std::size_t) const { return {}; }
};

/// One per run. The problem and its bodies must outlive it.
class BodyQuestion {
 public:
  virtual ~BodyQuestion() = default;
  /// @param designs  by body
  /// @param out      empty after a failure
  virtual Status answer(const std::vector<fem::BodyDesign>& designs, std::unique_ptr<BodyAnswer>& out) = 0;
};

/// @param bodies  of the problem, by body; all have a mesh
/// @return        nullptr if the problem asks about the mechanism
std::unique_ptr<BodyQuestion> make_body_question(const Problem& problem,
                                                 const std::vector<fem::FlexibleBody*>& bodies);

/// Displacements of free degrees of freedom as a field.
NodalField nodal_field(const fem::FlexibleBody& body, const Eigen::Ref<const VectorXd>& u, std::string name,
                       std::string unit);

/// The elements of a body whose surface moves; none of other bodies, whose functions need no derivatives by positions.
std::optional<fem::HeldElements> moved_elements(const fem::FlexibleBody& body, const fem::BodyDesign& design);

/// Adds derivatives of the same design.
void add(const fem::BodyDesign& part, double weight, fem::BodyDesign& bar);

/// Adds what a function depends on by the factors of the elements (fem::element_factors) and the positions of their nodes
/// to its derivatives.
void add_to_bar(const fem::FlexibleBody& body, const fem::BodyDesign& design,
                const fem::MatricesBar& matrices_bar, fem::BodyDesign& bar);

/// Adds weight times the mass of a body to its derivatives.
void add_mass_bar(const fem::FlexibleBody& body, const fem::BodyDesign& design, double weight,
                  fem::BodyDesign& bar);

}  // namespace kurbel
