#include "natural_coordinates/coordinate_map.hpp"

namespace kurbel {

CoordinateMap::CoordinateMap(std::size_t n_vectors)
    : is_free_(n_vectors, true), parts_(n_vectors), ties_(n_vectors) {}

void CoordinateMap::make_planar() {
  is_planar_ = true;
  std::ranges::fill(parts_, Parts::plane());
}

void CoordinateMap::hold(int vector, Parts free, VectorForm held) {
  parts_[static_cast<std::size_t>(vector)] = free;
  ties_[static_cast<std::size_t>(vector)] = std::move(held);
}

VectorForm CoordinateMap::resolved(const VectorForm& form) const {
  VectorForm out = form;
  out.terms.clear();
  for (const VectorForm::Term& term : form.terms) {
    const auto vector = static_cast<std::size_t>(term.first / 3);
    if (is_free_[vector]) {
      out.terms.push_back(term);
    } else if (term.parameter < 0) {
      add(term.factor, resolved(ties_[vector]), out);
    } else {
      // An axis, which is tied to axes by numbers or stands still.
      const VectorForm axis = resolved(ties_[vector]);
      for (const VectorForm::Term& of_axis : axis.terms)
        out.terms.push_back({of_axis.first, term.factor * of_axis.factor, term.parameter});
      if (!axis.constant.isZero(0.0)) out.reaches.push_back({term.factor * axis.constant, term.parameter});
    }
  }
  return out;
}

bool CoordinateMap::tie(int vector, const VectorForm& form) {
  VectorForm tied = resolved(form);
  if (std::ranges::any_of(tied.terms, [&](const VectorForm::Term& term) { return term.first == 3 * vector; }))
    return false;
  is_free_[static_cast<std::size_t>(vector)] = false;
  ties_[static_cast<std::size_t>(vector)] = std::move(tied);
  return true;
}

void CoordinateMap::number() {
  places_.clear();
  first_.assign(is_free_.size(), -1);
  bool in_space = true, in_plane = true;
  for (std::size_t i = 0; i < is_free_.size(); ++i) {
    if (!is_free_[i]) continue;
    first_[i] = n_coordinates();
    parts_[i].for_each([&](int part, int) { places_.push_back({static_cast<int>(i), part}); });
    in_space = in_space && parts_[i] == Parts(), in_plane = in_plane && parts_[i] == Parts::plane();
  }
  common_size_ = in_space ? 3 : in_plane ? 2 : 0;
  forms_.clear();
  for (std::size_t i = 0; i < is_free_.size(); ++i)
    forms_.push_back(in_coordinates(carried(static_cast<int>(i))));
}

VectorForm CoordinateMap::in_coordinates(const VectorForm& of_carried) const {
  VectorForm out = resolved(of_carried);
  const std::vector<VectorForm::Term> of_free = std::move(out.terms);
  out.terms.clear();
  for (VectorForm::Term term : of_free) {
    const auto vector = static_cast<std::size_t>(term.first / 3);
    term.first = first_[vector], term.parts = parts_[vector];
    if (term.size() > 0) out.terms.push_back(term);
    if (term.size() < 3) add(term.factor, ties_[vector], out);
  }
  return out;
}

}  // namespace kurbel
