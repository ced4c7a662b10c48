/// [springs.*], [torsion_springs.*], [bushings.*], [stops.*], [tyres.*] and [masses.*]: their keys, and the list of these
/// kinds.
#include "problem/part_tables.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "mechanism/bushing.hpp"
#include "mechanism/part_numbers.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

using namespace keys;

/// A kind of named parts as a table of its keys (key_table.hpp). A key that is a number of part_numbers() may vary in the
/// range of its row.
template <class Part>
class PartTable : public KeyTable<Part> {
 public:
  /// A check of several keys together, after all are read.
  using Check = std::function<void(const TomlTable& table, const SystemSpec& system, Part& part)>;

  /// @param name   of its definition in the schema
  /// @param title  in sentences: "a spring with a damper"
  PartTable(std::string name, std::string title, std::vector<BoundKey<Part>> keys, Check check = {})
      : KeyTable<Part>(std::move(name), std::move(title), std::move(keys)), check_(std::move(check)) {}

  /// Appends all parts of the input.
  /// @param system  with what has been read of the mechanism
  void read_all(const TomlTable& root, SystemSpec& system) const {
    for (const TomlTable& table : root.table_or_empty(Section<Part>::name).children()) {
      Part part;
      part.name = read_name(table);
      this->read(table, part);
      if (check_) check_(table, system, part);
      (system.*Section<Part>::parts).push_back(std::move(part));
    }
  }

 private:
  Check check_;
};

const char* const one_marker =
    "marker as \"body.marker\" or \"beam.end\", or \"body\" for the reference frame or a point; the inertial "
    "frame is \"ground\"";

const PartTable<SpringSpec>& springs() {
  using Spec = SpringSpec;
  const std::vector<std::string> with_length = {"hooke", "green-lagrange"};
  const char* const no_length = "which has no free length";
  static const PartTable<Spec> table{
      "spring",
      "a spring with a damper",
      {
          marker("from", &Spec::from, one_marker),
          marker("to", &Spec::to, "the other marker, of another body"),
          number("stiffness", &Spec::stiffness, not_negative, "N/m", "force per length"),
          number("damping", &Spec::damping, not_negative, "N s/m", "force per rate of what `law` measures"),
          word("law", &Spec::law,
               {{"hooke", SpringLaw::hooke},
                {"linear", SpringLaw::linear},
                {"green-lagrange", SpringLaw::green_lagrange}},
               "force in proportion to the change of length (hooke), the vector between the markers "
               "(linear), or the Green-Lagrange strain"),
          word("damper", &Spec::isotropic_damping, {{"axial", false}, {"isotropic", true}},
               "force along the spring, or against the relative velocity in every direction")
              .when("law", with_length, "which damps in every direction"),
          number("free_length", &Spec::free_length, not_negative, "m", "length without force")
              .when("law", {"hooke"}, no_length),
          number("free_length", &Spec::free_length, positive, "m", required_if("there is no `preload`"),
                 "length without force")
              .when("law", {"green-lagrange"}, no_length),
          number(
              "preload", &Spec::preload, any, "N", optional,
              "force at the given start, positive in tension, in place of `free_length`; 0: no force there")
              .when("law", with_length, no_length)
              .in_place_of({"free_length"}),
      },
      [](const TomlTable& table, const SystemSpec&, Spec& spring) {
        if (spring.preload && spring.stiffness == 0.0) table.refuse("preload", "needs a stiffness above 0");
        if (spring.law == SpringLaw::green_lagrange && !spring.preload) table.number("free_length");
      }};
  return table;
}

const PartTable<TorsionSpringSpec>& torsion_springs() {
  using Spec = TorsionSpringSpec;
  static const PartTable<Spec> table{
      "torsion_spring",
      "a spring with a damper in a hinge, about its z axis; its angle remains within half a turn of "
      "`free_angle`",
      {
          marker("from", &Spec::from, "marker of the hinge, as `from` or `to` of its joint"),
          marker("to", &Spec::to, "the other marker of the hinge"),
          number("stiffness", &Spec::stiffness, not_negative, "N m/rad", "torque per angle"),
          number("damping", &Spec::damping, not_negative, "N m s/rad", "torque per angular velocity"),
          number("free_angle", &Spec::free_angle, any, "rad", "angle without torque"),
      }};
  return table;
}

/// Six numbers of the diagonal, or six rows.
BoundKey<BushingSpec> symmetric_matrix(const char* name, BushingSpec::Matrix BushingSpec::*member,
                                       const Presence& presence, const char* unit, const char* meaning) {
  const auto read = [=](const TomlTable& table, BushingSpec& bushing) {
    if (presence.kind != Presence::Kind::required && !table.has(name)) return;
    Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Zero();
    if (table.is_list_of_lists(name)) {
      const TomlTable rows = table.list(name, 6);
      for (int i = 0; i < 6; ++i) {
        const std::vector<double> row = rows.numbers(std::to_string(i));
        matrix.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), 6);
      }
    } else {
      matrix.diagonal() = Eigen::Map<const VectorXd>(table.numbers(name).data(), 6);
    }
    if (matrix != matrix.transpose()) table.refuse(name, "must be symmetric");
    constexpr double rounding = 1e-12;
    const auto values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>>(matrix).eigenvalues();
    if (values[0] < -rounding * values.cwiseAbs().maxCoeff())
      table.refuse(name, "must be positive semidefinite, or the bushing would give energy away");
    for_each_bushing_entry([&](Eigen::Index entry, Eigen::Index i, Eigen::Index j) {
      (bushing.*member)[static_cast<std::size_t>(entry)] = matrix(i, j);
    });
  };
  return {{name, list(6, number()) | list(6, list(6, number())), unit, presence, meaning}, read};
}

const PartTable<BushingSpec>& bushings() {
  using Spec = BushingSpec;
  static const PartTable<Spec> table{
      "bushing",
      "a bushing: force and moment by all six displacements of one marker against another",
      {
          marker("from", &Spec::from, one_marker),
          marker("to", &Spec::to, "the other marker, of another body; displacements are along its axes"),
          symmetric_matrix(
              "stiffness", &Spec::stiffness, required, "N/m, N/rad or N m/rad",
              "stiffness in tx, ty, tz, rx, ry, rz: six numbers, or six rows of a symmetric matrix"),
          symmetric_matrix("damping", &Spec::damping, otherwise("none"), "N s/m, N s/rad or N m s/rad",
                           "damping, likewise"),
      }};
  return table;
}

/// Limits of a degree of freedom that the joint leaves free.
void place_stop(const TomlTable& table, const SystemSpec& system, StopSpec& stop) {
  const JointSpec& joint = find_by_name(table, "joint", system.joints, "is no joint");
  stop.from = joint.from, stop.to = joint.to;
  const auto is_driven = std::ranges::find(joint.drives, stop.dof, &DriveSpec::dof) != joint.drives.end();
  if (joint.length || joint.locked[static_cast<std::size_t>(stop.dof)] || is_driven)
    table.refuse("dof", "is no free degree of freedom of joints.{}", joint.name);
  if (is_rotation(stop.dof) && (stop.dof != RelativeDof::rz || !is_hinge(joint)))
    table.refuse("dof", "is not the rotation of a hinge; take rz of a joint that locks rx and ry");
  if (!table.has("lower") && !table.has("upper"))
    table.fail("", "has neither lower nor upper; give at least one");
  if (stop.lower > stop.upper) table.refuse("lower", "is above upper = {:g}", stop.upper);
  const double range = stop.upper - stop.lower;
  if (is_rotation(stop.dof) && std::isfinite(range) && range >= 2.0 * std::numbers::pi)
    table.refuse("upper", "leaves {:g} rad from lower = {:g}; limits of a hinge are less than a turn apart",
                 range, stop.lower);
}

const PartTable<StopSpec>& stops() {
  using Spec = StopSpec;
  static const PartTable<Spec> table{
      "joint_stop",
      "an elastic limit of a joint",
      {
          Key{"joint", text(), "", required, "the joint"},
          word("dof", &Spec::dof, dof_words,
               "degree of freedom of the joint. The only rotation is rz of a hinge; its angle remains within "
               "half a turn of the middle of the limits, or of the only limit"),
          number("lower", &Spec::lower, any, "m or rad", otherwise("no limit"), "lower limit"),
          number("upper", &Spec::upper, any, "m or rad", otherwise("no limit"), "upper limit"),
          number("stiffness", &Spec::stiffness, not_negative, "N/m or N m/rad", required,
                 "force per distance beyond the limit, from `smoothing` on"),
          number("damping", &Spec::damping, not_negative, "N s/m or N m s/rad",
                 "force per rate, from `smoothing` on"),
          number("smoothing", &Spec::smoothing, positive, "m or rad", required,
                 "distance beyond the limit over which stiffness and damping set in"),
      },
      &place_stop};
  return table;
}

const PartTable<TyreSpec>& tyres() {
  using Spec = TyreSpec;
  static const PartTable<Spec> table{
      "tyre",
      "a tyre; z is up",
      {
          marker("wheel", &Spec::wheel,
                 "marker at the centre of the wheel, which spins about its y axis; forwards is the cross "
                 "product of y and up"),
          text("carrier", &Spec::carrier, "the body that carries the wheel: the upright"),
          number("radius", &Spec::radius, positive, "m", required, "radius without load"),
          number("stiffness", &Spec::stiffness, not_negative, "N/m", required,
                 "vertical force per penetration"),
          number("damping", &Spec::damping, not_negative, "N s/m", "vertical force per rate of penetration"),
          number("friction", &Spec::friction, not_negative, "",
                 "largest ratio of friction to vertical force (mu, or D / F_z)"),
          number("stiffness_factor", &Spec::slope, not_negative, "", "B of the magic formula"),
          number("shape_factor", &Spec::shape, not_negative, "", "C of the magic formula"),
          number("smoothing", &Spec::smoothing, positive, "m",
                 "penetration over which the vertical force sets in"),
          number("slip_speed", &Spec::slip_speed, positive, "m/s",
                 "v0 in the denominator of the slip, sqrt(v^2 + v0^2) with the speed v of the wheel"),
      }};
  return table;
}

const PartTable<AttachedMassSpec>& masses() {
  using Spec = AttachedMassSpec;
  static const PartTable<Spec> table{
      "point_mass",
      "a mass that moves with a marker",
      {
          marker("marker", &Spec::marker, "the marker, such as \"arm.end\""),
          number("mass", &Spec::mass, positive, "kg", required, "its mass").by_case(),
      }};
  return table;
}

/// @param table  the function that has the table
template <auto table>
PartSection section(const char* meaning) {
  using Part = typename std::remove_cvref_t<decltype(table())>::Spec;
  const auto group = []() -> const KeyGroup& { return table().group(); };
  return {Key{Section<Part>::name, names(group), "", optional, meaning}.by_case(), group,
          [](const TomlTable& root, SystemSpec& system) { table().read_all(root, system); },
          [](const SystemSpec& system) { return names_of(system.*Section<Part>::parts); }};
}

}  // namespace

const std::vector<PartSection>& part_sections() {
  static const std::vector<PartSection> all = {
      section<&masses>("masses that move with a marker, by name; with formulation = \"natural-coordinates\""),
      section<&springs>("springs with dampers between markers, by name"),
      section<&torsion_springs>("springs in hinges, by name"),
      section<&bushings>("elastic and damping connections in all six directions, by name"),
      section<&stops>("elastic limits of joints, by name"),
      section<&tyres>("tyres on the road, by name"),
  };
  return all;
}

const PartSection* find_part_section(const std::string& name) {
  const auto at =
      std::ranges::find_if(part_sections(), [&](const PartSection& part) { return part.key.name == name; });
  return at == part_sections().end() ? nullptr : &*at;
}

}  // namespace kurbel
