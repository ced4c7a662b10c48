#include "evaluation/design_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fem/surface_morph.hpp"
#include "input/variables_reader.hpp"

namespace kurbel {

namespace {

using Kind = ElementQuantity::Kind;

/// The array of an element quantity in a design, or in its sensitivities.
template <class Body>
auto& array_of(Kind kind, Body& body) {
  switch (kind) {
    case Kind::youngs_modulus:
      return body.youngs_modulus;
    case Kind::solid_density:
      return body.solid_density;
    case Kind::mesh_surface:
      return body.offsets;
    case Kind::thickness:
    case Kind::mesh_size:  // no array of its own: it has no elements
      break;
  }
  return body.thickness;
}

const ElementQuantity* element_quantity(const DesignVariable& variable) {
  return std::get_if<ElementQuantity>(&variable.quantity);
}

void append(VectorXd& v, Eigen::Index n, double value) {
  v.conservativeResize(v.size() + n);
  v.tail(n).setConstant(value);
}

}  // namespace

DesignVariables::DesignVariables(const FlexibleBodies& models) {
  for (const DesignVariable& variable : models.problem().design.variables) add(variable, models);
  const std::filesystem::path& file = models.problem().design.variables_file;
  if (file.empty()) return;
  try {
    table_.value = read_variables(file, table_);
  } catch (const InputError& error) {
    throw models.problem().error("design.start_variables", fmt::format(": {}", error.what()));
  }
}

void DesignVariables::add(const DesignVariable& variable, const FlexibleBodies& models) {
  const ElementQuantity* quantity = element_quantity(variable);
  Entry entry{&variable, size(), 1, -1, {}};
  if (!quantity) {
    entry.place = n_numbers_++;
  } else {
    entry.elements = elements_of(*quantity, *models[quantity->body], models.problem(), variable.name);
    if (quantity->each_element) entry.count = static_cast<Eigen::Index>(entry.elements.size());
  }
  for (Eigen::Index k = 0; k < entry.count; ++k) {
    const bool each = quantity && quantity->each_element;
    table_.names.push_back(
        each ? fmt::format("{}[{}]", variable.name, entry.elements[static_cast<std::size_t>(k)])
             : variable.name);
    if (!each && !is_control_node(variable)) scalars_.emplace_back(variable.name, entry.first);
    table_.units.push_back(variable.unit);
    is_node_.push_back(is_control_node(variable));
    number_.push_back(entry.place);
  }
  append(table_.value, entry.count, variable.start);
  append(table_.lower, entry.count, variable.lower);
  append(table_.upper, entry.count, variable.upper);
  if (quantity && quantity->kind == Kind::mesh_surface) {
    const std::vector<bool>& inward = models[quantity->body]->spec().mesh.morph->inward();
    for (Eigen::Index k = 0; k < entry.count; ++k) {
      double& upper = table_.upper[entry.first + k];
      if (inward[static_cast<std::size_t>(k)]) upper = std::min(upper, 0.0);
    }
  }
  entries_.push_back(std::move(entry));
}

std::vector<Eigen::Index> DesignVariables::elements_of(const ElementQuantity& quantity,
                                                       const fem::FlexibleBody& body, const Problem& problem,
                                                       const std::string& name) const {
  const std::string key = "variables." + name;
  std::set<Eigen::Index> elements;
  if (quantity.kind == Kind::mesh_surface) {
    for (Eigen::Index i = 0; i < body.spec().mesh.morph->size(); ++i) elements.insert(i);
  } else if (quantity.kind != Kind::mesh_size) {
    if (fem::is_everywhere(quantity.elements)) {
      for (Eigen::Index e = 0; e < body.n_elements(); ++e) elements.insert(e);
    } else {
      for (const int e : body.mesh().elements_in(quantity.elements)) elements.insert(e);
      if (elements.empty()) throw problem.error(key + ".elements", "holds the centre of no element");
    }
  }
  for (const Entry& entry : entries_) {
    const ElementQuantity* other = element_quantity(*entry.variable);
    if (!other || other->kind != quantity.kind || other->body != quantity.body) continue;
    const bool shared = quantity.kind == Kind::mesh_size
                            ? other->axis == quantity.axis
                            : std::any_of(entry.elements.begin(), entry.elements.end(),
                                          [&](Eigen::Index e) { return elements.contains(e); });
    if (shared) {
      throw problem.error(key + ".quantity",
                          fmt::format("is varied by {} already{}", entry.variable->name,
                                      quantity.kind == Kind::mesh_size || quantity.kind == Kind::mesh_surface
                                          ? ""
                                          : " in some of these elements"));
    }
  }
  return {elements.begin(), elements.end()};
}

std::vector<std::size_t> DesignVariables::bodies() const {
  std::set<std::size_t> found;
  for (const Entry& entry : entries_) {
    if (const ElementQuantity* quantity = element_quantity(*entry.variable)) found.insert(quantity->body);
  }
  return {found.begin(), found.end()};
}

std::vector<std::size_t> DesignVariables::bodies_with_fields() const {
  std::set<std::size_t> found;
  for (const Entry& entry : entries_) {
    const ElementQuantity* quantity = element_quantity(*entry.variable);
    if (quantity && quantity->each_element) found.insert(quantity->body);
  }
  return {found.begin(), found.end()};
}

void DesignVariables::apply(const VectorXd& values, Design& design) const {
  for (const Entry& entry : entries_) {
    const ElementQuantity* quantity = element_quantity(*entry.variable);
    if (!quantity) {
      design.system[entry.place] = values[entry.first];
      continue;
    }
    fem::BodyDesign& body = design.bodies[quantity->body];
    if (quantity->kind == Kind::mesh_size) body.size[quantity->axis] = values[entry.first];
    VectorXd& array = array_of(quantity->kind, body);
    for (std::size_t k = 0; k < entry.elements.size(); ++k)
      array[entry.elements[k]] = values[entry.first + (entry.count > 1 ? static_cast<Eigen::Index>(k) : 0)];
  }
}

void DesignVariables::begin_with(const std::vector<VectorXd>& nodes, double t1) {
  for (const Entry& entry : entries_) {
    const auto* number = std::get_if<SystemQuantity>(&entry.variable->quantity);
    if (number && is_control_node(*entry.variable))
      table_.value[entry.first] = nodes[number->owner][number->component];
    if (is_end_of_motion(*entry.variable)) table_.value[entry.first] = entry.variable->sign * t1;
  }
}

VectorXd DesignVariables::pullback(const Design& bar) const {
  VectorXd values_bar = VectorXd::Zero(size());
  for (const Entry& entry : entries_) {
    const ElementQuantity* quantity = element_quantity(*entry.variable);
    if (!quantity) {
      values_bar[entry.first] = bar.system[entry.place];
      continue;
    }
    const fem::BodyDesign& body = bar.bodies[quantity->body];
    if (quantity->kind == Kind::mesh_size) values_bar[entry.first] = body.size[quantity->axis];
    const VectorXd& array = array_of(quantity->kind, body);
    for (std::size_t k = 0; k < entry.elements.size(); ++k)
      values_bar[entry.first + (entry.count > 1 ? static_cast<Eigen::Index>(k) : 0)] +=
          array[entry.elements[k]];
  }
  return values_bar;
}

}  // namespace kurbel
