/// The only file that knows urdfdom.
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_model/joint.h>
#include <urdf_model/link.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "robots/robot.hpp"
#include "sid/inertia_fault.hpp"

namespace kurbel {

namespace {

/// Messages of urdfdom, collected while this lives instead of printed.
class Messages final : public console_bridge::OutputHandler {
 public:
  Messages() {
    console_bridge::useOutputHandler(this);
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_ERROR);
  }
  ~Messages() override { console_bridge::restorePreviousOutputHandler(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override {
    if (first.empty()) first = text;
  }
  std::string first;
};

Vector3d to_vector(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

RobotPose to_pose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {to_vector(pose.position), Eigen::Quaterniond(r.w, r.x, r.y, r.z).toRotationMatrix()};
}

/// Reads one file, whose name and parts its messages tell.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  Robot read() {
    const std::string text = read_text_file(file_);
    refuse_by_text(text);
    urdf::ModelInterfaceSharedPtr model;
    Messages messages;
    try {
      model = urdf::parseURDF(text);
    } catch (const std::exception& error) {
      fail(error.what());
    }
    if (!model) fail(messages.first.empty() ? "is no URDF file" : messages.first);
    if (!messages.first.empty()) fail(messages.first);
    require_tree(*model);
    Robot robot;
    robot.name = model->getName();
    add(*model->getRoot(), robot);
    if (robot.links.size() != model->links_.size()) fail_unreached(*model, robot);
    return robot;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", file_.string(), what));
  }

  /// Refuses what urdfdom would tell in other words, or not survive.
  void refuse_by_text(std::string text) const {
    for (std::size_t from = text.find("<!--"); from != std::string::npos; from = text.find("<!--", from))
      text.erase(from, text.find("-->", from) == std::string::npos ? std::string::npos
                                                                   : text.find("-->", from) + 3 - from);
    if (text.find("<xacro:") != std::string::npos)
      fail("has macros of xacro; expand them first: xacro robot.urdf.xacro > robot.urdf");
    if (text.find("<robot") == std::string::npos) fail("has no <robot>, and so is no URDF file");
    constexpr int deepest = 100;
    int depth = 0;
    for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i + 1)) {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      const std::size_t end = text.find('>', i);
      if (next == '/') {
        --depth;
      } else if (next != '!' && next != '?' && end != std::string::npos && text[end - 1] != '/') {
        ++depth;
      }
      if (depth > deepest) fail(fmt::format("has elements that are nested deeper than {}", deepest));
    }
  }

  void require_tree(const urdf::ModelInterface& model) const {
    std::map<std::string, std::string> carrier;
    for (const auto& [name, joint] : model.joints_) {
      const auto [at, is_first] = carrier.emplace(joint->child_link_name, name);
      if (!is_first)
        fail(fmt::format(
            "joints {} and {} both carry link {}: the links of a URDF file are a tree. Close loops by "
            "joints of the problem file",
            at->second, name, joint->child_link_name));
    }
  }

  [[noreturn]] void fail_unreached(const urdf::ModelInterface& model, const Robot& robot) const {
    std::set<std::string> reached;
    for (const RobotLink& link : robot.links) reached.insert(link.name);
    for (const auto& [name, link] : model.links_) {
      if (!reached.contains(name))
        fail(fmt::format("link {} is not carried by the root {}: its joints make a loop", name,
                         robot.links[0].name));
    }
    fail("its joints make a loop");
  }

  /// The link, and all that it carries.
  void add(const urdf::Link& link, Robot& robot) const {
    robot.links.push_back(read_link(link));
    for (std::size_t i = 0; i < link.child_joints.size(); ++i) {
      robot.joints.push_back(read_joint(*link.child_joints[i]));
      add(*link.child_links[i], robot);
    }
  }

  RobotLink read_link(const urdf::Link& link) const {
    RobotLink out{link.name};
    for (const urdf::VisualSharedPtr& visual : link.visual_array) add_shape("visual", visual->geometry, out);
    for (const urdf::CollisionSharedPtr& collision : link.collision_array)
      add_shape("collision", collision->geometry, out);
    if (!link.inertial) return out;
    const urdf::Inertial& own = *link.inertial;
    Matrix3d J;
    J << own.ixx, own.ixy, own.ixz, own.ixy, own.iyy, own.iyz, own.ixz, own.iyz, own.izz;
    if (own.mass == 0.0 && J.isZero(0.0)) return out;
    if (!(own.mass > 0.0))
      fail(fmt::format("link {}: mass = {:g} kg; it has to be positive", link.name, own.mass));
    if (const std::string fault = inertia_fault(J); !fault.empty())
      fail(fmt::format("link {}: inertia {}", link.name, fault));
    const RobotPose pose = to_pose(own.origin);
    out.mass = own.mass, out.centre_of_mass = pose.position;
    out.inertia = pose.rotation * J * pose.rotation.transpose();
    return out;
  }

  static void add_shape(const char* what, const urdf::GeometrySharedPtr& geometry, RobotLink& link) {
    if (!geometry) return;
    const auto say = [&](const std::string& text) {
      link.shapes.push_back(fmt::format("{}: {}", what, text));
    };
    switch (geometry->type) {
      case urdf::Geometry::SPHERE:
        return say(
            fmt::format("sphere of radius {:g} m", static_cast<const urdf::Sphere&>(*geometry).radius));
      case urdf::Geometry::BOX: {
        const urdf::Vector3& d = static_cast<const urdf::Box&>(*geometry).dim;
        return say(fmt::format("box of {:g} x {:g} x {:g} m", d.x, d.y, d.z));
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(*geometry);
        return say(fmt::format("cylinder of radius {:g} m, length {:g} m", cylinder.radius, cylinder.length));
      }
      case urdf::Geometry::MESH: {
        const auto& mesh = static_cast<const urdf::Mesh&>(*geometry);
        const Vector3d scale = to_vector(mesh.scale);
        return say(fmt::format("mesh {}{}", mesh.filename,
                               scale == Vector3d::Ones() ? ""
                                                         : fmt::format(", scaled by {:g}, {:g}, {:g}",
                                                                       scale[0], scale[1], scale[2])));
      }
    }
  }

  RobotJointType type_of(const urdf::Joint& joint) const {
    switch (joint.type) {
      case urdf::Joint::REVOLUTE:
        return RobotJointType::revolute;
      case urdf::Joint::CONTINUOUS:
        return RobotJointType::continuous;
      case urdf::Joint::PRISMATIC:
        return RobotJointType::prismatic;
      case urdf::Joint::PLANAR:
        return RobotJointType::planar;
      case urdf::Joint::FLOATING:
        return RobotJointType::floating;
      case urdf::Joint::FIXED:
        return RobotJointType::fixed;
      case urdf::Joint::UNKNOWN:
        break;
    }
    fail(fmt::format("joint {} has no known type", joint.name));
  }

  RobotJoint read_joint(const urdf::Joint& joint) const {
    RobotJoint out{joint.name, type_of(joint)};
    out.parent = joint.parent_link_name, out.child = joint.child_link_name;
    out.origin = to_pose(joint.parent_to_joint_origin_transform);
    const bool has_axis = out.type != RobotJointType::fixed && out.type != RobotJointType::floating;
    if (has_axis) {
      const Vector3d axis = to_vector(joint.axis);
      if (!(axis.norm() > 0.0)) fail(fmt::format("joint {}: axis is (0, 0, 0)", joint.name));
      out.axis = axis.normalized();
    }
    if (joint.mimic)
      fail(fmt::format(
          "joint {} mimics joint {}, which kurbel does not have. Remove <mimic>, or make the joint fixed",
          joint.name, joint.mimic->joint_name));
    if (joint.dynamics) out.damping = joint.dynamics->damping, out.friction = joint.dynamics->friction;
    if (out.damping < 0.0)
      fail(fmt::format("joint {}: damping = {:g}; it may not be negative", joint.name, out.damping));
    if (joint.limits) out.limits = read_limits(*joint.limits, out);
    return out;
  }

  RobotLimits read_limits(const urdf::JointLimits& limits, const RobotJoint& joint) const {
    RobotLimits out{.effort = limits.effort, .velocity = limits.velocity};
    if (joint.type != RobotJointType::revolute && joint.type != RobotJointType::prismatic) return out;
    if (limits.lower > limits.upper)
      fail(fmt::format("joint {}: its lower limit {:g} is above its upper limit {:g}", joint.name,
                       limits.lower, limits.upper));
    out.lower = limits.lower, out.upper = limits.upper;
    return out;
  }

  std::filesystem::path file_;
};

}  // namespace

Robot read_robot(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace kurbel
