#include "sid/augmented_sid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kurbel {
namespace {

using Eigen::Index;

std::string body_group(const std::string& name) {
  return "bodies/" + name;
}

/// nrow x ncol x nd, or nrow x ncol x count x nd
std::vector<std::size_t> shape_of(const SidCoefficient& c, Index n_variables) {
  std::vector<std::size_t> shape = {static_cast<std::size_t>(c.nrow), static_cast<std::size_t>(c.ncol)};
  if (c.order > 0) shape.push_back(static_cast<std::size_t>(c.count));
  shape.push_back(static_cast<std::size_t>(n_variables));
  return shape;
}

void write_mass(Hdf5File& file, const std::string& group, const Sid& sid) {
  file.remove(group);
  file.make_group(group);
  for (const auto& [name, value] :
       {std::pair{"order", 0}, {"nrow", 1}, {"ncol", 1}, {"nqn", 0}, {"structure", 3}}) {
    file.set_attribute(group, name, std::int64_t{value});
  }
  file.set_attribute(group, "nq", static_cast<std::int64_t>(sid.n_q()));
  file.set_attribute(group, "unit", std::string("kg"));
  file.write_matrix(group + "/M0", MatrixXd::Constant(1, 1, sid.refmod.mass));
}

}  // namespace

void write_augmented_sid(Hdf5File& file, const std::string& name, const Sid& sid,
                         const Augmentation& augmentation, const DerivativeSource& derivative) {
  write_sid(file, name, sid);
  const std::string body = body_group(name);
  write_mass(file, body + "/refmod/mass", sid);
  std::vector<std::string> dropped;
  for (const SidCoefficient& c : sid_coefficients(sid)) {
    const std::string group = body + "/" + c.group;
    file.set_attribute(group, "nd", static_cast<std::int64_t>(augmentation.n_variables));
    if (!contains(augmentation.kept, c)) {
      if (std::find(dropped.begin(), dropped.end(), c.name()) == dropped.end()) dropped.push_back(c.name());
      continue;
    }
    const RowMatrix values = derivative(c);
    file.write_array(group + "/d" + c.array(),
                     {shape_of(c, augmentation.n_variables), {values.data(), values.data() + values.size()}});
  }
  file.set_attribute(body, "design_variables",
                     std::string(augmentation.variables.empty()
                                     ? "densities of all elements, x fastest, then y, then z"
                                     : "named in `variables`: the common change of the densities of a set"));
  file.set_attribute(body, "dropped", dropped);
  if (!augmentation.variables.empty()) file.write_texts(body + "/variables", augmentation.variables);
}

bool is_augmented(const Hdf5File& file, const std::string& name) {
  return file.has(body_group(name)) && file.has_attribute(body_group(name), "design_variables");
}

AugmentedSid read_augmented_sid(const Hdf5File& file, const std::string& name) {
  AugmentedSid out;
  out.sid = read_sid(file, name);
  const std::string body = body_group(name);
  if (!is_augmented(file, name))
    throw file.error(body, "has no design derivatives; `kurbel reduce --derivatives` writes them");
  out.n_variables = static_cast<Index>(file.integer_attribute(body + "/refmod/mass", "nd"));
  out.dropped = file.texts_attribute(body, "dropped");
  if (file.has(body + "/variables")) out.variables = file.read_texts(body + "/variables");
  if (!out.variables.empty() && static_cast<Index>(out.variables.size()) != out.n_variables) {
    throw file.error(body + "/variables", fmt::format("names {} design variables; expected {}",
                                                      out.variables.size(), out.n_variables));
  }
  for (const SidCoefficient& c : sid_coefficients(out.sid)) {
    const std::string object = body + "/" + c.group + "/d" + c.array();
    if (!file.has(object)) {
      if (std::find(out.dropped.begin(), out.dropped.end(), c.name()) == out.dropped.end())
        throw file.error(object, "missing, and not among those dropped");
      continue;
    }
    const Hdf5Array array = file.read_array(object);
    const std::vector<std::size_t> shape = shape_of(c, out.n_variables);
    if (array.shape != shape) {
      throw file.error(
          object, fmt::format("is {}; expected {}", fmt::join(array.shape, " x "), fmt::join(shape, " x ")));
    }
    RowMatrix values = Eigen::Map<const RowMatrix>(array.values.data(), c.size(), out.n_variables);
    if (!values.allFinite()) throw file.error(object, "contains numbers that are not finite");
    out.derivatives.push_back({c, std::move(values)});
  }
  return out;
}

VectorXd assemble_gradient(const AugmentedSid& augmented, const Sid& sid_bar) {
  VectorXd gradient = VectorXd::Zero(augmented.n_variables);
  for (const AugmentedSid::Derivative& d : augmented.derivatives)
    gradient.noalias() += d.values.transpose() * coefficient_values(sid_bar, d.coefficient);
  return gradient;
}

}  // namespace kurbel
