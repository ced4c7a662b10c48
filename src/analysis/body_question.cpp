#include "analysis/body_question.hpp"

#include "analysis/eigenfrequency_question.hpp"
#include "analysis/static_question.hpp"
#include "fem/mesh_source.hpp"

namespace kurbel {

using Eigen::Index;

std::unique_ptr<BodyQuestion> make_body_question(const Problem& problem,
                                                 const std::vector<fem::FlexibleBody*>& bodies) {
  switch (problem.analysis) {
    case Analysis::statics:
      return std::make_unique<StaticQuestion>(problem, bodies);
    case Analysis::eigenfrequency:
      return std::make_unique<EigenfrequencyQuestion>(problem, bodies);
    case Analysis::motion:
    case Analysis::modes:
    case Analysis::frequency_response:
      break;
  }
  return nullptr;
}

NodalField nodal_field(const fem::FlexibleBody& body, const Eigen::Ref<const VectorXd>& u, std::string name,
                       std::string unit) {
  const fem::NodeOrder& order = body.held().assembly.order();
  const Index dim = body.mesh().dim();
  NodalField field{std::move(name), std::move(unit), MatrixXd::Zero(3, body.mesh().n_nodes())};
  for (Index i = 0; i < order.n_free(); ++i)
    field.values.col(order.node_at(i)).head(dim) = u.segment(i * dim, dim);
  return field;
}

std::optional<fem::HeldElements> moved_elements(const fem::FlexibleBody& body,
                                                const fem::BodyDesign& design) {
  if (design.offsets.size() == 0) return {};
  return fem::HeldElements{element_factors(body.spec(), design), body.stressed(design).shapes};
}

void add(const fem::BodyDesign& part, double weight, fem::BodyDesign& bar) {
  bar.density += weight * part.density;
  bar.youngs_modulus += weight * part.youngs_modulus;
  bar.solid_density += weight * part.solid_density;
  bar.thickness += weight * part.thickness;
  bar.size += weight * part.size;
  bar.offsets += weight * part.offsets;
}

void add_to_bar(const fem::FlexibleBody& body, const fem::BodyDesign& design,
                const fem::MatricesBar& matrices_bar, fem::BodyDesign& bar) {
  fem::BodyDesign part;
  pull_back_element_factors(body.spec(), design, matrices_bar.factors, part);
  add(part, 1.0, bar);
  if (matrices_bar.positions.size() == 0) return;
  const fem::MeshShape shape =
      mesh_source(body.spec().mesh)->pullback(design.shape(), matrices_bar.positions);
  bar.size += shape.size;
  bar.offsets += shape.offsets;
}

void add_mass_bar(const fem::FlexibleBody& body, const fem::BodyDesign& design, double weight,
                  fem::BodyDesign& bar) {
  fem::BodyDesign part;
  differentiate_mass(body.spec(), design, part);
  add(part, weight, bar);
}

}  // namespace kurbel
