#include "floating_frame/free_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "elements/beam_shape.hpp"
#include "integration/lie_group.hpp"
#include "mechanism/spring_law.hpp"

namespace kurbel {

namespace {

template <class Named>
std::size_t find(const std::vector<Named>& all, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(all, name, &Named::name) - all.begin());
}

/// Number of elements from the start of a beam to one of its markers; nothing if there is no such marker.
std::optional<int> element_before(const BeamSpec& beam, const std::string& marker) {
  if (marker == "start") return 0;
  if (marker == "end") return beam.n_elements;
  for (int i = 1; i < beam.n_elements; ++i) {
    if (marker == fmt::format("node{}", i)) return i;
  }
  return {};
}

/// A place at the start, if there is one: r + R x in a body, x on the ground, a node of a beam, or a mass in a point.
class PlaceAtStart {
 public:
  PlaceAtStart(const MarkerRef& ref, const SystemSpec& spec) : spec_(spec) {
    body_ = find(spec.bodies, ref.body), beam_ = find(spec.beams, ref.body);
    point_ = find(spec.point_masses, ref.body);
    if (has_beam()) {
      const auto node = element_before(spec.beams[beam_], ref.marker);
      exists_ = node.has_value();
      node_ = node.value_or(0);
      return;
    }
    exists_ = has_body() || is_point() || ref.body == "ground";
    if (!exists_ || ref.marker == "origin") return;
    marker_ = find(nodes(), ref.marker);
    exists_ = *marker_ < nodes().size();
  }

  bool exists() const { return exists_; }

  Vector3d position() const {
    if (has_beam()) return shape().node(node_).col(0);
    if (is_point()) return spec_.point_masses[point_].position;
    if (!has_body()) return in_frame();
    return spec_.bodies[body_].initial.position + rotation() * in_frame();
  }

  /// Pulls r_bar back; for bodies dr = dr_0 + R (dx - x~ T d(rotation vector)).
  void add_bar(const Vector3d& r_bar, const ParameterLayout& layout, VectorXd& p_bar) const {
    const auto add = [&p_bar](Eigen::Index index, const Vector3d& bar) { p_bar.segment<3>(index) += bar; };
    if (has_beam()) {
      for (Eigen::Index k = 0; k < BeamLayout::n_places; ++k) {
        Matrix3d unit = Matrix3d::Zero();
        unit(k) = 1.0;
        p_bar[layout.beam(beam_).places() + k] += r_bar.dot(shape().node_variation(node_, unit).col(0));
      }
    } else if (!has_body()) {
      if (marker_) add(layout.ground(*marker_).R.offset, r_bar);
    } else {
      const Vector3d x_bar = rotation().transpose() * r_bar;
      if (marker_) add(layout.body(body_).markers[*marker_].R.offset, x_bar);
      const InitialLayout& initial = layout.initial(body_);
      if (initial.position >= 0) add(initial.position, r_bar);
      if (initial.rotation >= 0) add(initial.rotation, tangent().transpose() * in_frame().cross(x_bar));
    }
  }

 private:
  bool has_body() const { return body_ < spec_.bodies.size(); }
  bool has_beam() const { return beam_ < spec_.beams.size(); }
  bool is_point() const { return point_ < spec_.point_masses.size(); }
  BeamShape<double> shape() const {
    const BeamSpec& beam = spec_.beams[beam_];
    Matrix3d places;
    places << beam.start, beam.end, beam.through.value_or(Vector3d::Zero());
    return {beam, places.data()};
  }
  const std::vector<SidNode>& nodes() const {
    return has_body() ? spec_.bodies[body_].sid.frame : spec_.ground;
  }
  Vector3d in_frame() const {
    return marker_ ? Vector3d(nodes()[*marker_].origin.M0.col(0)) : Vector3d::Zero();
  }
  Matrix3d rotation() const {
    return rotation_matrix<double>(exp_quaternion<double>(spec_.bodies[body_].initial.rotation));
  }
  Matrix3d tangent() const {
    Vector6<double> turn;
    turn << Vector3d::Zero(), spec_.bodies[body_].initial.rotation;
    return retraction_derivative<double>(turn).T.bottomRightCorner<3, 3>();
  }

  const SystemSpec& spec_;
  std::size_t body_ = 0, beam_ = 0, point_ = 0;  ///< behind the last where it is none
  std::optional<std::size_t> marker_{};
  int node_ = 0;
  bool exists_ = false;
};

/// Adds d l / d (parameters) of l = |P_to - P_from|; zero where both places are the same.
void differentiate_distance(const MarkerRef& from, const MarkerRef& to, const SystemSpec& spec,
                            const ParameterLayout& layout, VectorXd& p_bar) {
  const PlaceAtStart start(from, spec), end(to, spec);
  const Vector3d n = (end.position() - start.position()).normalized();
  start.add_bar(-n, layout, p_bar), end.add_bar(n, layout, p_bar);
}

double distance(const MarkerRef& from, const MarkerRef& to, const SystemSpec& spec) {
  for (const MarkerRef& end : {from, to}) {
    if (!PlaceAtStart(end, spec).exists())
      throw InputError(fmt::format("{}.{} has no given position at the start", end.body, end.marker));
  }
  return (PlaceAtStart(to, spec).position() - PlaceAtStart(from, spec).position()).norm();
}

}  // namespace

std::optional<Vector3d> given_position(const MarkerRef& marker, const SystemSpec& spec) {
  const PlaceAtStart place(marker, spec);
  return place.exists() ? std::optional(place.position()) : std::nullopt;
}

void set_free_lengths(SystemSpec& spec) {
  for (SpringSpec& spring : spec.springs) {
    if (!spring.preload) continue;
    const double l = distance(spring.from, spring.to, spec);
    spring.free_length = free_length_of(spring.law, l, spring.stiffness, *spring.preload).l0;
    if (!std::isfinite(spring.free_length))
      throw InputError(
          fmt::format("spring {}: no free length gives it this preload; at its length of {:.6g} m it must be "
                      "above {:.6g} N",
                      spring.name, l, -0.5 * spring.stiffness * l));
  }
  for (JointSpec& joint : spec.joints) {
    if (!joint.length_follows) continue;
    joint.length = distance(joint.from, joint.to, spec);
    if (!(*joint.length > 0.0)) throw InputError(fmt::format("joint {}: the rod has no length", joint.name));
  }
}

SparseMatrix free_length_derivatives(const SystemSpec& spec, const ParameterLayout& layout) {
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd row = VectorXd::Zero(layout.size());
  const auto add_row = [&](Eigen::Index length) {
    for (Eigen::Index i = 0; i < row.size(); ++i) {
      if (row[i] != 0.0) entries.emplace_back(length, i, row[i]);
    }
    row.setZero();
  };
  for (std::size_t i = 0; i < spec.springs.size(); ++i) {
    const SpringSpec& spring = spec.springs[i];
    if (!spring.preload) continue;
    const FreeLength by =
        free_length_of(spring.law, distance(spring.from, spring.to, spec), spring.stiffness, *spring.preload);
    differentiate_distance(spring.from, spring.to, spec, layout, row);
    row *= by.l0_l;
    row[layout.spring(i).stiffness] = by.l0_c;
    add_row(layout.spring(i).free_length);
  }
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const JointSpec& rod = spec.joints[i];
    if (!rod.length_follows) continue;
    differentiate_distance(rod.from, rod.to, spec, layout, row);
    add_row(layout.rod_length(i));
  }
  SparseMatrix derivatives(layout.size(), layout.size());
  derivatives.setFromTriplets(entries.begin(), entries.end());
  return derivatives;
}

}  // namespace kurbel
