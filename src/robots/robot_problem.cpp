#include "robots/robot_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <numbers>
#include <set>

#include "base/errors.hpp"

namespace kurbel {

namespace {

RobotPose operator*(const RobotPose& a, const RobotPose& b) {
  return {a.position + a.rotation * b.position, a.rotation * b.rotation};
}

/// The rotation vector; zero if rounding alone made its angle another one.
Vector3d rotation_vector(const Matrix3d& R) {
  const Eigen::AngleAxisd rotation(R);
  Vector3d vector = rotation.angle() * rotation.axis();
  constexpr double rounding = 1e-15;
  for (double& component : vector) {
    if (std::abs(component) < rounding) component = 0.0;
  }
  return vector;
}

/// Turns z into the axis, on the shortest way.
Matrix3d frame_of_axis(const Vector3d& axis) {
  if (axis[2] < -1.0 + 1e-12)
    return Eigen::AngleAxisd(std::numbers::pi, Vector3d::UnitX()).toRotationMatrix();
  return Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis).toRotationMatrix();
}

std::string number(double x) {
  return fmt::format("{}", x == 0.0 ? 0.0 : x);
}

std::string list(const Vector3d& v) {
  return fmt::format("[{}, {}, {}]", number(v[0]), number(v[1]), number(v[2]));
}

/// On one line, for a comment.
std::string on_a_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

/// TOML's text in quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : on_a_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Names that TOML writes without quotes and that differ within a table.
class Names {
 public:
  explicit Names(std::set<std::string> reserved = {}) : used_(std::move(reserved)) {}

  std::string add(const std::string& wanted) {
    std::string plain = wanted.empty() ? "unnamed" : wanted;
    for (char& c : plain) {
      const bool is_bare =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
      if (!is_bare) c = '_';
    }
    std::string name = plain;
    for (int i = 2; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
    return name;
  }

 private:
  std::set<std::string> used_;
};

struct PlacedMarker {
  std::string name;
  RobotPose pose;
};

/// A body of the problem, or the ground.
struct Carrier {
  const RobotLink* link = nullptr;  ///< none: the ground
  std::string name = "ground";
  RobotPose start{};  ///< in space
  std::vector<PlacedMarker> markers{};
  Names marker_names{{"origin"}};

  /// Its name, as "body.marker".
  std::string add_marker(const std::string& wanted, const RobotPose& pose) {
    markers.push_back({marker_names.add(wanted), pose});
    return name + "." + markers.back().name;
  }
};

/// The place of a link: its carrier, by index, and its pose on that.
struct LinkPlace {
  std::size_t carrier = 0;
  RobotPose pose{};
};

const char* type_word(RobotJointType type) {
  switch (type) {
    case RobotJointType::revolute:
    case RobotJointType::continuous:
      return "revolute";
    case RobotJointType::prismatic:
      return "prismatic";
    case RobotJointType::planar:
      return "planar";
    case RobotJointType::fixed:
      return "fixed";
    case RobotJointType::floating:
      break;
  }
  return "";
}

bool turns_about_its_axis(RobotJointType type) {
  return type == RobotJointType::revolute || type == RobotJointType::continuous;
}

class Writer {
 public:
  explicit Writer(const Robot& robot) : robot_(robot) {}

  RobotProblem write(const std::string& source) {
    place_links();
    write_joints();
    RobotProblem out;
    out.text = head(source);
    for (const Carrier& carrier : carriers_) write_carrier(carrier, out.text);
    out.text += joints_ + "\n[integrator]\nt1 = 1.0                  # s\nstep = 1.0e-3\n";
    out.text += outputs();
    out.n_bodies = static_cast<int>(carriers_.size()) - 1, out.n_joints = n_joints_;
    for (const RobotLink& link : robot_.links) out.mass += link.mass;
    out.warnings = warnings_;
    return out;
  }

 private:
  /// Links with a mass as carriers, the others on them.
  void place_links() {
    carriers_.emplace_back();
    std::map<std::string, std::size_t> place_of;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const RobotLink& link = robot_.links[i];
      place_of[link.name] = i;
      const RobotJoint* joint = i > 0 ? &robot_.joints[i - 1] : nullptr;
      if (joint) parents_.push_back(place_of.at(joint->parent));
      const LinkPlace on_parent =
          joint ? LinkPlace{places_[parents_.back()].carrier, places_[parents_.back()].pose * joint->origin}
                : LinkPlace{};
      if (link.mass > 0.0) {
        places_.push_back({carriers_.size(), {}});
        const RobotPose start = carriers_[on_parent.carrier].start * on_parent.pose;
        carriers_.push_back({&link, body_names_.add(link.name), start});
        continue;
      }
      if (joint && joint->type != RobotJointType::fixed)
        throw InputError(fmt::format("link {} has no mass, but moves by joint {}: give it <inertial>",
                                     link.name, joint->name));
      places_.push_back(on_parent);
    }
    if (carriers_.size() == 1) throw InputError(fmt::format("no link of robot {} has a mass", robot_.name));
  }

  void write_joints() {
    if (robot_.links.front().mass > 0.0) {
      const std::string name = joint_names_.add("base");
      joints_ += fmt::format(
          "\n# The robot stands on the ground. Without this joint it is free.\n[joints.{}]\ntype = "
          "\"fixed\"\nfrom = "
          "\"ground\"\nto = \"{}\"\n",
          name, carriers_[places_[0].carrier].name);
      ++n_joints_;
    }
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) write_joint(robot_.joints[i], i);
  }

  /// The joint that carries link i + 1.
  void write_joint(const RobotJoint& joint, std::size_t i) {
    const LinkPlace &parent = places_[parents_[i]], &child = places_[i + 1];
    const RobotLink& link = robot_.links[i + 1];
    if (link.mass == 0.0) {
      ends_[i + 1] = carriers_[child.carrier].add_marker(link.name, child.pose);
      return;
    }
    Carrier &from = carriers_[parent.carrier], &to = carriers_[child.carrier];
    if (joint.type == RobotJointType::floating) {
      joints_ += fmt::format("\n# {} moves freely, by no joint (\"{}\").\n", to.name, on_a_line(joint.name));
      return;
    }
    const std::string name = joint_names_.add(joint.name);
    const bool has_axis = joint.type != RobotJointType::fixed;
    const RobotPose axis{.rotation = has_axis ? frame_of_axis(joint.axis) : Matrix3d::Identity()};
    const std::string from_marker = from.add_marker(name, parent.pose * joint.origin * axis);
    const std::string to_marker = axis.rotation.isIdentity(1e-12) ? to.name : to.add_marker(name, axis);
    joints_ += fmt::format("\n[joints.{}]\ntype = \"{}\"\nfrom = \"{}\"\nto = \"{}\"\n", name,
                           type_word(joint.type), from_marker, to_marker);
    ++n_joints_;
    write_dynamics(joint, name, from_marker, to_marker);
    if (joint.limits) write_limits(joint, name);
    if (turns_about_its_axis(joint.type))
      outputs_ +=
          fmt::format("{} = {{ type = \"joint-angle\", joint = \"{}\" }}\n", output_names_.add(name), name);
    if (joint.type == RobotJointType::prismatic)
      outputs_ += fmt::format(
          "{} = {{ type = \"relative-position\", from = \"{}\", marker = \"{}\", axes = [\"z\"] }}\n",
          output_names_.add(name), from_marker, to_marker);
  }

  void write_dynamics(const RobotJoint& joint, const std::string& name, const std::string& from,
                      const std::string& to) {
    if (joint.damping > 0.0 && turns_about_its_axis(joint.type))
      joints_ += fmt::format("damping = {}   # N m s/rad\n", number(joint.damping));
    if (joint.damping > 0.0 && joint.type == RobotJointType::prismatic)
      joints_ += fmt::format(
          "\n[bushings.{}]   # the damping of the joint, N s/m along its axis\nfrom = \"{}\"\nto = \"{}\"\n"
          "stiffness = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]\ndamping = [0.0, 0.0, {}, 0.0, 0.0, 0.0]\n",
          name, from, to, number(joint.damping));
    if (joint.damping > 0.0 && joint.type == RobotJointType::planar)
      warn(fmt::format(
          "joint {}: its damping {:g} is left out, for the file does not say whether it is that of "
          "displacements or of the angle",
          name, joint.damping));
    if (joint.friction != 0.0)
      warn(fmt::format("joint {}: its dry friction {:g} is left out; kurbel has viscous damping alone", name,
                       joint.friction));
  }

  void write_limits(const RobotJoint& joint, const std::string& name) {
    const RobotLimits& limits = *joint.limits;
    const bool turns = joint.type != RobotJointType::prismatic;
    joints_ += fmt::format("# At most {:g} {} and {:g} {}.\n", limits.effort, turns ? "N m" : "N",
                           limits.velocity, turns ? "rad/s" : "m/s");
    if (!limits.lower) return;
    joints_ += fmt::format(
        "# Between {0} and {1} {2}. The file states no stiffness, which a stop needs:\n"
        "# stops.{3} = {{ joint = \"{3}\", dof = \"{4}\", lower = {0}, upper = {1}, stiffness = ..., "
        "smoothing = ... }}\n",
        number(*limits.lower), number(*limits.upper), turns ? "rad" : "m", name, turns ? "rz" : "tz");
    if (*limits.lower > 0.0 || *limits.upper < 0.0)
      warn(fmt::format("joint {}: the robot starts at zero, which is outside its limits, {:g} to {:g} {}",
                       name, *limits.lower, *limits.upper, turns ? "rad" : "m"));
  }

  void warn(const std::string& what) {
    warnings_.push_back(what);
    joints_ += "# " + on_a_line(what) + ".\n";
  }

  std::string head(const std::string& source) const {
    return fmt::format(
        "# Robot {}, imported from {}: links are rigid bodies in the frames of the file, m, kg and s.\n"
        "# All joints are at zero at the start. Nothing drives them: give a joint a drive, or "
        "[controls.*].\n\n"
        "title = {}\ngravity = [0.0, 0.0, -9.81]   # m/s^2\n",
        on_a_line(robot_.name), on_a_line(source), quoted("Robot " + robot_.name));
  }

  static void write_markers(const Carrier& carrier, const std::string& path, std::string& out) {
    if (carrier.markers.empty()) return;
    out += fmt::format("\n[{}.markers]\n", path);
    for (const PlacedMarker& marker : carrier.markers) {
      const Vector3d rotation = rotation_vector(marker.pose.rotation);
      out += fmt::format("{} = {{ position = {}{} }}\n", marker.name, list(marker.pose.position),
                         rotation.isZero(0.0) ? "" : ", rotation = " + list(rotation));
    }
  }

  static void write_carrier(const Carrier& carrier, std::string& out) {
    if (!carrier.link) return write_markers(carrier, "ground", out);
    const RobotLink& link = *carrier.link;
    const Matrix3d& J = link.inertia;
    const std::string path = "bodies." + carrier.name;
    out += "\n";
    if (carrier.name != link.name) out += fmt::format("# link \"{}\"\n", on_a_line(link.name));
    for (const std::string& shape : link.shapes) out += fmt::format("# {}\n", on_a_line(shape));
    out += fmt::format(
        "[{}]\ntype = \"rigid\"\nmass = {}   # kg\ncentre_of_mass = {}\ninertia = [{}, {}, {}, {}, {}, {}]   "
        "# kg m^2: "
        "xx, yy, zz, xy, xz, yz\n",
        path, number(link.mass), list(link.centre_of_mass), number(J(0, 0)), number(J(1, 1)), number(J(2, 2)),
        number(J(0, 1)), number(J(0, 2)), number(J(1, 2)));
    out += fmt::format("initial = {{ position = {}, rotation = {} }}\n", list(carrier.start.position),
                       list(rotation_vector(carrier.start.rotation)));
    write_markers(carrier, path, out);
  }

  /// Angles of the joints, and where the links are that carry no other.
  std::string outputs() {
    std::set<std::size_t> carrying(parents_.begin(), parents_.end());
    for (std::size_t i = 1; i < robot_.links.size(); ++i) {
      if (carrying.contains(i)) continue;
      const std::string marker = ends_.contains(i) ? ends_.at(i) : carriers_[places_[i].carrier].name;
      outputs_ += fmt::format("{} = {{ type = \"position\", marker = \"{}\" }}\n",
                              output_names_.add(robot_.links[i].name), marker);
    }
    return outputs_.empty() ? "" : "\n[outputs]\n" + outputs_;
  }

  const Robot& robot_;
  Names body_names_{{"ground"}}, joint_names_, output_names_;
  std::vector<Carrier> carriers_;
  std::vector<LinkPlace> places_;            ///< of each link
  std::vector<std::size_t> parents_;         ///< of link i + 1, by its index
  std::map<std::size_t, std::string> ends_;  ///< markers of links without a mass
  std::string joints_, outputs_;
  int n_joints_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace

RobotProblem robot_problem(const Robot& robot, const std::string& source) {
  return Writer(robot).write(source);
}

}  // namespace kurbel
