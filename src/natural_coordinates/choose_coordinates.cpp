#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "natural_coordinates/out_of_plane.hpp"

namespace kurbel {

namespace {

/// Carried vectors that joints make one.
class SharedCoordinates {
 public:
  /// @param p, x  real parts of the parameters, and of carried vectors at the start
  SharedCoordinates(CoordinateMap& map, VectorXd p, VectorXd x)
      : map_(map), p_(std::move(p)), x_(std::move(x)) {}

  /// Whether the places of both sides of a joint are one from now on.
  bool share_place(const CarriedFrame& a, const CarriedFrame& b) {
    return coincide(a.point, b.point) && (tie_place(a, b) || tie_place(b, a));
  }
  /// The same of the axes, or of the tangents of two cables.
  bool share_axes(const CarriedFrame& a, const CarriedFrame& b) {
    if (a.tangent && b.tangent) return share_tangents(*a.tangent, *b.tangent);
    if (!a.has_axes || !b.has_axes) return false;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!coincide(a.axes[k], b.axes[k])) return false;
    }
    return tie_axes(a, b) || tie_axes(b, a);
  }

 private:
  static int vector_of(const VectorForm& form) { return static_cast<int>(form.terms.front().first / 3); }

  /// At the start.
  bool coincide(const VectorForm& a, const VectorForm& b) const {
    constexpr double near = 1e-9;
    return (a - b).at<double>(p_.data(), x_).norm() <= near;
  }
  /// Ties a beam's node to another one, or a node or body to the ground: r = P - X e1 - Y e2 - Z e3. At a point that a
  /// body's axes carry, a node would have their 12 coordinates in place of its own: more than its multipliers cost.
  bool tie_place(const CarriedFrame& moved, const CarriedFrame& to) {
    if (moved.point.terms.empty()) return false;
    const int r = vector_of(moved.point);
    const bool to_node = moved.node && to.point.terms.size() == 1;
    if (!map_.is_free(r) || (!to_node && !to.point.terms.empty())) return false;
    VectorForm arm = moved.point;
    arm.terms.erase(arm.terms.begin());
    return map_.tie(r, to.point - arm);
  }
  /// Ties the axes of a section of a spatial beam.
  bool tie_axes(const CarriedFrame& moved, const CarriedFrame& to) {
    if (!moved.node) return false;
    for (const VectorForm& axis : moved.axes) {
      if (!map_.is_free(vector_of(axis))) return false;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (!map_.tie(vector_of(moved.axes[k]), to.axes[k])) return false;
    }
    return true;
  }
  /// Shares the tangents of two cables if one continues the other.
  bool share_tangents(const VectorForm& a, const VectorForm& b) {
    for (const double sign : {1.0, -1.0}) {
      VectorForm along;
      add(sign, b, along);
      if (!coincide(a, along)) continue;
      if (map_.is_free(vector_of(a))) return map_.tie(vector_of(a), along);
      VectorForm back;
      add(sign, a, back);
      return map_.is_free(vector_of(b)) && map_.tie(vector_of(b), back);
    }
    return false;
  }

  CoordinateMap& map_;
  VectorXd p_, x_;
};

/// A constant height, or one that is a parameter.
VectorForm::Reach height(double factor, Eigen::Index parameter) {
  return {factor * Vector3d::UnitZ(), parameter + 2};
}

/// e3 of all bodies stands still, and all that is carried stays at its height.
void lay_flat(const SystemSpec& spec, const ParameterLayout& layout, CarriedFrames& frames) {
  CoordinateMap& map = frames.map();
  map.make_planar();
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    map.tie(frames.body(i) + 3, fixed_form(Vector3d::UnitZ()));
    const Eigen::Index parameter = layout.initial(i).position;
    VectorForm of_body = fixed_form({0.0, 0.0, spec.bodies[i].initial.position.z()});
    if (parameter >= 0) of_body = {.reaches = {height(1.0, parameter)}};
    map.hold(frames.body(i), Parts::plane(), std::move(of_body));
  }
  for (std::size_t i = 0; i < spec.beams.size(); ++i) {
    const int n = spec.beams[i].n_elements;
    for (int k = 0; k <= n; ++k) {
      const double xi = double(k) / double(n);
      map.hold(frames.node(i, k), Parts::plane(),
               {.reaches = {height(1.0 - xi, layout.beam(i).start()), height(xi, layout.beam(i).end())}});
    }
  }
}

bool holds_all(const JointSpec& joint, std::size_t first) {
  for (std::size_t k = first; k < first + 3; ++k) {
    if (!joint.locked[k] || joint.redundant[k]) return false;
  }
  return true;
}

/// Whether the place, or the axes, at a marker start without velocity in every design: what is given of a vector that is
/// shared is forgotten.
bool starts_at_rest(const SystemSpec& spec, const ParameterLayout& layout, const MarkerRef& ref, bool axes) {
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (spec.bodies[i].name != ref.body) continue;
    const InitialState& start = spec.bodies[i].initial;
    return layout.initial(i).velocity < 0 && layout.initial(i).angular_velocity < 0 &&
           start.velocity.isZero(0.0) && start.angular_velocity.isZero(0.0);
  }
  const auto beam = std::ranges::find(spec.beams, ref.body, &BeamSpec::name);
  if (beam == spec.beams.end()) return true;  // the ground
  const bool turns = !beam->angular_velocity.isZero(0.0);
  return axes ? !turns : beam->velocity.isZero(0.0) && (!turns || ref.marker == "start");
}

}  // namespace

template <class S>
void NaturalSystem<S>::choose_coordinates() {
  if (spec_.planar) {
    if (const auto key = out_of_plane(spec_))
      throw InputError(fmt::format("{}: is not in the plane z = 0 of a planar mechanism", *key));
    lay_flat(spec_, layout_, frames_);
  }
  planar_ = place_planar_parts(spec_, layout_, extended_.real(), frames_);
  shares_place_.clear();
  for (const JointSpec& joint : spec_.joints) shares_place_.push_back(is_of_planar_beam(spec_, joint));
  shares_axes_ = shares_place_;
  if (std::ranges::any_of(spec_.joints, &JointSpec::shares_coordinates)) {
    Vec x, v;
    carried_start(x, v);
    SharedCoordinates shared(frames_.map(), extended_.real(), x.real());
    for (std::size_t i = 0; i < spec_.joints.size(); ++i) {
      const JointSpec& joint = spec_.joints[i];
      const auto at_rest = [&](bool axes) {
        return starts_at_rest(spec_, layout_, joint.to, axes) &&
               starts_at_rest(spec_, layout_, joint.from, axes);
      };
      if (!joint.shares_coordinates || !holds_all(joint, 0) || !at_rest(false)) continue;
      const CarriedFrame to = frames_.carried(joint.to, joint.name),
                         from = frames_.carried(joint.from, joint.name);
      shares_place_[i] = shared.share_place(to, from);
      shares_axes_[i] =
          shares_place_[i] && holds_all(joint, 3) && at_rest(true) && shared.share_axes(to, from);
    }
  }
  frames_.map().number();
}

template void NaturalSystem<InstantiatedScalar>::choose_coordinates();

}  // namespace kurbel
