#include <algorithm>

#include "drawing/shapes.hpp"
#include "formulation/drawn_frames.hpp"
#include "formulation/natural_motion.hpp"
#include "formulation/planar_drawing.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

constexpr int pieces_per_element = 6;

/// A state of a mechanism in natural coordinates as blocks: bodies by name as nets of tubes, beams by name as tubes
/// with their largest stress, planar ones as their sides; masses, springs, joints and supports as simple shapes.
class NaturalDrawing {
 public:
  explicit NaturalDrawing(const NaturalSystem<double>& system) : system_(system), spec_(system.spec()) {
    for (const BeamSpec& beam : spec_.beams) {
      CriterionTerm term{.quantity = Quantity::stress};
      term.beam = beam.name;
      stresses_.push_back(stresses_by_element(beam, term));
    }
  }

  std::vector<NamedBlock> at(const DaeInstant<double>& at, const ShapeSizes& sizes) const {
    std::vector<NamedBlock> blocks;
    for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
      Eigen::Matrix<double, 12, 1> q;
      system_.frames().gather(system_.frames().body(i), p(), at.x, q);
      const Eigen::Map<const Matrix3d> axes(q.data() + 3);
      blocks.push_back({spec_.bodies[i].name,
                        placed(shape_of_body(spec_, spec_.bodies[i], sizes).grid, q.head<3>(), axes)});
    }
    for (std::size_t i = 0; i < spec_.beams.size(); ++i) blocks.push_back(beam(i, at, sizes));
    for (std::size_t i = 0; i < spec_.planar_beams.size(); ++i)
      blocks.push_back(draw_planar_beam(system_, i, at));
    UnstructuredGrid points, masses, springs, joints, ground;
    const Vector3d usual = spec_.planar_beams.empty() ? -Vector3d::UnitZ() : -Vector3d::UnitY();
    const Vector3d down = spec_.gravity.norm() > 0.0 ? Vector3d(spec_.gravity.normalized()) : usual;
    const auto support = [&](const MarkerRef& ref) {
      if (ref.body == "ground") append(ground, pyramid(place(ref, at), down, sizes.support()));
    };
    for (const PointMassSpec& point : spec_.point_masses) {
      if (point.moves()) {
        append(points, sphere(place({point.name}, at), 0.5 * sizes.box()));
      } else {
        append(ground, pyramid(place({point.name}, at), down, sizes.support()));
      }
    }
    for (const AttachedMassSpec& mass : spec_.attached_masses)
      append(masses, sphere(place(mass.marker, at), 0.5 * sizes.box()));
    for (const SpringSpec& spring : spec_.springs) {
      append(springs, shape_of_spring(spring.stiffness, place(spring.from, at), place(spring.to, at), sizes));
      support(spring.from), support(spring.to);
    }
    for (const JointSpec& joint : spec_.joints) {
      if (joint.length) {
        append(joints, tube(place(joint.from, at), place(joint.to, at), sizes.tube()));
      } else if (std::ranges::find(joint.locked, true) != joint.locked.end()) {
        append(joints, drawn_joint(joint, at, sizes));
      }
      support(joint.from), support(joint.to);
    }
    blocks.push_back({"points", std::move(points)});
    blocks.push_back({"masses", std::move(masses)});
    blocks.push_back({"springs", std::move(springs)});
    blocks.push_back({"joints", std::move(joints)});
    blocks.push_back({"ground", std::move(ground)});
    std::erase_if(blocks, [](const NamedBlock& block) { return block.grid.n_cells() == 0; });
    return blocks;
  }

  /// Places whose box is the extent of the mechanism.
  std::vector<Vector3d> places(const DaeInstant<double>& at) const {
    std::vector<Vector3d> all;
    for (int k = 0; k < system_.frames().n_vectors(); ++k) {
      if (system_.frames().is_point(k)) all.push_back(system_.frames().map().form(k).at<double>(p(), at.x));
    }
    for (const SpringSpec& spring : spec_.springs) {
      for (const MarkerRef* ref : {&spring.from, &spring.to}) all.push_back(place(*ref, at));
    }
    for (const JointSpec& joint : spec_.joints) all.push_back(place(joint.to, at));
    return all;
  }

 private:
  const double* p() const { return system_.extended_parameters().data(); }

  using Functions = std::vector<ElementFunction<double>>;

  std::vector<Functions> stresses_by_element(const BeamSpec& beam, const CriterionTerm& term) const {
    Functions all = beam_stresses(system_, term);
    std::vector<Functions> by_element;
    const std::size_t each = all.size() / static_cast<std::size_t>(beam.n_elements);
    for (std::size_t first = 0; first < all.size(); first += each)
      by_element.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(first + each));
    return by_element;
  }

  Vector3d place(const MarkerRef& ref, const DaeInstant<double>& at) const {
    return system_.frames().at(ref, ref.body).point.at<double>(p(), at.x);
  }

  /// In the axes of the part that moves; a cable has none, so that what holds it is a ball.
  UnstructuredGrid drawn_joint(const JointSpec& joint, const DaeInstant<double>& at,
                               const ShapeSizes& sizes) const {
    const MarkerRef& ref = joint.to.body == "ground" ? joint.from : joint.to;
    const CarriedFrame frame = system_.frames().at(ref, ref.body);
    if (frame.section)
      return is_hinge(joint) ? cylinder(place(ref, at), Vector3d::UnitZ(), sizes.pin(), 4.0 * sizes.pin())
                             : UnstructuredGrid();
    if (!frame.has_axes) return sphere(place(ref, at), 1.5 * sizes.pin());
    Matrix3d axes;
    for (int k = 0; k < 3; ++k) axes.col(k) = frame.axes[static_cast<std::size_t>(k)].at<double>(p(), at.x);
    return placed(shape_of_joint(joint, sizes), place(ref, at), axes);
  }

  /// The axis of an element at x in [0, 1].
  Vector3d axis(std::size_t beam, int element, double x, const DaeInstant<double>& at) const {
    const int first = system_.frames().node(beam, element), second = system_.frames().node(beam, element + 1);
    const auto q = [&](int vector) { return system_.frames().map().form(vector).at<double>(p(), at.x); };
    if (spec_.beams[beam].kind == BeamSpec::Kind::spatial) return (1.0 - x) * q(first) + x * q(second);
    const double l = system_.extended_parameters()[system_.element_length(beam)], x2 = x * x, x3 = x2 * x;
    return (1.0 - 3.0 * x2 + 2.0 * x3) * q(first) + l * (x - 2.0 * x2 + x3) * q(first + 1) +
           (3.0 * x2 - 2.0 * x3) * q(second) + l * (x3 - x2) * q(second + 1);
  }

  NamedBlock beam(std::size_t i, const DaeInstant<double>& at, const ShapeSizes& sizes) const {
    const BeamSpec& spec = spec_.beams[i];
    const double radius = std::max(0.5 * spec.dimensions[0], 0.4 * sizes.tube());
    NamedBlock block{spec.name};
    std::vector<double> values;
    for (int e = 0; e < spec.n_elements; ++e) {
      double largest = 0.0;
      for (const ElementFunction<double>& stress : stresses_[i][static_cast<std::size_t>(e)])
        largest = std::max(largest, std::abs(stress.value(at)[0]));
      for (int piece = 0; piece < pieces_per_element; ++piece) {
        const auto end = [&](int k) { return axis(i, e, double(k) / pieces_per_element, at); };
        append(block.grid, tube(end(piece), end(piece + 1), radius));
        values.resize(static_cast<std::size_t>(block.grid.points.cols()), largest);
      }
    }
    block.point_arrays.push_back(
        {"stress", Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Index>(values.size())),
         "Pa"});
    return block;
  }

  const NaturalSystem<double>& system_;
  const SystemSpec& spec_;
  std::vector<std::vector<Functions>> stresses_;  ///< by beam and element
};

}  // namespace

/// Without a scale: deformation and motion are one in these coordinates.
void NaturalMotion::draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>>,
                         const FramesReceiver& show) const {
  const NaturalDrawing drawing(system_);
  DrawnFrames frames(
      trajectory, model_.problem().output.motion_frames,
      {[&](Index k) { return drawing.places(middle(trajectory, k)); },
       [&](Index k, const ShapeSizes& sizes) { return drawing.at(middle(trajectory, k), sizes); }});
  show({}, frames);
}

}  // namespace kurbel
