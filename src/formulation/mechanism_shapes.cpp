#include "formulation/mechanism_shapes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <set>

#include "drawing/shapes.hpp"
#include "mechanism/pair_parts.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// Calls act(marker) for all that joints, springs and loads refer to.
template <class Action>
void for_each_marker(const SystemSpec& spec, const Action& act) {
  const auto both = [&](const auto& pairs) {
    for (const auto& pair : pairs) act(pair.from), act(pair.to);
  };
  for (const TyreSpec& tyre : spec.tyres) act(tyre.wheel);
  both(spec.joints), both(spec.springs), both(spec.torsion_springs), both(spec.motors);
  for_each_pair_part(spec, [&](const auto& part, std::size_t) { act(part.from), act(part.to); });
  for (const MarkerLoadSpec& load : spec.loads) act(load.marker);
}

/// Points of a body between which tubes run, and how they are displaced.
struct Net {
  MatrixXd points = MatrixXd(3, 0);
  std::vector<MatrixXd> shapes{};  ///< 3 x n_q each

  void add(const Vector3d& point, const MatrixXd& shape, double apart) {
    if (points.cols() > 0 && (points.colwise() - point).colwise().norm().minCoeff() < apart) return;
    points.conservativeResize(3, points.cols() + 1);
    points.rightCols<1>() = point;
    shapes.push_back(shape);
  }
};

Net net_of(const SystemSpec& spec, const BodySpec& body, double apart) {
  const Index n_q = body.sid.n_q();
  Net net;
  bool origin = false;
  for_each_marker(spec, [&](const MarkerRef& ref) {
    origin = origin || (ref.body == body.name && ref.marker == "origin");
  });
  if (origin) net.add(Vector3d::Zero(), MatrixXd::Zero(3, n_q), apart);
  for (const SidNode& node : body.sid.frame) {
    net.add(node.origin.M0, n_q > 0 ? node.phi.M0 : MatrixXd(3, 0), apart);
  }
  return net;
}

/// Pairs of points: the shortest tree that joins all of them, grown from the first one.
std::vector<std::pair<Index, Index>> shortest_tree(const MatrixXd& points) {
  std::vector<std::pair<Index, Index>> tree;
  std::vector<bool> reached(static_cast<std::size_t>(points.cols()), false);
  if (!reached.empty()) reached[0] = true;
  for (Index n = 1; n < points.cols(); ++n) {
    double shortest = std::numeric_limits<double>::infinity();
    std::pair<Index, Index> next;
    for (Index a = 0; a < points.cols(); ++a) {
      for (Index b = 0; b < points.cols(); ++b) {
        const double length = (points.col(a) - points.col(b)).norm();
        if (!reached[static_cast<std::size_t>(a)] || reached[static_cast<std::size_t>(b)]) continue;
        if (length < shortest) shortest = length, next = {a, b};
      }
    }
    reached[static_cast<std::size_t>(next.second)] = true;
    tree.push_back(next);
  }
  return tree;
}

void add_tube(MotionBody& body, const Net& net, Index a, Index b, double radius) {
  const Vector3d from = net.points.col(a), to = net.points.col(b);
  const UnstructuredGrid part = tube(from, to, radius);
  const Index n = part.points.cols(), first = body.shapes.rows();
  body.shapes.conservativeResize(first + 3 * n, Eigen::NoChange);
  for (Index i = 0; i < n; ++i) {
    const bool at_end = (part.points.col(i) - to).norm() < (part.points.col(i) - from).norm();
    body.shapes.middleRows<3>(first + 3 * i) = net.shapes[static_cast<std::size_t>(at_end ? b : a)];
  }
  append(body.grid, part);
}

constexpr double tyre_width = 0.4;  ///< in radii

/// A strip of quadrilaterals where the wheels of a motion pass, in steps of a tenth of a radius unless they are
/// too many.
UnstructuredGrid road_under(const SystemSpec& spec, const DrawnMotion& motion) {
  constexpr Index most_steps = 4000;
  constexpr double margin = 2.0, step = 0.1;  // in radii
  if (spec.tyres.empty()) return {};
  Eigen::AlignedBox2d strip;
  double radius = spec.tyres.front().radius;
  for (const TyreSpec& tyre : spec.tyres) {
    radius = std::min(radius, tyre.radius);
    for (std::size_t frame = 0; frame < motion.n_frames(); ++frame)
      strip.extend(Eigen::Vector2d(motion.position(tyre.wheel, frame).head<2>()));
  }
  const TimeRange known = spec.road.height ? spec.road.height->range() : TimeRange{};
  const double begin = std::max(strip.min().x() - margin * radius, known.begin),
               length = std::min(strip.max().x() + margin * radius, known.end) - begin;
  const Index n = std::min(most_steps, 1 + static_cast<Index>(length / (step * radius)));
  UnstructuredGrid road;
  road.points.resize(3, 2 * (n + 1));
  CellBlock cells{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, n)};
  for (Index i = 0; i <= n; ++i) {
    const double x = begin + length * static_cast<double>(i) / static_cast<double>(n);
    const double z = spec.road.height ? spec.road.height->at(x).value : 0.0;
    road.points.col(2 * i) << x, strip.min().y() - margin * radius, z;
    road.points.col(2 * i + 1) << x, strip.max().y() + margin * radius, z;
    const int k = static_cast<int>(2 * i);
    if (i < n) cells.corners.col(i) << k, k + 2, k + 3, k + 1;
  }
  road.cells.push_back(std::move(cells));
  return road;
}

}  // namespace

double extent_of(const MatrixXd& points) {
  if (points.cols() == 0) return 1.0;
  const double diagonal = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  return diagonal > 0.0 ? diagonal : 1.0;
}

MotionBody shape_of_body(const SystemSpec& spec, const BodySpec& body, const ShapeSizes& sizes) {
  MotionBody drawn{body.name, {}};
  drawn.shapes.resize(0, body.sid.n_q());
  Net net = net_of(spec, body, 0.5 * sizes.box());
  if (net.points.cols() < 2) {
    const Vector3d centre =
        body.sid.refmod.mass > 0.0 ? Vector3d(body.sid.mdCM.M0 / body.sid.refmod.mass) : Vector3d::Zero();
    const MatrixXd shape = net.shapes.empty() ? MatrixXd::Zero(3, body.sid.n_q()) : net.shapes[0];
    append(drawn.grid, box(centre, Vector3d::Constant(sizes.box())));
    drawn.shapes = shape.replicate(drawn.grid.points.cols(), 1);
    net.add(centre, shape, 0.5 * sizes.box());
  }
  for (const auto& [a, b] : shortest_tree(net.points)) add_tube(drawn, net, a, b, sizes.tube());
  return drawn;
}

UnstructuredGrid shape_of_joint(const JointSpec& joint, const ShapeSizes& sizes) {
  if (joint.length) return {};
  const auto n_locked = [&](int first) {
    return std::count(joint.locked.begin() + first, joint.locked.begin() + first + 3, true);
  };
  const Vector3d here = Vector3d::Zero();
  const auto displacements = n_locked(0), rotations = n_locked(3);
  if (displacements == 3 && rotations == 3) return {};
  if (displacements < 2 || rotations == 3) return box(here, Vector3d::Constant(2.5 * sizes.pin()));
  if (rotations < 2) return sphere(here, 1.5 * sizes.pin());
  const auto free = std::find(joint.locked.begin() + 3, joint.locked.end(), false);
  return cylinder(here, Vector3d::Unit(free - joint.locked.begin() - 3), sizes.pin(), 4.0 * sizes.pin());
}

UnstructuredGrid shape_of_spring(double stiffness, const Vector3d& a, const Vector3d& b,
                                 const ShapeSizes& sizes) {
  return stiffness > 0.0 ? coil(a, b, sizes.coil()) : dashpot(a, b, sizes.dashpot());
}

namespace {

/// About the axis of a hinge: a spiral; without stiffness, a brake disc.
UnstructuredGrid shape_of_torsion_spring(const TorsionSpringSpec& spring, const ShapeSizes& sizes) {
  if (spring.stiffness > 0.0) return spiral(2.5 * sizes.pin());
  return cylinder(Vector3d::Zero(), Vector3d::UnitZ(), 2.0 * sizes.pin(), 0.5 * sizes.pin());
}

}  // namespace

MechanismShapes::MechanismShapes(const SystemSpec& spec, const DrawnMotion& motion, const ShapeSizes& sizes)
    : spec_(spec), motion_(motion), sizes_(sizes) {
  for (const JointSpec& joint : spec.joints) {
    // A guide may be anywhere on the ground; the part that slides in it is where the joint is.
    joints_.push_back({joint.to.body == "ground" ? joint.from : joint.to, shape_of_joint(joint, sizes)});
  }
  for (const TorsionSpringSpec& spring : spec.torsion_springs)
    torsion_springs_.push_back({spring.from, shape_of_torsion_spring(spring, sizes)});
  for_each_pair_part(spec, [&](const auto& part, std::size_t) {
    const double r = 1.5 * sizes.pin();
    torsion_springs_.push_back({part.to, cylinder(Vector3d::Zero(), Vector3d::UnitZ(), r, r)});
  });
  for (const TyreSpec& tyre : spec.tyres) {
    tyres_.push_back(
        {tyre.wheel, cylinder(Vector3d::Zero(), Vector3d::UnitY(), tyre.radius, tyre_width * tyre.radius)});
  }
  road_ = road_under(spec, motion);
  std::set<std::string> supports;
  for_each_marker(spec, [&](const MarkerRef& ref) {
    if (ref.body != "ground" || !supports.insert(ref.marker).second) return;
    const Vector3d down = spec.gravity.norm() > 0.0 ? spec.gravity.normalized() : -Vector3d::UnitY();
    append(ground_, pyramid(motion.position(ref, 0), down, sizes.support()));
  });
}

UnstructuredGrid MechanismShapes::placed_shapes(const std::vector<Attached>& shapes,
                                                std::size_t frame) const {
  UnstructuredGrid all;
  for (const Attached& attached : shapes) {
    append(all, placed(attached.shape, motion_.position(attached.marker, frame),
                       motion_.axes(attached.marker, frame)));
  }
  return all;
}

std::vector<NamedBlock> MechanismShapes::at(std::size_t frame) const {
  UnstructuredGrid springs = placed_shapes(torsion_springs_, frame);
  for (const SpringSpec& spring : spec_.springs) {
    append(springs, shape_of_spring(spring.stiffness, motion_.position(spring.from, frame),
                                    motion_.position(spring.to, frame), sizes_));
  }
  UnstructuredGrid joints = placed_shapes(joints_, frame);
  for (const JointSpec& joint : spec_.joints) {
    if (!joint.length) continue;
    append(joints,
           tube(motion_.position(joint.from, frame), motion_.position(joint.to, frame), sizes_.tube()));
  }
  std::vector<NamedBlock> blocks;
  blocks.push_back({"joints", std::move(joints)});
  blocks.push_back({"springs", std::move(springs)});
  blocks.push_back({"tyres", placed_shapes(tyres_, frame)});
  for (const auto& [name, grid] : {std::pair{"ground", &ground_}, std::pair{"road", &road_}}) {
    blocks.push_back({name, *grid});
    blocks.back().moves = false;
  }
  std::erase_if(blocks, [](const NamedBlock& block) { return block.grid.n_cells() == 0; });
  return blocks;
}

}  // namespace kurbel
