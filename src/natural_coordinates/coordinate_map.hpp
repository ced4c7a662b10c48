/// @file
/// Which of the vectors that bodies and beams carry are coordinates, and what the others are of these.    [P1, section 3]
///
/// A vector that a joint makes one with something else is no coordinate, and needs no multipliers: it is a form in those
/// that are. Of a planar mechanism the part z of no vector is one.
#pragma once

#include "natural_coordinates/vector_form.hpp"

namespace kurbel {

class CoordinateMap {
 public:
  /// All are coordinates, three each.
  explicit CoordinateMap(std::size_t n_vectors);

  /// What is carried, as a form in carried vectors: coordinate 3 k + i is part i of vector k.
  static VectorForm carried(int vector) { return {{{3 * vector}}}; }

  /// The mechanism moves in the plane z = 0.
  void make_planar() { size_ = 2; }
  bool is_planar() const { return size_ == 2; }
  /// The part z of a vector, constant.
  void set_height(int vector, VectorForm height);
  /// Makes a vector that of a form in carried vectors; with parameters as weights only if no form with such uses it.
  /// @return false if that form is one of the vector itself
  bool tie(int vector, const VectorForm& form);
  bool is_free(int vector) const { return is_free_[static_cast<std::size_t>(vector)]; }

  /// Gives all that is free its place among the coordinates; what follows is for afterwards.
  void number();
  Eigen::Index n_coordinates() const { return n_coordinates_; }
  /// The vector that a coordinate is part of.
  int vector_of(Eigen::Index coordinate) const { return free_[static_cast<std::size_t>(coordinate / size_)]; }
  int part_of(Eigen::Index coordinate) const { return static_cast<int>(coordinate % size_); }
  /// A vector in coordinates.
  const VectorForm& form(int vector) const { return forms_[static_cast<std::size_t>(vector)]; }
  /// A form in carried vectors in coordinates.
  VectorForm in_coordinates(const VectorForm& of_carried) const;

  /// Coordinates of all carried vectors one below the other.
  template <class S>
  void collapse(const Eigen::Ref<const VectorX<S>>& carried, Eigen::Ref<VectorX<S>> x) const {
    for (Eigen::Index i = 0; i < n_coordinates_; ++i) x[i] = carried[3 * vector_of(i) + part_of(i)];
  }
  /// Its transpose, overwritten.
  template <class S>
  void spread(const Eigen::Ref<const VectorX<S>>& x_bar, VectorX<S>& carried_bar) const {
    carried_bar.setZero(3 * std::ssize(forms_));
    for (Eigen::Index i = 0; i < n_coordinates_; ++i) carried_bar[3 * vector_of(i) + part_of(i)] = x_bar[i];
  }

 private:
  /// The form with what is tied replaced, until only free vectors are left.
  VectorForm resolved(const VectorForm& form) const;

  int size_ = 3;
  std::vector<bool> is_free_;
  std::vector<VectorForm> ties_;     ///< in carried vectors; of what is free, its height
  std::vector<VectorForm> forms_{};  ///< in coordinates
  std::vector<int> free_{};
  std::vector<Eigen::Index> first_{};  ///< of what is free, among the coordinates
  Eigen::Index n_coordinates_ = 0;
};

}  // namespace kurbel
