/// @file
/// The coefficient arrays of a body one by one: mass, and M0, M1, Mn of every Taylor member, nodes included.
#pragma once

#include <string>
#include <vector>

#include "sid/sid.hpp"

namespace kurbel {

/// Numbers by row, with as many columns as there are design variables: contiguous as HDF5 keeps them.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One array: nrow x ncol x count, in the order of the file (row, column, term).
struct SidCoefficient {
  std::string group;   ///< of its Taylor object within the body: "refmod/mass", "J", "frame/0/phi"
  std::string member;  ///< "mass", "J", "phi"; of nodes the same for all
  int order = 0;       ///< 0: M0, 1: M1, 2: Mn
  Eigen::Index nrow = 1, ncol = 1, count = 1;

  Eigen::Index size() const { return nrow * ncol * count; }
  std::string array() const { return order == 0 ? "M0" : order == 1 ? "M1" : "Mn"; }
  /// "J.M1", by which a user chooses coefficients
  std::string name() const { return member + "." + array(); }
};

/// True if the coefficients have the array of that group and order.
bool contains(const std::vector<SidCoefficient>& coefficients, const SidCoefficient& coefficient);

/// All arrays that are there, in the order of the file.
std::vector<SidCoefficient> sid_coefficients(const Sid& sid);

/// The numbers of one.        (size)
VectorXd coefficient_values(const Sid& sid, const SidCoefficient& coefficient);
/// Replaces them.
void set_coefficient_values(Sid& sid, const SidCoefficient& coefficient, const VectorXd& values);

/// Coefficients whose name ("J.M1") or member ("J") is among `names`; without names, all.
/// @throws InputError with `where` in front if a name fits none
std::vector<SidCoefficient> chosen_coefficients(const std::vector<SidCoefficient>& all,
                                                const std::vector<std::string>& names,
                                                const std::string& where);

}  // namespace kurbel
