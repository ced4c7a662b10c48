/// @file
/// Laws of forces between two markers, once for all formulations.
///
/// A law sees rows c of the pair and their rates, and numbers xi. The generalized force on the mechanism is
///
///     Q = -C^T W(c, c_dot; xi),   C = dc/dx
///
/// and where W has a potential V(c; xi), W = dV/dc at rest. Rows are bilinear in vectors of the two markers, "to" (t)
/// and "from" (f):
///
///     translation k       a_k^t . (p^t - p^f)                            along the axes of "to", m
///     rotation k          (a_j^f . a_i^t - a_i^f . a_j^t) / 2            (k, i, j) cyclic: n_k sin(phi) of a turn by phi
///                                                                        about n
///     direction_cosine    a_i^f . a_j^t
#pragma once

#include <vector>

#include "base/types.hpp"

namespace kurbel {

struct PairRow {
  enum class Kind { translation, rotation, direction_cosine };
  Kind kind;
  int i;
  int j = 0;
};

constexpr int max_pair_rows = 6;
constexpr int max_pair_numbers = max_pair_rows * (max_pair_rows + 1);  ///< two symmetric matrices of all rows

/// Up to six numbers, a row each.
template <class S>
using PairVector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, max_pair_rows, 1>;
template <class S>
using PairMatrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_pair_rows, max_pair_rows>;
template <class S>
using PairNumbers = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, 0, max_pair_rows, max_pair_numbers>;

/// W of n rows and its derivatives: by c, c_dot and xi.
template <class S>
struct PairForces {
  PairForces(Eigen::Index n, Eigen::Index n_xi)
      : W(PairVector<S>::Zero(n)),
        W_c(PairMatrix<S>::Zero(n, n)),
        W_cdot(PairMatrix<S>::Zero(n, n)),
        W_xi(PairNumbers<S>::Zero(n, n_xi)) {}

  PairVector<S> W;
  PairMatrix<S> W_c, W_cdot;
  PairNumbers<S> W_xi;
};

template <class S>
class PairLaw {
 public:
  using Segment = Eigen::Ref<const VectorX<S>>;

  virtual ~PairLaw() = default;
  virtual std::vector<PairRow> rows() const = 0;
  virtual Eigen::Index n_xi() const = 0;
  virtual PairForces<S> forces(const Segment& c, const Segment& c_dot, const Segment& xi) const = 0;
  /// V, J.
  virtual S energy(const Segment& c, const Segment& xi) const = 0;
  /// Adds weight dV/dxi.
  virtual void add_energy_partials(const Segment& c, const Segment& xi, double weight,
                                   Eigen::Ref<VectorX<S>> xi_bar) const = 0;
};

}  // namespace kurbel
