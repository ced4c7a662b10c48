/// @file
/// The map from coordinates to the vectors that bodies and beams carry.    [P1, section 3]
///
/// A vector that a joint makes one with something else is no coordinate, and needs no multipliers: it is a form in those
/// that are. Of a vector that is free some parts may be held: of a planar mechanism z.
#pragma once

#include "natural_coordinates/vector_form.hpp"

namespace kurbel {

class CoordinateMap {
 public:
  /// All are coordinates, three each.
  explicit CoordinateMap(std::size_t n_vectors);

  /// A carried vector as a form in carried vectors: coordinate 3 k + i is part i of vector k.
  static VectorForm carried(int vector) { return {{{3 * vector}}}; }

  /// The mechanism moves in the plane z = 0: the part z of every vector is held at zero, unless hold() says where.
  void make_planar();
  bool is_planar() const { return is_planar_; }
  /// Makes some parts of a vector alone coordinates.
  /// @param held  with the other parts, which are constant; without those that are coordinates
  void hold(int vector, Parts free, VectorForm held);
  /// Makes a vector that of a form in carried vectors; with parameters as weights only if no form with such uses it.
  /// @return false if that form is one of the vector itself
  bool tie(int vector, const VectorForm& form);
  bool is_free(int vector) const { return is_free_[static_cast<std::size_t>(vector)]; }

  /// Gives all that is free its index among the coordinates; what follows is for afterwards.
  void number();
  Eigen::Index n_coordinates() const { return std::ssize(places_); }
  /// The vector that a coordinate is part of.
  int vector_of(Eigen::Index coordinate) const {
    return places_[static_cast<std::size_t>(coordinate)].vector;
  }
  int part_of(Eigen::Index coordinate) const { return places_[static_cast<std::size_t>(coordinate)].part; }
  /// The number of coordinates of each vector that is free, if it is the same of all, in their order x, y, z; else 0.
  int common_size() const { return common_size_; }
  /// A vector in coordinates.
  const VectorForm& form(int vector) const { return forms_[static_cast<std::size_t>(vector)]; }
  /// A form in carried vectors in coordinates.
  VectorForm in_coordinates(const VectorForm& of_carried) const;

  /// Coordinates of all carried vectors one below the other.
  template <class S>
  void collapse(const Eigen::Ref<const VectorX<S>>& carried, Eigen::Ref<VectorX<S>> x) const {
    for (Eigen::Index i = 0; i < n_coordinates(); ++i) x[i] = carried[3 * vector_of(i) + part_of(i)];
  }
  /// Its transpose, overwritten.
  template <class S>
  void spread(const Eigen::Ref<const VectorX<S>>& x_bar, VectorX<S>& carried_bar) const {
    carried_bar.setZero(3 * std::ssize(forms_));
    for (Eigen::Index i = 0; i < n_coordinates(); ++i) carried_bar[3 * vector_of(i) + part_of(i)] = x_bar[i];
  }

 private:
  /// The form with what is tied replaced, until only free vectors are left.
  VectorForm resolved(const VectorForm& form) const;

  /// The owner of a coordinate.
  struct Place {
    int vector, part;
  };

  bool is_planar_ = false;
  std::vector<bool> is_free_;
  std::vector<Parts> parts_;         ///< of what is free
  std::vector<VectorForm> ties_;     ///< in carried vectors; of what is free, the parts that are held
  std::vector<VectorForm> forms_{};  ///< in coordinates
  std::vector<Place> places_{};
  std::vector<Eigen::Index> first_{};  ///< of what is free, among the coordinates
  int common_size_ = 3;
};

}  // namespace kurbel
