/// @file
/// [variables.*] as a vector: numbers of the mechanism, quantities of elements, edge lengths of meshes.
#pragma once

#include "evaluation/flexible_bodies.hpp"
#include "results/variable_table.hpp"

namespace kurbel {

class DesignVariables {
 public:
  /// @throws InputError, naming the key, if a variable takes in no element, or one that another varies too
  explicit DesignVariables(const FlexibleBodies& models);

  Eigen::Index size() const { return table_.value.size(); }
  /// Names, bounds, and the values to start from.
  const VariableTable& table() const { return table_; }
  /// Begins with these nodes of controls, and with this end of the motion where it varies.
  /// @param nodes  by control
  void begin_with(const std::vector<VectorXd>& nodes, double t1);
  /// True if a variable is a node of a control.
  bool is_node(Eigen::Index i) const { return is_node_[static_cast<std::size_t>(i)]; }
  /// Variables that are numbers of the mechanism: the size of Design::system.
  Eigen::Index n_numbers() const { return n_numbers_; }
  /// Place of a variable in Design::system; -1 for one of elements.
  Eigen::Index number(Eigen::Index i) const { return number_[static_cast<std::size_t>(i)]; }
  /// Names of the variables that are one number each, nodes of controls aside, with their places.
  const std::vector<std::pair<std::string, Eigen::Index>>& scalars() const { return scalars_; }
  /// Bodies whose elements have values of their own, ascending.
  std::vector<std::size_t> bodies_with_fields() const;
  /// Bodies with a mesh that some variable changes, ascending.
  std::vector<std::size_t> bodies() const;

  /// Writes the values of the variables into the design.
  void apply(const VectorXd& values, Design& design) const;
  /// d psi / d values from d psi / d design.
  VectorXd pullback(const Design& bar) const;

 private:
  /// A variable of the problem and where its values stand.
  struct Entry {
    const DesignVariable* variable;
    Eigen::Index first, count;
    Eigen::Index place;  ///< in Design::system; of elements: none
    /// Elements of an ElementQuantity that is no edge length; for a surface the numbers of its offsets.
    std::vector<Eigen::Index> elements;
  };
  void add(const DesignVariable& variable, const FlexibleBodies& models);
  std::vector<Eigen::Index> elements_of(const ElementQuantity& quantity, const fem::FlexibleBody& body,
                                        const Problem& problem, const std::string& name) const;

  std::vector<Entry> entries_;
  VariableTable table_;
  std::vector<std::pair<std::string, Eigen::Index>> scalars_;
  Eigen::Index n_numbers_ = 0;
  std::vector<bool> is_node_;         ///< by variable
  std::vector<Eigen::Index> number_;  ///< by variable
};

}  // namespace kurbel
