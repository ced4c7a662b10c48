/// @file
/// Bushings: elastic and damping in all six displacements between two markers.
///
///     c = (d, theta),   d_k = a_k^t . (p^t - p^f),   theta_k = n_k sin(phi)
///     W = K c + D c_dot,   V = c^T K c / 2
///
/// d is along the axes of "to", and theta for small turns the rotation vector; up to a right angle it grows with the
/// turn. K (N/m, N/rad, N m/rad) and D are symmetric; their numbers stand as in BushingSpec::Matrix.
#pragma once

#include "mechanism/pair_law.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// Numbers of a symmetric matrix of six rows: 21.
inline constexpr std::size_t n_bushing_entries = std::tuple_size_v<BushingSpec::Matrix>;

/// Words for the entries of BushingSpec::Matrix: of the diagonal by degree of freedom, of others by two.
inline constexpr std::array<const char*, n_bushing_entries> bushing_entries = {
    "tx",    "ty",    "tz",    "rx",    "ry",    "rz",    "tx-ty", "tx-tz", "tx-rx", "tx-ry", "tx-rz",
    "ty-tz", "ty-rx", "ty-ry", "ty-rz", "tz-rx", "tz-ry", "tz-rz", "rx-ry", "rx-rz", "ry-rz"};

/// Calls act(entry, i, j) for the entries i <= j of the matrix.
template <class Action>
void for_each_bushing_entry(const Action& act) {
  Eigen::Index entry = 0;
  for (Eigen::Index i = 0; i < 6; ++i) act(entry++, i, i);
  for (Eigen::Index i = 0; i < 6; ++i) {
    for (Eigen::Index j = i + 1; j < 6; ++j) act(entry++, i, j);
  }
}

template <class S, class Numbers>
Eigen::Matrix<S, 6, 6> bushing_matrix(const Numbers& entries) {
  Eigen::Matrix<S, 6, 6> matrix;
  for_each_bushing_entry([&](Eigen::Index entry, Eigen::Index i, Eigen::Index j) {
    matrix(i, j) = matrix(j, i) = entries[static_cast<int>(entry)];
  });
  return matrix;
}

/// xi: entries of K, then of D.
template <class S>
class BushingLaw final : public PairLaw<S> {
 public:
  using typename PairLaw<S>::Segment;
  static constexpr Eigen::Index n_entries = n_bushing_entries;

  std::vector<PairRow> rows() const override {
    std::vector<PairRow> all;
    for (const auto kind : {PairRow::Kind::translation, PairRow::Kind::rotation}) {
      for (int k = 0; k < 3; ++k) all.push_back({kind, k});
    }
    return all;
  }
  Eigen::Index n_xi() const override { return 2 * n_entries; }
  PairForces<S> forces(const Segment& c, const Segment& c_dot, const Segment& xi) const override {
    PairForces<S> out(6, n_xi());
    out.W_c = bushing_matrix<S>(xi.head(n_entries));
    out.W_cdot = bushing_matrix<S>(xi.tail(n_entries));
    out.W = out.W_c * c + out.W_cdot * c_dot;
    for_each_bushing_entry([&](Eigen::Index entry, Eigen::Index i, Eigen::Index j) {
      out.W_xi(i, entry) = c[j], out.W_xi(j, entry) = c[i];
      out.W_xi(i, n_entries + entry) = c_dot[j], out.W_xi(j, n_entries + entry) = c_dot[i];
    });
    return out;
  }
  S energy(const Segment& c, const Segment& xi) const override {
    return 0.5 * (c.transpose() * bushing_matrix<S>(xi.head(n_entries)) * c).value();
  }
  void add_energy_partials(const Segment& c, const Segment&, double weight,
                           Eigen::Ref<VectorX<S>> xi_bar) const override {
    for_each_bushing_entry([&](Eigen::Index entry, Eigen::Index i, Eigen::Index j) {
      xi_bar[entry] += (i == j ? 0.5 : 1.0) * weight * c[i] * c[j];
    });
  }
};

inline const char* word_of(const BushingSpec&) {
  return "bushing";
}

template <class S>
std::shared_ptr<const PairLaw<S>> law_of(const BushingSpec&) {
  return std::make_shared<BushingLaw<S>>();
}

}  // namespace kurbel
