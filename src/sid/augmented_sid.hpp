/// @file
/// Augmented standard input data in HDF5: every Taylor object with its derivatives by the design variables
/// [P0, section 3].
///
///     bodies/<name>              as in sid_hdf5.hpp, and attributes
///                                  design_variables  what the variables are, in words
///                                  dropped           coefficients without derivatives, "J.M1"
///     bodies/<name>/refmod/mass  class taylor instead of a number
///     bodies/<name>/variables    a name per design variable; absent if they are the densities of all
///     elements each Taylor object         attribute nd, the number of design variables; datasets dM0 (nrow x
///     ncol x nd),
///                                dM1 (nrow x ncol x nq x nd), dMn (nrow x ncol x nqn x nd), in compressed
///                                chunks
///
/// A file without the derivatives of a coefficient says so in `dropped`; they count as zero.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sid/augmentation.hpp"
#include "sid/sid_hdf5.hpp"

namespace kurbel {

/// Derivatives of one coefficient, (size x n_variables).
using DerivativeSource = std::function<RowMatrix(const SidCoefficient&)>;

/// Writes a body with its derivatives, array by array.
void write_augmented_sid(Hdf5File& file, const std::string& name, const Sid& sid,
                         const Augmentation& augmentation, const DerivativeSource& derivative);

/// A body as the file holds it.
struct AugmentedSid {
  struct Derivative {
    SidCoefficient coefficient;
    RowMatrix values;  ///< coefficient.size() x n_variables
  };
  Sid sid;
  Eigen::Index n_variables = 0;
  std::vector<std::string> variables;
  std::vector<Derivative> derivatives;
  std::vector<std::string> dropped;
};

bool is_augmented(const Hdf5File& file, const std::string& name);

/// @throws InputError as read_sid, and if the body has no derivatives, or one is of the wrong shape or not
///         finite
AugmentedSid read_augmented_sid(const Hdf5File& file, const std::string& name);

/// d psi / d (design variables) from the file alone: the sum over all entries of d psi / d entry, as the
/// adjoint gives it, times d entry / d variable    [P0, eqs 6, 26-31, 43-65].
/// @param sid_bar  entries taken as independent; shapes as augmented.sid
VectorXd assemble_gradient(const AugmentedSid& augmented, const Sid& sid_bar);

}  // namespace kurbel
