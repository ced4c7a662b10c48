#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>

#include "problem/readers.hpp"

namespace kurbel {

std::string read_name(const TomlTable& table, const std::string& reserved) {
  const std::string& name = table.name();
  const bool usable = std::all_of(name.begin(), name.end(),
                                  [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
  if (name.empty() || !usable) table.fail("", "is not a usable name; take letters, digits, _ and -");
  constexpr std::size_t longest = 200;  // files are named after bodies, and a file name has at most 255 bytes
  if (name.size() > longest)
    table.fail("", "is not a usable name: {} characters, and {} are allowed", name.size(), longest);
  if (name == reserved) table.fail("", "cannot be named \"{}\", which is reserved", reserved);
  return name;
}

void refuse_keys(const TomlTable& table, std::initializer_list<const char*> keys,
                 const std::string& message) {
  for (const char* key : keys) {
    if (table.has(key)) table.refuse(key, message);
  }
}

MarkerRef read_marker_ref(const TomlTable& table, const std::string& key) {
  const std::string text = table.text(key);
  const std::size_t dot = text.find('.');
  MarkerRef marker{text.substr(0, dot)};
  if (dot != std::string::npos) marker.marker = text.substr(dot + 1);
  if (marker.body.empty() || marker.marker.empty() || marker.marker.find('.') != std::string::npos) {
    table.refuse(key, "must be \"body.marker\", or \"body\" for its reference frame");
  }
  return marker;
}

namespace {

/// x = R0^T (P - r0) of a marker at a point.
Vector3d read_position(const TomlTable& marker, const Pose<double>& frame, const PointUse& use,
                       std::vector<NamedPoint>& points) {
  if (!marker.has("point")) return marker.vector3_or("position", Vector3d::Zero());
  NamedPoint& point = find_by_name(marker, "point", points, "is none of [points.*]");
  point.uses.push_back(use);
  return rotation_matrix(frame.e).transpose() * (point.position - frame.r);
}

}  // namespace

SidNode read_placed_marker(const TomlTable& table, const Pose<double>& frame, const PointUse& use,
                           std::vector<NamedPoint>& points) {
  const Vector3d position = read_position(table, frame, use, points);
  const Vector3d rotation = table.vector3_or("rotation", Vector3d::Zero());
  const double angle = rotation.norm();
  Matrix3d A = Matrix3d::Identity();
  if (angle > 0.0) A = Eigen::AngleAxisd(angle, rotation / angle).toRotationMatrix();
  return make_sid_node(read_name(table, "origin"), position, A, 0);
}

}  // namespace kurbel
