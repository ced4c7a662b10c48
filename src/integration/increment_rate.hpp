/// @file
/// Brackets of motions, and the rate of an increment: for x = x_0 o exp(xi) that moves at v, left-trivialised,
///
///     xi_dot = v + [xi, v] / 2 + [xi, [xi, v]] / 12 + O(|xi|^4)
///
/// of the inverse of the tangent operator T(xi), up to terms that no Runge-Kutta method of up to order 5 sees.
#pragma once

#include <vector>

#include "integration/lie_group.hpp"
#include "integration/retraction_block.hpp"

namespace kurbel {

/// Coordinates of a block as those of a rigid motion.
template <class S>
Vector6<S> six(const RetractionBlock<S>& block, const VectorX<S>& u) {
  Vector6<S> out = Vector6<S>::Zero();
  out.tail(block.size()) = u.segment(block.offset, block.size());
  return out;
}

/// out = [v, w]
template <class S>
void bracket(const std::vector<RetractionBlock<S>>& blocks, const VectorX<S>& v, const VectorX<S>& w,
             VectorX<S>& out) {
  out.setZero(v.size());
  for (const RetractionBlock<S>& block : blocks) {
    const Vector6<S> own = ad<S>(six(block, v), six(block, w));
    out.segment(block.offset, block.size()) = own.tail(block.size());
  }
}

template <class S>
VectorX<S> bracket(const std::vector<RetractionBlock<S>>& blocks, const VectorX<S>& v, const VectorX<S>& w) {
  VectorX<S> out;
  bracket(blocks, v, w, out);
  return out;
}

/// v_bar += (d[v, w]/dv)^T bar
template <class S>
void pull_back_bracket(const std::vector<RetractionBlock<S>>& blocks, const VectorX<S>& w,
                       const VectorX<S>& bar, VectorX<S>& v_bar) {
  for (const RetractionBlock<S>& block : blocks) {
    const Vector6<S> own = ad_transposed<S>(six(block, w), six(block, bar));
    v_bar.segment(block.offset, block.size()) -= own.tail(block.size());
  }
}

/// k = xi_dot
template <class S>
void rate_of_increment(const std::vector<RetractionBlock<S>>& blocks, const VectorX<S>& xi,
                       const VectorX<S>& v, VectorX<S>& k) {
  k = v;
  for (const RetractionBlock<S>& block : blocks) {
    const Vector6<S> own = six(block, xi), u = ad<S>(own, six(block, v));
    const Vector6<S> sum = 0.5 * u + ad<S>(own, u) / 12.0;
    k.segment(block.offset, block.size()) += sum.tail(block.size());
  }
}

/// xi_bar += k_xi^T k_bar,  v_bar += k_v^T k_bar
template <class S>
void pull_back_rate_of_increment(const std::vector<RetractionBlock<S>>& blocks, const VectorX<S>& xi,
                                 const VectorX<S>& v, const VectorX<S>& k_bar, VectorX<S>& xi_bar,
                                 VectorX<S>& v_bar) {
  v_bar += k_bar;
  for (const RetractionBlock<S>& block : blocks) {
    const Vector6<S> own = six(block, xi), rate = six(block, v), bar = six(block, k_bar);
    const Vector6<S> once = ad_transposed<S>(own, bar), u = ad<S>(own, rate);
    const Vector6<S> by_v = 0.5 * once + ad_transposed<S>(own, once) / 12.0;
    const Vector6<S> by_xi =
        -0.5 * ad_transposed<S>(rate, bar) - (ad_transposed<S>(u, bar) + ad_transposed<S>(rate, once)) / 12.0;
    v_bar.segment(block.offset, block.size()) += by_v.tail(block.size());
    xi_bar.segment(block.offset, block.size()) += by_xi.tail(block.size());
  }
}

}  // namespace kurbel
