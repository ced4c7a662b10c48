/// @file
/// `kurbel reduce --derivatives`: the derivatives of each body that are written, and the size of the file
/// [P0, section 3].
#pragma once

#include <optional>

#include "evaluation/evaluation_chain.hpp"
#include "sid/augmentation.hpp"

namespace kurbel {

/// The derivatives that a user requests.
struct DerivativeRequest {
  std::vector<std::string> coefficients = {};  ///< by name, "J" or "J.M1"; empty: all
  std::vector<std::string> variables =
      {};  ///< regions or element numbers; empty: the densities of all elements
  std::optional<double> drop_below = {};  ///< smallest share of the gradient that keeps a coefficient
};

/// The part of a coefficient in the gradient of psi, |d psi by it alone| / |d psi|. Parts cancel in part, so
/// that shares may exceed 1 and do not add up to it.
struct CoefficientShare {
  SidCoefficient coefficient;
  double share = 0.0;
};

/// The derivatives of a body that are written.
struct BodyAugmentation {
  fem::SidDerivatives derivatives;
  Augmentation augmentation;
  std::vector<CoefficientShare> shares;  ///< of all that were requested; empty without drop_below
  double gradient_error = 0.0;           ///< of the gradient by what is kept, relative; 0 without drop_below
  double bytes = 0.0;                    ///< of the arrays kept, 8 per number
  double estimated_file_bytes = 0.0;     ///< of those entries that depend on the design: zeros compress away
};

/// One per body of the problem; nothing for a body without a mesh. With drop_below the mechanism is simulated
/// and the adjoint solved once.
/// @throws InputError if a name is unknown, variables are requested where there are several flexible bodies,
///         or drop_below where there is no objective
Status prepare_augmentations(EvaluationChain& chain, const DerivativeRequest& request, ChainResult& at,
                             std::vector<std::optional<BodyAugmentation>>& out);

/// Size, and dropped coefficients with their shares, in lines for the log.
std::vector<std::string> describe_augmentations(
    const EvaluationChain& chain, const std::vector<std::optional<BodyAugmentation>>& augmentations);

}  // namespace kurbel
