#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/key_groups.hpp"
#include "problem/part_tables.hpp"
#include "problem/varied_quantities.hpp"

namespace kurbel {

namespace {

using System = SystemQuantity::Kind;

const std::vector<VariedKey<System>> rigid_keys = {{"mass", System::mass},
                                                   {"centre_of_mass", System::centre_of_mass, axis_words},
                                                   {"inertia", System::inertia, inertia_components}};
const std::vector<VariedKey<System>> initial_keys = {
    {"initial.position", System::initial_position, axis_words},
    {"initial.rotation", System::initial_rotation, axis_words},
    {"initial.velocity", System::initial_velocity, axis_words},
    {"initial.angular_velocity", System::initial_angular_velocity, axis_words}};

bool is_of_elements(const DesignVariable& variable) {
  return std::holds_alternative<ElementQuantity>(variable.quantity);
}

/// Reads a table of [variables], which is one variable, or one for each value of a table in time.
class VariableReader {
 public:
  VariableReader(const TomlTable& table, const Problem& problem) : table_(table), problem_(problem) {}

  std::vector<DesignVariable> read() {
    const bool is_list = table_.is_list("quantity");
    const std::vector<std::string> paths =
        is_list ? table_.texts("quantity") : std::vector{table_.text("quantity")};
    if (is_of_drive(paths.front())) return read_values_of_drives(paths);
    const bool each_element = table_.boolean_or("each_element", false);
    if (each_element && is_list) table_.refuse("each_element", "does not go with a list of quantities");
    if (each_element && paths.front().starts_with("beams.")) return read_elements_of_beam(paths.front());
    const std::string& path = paths.front();
    DesignVariable variable;
    variable.name = read_name(table_);
    variable.unit = unit_of_key(root_keys(), path.substr(path.starts_with("-") ? 1 : 0));
    if (is_list)
      read_signed(path, variable);
    else
      read_quantity(path, variable);
    if (each_element && !is_of_elements(variable)) refuse_elements();
    is_tied_ = true;
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const std::vector<TiedQuantity> more = read_tied(paths[i], variable);
      variable.tied.insert(variable.tied.end(), more.begin(), more.end());
    }
    return {variable};
  }

 private:
  std::vector<DesignVariable> read_values_of_drives(const std::vector<std::string>& paths) const {
    std::vector<VariedTable> tables;
    for (const std::string& path : paths) {
      tables.push_back(find_table(table_, path, problem_.system));
      const auto n = tables.front().table->values.size(), other = tables.back().table->values.size();
      if (other != n) table_.refuse("quantity", "ties tables of {} and of {} values", n, other);
    }
    std::vector<DesignVariable> variables;
    for (const std::size_t index : varied_indices(table_, tables.front().table->times)) {
      DesignVariable variable;
      variable.name = fmt::format("{}({} s)", read_name(table_), tables.front().table->times[index]);
      for (const VariedTable& table : tables) {
        const SystemQuantity value{System::drive_value, table.joint, table.drive, static_cast<int>(index)};
        const double start = table.sign * value_of(value, problem_.system);
        const JointSpec& joint = problem_.system.joints[table.joint];
        if (std::ranges::find(problem_.followed_joints, joint.name) != problem_.followed_joints.end())
          table_.refuse("quantity",
                        "belongs to a joint over whose angle a load is given, which would vary with it");
        if (&table == &tables.front()) {
          variable.quantity = value, variable.sign = table.sign, variable.start = start;
          variable.unit = is_rotation(joint.drives[table.drive].dof) ? "rad" : "m";
        } else {
          require_equal(start, variable.start);
          variable.tied.push_back({value, table.sign});
        }
      }
      read_bounds(Range::any(), variable);
      variables.push_back(std::move(variable));
    }
    return variables;
  }

  /// "springs.right.stiffness", or with a minus in front of it.
  void read_signed(std::string path, DesignVariable& variable) {
    variable.sign = take_sign(path);
    read_quantity(path, variable);
    if (is_of_elements(variable)) table_.refuse("quantity", "ties numbers of elements; name one of them");
  }

  std::vector<TiedQuantity> read_tied(const std::string& path, const DesignVariable& first) {
    DesignVariable other;
    read_signed(path, other);
    require_equal(other.start, first.start);
    std::vector<TiedQuantity> all = {{std::get<SystemQuantity>(other.quantity), other.sign, other.offset}};
    all.insert(all.end(), other.tied.begin(), other.tied.end());
    return all;
  }

  void require_equal(double start, double first) const {
    constexpr double rounding = 1e-9;
    if (std::abs(start - first) <= rounding * std::abs(first)) return;
    table_.refuse("quantity", "ties numbers that differ in the file, {:g} and {:g}", first, start);
  }

  void read_quantity(std::string path, DesignVariable& variable) {
    const std::string section = take_word(path);
    if (section == "bodies") {
      read_of_body(path, variable);
    } else if (section == "ground") {
      if (take_word(path) != "markers") refuse_quantity(table_, {"ground.markers.NAME.position"});
      const auto marker = find(take_word(path), problem_.system.ground);
      refuse_place_of_point({PointUse::Kind::ground_marker, marker});
      read_position(path, {System::ground_marker, marker}, variable);
    } else if (section == "points") {
      read_of_point(find(take_word(path), problem_.system.points), path, variable);
    } else if (section == "beams") {
      read_of_beam(take_word(path), path, variable);
    } else if (section == "springs") {
      read_of_spring(find(take_word(path), problem_.system.springs), path, variable);
    } else if (section == "joints") {
      read_of_joint(find(take_word(path), problem_.system.joints), path, variable);
    } else if (section == "integrator") {
      read_of_integrator(path, variable);
    } else if (const PartSection* part = find_part_section(section)) {
      const std::size_t owner = find_name(table_, take_word(path), part->names(problem_.system));
      read_of_part(section, part->group(), owner, path, variable);
    } else {
      refuse_section();
    }
  }

  [[noreturn]] void refuse_section() const {
    std::vector<std::string> allowed = {
        "bodies.NAME..., beams.NAME..., points.NAME.position, joints.NAME.length, joints.NAME.damping, "
        "joints.NAME.drive.values, ground.markers.NAME.position, integrator.t1"};
    for (const PartSection& part : part_sections()) allowed.push_back(part.key.name + ".NAME...");
    refuse_quantity(table_, allowed);
  }

  void read_of_integrator(const std::string& path, DesignVariable& variable) const {
    if (path != "t1") refuse_quantity(table_, {"integrator.t1"});
    if (problem_.integrator.step == 0.0) table_.refuse("quantity", "needs [integrator]");
    finish({System::end_of_motion}, Range{.lower = problem_.integrator.t0, .lower_open = true}, variable);
  }

  [[noreturn]] void refuse_elements() const {
    table_.refuse("each_element", "is for numbers of flexible bodies and of planar beams");
  }

  template <class Named>
  std::size_t find(const std::string& name, const std::vector<Named>& all) const {
    return find_name(table_, name, names_of(all));
  }

  void read_bounds(const Range& range, DesignVariable& variable) const {
    const TomlTable bounds = table_.in_unit(variable.unit);
    variable.lower = bounds.number("lower", range);
    variable.upper = bounds.number("upper", range);
    if (!(variable.lower < variable.upper))
      table_.refuse("upper", "must be above lower = {}", variable.lower);
    if (variable.start < variable.lower || variable.start > variable.upper) {
      table_.fail("", "starts at the value in the file, {:g}, which is outside its bounds [{:g}, {:g}]",
                  variable.start, variable.lower, variable.upper);
    }
  }

  void finish(SystemQuantity quantity, const Range& range, DesignVariable& variable) const {
    variable.quantity = quantity;
    variable.start = variable.sign * value_of(quantity, problem_.system);
    if (!is_tied_) read_bounds(range, variable);
  }

  /// A number of a rigid body, or of the start of any.
  void read_of(const VariedKey<System>& key, std::size_t body, DesignVariable& variable) const {
    finish({key.kind, body, 0, read_component(table_, key.components)},
           range_of(keys::body().group(), key.path), variable);
  }

  /// A number of a part, "stiffness", in its own range.
  void read_of_part(std::string_view section, const KeyGroup& group, std::size_t owner,
                    const std::string& path, DesignVariable& variable,
                    const std::vector<std::string>& other_paths = {}) const {
    std::vector<std::string> allowed;
    for (const PartNumber& row : part_numbers()) {
      if (row.section != section || std::string_view(row.key).empty()) continue;
      if (row.key != path) {
        allowed.emplace_back(row.key);
        continue;
      }
      const auto index = static_cast<std::size_t>(&row - part_numbers().data());
      return finish({System::part_number, owner, index, read_component(table_, row.components)},
                    range_of(group, path), variable);
    }
    allowed.insert(allowed.end(), other_paths.begin(), other_paths.end());
    refuse_quantity(table_, allowed);
  }

  void read_position(const std::string& path, SystemQuantity quantity, DesignVariable& variable) const {
    if (path != "position") refuse_quantity(table_, {"markers.NAME.position"});
    quantity.component = read_component(table_, axis_words);
    finish(quantity, Range::any(), variable);
  }

  void refuse_place_of_point(const PointUse& use) const {
    const NamedPoint* point = point_of(use, problem_.system);
    if (!point) return;
    table_.refuse("quantity", "is at a point; vary points.{}.position, which moves everything at this point",
                  point->name);
  }

  /// Reads the quantities of all that is at the point: the others follow the first one.
  void read_of_point(std::size_t index, const std::string& path, DesignVariable& variable) const {
    if (path != "position") refuse_quantity(table_, {"points.NAME.position"});
    const NamedPoint& point = problem_.system.points[index];
    const int component = read_component(table_, axis_words);
    std::vector<TiedQuantity> numbers = numbers_at(table_, point, component, problem_.system);
    for (TiedQuantity& number : numbers) number.sign *= variable.sign;
    variable.quantity = numbers.front().quantity, variable.offset = numbers.front().offset;
    variable.start = variable.sign * point.position[component];
    variable.sign = numbers.front().sign;
    variable.tied.assign(numbers.begin() + 1, numbers.end());
    if (!is_tied_) read_bounds(Range::any(), variable);
  }

  std::size_t index_of(const PlanarBeamSpec* beam) const {
    return static_cast<std::size_t>(beam - problem_.system.planar_beams.data());
  }

  void read_of_beam(const std::string& name, const std::string& path, DesignVariable& variable) const {
    if (const PlanarBeamSpec* planar = find_named(problem_.system.planar_beams, name)) {
      const auto [quantity, range] = quantity_of_planar_beam(table_, index_of(planar), path, problem_.system);
      return finish(quantity, range, variable);
    }
    read_of_slender_beam(find(name, problem_.system.beams), path, variable);
  }

  void read_of_slender_beam(std::size_t beam, const std::string& path, DesignVariable& variable) const {
    const BeamSpec& spec = problem_.system.beams[beam];
    const std::vector<std::string> dimensions = dimensions_of(spec.shape);
    const auto dimension = std::ranges::find(dimensions, path);
    if (dimension != dimensions.end()) {
      const auto index = static_cast<int>(dimension - dimensions.begin());
      return finish(SystemQuantity::of<&BeamSpec::dimensions>(beam, index),
                    range_of(keys::beam().group(), path), variable);
    }
    if (path == "start") refuse_place_of_point({PointUse::Kind::beam_start, beam});
    if (path == "end") refuse_place_of_point({PointUse::Kind::beam_end, beam});
    if (path == "through") {
      if (!spec.through)
        table_.refuse("quantity", "is for arcs; beams.{} is straight, without through", spec.name);
      refuse_place_of_point({PointUse::Kind::beam_through, beam});
    }
    read_of_part(Section<BeamSpec>::name, keys::beam().group(), beam, path, variable, dimensions);
  }

  void read_of_joint(std::size_t index, const std::string& path, DesignVariable& variable) const {
    const JointSpec& joint = problem_.system.joints[index];
    if (path == "damping") {
      const auto [quantity, range] = damping_of(table_, joint, problem_.system);
      return finish(quantity, range, variable);
    }
    if (path != "length")
      refuse_quantity(table_, {"joints.NAME.length", "joints.NAME.damping", "joints.NAME.drive.values"});
    if (!joint.length) table_.refuse("quantity", "belongs to a joint that is no rod (type = \"distance\")");
    read_of_part(Section<JointSpec>::name, keys::joint().group(), index, path, variable);
  }

  /// A variable for each element of a planar beam.
  std::vector<DesignVariable> read_elements_of_beam(std::string path) const {
    const std::string unit = unit_of_key(root_keys(), path);
    take_word(path);
    const std::string name = take_word(path);
    const PlanarBeamSpec* beam = find_named(problem_.system.planar_beams, name);
    if (!beam) {
      find(name, problem_.system.beams);
      refuse_elements();
    }
    std::vector<DesignVariable> variables;
    for (const auto& [quantity, range] :
         quantities_of_elements(table_, index_of(beam), path, problem_.system)) {
      DesignVariable& variable = variables.emplace_back();
      variable.name = fmt::format("{}[{}]", read_name(table_), quantity.part - 1);
      variable.unit = unit;
      finish(quantity, range, variable);
    }
    return variables;
  }

  void read_of_spring(std::size_t spring, const std::string& path, DesignVariable& variable) const {
    if (path == "free_length" && problem_.system.springs[spring].law == SpringLaw::linear)
      table_.refuse("quantity", "belongs to a spring of law = \"linear\", which has no free length");
    if (path == "free_length" && problem_.system.springs[spring].preload)
      table_.refuse("quantity", "follows from preload; leave that out to vary it");
    if (path == "free_length" && problem_.system.springs[spring].law == SpringLaw::green_lagrange)
      return finish(SystemQuantity::of<&SpringSpec::free_length>(spring), Range::positive(), variable);
    read_of_part(Section<SpringSpec>::name, find_part_section("springs")->group(), spring, path, variable);
    if (path == "stiffness" && problem_.system.springs[spring].preload && !is_tied_ && variable.lower <= 0.0)
      table_.refuse("lower", "must be positive: springs.{} has a preload",
                    problem_.system.springs[spring].name);
  }

  void read_of_body(std::string path, DesignVariable& variable) const {
    const std::string name = take_word(path);
    const auto& points = problem_.system.point_masses;
    if (const PointMassSpec* point = find_named(points, name))
      return read_of_part(Section<PointMassSpec>::name, keys::body().group(),
                          static_cast<std::size_t>(point - points.data()), path, variable);
    const std::size_t body = find(name, problem_.bodies);
    if (path.starts_with("initial.")) return read_of_start(body, path, variable);
    switch (problem_.bodies[body].type) {
      case ProblemBody::Type::sid:
        table_.refuse("quantity",
                      "belongs to a body of type \"sid\", whose properties come from its file; only its "
                      "initial state may vary");
      case ProblemBody::Type::flexible:
        return read_of_flexible_body(body, path, variable);
      case ProblemBody::Type::rigid:
        break;
    }
    if (!path.starts_with("markers.")) {
      return read_of(find_key<System>(table_, rigid_keys, path, {"markers.NAME.position", "initial..."}),
                     body, variable);
    }
    take_word(path);
    const std::size_t marker = find(take_word(path), problem_.system.bodies[body].sid.frame);
    refuse_place_of_point({PointUse::Kind::marker, body, marker});
    read_position(path, {System::marker, body, marker}, variable);
  }

  void read_of_start(std::size_t body, const std::string& path, DesignVariable& variable) const {
    const VariedKey<System>& key = find_key<System>(table_, initial_keys, path);
    if (!(problem_.system.bodies[body].initial.given.*initial_part(key.kind).flag)) {
      table_.refuse("quantity", "is not in the file; give bodies.{}.{}, from which it varies",
                    problem_.bodies[body].name, path);
    }
    read_of(key, body, variable);
  }

  void read_of_flexible_body(std::size_t body, const std::string& path, DesignVariable& variable) const {
    const fem::FlexibleBodySpec& spec = problem_.bodies[body].flexible;
    const ElementQuantity quantity = read_element_quantity(table_, spec, body, path);
    variable.quantity = quantity, variable.start = value_of(quantity, spec);
    if (quantity.kind == ElementQuantity::Kind::mesh_surface) {
      variable.unit = "m";
      return read_bounds(Range::any(), variable);
    }
    read_bounds(range_of(keys::body().group(), path), variable);
  }

  const TomlTable& table_;
  const Problem& problem_;
  bool is_tied_ = false;  ///< what is read follows a number that has bounds already
};

/// The numbers of a mechanism that a variable sets; of several elements, those of each.
std::vector<SystemQuantity> quantities_of(const DesignVariable& variable, const SystemSpec& system) {
  std::vector<SystemQuantity> all;
  const auto add = [&](SystemQuantity quantity) {
    if (quantity.kind != System::planar_beam_number || quantity.part > 0) return all.push_back(quantity);
    const std::size_t n = system.planar_beams[quantity.owner].n_elements;
    for (quantity.part = 1; quantity.part <= n; ++quantity.part) all.push_back(quantity);
  };
  if (const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity)) add(*quantity);
  for (const TiedQuantity& tied : variable.tied) add(tied.quantity);
  return all;
}

}  // namespace

std::vector<DesignVariable> read_design_variables(const TomlTable& variables, const Problem& problem) {
  std::vector<DesignVariable> out;
  for (const TomlTable& table : variables.children()) {
    const std::size_t before = out.size();
    std::vector<SystemQuantity> own;
    for (DesignVariable& variable : VariableReader(table, problem).read()) {
      for (const SystemQuantity& quantity : quantities_of(variable, problem.system)) {
        if (std::ranges::find(own, quantity) != own.end())
          table.refuse("quantity", "names the same number twice");
        own.push_back(quantity);
      }
      out.push_back(std::move(variable));
    }
    for (std::size_t i = 0; i < before; ++i) {
      for (const SystemQuantity& other : quantities_of(out[i], problem.system)) {
        if (std::ranges::find(own, other) != own.end())
          table.refuse("quantity", "is varied by " + out[i].name + " already");
      }
    }
  }
  return out;
}

}  // namespace kurbel
